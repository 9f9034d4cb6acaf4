package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
)

// Numbers that are dressed so that no digit is read: letters apart, fractions, letters for digits, pictures.

// spaced is a word whose letters stand apart, as in "м и л л и о н".
var spaced = expression.Of(`(?:^|[^\p{L}\d])((?:\p{L}[ .-]){4,}\p{L})(?:[^\p{L}]|$)`)

// unreadable are the places where a text says a number in a way that cannot be checked.
func unreadable(pattern *expression.Expression, text string) []figure {
	var found []figure
	for _, at := range pattern.FindAllStringIndex(text, -1) {
		found = append(found, figure{start: at[0], end: at[1], from: at[0], to: at[1], unreadable: true})
	}
	return found
}

// fractions are shares that are written as divisions of small numbers, which are all in some result: "1/2 склада".
func fractions(text string) []figure {
	if !strings.ContainsAny(text, `/\`) {
		return nil
	}
	return unreadable(fraction, text)
}

var fraction = expression.Of(`\\[dtc]?frac\b|\b[1-9]/[1-9][0-9]? (?:of (?:the|your|our|all)|всего|всей|всех|склад|выручк|прибыл|остатк|запас|товаров|продаж)`)

// glyphs is letters and signs that stand for digits before the unit of a number: "l00 шт", "б0 шт", "збб ооо ₽"; and digits
// to the base of sixteen.
var glyphs = expression.Of(`(?:^|[^\p{L}\d.,])([0-9зoоiбчвsbl|]{1,4}(?: ?[0-9oоs]{2,3})*) ?(?:₽|\$|€|руб|шт|р\.|rub|pcs|units)|\b(0x[0-9a-f]+)`)

// disguised are the numbers of a text whose digits are partly something else.
func disguised(text string) []figure {
	var found []figure
	for _, at := range glyphs.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[2], at[3]
		if from < 0 {
			from, to = at[4], at[5]
		}
		token := text[from:to]
		preposition, rest, apart := strings.Cut(token, " ")
		if apart && (preposition == "в" || preposition == "о") && numberEnd(rest, 0) == len(rest) && rest[0] != '0' {
			continue // "остатка в 13 шт."
		}
		digits := strings.ContainsFunc(token, unicode.IsDigit) || strings.Contains(token, "оо") || strings.Contains(token, "oo")
		if digits && utf8.RuneCountInString(token) > 1 && strings.ContainsFunc(token, func(r rune) bool { return !unicode.IsDigit(r) && r != ' ' }) {
			found = append(found, figure{start: from, end: to, from: from, to: to, unreadable: true, disguised: true})
		}
	}
	return found
}

// hanNumeral reports digits that are letters to Unicode.
func hanNumeral(r rune) bool {
	return strings.ContainsRune("廿卅卌弐参〇零一二三四五六七八九十百千万億亿兆壹贰叁肆伍陆柒捌玖拾佰仟萬", r)
}

// pictured reports numbers that are shown: dice, dominoes, playing cards, the hands of clocks.
func pictured(r rune) bool {
	return '⚀' <= r && r <= '⚅' || 0x1F030 <= r && r <= 0x1F0FF || 0x1F550 <= r && r <= 0x1F567
}
