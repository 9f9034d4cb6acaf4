package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// inherit fills a new question from the frame before if the question refers to it: "их", "там", or "а прибыль?" about the same report.
func (t *talk) inherit(f *frame, h *heard) {
	last, anaphor := t.last, h.has(t.Anaphor)
	f.recall(last)
	begins := h.is(0, t.Follow) && (len(h.tokens) < 6 || last.report == f.report)
	switch {
	case f.view.draft != nil:
		t.inheritDraft(f, h, anaphor)
		return
	case f.report == nil:
		return
	case f.Mode == "compare" && last.report == f.report:
		f.regard(last, f.Mode)
		f.take(last)
		return
	}
	if f.report.Slots.Number != "" && !f.named() {
		f.Number = last.heard.orderNumber()
	}
	if h.meansParty() {
		if f.report.Supplier != "" && last.report != nil && last.report.Slots.Party == "debts" {
			*f = *t.readAs(h, t.byTool[f.report.Supplier].Views[0], f.view)
		}
		if f.report.Slots.Party != "" && !f.fills("party") && !last.fills("party") {
			f.partySaid = t.standing(1, "supplier", "counterparty")
		}
	}
	t.inheritPlace(f, h, true)
	t.inheritList(f, h)
	ofShop := len(f.periods) > 0 && h.has(t.OfShop) // "profit in October" stands alone, "sold in October?" does not
	switch {
	case last.report == f.report && (begins || anaphor || !f.named() || f.onlySlots()),
		anaphor, begins && last.report == nil, last.inDoubt():
		f.take(last)
	case last.report != f.report && (f.report.Named && h.short() || h.bare()) && f.report.Slots.Goods != "" && f.goods == nil &&
		!f.namesMore() && !ofShop && !h.has(t.Which):
		f.goods = last.goods.Earlier()
	case last.report == f.report:
		f.takeTime(last)
		if f.goods != nil && last.goods != nil && !f.decided() { // "how much of Polus" after dried apricots
			f.goods = last.goods.Narrowed(f.goods)
		}
	}
	if f.goods == nil && slices.Contains(f.Needs, "goods") && last.goods != nil {
		f.goods = last.goods
	}
	if f.fills(f.lacking) {
		f.lacking = ""
	}
}

// untimed counts the words of a message beside those for time.
func (h *heard) untimed() (words int) {
	for i, token := range h.tokens {
		if !token.Mark && !h.timed(i) {
			words++
		}
	}
	return words
}

// short reports whether a message has few words beside its periods.
func (h *heard) short() bool { return h.untimed() <= 6 }

// bare reports whether a message is two words without a question word, and so has no subject of its own: "Давно лежат?"
func (h *heard) bare() bool { return h.untimed() == 2 && !h.has(h.Question) }

// onlySlots reports whether a message says nothing but the values of slots: "за сентябрь".
func (f *frame) onlySlots() bool {
	return all(f.heard.contents(), func(i int) bool { return f.slot[i] })
}

// meansParty reports whether a message refers to somebody: "ему", "этому поставщику".
func (h *heard) meansParty() bool {
	person := h.first(h.Persons)
	apart := h.is(person-1, h.PartOf) || h.is(person-1, h.Of) // "which of them"
	this := func(i int) bool { return h.is(i-1, h.Single) && naming.IsGeneric(h.tokens[i]) }
	return person >= 0 && !apart || slices.ContainsFunc(h.contents(), this)
}

// pointsAt reports whether a message refers to goods of the list before, by their place or a pronoun.
func (h *heard) pointsAt(c *catalog) bool {
	return h.has(c.Single) || slices.ContainsFunc(h.tokens, func(t words.Token) bool { return calendar.Ordinal(t) > 0 })
}

