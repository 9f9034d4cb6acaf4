package render

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// amount formats money with two decimals, or more if it has more, and the currency.
func amount(lang string, value decimal.Decimal, currency string) string {
	return bilingual.Amount(lang, bilingual.Digits(lang, value.StringFixed(max(2, -value.Exponent()))), Inline(currency))
}

// moment formats a date, or a time as Moscow time.
func moment(lang, value string) string {
	if t, err := time.Parse(time.RFC3339, value); err == nil {
		t = t.In(tools.Moscow)
		return bilingual.Day(lang, t) + t.Format(" 2006, 15:04 ") + bilingual.Moscow.In(lang)
	}
	if t, err := time.Parse(time.DateOnly, value); err == nil {
		return bilingual.Day(lang, t) + t.Format(" 2006")
	}
	return Inline(value)
}

// truncate shortens a text to at most n characters, including the ellipsis.
func truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:n-1]), " ") + "…"
}
