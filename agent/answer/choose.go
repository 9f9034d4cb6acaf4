package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/tools"
)

// chooseRow decides to which row a number belongs if several rows have it, or whether it is a threshold. It belongs to a row that the
// text names. Otherwise the rows may have it by chance: it passes if it is a round percentage or has a unit, unless the text names
// another row, and fails without a unit or with one of weight, because most goods are counted in pieces.
func (w *Writer) chooseRow(
	z *zone, f literal.Figure, verdict evidence.Verdict, found []reference.Value,
) (evidence.Verdict, []reference.Value) {
	round := f.Unit.Is == tools.KindPercent && len(strings.Trim(z.plain.Text[f.From:f.To], "0., ")) <= 2
	if verdict != evidence.OfRows && (verdict != evidence.IsValue || !round) {
		return verdict, found
	}
	near := w.near(z.plain.Text, z.Ahead)
	words := plain.WordTexts(near)
	var called []reference.Value
	for _, v := range found {
		if w.namesRow(v.Origins[0], near, words) {
			called = append(called, v)
		}
	}
	isOther := func(v reference.Value) bool { return len(w.namesAround(v.Origins[0]).wholeIn(near, "")) > 0 }
	switch {
	case len(called) > 0:
		return evidence.IsValue, []reference.Value{distinguished(called, plain.WordTexts(plain.Text(w.sentenceText())+" "+z.plain.Text))}
	case round, !f.Bare() && !f.Literal(z.plain.Text).Amount && !slices.ContainsFunc(found, isOther):
		return evidence.Passes, nil
	}
	return evidence.Fails, nil
}

// distinguished returns the value whose row is distinguished by words from other rows of the same name.
func distinguished(called []reference.Value, words []string) reference.Value {
	for _, v := range called {
		if apart := v.Origins[0].RowDistinction; apart != "" && newLabel(apart).stands(words) {
			return v
		}
	}
	return called[0]
}

// near returns the plain text around a number: the text before it in the answer, its zone and the next word; in a
// table, its line.
func (w *Writer) near(zoneText, ahead string) string {
	if w.row != nil {
		return plain.Text(w.row.line + " " + w.row.text.String())
	}
	return plain.Text(last(w.page.text.String(), recentLength)) + " " + zoneText + " " + plain.Text(ahead)
}
