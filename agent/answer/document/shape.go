package document

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// shape is the part of a JSON Schema that describes a value. A nil part allows everything.
type shape struct{ part, root any }

func newShape(schema json.RawMessage) shape {
	var root any
	_ = json.Unmarshal(schema, &root) // a schema that is not JSON allows everything
	return shape{root, root}
}

func (s shape) has(key string) any {
	members, _ := s.part.(map[string]any)
	return members[key]
}

// branches returns the shape and the shapes to which its $ref, anyOf, oneOf and allOf lead, up to a limit that
// hand-written schemas do not reach.
func (s shape) branches() []shape {
	const most = 64
	all := []shape{s}
	for i := 0; i < len(all) && len(all) < most; i++ {
		if path, local := strings.CutPrefix(asText(all[i].has("$ref")), "#"); local {
			all = append(all, shape{pointed(s.root, path), s.root})
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf"} {
			parts, _ := all[i].has(key).([]any)
			for _, part := range parts {
				all = append(all, shape{part, s.root})
			}
		}
	}
	return all
}

func asText(value any) string {
	text, _ := value.(string)
	return text
}

// pointed returns the part of a schema to which a JSON Pointer leads.
func pointed(part any, path string) any {
	for _, name := range strings.Split(path, "/")[1:] {
		part = shape{part: part}.has(strings.NewReplacer("~1", "/", "~0", "~").Replace(name))
	}
	return part
}

// inside returns the shape under a key, such as "items", or under a name in that key, such as a property. It comes from
// the first branch that has it.
func (s shape) inside(key, name string) shape {
	for _, b := range s.branches() {
		part := b.has(key)
		if name != "" {
			part = shape{part: part}.has(name)
		}
		if _, is := part.(map[string]any); is {
			return shape{part, s.root}
		}
	}
	return shape{}
}

func (s shape) item() shape { return s.inside("items", "") }

func (s shape) property(name string) shape {
	if property := s.inside("properties", name); property.part != nil {
		return property
	}
	return s.inside("additionalProperties", "")
}

// all returns what the schema says under some keys, in all branches. Lists of types and constants are returned by their members.
func (s shape) all(keys ...string) (values []any) {
	for _, b := range s.branches() {
		for _, key := range keys {
			switch v := b.has(key).(type) {
			case nil:
			case []any:
				if key != "const" { // a constant can be a list itself
					values = append(values, v...)
				}
			default:
				values = append(values, v)
			}
		}
	}
	return values
}

// wants reports whether the schema lists a type for a value.
func (s shape) wants(name string) bool { return slices.Contains(s.all("type"), any(name)) }

// lists reports whether the schema lists a number among its constants.
func (s shape) lists(number decimal.Decimal) bool {
	return slices.ContainsFunc(s.all("const", "enum"), func(constant any) bool {
		n, isNumber := constant.(float64)
		return isNumber && number.Equal(decimal.NewFromFloat(n))
	})
}

// isBounded reports whether the schema allows only numbers from 0 to 1.
func (s shape) isBounded() bool {
	return s.limits(0, "minimum", "exclusiveMinimum") && s.limits(1, "maximum", "exclusiveMaximum")
}

// limits reports whether the schema has numbers under some keys, and all of them are the given one.
func (s shape) limits(to float64, keys ...string) bool {
	limits := slices.DeleteFunc(s.all(keys...), func(v any) bool { _, is := v.(float64); return !is })
	return len(limits) > 0 && !slices.ContainsFunc(limits, func(v any) bool { return v != any(to) })
}

func (s shape) wantsNumber() bool {
	return (s.wants("number") || s.wants("integer")) && !s.wants("string")
}

// isOpen reports whether the schema says nothing about the type of a value.
func (s shape) isOpen() bool {
	return !slices.ContainsFunc(s.branches(), func(b shape) bool {
		return b.has("type") != nil || b.has("enum") != nil || b.has("const") != nil
	})
}

func (s shape) wantsWhole() bool { return s.wants("integer") && !s.wants("number") }
