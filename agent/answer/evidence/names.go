package evidence

import (
	"slices"
	"sort"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
)

// nameIndex indexes the names that contain digits: of products, documents, accounts and codes. Digits inside such a
// name are not a figure. The cost of a lookup does not depend on the number of names.
type nameIndex struct {
	pairs map[string]bool     // pairs of adjacent words in a name, one of them with digits
	mixed map[string]bool     // words with digits and letters, such as "5w-40", and sizes such as "40-41"
	whole map[string]bool     // single-word names
	tails map[string][]string // single-word names by their last four characters
	sizes map[string]bool     // sizes in a name, such as "3 kg"
}

const (
	mostNameWords = 64 // read from a name, because a hostile one can have whole pages
	tailLength    = 4
	mostTails     = 64 // kept with the same last four characters
)

func newNameIndex() *nameIndex {
	return &nameIndex{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string][]string{}, map[string]bool{}}
}

func (n *nameIndex) add(name string) {
	if !strings.ContainsFunc(name, unicode.IsDigit) || len(name) > 16<<10 {
		return
	}
	name = plain.Text(name)
	addSizes(n.sizes, name)
	words := plain.WordTexts(name)
	words = words[:min(len(words), mostNameWords)]
	for i, word := range words {
		if i > 0 && (plain.HasDigit(word) || plain.HasDigit(words[i-1])) {
			n.pairs[words[i-1]+" "+word] = true
		}
		if plain.HasDigit(word) && (strings.ContainsFunc(word, unicode.IsLetter) || isSize(word)) {
			n.mixed[word] = true
		}
	}
	if len(words) == 1 && !markup.IsDraftCode(words[0], words[0]) {
		n.code(words[0])
	}
}

// addSizes adds the sizes in a plain name.
func addSizes(sizes map[string]bool, name string) {
	for f := range literal.Figures(name) {
		for _, size := range f.Sizes(name, "") {
			sizes[size] = true
		}
	}
}

// hasSize reports whether a figure of a plain text is a size that a name has, perhaps in another language. words are those of the text
// and the next one.
func hasSize(sizes map[string]bool, f literal.Figure, text string, words []plain.Word) bool {
	ahead := ""
	if _, last := wordsOf(f, words); last+1 < len(words) {
		ahead = words[last+1].Text
	}
	return slices.ContainsFunc(f.Sizes(text, ahead), func(size string) bool { return sizes[size] })
}

// isSize reports whether a word is two short numbers with a hyphen: "40-41".
func isSize(word string) bool {
	const most = 3
	first, second, two := strings.Cut(word, "-")
	short := func(number string) bool {
		return number != "" && len(number) <= most && strings.Trim(number, "0123456789") == ""
	}
	return two && short(first) && short(second)
}

func (n *nameIndex) code(word string) {
	if n.whole[word] {
		return
	}
	n.whole[word] = true
	if len(word) > tailLength {
		tail := word[len(word)-tailLength:]
		if len(n.tails[tail]) < mostTails {
			n.tails[tail] = append(n.tails[tail], word)
		}
	}
}

// part reports whether a word is a whole code, or at least the last four characters of one.
func (n *nameIndex) part(word string) bool {
	if n.whole[word] {
		return true
	}
	if len(word) < tailLength {
		return false
	}
	return slices.ContainsFunc(n.tails[word[len(word)-tailLength:]], func(code string) bool { return strings.HasSuffix(code, word) })
}

// has reports whether a figure is part of a name. words are those of the text that the figure is in.
func (n *nameIndex) has(f literal.Figure, words []plain.Word) bool {
	first, last := wordsOf(f, words)
	if first < 0 {
		return false
	}
	const around = 8
	from, to := max(0, first-around), min(len(words), last+around+1)
	texts := make([]string, 0, to-from)
	for _, w := range words[from:to] {
		texts = append(texts, w.Text)
	}
	unit := (f.Unit.Is != "" || f.Scaled()) && f.End > words[last].End
	return n.covers(texts, first-from, last-from, unit)
}

// wordsOf returns the first and the last word that have digits of a figure; first is -1 if there are none.
func wordsOf(f literal.Figure, words []plain.Word) (first, last int) {
	first = sort.Search(len(words), func(i int) bool { return words[i].End > f.From })
	last = sort.Search(len(words), func(i int) bool { return words[i].Start >= f.To }) - 1
	if first > last {
		return -1, -1
	}
	return first, last
}

// covers reports whether the words from first to last, which contain a figure's digits, are part of a name. A unit
// after the number must be part of it too.
func (n *nameIndex) covers(words []string, first, last int, unit bool) bool {
	if first == last && !unit && (n.mixed[words[first]] || n.part(words[first])) {
		return true
	}
	joined := func(i int) bool { return i >= 0 && i+1 < len(words) && n.pairs[words[i]+" "+words[i+1]] }
	for i := first; i < last; i++ {
		if !joined(i) {
			return false
		}
	}
	if unit && last+1 < len(words) && !joined(last) {
		return false
	}
	for left := first - 1; joined(left); left-- {
		if namesThing(words[left]) {
			return true
		}
	}
	for right := last; joined(right); right++ {
		if namesThing(words[right+1]) {
			return true
		}
	}
	return false
}

// namesThing reports whether a word has at least three letters and is not a unit, scale or month. A number next to such
// a word is part of the name.
func namesThing(word string) bool {
	letters := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if _, unit := literal.UnitForms[word]; unit {
		return false
	}
	_, scale := literal.ScaleForms[word]
	return letters >= 3 && !scale && literal.MonthForms[word] == 0
}
