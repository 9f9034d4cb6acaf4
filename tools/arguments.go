package tools

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
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
	schema   *validator.Schema
	names    []string
	defaults map[string]any
	required map[string]bool
}

func newArgumentCheck(tool string, schema *jsonschema.Schema) *argumentCheck {
	document, err := validator.UnmarshalJSON(bytes.NewReader(marshalSchema(schema)))
	if err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", tool, err))
	}
	compiler := validator.NewCompiler()
	compiler.DefaultDraft(validator.Draft2020)
	compiler.AssertFormat()
	location := "tool:///" + tool
	if err := compiler.AddResource(location, document); err != nil {
		panic(fmt.Sprintf("arguments of %s: %v", tool, err))
	}
	check := &argumentCheck{
		schema:   compiler.MustCompile(location),
		defaults: map[string]any{},
		required: map[string]bool{},
	}
	for _, name := range schema.Required {
		check.required[name] = true
	}
	for name, property := range schema.Properties.FromOldest() {
		check.names = append(check.names, name)
		if property.Default != nil {
			check.defaults[name] = property.Default
		}
	}
	return check
}

// decode reads raw into target, a pointer to the tool's argument struct. An optional argument that is null counts as not
// given: models write it so.
func (a *argumentCheck) decode(raw json.RawMessage, target any) error {
	if len(bytes.TrimSpace(raw)) == 0 {
		raw = json.RawMessage("{}")
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return &ArgumentError{Fields: []FieldProblem{{"arguments", "must be a JSON object, got " + shown(string(raw))}}}
	}
	if object, ok := value.(map[string]any); ok {
		maps.DeleteFunc(object, func(name string, v any) bool { return v == nil && !a.required[name] })
	}
	if err := a.schema.Validate(value); err != nil {
		var invalid *validator.ValidationError
		if !errors.As(err, &invalid) {
			return fmt.Errorf("check arguments: %w", err)
		}
		return &ArgumentError{Fields: a.problems(invalid, value)}
	}
	object := value.(map[string]any)
	for name, standard := range a.defaults {
		if _, given := object[name]; !given {
			object[name] = standard
		}
	}
	complete, err := json.Marshal(object)
	if err != nil {
		return fmt.Errorf("fill in arguments: %w", err)
	}
	if err := json.Unmarshal(complete, target); err != nil {
		return &ArgumentError{Fields: []FieldProblem{{"arguments", err.Error()}}}
	}
	return nil
}

// problems flattens the validator's tree, in the order of the fields' names.
func (a *argumentCheck) problems(e *validator.ValidationError, value any) []FieldProblem {
	var found []FieldProblem
	for _, cause := range e.Causes {
		found = append(found, a.problems(cause, value)...)
	}
	if len(e.Causes) > 0 {
		slices.SortFunc(found, func(x, y FieldProblem) int {
			return strings.Compare(x.Field+"\x00"+x.Problem, y.Field+"\x00"+y.Problem)
		})
		return slices.Compact(found)
	}
	field := strings.Join(e.InstanceLocation, ".")
	got := ", got " + shownJSON(at(value, e.InstanceLocation))
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		for _, name := range k.Missing {
			found = append(found, FieldProblem{path(field, name), "is required"})
		}
		return found
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			found = append(found, FieldProblem{path(field, name), "is not known; there are " + strings.Join(a.names, ", ")})
		}
		return found
	case *kind.Type:
		return []FieldProblem{{orArguments(field), "must be " + typeNames(k.Want) + got}}
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		return []FieldProblem{{field, "must be " + bounds(a.at(e.InstanceLocation)) + got}}
	case *kind.Enum:
		return []FieldProblem{{field, "must be one of " + listed(k.Want) + got}}
	case *kind.MinLength:
		return []FieldProblem{{field, "must not be empty" + got}}
	default:
		return []FieldProblem{{orArguments(field), e.ErrorKind.LocalizedString(message.NewPrinter(language.English)) + got}}
	}
}

// at finds the schema of the value at a path of property names and array indexes.
func (a *argumentCheck) at(location []string) *validator.Schema {
	schema := a.schema
	for _, step := range location {
		if _, err := strconv.Atoi(step); err == nil && schema.Items2020 != nil {
			schema = schema.Items2020
		} else if property := schema.Properties[step]; property != nil {
			schema = property
		}
	}
	return schema
}

func at(value any, location []string) any {
	for _, step := range location {
		switch v := value.(type) {
		case map[string]any:
			value = v[step]
		case []any:
			if i, err := strconv.Atoi(step); err == nil && i < len(v) {
				value = v[i]
			}
		}
	}
	return value
}

func path(parent, name string) string {
	if parent == "" {
		return name
	}
	return parent + "." + name
}

func orArguments(field string) string {
	if field == "" {
		return "arguments"
	}
	return field
}

func typeNames(want []string) string {
	articles := map[string]string{"object": "an object", "array": "a list", "integer": "a whole number", "boolean": "true or false", "null": "null"}
	names := make([]string, len(want))
	for i, w := range want {
		names[i] = articles[w]
		if names[i] == "" {
			names[i] = "a " + w
		}
	}
	return strings.Join(names, " or ")
}

func bounds(s *validator.Schema) string {
	number := func(r *big.Rat) string { return strings.TrimSuffix(strings.TrimRight(r.FloatString(6), "0"), ".") }
	low, above := s.Minimum, s.ExclusiveMinimum
	high, below := s.Maximum, s.ExclusiveMaximum
	switch {
	case low != nil && high != nil:
		return number(low) + " to " + number(high)
	case above != nil && below != nil:
		return "more than " + number(above) + " and less than " + number(below)
	case low != nil:
		return "at least " + number(low)
	case high != nil:
		return "at most " + number(high)
	case above != nil:
		return "more than " + number(above)
	default:
		return "less than " + number(below)
	}
}

func listed(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.Join(names, ", ")
}

func shownJSON(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return shown(string(text))
}

// shown is a value as an error repeats it: cut, since callers send anything.
func shown(text string) string {
	const most = 80
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}
