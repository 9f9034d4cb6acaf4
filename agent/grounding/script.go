package grounding

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// alike are small letters of Latin and Cyrillic that look the same, or do as capitals.
var (
	toCyrillic = map[rune]rune{'a': 'а', 'b': 'в', 'c': 'с', 'e': 'е', 'h': 'н', 'k': 'к', 'm': 'м', 'o': 'о', 'p': 'р', 't': 'т', 'x': 'х', 'y': 'у', 'i': 'і', 's': 'ѕ'}
	toLatin    = func() map[rune]rune {
		reverse := map[rune]rune{}
		for latin, cyrillic := range toCyrillic {
			reverse[cyrillic] = latin
		}
		return reverse
	}()
)

// oneScript writes each word of small letters in one alphabet: "сoздан" with a Latin o reads like the Russian word.
func oneScript(text string) string {
	if !mixed(text) {
		return text
	}
	var b strings.Builder
	b.Grow(len(text))
	for i := 0; i < len(text); {
		word := wordAt(text, i)
		if word == "" {
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
			i += size
			continue
		}
		i += len(word)
		if mixed(word) {
			word = unmixed(word)
		}
		b.WriteString(word)
	}
	return b.String()
}

// mixed reports whether there are letters of both alphabets.
func mixed(text string) bool {
	latin, cyrillic := false, false
	for _, r := range text {
		latin = latin || 'a' <= r && r <= 'z'
		cyrillic = cyrillic || 'а' <= r && r <= 'ѕ'
		if latin && cyrillic {
			return true
		}
	}
	return false
}

// unmixed writes a word in the alphabet of its letters that the other one has not.
func unmixed(word string) string {
	for _, to := range []map[rune]rune{toCyrillic, toLatin} {
		from := func(r rune) bool { return ('a' <= r && r <= 'z') == (to['a'] != 0) && unicode.IsLetter(r) }
		if strings.ContainsFunc(word, func(r rune) bool { return from(r) && to[r] == 0 }) {
			continue
		}
		return strings.Map(func(r rune) rune {
			if from(r) {
				return to[r]
			}
			return r
		}, word)
	}
	return word
}
