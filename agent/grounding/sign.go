package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

// before reads the minus and the currency that stand before a number, in either order.
func (s *scanner) before(f *figure) {
	least := 0
	if n := len(s.found); n > 0 {
		least = s.found[n-1].end
	}
	for range 2 {
		front := s.text[least:f.start]
		switch {
		case strings.HasSuffix(front, "-") && !f.negative && minus(s.text, f.start-1):
			f.negative = true
			f.start--
		case f.is == bare && percentBefore(front):
			f.is = percent
		case f.is == bare:
			iso, length := currencyBefore(front)
			if length == 0 {
				break
			}
			f.is, f.currency = money, iso
			f.start -= length
		}
	}
	if !f.negative && signBefore.MatchString(s.text[least:f.start]) {
		f.negative = true
		f.start -= len("- ")
	}
	for _, word := range []string{"минус ", "minus ", "negative "} {
		if strings.HasSuffix(s.text[least:f.start], word) {
			f.negative = true
			f.start -= len(word)
		}
	}
}

// signBefore is a minus that stands apart where no dash does: "Итого: - 5 ₽".
var signBefore = expression.Of(`[:=(] ?- $`)

// minus reports whether the hyphen is a sign: not between words, and not between the ends of a range.
func minus(text string, at int) bool {
	if at == 0 {
		return true
	}
	r, _ := utf8.DecodeLastRuneInString(text[:at])
	return !letterOrDigit(r) && r != ')' && r != '%' && r != '-'
}

// currencyBefore finds "₽ 5", "$5", "RUB 5", and the unit of a label: "Сумма, руб.: 5", "Сумма (₽) — 5".
func currencyBefore(front string) (iso string, length int) {
	trimmed := strings.TrimRight(front, " :)—")
	label := len(front)-len(trimmed) > 1
	r, size := utf8.DecodeLastRuneInString(trimmed)
	if iso, known := currencies[string(r)]; known && !unicode.IsLetter(r) {
		return iso, len(front) - len(trimmed) + size
	}
	trimmed = strings.TrimSuffix(trimmed, ".")
	start := strings.LastIndexFunc(trimmed, func(r rune) bool { return !unicode.IsLetter(r) }) + 1
	word := trimmed[start:]
	if iso, known := currencies[word]; known && (label || word == "руб" || strings.EqualFold(iso, word)) {
		return iso, len(front) - start
	}
	return "", 0
}

// percentBefore finds the unit of a label: "Маржа, %: 42", "Margin (%) 42".
func percentBefore(front string) bool {
	return strings.HasSuffix(strings.TrimRight(front, " :)—"), "%") && !strings.HasSuffix(front, "%")
}
