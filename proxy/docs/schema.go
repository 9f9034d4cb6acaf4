package docs

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// schema is the part of a JSON Schema that the page shows.
type schema struct {
	Ref                  string `json:"$ref"`
	Type                 any
	Description          string
	Enum                 []any
	Const                any
	Default              any
	Examples             []any
	Format, Pattern      string
	Minimum, Maximum     json.Number
	MinLength, MaxLength json.Number
	MinItems, MaxItems   json.Number
	Properties           map[string]*schema
	Required             []string
	Items                *schema
	OneOf, AnyOf, AllOf  []*schema
}

// UnmarshalJSON reads a boolean schema as an empty one.
func (s *schema) UnmarshalJSON(text []byte) error {
	if string(text) == "true" || string(text) == "false" {
		return nil
	}
	type plain schema
	return json.Unmarshal(text, (*plain)(s))
}

// RefName returns the name of the schema that this one refers to, or "".
func (s *schema) RefName() string {
	if s.Ref == "" {
		return ""
	}
	return refName(s.Ref)
}

// Kind describes the type in words.
func (s *schema) Kind() string {
	switch t := s.Type.(type) {
	case string:
		return t
	case []any:
		var words []string
		for _, one := range t {
			words = append(words, fmt.Sprint(one))
		}
		return strings.Join(words, " or ")
	}
	switch {
	case s.Const != nil:
		return jsonText(s.Const)
	case len(s.Enum) > 0:
		return "one of"
	case len(s.Alternatives()) > 0:
		return ""
	}
	return "anything"
}

// Alternatives returns the schemas of oneOf, anyOf and allOf.
func (s *schema) Alternatives() []*schema { return slices.Concat(s.OneOf, s.AnyOf, s.AllOf) }

// Conjunction returns the word between alternatives.
func (s *schema) Conjunction() string {
	if len(s.AllOf) > 0 {
		return "and"
	}
	return "or"
}

// Bounds describes the allowed values and the default in words.
func (s *schema) Bounds() string {
	var words []string
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, jsonText(v))
		}
		words = append(words, strings.Join(values, ", "))
	}
	for _, b := range []struct {
		least, most json.Number
		of          string
	}{{s.Minimum, s.Maximum, ""}, {s.MinLength, s.MaxLength, " characters"}, {s.MinItems, s.MaxItems, " items"}} {
		switch {
		case b.least != "" && b.most != "":
			words = append(words, string(b.least)+" to "+string(b.most)+b.of)
		case b.least != "":
			words = append(words, "at least "+string(b.least)+b.of)
		case b.most != "":
			words = append(words, "at most "+string(b.most)+b.of)
		}
	}
	if s.Format != "" {
		words = append(words, s.Format)
	}
	if s.Pattern != "" {
		words = append(words, "as "+s.Pattern)
	}
	if s.Default != nil {
		words = append(words, "default "+jsonText(s.Default))
	}
	if len(s.Examples) > 0 {
		words = append(words, "such as "+jsonText(s.Examples[0]))
	}
	return strings.Join(words, "; ")
}

func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// field is a property, or a schema of the document.
type field struct {
	Name     string
	Required bool
	Schema   *schema
}

// Fields returns the properties, required ones first.
func (s *schema) Fields() []field {
	all := sortedFields(s.Properties)
	for i := range all {
		all[i].Required = slices.Contains(s.Required, all[i].Name)
	}
	slices.SortStableFunc(all, func(a, b field) int {
		switch {
		case a.Required == b.Required:
			return 0
		case a.Required:
			return -1
		}
		return 1
	})
	return all
}

func sortedFields(schemas map[string]*schema) []field {
	var all []field
	for _, name := range slices.Sorted(maps.Keys(schemas)) {
		all = append(all, field{Name: name, Schema: schemas[name]})
	}
	return all
}
