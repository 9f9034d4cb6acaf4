package naming

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Choice is the goods that some words of a question name.
type Choice struct {
	Said   string // the words as they were said
	Listed bool   // they are the rows of a list, and Said is no name
	Names  []string
	Codes  []string
	Tokens []int

	goods  *Goods // nil: nobody has looked for goods of this name
	ids    []uint32
	active bool // archived goods of the same names do not matter
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

// Active returns the goods of the choice that are not archived, or nil if all are. Nil is no choice.
func (c *Choice) Active() *Choice {
	if c == nil || c.goods == nil {
		return c
	}
	ids := slices.DeleteFunc(slices.Clone(c.ids), func(id uint32) bool { return c.goods.cards[id].Archived })
	if len(ids) == 0 {
		return nil
	}
	rest := c.goods.choice(ids)
	rest.Said, rest.Listed, rest.Tokens, rest.active = c.Said, c.Listed, c.Tokens, true
	return rest
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
	c := &Choice{goods: g, ids: ids}
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

// Kind returns the word that all the names begin with, or "" if there is none.
func (c *Choice) Kind() string {
	kind, _, _ := strings.Cut(c.Prefix(), " ")
	return kind
}

// Prefix returns the beginning of the names that no other name has, or "" if there is none.
func (c *Choice) Prefix() string {
	if c.goods == nil {
		return ""
	}
	prefix := c.name(0)
	for i := range c.ids {
		for !strings.HasPrefix(c.name(i), prefix) {
			prefix = prefix[:len(prefix)-1]
		}
	}
	if len(c.ids) > 1 {
		prefix = prefix[:strings.LastIndexAny(prefix, " (")+1]
	}
	if !c.only(prefix, strings.HasPrefix) {
		return ""
	}
	return prefix
}

// Query returns a search text that finds exactly these goods, or "" if there is none: words that all their names have side by side.
func (c *Choice) Query() string {
	switch {
	case c.goods == nil:
		return c.Said
	case len(c.ids) == 1:
		return c.name(0)
	}
	all := strings.Fields(c.name(0))
	for length := len(all); length > 0; length-- {
		for i := range len(all) - length + 1 {
			phrase := strings.Trim(strings.Join(all[i:i+length], " "), "(),")
			lacks := func(id uint32) bool { return !strings.Contains(c.goods.cards[id].Name, phrase) }
			if !slices.ContainsFunc(c.ids, lacks) && c.only(phrase, strings.Contains) {
				return phrase
			}
		}
	}
	return ""
}

// Shared returns the words that all names of the choice have, or "". Other names may have them too.
func (c *Choice) Shared() string {
	if c.goods == nil {
		return ""
	}
	shared := strings.FieldsFunc(c.name(0), separates)
	for i := range c.ids {
		own := strings.FieldsFunc(c.name(i), separates)
		shared = slices.DeleteFunc(shared, func(word string) bool { return !slices.Contains(own, word) })
	}
	return strings.Join(shared, " ")
}

func separates(r rune) bool { return strings.ContainsRune(" (),", r) }

func (c *Choice) name(i int) string { return c.goods.cards[c.ids[i]].Name }

// only reports whether no names but those of the choice have a text where a test looks for it.
func (c *Choice) only(text string, has func(name, text string) bool) bool {
	low, longest := strings.ToLower(text), ""
	for _, t := range words.Tokens(text) {
		if sound := t.Readings()[0].Full; !t.Mark && len(sound) > len(longest) {
			longest = sound
		}
	}
	other := func(id uint32) bool {
		_, own := slices.BinarySearch(c.ids, id)
		card := c.goods.cards[id]
		return !own && !(c.active && card.Archived) && has(strings.ToLower(card.Name), low)
	}
	for key, having := range c.goods.byWord {
		if strings.Contains(key, longest) && slices.ContainsFunc(having, other) {
			return false
		}
	}
	return longest != ""
}

// Without returns the goods of the choice that another choice does not have, or nil if it has all.
func (c *Choice) Without(other *Choice) *Choice {
	ids := slices.DeleteFunc(slices.Clone(c.ids), func(id uint32) bool { return slices.Contains(other.ids, id) })
	if len(ids) == 0 {
		return nil
	}
	rest := c.goods.choice(ids)
	rest.Said, rest.Tokens = c.Said, c.Tokens
	return rest
}

// Overlaps reports whether two choices have goods in common.
func (c *Choice) Overlaps(other *Choice) bool {
	return c != nil && other != nil && len(common(c.ids, other.ids)) > 0
}

// Has reports whether a choice has all goods of another one.
func (c *Choice) Has(other *Choice) bool { return len(common(c.ids, other.ids)) == len(other.ids) }

// Narrowed combines two choices. It returns the goods that both have. If there are none, it returns those of the second that are called as
// the first but for one word, or else those most like the first: "the Kivi ones" after mugs. Variants named by their size and their colour
// are like no others: it returns the second choice.
func (c *Choice) Narrowed(by *Choice) *Choice {
	if c == nil || by == nil || len(c.ids) == 0 {
		return by
	}
	ids, tokens := common(c.ids, by.ids), words.Tokens(c.Said)
	said := c.goods.In(tokens)
	for i := 0; i < len(tokens) && len(ids) == 0; i++ { // "white t-shirts, size M" and "blue ones" are blue ones of that size
		if rest := said.Find(func(at int) bool { return at != i }); rest != nil && !said.Heads(i) {
			ids = common(rest.ids, by.ids)
		}
	}
	if exact := c.AreVariants() && len(tokens) > 2; len(ids) == 0 && !exact {
		ids = c.alike(by.ids)
	}
	if len(ids) == 0 {
		return by
	}
	both := c.goods.choice(ids)
	both.Said, both.Tokens, both.Listed, both.active = by.Said, by.Tokens, by.Listed, by.active
	for i := range slices.Backward(tokens) { // "white slippers" and "the black ones" are black slippers
		having, _ := c.goods.of(tokens, i, "")
		if len(ids) < len(by.ids) && len(common(ids, having)) == len(ids) {
			both.Said = tokens[i].Text + " " + both.Said
		}
	}
	return both
}

// alike returns those of other cards whose names begin with the same word. A brand has goods of many kinds: they are like no others.
func (c *Choice) alike(other []uint32) []uint32 {
	first := func(id uint32) string { return strings.SplitN(c.goods.cards[id].Name, " ", 2)[0] }
	differs := func(id uint32) bool { return first(id) != first(c.ids[0]) }
	if slices.ContainsFunc(c.ids, differs) {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(other), differs)
}
