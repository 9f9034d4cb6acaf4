package grounding

import "slices"

// claims finds statements that no figure gives away.
func (c *Check) claims(p passage) []Problem {
	said := p.text
	if p.label != "" {
		said = p.label + ": " + p.text
	}
	found := []Problem{
		{c.zeroCost(said), CostZero}, {c.wholeMargin(said), MarginWhole},
		{c.nobody(said), NotNothing}, {c.soldOut(p), NotNothing},
		{c.document(p), NoDocument}, {c.wrongDay(said), WrongDay}, {c.grew(said), NoTrend},
	}
	return slices.DeleteFunc(found, func(p Problem) bool { return p.Text == "" })
}
