package offline

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// inheritDraft completes the draft of a message such as "order it" by what was spoken of before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	placed := h.any(func(i int) bool { return calendar.Ordinal(h.tokens[i]) > 0 }) // "the second one"
	switch f.view.draft {
	case t.drafts.Order:
		if f.ask == nil && d.values["supplier"] == "" {
			d.set("supplier", t.supplierSpokenOf(h))
		}
		if last.showsShortage() && len(d.lines) == 0 && f.limit == 0 && !placed {
			d.shortage = true
			d.set("warehouse", cmp.Or(d.values["warehouse"], last.warehouse))
			return
		}
	case t.drafts.Transfer:
		if last.showsShortage() && len(d.lines) == 0 {
			d.shortage = true
			d.set("to_warehouse", cmp.Or(d.values["to_warehouse"], last.warehouse))
			d.set("from_warehouse", cmp.Or(d.values["from_warehouse"], last.source))
			return
		}
		if anaphor || slices.ContainsFunc(d.lines, line.unnamed) { // "send 4 to Ozon"
			t.inheritRoute(d, h)
		}
	}
	if len(d.lines) == 0 && (anaphor || placed || last.report != nil && last.report.Orders != "") && !d.shortage {
		d.lines = []line{{}}
	}
	t.inheritLines(f, h)
	if len(d.lines) == 1 && d.lines[0].unnamed() { // "25 of the first one"
		t.inheritPlace(f, h, true)
		d.lines[0].goods = f.goods
	}
	spoken := line{goods: t.goodsSpokenOf()}
	if last.report != nil && spoken.goods.One() != "" { // "order it" after "13 pcs to order"
		if units, err := decimal.NewFromString(t.standing(1, last.report.Orders)); err == nil {
			spoken.amount = &units
		}
	}
	for i, l := range d.lines {
		if l.goods != nil || l.unnamed() {
			d.lines[i] = l.after(spoken)
		}
	}
	f.prepares(d)
}

// inheritRoute takes the warehouse spoken of as the source or the target that a transfer lacks.
func (t *talk) inheritRoute(d *draft, h *heard) {
	from, to := d.values["from_warehouse"], d.values["to_warehouse"]
	switch spoken := cmp.Or(t.last.warehouse, one(t.last.heard.warehouses)); {
	case spoken == from, spoken == to:
	case to == "" && (from != "" || h.has(t.drafts.There)):
		d.set("to_warehouse", spoken)
	case from == "":
		d.set("from_warehouse", spoken)
	}
}

// showsShortage reports whether a frame has shown what is below its minimum.
func (f *frame) showsShortage() bool { return f.report != nil && f.report.Shortage }

// listed returns the names in the first rows that the last frame has shown.
func (t *talk) listed(rows int) (names []string) {
	t.known.upTo(goodsRead)
	list := t.shown(t.last)
	for place := 1; place <= rows && list(place, "name") != ""; place++ {
		names = append(names, list(place, "name"))
	}
	return names
}

// named returns the goods with exactly this name, or nil.
func (t *talk) named(name string) *naming.Choice {
	t.known.upTo(goodsRead)
	return t.known.goods.Called(name, name)
}

// standing returns what stands in a field of the list that the last frame has shown, or "".
func (t *talk) standing(place int, field string) string { return t.shown(t.last)(place, field) }
