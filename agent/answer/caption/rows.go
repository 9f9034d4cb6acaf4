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

// isWhole reports whether a value is a figure of a whole report in a sentence that names one of its parts.
func (c *Captions) isWhole(v reference.Value, sentence string) bool {
	if len(v.Origins) != 1 {
		return false
	}
	r, there := c.book.Report(v.Origins[0].Report)
	if !there || r.Fields().Field(v.Origins[0].List()).List {
		return false
	}
	words, asked := plain.WordTexts(sentence), plain.WordTexts(plain.Text(r.Source(c.lang)))
	own, parts := Label{}, Distinct(r.Parts(mostParts))
	if f := r.Field(v.Origins[0].Field); f != nil {
		own = c.Label(f.Label.In(c.lang))
	}
	for _, part := range parts {
		if part = part.without(own); len(parts) > 1 && part.Called(words) && !part.Called(asked) {
			return true
		}
	}
	return false
}

// unnamedConditions are those by which the rows of a value were chosen, as far as the words do not have their constants.
func (c *Captions) unnamedConditions(v reference.Value, at Context) (unnamed []string) {
	if len(v.Conditions) == 0 || len(v.Rows()) > 0 {
		return nil
	}
	text, words := at.Answer+" "+at.Sentence, at.words()
	named := func(name string) bool {
		l := c.Label(name)
		return l.Called(words) || l.Stands(words)
	}
	for _, condition := range v.Conditions {
		number, isNumber := condition.Number()
		switch {
		case isNumber && number.IsZero() && c.names(condition.Field(), words):
		case isNumber && !number.IsZero() && hasNumber(text, number):
		case !isNumber && !slices.ContainsFunc(condition.Texts(c.lang), func(name string) bool { return !named(name) }):
		default:
			text := condition.Write(c.lang)
			if sentence, told := c.conditions[text]; !told || sentence == at.Sentence {
				c.conditions[text] = at.Sentence
				unnamed = append(unnamed, text)
			}
		}
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