// inheritPlace reads a product by its place in the list before. With it set, the word "it" means the first.
func (t *talk) inheritPlace(f *frame, h *heard, it bool) {
	goods := f.report == nil || f.report.Slots.Goods != ""
	if last := t.last; f.report == last.report && last.choices["group_by"] == "channel" && !f.namesMore() {
		for place := 1; it && h.has(t.Single) && place <= 2 && (f.channel == "" || f.channel == tools.NoSalesChannel); place++ {
			f.channel = cmp.Or(last.channel, t.standing(place, "name"))
		}
		return
	}
	if !goods && (f.report.Slots.Party == "" || f.fills("party")) || f.goods != nil || t.last.goods.One() != "" {
		return
	}
	place, first := 0, t.last.report == nil || t.last.sort != "" // an answer about all stock names no first row that "it" may mean
	if it && first && (goods || !t.last.fills("party")) && h.any(func(i int) bool {
		much := h.is(i-2, t.Amounts) && t.last.sort != "" // "how much of it" after the best or the worst
		of := h.is(i-1, t.PartOf) || f.draft == nil && h.is(i-1, t.Of) && !much
		return (h.is(i, t.Single) || h.is(i, t.Anaphor) && h.is(i+1, t.One)) && !h.timed(i) && !of
	}) {
		place = 1
	}
	for i := range h.tokens {
		counts := i+1 < len(h.tokens) && (h.tokens[i+1].Number != nil || h.is(i+1, t.Top)) // "the first three"
		order := h.is(i-1, t.Top) || h.is(i-1, t.Bottom)                                   // "smallest first"
		ranks := f.slot[i] && !f.sorts && h.first(t.Top) == i && !h.has(t.Bottom)          // "first" can also ask for an order
		if n := calendar.Ordinal(h.tokens[i]); n > 0 && (!f.slot[i] || ranks) && !h.timed(i) && !t.beside(h, i) && !counts && !order {
			if place = n; ranks {
				f.sort, f.limit = "", 0
			}
			f.explain(i)
			break
		}
	}
	switch {
	case place == 0:
	case !goods && f.report.Slots.Number != "":
		f.Number = cmp.Or(t.standing(place, "number"), f.Number)
	case !goods:
		f.partySaid = t.standing(place, "counterparty", "supplier")
	default:
		if name := t.standing(place, "name"); name != "" {
			f.goods = t.named(name)
		}
	}
}

// inheritList limits a question to the goods of the list before: "how many of those are in stock".
func (t *talk) inheritList(f *frame, h *heard) {
	last := t.last
	lists := f.listsGoods() && last.listsGoods() && f.report != last.report
	if !lists || f.goods != nil || last.goods != nil || !h.has(t.Several) && !h.part() || last.isAllStock() {
		return
	}
	names := t.listed(cmp.Or(last.limit, mostRows))
	listed := bilingual.Text{RU: "%d %s из списка", EN: "%d listed %s"}
	if len(strings.Join(names, "")) > longestNames { // those that the answer has shown
		names, listed = names[:min(len(names), usualRows)], bilingual.Text{RU: "%d первых %s из списка", EN: "the first %d listed %s"}
	}
	forms := bilingual.Text{RU: "товар товара товаров", EN: "product products"}
	said := fmt.Sprintf(listed.In(h.lang), len(names), pluralOf(h.lang, int64(len(names)), strings.Fields(forms.In(h.lang))))
	if goods := t.known.goods.Among(names, said); goods != nil && len(strings.Join(goods.Names, "")) < longestNames {
		f.goods = goods
	}
}

// isAllStock reports whether a frame is about all that lies in a warehouse. "How much of that is dead" is then about the warehouse.
func (f *frame) isAllStock() bool {
	return f.report.Tool == "stock" && f.Where == "" && f.threshold == nil && f.sort == "" && f.limit == 0
}

// orderNumber returns what may be an order's number: a token with four digits or more.
func (h *heard) orderNumber() string {
	if i := h.find(h.isOrder); i >= 0 {
		return h.tokens[i].Text
	}
	return ""
}

func (h *heard) isOrder(i int) bool {
	const least = 4
	digits := 0
	for _, r := range h.tokens[i].Text {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= least && !h.timed(i)
}
