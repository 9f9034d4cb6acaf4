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

// mostRowsNamed is how many rows of one value are named; one that rests on more is of no row in particular.
const mostRowsNamed = 3

// naming is what to write behind a value of rows: the names, in parentheses, of those that the text around the value does not
// have, and that are not the row which the paragraph speaks of.
func (w *Writer) naming(rows []reference.Origin, v reference.Value, around string) string {
	if len(rows) == 0 || len(rows) > mostRowsNamed {
		return ""
	}
	var names []string
	for _, row := range rows {
		name, code := w.scope.plainName(row.RowName), w.scope.plainName(row.RowCode)
		month, isMonth := row.Month()
		switch {
		case row.RowName == v.Currency, len(w.neighbours(row)) == 1, plain.Contains(around, name), plain.Contains(around, code):
		case isMonth && w.lastMonth() == month:
		case !w.speaksOf(row, name, code) && !w.callsShortly(row):
			names = append(names, render.Inline(row.RowName))
			if row.RowOwner != "" {
				names = append(names, render.Inline(row.RowOwner))
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// lastMonth is the month that the sentence names last; 0 if it names none.
func (w *Writer) lastMonth() time.Month {
	dates := literal.DatesIn(w.sentence.plain())
	if len(dates) == 0 {
		return 0
	}
	return time.Month(dates[len(dates)-1].Month)
}

// speaksOf reports whether a paragraph speaks of a row: it is the last one of its list that the paragraph names. Where a sentence
// names several before their figures, these are taken in the same order.
func (w *Writer) speaksOf(row reference.Origin, name, code string) bool {
	text := ending(w.scope.text())
	end := max(w.lastEnd(text, name, row), w.lastEnd(text, code, row))
	switch {
	case end < 0:
		return w.scope.named[name]
	case len(w.namesIn(text[end:], row)) == 0:
		sentence := w.sentence.plain()
		return w.lastEnd(sentence, name, row) >= 0 || w.lastEnd(sentence, code, row) >= 0 || !w.hintsAtOther(sentence, row)
	}
	named := w.namesIn(w.sentence.plain(), row)
	sameList := func(f written) bool {
		return slices.ContainsFunc(f.value.Origins, func(o reference.Origin) bool { return o.Row > 0 && o.List() == row.List() })
	}
	before := -1 // the value itself has been written
	for _, f := range w.sentence.figures {
		if sameList(f) {
			before++
		}
	}
	return len(named) > 1 && before >= 0 && before < len(named) && (named[before] == name || named[before] == code)
}

// callsShortly reports whether the words right before a figure have every long word of the row's name, in any form, and of no other row
// of a short list: "Ромашке" of ООО «Ромашка».
func (w *Writer) callsShortly(row reference.Origin) bool {
	const most = 200
	text := w.sentence.String()
	if n := len(w.sentence.figures); n > 1 {
		text = text[w.sentence.figures[n-2].to:]
	}
	words := plain.WordTexts(plain.Text(ending(text)))
	if !caption.NewLabel(row.RowName).Called(words) {
		return false
	}
	names := w.neighbours(row)
	return len(names) <= most && !slices.ContainsFunc(names, func(name string) bool {
		return name != row.RowName && caption.NewLabel(name).Called(words)
	})
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

// lastEnd is where a row is named last in a plain text, not inside of a longer name; -1 where it is not.
func (w *Writer) lastEnd(text, name string, row reference.Origin) int {
	for to := len(text); name != ""; {
		at := strings.LastIndex(text[:to], name)
		if at < 0 {
			return -1
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		first, _, _ := strings.Cut(name, " ")
		longest := longestAt(text, at, w.rowNames(reference.Value{Origins: []reference.Origin{row}})[strings.TrimRightFunc(first, plain.IsMark)])
		if standsAt(text, at, name) && !plain.LetterOrDigit(before) && len(longest) <= len(name) {
			return at + len(name)
		}
		to = at + len(name) - 1
	}
	return -1
}

// ending is as much of a text as is looked at for the row that it speaks of.
func ending(text string) string {
	const most = 1 << 10
	return strings.ToValidUTF8(text[max(0, len(text)-most):], "")
}

// namesIn are the names of rows of a list that a plain text has, in its order; those inside of longer ones are left out.
func (w *Writer) namesIn(text string, row reference.Origin) (named []string) {
	rows := w.rowNames(reference.Value{Origins: []reference.Origin{row}})
	code := w.scope.plainName(row.RowCode)
	end := 0
	for _, word := range plain.Words(text) {
		if word.Start < end {
			continue
		}
		longest := longestAt(text, word.Start, append(rows[word.Text], code))
		if longest != "" {
			named, end = append(named, longest), word.Start+len(longest)
		}
	}
	return named
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
