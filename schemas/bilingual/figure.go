package bilingual

import "strings"

const (
	groupSpace = "\u202f" // narrow no-break space, separates thousands in Russian
	noBreak    = "\u00a0" // separates a number from its currency
)

// symbols maps ISO codes of currencies to their symbols.
var symbols = map[string]string{"RUB": "₽", "USD": "$", "EUR": "€", "KZT": "₸", "UAH": "₴", "BYN": "Br", "CNY": "¥", "TRY": "₺"}

// Amount adds a currency to a formatted number: the symbol after it in Russian, the ISO code before it in English.
func Amount(lang, digits, currency string) string {
	if currency == "" {
		return digits
	}
	if lang != "ru" {
		return currency + noBreak + digits
	}
	return digits + noBreak + Currency(lang, currency)
}

// Currency returns how a currency is written: with its symbol in Russian, if it has one, and with its ISO code in English.
func Currency(lang, code string) string {
	if symbol := symbols[code]; lang == "ru" && symbol != "" {
		return symbol
	}
	return code
}

// PercentSign follows the digits of a percentage.
var PercentSign = Text{RU: noBreak + "%", EN: "%"}

// Digits formats a number such as "-1234.5" as "−1 234,5" in Russian or "−1,234.5" in English. "-0.00" loses its minus.
func Digits(lang, number string) string {
	group, point := ",", "."
	if lang == "ru" {
		group, point = groupSpace, ","
	}
	var b strings.Builder
	number, negative := strings.CutPrefix(number, "-")
	if negative && strings.Trim(number, "0.") != "" {
		b.WriteString("−")
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
