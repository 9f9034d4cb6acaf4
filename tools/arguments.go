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

// FieldProblem is one thing wrong with one argument, in words that name the value.
type FieldProblem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// ArgumentError lists everything that is wrong with the arguments of a call; nothing was read or written. Candidates are
// the names that would have been understood, where a name was not.
type ArgumentError struct {
	Fields     []FieldProblem
	Candidates []string
}

func (e *ArgumentError) Error() string {
	parts := make([]string, len(e.Fields))
	for i, f := range e.Fields {
		parts[i] = f.Field + " " + f.Problem
	}
	return strings.Join(parts, "; ")
}

// Wrong is the error of a call with one argument wrong.
func Wrong(field, problem string) *ArgumentError {
	return &ArgumentError{Fields: []FieldProblem{{field, problem}}}
}

// Check adds a problem unless ok.
func (e *ArgumentError) Check(ok bool, field, problem string) {
	if !ok {
		e.Fields = append(e.Fields, FieldProblem{field, problem})
	}
}

// OrNil is the error, or nil when there is no problem.
func (e *ArgumentError) OrNil() error {
	if len(e.Fields) == 0 {
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
	if !json.Valid(raw) {
		return Wrong("arguments", "must be a JSON object, got "+shown(string(raw)))
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

func argumentError(problems []check.Problem) *ArgumentError {
	e := &ArgumentError{}
	for _, p := range problems {
		e.Fields = append(e.Fields, FieldProblem{cmp.Or(p.Field, "arguments"), p.Problem})
	}
	return e
}

// encoded is a value that came from JSON, or a default of a schema, as JSON again.
func encoded(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode an argument: %v", err))
	}
	return text
}

// shown is a value as an error repeats it: cut, since callers send anything.
func shown(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
