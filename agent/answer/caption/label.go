package caption

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/tools"
)

// Label is the words of a field's label or of a name: long ones without their endings, which their other forms share, and short ones
// and those with digits.
type Label struct {
	stems, short []string
	kind         tools.FieldKind
}

// NewLabel reads a label.
func NewLabel(text string) (l Label) {
	const long, ending = 4, 2
	for _, word := range plain.WordTexts(plain.Text(text)) {
		if literal.IsPeriod(word) {
			continue // of any measure: "income per month"
		}
		if letters := []rune(word); len(letters) < long || plain.HasDigit(word) {
			l.short = append(l.short, word)
		} else {
			l.stems = append(l.stems, string(letters[:max(long, len(letters)-ending)]))
		}
	}
	return l
}

// mistakable reports whether a value of a kind could be taken for one of the label's: an amount shows that it is no count, units
// that they are no amount, and days that they are neither. A bare count could be anything.
func (l Label) mistakable(kind tools.FieldKind) bool {
	if timely := kind == tools.KindDays || kind == tools.KindMonths; timely || l.kind == tools.KindDays || l.kind == tools.KindMonths {
		return kind == l.kind
	}
	counted := func(k tools.FieldKind) bool { return k == tools.KindCount || k == tools.KindUnits }
	return kind == tools.KindCount || counted(kind) == counted(l.kind)
}

// ratherThan reports whether words name a label and not another one: all of it, or what only it has of the two.
func (l Label) ratherThan(other Label, words []string) bool {
	m := l.In(words)
	if m.long == 0 {
		return false
	}
	if m.of(l) && m.Over(other.In(words)) {
		return true
	}
	own, others := l.without(other), other.without(l)
	return len(own.stems) > 0 && len(others.stems) > 0 && own.In(words).of(own) && others.In(words).long == 0
}

// without is the long words that another label does not have.
func (l Label) without(other Label) Label {
	has := func(stem string) bool { return slices.Contains(other.stems, stem) }
	return Label{stems: slices.DeleteFunc(slices.Clone(l.stems), has), kind: l.kind}
}

// Mention is how much of a label stands in a text: letters of its long words, and of its short ones.
type Mention struct{ long, short int }

// Over reports whether it is more than another.
func (m Mention) Over(other Mention) bool {
	return m.long > 0 && (other.long == 0 || m.long == other.long && m.short > other.short)
}

// of reports whether all long words of a label stand there.
func (m Mention) of(l Label) bool { return m.long == len(strings.Join(l.stems, "")) }

// Stands reports whether the whole label is among some words, in any order.
func (l Label) Stands(words []string) bool {
	m := l.In(words)
	return m.of(l) && m.short == len(strings.Join(l.short, ""))
}

// Has reports whether a word is one of the label's, whatever its ending is.
func (l Label) Has(word string) bool { return l.In([]string{word}) != Mention{} }

// IsEmpty reports whether a label has no long word.
func (l Label) IsEmpty() bool { return len(l.stems) == 0 }

// Count is how many of the label's long words, and of those with digits, are among some words.
func (l Label) Count(words []string) (n int) {
	for _, stem := range l.stems {
		if (Label{stems: []string{stem}}).In(words).long > 0 {
			n++
		}
	}
	for _, word := range l.short {
		if n > 0 && plain.HasDigit(word) && slices.Contains(words, word) {
			n++
		}
	}
	return n
}

// Called reports whether all long words of the label are among some words, and there are such.
func (l Label) Called(words []string) bool { return len(l.stems) > 0 && l.In(words).of(l) }

// In is how much of a label some words have, whatever their endings are.
func (l Label) In(words []string) (m Mention) {
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
