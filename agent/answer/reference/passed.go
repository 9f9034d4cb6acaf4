package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// mostPassedNamed is how many rows that are passed over have their names written.
const mostPassedNamed = 3

// PassedOver is the rows that a ranking, a least or a greatest value says nothing about, since their own is unknown.
type PassedOver struct {
	field *tools.Field // whose value is unknown; nil of a computed one
	rows  []string     // their names
}

// passedOver notes the rows whose values are unknown.
func (e *evaluation) passedOver(s *selection, values []Value) {
	var over PassedOver
	for i, v := range values {
		if v.Null && s != nil {
			name, _ := s.rows[i].called()
			over.field, over.rows = v.field, append(over.rows, name)
		}
	}
	if len(over.rows) > 0 && !slices.ContainsFunc(e.passed, over.Equal) {
		e.passed = append(e.passed, over)
	}
}

func (o PassedOver) Equal(other PassedOver) bool {
	return o.field == other.field && slices.Equal(o.rows, other.rows)
}

// Missing says which texts of a value's conditions no row has; empty if there are none.
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

// Write says which rows, or how many: "не в сравнении: Копыта — нет данных".
func (o PassedOver) Write(lang string) string {
	rows := fmt.Sprintf(bilingual.Text{RU: "ещё %d", EN: "%d more"}.In(lang), len(o.rows))
	if len(o.rows) <= mostPassedNamed && !slices.Contains(o.rows, "") {
		rows = render.Inline(strings.Join(o.rows, ", "))
	}
	why := Value{field: o.field, Null: true}.missing(lang)
	return fmt.Sprintf(bilingual.Text{RU: "не в сравнении: %s — %s", EN: "not compared: %s, %s"}.In(lang), rows, why)
}
