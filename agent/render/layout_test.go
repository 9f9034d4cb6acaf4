package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// schema is as much of JSON Schema as results use.
type schema struct {
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	OneOf       []schema          `json:"oneOf"`
}

// leaves calls found for every field that is no object or list of objects, by its path without list indexes.
func (s schema) leaves(path string, found func(path string, leaf schema)) {
	for _, one := range s.OneOf {
		if one.Type != "null" {
			one.leaves(path, found)
			return
		}
	}
	switch {
	case len(s.Properties) > 0:
		for name, property := range s.Properties {
			property.leaves(strings.TrimPrefix(path+"."+name, "."), found)
		}
	case s.Items != nil:
		s.Items.leaves(path, found)
	default:
		found(path, s)
	}
}

func TestEveryFieldOfEveryResultIsShownOrHiddenOnPurpose(t *testing.T) {
	for _, tool := range tools.All() {
		layout, known := layouts[tool.Name]
		if !known {
			t.Errorf("%s has no layout", tool.Name)
			continue
		}
		var result schema
		if err := json.Unmarshal(tool.Result, &result); err != nil {
			t.Fatal(err)
		}
		present := map[string]bool{}
		result.leaves("", func(path string, leaf schema) {
			present[path] = true
			kind, placed := KindOf(tool.Name, path)
			switch {
			case !placed && !slices.Contains(layout.Hidden, path):
				t.Errorf("%s: %s (%s) is neither shown nor hidden: %s", tool.Name, path, leaf.Type, leaf.Description)
			case placed && !fits(kind, leaf):
				t.Errorf("%s: %s is shown as kind %d, but it is a %s: %s", tool.Name, path, kind, leaf.Type, leaf.Description)
			}
		})
		for path := range kinds[tool.Name] {
			if !present[path] {
				t.Errorf("%s: the layout shows %s, which the result does not have", tool.Name, path)
			}
		}
		for _, path := range layout.Hidden {
			if !present[path] {
				t.Errorf("%s: the layout hides %s, which the result does not have", tool.Name, path)
			}
		}
	}
}

// fits reports whether a field may be of a kind, by what tools say of their figures.
func fits(kind Kind, leaf schema) bool {
	switch leaf.Type {
	case "string":
		return kind == Text || kind == Date
	case "boolean":
		return kind == Flag
	case "integer":
		return kind == Count || kind == Days
	}
	switch kind {
	case Money, Percent, Units, Days, Number:
		return true
	}
	return false
}
