// Package check says in words what is wrong with a JSON value that does not fit its schema: all of it at once, each
// problem with the field and the value, for people and models to correct.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Problem is one thing wrong with a value. Field is its path: "lines.0.units", or empty for the whole value.
type Problem struct {
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

// Schema is a compiled JSON Schema 2020-12.
type Schema struct{ compiled *jsonschema.Schema }

// Document is a JSON document with schemas in it. It may be used by many goroutines.
type Document struct {
	mu       sync.Mutex // the compiler keeps what it has compiled
	compiler *jsonschema.Compiler
}

const location = "schema:///document.json"

// NewDocument reads a JSON document, such as an OpenAPI one.
func NewDocument(text []byte) (*Document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read schema document: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(nothing{})
	if err := compiler.AddResource(location, value); err != nil {
		return nil, fmt.Errorf("add schema document: %w", err)
	}
	return &Document{compiler: compiler}, nil
}

// nothing is what a schema may refer to outside of its document: a client's schema must not make the service open files.
type nothing struct{}

func (nothing) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s is outside of the document", url)
}

// At compiles the schema at a JSON pointer of the document, such as "/components/schemas/Key".
func (d *Document) At(pointer string) (*Schema, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	compiled, err := d.compiler.Compile(location + "#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
	if err != nil {
		return nil, fmt.Errorf("compile schema %s: %w", pointer, err)
	}
	return &Schema{compiled}, nil
}

// Problems are what keeps text from fitting the schema, in the order of the fields' names; none when it fits. Where unknown
// fields may stand, none may differ from a known one in capitals alone: Go reads it as that one, which was not checked.
func (s *Schema) Problems(text []byte) []Problem {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []Problem{{"", "must be JSON: " + err.Error()}}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(value), &invalid) {
		return misspelt(s.compiled, value, "")
	}
	return s.problems(invalid, value)
}

// misspelt finds the fields of value, at path, that are known ones but for capitals.
func misspelt(s *jsonschema.Schema, value any, path string) []Problem {
	s = dereferenced(s)
	var found []Problem
	switch v := value.(type) {
	case map[string]any:
		for name, inside := range v {
			if property := s.Properties[name]; property != nil {
				found = append(found, misspelt(property, inside, path+name+".")...)
				continue
			}
			for known := range s.Properties {
				if strings.EqualFold(name, known) {
					found = append(found, Problem{path + name, "must be spelt " + known})
				}
			}
		}
	case []any:
		for i := 0; s.Items2020 != nil && i < len(v); i++ {
			found = append(found, misspelt(s.Items2020, v[i], path+strconv.Itoa(i)+".")...)
		}
	}
	slices.SortFunc(found, func(a, b Problem) int { return strings.Compare(a.Field, b.Field) })
	return found
}

// problems flattens the validator's tree.
func (s *Schema) problems(e *jsonschema.ValidationError, value any) []Problem {
	if len(e.Causes) == 0 {
		return s.leaf(e, value)
	}
	var found []Problem
	for _, cause := range e.Causes {
		found = append(found, s.problems(cause, value)...)
	}
	slices.SortFunc(found, func(a, b Problem) int {
		return strings.Compare(a.Field+"\x00"+a.Problem, b.Field+"\x00"+b.Problem)
	})
	return slices.Compact(found)
}

func (s *Schema) leaf(e *jsonschema.ValidationError, value any) []Problem {
	field := strings.Join(e.InstanceLocation, ".")
	got := ", got " + shown(at(value, e.InstanceLocation))
	one := func(problem string) []Problem { return []Problem{{field, problem + got}} }
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(k.Missing, field, "is required")
	case *kind.AdditionalProperties:
		return each(k.Properties, field, "is not known; there are "+strings.Join(s.at(e.InstanceLocation).names(), ", "))
	case *kind.Type:
		return one("must be " + typeNames(k.Want))
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		return one("must be " + bounds(s.at(e.InstanceLocation).compiled))
	case *kind.Enum:
		return one("must be one of " + listed(k.Want))
	case *kind.Const:
		return one("must be " + shown(k.Want))
	case *kind.Pattern:
		return one("must match " + k.Want)
	case *kind.MinItems:
		if k.Want == 1 {
			return one("must not be empty")
		}
		return one(fmt.Sprintf("must have at least %d items", k.Want))
	case *kind.MaxItems:
		return one(fmt.Sprintf("must have at most %d items", k.Want))
	case *kind.MinLength:
		if k.Want == 1 {
			return one("must not be empty")
		}
		return one(fmt.Sprintf("must have at least %d characters", k.Want))
	case *kind.MaxLength:
		return one(fmt.Sprintf("must have at most %d characters", k.Want))
	default:
		return one(e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
}

func each(names []string, parent, problem string) []Problem {
	found := make([]Problem, len(names))
	for i, name := range names {
		if parent != "" {
			name = parent + "." + name
		}
		found[i] = Problem{name, problem}
	}
	return found
}

// at finds the schema of the value at a path of property names and array indexes, through references.
func (s *Schema) at(path []string) *Schema {
	schema := dereferenced(s.compiled)
	for _, step := range path {
		if property := schema.Properties[step]; property != nil {
			schema = property
		} else if schema.Items2020 != nil {
			schema = schema.Items2020
		}
		schema = dereferenced(schema)
	}
	return &Schema{schema}
}

func dereferenced(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

func (s *Schema) names() []string {
	names := make([]string, 0, len(s.compiled.Properties))
	for name := range s.compiled.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func at(value any, path []string) any {
	for _, step := range path {
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

func typeNames(want []string) string {
	words := map[string]string{"object": "an object", "array": "a list", "integer": "a whole number", "boolean": "true or false", "null": "null"}
	names := make([]string, len(want))
	for i, w := range want {
		if names[i] = words[w]; names[i] == "" {
			names[i] = "a " + w
		}
	}
	return strings.Join(names, " or ")
}

func bounds(s *jsonschema.Schema) string {
	switch {
	case s.Minimum != nil && s.Maximum != nil && s.Minimum.Cmp(s.Maximum) == 0:
		return number(s.Minimum)
	case s.Minimum != nil && s.Maximum != nil:
		return number(s.Minimum) + " to " + number(s.Maximum)
	case s.Minimum != nil:
		return "at least " + number(s.Minimum)
	case s.Maximum != nil:
		return "at most " + number(s.Maximum)
	case s.ExclusiveMinimum != nil && s.ExclusiveMaximum != nil:
		return "more than " + number(s.ExclusiveMinimum) + " and less than " + number(s.ExclusiveMaximum)
	case s.ExclusiveMinimum != nil:
		return "more than " + number(s.ExclusiveMinimum)
	}
	return "less than " + number(s.ExclusiveMaximum)
}

func number(r *big.Rat) string {
	if r.IsInt() {
		return r.RatString()
	}
	return strings.TrimRight(r.FloatString(6), "0")
}

func listed(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.Join(names, ", ")
}

// shown is a value as a problem repeats it: cut, since callers send anything.
func shown(value any) string {
	const most = 80
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	if runes := []rune(string(text)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(text)
}
