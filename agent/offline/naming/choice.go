package naming

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/offline/words"
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

// Earlier returns the choice for a later question, none of whose words name it.
func (c *Choice) Earlier() *Choice {
	if c == nil {
		return nil
	}
	earlier := *c
	earlier.Tokens = nil
	return &earlier
}

func (g *Goods) choice(tokens []words.Token, f *found) *Choice {
	c := &Choice{Tokens: f.tokens, goods: g, ids: f.ids}
	var said []string
	for _, i := range f.tokens {
		said = append(said, tokens[i].Text)
	}
	c.Said = strings.Join(said, " ")
	parents := map[string]bool{}
	for _, id := range f.ids {
		parents[g.cards[id].ParentID] = true
	}
	for _, id := range f.ids {
		card := g.cards[id]
		if card.HasVariants && parents[card.ID] {
			continue // its variants are listed instead
		}
		c.Names, c.Codes = append(c.Names, card.Name), append(c.Codes, card.Code)
	}
	c.Prefix = g.prefix(f.ids)
	c.Query = g.query(f.ids)
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
	if strings.TrimSpace(prefix) == "" {
		return ""
	}
	first := g.byText[nameWords(prefix)[0]]
	count := 0
	for _, id := range first {
		if strings.HasPrefix(strings.ToLower(g.cards[id].Name), strings.ToLower(prefix)) {
			count++
		}
	}
	if count != len(ids) {
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
	var shared []string
	for _, text := range nameWords(g.cards[ids[0]].Name) {
		for _, id := range ids[1:] {
			text = longestPrefix(text, nameWords(g.cards[id].Name))
			if text == "" {
				break
			}
		}
		if len([]rune(text)) >= 2 && !slices.Contains(shared, text) {
			shared = append(shared, text)
		}
	}
	if len(shared) == 0 {
		return ""
	}
	all := g.having(shared[0])
	for _, text := range shared[1:] {
		all = common(all, g.having(text))
	}
	if len(all) != len(ids) {
		return ""
	}
	phrase := strings.Join(shared, " ")
	for _, id := range ids { // a search takes the words in their order, next to each other
		if !strings.Contains(words.Folded(g.cards[id].Name), phrase) {
			return ""
		}
	}
	for i, text := range shared {
		shared[i] = spelled(g.cards[ids[0]].Name, text)
	}
	return strings.Join(shared, " ")
}

// spelled returns the beginning of a word as the name writes it: a search distinguishes "чёрный" from "черный".
func spelled(name, text string) string {
	for _, word := range divided(strings.ToLower(name)) {
		if strings.HasPrefix(words.Folded(word), text) {
			return string([]rune(word)[:len([]rune(text))])
		}
	}
	return text
}

// longestPrefix returns the longest beginning, of three letters or more, that a word shares with one of the others; empty if there is
// none.
func longestPrefix(text string, others []string) string {
	best := ""
	for _, other := range others {
		if p := commonPrefix(text, other); len(p) > len(best) && (p == text || len([]rune(p)) >= 3) {
			best = p
		}
	}
	return best
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
	for i, card := range g.cards {
		if card.Name == name {
			return g.choice(nil, &found{ids: []uint32{uint32(i)}})
		}
	}
	return nil
}

// Among returns the goods with these names, with all their variants, or nil. said is what the answer calls them.
func (g *Goods) Among(names []string, said string) *Choice {
	if g == nil {
		return nil
	}
	c, parents := &Choice{Said: said, goods: g}, map[string]bool{}
	for i, card := range g.cards {
		if slices.Contains(names, card.Name) {
			parents[card.ID] = true
			c.ids = append(c.ids, uint32(i))
		}
	}
	for i, card := range g.cards {
		if parents[card.ParentID] && card.ParentID != "" {
			c.ids = append(c.ids, uint32(i))
		}
	}
	slices.Sort(c.ids)
	c.ids = slices.Compact(c.ids)
	for _, id := range c.ids {
		c.Names, c.Codes = append(c.Names, g.cards[id].Name), append(c.Codes, g.cards[id].Code)
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

// Without returns the goods that another choice does not have, or nil.
func (c *Choice) Without(other *Choice) *Choice {
	ids := slices.DeleteFunc(slices.Clone(c.ids), func(id uint32) bool { return slices.Contains(other.ids, id) })
	if len(ids) == 0 {
		return nil
	}
	rest := c.goods.choice(nil, &found{ids: ids})
	rest.Said, rest.Tokens = c.Said, c.Tokens
	return rest
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
	both := c.goods.choice(nil, &found{ids: ids})
	both.Said, both.Tokens = c.Said+" "+by.Said, by.Tokens
	return both
}

// siblings returns the goods of another choice that are variants of the product of which this choice is one variant: "size L?" after XL.
// Of these, it prefers those that differ from it in as few words as possible.
func (c *Choice) siblings(other *Choice) (ids []uint32) {
	if len(c.ids) != 1 || c.goods.cards[c.ids[0]].ParentID == "" {
		return nil
	}
	own, most := c.goods.cards[c.ids[0]], 0
	for _, id := range other.ids {
		card, shared := c.goods.cards[id], 0
		for _, word := range nameWords(card.Name) {
			if slices.Contains(nameWords(own.Name), word) {
				shared++
			}
		}
		if card.ParentID != own.ParentID || shared < most {
			continue
		}
		if shared > most {
			ids, most = nil, shared
		}
		ids = append(ids, id)
	}
	return ids
}

// sameSort returns the goods of another choice whose names begin with the word that all names of this one begin with.
func (c *Choice) sameSort(other *Choice) (ids []uint32) {
	sort := func(id uint32) string {
		first, _, _ := strings.Cut(c.goods.cards[id].Name, " ")
		return first
	}
	sorts := map[string]bool{}
	for _, id := range c.ids {
		sorts[sort(id)] = true
	}
	for _, id := range other.ids {
		if len(sorts) == 1 && sorts[sort(id)] {
			ids = append(ids, id)
		}
	}
	return ids
}
