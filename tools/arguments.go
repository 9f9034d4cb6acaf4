package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/kopeck/kopeck/schemas/check"
)

// ArgumentError lists everything that is wrong with the arguments of a call; nothing was read or written.
type ArgumentError struct{ Problems []*check.Problem }

func (e *ArgumentError) Error() string {
	parts := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		parts[i] = p.Error()
	}
	return strings.Join(parts, "; ")
}

// Candidates are the names that would have been understood, where a name was not.
func (e *ArgumentError) Candidates() (names []string) {
	for _, p := range e.Problems {
		names = append(names, p.Choices()...)
	}
	return names
}

// Names are those of the books in what is wrong: the candidates, and what a problem is about.
func (e *ArgumentError) Names() []string {
	names := e.Candidates()
	for _, p := range e.Problems {
		names = append(names, p.Wrong.Names()...)
	}
	return names
}

// Wrong is the error of a call with arguments wrong.
func Wrong(problems ...*check.Problem) *ArgumentError { return &ArgumentError{problems} }

// Check adds a problem unless ok.
func (e *ArgumentError) Check(ok bool, p *check.Problem) {
	if !ok {
		e.Problems = append(e.Problems, p)
	}
}

// OrNil is the error, or nil when there is no problem.
func (e *ArgumentError) OrNil() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

// argumentCheck holds what a tool's arguments must look like, and their defaults.
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
	for name, property := range schema.Properties.FromOldest() {
		if property.Default != nil {
			a.defaults[name] = property.Default
		}
	}
	return a
}

// decode reads raw into target, a pointer to the tool's argument struct. An optional argument that is null counts as not
// given: models write it so.
func (a *argumentCheck) decode(raw json.RawMessage, target any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	given := map[string]json.RawMessage{}
	if json.Unmarshal(raw, &given) == nil && given != nil {
		maps.DeleteFunc(given, func(name string, v json.RawMessage) bool {
			return !a.required[name] && string(v) == "null"
		})
		raw = encoded(given)
	}
	if problems := a.schema.Problems(raw); len(problems) > 0 {
		return argumentError(problems)
	}
	for name, standard := range a.defaults {
		if _, there := given[name]; !there {
			given[name] = encoded(standard)
		}
	}
	if problems := check.Decode(encoded(given), target); problems != nil {
		return argumentError(problems)
	}
	return nil
}

func argumentError(problems []*check.Problem) *ArgumentError {
	for i := range problems {
		problems[i].Field = cmp.Or(problems[i].Field, "arguments")
	}
	return Wrong(problems...)
}

// encoded is a value that came from JSON, or a default of a schema, as JSON again.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode an argument: %v", err))
	}
	return text
}
