package grounding

import (
	"strings"
	"unicode"
)

// word is a stretch of plain text between spaces, without the punctuation around it.
type word struct {
	text       string
	start, end int
}

func wordsIn(text string) []word {
	var words []word
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], ' ')
		if end < 0 {
			end = len(text) - i
		}
		piece := text[i : i+end]
		trimmed := strings.TrimLeftFunc(piece, around)
		start := i + len(piece) - len(trimmed)
		trimmed = strings.TrimRightFunc(trimmed, around)
		if trimmed != "" {
			words = append(words, word{trimmed, start, start + len(trimmed)})
		}
		i += end + 1
	}
	return words
}

func wordsOf(text string) []string {
	words := wordsIn(text)
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
	}
	return texts
}

// around is punctuation that may stand around a name without being of it.
func around(r rune) bool { return strings.ContainsRune(`.,;:!?()[]{}«»„“”"'|—-#`, r) }

// wordAt is the run of letters at i.
func wordAt(text string, i int) string {
	for j, r := range text[i:] {
		if !unicode.IsLetter(r) {
			return text[i : i+j]
		}
	}
	return text[i:]
}

// wordsAt are the words from i on that only spaces and hyphens part, and where each ends.
func wordsAt(text string, i int) (words []string, ends []int) {
	const most = 24 // nine hundred and ninety nine billions, millions, thousands and ones are 23
	for len(words) < most {
		word := wordAt(text, i)
		if word == "" {
			break
		}
		i += len(word)
		words, ends = append(words, word), append(ends, i)
		if i+1 >= len(text) || text[i] != ' ' && text[i] != '-' {
			break
		}
		i++
	}
	return words, ends
}

// anyOf reports whether a text has one of the stems: a look that costs less than an expression.
func anyOf(text string, stems ...string) bool {
	for _, stem := range stems {
		if strings.Contains(text, stem) {
			return true
		}
	}
	return false
}

// set is the words of a text.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
