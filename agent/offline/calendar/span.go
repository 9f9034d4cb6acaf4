package calendar

import (
	"fmt"
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Span is a length of time, such as "больше полугода".
type Span struct {
	Days   int
	Months int // 0 if the length is not in whole months
	Said   string
	Tokens []int
}

// Rate finds the unit of an average, and the tokens that name it: "в день", "per month", "ежедневно".
func Rate(tokens []words.Token) (Unit, []int) {
	r := reader{tokens: tokens}
	for i := range tokens {
		for unit, w := range lex.Rates {
			if r.is(i, w) {
				return unit, []int{i}
			}
		}
		if unit := r.unit(i); unit != "" && r.is(i-1, lex.Per) {
			return unit, []int{i - 1, i}
		}
	}
	return "", nil
}

// Days returns how many days a period has.
func (p Period) Days() int { return int(p.To.Sub(p.From).Hours()/24) + 1 }

// Per returns the factors that turn a figure of the period into that of an average unit, such as " * 7 / 30". A part of a month or a year
// counts by its days.
func (p Period) Per(u Unit) string {
	months := monthsOf[u]
	switch {
	case u == Day || u == "":
		return fmt.Sprintf(" / %d", p.Days())
	case u == Week:
		return fmt.Sprintf(" * 7 / %d", p.Days())
	case p.From.Day() == 1 && p.To.AddDate(0, 0, 1).Day() == 1:
		return fmt.Sprintf(" * %d / %d", months, 12*(p.To.Year()-p.From.Year())+int(p.To.Month()-p.From.Month())+1)
	}
	return fmt.Sprintf(" / %d * 365 / 12 * %d", p.Days(), months)
}

// Spans lists lengths of time: "180 дней", "полгода", "год", "по 12 месяцам".
func Spans(tokens []words.Token) (spans []Span) {
	r := reader{tokens: tokens}
	for i := range tokens {
		n, begin, at := 1, i, i
		if m, ok := r.whole(i); ok {
			n, at = m, r.skip(i+1, lex.Filler)
			if r.text(at) == "+" { // "120+ days"
				at++
			}
		} else if !r.measured(i) && !(r.halfYear(i) && r.is(i+1, lex.Article)) {
			continue
		}
		unit := r.unit(at)
		if at > i && unit == "" && r.unit(i-2) != "" && r.text(i-1) == "на" { // "дней на 270"
			begin, at, unit = i-2, i, r.unit(i-2)
		}
		if r.halfYear(at) {
			_, length := r.latest(at + 1)
			unit, at = Half, at+length
		}
		if unit == "" {
			continue
		}
		for r.is(begin-1, lex.Filler) { // "a whole year"
			begin--
		}
		spans = append(spans, Span{Days: n * daysOf[unit], Months: n * monthsOf[unit], Tokens: indexes(begin, at+1)})
	}
	return spans
}

// halfYear reports whether "half a year" begins at a token.
func (r reader) halfYear(i int) bool {
	year, _ := r.latest(i + 1)
	return r.is(i, lex.HalfOf) && year.Unit == Year
}

// Until returns the length from today to a future day that the question names: "до 15 декабря", "by the end of the month", "к новому
// году". It is nil if the question names none.
func Until(tokens []words.Token, today time.Time) *Span {
	r := reader{tokens: tokens, today: today}
	for i := range tokens {
		if !r.is(i, lex.Deadline) {
			continue
		}
		at := r.skip(i+1, lex.Article)
		day, length := r.deadline(at)
		compared := r.is(i, lex.Compared) && !r.is(at, lex.NewYear) && !r.is(at, lex.Vague) // "ноябрь к октябрю"
		if length == 0 || compared || slices.ContainsFunc(tokens[at:at+length], Relative) {
			continue
		}
		return &Span{Days: int(day.Sub(today).Hours() / 24), Tokens: indexes(i, at+length)}
	}
	return nil
}

// deadline reads a future day on which something ends.
func (r reader) deadline(i int) (day time.Time, length int) {
	if r.is(i, lex.NewYear) && r.unit(i+1) == Year {
		return r.date(r.today.Year()+1, time.January, 1), 2
	}
	p, length := r.at(i)
	if m := r.month(i); length == 0 && m != 0 {
		p, length = r.resolve(end{month: m}), 1
	}
	day = p.From
	if r.is(i, lex.Vague) { // "end of the month"
		if p, length = r.latest(i + 1); length > 0 {
			day, length = p.To, length+1
		}
	}
	if length == 0 || p.Wrong {
		return time.Time{}, 0
	}
	for day.Before(r.today) {
		day = day.AddDate(1, 0, 0)
	}
	return day, length
}

// measured reports whether a unit without a number is a length: "больше года", "за месяц", but not "в месяц", "сколько дней".
func (r reader) measured(i int) bool {
	if r.is(i, lex.HalfYear) {
		return true
	}
	at := i - 1
	for r.is(at, lex.Article) || r.is(at, lex.Filler) {
		at--
	}
	return r.is(at, lex.Measuring) || at < i-1 && r.is(at, lex.Within)
}
