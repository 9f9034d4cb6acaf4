package render

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
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
	for _, tool := range tools.All() {
		layout, known := layouts()[tool.Name]
		if !known {
			t.Errorf("%s has no layout", tool.Name)
			continue
		}
		var result schema
		if err := json.Unmarshal(tool.Result, &result); err != nil {
			t.Fatal(err)
		}
		shown, present := layout.kinds(), map[string]bool{}
		result.eachLeaf("", func(path string, leaf schema) {
			present[path] = true
			kind, placed := shown[path]
			switch {
			case !placed && !slices.Contains(layout.Hidden, path):
				t.Errorf("%s: %s (%s) is neither shown nor hidden: %s", tool.Name, path, leaf.Type, leaf.Description)
			case placed && !kindMatches(kind, leaf):
				t.Errorf("%s: %s is shown as kind %d, but it is a %s: %s", tool.Name, path, kind, leaf.Type, leaf.Description)
			}
		})
		for path := range shown {
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

// kinds returns the kinds of the fields that the layout shows, by path without indexes.
func (l Layout) kinds() map[string]Kind {
	fields := map[string]Kind{}
	for _, column := range l.Figures {
		column.kinds("", fields)
	}
	for _, section := range l.Sections {
		section.kinds("", fields)
	}
	return fields
}

func (s Section) kinds(parent string, into map[string]Kind) {
	path := parent + s.Field + "."
	for _, column := range s.Columns {
		column.kinds(path, into)
	}
	if s.Lines != nil {
		s.Lines.kinds(path, into)
	}
}

func (c Column) kinds(parent string, into map[string]Kind) {
	if c.Parts == nil {
		into[parent+c.Field] = c.Kind
	}
	for _, part := range c.Parts {
		part.kinds(parent+c.Field+".", into)
	}
}

// kindMatches reports whether a field of this kind may have this schema.
func kindMatches(kind Kind, leaf schema) bool {
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

// Labels must state the exact bounds: stock that lasts exactly the given time is not listed, revenue excludes returns,
// and days of sales end before today.
func TestLabelsStateExactBounds(t *testing.T) {
	for tool, want := range map[string]string{
		"slow_movers":    "- Запаса хватит больше чем на дней: 180\n",
		"margin":         "- Чистая выручка (за вычетом возвратов): 10,00\u00a0₽\n",
		"reorder_points": "- Продажи до сегодняшнего дня, дней: 90\n",
	} {
		body := `{"currency":"RUB","result":{"min_cover_days":180,"window_days":90,"totals":{"revenue":10},"rows":[]}}`
		if got, err := FromJSONWithoutCommands("ru", tool, []byte(body)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, no %q in\n%s", tool, err, want, got)
		}
	}
}

// A channel has no code, so the table must not show its code as "unknown".
func TestChannelsHaveNoCode(t *testing.T) {
	got, err := FromJSONWithoutCommands("ru", "margin", []byte(`{"currency":"RUB","result":{"rows":[{"name":"Ozon","code":"","kind":"channel"},{"name":"Чай","code":"1","kind":"product"}]}}`))
	if err != nil || !strings.Contains(got, "| Ozon | — |") {
		t.Errorf("%v\n%s", err, got)
	}
}
