// Package naming finds what a question names: warehouses, channels, counterparties and goods of the account.
package naming

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
)

// Goods finds an account's goods by the words of their names.
type Goods struct {
	cards      []*tools.Good
	byKey      map[string][]uint32 // cards by the sound of their words
	heads      map[string][]uint32 // cards by the sound of their first word
	byText     map[string][]uint32 // cards by their words, folded
	Vocabulary *words.Vocabulary
}

// NewGoods makes an index. It handles each different word once: a hundred thousand names share a few thousand words.
func NewGoods(cards iter.Seq[*tools.Good]) *Goods {
	g := &Goods{byKey: map[string][]uint32{}, heads: map[string][]uint32{}, byText: map[string][]uint32{}}
	g.Vocabulary = words.NewVocabulary()
	g.Vocabulary.Names = true
	keys := map[string][]string{}
	for card := range cards {
		id := uint32(len(g.cards))
		g.cards = append(g.cards, card)
		for i, text := range nameWords(card.Name) {
			if keys[text] == nil {
				keys[text] = g.learn(text)
			}
			for _, key := range keys[text] {
				post(g.byKey, key, id)
				if i == 0 {
					post(g.heads, key, id)
				}
			}
			post(g.byText, text, id)
		}
		post(g.byKey, "="+words.Folded(card.Code), id)
		post(g.byKey, "="+words.Folded(card.Article), id)
	}
	return g
}

func post(to map[string][]uint32, key string, id uint32) {
	if list := to[key]; len(list) == 0 || list[len(list)-1] != id {
		to[key] = append(list, id)
	}
}

// twoNumbers matches a size such as "36-37".
var twoNumbers = regexp.MustCompile(`^(\d+)-(\d+)$`)

// learn returns the keys by which a word of a name is found: its sound, or "=" and the word itself.
func (g *Goods) learn(text string) (keys []string) {
	for _, exact := range twoNumbers.FindStringSubmatch(text) {
		keys = append(keys, "="+exact)
	}
	if keys != nil {
		return keys
	}
	t := words.Tokens(text)
	if len(t) == 2 && t[1].Text == "+" { // people say "Комфорт+" without the plus
		t, keys = t[:1], []string{"=" + text}
	}
	if len(t) != 1 || !t[0].IsWord() {
		return []string{"=" + text}
	}
	for _, f := range t[0].Forms {
		g.Vocabulary.AddForm(f)
		keys = append(keys, f.Full, f.Key)
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// nameWords divides a name as the upstream's search does: "1.7", "36-37" and "Комфорт+" are words.
func nameWords(name string) []string { return divided(words.Folded(name)) }

func divided(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-+.×'", r)
	})
}

// HasCode reports whether a text is the code or article of a product.
func (g *Goods) HasCode(text string) bool {
	is := func(card *tools.Good) bool {
		return strings.EqualFold(card.Code, text) || strings.EqualFold(card.Article, text)
	}
	return g != nil && len(text) >= shortestCode && len(g.those(g.byKey["="+words.Folded(text)], is)) > 0
}

// Find returns the goods that the free words name. It takes the reading that uses the most words of the question. It returns nil if no
// words name goods, or if g is nil.
func (g *Goods) Find(tokens []words.Token, free func(int) bool) *Choice {
	if g == nil {
		return nil
	}
	best := &found{}
	for at := range tokens {
		if !free(at) || tokens[at].Mark {
			continue
		}
		if f := g.from(tokens, at, free); len(f.tokens) > len(best.tokens) {
			best = f
		}
	}
	names := func(i int) bool { // the mark is that of a size
		return tokens[i].IsWord() || tokens[i].Mark || len(tokens[i].Text) >= shortestCode
	}
	if !slices.ContainsFunc(best.tokens, names) {
		return nil
	}
	c := g.choice(best.ids)
	for _, i := range best.tokens {
		c.Said = strings.TrimSpace(c.Said + " " + tokens[i].Text)
	}
	c.Tokens = best.tokens
	return c
}

// shortestCode is the least number of digits by which a number alone names goods.
const shortestCode = 4

type found struct {
	ids    []uint32
	tokens []int
}

// from reads goods that begin at a token. It skips words that would leave no goods. Goods whose name begins with the first word come
// before those that only contain it.
func (g *Goods) from(tokens []words.Token, at int, free func(int) bool) *found {
	ids, heads, _ := g.of(tokens, at)
	f, last := &found{ids: ids}, at
	for i := at; i < len(tokens) && i-last <= 3; i++ {
		if !free(i) || tokens[i].Mark {
			continue
		}
		ids, _, consumed := g.of(tokens, i)
		both := common(f.ids, ids)
		if len(both) == 0 {
			continue
		}
		f.ids = both
		for last = i + consumed - 1; i < last; i++ {
			f.tokens = append(f.tokens, i)
		}
		f.tokens = append(f.tokens, last)
	}
	if first := common(f.ids, heads); len(first) > 0 {
		f.ids = first
	}
	return f
}

// of returns the cards that have a word or one of its translations, those whose name begins with it, and how many tokens it takes.
func (g *Goods) of(tokens []words.Token, at int) (ids, heads []uint32, consumed int) {
	if at+2 < len(tokens) && tokens[at].End == tokens[at+2].Start-len(tokens[at+1].Text) &&
		strings.Contains("-–—/", tokens[at+1].Text) { // a size, "36-37"
		if both := g.byKey["="+tokens[at].Text+"-"+tokens[at+2].Text]; len(both) > 0 {
			return both, nil, 3
		}
	}
	if exact := g.byKey["="+words.Folded(tokens[at].Text)]; len(exact) > 0 {
		return exact, nil, 1
	}
	for _, a := range alternatives(tokens, at) {
		for _, key := range []string{a.form.Full, a.form.Key} {
			if list := g.byKey[key]; len(list) > 0 && a.words >= consumed {
				if a.words > consumed {
					ids, heads, consumed = nil, nil, a.words
				}
				ids, heads = union(ids, list), union(heads, g.heads[key])
			}
		}
	}
	return ids, heads, consumed
}

// those returns the cards of a list with a property.
func (g *Goods) those(ids []uint32, have func(card *tools.Good) bool) []uint32 {
	return slices.DeleteFunc(slices.Clone(ids), func(id uint32) bool { return !have(g.cards[id]) })
}

func common(a, b []uint32) (both []uint32) {
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
	if len(a) == 0 {
		return b
	}
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
