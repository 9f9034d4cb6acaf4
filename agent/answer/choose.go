package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// choose tells which row's value a number is that several rows have: that of a row which the text names, or mentions in other
// words. If it is still one of few, all their names are written. If they are many, it is a coincidence, unless the text mentions
// one of them, or the number has a unit and the text names no other row.
func (w *Writer) choose(found []Value, bare bool, stretch, ahead string) (verdict, []Value) {
	near := w.near(stretch, ahead)
	named := func(name string) bool {
		if name = w.scope.plainName(name); w.row != nil {
			return containsWords(near, name) // the lines before are of other rows
		}
		return w.scope.has(name, near)
	}
	var mentioned []Value
	for _, v := range found {
		o := v.Origins[0]
		if named(o.RowName) || named(o.RowCode) {
			return isValue, []Value{v}
		}
		if mentions(near, w.scope.plainName(o.RowName)) {
			mentioned = append(mentioned, v)
		}
	}
	all := len(found)
	if len(mentioned) > 0 {
		found = mentioned
	}
	one := found[0]
	for _, v := range found[1:] {
		one.Origins = append(one.Origins, v.Origins[0])
	}
	one.Origins = rowsOf(one)
	switch {
	case len(one.Origins) <= mostRowsNamed:
		return isValue, []Value{one}
	case all >= mostFound, one.number.Sign() == 0:
		return passes, nil
	case slices.ContainsFunc(found, func(v Value) bool { return w.namesOther(v, near) }):
		return fails, nil
	case !bare, len(mentioned) > 0:
		return passes, nil
	}
	return fails, nil
}

// near is what stands around a number, plain: the end of the text before it, or its line of a table.
func (w *Writer) near(stretch, ahead string) string {
	if w.row != nil {
		line := w.row.line
		for _, p := range w.row.parts {
			line += " " + p.text
		}
		return plainOf(line).text
	}
	before := w.recent[max(0, len(w.recent)-recentLength):]
	return plainOf(strings.ToValidUTF8(before, "")).text + " " + stretch + " " + plainOf(ahead).text
}

// namesOther reports whether a text names a row of the list that a value is of, which then is another one than the value's.
func (w *Writer) namesOther(v Value, text string) bool {
	for _, word := range wordsIn(text) {
		for _, name := range w.evidence.rowNames(v)[word.text] {
			rest := text[word.start:]
			if next, _ := utf8.DecodeRuneInString(rest[min(len(name), len(rest)):]); strings.HasPrefix(rest, name) && !letterOrDigit(next) {
				return true
			}
		}
	}
	return false
}

// listOf is one list of a report.
type listOf struct {
	report *Report
	path   string
}

// rowNames are the plain names of all rows of the list that a value is of, by their first words.
func (e *evidence) rowNames(v Value) map[string][]string {
	list := listOf{v.in.report, v.in.field.Path}
	if names, known := e.lists[list]; known {
		return names
	}
	names := map[string][]string{}
	if f := list.report.top.Field(list.path); f != nil {
		for _, row := range list.report.whole().read(f).rows.rows {
			called, _ := row.called()
			plain := plainOf(called).text
			if words := wordsIn(plain); len(words) > 0 {
				names[words[0].text] = append(names[words[0].text], plain[words[0].start:])
			}
		}
	}
	if e.lists == nil {
		e.lists = map[listOf]map[string][]string{}
	}
	e.lists[list] = names
	return names
}

// mentions reports whether a text has a longer word of a name, whatever its ending is: "сланцев" is one of "Сланцы летние".
func mentions(text, name string) bool {
	const shortest, ending = 5, 2
	return slices.ContainsFunc(strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }), func(word string) bool {
		letters := []rune(word)
		return len(letters) >= shortest && strings.Contains(text, string(letters[:len(letters)-ending]))
	})
}
