// Package naming finds what a question names: warehouses, channels, counterparties and goods of the account.
package naming

import (
	"iter"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
)

// Goods finds an account's goods by the words of their names.
type Goods struct {
	index
	cards []*tools.Good
}

// NewGoods makes an index. It handles each different word once: a hundred thousand names share a few thousand words.
func NewGoods(cards iter.Seq[*tools.Good]) *Goods {
	g := &Goods{index: newIndex()}
	keys := map[string][]string{}
	for card := range cards {
		id := uint32(len(g.cards))
		g.cards = append(g.cards, card)
		apart, brand := false, ""
		fields := strings.Fields(card.Name)
		for i := range fields {
			text, second := words.Folded(fields[i]), brand != ""
			if _, known := keys[text]; !known {
				for _, t := range words.Tokens(text) { // "36-37" has two
					if !t.Mark {
						keys[text] = append(keys[text], g.learn(t)...)
					}
				}
			}
			apart = apart || card.ParentID != "" && text[0] == '('
			if brand = ""; i > 0 && i+1 < len(fields) && isBrand(fields[i], fields[i+1]) {
				brand = paired
			}
			for _, key := range keys[text] {
				post(g.byWord, brand+key, id)
				if second {
					post(g.byWord, pairs+key, id)
				}
				if apart {
					post(g.byWord, own+key, id)
				}
				if i == 0 {
					post(g.byWord, first+key, id)
				}
			}
		}
		post(g.codes, words.Folded(card.Code), id)
		post(g.codes, words.Folded(card.Article), id)
	}
	return g
}

// isBrand reports whether two words of a name are one: "White Whale". The first alone would say what the goods are like.
func isBrand(one, other string) bool {
	capital := func(text string) bool { return words.Token{Text: text}.Capital() }
	return capital(one) && capital(other) && strings.ToUpper(other) != other && Describes(words.Tokens(one)[0])
}

// HasCode reports whether a text is the code or article of a product.
func (g *Goods) HasCode(text string) bool {
	return g != nil && len(text) >= shortestCode && len(g.codes[words.Folded(text)]) > 0
}

// shortestCode is the least number of digits by which a number alone names goods.
const shortestCode = 4

// Sentence is a text in which goods are looked for, with the names that have each of its words.
type Sentence struct {
	goods  *Goods
	tokens []words.Token
	hits   []hit
}

// In looks up the words of a text. It returns nil if g is nil.
func (g *Goods) In(tokens []words.Token) *Sentence {
	if g == nil {
		return nil
	}
	return &Sentence{g, tokens, g.hits(tokens)}
}

// Find returns the goods that the free words name. It takes the reading that uses the most words of the text, and prefers the word that
// says the most surely which are meant. It returns nil if no words name goods, or if s is nil.
func (s *Sentence) Find(free func(int) bool) *Choice {
	if s == nil {
		return nil
	}
	const gap = 3
	var ids []uint32
	var places []int
	for at := range s.tokens {
		having, used := from(s.hits, at, gap, free)
		number := len(used) == 1 && (s.tokens[at].Number != nil || !s.tokens[at].IsWord()) && len(s.tokens[at].Text) < shortestCode
		nearer := len(used) > 0 && len(used) == len(places) && s.rank(used[0], having) > s.rank(places[0], ids)
		if (len(used) > len(places) || nearer) && !number { // but two are a size: "36-37"
			ids, places = having, used
		}
	}
	if len(places) == 0 {
		return nil
	}
	heads, _ := s.goods.of(s.tokens, places[0], first)
	if begin := common(ids, heads); len(begin) > 0 {
		ids = begin
	}
	for n, i := range places {
		together := false
		if n+1 < len(places) {
			next := s.hits[places[n+1]].ids
			together = len(common(next, s.hits[i].ids)) == len(next) // "White Whale"
		}
		if !together {
			ids = s.goods.described(ids, s.tokens, i)
		}
	}
	c := s.goods.choice(ids)
	var said []string
	for _, i := range places {
		said = append(said, s.tokens[i].Text)
	}
	c.Said, c.Tokens = strings.Join(said, " "), places
	return c
}

// Size returns the variants that have a word as their own, even a number, which alone names no goods.
func (s *Sentence) Size(at int) *Choice {
	ids, _ := s.goods.of(s.tokens, at, own)
	c := s.goods.choice(ids)
	c.Said, c.Tokens = s.tokens[at].Text, []int{at}
	return c
}

// Heads reports whether a name begins with a word.
func (s *Sentence) Heads(at int) bool {
	heads, _ := s.goods.of(s.tokens, at, first)
	return len(heads) > 0
}

// rank tells how surely a word says which goods are meant: names begin with it, "vases", or it only tells variants apart, "white".
func (s *Sentence) rank(at int, ids []uint32) int {
	heads, _ := s.goods.of(s.tokens, at, first)
	variants, _ := s.goods.of(s.tokens, at, own)
	return min(1, len(common(ids, heads))) + min(1, len(ids)-len(common(ids, variants)))
}

// described leaves out variants that have a word only in the name of their product, if others have it as their own: the blue slippers of
// White Whale are no white ones.
func (g *Goods) described(ids []uint32, tokens []words.Token, at int) []uint32 {
	having, _ := g.of(tokens, at, own)
	if len(common(ids, having)) == 0 {
		return ids
	}
	return slices.DeleteFunc(slices.Clone(ids), func(id uint32) bool {
		_, has := slices.BinarySearch(having, id)
		return !has && (g.cards[id].ParentID != "" || g.cards[id].HasVariants)
	})
}

// Called returns the goods with these names, with all their variants, or nil. said is what an answer calls them.
func (g *Goods) Called(said string, names ...string) *Choice {
	if g == nil {
		return nil
	}
	var ids []uint32
	parents := map[string]bool{}
	for id, card := range g.cards { // variants come after their product
		if slices.Contains(names, card.Name) || parents[card.ParentID] {
			ids, parents[card.ID] = append(ids, uint32(id)), true
		}
	}
	if len(ids) == 0 {
		return nil
	}
	c := g.choice(ids)
	c.Said = said
	return c
}
