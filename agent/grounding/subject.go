package grounding

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/expression"
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

// subjectOf is what an object of a result is of; its holder's subject where it has no name of its own.
func (c *Check) subjectOf(object map[string]any, holder *subject) *subject {
	named := func(field string) string {
		text, _ := object[field].(string)
		return plain(text)
	}
	for _, key := range keys {
		name := named(key)
		if name == "" {
			continue
		}
		c.addSubject(name)
		c.addCode(named("code"), name)
		s := &subject{name: name, within: holder}
		for _, field := range places {
			if place := named(field); place != "" && field != key {
				c.addSubject(place)
				s.also = append(s.also, place)
				c.shared[place] = true
			}
		}
		return s
	}
	return holder
}

// addSubject keeps a name by its first word.
func (c *Check) addSubject(name string) {
	if c.subjects == nil {
		c.subjects, c.shared = map[string][]string{}, map[string]bool{}
	}
	words := wordsIn(name)
	if len(words) == 0 {
		return
	}
	if first := words[0].text; !slices.Contains(c.subjects[first], name) {
		c.subjects[first] = append(c.subjects[first], name)
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
	if words := wordsIn(text); len(words) > 0 && slices.Contains(c.subjects[words[0].text], text) {
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
		names = namesFor(p.mentions(), f)
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

// mention is where a text names something of the results. It opens a part of the sentence when that is of it.
type mention struct {
	name       string
	start, end int
	opens      bool
}

// namesFor are the names that a figure may be of.
func namesFor(mentions []mention, f figure) []string {
	from := -1
	for i, m := range mentions {
		if m.opens && m.end <= f.start {
			from = i
		}
	}
	var names []string
	for _, m := range mentions[max(from, 0):] {
		if from < 0 || m.end <= f.start {
			names = append(names, m.name)
		}
	}
	return names
}

// mentions finds the names of rows in a text, as they are written there, and their codes. A name of one word counts where
// it cannot be taken for an ordinary one: in quotation marks, or at the beginning of what is said of it.
func (c *Check) mentions(text string) []mention {
	var found []mention
	for _, w := range wordsIn(text) {
		if len(found) > 0 && w.start < found[len(found)-1].end {
			continue
		}
		if name := c.codes[w.text]; name != "" && isCode(w.text, text[:w.start]) {
			found = append(found, mention{name: name, start: w.start, end: w.end})
			continue
		}
		m := mention{}
		for _, name := range c.subjects[w.text] {
			start := w.start - strings.Index(name, w.text) // names may begin with a quotation mark
			if len(name) > len(m.name) && start >= 0 && strings.HasPrefix(text[start:], name) && !continues(text[start+len(name):]) {
				m = mention{name: name, start: start, end: start + len(name)}
			}
		}
		if m.name == "" {
			continue
		}
		m.opens = begins(text[:m.start]) && saidOf.MatchString(text[m.end:])
		if m.opens || strings.Contains(m.name, " ") || quotedIn(text, m.start, m.end) {
			found = append(found, m)
		}
	}
	return found
}

// continues reports whether a word goes on.
func continues(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return letterOrDigit(r)
}

var (
	saidOf    = expression.Of(`^["»“”]?(?:: | [—-] | \()`)
	partStart = expression.Of(`(?:^|[,;:—-] (?:а |и |and )?| (?:и|а|and) |^(?:#+ )?\d{1,3}[.)] )["«„“]?$`)
)

// begins reports whether a part of a sentence begins behind a text.
func begins(before string) bool { return partStart.MatchString(lead(before)) }
