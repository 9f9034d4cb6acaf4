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

// inheritLines makes the lines of a draft from the rows that were shown: "the five most expensive", "10 of each", a change of the prices of
// all of them, and an order of what a list says to order.
func (t *talk) inheritLines(f *frame, h *heard) {
	last, d, own, price := t.last, f.draft, line{}, f.view.draft == t.drafts.Price
	if len(d.lines) == 1 {
		own = d.lines[0]
	}
	if !last.listsGoods() || last.goods.One() != "" || len(d.lines) > 1 || !own.unnamed() {
		return
	}
	orders := f.view.draft == t.drafts.Order && last.report.Orders != "" && d.values["supplier"] != "" && own.amount == nil
	rows, list := f.limit, t.shown(last)
	if rows == 0 && (price && (h.has(t.Several) || h.has(t.All)) || h.says(t.drafts.EveryOne) || orders && len(d.lines) == 1) {
		if rows = last.limit; rows == 0 && list(mostRows+1, "name") == "" { // else nobody means all of them
			rows = mostRows
		}
	}
	if rows < 2 {
		return
	}
	all := &draft{}
	for place, name := range t.listed(mostRows) {
		l := own
		if l.goods = t.named(name).Active(); l.goods == nil {
			d.skipped = append(d.skipped, name)
			continue
		}
		if orders {
			units, err := decimal.NewFromString(list(place+1, last.report.Orders))
			if err != nil || !units.IsPositive() {
				continue
			}
			l.amount = &units
		}
		if !all.named(l) { // the same in two warehouses
			all.lines = append(all.lines, l)
		}
		if len(all.lines) == rows {
			break
		}
	}
	if len(all.lines) > 0 {
		d.lines = all.lines
	}
}

// goodsSpokenOf returns the goods that "12 of those" means: the only product of the list before, the first of a ranking, or those that the
// answer was about.
func (t *talk) goodsSpokenOf() *naming.Choice {
	last := t.last
	first := last.sort != "" && last.limit <= 1 || t.standing(2, "name") == ""
	if last.goods.One() != "" || !first {
		return last.goods.Active()
	}
	return cmp.Or(t.named(t.standing(1, "name")), last.goods).Active()
}

// supplierSpokenOf returns the supplier of the frame before: the one that was named, or that of the product that was found. It is empty if
// none was.
func (t *talk) supplierSpokenOf(h *heard) string {
	last := t.last
	if said := cmp.Or(last.party, last.partySaid); said != "" {
		return one(t.catalog.hear(said, h.lang, t.today, nil, t.known).suppliers)
	}
	if last.tool == "shortage_by_supplier" && last.sort != "" || last.tool == "search_products" {
		return t.standing(1, "supplier")
	}
	return ""
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
