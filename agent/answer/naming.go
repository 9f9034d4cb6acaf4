package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/agent/render"
)

// mostRowsNamed limits the rows that are named for a number of the model's own. If more rows have the number, it
// belongs to none of them.
const mostRowsNamed = 3

// unnamedRows returns the names of a figure's rows, and what distinguishes them from rows of the same name, as far as
// a text lacks them. A value computed from several rows belongs to none of them.
func (w *Writer) unnamedRows(f sentenceFigure, text string) (names []string) {
	if len(f.rows) > mostRowsNamed || len(f.rows) > 1 && !f.digits {
		return nil
	}
	words := plain.WordTexts(text)
	for _, row := range f.rows {
		if !w.namesRow(row, text, words) {
			names = append(names, render.Inline(shortNumber(row.Named(w.config.Lang))))
			if row.RowOwner != "" && !w.hasName(row.RowOwner, text, words) {
				names = append(names, render.Inline(row.RowOwner))
			}
		}
		if row.RowDistinction != "" && !w.tellsApart(row, words) && (w.row != nil || !w.tellsApart(row, plain.WordTexts(w.soFar()))) {
			names = append(names, render.Inline(row.RowDistinction))
		}
	}
	return names
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
	return w.scope.has(w.scope.plainName(name), text) || w.label(name).Called(words)
}

// namesRow reports whether a text names a row: by its name, its code, a part of its name that no other row has, or
// another name of the row that determines the figure. If the text names no row of the list, the row that the answer
// named last counts, then the only one that the user asked about.
func (w *Writer) namesRow(row reference.Origin, text string, words []string) bool {
	if reference.IsCurrency(row.RowName) || row.RowFixed || len(w.neighbours(row)) == 1 || w.scope.named[w.scope.plainName(row.RowName)] {
		return true
	}
	if month, is := row.Month(); is {
		return literal.NamesMonth(text, month)
	}
	is := func(name string) bool {
		return name != "" && (name == w.scope.plainName(row.RowName) || name == w.scope.plainName(row.RowCode))
	}
	switch named := w.rowsIn(text, row); {
	case slices.ContainsFunc(named, is), w.calls(row, words):
		return true
	case len(named) > 0, w.row != nil:
		return false
	}
	for name, others := range w.config.Book.Determining(row) {
		if w.hasName(name, text, words) || w.means(name, others, words) {
			return true
		}
	}
	if earlier := w.rowsIn(w.soFar(), row); len(earlier) > 0 {
		return is(earlier[len(earlier)-1])
	}
	asked := w.askedAbout(row)
	return len(asked) == 1 && is(asked[0])
}

// askedAbout returns the rows of a list that the newest message of the user names, of those that name any.
func (w *Writer) askedAbout(row reference.Origin) []string {
	const most = 4 // messages
	for _, message := range slices.Backward(w.config.Said[max(0, len(w.config.Said)-most):]) {
		if asked := w.rowsIn(plain.Text(ending(message)), row); len(asked) > 0 {
			return asked
		}
	}
	return nil
}

// tellsApart reports whether words distinguish a row from others of the same name.
func (w *Writer) tellsApart(row reference.Origin, words []string) bool {
	labels := distinct(w.config.Book.Distinctions(row))
	l := labels[row.RowDistinction]
	return l.Called(words) || l.IsEmpty() && newLabel(row.RowDistinction).Stands(words)
}

// calls reports whether words name a row by a part of its name: they have more words of it than of any other name.
func (w *Writer) calls(row reference.Origin, words []string) bool {
	names := w.neighbours(row)
	return w.means(row.RowName, names, words) || len(names) <= mostCompared && w.abbreviates(row.RowName, words, names)
}

// mostCompared limits the names with which a short name is compared.
const mostCompared = 600

// means reports whether words have more words of a name than of any other name of a list.
func (w *Writer) means(name string, names, words []string) bool {
	if len(names) > mostCompared {
		return false
	}
	count := w.label(name).Count(words)
	return count > 0 && !slices.ContainsFunc(names, func(other string) bool {
		return other != name && w.label(other).Count(words) >= count
	})
}

