package check_test

import (
	"encoding/json"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/schemas/check"
)

const document = `{"schemas": {
	"order": {
		"type": "object", "additionalProperties": false, "required": ["lines", "kind"],
		"properties": {
			"kind": {"enum": ["buy", "sell"]},
			"days": {"type": "integer", "minimum": 1, "maximum": 365},
			"copies": {"type": "integer", "minimum": 1, "maximum": 1},
			"name": {"type": ["string", "null"], "minLength": 1},
			"code": {"type": "string", "pattern": "^[A-Z]{2}$"},
			"unit": {"const": "piece"},
			"lines": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/schemas/line"}}
		}
	},
	"talk": {
		"type": "object",
		"properties": {"limit": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "object", "properties": {"units": {}, "Units": {}, "text": {}}}}, "free": {"type": "object"}}
	},
	"line": {"type": "object", "additionalProperties": false, "properties": {"units": {"type": "number", "exclusiveMinimum": 0}}}
}}`

// Every problem names its field and repeats the value, and all of them are told at once.
func TestProblemsAreToldInWords(t *testing.T) {
	read, err := check.NewDocument([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	order, err := read.At("/schemas/order")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]check.Problem{
		`{"kind":"buy","lines":[{"units":0.5}],"days":365,"name":null}`: nil,
		`{"kind":"buy"`: {{"", "must be JSON: unexpected EOF"}},
		`[]`:            {{"", "must be an object, got []"}},
		`{"kind":"give","days":0,"copies":2,"name":"","lines":[{},{"units":0,"price":1}],"more":{"a":1}}`: {
			{"copies", "must be 1, got 2"},
			{"days", "must be 1 to 365, got 0"},
			{"kind", `must be one of buy, sell, got "give"`},
			{"lines.1.price", "is not known; there are units"},
			{"lines.1.units", "must be more than 0, got 0"},
			{"more", "is not known; there are code, copies, days, kind, lines, name, unit"},
			{"name", `must not be empty, got ""`},
		},
		`{"kind":"buy","lines":[],"code":"x","unit":"kg"}`: {
			{"code", `must match ^[A-Z]{2}$, got "x"`},
			{"lines", "must not be empty, got []"},
			{"unit", `must be "piece", got "kg"`},
		},
		`{"kind":"buy","lines":[{},{},{}]}`: {{"lines", "must have at most 2 items, got [{},{},{}]"}},
		`{"days":"7","lines":{}}`: {
			{"days", `must be a whole number, got "7"`},
			{"kind", "is required"},
			{"lines", "must be a list, got {}"},
		},
	} {
		if diff := cmp.Diff(want, order.Problems([]byte(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// A field that Go would read as a known one is no unknown field: it would pass unchecked.
func TestFieldsThatDifferInCapitalsAloneAreRefused(t *testing.T) {
	read, err := check.NewDocument([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := read.At("/schemas/talk")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]check.Problem{
		`{"limit":1,"Limits":"x","lines":[{"units":1,"Units":2}],"free":{"Limit":1}}`: nil,
		`{"limit":1,"LIMIT":"x"}`: {{"LIMIT", "must be spelt limit"}},
		`{"lineſ":7}`:             {{"lineſ", "must be spelt lines"}},
		`{"lines":[{},{"Text":3,"text":""}],"Limit":1}`: {{"Limit", "must be spelt limit"}, {"lines.1.Text", "must be spelt text"}},
	} {
		if diff := cmp.Diff(want, talk.Problems([]byte(text))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestADocumentMayBeUsedByMany(t *testing.T) {
	read, err := check.NewDocument([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	var users sync.WaitGroup
	for range 8 {
		for _, pointer := range []string{"/schemas/order", "/schemas/line"} {
			users.Go(func() {
				schema, err := read.At(pointer)
				if err != nil || len(schema.Problems([]byte(`{"lines":1,"units":0}`))) == 0 {
					t.Errorf("%s: %v", pointer, err)
				}
			})
		}
	}
	users.Wait()
}

// What a schema takes for a whole number is one, also when a program with one kind of number wrote it.
func TestWholeNumbersMayBeWrittenWithAFraction(t *testing.T) {
	type Page struct {
		Limit int `json:"limit"`
	}
	type search struct {
		Page
		Price json.Number `json:"price"`
		Text  string      `json:"text"`
	}
	for text, want := range map[string]search{
		`{"limit":5}`:       {Page: Page{5}},
		`{"limit":5.0}`:     {Page: Page{5}},
		`{"limit":-5.000 }`: {Page: Page{-5}},
		`{"limit":5.0,"price":1.05,"text":"5.0 \"5.0,"}`: {Page{5}, "1.05", `5.0 "5.0,`},
		`{"limit":5.0,"price":1.0e2}`:                    {Page{5}, "100", ""},
		`{"limit":5.0,"price":0.10}`:                     {Page{5}, "0.10", ""},
	} {
		var got search
		if problems := check.Decode([]byte(text), &got); problems != nil || got != want {
			t.Errorf("%s: %+v %+v", text, got, problems)
		}
	}
	for text, want := range map[string]check.Problem{
		`{"limit":1e30}`:         {Field: "limit", Problem: "must be a number of the usual size, got 1e30"},
		`{"limit":1e999999999}`:  {Field: "limit", Problem: "must be a number of the usual size, got 1e999999999"},
		`{"limit":1e-999999999}`: {Field: "limit", Problem: "must be a number of the usual size, got 1e-999999999"},
		`{"text":[1]}`:           {Field: "text", Problem: "must not be array"},
	} {
		if diff := cmp.Diff([]check.Problem{want}, check.Decode([]byte(text), &search{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
