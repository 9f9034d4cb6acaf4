package plain

import (
	"strings"
	"unicode/utf8"
)

// Word is a word of a plain text, without the punctuation around it.
type Word struct {
	Text       string
	Start, End int
}

// Words returns the words of a plain text, in order.
func Words(text string) []Word {
	words := make([]Word, 0, strings.Count(text, " ")+1)
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], ' ')
		if end < 0 {
			end = len(text) - i
		}
		piece := text[i : i+end]
		trimmed := strings.TrimLeftFunc(piece, IsMark)
		start := i + len(piece) - len(trimmed)
		if trimmed = strings.TrimRightFunc(trimmed, IsMark); trimmed != "" {
			words = append(words, Word{trimmed, start, start + len(trimmed)})
		}
		i += end + 1
	}
	return words
}

// WordTexts returns the words without their positions.
func WordTexts(text string) []string {
	words := Words(text)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.Text
	}
	return texts
}

// IsMark reports whether a character is punctuation that can surround a name without being part of it.
func IsMark(r rune) bool {
	switch r {
	case '.', ',', ';', ':', '!', '?', '(', ')', '[', ']', '{', '}', '«', '»', '„', '“', '”', '"', '\'', '|', '—', '-', '#', '№':
		return true
	}
	return false
}

// HasDigit reports whether a plain text shows a number.
func HasDigit(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.ContainsRune(text, Opaque)
}

// Contains reports whether a plain text has a whole name, not as part of longer words.
func Contains(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !LetterOrDigit(before) && !LetterOrDigit(after) {
			return true
		}
		from = at + 1
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return false
}

// Last returns the last character of a text; 0 if the text is empty.
func Last(text string) rune {
	r, size := utf8.DecodeLastRuneInString(text)
	if size == 0 {
		return 0
	}
	return r
}
