// Package bilingual has texts in Russian and English, Kopeck's two languages.
package bilingual

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Text is a text in both languages.
type Text struct {
	RU string `json:"ru,omitempty"`
	EN string `json:"en,omitempty"`
}

// In returns the text in Russian for "ru", otherwise in English.
func (t Text) In(lang string) string {
	if lang == "ru" {
		return t.RU
	}
	return t.EN
}

// Lower returns a text in lower case, with е for ё.
func Lower(text string) string { return strings.ReplaceAll(strings.ToLower(text), "ё", "е") }

// Fold normalizes a name for comparison: it lower-cases letters, replaces ё with е and collapses spaces.
func Fold(name string) string { return strings.Join(strings.Fields(Lower(name)), " ") }

// Capital returns a text with an upper-case first letter.
func Capital(text string) string {
	inside := strings.TrimLeft(text, "«“\"")
	_, size := utf8.DecodeRuneInString(inside)
	return text[:len(text)-len(inside)] + strings.ToUpper(inside[:size]) + inside[size:]
}

// Small returns a text with a lower-case first letter, unless it begins with an abbreviation such as ABC or НДС.
func Small(text string) string {
	_, size := utf8.DecodeRuneInString(text)
	if next, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(next) {
		return text
	}
	return strings.ToLower(text[:size]) + text[size:]
}

// Moscow follows a time of day in Moscow.
var Moscow = Text{RU: "МСК", EN: "MSK"}

var monthsOf = strings.Fields("января февраля марта апреля мая июня июля августа сентября октября ноября декабря")

// Day writes a day without its year: "28 ноября", "28 November".
func Day(lang string, at time.Time) string {
	if lang == "ru" {
		return strconv.Itoa(at.Day()) + " " + monthsOf[at.Month()-1]
	}
	return at.Format("2 January")
}
