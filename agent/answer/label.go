package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// label has the words of a field's label or of a name. Long words are kept without their endings, so that other forms
// match. Short words and words with digits are kept whole.
type label struct {
	stems, short []string
}

func newLabel(text string) (l label) {
	const long, ending = 4, 2
	for _, word := range plain.WordTexts(plain.Text(text)) {
		if letters := []rune(word); len(letters) < long || plain.HasDigit(word) {
			l.short = append(l.short, word)
		} else {
			l.stems = append(l.stems, string(letters[:max(long, len(letters)-ending)]))
		}
	}
	return l
}

// without returns a label that has only the long words that another label lacks.
func (l label) without(other label) label {
	has := func(stem string) bool { return slices.Contains(other.stems, stem) }
	return label{stems: slices.DeleteFunc(slices.Clone(l.stems), has)}
}

// mention counts the words of a label that appear in a text: long ones, and short ones.
type mention struct{ long, short int }

// Stands reports whether the words include the whole label, in any order.
func (l label) Stands(words []string) bool { return l.In(words) == mention{len(l.stems), len(l.short)} }

// Has reports whether a word, with any ending, belongs to the label.
func (l label) Has(word string) bool { return l.In([]string{word}) != mention{} }

// IsEmpty reports whether the label has no long word.
func (l label) IsEmpty() bool { return len(l.stems) == 0 }

// Count returns how many words of the label are among the given words; 0 if no long word is among them.
func (l label) Count(words []string) int {
	if m := l.In(words); m.long > 0 {
		return m.long + m.short
	}
	return 0
}

// Called reports whether the label has long words and all of them are among the given words.
func (l label) Called(words []string) bool {
	return len(l.stems) > 0 && l.In(words).long == len(l.stems)
}

// In returns how much of the label is among the given words, which may have other endings.
func (l label) In(words []string) (m mention) {
	const longestEnding = 2 * 5 // in bytes
	for _, stem := range l.stems {
		if slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(word, stem) && len(word) <= len(stem)+longestEnding
		}) {
			m.long++
		}
	}
	for _, word := range l.short {
		if slices.Contains(words, word) {
			m.short++
		}
	}
	return m
}

// distinct returns a label for each name, without the words that other names have too.
func distinct(names []string) map[string]label {
	labels := map[string]label{}
	for _, name := range names {
		l := newLabel(name)
		for _, other := range names {
			if other != name {
				l = l.without(newLabel(other))
			}
		}
		labels[name] = l
	}
	return labels
}
