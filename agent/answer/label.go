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
		} else if stem := string(letters[:max(long, len(letters)-ending)]); !slices.Contains(l.stems, stem) {
			l.stems = append(l.stems, stem)
		}
	}
	return l
}

// in returns how many long and how many short words of the label are among the given words, which may have other endings.
func (l label) in(words []string) (long, short int) {
	const longestEnding = 2 * 5 // in bytes
	for _, stem := range l.stems {
		if slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(word, stem) && len(word) <= len(stem)+longestEnding
		}) {
			long++
		}
	}
	for _, word := range l.short {
		if slices.Contains(words, word) {
			short++
		}
	}
	return long, short
}

// stands reports whether the words include the whole label, in any order.
func (l label) stands(words []string) bool {
	long, short := l.in(words)
	return long == len(l.stems) && short == len(l.short)
}

// called reports whether the label has long words and all of them are among the given words.
func (l label) called(words []string) bool {
	long, _ := l.in(words)
	return long > 0 && long == len(l.stems)
}

// count returns how many words of the label are among the given words; 0 if no long word is among them.
func (l label) count(words []string) int {
	long, short := l.in(words)
	if long == 0 {
		return 0
	}
	return long + short
}

// distinct returns a label for each name that has only the long words that no other name has.
func distinct(names []string) map[string]label {
	labels, owners := map[string]label{}, map[string]int{}
	for _, name := range names {
		labels[name] = newLabel(name)
		for _, stem := range labels[name].stems {
			owners[stem]++
		}
	}
	for name, l := range labels {
		labels[name] = label{stems: slices.DeleteFunc(l.stems, func(stem string) bool { return owners[stem] > 1 })}
	}
	return labels
}
