package calendar

import (
	"cmp"
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Span is a length of time, such as "больше полугода".
type Span struct {
	Count  int // of units
	Unit   Unit
	Days   int
	Months int // 0 if the length is not in whole months
	Said   string
	Tokens []int
}

// Spans lists lengths of time: "180 дней", "полгода", "год", "по 12 месяцам".
func Spans(tokens []words.Token) (spans []Span) {
	for _, m := range (&reader{tokens: tokens}).find("Length") {
		n := cmp.Or(m.n, 1)
		span := Span{Count: n, Unit: m.Unit, Days: n * daysOf[m.Unit], Months: n * monthsOf[m.Unit], Tokens: m.Tokens}
		if years, rest := span.Months/12, span.Months%12; span.Months >= 6 { // twelve months are a year, and six are half of one
			span.Days = years*daysOf[Year] + rest/6*daysOf[Half] + rest%6*daysOf[Month]
		}
		spans = append(spans, span)
	}
	return spans
}

// Until returns the length from today to a future day that the question names: "до 15 декабря", "by the end of the month", "к новому
// году". It is nil if the question names none.
func Until(tokens []words.Token, today time.Time) *Span {
	for _, m := range (&reader{tokens: tokens, today: today}).find("Deadline") {
		relative := slices.ContainsFunc(m.Tokens, func(i int) bool { return Relative(tokens[i]) })
		if m.Wrong || relative {
			continue
		}
		day := m.From
		for day.Before(today) {
			day = day.AddDate(1, 0, 0)
		}
		return &Span{Days: int(day.Sub(today).Hours() / 24), Tokens: m.Tokens}
	}
	return nil
}

// Rate finds the unit of an average, and the tokens that name it: "в день", "per month", "ежедневно".
func Rate(tokens []words.Token) (Unit, []int) {
	for _, m := range (&reader{tokens: tokens}).find("Rate") {
		return m.Unit, m.Tokens
	}
	return "", nil
}
