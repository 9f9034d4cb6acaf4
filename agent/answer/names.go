package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// nameIndex knows the names that have digits in them: of products, documents, accounts, codes. Digits of an answer that
// stand inside such a name are a part of it and no figure. A lookup costs the same however many names there are.
type nameIndex struct {
	pairs map[string]bool     // two words that stand beside each other in a name, of which one has digits
	mixed map[string]bool     // words of names with digits and letters, such as "5w-40"
	whole map[string]bool     // names of one word
	tails map[string][]string // names of one word by their last four characters
}

const (
	mostNameWords = 64 // of a hostile name of whole pages
	tailLength    = 4
	mostTails     = 64 // names that end in the same four characters
)

func newNameIndex() *nameIndex {
	return &nameIndex{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string][]string{}}
}

func (n *nameIndex) add(name string) {
	if !strings.ContainsFunc(name, unicode.IsDigit) || len(name) > 16<<10 {
		return
	}
	words := wordsOf(plainOf(name).text)
	words = words[:min(len(words), mostNameWords)]
	for i, word := range words {
		if i > 0 && (hasDigit(word) || hasDigit(words[i-1])) {
			n.pairs[words[i-1]+" "+word] = true
		}
		if hasDigit(word) && strings.ContainsFunc(word, unicode.IsLetter) {
			n.mixed[word] = true
		}
	}
	if len(words) == 1 && !draftCode(words[0], words[0]) {
		n.code(words[0])
	}
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

// part reports whether a word is a whole code, or the end of one with four characters or more.
func (n *nameIndex) part(word string) bool {
	if n.whole[word] {
		return true
	}
	if len(word) < tailLength {
		return false
	}
	return slices.ContainsFunc(n.tails[word[len(word)-tailLength:]], func(code string) bool { return strings.HasSuffix(code, word) })
}

// covers reports whether the words first to last, which have the digits of a figure, stand inside a name as the text goes.
// A unit behind the number must be of the name as well.
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
	left, right := first-1, last
	for joined(left) {
		if namesThing(words[left]) {
			return true
		}
		left--
	}
	for joined(right) {
		if namesThing(words[right+1]) {
			return true
		}
		right++
	}
	return false
}

// namesThing reports whether a word has three letters or more and is no unit, so that a number beside it is of its name.
func namesThing(word string) bool {
	letters := 0
	for _, r := range word {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if _, unit := unitForms[word]; unit {
		return false
	}
	_, scale := scaleForms[word]
	return letters >= 3 && !scale && monthForms[word] == 0
}

// textWord is a stretch of plain text between spaces, without the punctuation around it.
type textWord struct {
	text       string
	start, end int
}

func wordsIn(text string) []textWord {
	var words []textWord
	for i := 0; i < len(text); {
		end := strings.IndexByte(text[i:], ' ')
		if end < 0 {
			end = len(text) - i
		}
		piece := text[i : i+end]
		trimmed := strings.TrimLeftFunc(piece, around)
		start := i + len(piece) - len(trimmed)
		if trimmed = strings.TrimRightFunc(trimmed, around); trimmed != "" {
			words = append(words, textWord{trimmed, start, start + len(trimmed)})
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
func around(r rune) bool { return strings.ContainsRune(`.,;:!?()[]{}«»„“”"'|—-#№`, r) }

func hasDigit(text string) bool {
	return strings.ContainsAny(text, "0123456789") || strings.ContainsRune(text, opaque)
}

// containsWords reports whether a plain text has a name whole, not as a part of longer words.
func containsWords(text, name string) bool {
	for from := 0; name != ""; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(name):])
		if !letterOrDigit(before) && !letterOrDigit(after) {
			return true
		}
		from = at + 1
		for from < len(text) && !utf8.RuneStart(text[from]) {
			from++
		}
	}
	return false
}
