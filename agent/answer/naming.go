package answer

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/caption"
	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/agent/render"
)

// mostRowsNamed is how many rows one of which a number of the model's own may be are named; of more it is of none in particular.
const mostRowsNamed = 3

// unnamedRows are the names of the rows that a figure is of, where the words do not say so. Sentence is what the figure stands in, before
// returns the part of it before the figure, near are the words beside it. The rows of a value that is computed from several are named
// where the sentence names others.
func (w *Writer) unnamedRows(f written, near, sentence string, before func() string) (names []string) {
	if len(f.rows) == 0 || len(f.rows) > mostRowsNamed || len(f.rows) > 1 && !f.digits && w.speaksOfAll(f.rows, sentence) {
		return nil
	}
	for _, row := range f.rows {
		month, isMonth := row.Month()
		switch {
		case isCurrency(row.RowName), len(w.neighbours(row)) == 1:
		case isMonth && (namesMonth(near, "", month) || namesMonth(sentence, before(), month)), w.calls(row, near), w.calls(row, sentence):
		case !w.speaksOf(row, f, sentence, before):
			names = append(names, render.Inline(row.Named(w.config.Lang)))
			if row.RowOwner != "" {
				names = append(names, render.Inline(row.RowOwner))
			}
		}
	}
	return names
}

// otherOwners are the names of the rows that have a least or greatest value, where the sentence names only others.
func (w *Writer) otherOwners(owners []reference.Origin, near, sentence string) (names []string) {
	if len(owners) == 0 || len(owners) > mostRowsNamed {
		return nil
	}
	named, hinted := w.rowsIn(sentence, owners[0]), false
	for _, row := range owners {
		is := func(name string) bool {
			return name == w.scope.plainName(row.RowName) || name == w.scope.plainName(row.RowCode)
		}
		month, isMonth := row.Month()
		switch {
		case slices.ContainsFunc(named, is), w.calls(row, near), isMonth && namesMonth(sentence, "", month):
			return nil
		case isMonth:
			hinted = hinted || len(literal.DatesIn(sentence)) > 0
		default:
			hinted = hinted || w.hintsAtOther(sentence, row)
		}
		names = append(names, render.Inline(row.Named(w.config.Lang)))
	}
	if len(named) == 0 && !hinted {
		return nil
	}
	return names
}

