package caption

import (
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// unnamedRow is what tells a value's row from others of its name, such as a warehouse, where the words do not have that.
func unnamedRow(v reference.Value, at Context) string {
	apart := ""
	for i, o := range v.Origins {
		if i > 0 && o.RowApart != apart {
			return ""
		}
		apart = o.RowApart
	}
	if apart == "" || NewLabel(apart).Stands(at.words()) {
		return ""
	}
	return apart
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
	words, asked := plain.WordTexts(sentence), plain.WordTexts(plain.Of(r.Source(c.lang)).Text)
	return slices.ContainsFunc(r.Parts(mostParts), func(name string) bool {
		l := NewLabel(name)
		return len(l.stems) > 0 && l.In(words).of(l) && !l.In(asked).of(l)
	})
}

// unnamedConditions are those by which the rows of a value were chosen, as far as the words do not have their constants.
func (c *Captions) unnamedConditions(v reference.Value, at Context) (unnamed []string) {
	if len(v.Conditions) == 0 || len(v.Rows()) > 0 {
		return nil
	}
	text, words := at.Answer+" "+at.Sentence, at.words()
	named := func(name string) bool {
		l := NewLabel(name)
		return len(l.stems) > 0 && l.In(words).of(l) || l.Stands(words)
	}
	for _, condition := range v.Conditions {
		number, isNumber := condition.Number()
		switch {
		case isNumber && number.IsZero() && NewLabel(condition.Field().Label.In(c.lang)).In(words).long > 0:
		case isNumber && condition.Equals() && hasNumber(text, number):
		case !isNumber && !slices.ContainsFunc(condition.Texts(), func(name string) bool { return !named(name) }):
		default:
			unnamed = append(unnamed, condition.Write(c.lang))
		}
	}
	return unnamed
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
