package answer

import (
	"slices"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// choose decides to which row a number belongs if several rows have it. If the text names some of these rows, it is
// one of those. Otherwise, if the text has a word of some of their names, only the rows with these names count. If at
// most mostRowsNamed rows are left, the number belongs to all of them, and all their names are written. If more are
// left, the number may be a coincidence: it fails if the text names another row, and passes if it has a unit or the
// text has a word of one of the names.
func (w *Writer) choose(
	found []reference.Value, bare, roundPercent bool, zoneText, ahead string,
) (evidence.Verdict, []reference.Value) {
	near := w.near(zoneText, ahead)
	words := plain.WordTexts(near)
	var mentioned, called []reference.Value
	for _, v := range found {
		if w.namesRow(v.Origins[0], near, words) {
			called = append(called, v)
		}
		if newLabel(v.Origins[0].RowName).Count(words) > 0 {
			mentioned = append(mentioned, v)
		}
	}
	if len(called) > 0 {
		return evidence.IsValue, []reference.Value{distinguished(called, plain.Text(w.sentence.String())+" "+zoneText, near)}
	}
	all := len(found)
	if len(mentioned) > 0 {
		found = mentioned
	}
	one := found[0]
	for _, v := range found[1:] {
		one.Origins = append(one.Origins, v.Origins[0])
	}
	one.Origins = one.Rows()
	switch {
	case len(mentioned) == 0 && roundPercent: // "over 44%" is a threshold, and a row has it by chance
		return evidence.Passes, nil
	case len(one.Origins) <= mostRowsNamed:
		return evidence.IsValue, []reference.Value{one}
	case all >= reference.MostFound, one.Rat().Sign() == 0:
		return evidence.Passes, nil
	case slices.ContainsFunc(found, func(v reference.Value) bool { return len(w.namesAround(v.Origins[0]).wholeIn(near, "")) > 0 }):
		return evidence.Fails, nil
	case !bare, len(mentioned) > 0:
		return evidence.Passes, nil
	}
	return evidence.Fails, nil
}

// distinguished returns the value whose row is distinguished by a text from other rows of the same name. The texts
// are tried in order.
func distinguished(called []reference.Value, texts ...string) reference.Value {
	for _, text := range texts {
		words := plain.WordTexts(text)
		for _, v := range called {
			if apart := v.Origins[0].RowDistinction; apart == "" || newLabel(apart).Stands(words) {
				return v
			}
		}
	}
	return called[0]
}

// likeliest chooses among the values that equal a number: it returns the one whose label best matches the words before
// the number.
func (w *Writer) likeliest(found []reference.Value) reference.Value {
	best := found[0]
	if len(found) == 1 {
		return best
	}
	sentence := w.sentence.String()
	if n := len(w.sentence.figures); n > 0 {
		sentence = sentence[w.sentence.figures[n-1].to:]
	}
	words := plain.WordTexts(plain.Text(sentence))
	for _, v := range found[1:] {
		is, was := newLabel(v.Label(w.config.Lang)), newLabel(best.Label(w.config.Lang))
		if is.In(words).Over(was.In(words)) {
			best = v
		}
	}
	return best
}

// near returns the plain text around a number: the text before it in the answer, its zone and the next word; in a
// table, its line.
func (w *Writer) near(zoneText, ahead string) string {
	if w.row != nil {
		line := w.row.line
		for _, p := range w.row.parts {
			line += " " + p.text
		}
		return plain.Text(line)
	}
	return w.tail.plain() + " " + zoneText + " " + plain.Text(ahead)
}