// isCurrency reports whether a row is called by the code of a currency, which the figure has beside it.
func isCurrency(name string) bool {
	return len(name) == 3 && strings.Trim(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// namesMonth reports whether the last date before a figure, or any date of its sentence if there is none before it, is in a month.
func namesMonth(sentence, before string, month time.Month) bool {
	dates := literal.DatesIn(before)
	if len(dates) > 0 {
		dates = dates[len(dates)-1:]
	} else {
		dates = literal.DatesIn(sentence)
	}
	return slices.ContainsFunc(dates, func(d literal.Date) bool { return time.Month(d.Month) == month })
}

// speaksOfAll reports whether a sentence names no row that a value is not of.
func (w *Writer) speaksOfAll(rows []reference.Origin, sentence string) bool {
	return !slices.ContainsFunc(w.rowsIn(sentence, rows[0]), func(name string) bool {
		return !slices.ContainsFunc(rows, func(o reference.Origin) bool {
			return name == w.scope.plainName(o.RowName) || name == w.scope.plainName(o.RowCode)
		})
	})
}

// speaksOf reports whether the words around a figure speak of its row. In a sentence that names rows it is the one named last before the
// figure; if none stands before it, the one named first behind it; if several are named before several figures, each in its turn. Another
// sentence speaks of the row that was named last.
func (w *Writer) speaksOf(row reference.Origin, f written, sentence string, before func() string) bool {
	is := func(name string) bool {
		return name != "" && (name == w.scope.plainName(row.RowName) || name == w.scope.plainName(row.RowCode))
	}
	named := w.rowsIn(sentence, row)
	if len(named) > 0 && !slices.ContainsFunc(named, func(name string) bool { return !is(name) }) {
		return true
	}
	var first []string
	if len(named) > 0 {
		first = w.rowsIn(before(), row)
	}
	switch {
	case len(named) == 0:
		for _, earlier := range []string{ending(w.scope.text()), w.soFar()} {
			if rows := w.rowsIn(earlier, row); len(rows) > 0 {
				return is(rows[len(rows)-1]) && !w.hintsAtOther(sentence, row)
			}
		}
		return w.scope.named[w.scope.plainName(row.RowName)]
	case len(first) == len(named) && len(named) > 1 && f.place < len(named):
		return is(named[f.place]) || f.alone && is(named[len(named)-1])
	case len(first) > 0:
		return is(first[len(first)-1])
	}
	return is(named[0])
}

// calls reports whether words call a row, in short, and no other of its list: they have two long words of its name at least, more than of
// any other's, and no other name.
func (w *Writer) calls(row reference.Origin, near string) bool {
	const most, least = 600, 2
	names := w.neighbours(row)
	if len(names) > most {
		return false
	}
	words := plain.WordTexts(near)
	if w.abbreviates(row.RowName, words, names) {
		return true
	}
	own := w.captions.Label(row.RowName)
	count := own.Count(words)
	if count < least {
		return false
	}
	apart := w.captions.Label(row.RowApart)
	for _, word := range words {
		if w.sentence.hasName(word) && !own.Has(word) && !apart.Has(word) {
			return false
		}
	}
	return !slices.ContainsFunc(names, func(name string) bool {
		return name != row.RowName && w.captions.Label(name).Count(words) >= count
	})
}

// abbreviates reports whether words have, as a name, the first letter of a name of two letters that no other one begins with: the A of AZ.
func (w *Writer) abbreviates(name string, words, names []string) bool {
	if len(name) != 2 {
		return false
	}
	letter := strings.ToLower(name[:1])
	begins := func(other string) bool { return other != name && strings.HasPrefix(strings.ToLower(other), letter) }
	return slices.Contains(words, letter) && w.sentence.hasName(letter) && !slices.ContainsFunc(names, begins)
}

// rowsIn are the rows of a list that a text names, in its order: by their whole names or codes, or, in a short list, by all the long words
// of the name in any form.
func (w *Writer) rowsIn(text string, row reference.Origin) []string {
	key := [2]string{row.Report + "." + row.List(), text}
	if found, known := w.sentence.rows[key]; known {
		return found
	}
	found := w.findRows(text, row)
	if w.sentence.rows == nil {
		w.sentence.rows = map[[2]string][]string{}
	}
	w.sentence.rows[key] = found
	return found
}

func (w *Writer) findRows(text string, row reference.Origin) []string {
	const most = 200
	named := w.namesIn(text, row)
	names := w.neighbours(row)
	if len(named) > 0 || len(names) > most {
		return named
	}
	words, labels := plain.WordTexts(text), w.rowLabels(row, names)
	places := map[string]int{}
	for _, name := range names {
		if l := labels[name]; l.Called(words) || l.IsEmpty() && w.standsWhole(name, words) {
			name = w.scope.plainName(name)
			named, places[name] = append(named, name), slices.IndexFunc(words, l.Has)
		}
	}
	slices.SortStableFunc(named, func(a, b string) int { return places[a] - places[b] })
	return named
}

// standsWhole reports whether all words of a name are among some words, one of them a long one.
func (w *Writer) standsWhole(name string, words []string) bool {
	l := w.captions.Label(name)
	return !l.IsEmpty() && l.Stands(words)
}

// rowLabels are the names of a list's rows without the words that several of them have: "Wildberries" of "Склад Wildberries".
func (w *Writer) rowLabels(row reference.Origin, names []string) map[string]caption.Label {
	list := row.Report + "." + row.List()
	if w.labels[list] == nil {
		w.labels[list] = caption.Distinct(names)
	}
	return w.labels[list]
}

// hintsAtOther reports whether a sentence that does not name a row has a word of the name of another one: its first, or one that begins
// with a capital letter.
func (w *Writer) hintsAtOther(sentence string, row reference.Origin) bool {
	own := caption.NewLabel(row.RowName)
	for _, word := range plain.WordTexts(sentence) {
		if own.Has(word) {
			continue
		}
		for _, hint := range w.hints(row) {
			if hint.Has(word) {
				return true
			}
		}
	}
	return false
}

// hints are the words of the names of a list's rows by which people call them.
func (w *Writer) hints(row reference.Origin) []caption.Label {
	list := row.Report + "." + row.List()
	if hints, known := w.rowHints[list]; known {
		return hints
	}
	const most = 2000
	seen := map[string]bool{}
	var hints []caption.Label
	for _, name := range w.neighbours(row) {
		for i, word := range strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) {
			first, _ := utf8.DecodeRuneInString(word)
			if (i == 0 || unicode.IsUpper(first)) && !seen[word] && len(hints) < most && utf8.RuneCountInString(word) >= shortestHint {
				seen[word] = true
				hints = append(hints, caption.NewLabel(word))
			}
		}
	}
	w.rowHints[list] = hints
	return hints
}

// shortestHint is how many letters a word of a name has at least by which a row may be called.
const shortestHint = 3

// ending is as much of a text as is looked at for the row that it speaks of.
func ending(text string) string {
	const most = 1 << 10
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

// namesIn are the names of rows of a list that a plain text has, in its order; those inside of longer ones are left out.
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

// nameCodes are the names of a list's rows by the words with letters and digits that only one of them has: "p-295".
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

// longestAt is the longest of some names that stand at a place.
func longestAt(text string, at int, names []string) (longest string) {
	for _, name := range names {
		if len(name) > len(longest) && standsAt(text, at, name) {
			longest = name
		}
	}
	return longest
}

// standsAt reports whether a text has a whole name at a place.
func standsAt(text string, at int, name string) bool {
	if !strings.HasPrefix(text[at:], name) {
		return false
	}
	next, _ := utf8.DecodeRuneInString(text[at+len(name):])
	return !plain.LetterOrDigit(next)
}
