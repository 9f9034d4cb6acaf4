package check_test

import (
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
			"lines": {"type": "array", "items": {"$ref": "#/schemas/line"}}
		}
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
			{"more", "is not known; there are copies, days, kind, lines, name"},
			{"name", `must not be empty, got ""`},
		},
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
