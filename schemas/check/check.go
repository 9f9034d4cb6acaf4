// Package check says in words what is wrong with a JSON value that does not fit its schema: all of it at once, each
// problem with the field and the value, for people and models to correct, in English and in Russian.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Schema is a compiled JSON Schema 2020-12.
type Schema struct {
	compiled *jsonschema.Schema
	foreign  bool // a client's: what a validation by it takes has a bound, and nothing is decoded by it
}

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
	return &Schema{compiled: compiled}, nil
}

// Problems are what keeps text from fitting the schema, in the order of the fields' names; none when it fits. Where unknown
// fields may stand, none may differ from a known one in capitals alone: Go reads it as that one, which was not checked.
//
// A text over the [Bounds] has that as its only problem. At most [mostProblems] problems are returned, the first ones.
func (s *Schema) Problems(text []byte) []*Problem {
	if problem := Bounds(text); problem != nil && json.Valid(text) {
		return []*Problem{problem}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []*Problem{notJSON.At("", err)}
	}
	if s.foreign && tooMuch(s.compiled, value) {
		return []*Problem{tooMuchWork.At("", strconv.Itoa(foreignWork))}
	}
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(s.compiled.Validate(value), &invalid):
		return ordered(s.problems(invalid, value, nil))
	case s.foreign:
		return nil
	}
	return ordered(misspelt(s.compiled, value, ""))
}

// mostProblems bounds the problems returned: nobody reads more, and each can be as long as the names in a schema.
const mostProblems = 50

// ordered sorts problems by their fields and takes out those that say the same. What a problem says is put together once.
func ordered(found []*Problem) []*Problem {
	said := make(map[*Problem]string, len(found))
	for _, p := range found {
		said[p] = p.Field + "\x00" + p.In("en")
	}
	slices.SortFunc(found, func(a, b *Problem) int { return strings.Compare(said[a], said[b]) })
	return slices.CompactFunc(found, func(a, b *Problem) bool { return said[a] == said[b] })
}

// misspelt finds the fields of value, at path, that are known ones but for capitals.
func misspelt(s *jsonschema.Schema, value any, path string) []*Problem {
	s = dereferenced(s)
	var found []*Problem
	switch v := value.(type) {
	case map[string]any:
		for name, inside := range v {
			if property := s.Properties[name]; property != nil {
				found = append(found, misspelt(property, inside, path+name+".")...)
				continue
			}
			for known := range s.Properties {
				if strings.EqualFold(name, known) {
					found = append(found, misspelling.At(path+name, known))
				}
			}
		}
	case []any:
		for i := 0; s.Items2020 != nil && i < len(v); i++ {
			found = append(found, misspelt(s.Items2020, v[i], path+strconv.Itoa(i)+".")...)
		}
	}
	return found[:min(len(found), mostProblems)]
}

// problems flattens the validator's tree, up to [mostProblems].
func (s *Schema) problems(e *jsonschema.ValidationError, value any, found []*Problem) []*Problem {
	if len(e.Causes) == 0 {
		found = append(found, s.leaf(e, value)...)
		return found[:min(len(found), mostProblems)]
	}
	for _, cause := range e.Causes {
		if len(found) == mostProblems {
			break
		}
		found = s.problems(cause, value, found)
	}
	return found
}

func (s *Schema) leaf(e *jsonschema.ValidationError, value any) []*Problem {
	field := strings.Join(e.InstanceLocation, ".")
	one := func(wrong Words, values ...any) []*Problem {
		return []*Problem{wrong.At(field, values...).Held(at(value, e.InstanceLocation))}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return each(k.Missing, field, required)
	case *kind.AdditionalProperties:
		return each(k.Properties, field, unknown, strings.Join(s.at(e.InstanceLocation).names(), ", "))
	case *kind.Type:
		return one(ofType, typeNames(k.Want...))
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		wrong, numbers := bounds(s.at(e.InstanceLocation).compiled)
		return one(wrong, numbers...)
	case *kind.Enum:
		return one(oneOf, listed(k.Want))
	case *kind.Const:
		return one(exactly, shown(k.Want))
	case *kind.Pattern:
		return one(pattern, k.Want)
	case *kind.MinItems:
		if k.Want == 1 {
			return one(empty)
		}
		return one(fewItems, k.Want)
	case *kind.MaxItems:
		return one(manyItems, k.Want)
	case *kind.MinLength:
		if k.Want == 1 {
			return one(empty)
		}
		return one(fewCharacters, k.Want)
	case *kind.MaxLength:
		return one(manyCharacters, k.Want)
	default:
		return one(otherwise, e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
}

func each(names []string, parent string, wrong Words, values ...any) []*Problem {
	slices.Sort(names)
	names = names[:min(len(names), mostProblems)]
	found := make([]*Problem, len(names))
	for i, name := range names {
		if parent != "" {
			name = parent + "." + name
		}
		found[i] = wrong.At(name, values...)
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
	return &Schema{compiled: schema}
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
