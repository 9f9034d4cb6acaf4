package caption

import (
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
)

// unnamedRow is what tells a value's row from others of its name, such as a warehouse, where the words name another or none.
func (c *Captions) unnamedRow(v reference.Value, at Context) string {
	apart := ""
	for i, o := range v.Origins {
		if i > 0 && o.RowApart != apart {
			return ""
		}
		apart = o.RowApart
	}
	if apart == "" {
		return ""
	}
	names := Distinct(c.book.Aparts(v.Origins[0]))
	own := c.Label(apart)
	if short, known := names[apart]; known && len(short.stems) > 0 {
		own = short
	}
	near, before := plain.WordTexts(at.Before+" "+at.After), plain.WordTexts(at.Before)
	switch {
	case own.Stands(near):
		return ""
	case !own.Stands(at.words()):
		return apart
	}
	for name, other := range names {
		if name != apart && other.Called(before) {
			return apart
		}
	}
	return ""
}

// Distinct are the labels of names without the words that several of them have.
func Distinct(names []string) map[string]Label {
	labels := map[string]Label{}
	for _, name := range names {
		l := NewLabel(name)
		for _, other := range names {
			if other != name {
				l = l.without(NewLabel(other))
			}
		}
		labels[name] = l
	}
	return labels
}

// unnamedPlaces are the warehouse or channel that the reports of a value were narrowed to, where the words beside it name another one,
// or the answer has not named it. It names each once.
func (c *Captions) unnamedPlaces(v reference.Value, at Context) (unnamed []string) {
	near, before := plain.WordTexts(at.Before+" "+at.After), plain.WordTexts(at.Before)
	for _, o := range v.Origins {
		r, there := c.book.Report(o.Report)
		if !there {
			continue
		}
		for _, name := range r.Places() {
			others := Distinct(c.places())
			own := others[name]
			delete(others, name)
			another := func(other Label) bool { return other.Called(before) }
			switch {
			case len(own.stems) == 0, own.Called(near):
			case slices.ContainsFunc(slices.Collect(maps.Values(others)), another), !c.told[name] && !own.Called(at.words()):
				unnamed = append(unnamed, name)
			}
			c.told[name] = true
		}
	}
	return unnamed
}

// places are the warehouses and channels that the book's reports were narrowed to.
func (c *Captions) places() (names []string) {
	for _, r := range c.book.Reports() {
		for _, name := range r.Places() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// mostParts is how many rows a list has at most for which a total is told apart from what its sentence names.
const mostParts = 50

// isWhole reports whether a value is of everything in a sentence that names a part before it: a figure of the whole report, or of a row
// that no warehouse or channel has to itself. Where the words beside it say that it is of everything, only a part beside it counts.
func (c *Captions) isWhole(v reference.Value, at Context) bool {
	if len(v.Origins) != 1 || v.Origins[0].RowApart != "" {
		return false
	}
	r, there := c.book.Report(v.Origins[0].Report)
	if !there {
		return false
	}
	words, asked := plain.WordTexts(at.Begin), plain.WordTexts(plain.Text(r.Source(c.lang)))
	if near := plain.WordTexts(at.Before + " " + at.After); phraseAt(senses()[senseWhole].Also, near) >= 0 {
		words = near
	}
	own := c.Label(v.Origins[0].RowName)
	if f := r.Field(v.Origins[0].Field); f != nil && v.Origins[0].RowName == "" {
		own = c.Label(f.Label.In(c.lang))
	}
	for _, part := range c.partsFor(r, v.Origins[0]) {
		if part = part.without(own); part.Called(words) && !part.Called(asked) {
			return true
		}
	}
	return false
}

// partsFor are the labels of what a figure of a report may be mistaken for a figure of.
func (c *Captions) partsFor(r *reference.Report, o reference.Origin) (parts []Label) {
	g := c.groupsOfAll()
	isRow := r.Fields().Field(o.List()).List
	grouped := func(name string) bool {
		return slices.ContainsFunc(g.places, func(of map[string]Label) bool { return of[name].stems != nil })
	}
	if isRow && slices.ContainsFunc(c.book.Neighbours(o), grouped) {
		return nil // a list of warehouses or channels
	}
	var labels []map[string]Label
	if len(r.Places()) == 0 { // else [Captions.unnamedPlaces] tells
		labels = g.places
	}
	if !isRow {
		labels = append(slices.Clone(labels), g.parties)
		if own := Distinct(r.Parts(mostParts)); len(own) > 1 {
			labels = append(labels, own)
		}
	}
	for _, of := range labels {
		parts = slices.AppendSeq(parts, maps.Values(of))
	}
	return parts
}

// groups are the labels of what the rows of a book's reports are grouped by.
type groups struct {
	reports int                // that they were read from
	places  []map[string]Label // warehouses, and channels
	parties map[string]Label
}

func (c *Captions) groupsOfAll() *groups {
	if c.groups.reports == len(c.book.Reports()) {
		return &c.groups
	}
	var warehouses, channels, parties []string
	for _, r := range c.book.Reports() {
		g := r.Groups(mostParts)
		warehouses, channels, parties = append(warehouses, g.Warehouses...), append(channels, g.Channels...), append(parties, g.Parties...)
	}
	c.groups = groups{len(c.book.Reports()), []map[string]Label{distinctOf(warehouses), distinctOf(channels)}, distinctOf(parties)}
	return &c.groups
}

func distinctOf(names []string) map[string]Label {
	slices.Sort(names)
	return Distinct(slices.Compact(names))
}

// unnamedConditions are those by which the rows of a value were chosen, if the words do not have the constants of all of them, and the
// texts that no row has.
func (c *Captions) unnamedConditions(v reference.Value, at Context) (unnamed []string) {
	if len(v.Conditions) == 0 || len(v.Rows()) > 0 {
		return nil
	}
	text, words := at.Answer+" "+at.Sentence, at.words()
	named := func(name string) bool {
		l := c.Label(name)
		place := func(of map[string]Label) bool { return of[name].Called(words) }
		return l.Called(words) || l.Stands(words) || slices.ContainsFunc(c.groupsOfAll().places, place)
	}
	isNamed := func(condition reference.Condition) bool {
		number, isNumber := condition.Number()
		switch {
		case isNumber && number.IsZero():
			f := condition.Field()
			return c.names(f, words) || c.Label(f.Label.In(c.lang)).Stands(words)
		case isNumber:
			return hasNumber(text, number)
		}
		return !slices.ContainsFunc(condition.Texts(c.lang), func(name string) bool { return !named(name) })
	}
	untold := func(condition reference.Condition) bool {
		text := condition.Write(c.lang)
		sentence, told := c.conditions[text]
		return !condition.Misses() && !isNamed(condition) && (!told || sentence == at.Sentence)
	}
	whole := slices.ContainsFunc(v.Conditions, untold)
	for _, condition := range v.Conditions {
		if !whole && !condition.Misses() {
			continue
		}
		text := condition.Write(c.lang)
		c.conditions[text] = at.Sentence
		unnamed = append(unnamed, text)
	}
	return unnamed
}

// names reports whether some words name a field.
func (c *Captions) names(f *tools.Field, words []string) bool {
	return c.Label(f.Label.In(c.lang)).In(words).long > 0 || alsoNamed(f, words)
}

// hasNumber reports whether a text has a number, in digits or in words.
func hasNumber(text string, number decimal.Decimal) bool {
	for f := range literal.Figures(text) {
		for _, r := range f.Literal(text).Readings {
			if r.Value.Equal(number.Abs()) {
				return true
			}
		}
	}
	return false
}
