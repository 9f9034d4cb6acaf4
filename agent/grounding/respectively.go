package grounding

import (
	"slices"

	"github.com/kopeck/kopeck/agent/expression"
)

// respectively stands in a sentence whose figures are in the order of its names: "на складах А и Б — 12 и 30 шт соответственно".
var respectively = expression.Of(`(?:^|[^\p{L}])(?:соответственно|respectively)(?:[^\p{L}]|$)`)

// inTurn are the names that a figure is of in such a sentence: of as many things or places as it has figures the one whose turn
// it is, and the others, which all of them are of. It has none where the numbers do not agree.
func (p passage) inTurn(f figure) (names []string) {
	if !anyOf(p.text, "соответственно", "respectively") || !respectively.MatchString(p.text) {
		return nil
	}
	mentions := p.enumerated()
	turn, figures := -1, 0
	for _, other := range p.figures {
		if inName(mentions, other) || exempt(p, other) {
			continue
		}
		if other.from == f.from {
			turn = figures
		}
		figures++
	}
	if turn < 0 || figures < 2 {
		return nil
	}
	for _, of := range []func(mention) bool{
		func(mention) bool { return true }, func(m mention) bool { return m.place }, func(m mention) bool { return !m.place },
	} {
		one := slices.DeleteFunc(slices.Clone(mentions), func(m mention) bool { return !of(m) })
		if len(one) != figures {
			continue
		}
		names = slices.Clone(one[turn].names)
		for _, m := range mentions {
			if !of(m) {
				names = append(names, m.names...)
			}
		}
		return names
	}
	return nil
}

// inName reports whether a figure is part of a name.
func inName(mentions []mention, f figure) bool {
	return slices.ContainsFunc(mentions, func(m mention) bool { return m.start <= f.from && f.to <= m.end })
}
