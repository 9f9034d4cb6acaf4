package answer

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// names finds the names of a list's rows in a text.
type names struct {
	all    []string            // as the report has them
	words  map[string]label    // name → its words
	unique map[string]label    // name → the words that no other name has: "Wildberries" of "Склад Wildberries"
	whole  map[string][]string // first word → plain names that begin with it
	codes  map[string]string   // word with letters and digits that only one name has, such as "p-295" → plain name
}

const (
	// mostInflected limits the lists whose names are recognized by their words, in any form.
	mostInflected = 200
	// mostCompared limits the lists whose names are recognized by a part.
	mostCompared = 600
)

// namesAround returns the names of the list that has a row.
func (w *Writer) namesAround(row reference.Origin) *names {
	list := row.Report + "." + row.List()
	if w.lists[list] == nil {
		w.lists[list] = newNames(w.config.Book.Neighbours(row))
	}
	return w.lists[list]
}

func newNames(all []string) *names {
	n := &names{all: all, words: map[string]label{}, whole: map[string][]string{}, codes: map[string]string{}}
	for _, name := range all {
		text := plainName(name)
		words := plain.Words(text)
		if len(words) == 0 {
			continue
		}
		n.whole[words[0].Text] = append(n.whole[words[0].Text], text[words[0].Start:])
		for _, word := range words {
			if !plain.HasDigit(word.Text) || !strings.ContainsFunc(word.Text, unicode.IsLetter) {
				continue
			}
			of := text
			if other, known := n.codes[word.Text]; known && other != text {
				of = "" // several names have the word
			}
			n.codes[word.Text] = of
		}
	}
	if len(all) <= mostCompared {
		for _, name := range all {
			n.words[name] = newLabel(name)
		}
	}
	if len(all) <= mostInflected {
		n.unique = distinct(all)
	}
	return n
}

// plainName returns a name as it is compared.
func plainName(name string) string { return strings.TrimSpace(plain.Text(name)) }

// mentioned returns the plain names that a text has, in the order of the text: whole names and codes and, in a short list, names
// all of whose long words the text has in any form.
func (n *names) mentioned(text, code string) []string {
	found := n.wholeIn(text, code)
	if n.unique == nil {
		return found
	}
	words := plain.Words(text)
	texts := plain.WordTexts(text)
	places, at := map[string]int{}, 0
	for _, name := range found {
		at = max(at, strings.Index(text, name)) // a code stands in another place than its name
		places[name] = at
	}
	for _, name := range n.all {
		l := n.unique[name]
		if whole := n.words[name]; !l.called(texts) && !(len(l.stems) == 0 && len(whole.stems) > 0 && whole.stands(texts)) {
			continue
		}
		if name = plainName(name); slices.Contains(found, name) {
			continue
		}
		first := slices.IndexFunc(words, func(word plain.Word) bool { return l.count([]string{word.Text}) > 0 })
		found, places[name] = append(found, name), words[max(0, first)].Start
	}
	slices.SortStableFunc(found, func(a, b string) int { return places[a] - places[b] })
	return found
}

// wholeIn returns the plain names that a text has, in the order of the text. code is another name of one row. A name
// inside a longer one does not count.
func (n *names) wholeIn(text, code string) (found []string) {
	end := 0
	for _, word := range plain.Words(text) {
		if word.Start < end {
			continue
		}
		longest := longestAt(text, word.Start, append(n.whole[word.Text], code))
		if longest != "" {
			found, end = append(found, longest), word.Start+len(longest)
		} else if name := n.codes[word.Text]; name != "" {
			found = append(found, name)
		}
	}
	return found
}

// mean reports whether words have more words of a name than of any other name of the list.
func (n *names) mean(name string, words []string) bool {
	count := n.words[name].count(words)
	return count > 0 && !slices.ContainsFunc(n.all, func(other string) bool {
		return other != name && n.words[other].count(words) >= count
	})
}

// longestAt returns the longest of the names that stands as a whole at a position.
func longestAt(text string, at int, names []string) (longest string) {
	for _, name := range names {
		if rest, begins := strings.CutPrefix(text[at:], name); begins && len(name) > len(longest) {
			if next, _ := utf8.DecodeRuneInString(rest); !plain.LetterOrDigit(next) {
				longest = name
			}
		}
	}
	return longest
}
