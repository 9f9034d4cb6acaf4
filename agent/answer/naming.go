package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/agent/render"
)

// unnamedRow returns the name of a figure's row, and what distinguishes it from rows of the same name, as far as a text lacks them.
func (w *Writer) unnamedRow(v reference.Value, text string) (names []string) {
	row, is := v.Row()
	if !is {
		return nil
	}
	words := plain.WordTexts(text)
	if !w.namesRow(row, text, words) {
		names = append(names, render.Inline(shortNumber(row.Named(w.config.Lang))))
		if row.RowOwner != "" && !w.hasName(row.RowOwner, text, words) {
			names = append(names, render.Inline(row.RowOwner))
		}
	}
	if row.RowDistinction == "" || w.config.Book.Alike(row) || w.tellsApart(row, words) {
		return names
	}
	if w.row == nil && w.tellsApart(row, plain.WordTexts(plain.Text(ending(w.page.text.String())))) {
		return names
	}
	return append(names, render.Inline(row.RowDistinction))
}

// shortNumber returns the last digits of a long number, such as that of a bank account, and other names unchanged.
func shortNumber(name string) string {
	const long, shown = 12, 4
	if len(name) > long && strings.Trim(name, "0123456789") == "" {
		return "…" + name[len(name)-shown:]
	}
	return name
}

// hasName reports whether a text has a name, perhaps in another form.
func (w *Writer) hasName(name, text string, words []string) bool {
	return plain.Contains(w.inScope(), plainName(name)) || plain.Contains(text, plainName(name)) || newLabel(name).called(words)
}

// namesRow reports whether a text names a row: by its name, its code, a part of its name that no other row has, or
// another name of the row that determines the figure. If the text names no row of the list, the row that the answer
// named last counts, then the only one that the user asked about.
func (w *Writer) namesRow(row reference.Origin, text string, words []string) bool {
	list := w.namesAround(row)
	if reference.IsCurrency(row.RowName) || row.RowFixed || len(list.all) == 1 {
		return true
	}
	if month, is := row.Month(); is {
		return literal.NamesMonth(text, month)
	}
	code := plainName(row.RowCode)
	is := func(name string) bool { return name != "" && (name == plainName(row.RowName) || name == code) }
	switch named := list.mentioned(text, code); {
	case slices.ContainsFunc(named, is), list.mean(row.RowName, words):
		return true
	case len(named) > 0, w.row != nil:
		return false
	}
	for name, others := range w.config.Book.Determining(row) {
		if w.hasName(name, text, words) || newNames(others).mean(name, words) {
			return true
		}
	}
	if earlier := list.mentioned(plain.Text(ending(w.page.text.String())), code); len(earlier) > 0 {
		return is(earlier[len(earlier)-1])
	}
	asked := w.askedAbout(list, code)
	return len(asked) == 1 && is(asked[0])
}

// askedAbout returns the names of a list in the newest message of the user that has any.
func (w *Writer) askedAbout(list *names, code string) []string {
	const most = 4 // messages
	for _, message := range slices.Backward(w.config.Said[max(0, len(w.config.Said)-most):]) {
		if asked := list.mentioned(plain.Text(ending(message)), code); len(asked) > 0 {
			return asked
		}
	}
	return nil
}

// tellsApart reports whether words distinguish a row from others of the same name.
func (w *Writer) tellsApart(row reference.Origin, words []string) bool {
	labels := distinct(w.config.Book.Distinctions(row))
	l := labels[row.RowDistinction]
	return l.called(words) || len(l.stems) == 0 && newLabel(row.RowDistinction).stands(words)
}

// ending returns the end of a text, which is searched for names of rows.
func ending(text string) string { return last(text, 1<<10) }
