package check_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shopspring/decimal"

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
			"price": {"type": ["string", "null"], "examples": ["9.90"]},
			"lines": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/schemas/line"}}
		}
	},
	"talk": {
		"type": "object",
		"properties": {"limit": {"type": "integer"}, "lines": {"type": "array", "items": {"type": "object", "properties": {"units": {}, "Units": {}, "text": {}}}}, "free": {"type": "object"}}
	},
	"line": {"type": "object", "additionalProperties": false, "properties": {"units": {"type": "number", "exclusiveMinimum": 0}}}
}}`

func TestProblemsAreDescribed(t *testing.T) {
	order := schemaAt(t, document, "/schemas/order")
	for text, want := range map[string][]string{
		`{"kind":"buy","lines":[{"units":0.5}],"days":365,"name":null}`: nil,
		`{"kind":"buy"`: {"must be JSON: unexpected EOF"},
		`[]`:            {"must be an object, got []"},
		`{"kind":"give","days":0,"copies":2,"name":"","lines":[{},{"units":0,"price":1}],"more":{"a":1}}`: {
			"copies must be 1, got 2",
			"days must be 1 to 365, got 0",
			`kind must be one of buy, sell, got "give"`,
			"lines.1.price is not known; there are units",
			"lines.1.units must be more than 0, got 0",
			"more is not known; there are code, copies, days, kind, lines, name, price, unit",
			`name must not be empty, got ""`,
		},
		`{"kind":"buy","lines":[],"code":"x","unit":"kg"}`: {
			`code must match ^[A-Z]{2}$, got "x"`,
			"lines must not be empty, got []",
			`unit must be "piece", got "kg"`,
		},
		`{"kind":"buy","lines":[{},{},{}]}`: {"lines must have at most 2 items, got [{},{},{}]"},
		`{"days":"7","lines":{},"price":9.9}`: {
			`days must be a whole number, got "7"`,
			"kind is required",
			"lines must be a list, got {}",
			`price must be null or a string, such as "9.90", got 9.9`,
		},
	} {
		if diff := cmp.Diff(want, englishTexts(order.Problems([]byte(text)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// schemaAt compiles the schema at a JSON pointer of a document.
func schemaAt(t *testing.T, document, pointer string) *check.Schema {
	t.Helper()
	read, err := check.NewDocument([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := read.At(pointer)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

func englishTexts(problems []*check.Problem) (texts []string) {
	for _, p := range problems {
		texts = append(texts, p.Error())
	}
	return texts
}

// Each kind of problem has a Russian text with the same values.
func TestProblemsAreDescribedInRussian(t *testing.T) {
	schema := schemaAt(t, `{"type": "object", "additionalProperties": false, "required": ["lines"], "properties": {
		"share": {"type": "number", "minimum": 0.5, "maximum": 0.999}, "one": {"minimum": 1, "maximum": 1}, "least": {"minimum": 1}, "most": {"maximum": 1.5},
		"above": {"exclusiveMinimum": 0}, "below": {"exclusiveMaximum": 9}, "between": {"exclusiveMinimum": 0, "exclusiveMaximum": 9},
		"kind": {"enum": ["buy", "sell"]}, "unit": {"const": "piece"}, "code": {"pattern": "^[A-Z]$"}, "name": {"type": ["string", "null"], "minLength": 1},
		"short": {"minLength": 2}, "long": {"maxLength": 2}, "few": {"minItems": 2}, "many": {"maxItems": 2}, "lines": {"type": "array", "minItems": 1},
		"none": {"maxItems": 0}, "bare": {"maxProperties": 0}, "fields": {"maxProperties": 1},
		"flag": {"type": "boolean"}, "days": {"type": "integer"}, "whole": {"type": "object"}, "even": {"multipleOf": 2}}}`, "")
	for text, want := range map[string]string{
		`{"lines":`:                            "это не JSON: unexpected EOF",
		`{}`:                                   "lines не указано",
		`{"Lines":[]}`:                         "Lines такого нет, есть: above, bare, below, between, code, days, even, few, fields, flag, kind, least, lines, long, many, most, name, none, one, share, short, unit, whole",
		`{"lines":[1],"share":1.25}`:           "share допустимо от 0,5 до 0,999, указано 1,25",
		`{"lines":[1],"one":2}`:                "one допустимо только 1, указано 2",
		`{"lines":[1],"least":0}`:              "least нужно не меньше 1, указано 0",
		`{"lines":[1],"most":2}`:               "most нужно не больше 1,5, указано 2",
		`{"lines":[1],"above":0}`:              "above нужно больше 0, указано 0",
		`{"lines":[1],"below":9}`:              "below нужно меньше 9, указано 9",
		`{"lines":[1],"between":9}`:            "between нужно больше 0 и меньше 9, указано 9",
		`{"lines":[1],"kind":"give"}`:          "kind допустимо: buy, sell, указано «give»",
		`{"lines":[1],"unit":"kg"}`:            `unit допустимо только "piece", указано «kg»`,
		`{"lines":[1],"code":"x"}`:             "code не по образцу ^[A-Z]$, указано «x»",
		`{"lines":[1],"name":7}`:               "name подходит только null (пусто) или текст, указано 7",
		`{"lines":[1],"name":""}`:              "name не должно быть пусто, указано «»",
		`{"lines":[1],"short":"я"}`:            "short знаков нужно не меньше 2, указано «я»",
		`{"lines":[1],"long":"яяя"}`:           "long знаков допустимо не больше 2, указано «яяя»",
		`{"lines":[1],"few":[1]}`:              "few в списке нужно не меньше 2, указано [1]",
		`{"lines":[1],"many":[1,2,3]}`:         "many в списке допустимо не больше 2, указано [1,2,3]",
		`{"lines":[1],"none":[1]}`:             "none должно быть пусто, указано [1]",
		`{"lines":[1],"bare":{"a":1}}`:         `bare должно быть пусто, указано {"a":1}`,
		`{"lines":[1],"fields":{"a":1,"b":2}}`: `fields полей допустимо не больше 1, указано {"a":1,"b":2}`,
		`{"lines":"x"}`:                        "lines подходит только список, указано «x»",
		`{"lines":[1],"flag":1}`:               "flag подходит только true или false, указано 1",
		`{"lines":[1],"days":1.5}`:             "days подходит только целое число, указано 1,5",
		`{"lines":[1],"whole":null}`:           "whole подходит только объект, указано null",
	} {
		var got []string
		for _, p := range schema.Problems([]byte(text)) {
			got = append(got, strings.TrimSpace(p.Field+" "+p.In("ru")))
		}
		if len(got) == 0 || got[0] != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A few characters can stand for a number of a billion digits.
func TestHugeNumberIsNotWrittenOut(t *testing.T) {
	huge, small := decimal.New(-1, 1<<30), decimal.New(-15, -1)
	wrong := check.NewWording("must be above zero", "нужно больше нуля")
	if got := wrong.At("units").WithValue(huge).Error(); got != "units must be above zero" {
		t.Errorf("%.100q", got)
	}
	if got := wrong.At("units").WithValue(small).Error(); got != "units must be above zero, got -1.5" {
		t.Error(got)
	}
}

// A wording that lacks a language, or whose texts have different placeholders, panics when the program starts.
func TestWordingNeedsBothLanguages(t *testing.T) {
	for _, words := range [][2]string{{"is new", ""}, {"is new", "is new"}, {"is %s", "новое"}, {"", "новое %s"}, {"новое", "новое"}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("NewWording(%q) did not panic", words)
				}
			}()
			check.NewWording(words[0], words[1])
		}()
	}
}

// Go would decode these fields as the known ones without validating them.
func TestFieldsInWrongCaseAreRejected(t *testing.T) {
	talk := schemaAt(t, document, "/schemas/talk")
	for text, want := range map[string][]string{
		`{"limit":1,"Limits":"x","lines":[{"units":1,"Units":2}],"free":{"Limit":1}}`: nil,
		`{"limit":1,"LIMIT":"x"}`: {"LIMIT must be spelt limit"},
		`{"lineſ":7}`:             {"lineſ must be spelt lines"},
		`{"lines":[{},{"Text":3,"text":""}],"Limit":1}`: {"Limit must be spelt limit", "lines.1.Text must be spelt text"},
	} {
		if diff := cmp.Diff(want, englishTexts(talk.Problems([]byte(text)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestDocumentIsSafeForConcurrentUse(t *testing.T) {
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

// Languages that have only one type of number may write whole numbers as 5.0.
func TestWholeNumbersCanHaveAFraction(t *testing.T) {
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
	for text, want := range map[string]string{
		`{"limit":1e30}`:         "limit must be a number of the usual size, got 1e30",
		`{"limit":1e999999999}`:  "limit must be a number of the usual size, got 1e999999999",
		`{"limit":1e-999999999}`: "limit must be a number of the usual size, got 1e-999999999",
		`{"text":[1]}`:           "text must not be a list",
	} {
		if diff := cmp.Diff([]string{want}, englishTexts(check.Decode([]byte(text), &search{}))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
