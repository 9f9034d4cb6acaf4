package calendar

import (
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// token returns a token, or an empty one outside of the question.
func (r reader) token(i int) words.Token {
	if i < 0 || i >= len(r.tokens) {
		return words.Token{}
	}
	return r.tokens[i]
}

func (r reader) is(i int, w word) bool { return w.Is(r.token(i)) }

func (r reader) text(i int) string { return r.token(i).Text }

func (r reader) whole(i int) (int, bool) {
	t := r.token(i)
	if t.Number == nil || t.Percent || !t.Number.IsInteger() {
		return 0, false
	}
	n := t.Number.IntPart()
	return int(n), n > 0 && n < 10000
}

func (r reader) year(i int) (int, bool) {
	n, ok := r.whole(i)
	return n, ok && n >= 2000 && n < 2100
}

func index(t words.Token, list []word) int {
	for i, w := range list {
		if w.Is(t) {
			return i + 1
		}
	}
	return 0
}

func (r reader) month(i int) time.Month { return time.Month(index(r.token(i), lex.Months)) }

func (r reader) weekday(i int) int { return index(r.token(i), lex.Weekdays) }

// monthOf returns the month that a text names, or 0.
func (r reader) monthOf(text string) time.Month {
	if t := words.Tokens(text); len(t) == 1 {
		return time.Month(index(t[0], lex.Months))
	}
	return 0
}

func (r reader) unit(i int) Unit {
	for _, u := range order {
		if r.is(i, lex.Units[u]) {
			return u
		}
	}
	return ""
}

// ordinal returns the number of a quarter or a half as people write it: "3", "третий", "3rd", "q3".
func (r reader) ordinal(i int) int {
	if n, ok := r.whole(i); ok && n <= 4 {
		return n
	}
	if n := slices.Index(lex.Roman, words.Folded(r.text(i))); n >= 0 {
		return n + 1
	}
	if n := index(r.token(i), lex.Ordinals); n <= 4 {
		return n
	}
	return 0
}

// ordinalWord returns the number of a word such as "второй", or 0.
func (r reader) ordinalWord(i int) int { return Ordinal(r.token(i)) }

// skip returns the first token from i on that is none of these words.
func (r reader) skip(i int, w word) int {
	for r.is(i, w) {
		i++
	}
	return i
}

// over skips words such as "of this" and returns the month or unit after them, or -1.
func (r reader) over(i int) int {
	for r.is(i, lex.Inside) || r.is(i, lex.Article) || r.is(i, lex.This) {
		i++
	}
	if r.month(i) == 0 && r.unit(i) == "" {
		return -1
	}
	return i
}

// Ordinal returns the number of a word such as "второй"; 0 for other words.
func Ordinal(t words.Token) int { return index(t, lex.Ordinals) }
