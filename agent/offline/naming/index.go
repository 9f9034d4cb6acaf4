package naming

import (
	"slices"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// index finds names by their words.
type index struct {
	byWord     map[string][]uint32 // names by a key of any word; with a mark before the key, by one of the words that it marks
	codes      map[string][]uint32
	Vocabulary *words.Vocabulary
}

// The marks of keys: of a word that a name begins with, and of one that tells variants of a product apart.
const (
	first = "^"
	own   = "("

	// Of the two words of a brand: the first alone does not name it.
	paired = "&"
	pairs  = "+"
)

func newIndex() index {
	x := index{byWord: map[string][]uint32{}, codes: map[string][]uint32{}, Vocabulary: words.NewVocabulary()}
	x.Vocabulary.Names = true
	return x
}

// learn returns the keys of a word: its sounds and those of its stems.
func (x *index) learn(t words.Token) (keys []string) {
	for _, f := range t.Readings() {
		if t.IsWord() {
			x.Vocabulary.AddForm(f)
		}
		keys = append(keys, key(f, f.Full), key(f, f.Key))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// key is the key of a form's word or stem. Short ones of two languages are not the same although they sound so: "wood" is no «вод».
func key(f words.Form, text string) string {
	if f.Russian && len(text) < shortestKey {
		return "ru " + text
	}
	return text
}

// post adds a name to those with a key.
func post(to map[string][]uint32, key string, id uint32) {
	if list := to[key]; len(list) == 0 || list[len(list)-1] != id {
		to[key] = append(list, id)
	}
}

// hit is the names that have the word at a token, and how many tokens the word takes.
type hit struct {
	ids    []uint32
	length int
}

// hits returns the names that have each word of a question.
func (x *index) hits(tokens []words.Token) []hit {
	all := make([]hit, len(tokens))
	for at := range tokens {
		all[at].ids, all[at].length = x.of(tokens, at, "")
		if brand, n := x.of(tokens, at, paired); n > 0 && at+n < len(tokens) {
			second, _ := x.of(tokens, at+n, pairs)
			if both := common(brand, second); len(both) > 0 || len(all[at].ids) == 0 {
				all[at] = hit{both, n}
			}
		}
	}
	return all
}

// mostWords limits the words of a question that are read as one name.
const mostWords = 16

// from reads the names that begin at a token, with as many words as some name has. It skips words that no such name has, but not gap of
// them side by side.
func from(hits []hit, at, gap int, free func(int) bool) (ids []uint32, places []int) {
	if !free(at) {
		return nil, nil
	}
	ids = hits[at].ids
	for i, last := at, at; i < len(hits) && i-last <= gap && len(places) < mostWords; i++ {
		both := common(ids, hits[i].ids)
		if len(both) == 0 || !free(i) {
			continue
		}
		ids, last = both, i+hits[i].length-1
		for ; i < last; i++ {
			places = append(places, i)
		}
		places = append(places, last)
	}
	return ids, places
}

// of returns the names with a word or one of its translations, and how many tokens it takes. The mark says where they have it.
func (x *index) of(tokens []words.Token, at int, mark string) (ids []uint32, length int) {
	if exact := x.codes[words.Folded(tokens[at].Text)]; len(exact) > 0 {
		return exact, 1
	}
	for _, a := range alternatives(tokens, at) {
		for _, text := range []string{a.form.Full, a.form.Key} {
			if list := x.byWord[mark+key(a.form, text)]; len(list) > 0 && a.words >= length {
				if a.words > length {
					ids = nil
				}
				ids, length = union(ids, list), a.words
			}
		}
	}
	return ids, length
}

// same reports whether two lists are one, as those of a word that is said twice.
func same(a, b []uint32) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

func common(a, b []uint32) (both []uint32) {
	if same(a, b) {
		return a
	}
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] < b[j]:
			i++
		case a[i] > b[j]:
			j++
		default:
			both = append(both, a[i])
			i, j = i+1, j+1
		}
	}
	return both
}

func union(a, b []uint32) []uint32 {
	if len(a) == 0 || same(a, b) {
		return b
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
