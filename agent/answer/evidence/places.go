package evidence

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
)

// places tells by which product's name a number of a request stands.
type places struct {
	lines int
	names map[string]map[string][]int // first letters → word of a name → lines, ascending
	at    []int                       // place of each word of the texts; punctuation and conjunctions hold words apart
	named []phrase
}

// phrase is a mention of one or more lines: "mugs", "mugs Luch".
type phrase struct {
	first, last int // words
	lines       []int
}

const (
	apart    = 4       // as far as punctuation holds words apart
	apartTxt = 1000    // as far as texts are apart
	nearby   = 40      // the greatest distance of a number from its product
	mostRead = 1 << 13 // words of the texts in which products are looked for
)

func newPlaces(lines []Line) *places {
	p := &places{lines: len(lines), names: map[string]map[string][]int{}}
	for i, line := range lines {
		for _, word := range plain.WordTexts(plain.Text(line.Name + " " + line.Code)) {
			if !namesThing(word) && !plain.HasDigit(word) || literal.IsLink(word) {
				continue
			}
			key := firstLetters(word)
			if p.names[key] == nil {
				p.names[key] = map[string][]int{}
			}
			if of := p.names[key][word]; len(of) == 0 || of[len(of)-1] != i {
				p.names[key][word] = append(of, i)
			}
		}
	}
	return p
}

// read adds a text and returns the number of its first word.
func (p *places) read(text string, words []plain.Word) (from int) {
	from = len(p.at)
	for i, word := range words {
		step := 1
		switch {
		case i == 0 && from > 0:
			step = apartTxt
		case i > 0 && strings.ContainsAny(text[words[i-1].End:word.Start], ",;.\n"), conjunctions[word.Text]:
			step += apart
		}
		if len(p.at) > 0 {
			step += p.at[len(p.at)-1]
		}
		p.at = append(p.at, step)
		if lines := p.linesOf(word.Text); len(lines) > 0 {
			p.mention(len(p.at)-1, lines)
		}
	}
	return from
}

var conjunctions = map[string]bool{"и": true, "а": true, "но": true, "еще": true, "плюс": true, "and": true, "but": true, "plus": true}

// linesOf returns the lines whose names have a word, in any form.
func (p *places) linesOf(word string) (lines []int) {
	if len(p.at) > mostRead {
		return nil
	}
	for name, of := range p.names[firstLetters(word)] {
		if word == name || !plain.HasDigit(name) && sameStem([]rune(word), []rune(name)) {
			lines = append(lines, of...)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func firstLetters(word string) string {
	letters := []rune(word)
	return string(letters[:min(len(letters), 3)])
}

// sameStem reports whether two words differ only in their last three letters: "зарядок", "зарядное".
func sameStem(a, b []rune) bool {
	const ending = 3
	same := 0
	for same < min(len(a), len(b)) && a[same] == b[same] {
		same++
	}
	return same >= 3 && max(len(a), len(b)) <= same+ending && unicode.IsLetter(a[0])
}

// mention adds a word that names lines, to the phrase before it if both name the same line.
func (p *places) mention(word int, lines []int) {
	if n := len(p.named); n > 0 {
		last := &p.named[n-1]
		both := slices.DeleteFunc(slices.Clone(lines), func(line int) bool {
			_, has := slices.BinarySearch(last.lines, line)
			return !has
		})
		if p.at[word]-p.at[last.last] < apart && len(both) > 0 {
			last.last, last.lines = word, both
			return
		}
	}
	p.named = append(p.named, phrase{word, word, lines})
}

// owners returns the lines to which each number belongs: those that the nearest phrase names. If that leaves a number or a line out, and
// there are as many numbers as lines, the first number belongs to the product that is named first, and so on: "A and B by 5 and 7".
func (p *places) owners(numbers []*written) map[*written][]int {
	owners := map[*written][]int{}
	owned := map[int]bool{}
	for _, w := range numbers {
		owners[w] = p.nearest(w)
		for _, line := range owners[w] {
			owned[line] = true
		}
	}
	lacks := len(owned) < p.lines || slices.ContainsFunc(numbers, func(w *written) bool { return len(owners[w]) == 0 })
	if order := p.order(); lacks && len(order) == p.lines && len(numbers) == p.lines {
		for i, w := range numbers {
			owners[w] = []int{order[i]}
		}
	}
	return owners
}

// order returns the lines that the texts name one by one, in the order of their first mention.
func (p *places) order() (lines []int) {
	for _, phrase := range p.named {
		if len(phrase.lines) == 1 && !slices.Contains(lines, phrase.lines[0]) {
			lines = append(lines, phrase.lines[0])
		}
	}
	return lines
}

// nearest returns the lines of the phrase that is nearest to a number; nil if there is none or two are as near.
func (p *places) nearest(w *written) (lines []int) {
	next, _ := slices.BinarySearchFunc(p.named, w.first, func(phrase phrase, word int) int { return phrase.first - word })
	near := nearby
	for i := max(0, next-1); i < min(next+1, len(p.named)); i++ {
		phrase := p.named[i]
		distance := 0
		switch {
		case phrase.last < w.first:
			distance = p.at[w.first] - p.at[phrase.last]
		case phrase.first > w.last:
			distance = p.at[phrase.first] - p.at[w.last]
		}
		switch {
		case distance < near:
			near, lines = distance, phrase.lines
		case distance == near:
			lines = nil
		}
	}
	return lines
}
