package render

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

const (
	groupSpace = "\u202f" // narrow no-break space between groups of digits in Russian
	noBreak    = "\u00a0" // between a figure and its unit
)

// CurrencySigns has the signs of currencies by ISO code.
var CurrencySigns = map[string]string{"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "UAH": "₴", "BYN": "Br", "CNY": "¥", "TRY": "₺"}

// Amount formats money with two decimals and the currency: its sign in Russian, its ISO code in English.
func Amount(lang string, value decimal.Decimal, currency string) string {
	figure := GroupDigits(lang, value.StringFixed(2))
	if sign, known := CurrencySigns[currency]; known && lang != "en" {
		currency = sign
	}
	if currency == "" {
		return figure
	}
	return figure + noBreak + currency
}

// exactNumber formats a number with all its decimals.
func exactNumber(lang string, value decimal.Decimal) string { return GroupDigits(lang, value.String()) }

func percent(lang string, value decimal.Decimal) string {
	if lang == "en" {
		return exactNumber(lang, value) + "%"
	}
	return exactNumber(lang, value) + noBreak + "%"
}

// GroupDigits turns "-1234.5" into "−1 234,5" or "-1,234.5".
func GroupDigits(lang, figure string) string {
	minus, group, point := "−", groupSpace, ","
	if lang == "en" {
		minus, group, point = "-", ",", "."
	}
	var b strings.Builder
	if strings.HasPrefix(figure, "-") {
		figure = figure[1:]
		if strings.Trim(figure, "0.") != "" {
			b.WriteString(minus)
		}
	}
	whole, fraction, _ := strings.Cut(figure, ".")
	for i, digit := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteString(group)
		}
		b.WriteRune(digit)
	}
	if fraction != "" {
		b.WriteString(point + fraction)
	}
	return b.String()
}

// moment formats a time in Moscow time, or a date.
func moment(lang, value string) string {
	day, clock := "02.01.2006", "02.01.2006 15:04 МСК"
	if lang == "en" {
		day, clock = "2006-01-02", "2006-01-02 15:04 MSK"
	}
	if t, err := time.Parse(time.RFC3339, value); err == nil {
		return t.In(tools.Moscow).Format(clock)
	}
	if t, err := time.Parse(time.DateOnly, value); err == nil {
		return t.Format(day)
	}
	return Inline(value)
}

// truncate shortens a text to n characters, including the ellipsis.
func truncate(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:n-1]), " ") + "…"
}
