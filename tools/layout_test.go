package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

// schema has the keywords of JSON Schema that results use.
type schema struct {
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Items       *schema           `json:"items"`
	OneOf       []schema          `json:"oneOf"`
}

// eachLeaf calls visit for each field that is neither an object nor a list of objects. path has no indexes.
func (s schema) eachLeaf(path string, visit func(path string, leaf schema)) {
	for _, one := range s.OneOf {
		if one.Type != "null" {
			one.eachLeaf(path, visit)
			return
		}
	}
	switch {
	case len(s.Properties) > 0:
		for name, property := range s.Properties {
			property.eachLeaf(strings.TrimPrefix(path+"."+name, "."), visit)
		}
	case s.Items != nil:
		s.Items.eachLeaf(path, visit)
	default:
		visit(path, s)
	}
}

func TestEveryResultFieldIsShownOrHidden(t *testing.T) {
	for _, tool := range All() {
		layout, known := LayoutOf(tool.Name)
		if !known {
			t.Errorf("%s has no layout", tool.Name)
			continue
		}
		var result schema
		must(t, json.Unmarshal(tool.Result, &result))
		shown, present := layout.kinds(), map[string]bool{}
		result.eachLeaf("", func(path string, leaf schema) {
			present[path] = true
			kind, placed := shown[path]
			switch {
			case !placed && !slices.Contains(layout.Hidden, path):
				t.Errorf("%s: %s (%s) is neither shown nor hidden: %s", tool.Name, path, leaf.Type, leaf.Description)
			case placed && !kindMatches(kind, leaf):
				t.Errorf("%s: %s is shown as %s, but it is a %s: %s", tool.Name, path, kind, leaf.Type, leaf.Description)
			}
		})
		for _, path := range slices.Concat(slices.Collect(maps.Keys(shown)), layout.Hidden) {
			if !present[path] {
				t.Errorf("%s: the layout shows or hides %s, which the result does not have", tool.Name, path)
			}
		}
	}
}

// kinds returns the kinds of the fields that the layout shows, by path without indexes.
func (l Layout) kinds() map[string]FieldKind {
	fields := map[string]FieldKind{}
	add := func(columns []Column) {
		for _, column := range columns {
			column.kinds(fields)
		}
	}
	add(l.Figures)
	for _, table := range l.Tables {
		for list := &table; list != nil; list = list.Lines {
			add(list.Columns)
		}
	}
	return fields
}

func (f *Field) kinds(into map[string]FieldKind) {
	if f.Fields == nil {
		into[f.Path] = f.Kind
	}
	for i := range f.Fields {
		f.Fields[i].kinds(into)
	}
}

// kindMatches reports whether a field of this kind may have this schema.
func kindMatches(kind FieldKind, leaf schema) bool {
	switch leaf.Type {
	case "string":
		return !kind.IsNumber() && kind != KindFlag
	case "boolean":
		return kind == KindFlag
	case "integer":
		return kind == KindCount || kind == KindDays
	}
	return kind.IsNumber() && kind != KindCount
}
