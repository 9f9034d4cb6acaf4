package offline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/schemas/bilingual"
)

// inherit fills a new question from the frame before if the question refers to it: "их", "там", or "а прибыль?" about the same report.
func (t *talk) inherit(f *frame, h *heard) {
	last, anaphor := t.last, h.has(t.Anaphor)
	f.recall(last)
	switch {
	case f.view.draft != nil:
		t.inheritDraft(f, h, anaphor)
		return
	case f.report == nil:
		return
	}
	if f.report.Slots.Number != "" && !f.named() {
		f.Number = last.heard.orderNumber()
	}
	goods := last.listsGoods() && last.goods.One() == ""                                     // "them" are these
	all := h.has(h.Several) && last.sort == "" && last.limit != 1 && last.report == f.report // "and we them?" after all debtors
	if h.meansParty() && !all && !goods && f.report.Slots.Party != "" && !f.fills("party") && !last.fills("party") {
		f.partySaid = cmp.Or(t.standing(1, "supplier"), t.standing(1, "counterparty"))
	}
	t.inheritPlace(f, h, true)
	t.inheritList(f, h, h.has(t.Several))
	switch {
	case anaphor, last.inDoubt(), last.report == f.report && (h.is(0, t.Follow) || !f.named() || f.onlySlots() || f.Mode == "compare"):
		f.take(last)
		t.takeBoth(f)
	case last.report == f.report:
		f.takeTime(last)
		switch {
		case last.goods == nil:
		case f.goods != nil && !f.decided(): // "how much of Polus" after dried apricots
			f.narrow(last)
		case f.goods == nil && f.report.Named && len(f.periods) == 0 && !h.has(t.Which): // "how many must I order for a month?"
			f.goods = last.goods.Earlier()
		}
	case f.showsShortage() && last.showsShortage() && !f.namesMore(): // "what is below its minimum there?" "how much money does it take?"
		f.takeNames(last)
	case last.draft != nil && f.report.Named && f.goods == nil && f.warehouse != "" && f.Measure != "money" && h.has(t.Question) &&
		!h.has(t.Which):
		f.goods = last.goods.Earlier() // "how many are left at the main one?"
	case last.draft != nil && len(f.periods) > 0: // "the profit of October" is not of what was ordered
	case f.goods == nil && !f.namesMore() && f.asksOf(last):
		f.goods = last.goods.Earlier()
	}
	brief := !f.namesMore() && !h.everywhere() && (h.is(0, t.Follow) || len(h.contents()) < 2)
	if brief && f.report.Slots.Warehouse != "" && !h.allOf(t.Place) { // "and what is slow?" after the dead stock of a warehouse
		f.warehouse = cmp.Or(last.warehouse, one(last.heard.warehouses))
	}
	if brief && f.report.Slots.Channel != "" && f.choices["group_by"] == "" && !h.allOf(t.Channels) {
		f.channel = cmp.Or(last.channel, one(last.heard.channels))
	}
	if brief && f.Happens && last.report != f.report && len(f.periods) == 0 { // "and orders?" after the sales of a day
		f.periods = last.periods
	}
	if f.goods == nil && slices.Contains(f.Needs, "goods") && last.goods != nil {
		f.goods = last.goods
	}
	if f.fills(f.lacking) {
		f.lacking = ""
	}
}

// onlySlots reports whether a message says nothing but the values of slots: "за сентябрь".
func (f *frame) onlySlots() bool {
	return all(f.heard.contents(), func(i int) bool { return f.slot[i] })
}

// meansParty reports whether a message refers to somebody: "ему", "of their items", but not "which of them" or "minus what they owe".
func (h *heard) meansParty() bool {
	person := h.first(h.Persons)
	return person >= 0 && !h.excepted(person-1) && (!h.is(person-1, h.Of) || person+1 < len(h.tokens) && naming.IsGeneric(h.tokens[person+1]))
}

