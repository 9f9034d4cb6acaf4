// Package bilingual is for text in Russian and English, the two languages that Kopeck speaks.
package bilingual

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text says one thing in both languages.
type Text struct {
	RU string `json:"ru,omitempty"`
	EN string `json:"en,omitempty"`
}

// In is the text in a language: "ru", anything else is English.
func (t Text) In(lang string) string {
	if lang == "ru" {
		return t.RU
	}
	return t.EN
}

// Fold makes names comparable as people compare them: in lower case, ё as е, any white space as one space.
func Fold(name string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(strings.ToLower(name), "ё", "е")), " ")
}

// Capital is a text with a capital letter at its beginning.
func Capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// Small is a text with a small letter at its beginning, unless it begins with an abbreviation: ABC, НДС.
func Small(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if next, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsUpper(next) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}
