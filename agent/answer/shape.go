package answer

import (
	"encoding/json"
	"slices"
	"strings"
)

// shape is a part of a JSON Schema, as far as it says what type a value has. A nil shape says nothing.
type shape struct {
	Type                 any                        `json:"type"`
	Properties           map[string]json.RawMessage `json:"properties"`
	AdditionalProperties json.RawMessage            `json:"additionalProperties"`
	Items                json.RawMessage            `json:"items"`
	Ref                  string                     `json:"$ref"`
	AnyOf                []json.RawMessage          `json:"anyOf"`
	OneOf                []json.RawMessage          `json:"oneOf"`
	AllOf                []json.RawMessage          `json:"allOf"`

	root json.RawMessage
}

func newShape(schema json.RawMessage) *shape { return shapeOf(schema, schema, 0) }

// shapeOf reads a part of the schema root.
func shapeOf(part, root json.RawMessage, depth int) *shape {
	const deepest = 16
	s := shape{root: root}
	if len(part) == 0 || depth > deepest || json.Unmarshal(part, &s) != nil {
		return nil
	}
	if path, local := strings.CutPrefix(s.Ref, "#"); local && s.Ref != "" {
		return shapeOf(pointed(root, path), root, depth+1)
	}
	return &s
}

// pointed is the part of a schema that a JSON Pointer names.
func pointed(part json.RawMessage, path string) json.RawMessage {
	for _, name := range strings.Split(strings.TrimPrefix(path, "/"), "/") {
		var members map[string]json.RawMessage
		if path == "" || json.Unmarshal(part, &members) != nil {
			break
		}
		part = members[strings.NewReplacer("~1", "/", "~0", "~").Replace(name)]
	}
	return part
}

// branches are the shape and the others that it is made of.
func (s *shape) branches() []*shape {
	if s == nil {
		return nil
	}
	all := []*shape{s}
	for _, part := range slices.Concat(s.AnyOf, s.OneOf, s.AllOf) {
		if branch := shapeOf(part, s.root, 1); branch != nil {
			all = append(all, branch)
		}
	}
	return all
}

func (s *shape) item() *shape {
	for _, b := range s.branches() {
		if inner := shapeOf(b.Items, b.root, 0); inner != nil {
			return inner
		}
	}
	return nil
}

func (s *shape) property(name string) *shape {
	for _, b := range s.branches() {
		if inner := shapeOf(b.Properties[name], b.root, 0); inner != nil {
			return inner
		}
	}
	for _, b := range s.branches() {
		if inner := shapeOf(b.AdditionalProperties, b.root, 0); inner != nil {
			return inner
		}
	}
	return nil
}

// wants reports whether a value may have a type.
func (s *shape) wants(name string) bool {
	return slices.ContainsFunc(s.branches(), func(b *shape) bool {
		if many, ok := b.Type.([]any); ok {
			return slices.Contains(many, any(name))
		}
		return b.Type == name
	})
}

func (s *shape) wantsNumber() bool {
	return (s.wants("number") || s.wants("integer")) && !s.wants("string")
}

func (s *shape) wantsWhole() bool { return s.wants("integer") && !s.wants("number") }