// abbreviates reports whether words have the first letter of a two-letter name, such as the A of AZ. No other name
// may begin with it.
func (w *Writer) abbreviates(name string, words, names []string) bool {
	if len(name) != 2 {
		return false
	}
	letter := strings.ToLower(name[:1])
	begins := func(other string) bool { return other != name && strings.HasPrefix(strings.ToLower(other), letter) }
	return slices.Contains(words, letter) && !slices.ContainsFunc(names, begins)
}

// label returns the label of a name. It makes each label only once.
func (w *Writer) label(name string) label {
	l, known := w.labelOf[name]
	if !known {
		l = newLabel(name)
		w.labelOf[name] = l
	}
	return l
}

// rowsIn returns the rows of a list that a text names, in the order of the text: by their whole names or codes, or,
// in a short list, by all the long words of the name in any form.
func (w *Writer) rowsIn(text string, row reference.Origin) []string {
	const most = 200
	named := w.namesIn(text, row)
	names := w.neighbours(row)
	if len(named) > 0 || len(names) > most {
		return named
	}
	words, labels := plain.WordTexts(text), w.rowLabels(row, names)
	places := map[string]int{}
	for _, name := range names {
		if l := labels[name]; l.Called(words) || l.IsEmpty() && !w.label(name).IsEmpty() && w.label(name).Stands(words) {
			name = w.scope.plainName(name)
			named, places[name] = append(named, name), slices.IndexFunc(words, l.Has)
		}
	}
	slices.SortStableFunc(named, func(a, b string) int { return places[a] - places[b] })
	return named
}

// rowLabels returns a label for each name of a list, without the words that several names have: "Wildberries" of
// "Склад Wildberries".
func (w *Writer) rowLabels(row reference.Origin, names []string) map[string]label {
	list := row.Report + "." + row.List()
	if w.labels[list] == nil {
		w.labels[list] = distinct(names)
	}
	return w.labels[list]
}

// ending returns the end of a text, which is searched for names of rows.
func ending(text string) string {
	const most = 1 << 10
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

// namesIn returns the names of a list's rows that a plain text has, in the order of the text. A name inside a longer
// one does not count.
func (w *Writer) namesIn(text string, row reference.Origin) (named []string) {
	rows := w.rowNames(reference.Value{Origins: []reference.Origin{row}})
	code, codes := w.scope.plainName(row.RowCode), w.nameCodes(row)
	end := 0
	for _, word := range plain.Words(text) {
		if word.Start < end {
			continue
		}
		longest := longestAt(text, word.Start, append(rows[word.Text], code))
		if longest != "" {
			named, end = append(named, longest), word.Start+len(longest)
		} else if name := codes[word.Text]; name != "" {
			named = append(named, name)
		}
	}
	return named
}

// nameCodes returns the names of a list's rows by words with letters and digits that only one name has: "p-295".
func (w *Writer) nameCodes(row reference.Origin) map[string]string {
	list := row.Report + "." + row.List()
	if codes, known := w.codes[list]; known {
		return codes
	}
	codes := map[string]string{}
	for _, name := range w.neighbours(row) {
		name = w.scope.plainName(name)
		for _, word := range plain.WordTexts(name) {
			if !plain.HasDigit(word) || !strings.ContainsFunc(word, unicode.IsLetter) {
				continue
			}
			if other, known := codes[word]; known && other != name {
				codes[word] = ""
			} else {
				codes[word] = name
			}
		}
	}
	w.codes[list] = codes
	return codes
}

// longestAt returns the longest of the names that begins at a position.
func longestAt(text string, at int, names []string) (longest string) {
	for _, name := range names {
		if len(name) > len(longest) && standsAt(text, at, name) {
			longest = name
		}
	}
	return longest
}

// standsAt reports whether a text has a whole name at a position.
func standsAt(text string, at int, name string) bool {
	if !strings.HasPrefix(text[at:], name) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+len(name):])
	return !plain.LetterOrDigit(next)
}
