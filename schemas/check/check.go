// Package check validates JSON values against schemas. It reports all problems, each with its field and value, in English
// and Russian, so that people and models can correct them.
package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
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
	compiled  *jsonschema.Schema
	untrusted bool // sent by a client: validation may take only limited work
}

// Document is a JSON document that contains schemas. It is safe for concurrent use.
type Document struct {
	mu       sync.Mutex // guards the compiler's cache
	compiler *jsonschema.Compiler
}

const location = "schema:///document.json"

// NewDocument reads a JSON document that contains schemas, such as an OpenAPI document.
func NewDocument(text []byte) (*Document, error) {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("read schema document: %w", err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	compiler.UseLoader(noLoader{})
	if err := compiler.AddResource(location, value); err != nil {
		return nil, fmt.Errorf("add schema document: %w", err)
	}
	return &Document{compiler: compiler}, nil
}

// noLoader refuses references to other documents: a client's schema must not make the service open files.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
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

// Problems returns what is wrong with a text, ordered by field and at most [maxProblems], or nil. If the text exceeds a
// limit of [CheckBounds], that is the only problem.
//
// An unknown field whose name differs from a known one only in case is a problem too, because Go would decode it as the
// known field although it was not validated.
func (s *Schema) Problems(text []byte) []*Problem {
	if problem := CheckBounds(text); problem != nil && json.Valid(text) {
		return []*Problem{problem}
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return []*Problem{notJSON.At("", err)}
	}
	if s.untrusted && exceedsWork(s.compiled, value) {
		return []*Problem{tooMuchWork.At("", strconv.Itoa(untrustedWork))}
	}
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(s.compiled.Validate(value), &invalid):
		return sortProblems(s.problems(invalid, value, nil))
	case s.untrusted:
		return nil
	}
	return sortProblems(wrongCase(s.compiled, value, ""))
}

// maxProblems limits how many problems are returned. A text can have very many, and each can quote all names of a schema.
const maxProblems = 50

// sortProblems sorts problems by field and removes duplicates.
func sortProblems(found []*Problem) []*Problem {
	texts := make(map[*Problem]string, len(found))
	for _, p := range found {
		texts[p] = p.Field + "\x00" + p.In("en")
	}
	slices.SortFunc(found, func(a, b *Problem) int { return strings.Compare(texts[a], texts[b]) })
	return slices.CompactFunc(found, func(a, b *Problem) bool { return texts[a] == texts[b] })
}

// wrongCase finds fields whose names differ from known ones only in case. path is the path of value.
func wrongCase(s *jsonschema.Schema, value any, path string) []*Problem {
	s = dereferenced(s)
	var found []*Problem
	switch v := value.(type) {
	case map[string]any:
		for name, inside := range v {
			if property := s.Properties[name]; property != nil {
				found = append(found, wrongCase(property, inside, path+name+".")...)
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
			found = append(found, wrongCase(s.Items2020, v[i], path+strconv.Itoa(i)+".")...)
		}
	}
	return found[:min(len(found), maxProblems)]
}

// problems adds the problems in the validator's tree of errors to found, up to [maxProblems].
func (s *Schema) problems(e *jsonschema.ValidationError, value any, found []*Problem) []*Problem {
	if len(e.Causes) == 0 {
		found = append(found, s.leaf(e, value)...)
		return found[:min(len(found), maxProblems)]
	}
	for _, cause := range e.Causes {
		if len(found) == maxProblems {
			break
		}
		found = s.problems(cause, value, found)
	}
	return found
}

func (s *Schema) leaf(e *jsonschema.ValidationError, value any) []*Problem {
	field := strings.Join(e.InstanceLocation, ".")
	one := func(wrong Wording, values ...any) []*Problem {
		return []*Problem{wrong.At(field, values...).WithValue(valueAt(value, e.InstanceLocation))}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		return problemsOf(k.Missing, field, required)
	case *kind.AdditionalProperties:
		names := s.schemaAt(e.InstanceLocation).propertyNames()
		if len(names) == 0 {
			return problemsOf(k.Properties, field, noneKnown)
		}
		return problemsOf(k.Properties, field, unknown, strings.Join(names, ", "))
	case *kind.Type:
		if examples := s.schemaAt(e.InstanceLocation).compiled.Examples; len(examples) > 0 && !s.untrusted {
			return one(ofTypeAs, typeWordings(k.Want...), jsonText(examples[0]))
		}
		return one(ofType, typeWordings(k.Want...))
	case *kind.Minimum, *kind.Maximum, *kind.ExclusiveMinimum, *kind.ExclusiveMaximum:
		wrong, numbers := limitWording(s.schemaAt(e.InstanceLocation).compiled)
		return one(wrong, numbers...)
	case *kind.Enum:
		return one(OneOf, listed(k.Want))
	case *kind.Const:
		return one(exactly, jsonText(k.Want))
	case *kind.Pattern:
		return one(pattern, k.Want)
	case *kind.MinItems:
		if k.Want == 1 {
			return one(Empty)
		}
		return one(fewItems, k.Want)
	case *kind.MaxItems:
		if k.Want == 0 {
			return one(notEmpty)
		}
		return one(manyItems, k.Want)
	case *kind.MaxProperties:
		if k.Want == 0 {
			return one(notEmpty)
		}
		return one(manyFields, k.Want)
	case *kind.MinLength:
		if k.Want == 1 {
			return one(Empty)
		}
		return one(fewCharacters, k.Want)
	case *kind.MaxLength:
		return one(manyCharacters, k.Want)
	default:
		return one(otherwise, e.ErrorKind.LocalizedString(message.NewPrinter(language.English)))
	}
}

func problemsOf(names []string, parent string, wording Wording, values ...any) []*Problem {
	slices.Sort(names)
	names = names[:min(len(names), maxProblems)]
	found := make([]*Problem, len(names))
	for i, name := range names {
		if parent != "" {
			name = parent + "." + name
		}
		found[i] = wording.At(name, values...)
	}
	return found
}

// schemaAt returns the schema of the value at a path, following references.
func (s *Schema) schemaAt(path []string) *Schema {
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

func (s *Schema) propertyNames() []string {
	return slices.Sorted(maps.Keys(s.compiled.Properties))
}

func valueAt(value any, path []string) any {
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
