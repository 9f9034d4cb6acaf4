package reference

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// mostPassedNamed limits the skipped rows whose names are written.
const mostPassedNamed = 3

// PassedOver has the rows that a ranking, a minimum or a maximum skipped, because their values are unknown.
type PassedOver struct {
	field *tools.Field // the field that is unknown; nil for a computed value
	rows  []string     // names of the rows
	of    int          // the number of rows that were compared
	items tools.Items  // the noun for them
}

// passedOver records the rows of s whose values are unknown.
func (e *evaluation) passedOver(s *selection, values []Value) {
	over := PassedOver{of: len(values)}
	for i, v := range values {
		if v.Null && s != nil {
			name, _ := s.rows[i].called()
			over.field, over.rows, over.items = v.field, append(over.rows, name), s.field.Items
		}
	}
	if len(over.rows) > 0 && !slices.ContainsFunc(e.Passed, over.Equal) {
		e.Passed = append(e.Passed, over)
	}
}

func (o PassedOver) Equal(other PassedOver) bool {
	return o.field == other.field && o.of == other.of && slices.Equal(o.rows, other.rows)
}

// Missing says which texts in the value's conditions no row has; "" if there are none.
func (v Value) Missing(lang string) string {
	if len(v.Missed) == 0 {
		return ""
	}
	var texts []string
	for _, text := range v.Missed {
		texts = append(texts, Quoted(lang, oneLine(text, shownText)))
	}
	return bilingual.Text{RU: "ни в одной строке нет ", EN: "no row has "}.In(lang) + strings.Join(texts, ", ")
}

// Write says what is unknown, and in which rows: "прибыль неизвестна: Копыта". If there are many rows, it says how many of
// them: "profit is unknown for 8 of 113 products".
func (o PassedOver) Write(lang string) string {
	if len(o.rows) > mostPassedNamed || slices.Contains(o.rows, "") {
		text := fmt.Sprintf(bilingual.Text{RU: "%s у %d из %d", EN: "%s for %d of %d"}.In(lang), o.unknown(lang), len(o.rows), o.of)
		switch isOne := o.of%10 == 1 && o.of%100 != 11; {
		case lang != "ru":
			return text + " " + cmp.Or(o.items.EN, "rows")
		case isOne: // the noun would be in the singular: из 41 товара
			return text
		}
		return text + " " + cmp.Or(o.items.Genitive, "строк")
	}
	names := slices.Clone(o.rows)
	slices.Sort(names)
	return o.unknown(lang) + ": " + render.Inline(strings.Join(slices.Compact(names), ", "))
}

func (o PassedOver) unknown(lang string) string {
	if o.field == nil {
		return bilingual.Text{RU: "неизвестно", EN: "unknown"}.In(lang)
	}
	return known(bilingual.Small(o.field.Label.In(lang)), o.field, false, lang)
}
