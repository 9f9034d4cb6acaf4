package grounding

import "slices"

// claims finds statements that no figure gives away.
func (c *Check) claims(p passage) []Problem {
	said := p.text
	if p.label != "" {
		said = p.label + ": " + p.text
	}
	none, gone := "", ""
	if !p.labelled() {
		none, gone = c.nobody(said), c.soldOut(p)
	}
	found := []Problem{
		{c.zeroCost(said), CostZero}, {c.wholeMargin(said), MarginWhole},
		{none, NotNothing}, {gone, NotNothing},
		{c.document(p), NoDocument}, {c.wrongDay(said), WrongDay}, {c.grew(said), NoTrend},
	}
	return slices.DeleteFunc(found, func(p Problem) bool { return p.Text == "" })
}
