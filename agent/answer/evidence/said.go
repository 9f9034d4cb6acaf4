package evidence

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
)

// Numbers has the numbers that somebody wrote, in digits or words.
type Numbers struct{ *spoken }

// NumbersIn reads the numbers of texts.
func NumbersIn(texts []string) Numbers {
	s := newSpoken()
	s.read(texts, mostSaid)
	return Numbers{s}
}

// Has reports whether a number is among them.
func (n Numbers) Has(number decimal.Decimal) bool {
	return n.has(literal.Literal{Readings: []literal.Reading{{Value: number}}})
}
