// Package check says in words what is wrong with a JSON value that does not fit its schema: all of it at once, each
// problem with the field and the value, for people and models to correct, in English and in Russian.
package check

import (
	"bytes"
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
func (s *Schema) Problems(text []byte) []*Problem {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []*Problem{notJSON.At("", err)}
	}
	var invalid *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(value), &invalid) {
		return misspelt(s.compiled, value, "")
	}
	return s.problems(invalid, value)
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
	slices.SortFunc(found, func(a, b *Problem) int { return strings.Compare(a.Field, b.Field) })
	return found
}

// problems flattens the validator's tree.
func (s *Schema) problems(e *jsonschema.ValidationError, value any) []*Problem {
	if len(e.Causes) == 0 {
		return s.leaf(e, value)
	}
	var found []*Problem
	for _, cause := range e.Causes {
		found = append(found, s.problems(cause, value)...)
	}
	slices.SortFunc(found, func(a, b *Problem) int {
		return strings.Compare(a.Field+"\x00"+a.In("en"), b.Field+"\x00"+b.In("en"))
	})
	return slices.CompactFunc(found, func(a, b *Problem) bool { return a.Error() == b.Error() })
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
