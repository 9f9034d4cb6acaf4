package tools

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/invopop/jsonschema"
	"github.com/shopspring/decimal"

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

// argumentCheck holds what a tool's arguments must look like, and their defaults.
type argumentCheck struct {
	schema   *check.Schema
	defaults map[string]any
	required map[string]bool
	whole    map[string]bool // whole numbers
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
	a := &argumentCheck{schema: compiled, defaults: map[string]any{}, required: map[string]bool{}, whole: map[string]bool{}}
	for _, name := range schema.Required {
		a.required[name] = true
	}
	for name, property := range schema.Properties.FromOldest() {
		if property.Default != nil {
			a.defaults[name] = property.Default
		}
		a.whole[name] = property.Type == "integer"
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
		return &ArgumentError{Fields: []FieldProblem{{"arguments", "must be a JSON object, got " + shown(string(raw))}}}
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
	for name, number := range given {
		if a.whole[name] {
			given[name] = plainly(number)
		}
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

// plainly writes a whole number as Go reads one: 50.0 and 5e1, which are whole numbers too, as 50.
func plainly(number json.RawMessage) json.RawMessage {
	if d, err := decimal.NewFromString(string(number)); err == nil {
		return json.RawMessage(d.String())
	}
	return number
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
