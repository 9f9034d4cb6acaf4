package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// label is the words of a field's label or of a name: long ones without their endings, which their other forms share, and short ones
// and those with digits.
type label struct {
	stems, short []string
}

// newLabel reads a label.
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

// without is the long words that another label does not have.
func (l label) without(other label) label {
	has := func(stem string) bool { return slices.Contains(other.stems, stem) }
	return label{stems: slices.DeleteFunc(slices.Clone(l.stems), has)}
}

// mention is how much of a label stands in a text: letters of its long words, and of its short ones.
type mention struct{ long, short int }

// Over reports whether it is more than another.
func (m mention) Over(other mention) bool {
	return m.long > 0 && (other.long == 0 || m.long == other.long && m.short > other.short)
}

// of reports whether all long words of a label stand there.
func (m mention) of(l label) bool { return m.long == len(strings.Join(l.stems, "")) }

// Stands reports whether the whole label is among some words, in any order.
func (l label) Stands(words []string) bool {
	m := l.In(words)
	return m.of(l) && m.short == len(strings.Join(l.short, ""))
}

// Has reports whether a word is one of the label's, whatever its ending is.
func (l label) Has(word string) bool { return l.In([]string{word}) != mention{} }

// IsEmpty reports whether a label has no long word.
func (l label) IsEmpty() bool { return len(l.stems) == 0 }

// Count is how many words of the label are among some words; none if no long one is.
func (l label) Count(words []string) (n int) {
	for _, stem := range l.stems {
		if (label{stems: []string{stem}}).In(words).long > 0 {
			n++
		}
	}
	for _, word := range l.short {
		if n > 0 && slices.Contains(words, word) {
			n++
		}
	}
	return n
}

// Called reports whether all long words of the label are among some words, and there are such.
func (l label) Called(words []string) bool { return len(l.stems) > 0 && l.In(words).of(l) }

// In is how much of a label some words have, whatever their endings are.
func (l label) In(words []string) (m mention) {
	const longestEnding = 2 * 5 // in bytes
	for _, stem := range l.stems {
		if slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(word, stem) && len(word) <= len(stem)+longestEnding
		}) {
			m.long += len(stem)
		}
	}
	for _, word := range l.short {
		if slices.Contains(words, word) {
			m.short += len(word)
		}
	}
	return m
}

// distinct are the labels of names without the words that several of them have.
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
