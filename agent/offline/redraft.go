package offline

import (
	"cmp"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// followDraft reads a message as the answer to a question about a draft, or as a change of a draft that was shown.
func (t *talk) followDraft(h *heard, way *view) *frame {
	last := t.last
	f := t.readAs(h, last.view, way)
	asked := t.missing(last)
	merged := *last
	d := *last.draft
	d.lines = slices.Clone(d.lines)
	merged.draft, merged.heard, merged.score, merged.unexplained, merged.used, merged.slot = &d, h, f.score, f.unexplained, f.used, f.slot
	if asked == nil { // the draft was complete: the message is a change or another question
		d.lines = t.linesOf(last)
		if merged.draft = d.revised(t.catalog, h, f.draft); merged.draft == nil && f.warehouse == "" {
			return nil
		}
		merged.draft = cmp.Or(merged.draft, &d)
		merged.warehouse, merged.ask = cmpOr(f.warehouse, last.warehouse), f.ask
		merged.unexplained = nil
		return &merged
	}
	if name := asked.chosen(h); name != "" {
		switch asked.slot {
		case "supplier":
			f.draft.supplier = name
		case "from_warehouse":
			f.draft.from = name
		case "to_warehouse":
			f.draft.to = name
		case "product":
			f.draft.lines = []line{{goods: t.named(name)}}
		}
		merged.unexplained = nil
	}
	merged.ask = nil
	if f.ask != nil {
		merged.ask = f.ask
	}
	for i := range f.draft.lines {
		if asked.slot == "percent" { // "by 15"
			f.draft.lines[i].like(last.draft.lines, h, t.drafts.By)
		}
	}
	d.more(f.draft, asked)
	d.untouched = f.draft.untouched
	d.leaveOut()
	merged.draft = &d
	if !slices.Contains(f.used, true) && len(merged.unexplained) > 0 {
		return nil
	}
	return &merged
}

// shownLine is a line of a draft or of a list as it was shown.
type shownLine struct {
	name  string
	units *decimal.Decimal
}

// linesOf returns the lines of the last frame's draft. Those of a draft of all that is short come from the draft itself.
func (t *talk) linesOf(last *frame) []line {
	if !last.draft.shortage || len(last.draft.lines) > 0 || t.shown == nil {
		return slices.Clone(last.draft.lines)
	}
	return t.linesFrom(t.shown(last.view.draft.Tool))
}

// linesFrom returns lines of a draft for those that were shown, one for each product.
func (t *talk) linesFrom(all []shownLine) (lines []line) {
	t.known.upTo(goodsRead)
	for _, shown := range all {
		goods := t.named(shown.name)
		at := slices.IndexFunc(lines, func(own line) bool { return own.goods.Overlaps(goods) })
		switch {
		case goods == nil:
		case at < 0:
			lines = append(lines, line{goods: goods, amount: shown.units})
		case shown.units != nil && lines[at].amount != nil: // the same product in another warehouse
			sum := lines[at].amount.Add(*shown.units)
			lines[at].amount = &sum
		}
	}
	return lines
}

// firstOf returns how many of a list a message means, "the first two", and the number of each that it names; 0 if it means none.
func (h *heard) firstOf() (rows int, each *decimal.Decimal) {
	for i := range h.tokens {
		if n, whole := h.small(i); whole && rows == 0 && (h.is(i-1, h.Top) || h.is(i-2, h.Top) && h.is(i-1, h.Rows)) {
			rows = n
		} else if h.tokens[i].Number != nil {
			each = h.tokens[i].Number
		}
	}
	return rows, each
}

// named returns the goods with exactly this name, or nil.
func (t *talk) named(name string) *naming.Choice {
	if t.known.goods == nil {
		return nil
	}
	return t.known.goods.Exactly(name)
}

// chosen returns the candidate that the user chooses by its number.
func (q *question) chosen(h *heard) string {
	for i := range h.tokens {
		if n, ok := h.small(i); ok && len(h.tokens) <= 3 && n <= len(q.candidates) {
			return q.candidates[n-1]
		}
		if n := calendar.Ordinal(h.tokens[i]); n > 0 && n <= len(q.candidates) {
			return q.candidates[n-1]
		}
	}
	return ""
}

// short reports whether a frame has shown what is below its minimum.
func (f *frame) short() bool { return f.report != nil && f.report.Missing == "shortage" }

// inheritDraft fills the draft of "закажи это" from the frame before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	if rows, each := h.firstOf(); rows > 0 && f.view.draft != t.drafts.Price && f.goods == nil && t.listed != nil {
		if all := t.listed(last); len(all) > 0 {
			d.lines = t.linesFrom(all[:min(rows, len(all))])
		}
		for i := range d.lines {
			d.lines[i].amount = cmp.Or(each, d.lines[i].amount)
		}
	}
	if f.view.draft == t.drafts.Order && last.short() && len(d.lines) == 0 {
		d.shortage = true
		f.warehouse = cmpOr(f.warehouse, last.warehouse)
		if d.supplier == "" && d.supplierSaid == "" {
			d.supplier = cmpOr(last.party, t.supplier(last.partySaid, h))
		}
		if d.supplier == "" && d.supplierSaid == "" && last.sort != "" && last.report.Tool == "shortage_by_supplier" && t.referent != nil {
			d.supplier = t.referent(last, 1, "supplier")
		}
		return
	}
	unsaid := f.view.draft == t.drafts.Order && d.supplier == "" && d.supplierSaid == ""
	if unsaid && last.report != nil && last.report.Tool == "search_products" && t.referent != nil {
		d.supplier = t.referent(last, 1, "supplier")
	}
	switch spoken := cmpOr(last.warehouse, one(last.mentioned.warehouse)); {
	case f.view.draft != t.drafts.Transfer || !anaphor || spoken == "" || spoken == d.from || spoken == d.to:
	case d.to == "" && (d.from != "" || h.has(t.drafts.There)):
		d.to = spoken
	case d.from == "":
		d.from = spoken
	}
	for i := range d.lines {
		switch l := &d.lines[i]; {
		case last.goods == nil:
		case l.goods == nil && l.said == "":
			l.goods = last.goods
		case l.goods != nil && len(l.goods.Names) > 1:
			l.goods = last.goods.Narrowed(l.goods)
		}
	}
	if len(d.lines) == 1 && d.lines[0].goods == nil { // "25 of the first one"
		if t.inheritPlace(f, h, true); f.goods != nil {
			d.lines[0].goods, d.lines[0].said = f.goods, ""
		}
	}
	if len(d.lines) == 0 && anaphor && last.goods != nil {
		d.lines = []line{{goods: last.goods}}
	}
}

// supplier returns the account's supplier for the user's words.
func (t *talk) supplier(said string, h *heard) string {
	if said == "" || t.known.supplier == nil {
		return ""
	}
	again := t.catalog.hear(said, h.lang, t.today, "", t.known)
	if len(again.suppliers) == 1 {
		return again.suppliers[0].Named()
	}
	return ""
}
