package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// subject is what a row of a result is of, what else it names, and the row that holds it: the line of a supplier's product.
type subject struct {
	name   string   // plain
	also   []string // plain: its warehouse, its supplier
	within *subject
}

// keys are the fields that say what a row is of, the most telling first, and those that only say where it belongs.
var (
	keys   = []string{"name", "number", "order_number", "counterparty", "supplier", "cell", "class"}
	places = []string{"warehouse", "organization", "channel", "counterparty", "supplier"}
)

// subjectOf is what an object of a result is of, which belongs to the parties of the result; its holder's subject where it
// has no name of its own. Part of a row may lie elsewhere than the row: what another warehouse could give.
func (c *Check) subjectOf(object map[string]any, holder *subject, parties []string) *subject {
	named := func(field string) string {
		text, _ := object[field].(string)
		return plain(text)
	}
	if named("role") != "" {
		return holder
	}
	for _, key := range keys {
		name := named(key)
		if name == "" {
			continue
		}
		c.addSubject(name)
		c.addCode(named("code"), name)
		s := &subject{name: name, within: holder, also: slices.Clone(parties)}
		for _, field := range places {
			if place := named(field); place != "" && field != key {
				c.addPlace(place)
				s.also = append(s.also, place)
			}
		}
		return s
	}
	if place := named("warehouse"); place != "" && holder != nil {
		c.addPlace(place)
		return &subject{name: holder.name, also: append([]string{place}, holder.also...), within: holder.within}
	}
	return holder
}

// parties are who a draft is between, and where: the supplier, the warehouses.
func (c *Check) parties(result map[string]any) (names []string) {
	listed, _ := result["parties"].([]any)
	for _, party := range listed {
		fields, _ := party.(map[string]any)
		if name, _ := fields["name"].(string); name != "" {
			c.addPlace(plain(name))
			names = append(names, plain(name))
		}
	}
	return names
}

// addPlace keeps the name of where rows belong.
func (c *Check) addPlace(name string) {
	c.addSubject(name)
	c.shared[name] = true
}

// addSubject keeps a name, to be found by how it begins.
func (c *Check) addSubject(name string) {
	if c.titles == nil {
		c.titles, c.begin, c.shared = map[string]bool{}, map[string][]title{}, map[string]bool{}
	}
	if c.titles[name] {
		return
	}
	c.titles[name] = true
	words := wordsOf(name)
	if len(words) == 0 {
		return
	}
	c.begin[initial(words[0])] = append(c.begin[initial(words[0])], title{name, words})
	if legalForms[words[0]] && len(words) > 1 && utf8.RuneCountInString(wordAt(words[1], 0)) >= shortestStem {
		c.begin[initial(words[1])] = append(c.begin[initial(words[1])], title{name, words[1:]})
	}
}

// addCode keeps whose code it is, if it is too long to be taken for a quantity.
func (c *Check) addCode(code, name string) {
	const least = 4
	if len(code) < least || !strings.ContainsFunc(code, unicode.IsDigit) {
		return
	}
	if known, taken := c.codes[code]; taken && known != name {
		name = ""
	}
	if c.codes == nil {
		c.codes = map[string]string{}
	}
	c.codes[code] = name
}

// named is the name that a whole text is, or has the code of; empty if no row has it.
func (c *Check) named(text string) string {
	if c.titles[text] {
		return text
	}
	return c.codes[text]
}

// scope is what a figure is said of: the things by name, and the places where they belong.
type scope struct{ things, places []string }

// scope is what a passage says a figure is of: in a table what its row names. In prose it is the name that a part of the
// sentence begins with, "Рога: 37 шт., Копыта — 4 шт.", and what is named from there on; else all that the sentence names.
func (c *Check) scope(p passage, f figure) scope {
	names := p.subjects
	if !p.cell {
		names = namesFor(p.text, p.mentions(), f)
		if inTurn := p.inTurn(f); inTurn != nil {
			names = inTurn
		}
	}
	var s scope
	for _, name := range names {
		if c.shared[name] {
			s.places = append(s.places, name)
		} else {
			s.things = append(s.things, name)
		}
	}
	return s
}

// holds reports whether a figure of a row may be told of the scope. A thing that is named with a place is meant there.
func (s scope) holds(of *subject) bool {
	if len(s.things)+len(s.places) == 0 {
		return true
	}
	for ; of != nil; of = of.within {
		elsewhere := len(s.places) > 0 && len(of.also) > 0 && !anyIn(of.also, s.places)
		switch {
		case slices.Contains(s.places, of.name), slices.Contains(s.things, of.name) && !elsewhere:
			return true
		case len(s.things) == 0 && anyIn(of.also, s.places):
			return true
		}
	}
	return false
}

func anyIn(some, others []string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return slices.Contains(others, one) })
}
