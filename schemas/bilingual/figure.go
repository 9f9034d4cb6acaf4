package bilingual

import "strings"

const (
	groupSpace = "\u202f" // narrow no-break space between groups of digits in Russian
	noBreak    = "\u00a0" // between digits and a currency
)

// signs has the signs of currencies by ISO code.
var signs = map[string]string{"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "UAH": "₴", "BYN": "Br", "CNY": "¥", "TRY": "₺"}

// Amount adds a currency to written digits: its sign behind them in Russian, its ISO code before them in English.
func Amount(lang, digits, currency string) string {
	switch {
	case currency == "":
		return digits
	case lang != "ru":
		return currency + noBreak + digits
	case signs[currency] != "":
		currency = signs[currency]
	}
	return digits + noBreak + currency
}

// Digits turns "-1234.5" into "−1 234,5" or "-1,234.5". There is no minus before 0.
func Digits(lang, number string) string {
	minus, group, point := "-", ",", "."
	if lang == "ru" {
		minus, group, point = "−", groupSpace, ","
	}
	var b strings.Builder
	number, negative := strings.CutPrefix(number, "-")
	if negative && strings.Trim(number, "0.") != "" {
		b.WriteString(minus)
	}
	whole, fraction, _ := strings.Cut(number, ".")
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
