package grounding

import (
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// Totals of a result are told as a product's, and a product's figures as the whole shop's: both are right figures of the
// wrong thing, and easily believed.

// parted stands between a name and a figure that is not of it, or not of it alone.
var parted = expression.Of(`[,;(]|\. |.\d| (?:и|а|но|из|and|but|while|of) |всего|итог|общ|вс[еяю] |всем|весь|total|overall|all `)

// directly reports whether a passage tells a figure of what it names, with nothing between them.
func (p passage) directly(f figure) bool {
	if p.cell {
		return len(p.subjects) > 0 && !parted.MatchString(p.over.head+" ")
	}
	for _, m := range p.mentions() {
		switch {
		case f.after <= m.end && m.end <= f.start && !parted.MatchString(p.text[m.end:f.start]):
			return true
		case f.end <= m.start && !m.opens: // what parts it from this one parts it from those behind
			between := p.text[f.end-1 : m.start] // a full stop may end the figure
			return !parted.MatchString(between) && !strings.Contains(between, ": ")
		}
	}
	return false
}

// sundered stands between a thing and the figure of a place that is not told of the thing: commas and other figures do not part
// them, "Рога: на Основном 5, в Шоуруме 7".
var sundered = expression.Of(`[;(]|\. | (?:а|но|из|but|while|of) |всего|итог|общ|вс[еяю] |всем|весь|total|overall|all `)

// inPlace reports whether a passage tells a figure of a thing in some place: "Рога на складе Основной — 757 шт.".
func (p passage) inPlace(f figure) bool {
	if p.cell {
		return false
	}
	for _, m := range p.mentions() {
		switch {
		case m.place:
		case m.end <= f.start && !sundered.MatchString(bracketed.ReplaceAllString(p.text[m.end:f.start], " ")):
			return true
		case f.end <= m.start && !m.opens && !parted.MatchString(strings.TrimPrefix(p.text[f.end:m.start], ".")):
			return true
		}
	}
	return false
}

// bracketed is what a name has in brackets behind it, such as its warehouse.
var bracketed = expression.Of(`^["»”]? \([^()]*\)`)

// hasPart reports whether the scope has some rows of a result and not all of them, so that the result's totals are not of
// it. Rows of places are none of a thing's, and what lies nowhere is none of a place's.
func (s scope) hasPart(rows []*subject, isPlace map[string]bool) bool {
	inside, outside := false, false
	for _, row := range rows {
		place := isPlace[row.name]
		switch {
		case s.holds(row):
			inside = true
		case len(s.things) > 0 && !place, len(s.things) == 0 && (place || len(row.also) > 0):
			outside = true
		}
	}
	return inside && outside
}

// ofAll leads to a figure of the whole shop.
var ofAll = expression.Of(`(?:общ(?:ая|ий|ую|его|ей) (?:чист[а-я]+ )?(?:выручк|прибыл|себестоимост|остат|долг|задолженност)[а-я]*|(?:(?:весь|наш|мой|ваш) склад|склад стоит|склад на сумму)|вс(?:я|ю|ей) (?:выручк|прибыл)[а-я]*|стоимость склада|(?:выручк|прибыл)[а-я]* (?:всего |нашего |вашего )?(?:магазина|бизнеса|компании)` +
	`|(?:total|overall) (?:net )?(?:revenue|profit|sales|stock|cost|debt)|all (?:our|your|the) (?:revenue|profit|stock)|(?:the|your|our) (?:whole |entire )?stock)` +
	`(?: (?:за|в|for|in) [\p{L}\d]{2,20}(?: \d{4}(?: года?)?)?)?(?: (?:составил[аио]?|составляет|равн[аоы]|стоит|is|was|is worth|amounts to|came to|на))?[ :—-]*$`)

// misses reports whether a figure is told of other rows than an entry is of: a total as one row's, a row's as everything's,
// or the zero of something else as that of a thing.
func (c *Check) misses(p passage, f figure, s scope, e entry) bool {
	named := len(s.things)+len(s.places) > 0
	switch {
	case e.among == nil: // of no field
		return false
	case e.of != nil && c.shared[e.of.name] && p.inPlace(f):
		return true // a warehouse's figure as that of what lies there
	case e.of == nil && named && p.directly(f):
		return s.hasPart(*e.among, c.shared) || isZero(f) && len(s.things) > 0 && p.measure(f) == nil
	case e.of != nil && !named:
		return ofAll.MatchString(lead(p.text[:f.start])) || isZero(f) && len(*e.among) > 1 && ofShop(e)
	}
	return e.of != nil && isZero(f) && !p.tellsSide(e.field)
}

// ofShop tells the fields of a row that a shop has too: its zero without the row's name would be the shop's.
var ofShop = inField(`profit|revenue|balance$`)

func isZero(f figure) bool { return len(f.readings) > 0 && f.readings[0].value.IsZero() }

// sides are the fields of a row whose zero is easily taken for an empty stock, with the words that tell them.
var sides = []struct {
	field string
	words *expression.Expression
}{
	{"reserved", expression.Of(`резерв|брон|reserv`)},
	{"in_transit", expression.Of(`пути|ожид|заказ|поступ|приход|transit|order|incoming|expected`)},
	{"sold_units", expression.Of(`прода|реализ|sold|sale|sell`)},
}

// tellsSide reports whether a passage names what a field is of, where that must be named.
func (p passage) tellsSide(field string) bool {
	for _, side := range sides {
		if strings.HasSuffix(field, side.field) {
			return side.words.MatchString(p.label + " " + p.text)
		}
	}
	return true
}
