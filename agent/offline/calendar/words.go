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

// firstYear is the first year that is read without a word for one. No books in the cloud are older, and 2000 is a price.
const firstYear = 2005

// year reads a year, "2025", "2025 года", "25 год", and returns how many tokens it takes.
func (r reader) year(i int) (year, length int) {
	n, _ := r.whole(i)
	numbered := r.is(i+1, lex.NumberedYear)
	switch {
	case n >= 2000 && n < 2100 && (numbered || r.unit(i+1) == Year):
		return n, 2
	case n >= firstYear && n < 2100:
		return n, 1
	case n > 19 && n < 40 && numbered:
		return 2000 + n, 2
	}
	return 0, 0
}

// date returns a day; as in [time.Date], months and days beyond their limits count on.
func (r reader) date(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, r.today.Location())
}

// indexes lists the tokens from one up to another.
func indexes(from, end int) (all []int) {
	for i := from; i < end; i++ {
		all = append(all, i)
	}
	return all
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
func monthOf(text string) time.Month { return reader{tokens: words.Tokens(text)}.month(0) }

// distance returns how many units ago a word such as "прошлый" means, or -1.
func (r reader) distance(i int) int {
	return index(r.token(i), []word{lex.This, lex.Previous, lex.BeforePrevious}) - 1
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
	if n := Ordinal(r.token(i)); n <= 4 {
		return n
	}
	return 0
}

// skip returns the first token from i on that is none of these words.
func (r reader) skip(i int, w word) int {
	for r.is(i, w) {
		i++
	}
	return i
}

// latest reads a month or a unit, also behind words such as "of this": the latest such month that has begun, or the current unit.
func (r reader) latest(i int) (Period, int) {
	at := i
	for r.is(at, lex.Inside) || r.is(at, lex.Article) || r.is(at, lex.This) {
		at++
	}
	if m := r.month(at); m != 0 {
		return r.resolve(end{month: m}), at + 1 - i
	}
	if unit := r.unit(at); unit != "" {
		return Back(unit, 0, r.today), at + 1 - i
	}
	return Period{}, 0
}

// Ordinal returns the number of a word such as "второй"; 0 for other words.
func Ordinal(t words.Token) int { return index(t, lex.Ordinals) }
