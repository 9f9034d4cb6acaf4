package grounding

import (
	"slices"

	"github.com/kopeck/kopeck/agent/expression"
)

// respectively stands in a sentence whose figures are in the order of its names: "на складах А и Б — 12 и 30 шт соответственно".
var respectively = expression.Of(`(?:^|[^\p{L}])(?:соответственно|respectively)(?:[^\p{L}]|$)`)

// inTurn are the names that a figure is of in such a sentence, or in one with figures right behind a pair of names. There is a
// figure for each of the things, or of the places, or several rounds of them: it is of the one whose turn it is, and of all others
// that are named. It is of none where the numbers do not agree.
func (p passage) inTurn(f figure) (names []string) {
	if len(p.figures) < 2 {
		return nil
	}
	mentions := p.enumerated()
	if len(mentions) < 2 {
		return nil
	}
	figures := p.counting()
	turn := slices.IndexFunc(figures, func(other figure) bool { return other.from == f.from })
	if turn < 0 || len(figures) < 2 {
		return nil
	}
	said := anyOf(p.text, "соответственно", "respectively") && respectively.MatchString(p.text)
	for _, of := range []func(mention) bool{
		func(m mention) bool { return m.place }, func(m mention) bool { return !m.place }, func(mention) bool { return true },
	} {
		one := slices.DeleteFunc(slices.Clone(mentions), func(m mention) bool { return !of(m) })
		if len(one) < 2 || len(figures)%len(one) != 0 || !(said && p.enumerates(one) || p.paired(one, figures)) {
			continue
		}
		names = slices.Clone(one[turn%len(one)].names)
		for _, m := range mentions {
			if !of(m) {
				names = append(names, m.names...)
			}
		}
		return names
	}
	return nil
}

// figuresBeside are those of a passage that are no part of a name or of a date.
func (p passage) figuresBeside(mentions []mention) []figure {
	return slices.DeleteFunc(slices.Clone(p.figures), func(f figure) bool { return inName(mentions, f) || exempt(p, f) })
}

// enumerates reports whether a passage has nothing between names but what parts those of one enumeration.
func (p passage) enumerates(mentions []mention) bool {
	for i := 1; i < len(mentions); i++ {
		if !parting.MatchString(p.text[mentions[i-1].end:mentions[i].start]) {
			return false
		}
	}
	return true
}

// paired reports whether a passage has as many figures right behind names, one by one: "Ozon и Wildberries: 83 и 50 ₽", "Ozon
// обогнал Wildberries: 83 против 50 ₽".
func (p passage) paired(mentions []mention, figures []figure) bool {
	if last := mentions[len(mentions)-1].end; len(figures) != len(mentions) || figures[0].start < last || !leading.MatchString(p.text[last:figures[0].start]) {
		return false
	}
	for i := 1; i < len(figures); i++ {
		if !joining.MatchString(p.text[figures[i-1].end:max(figures[i-1].end, figures[i].start)]) {
			return false
		}
	}
	return true
}

var (
	leading = expression.Of(`^["»”)]?(?::| [—-]) $`)
	joining = expression.Of(`^\.?(?:,|,? и|,? and| против| versus| vs\.?) $`)
)

var parting = expression.Of(`^["«»„“”]?(?:,| и| and|, (?:и|and|а также)| а также) (?:на )?(?:склад[а-я]* |ооо |ип )?["«»„“”]?$`)

// inName reports whether a figure is part of a name.
func inName(mentions []mention, f figure) bool {
	return slices.ContainsFunc(mentions, func(m mention) bool { return m.start <= f.from && f.to <= m.end })
}
