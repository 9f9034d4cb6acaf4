// Package naming finds what a question names: warehouses, channels, counterparties and goods of the account.
package naming

import (
	"iter"
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
	variants   map[string][]uint32 // cards by the sound of a word in brackets, as variants have them
	byText     map[string][]uint32 // cards by their words, folded
	Vocabulary *words.Vocabulary
}

// NewGoods makes an index. It handles each different word once: a hundred thousand names share a few thousand words.
func NewGoods(cards iter.Seq[*tools.Good]) *Goods {
	g := &Goods{byKey: map[string][]uint32{}, heads: map[string][]uint32{}, variants: map[string][]uint32{}, byText: map[string][]uint32{}}
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
			if from, to, both := strings.Cut(text, "-"); both && isDigits(from) && isDigits(to) { // a size of two numbers
				post(g.byKey, "="+from, id)
				post(g.byKey, "="+to, id)
			}
		}
		if at := strings.LastIndexByte(card.Name, '('); at >= 0 {
			for _, text := range nameWords(card.Name[at:]) {
				for _, key := range keys[text] {
					post(g.variants, key, id)
				}
			}
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

func isDigits(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) })
}

func (g *Goods) learn(text string) (keys []string) {
	t := words.Tokens(text)
	if len(t) == 2 && t[1].Text == "+" { // people say "Комфорт+" without the plus
		t, keys = t[:1], []string{"=" + text}
	}
	if len(t) != 1 || !t[0].IsWord() {
		return []string{"=" + text}
	}
	forms := t[0].Forms[:min(2, len(t[0].Forms))]
	if unicode.Is(unicode.Cyrillic, []rune(text)[0]) {
		forms = forms[:1]
	}
	for _, f := range forms {
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
	return g != nil && len(text) >= shortestCode && slices.ContainsFunc(g.byKey["="+words.Folded(text)], func(id uint32) bool {
		card := g.cards[id]
		return strings.EqualFold(card.Code, text) || strings.EqualFold(card.Article, text)
	})
}

// Find returns the goods that the free words name. It takes the reading that uses the most words of the question. It returns nil if no
// words name goods, or if g is nil.
func (g *Goods) Find(tokens []words.Token, free func(int) bool) *Choice {
	if g == nil {
		return nil
	}
	var best *found
	for at := range tokens {
		if !free(at) || tokens[at].Mark {
			continue
		}
		if f := g.from(tokens, at, free); f != nil && (best == nil || f.weight(tokens) > best.weight(tokens)) {
			best = f
		}
	}
	names := func(i int) bool { return tokens[i].IsWord() || len(tokens[i].Text) >= shortestCode }
	if best == nil || !slices.ContainsFunc(best.tokens, names) {
		return nil
	}
	return g.choice(tokens, best)
}

// shortestCode is the least number of digits by which a number alone names goods.
const shortestCode = 4

type found struct {
	ids     []uint32
	tokens  []int
	heads   []uint32
	telling [][]uint32 // for each word, the variants that it distinguishes from others of the same goods
}

// weight rates how much of a question the goods explain. A code weighs more than a word.
func (f *found) weight(tokens []words.Token) int {
	const code = 3
	n := len(f.tokens)
	for _, i := range f.tokens {
		if t := tokens[i]; t.IsWord() && strings.ContainsAny(t.Text, "0123456789") {
			n += code
		}
	}
	return n
}

// from reads goods that begin at a token. It skips words that would leave no goods. Goods whose name begins with the first word come
// before those that only contain it.
func (g *Goods) from(tokens []words.Token, at int, free func(int) bool) *found {
	var f *found
	for i := at; i < len(tokens); i++ {
		if !free(i) || tokens[i].Mark || f != nil && i-f.tokens[len(f.tokens)-1] > 3 {
			continue
		}
		ids, heads, consumed := g.of(tokens, i)
		variants := g.told(tokens, i)
		if len(ids) == 0 {
			if f == nil {
				return nil
			}
			continue
		}
		if f == nil {
			f = &found{ids: ids, heads: heads}
		}
		both := common(f.ids, ids)
		if len(both) == 0 {
			continue
		}
		if f.ids = both; len(common(heads, both)) > 0 && len(common(f.heads, both)) == 0 {
			f.heads = heads
		}
		f.telling = append(f.telling, variants)
		for j := range consumed {
			f.tokens = append(f.tokens, i+j)
		}
		i += consumed - 1
	}
	if f == nil {
		return nil
	}
	for _, some := range append([][]uint32{f.heads}, f.telling...) {
		if both := common(f.ids, some); len(both) > 0 {
			f.ids = both
		}
	}
	return f
}

// told returns the variants that a word chooses, "белые".
func (g *Goods) told(tokens []words.Token, at int) (ids []uint32) {
	for _, a := range alternatives(tokens, at) {
		ids = union(ids, union(g.variants[a.form.Full], g.variants[a.form.Key]))
	}
	return ids
}

// of returns the cards that have a word or one of its translations.
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
