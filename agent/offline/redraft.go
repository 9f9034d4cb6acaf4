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
	d.more(f.draft, asked)
	merged.draft = &d
	if !slices.Contains(f.used, true) && len(merged.unexplained) > 0 {
		return nil
	}
	return &merged
}

// shownLine is a line of a draft as it was shown.
type shownLine struct {
	name  string
	units decimal.Decimal
}

// linesOf returns the lines of the last frame's draft. Those of a draft of all that is short come from the draft itself.
func (t *talk) linesOf(last *frame) []line {
	if !last.draft.shortage || len(last.draft.lines) > 0 || t.shown == nil {
		return slices.Clone(last.draft.lines)
	}
	t.known.upTo(goodsRead)
	var lines []line
	for _, shown := range t.shown(last.view.draft.Tool) {
		if goods := t.named(shown.name); goods != nil {
			lines = append(lines, line{goods: goods, amount: &shown.units})
		}
	}
	return lines
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
func (f *frame) short() bool {
	return f.report != nil && (f.report.Tool == "shortage_by_supplier" || f.report.Tool == "below_minimum")
}

// inheritDraft fills the draft of "закажи это" from the frame before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
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
	if f.view.draft == t.drafts.Transfer && anaphor && d.from == "" && last.warehouse != d.to {
		d.from = last.warehouse
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
