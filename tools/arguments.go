package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/invopop/jsonschema"

	"github.com/kopeck/kopeck/schemas/check"
)

// argumentCheck validates a tool's arguments and fills in their defaults.
type argumentCheck struct {
	schema   *check.Schema
	defaults map[string]any
	required map[string]bool
}

func newArgumentCheck(tool string, schema *jsonschema.Schema) *argumentCheck {
	document, err := check.NewDocument(marshalSchema(schema))
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", tool, err))
	}
	compiled, err := document.At("")
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", tool, err))
	}
	a := &argumentCheck{schema: compiled, defaults: map[string]any{}, required: map[string]bool{}}
	for _, name := range schema.Required {
		a.required[name] = true
	}
	for property := schema.Properties.Oldest(); property != nil; property = property.Next() {
		if property.Value.Default != nil {
			a.defaults[property.Key] = property.Value.Default
		}
	}
	return a
}

// decode reads raw into target, a pointer to the tool's argument struct. It ignores optional arguments that are null,
// because models send null for arguments that they leave out.
func (a *argumentCheck) decode(raw json.RawMessage, target any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	given := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &given) == nil && given != nil {
		maps.DeleteFunc(given, func(name string, v json.RawMessage) bool {
			return !a.required[name] && string(v) == "null"
		})
		raw = toJSON(given)
	}
	if problems := a.schema.Problems(raw); len(problems) > 0 {
		return argumentError(problems)
	}
	for name, standard := range a.defaults {
		if _, there := given[name]; !there {
			given[name] = toJSON(standard)
		}
	}
	if problems := check.Decode(toJSON(given), target); problems != nil {
		return argumentError(problems)
	}
	return nil
}

func argumentError(problems []*check.Problem) *check.InvalidError {
	for i := range problems {
		problems[i].Field = cmp.Or(problems[i].Field, "arguments")
	}
	return check.Invalid(problems...)
}

// toJSON encodes a decoded JSON value or a default from a schema. It panics if the value is not valid JSON.
func toJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode an argument: %v", err))
	}
	return text
}
