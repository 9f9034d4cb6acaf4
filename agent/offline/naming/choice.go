package naming

import (
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
)

// Choice is the goods that some words of a question name.
type Choice struct {
	Said   string // the words as they were said
	Names  []string
	Codes  []string
	Tokens []int
	Query  string // a search text that finds exactly these goods; empty if there is none
	Prefix string // the beginning of their names that no other name has; empty if there is none

	goods *Goods
	ids   []uint32
}

// One returns the name if there is only one, else "".
func (c *Choice) One() string {
	if c != nil && len(c.Names) == 1 {
		return c.Names[0]
	}
	return ""
}

// AreVariants reports whether all goods of the choice are variants of products.
func (c *Choice) AreVariants() bool {
	return c != nil && len(c.ids) > 0 && !slices.ContainsFunc(c.ids, func(id uint32) bool { return c.goods.cards[id].ParentID == "" })
}

// Earlier returns the choice for a later question, none of whose words name it.
func (c *Choice) Earlier() *Choice {
	if c == nil {
		return nil
	}
	earlier := *c
	earlier.Tokens = nil
	return &earlier
}

func (g *Goods) choice(ids []uint32) *Choice {
	c := &Choice{Query: g.query(ids), Prefix: g.prefix(ids), goods: g, ids: ids}
	parents := map[string]bool{}
	for _, id := range ids {
		parents[g.cards[id].ParentID] = true
	}
	for _, id := range ids {
		card := g.cards[id]
		if card.HasVariants && parents[card.ID] {
			continue // its variants are listed instead
		}
		c.Names, c.Codes = append(c.Names, card.Name), append(c.Codes, card.Code)
	}
	return c
}

// prefix returns the beginning that exactly these cards' names share.
func (g *Goods) prefix(ids []uint32) string {
	prefix := g.cards[ids[0]].Name
	for _, id := range ids[1:] {
		prefix = commonPrefix(prefix, g.cards[id].Name)
	}
	if len(ids) > 1 {
		if cut := strings.LastIndexAny(prefix, " ("); cut >= 0 {
			prefix = prefix[:cut+1]
		}
	}
	first := nameWords(prefix)
	begins := func(card *tools.Good) bool {
		return strings.HasPrefix(strings.ToLower(card.Name), strings.ToLower(prefix))
	}
	if len(first) == 0 || len(g.those(g.byText[first[0]], begins)) != len(ids) {
		return ""
	}
	return prefix
}

func commonPrefix(a, b string) string {
	n := 0
	ra, rb := []rune(a), []rune(b)
	for n < min(len(ra), len(rb)) && unicode.ToLower(ra[n]) == unicode.ToLower(rb[n]) {
		n++
	}
	return string(ra[:n])
}

// query returns a search text that finds exactly these cards: the words that all their names share, side by side.
func (g *Goods) query(ids []uint32) string {
	if len(ids) == 1 {
		return g.cards[ids[0]].Name
	}
	var shared, written []string // a search distinguishes "чёрный" from "черный", so the words must be as the name writes them
	for _, word := range divided(strings.ToLower(g.cards[ids[0]].Name)) {
		text := words.Folded(word)
		having := g.those(ids, func(card *tools.Good) bool { return slices.Contains(nameWords(card.Name), text) })
		if len(having) == len(ids) && len([]rune(text)) >= 2 && !slices.Contains(shared, text) {
			shared, written = append(shared, text), append(written, word)
		}
	}
	if len(shared) == 0 {
		return ""
	}
	all := g.having(shared[0])
	for _, text := range shared[1:] {
		all = common(all, g.having(text))
	}
	phrase := strings.Join(shared, " ") // a search takes the words in their order, next to each other
	found := g.those(ids, func(card *tools.Good) bool { return strings.Contains(words.Folded(card.Name), phrase) })
	if len(all) != len(ids) || len(found) != len(ids) {
		return ""
	}
	return strings.Join(written, " ")
}

// having returns the cards with a word that contains a text.
func (g *Goods) having(text string) (ids []uint32) {
	for word, cards := range g.byText {
		if strings.Contains(word, text) {
			ids = union(ids, cards)
		}
	}
	return ids
}

// Exactly returns the goods with a name, or nil.
func (g *Goods) Exactly(name string) *Choice {
	if g == nil {
		return nil
	}
	i := slices.IndexFunc(g.cards, func(card *tools.Good) bool { return card.Name == name })
	if i < 0 {
		return nil
	}
	return g.choice([]uint32{uint32(i)})
}

// Among returns the goods with these names, with all their variants, or nil. said is what the answer calls them.
func (g *Goods) Among(names []string, said string) *Choice {
	if g == nil {
		return nil
	}
	c, named := &Choice{Said: said, goods: g}, map[string]bool{}
	for _, card := range g.cards {
		named[card.ID] = slices.Contains(names, card.Name)
	}
	for i, card := range g.cards {
		if named[card.ID] || named[card.ParentID] {
			c.ids, c.Names, c.Codes = append(c.ids, uint32(i)), append(c.Names, card.Name), append(c.Codes, card.Code)
		}
	}
	if len(c.ids) == 0 {
		return nil
	}
	return c
}

// Overlaps reports whether two choices have goods in common.
func (c *Choice) Overlaps(other *Choice) bool {
	return c != nil && other != nil && c.goods == other.goods && len(common(c.ids, other.ids)) > 0
}

// Narrowed combines two choices. It returns the goods that both have. If there are none, it returns by, limited to goods of the same
// sort: "the Kivi ones" after mugs.
func (c *Choice) Narrowed(by *Choice) *Choice {
	if c == nil || by == nil || c.goods != by.goods {
		return by
	}
	ids := common(c.ids, by.ids)
	if len(ids) > 0 && len(ids) == len(c.ids) {
		return c
	}
	if len(ids) == 0 {
		ids = c.siblings(by)
	}
	if len(ids) == 0 {
		ids = c.sameSort(by)
	}
	if len(ids) == 0 || len(ids) == len(by.ids) {
		return by
	}
	both := c.goods.choice(ids)
	both.Said, both.Tokens = c.Said+" "+by.Said, by.Tokens
	return both
}

// siblings returns the goods of another choice that are variants of the product of which this choice is one variant: "size L?" after XL.
// Of these, it prefers those that differ from it in as few words as possible.
func (c *Choice) siblings(other *Choice) []uint32 {
	if len(c.ids) != 1 || c.goods.cards[c.ids[0]].ParentID == "" {
		return nil
	}
	own, least := c.goods.cards[c.ids[0]], math.MaxInt
	differing := func(card *tools.Good) int {
		return len(slices.DeleteFunc(nameWords(card.Name), func(word string) bool { return slices.Contains(nameWords(own.Name), word) }))
	}
	ids := c.goods.those(other.ids, func(card *tools.Good) bool { return card.ParentID == own.ParentID })
	for _, id := range ids {
		least = min(least, differing(c.goods.cards[id]))
	}
	return c.goods.those(ids, func(card *tools.Good) bool { return differing(card) == least })
}

// sameSort returns the goods of another choice whose names begin with the word that all names of this one begin with.
func (c *Choice) sameSort(other *Choice) []uint32 {
	begins := func(card *tools.Good) bool {
		first, _, _ := strings.Cut(c.goods.cards[c.ids[0]].Name, " ")
		return strings.HasPrefix(card.Name+" ", first+" ")
	}
	if len(c.goods.those(c.ids, begins)) < len(c.ids) {
		return nil
	}
	return c.goods.those(other.ids, begins)
}
