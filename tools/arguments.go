package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/invopop/jsonschema"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/encoded"
)

// argumentCheck validates a tool's arguments and fills in their defaults.
type argumentCheck struct {
	schema   *check.Schema
	defaults map[string]any
	required map[string]bool
}

func newArgumentCheck(tool string, schema *jsonschema.Schema) *argumentCheck {
	document, err := check.NewDocument(encoded.JSON(schema))
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
		raw = encoded.JSON(given)
	}
	if problems := a.schema.Problems(raw); len(problems) > 0 {
		return argumentError(problems)
	}
	for name, standard := range a.defaults {
		if _, there := given[name]; !there {
			given[name] = encoded.JSON(standard)
		}
	}
	if problems := check.Decode(encoded.JSON(given), target); problems != nil {
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