// inheritPlace reads what a message means by its place in the list before: "the second". If it is set, the word "it" means the first of a
// ranking.
func (t *talk) inheritPlace(f *frame, h *heard, it bool) {
	goods := f.report == nil || f.report.Slots.Goods != ""
	if !goods && (f.report.Slots.Party == "" || f.fills("party")) || f.goods != nil || t.last.goods.One() != "" {
		return
	}
	place := 0
	one := func(i int) bool { return h.is(i, t.Single) || h.is(i, t.Anaphor) && h.is(i+1, t.One) }
	percent := f.Mode == "share" && h.has(t.Anaphor) && len(f.periods) == 0 && // "what percent is that?"
		t.last.limit < 2 && t.last.choices["group_by"] == ""
	elsewhere := f.view == t.stocked && f.warehouse != "" // "the cheapest mug at Main" "and in the showroom?"
	if it && t.last.sort != "" && !elsewhere && (percent || h.any(one) || t.last.namesFirst() && f.asksOf(t.last)) {
		place = 1
	}
	for i, token := range h.tokens {
		counts := i+1 < len(h.tokens) && h.tokens[i+1].Number != nil // "the first three"
		ends := i+1 == len(h.tokens) || h.tokens[i+1].Mark
		numeral := token.Number != nil && strings.Trim(token.Text, "0123456789") == token.Text   // «пять» is like «пятый»
		sorts := ends && i > 0 && h.content(i-1) && !token.Cyrillic()                            // "longest first"
		ranks := f.slot[i] && !h.has(t.Sort) && slices.Contains([]int{i, i - 1}, h.first(t.Top)) // "first" can also ask for an order
		if n := calendar.Ordinal(token); n > 0 && (!f.slot[i] || ranks) && !h.timed(i) && !t.beside(h, i) && !numeral && !counts && !sorts {
			place = n
			f.explain(i)
			break
		}
	}
	switch {
	case place == 0:
	case !goods && f.report.Slots.Number != "":
		f.Number = cmp.Or(t.placed(place, "number"), f.Number)
	case !goods:
		f.partySaid = cmp.Or(t.placed(place, "counterparty"), t.placed(place, "supplier"))
	case t.last.choices["group_by"] == "channel" && f.report != nil && f.report.Slots.Channel == "group":
		f.channel = cmp.Or(f.channel, t.placed(place, "name"))
	default:
		f.goods = t.named(t.placed(place, "name"))
	}
}

// namesFirst reports whether the answer was one thing: "the cheapest notebook", but not "the top five" or «самые дорогие».
func (f *frame) namesFirst() bool {
	h := f.heard
	several := func(i int) bool {
		return (h.is(i, h.Top) || h.is(i, h.Bottom) || h.is(i, h.Rows)) && h.tokens[i].Plural()
	}
	return f.sort != "" && f.limit < 2 && (f.goods != nil || h.has(h.Rows)) && !h.any(several)
}

// asksOf reports whether a question that names no goods is about those spoken of: "how many left", "price?", "which are slow?", but not
// "what is slow?"
func (f *frame) asksOf(last *frame) bool {
	h := f.heard
	if f.report == nil || f.sort != "" && !h.has(h.PartWhich) || f.limit > 1 || h.has(h.Rows) || h.has(h.Several) {
		return false
	}
	lists := h.has(h.Which) && (f.Measure == "" || f.Measure == f.report.Order) // not in "what margin?"
	named := f.report.Named && !lists || f.report.Slots.Goods != "" && h.has(h.PartWhich)
	return slices.Contains(f.Needs, "goods") || f.report != last.report && named && !h.everywhere()
}

// placed returns what the list before has at a place: the last one, or that before it if the last has not as many rows.
func (t *talk) placed(place int, field string) string {
	for e := t.last; e != nil && e.report == t.last.report; e = e.earlier {
		if value := t.shown(e)(place, field); value != "" {
			return value
		}
	}
	return ""
}

// inheritList limits a question to the goods of the list before: "how many of those are in stock", the prices of what one warehouse has, or
// "how many are left?" after those up to a price.
func (t *talk) inheritList(f *frame, h *heard, those bool) {
	last := t.last
	if last == nil || f.report == last.report || !f.listsGoods() || !last.listsGoods() || f.goods != nil {
		return
	}
	there, ranked := last.warehouse != "" && f.report.Slots.Channel == "price", last.sort != "" && last.Means != ""
	some := len(last.thresholds) > 0 || last.limit > 1 || ranked // of the goods that it names
	if last.goods == nil && !those && !there || last.goods != nil && !(some && (those || h.has(t.Anaphor) || f.asksOf(last))) {
		return
	}
	rows, list, by := cmp.Or(last.limit, mostRows), t.shown(last), last.orderedBy()
	if ranked && last.limit < 2 { // the dearest
		for rows = 1; rows < mostRows && list(rows+1, by) == list(1, by); rows++ {
		}
	}
	names := t.listed(rows)
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { // its variants are there
		return slices.ContainsFunc(names, func(other string) bool { return strings.HasPrefix(other, name+" (") })
	})
	said := bilingual.Text{RU: "товары из списка", EN: "the listed products"}
	if f.goods = t.known.goods.Called(said.In(h.lang), names...); f.goods != nil {
		f.goods.Listed = true
	}
}

// orderNumber returns what may be an order's number: a token with four digits or more.
func (h *heard) orderNumber() string {
	if i := h.find(h.isOrder); i >= 0 {
		return h.tokens[i].Text
	}
	return ""
}

func (h *heard) isOrder(i int) bool {
	return fourDigits.MatchString(h.tokens[i].Text) && !h.timed(i)
}

var fourDigits = regexp.MustCompile(`(\d.*){4}`)
