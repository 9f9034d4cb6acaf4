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

// ArgumentError lists all problems with the arguments of a call. The call has read and written nothing.
type ArgumentError struct{ Problems []*check.Problem }

func (e *ArgumentError) Error() string {
	return strings.Join(convert(e.Problems, (*check.Problem).Error), "; ")
}

// Candidates returns the names to choose from, for arguments that matched no name or more than one.
func (e *ArgumentError) Candidates() (names []string) {
	for _, p := range e.Problems {
		names = append(names, p.Choices()...)
	}
	return names
}

// Names returns all names of the account that the problems mention, including candidates.
func (e *ArgumentError) Names() []string {
	names := e.Candidates()
	for _, p := range e.Problems {
		names = append(names, p.Wrong.Names()...)
	}
	return names
}

// NewArgumentError returns an error with the given problems.
func NewArgumentError(problems ...*check.Problem) *ArgumentError { return &ArgumentError{problems} }

// Check adds the problem if ok is false.
func (e *ArgumentError) Check(ok bool, p *check.Problem) {
	if !ok {
		e.Problems = append(e.Problems, p)
	}
}

// OrNil returns nil when there are no problems.
func (e *ArgumentError) OrNil() error {
	if len(e.Problems) == 0 {
		return nil
	}
	return e
}

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

func argumentError(problems []*check.Problem) *ArgumentError {
	for i := range problems {
		problems[i].Field = cmp.Or(problems[i].Field, "arguments")
	}
	return NewArgumentError(problems...)
}

// toJSON encodes a decoded JSON value or a default from a schema. It panics if the value is not valid JSON.
func toJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(fmt.Sprintf("encode an argument: %v", err))
	}
	return text
}
