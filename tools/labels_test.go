package tools

import (
	"slices"
	"strings"
	"testing"
)

// For each label of a row, the declarations must list its first word either with a gender, or as not a noun.
func TestLabelsOfRowsHaveAGender(t *testing.T) {
	for _, tool := range All() {
		empty, err := tool.Decode([]byte(`{}`))
		must(t, err)
		FieldsOf(tool.Name, empty).walk(func(f *Field) {
			inRow := strings.Contains(f.Path, ".") && !strings.HasPrefix(f.Path, "totals.") && f.Kind != KindObject && f.Kind != KindID
			if inRow && f.Label.RU != f.Name && GenderOf(f.Label.RU) == "" && !IsPhrase(f.Label.RU) {
				t.Errorf("%s: the first word of %q is in neither genders nor phrases", tool.Name, f.Label.RU)
			}
		})
	}
	for word := range genders() {
		if slices.Contains(strings.Fields(declared()[shared].Phrases), word) {
			t.Errorf("%q is in genders and in phrases", word)
		}
	}
}
