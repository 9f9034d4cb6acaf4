package offline

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// followDraft takes a message, read as a draft, for the answer to a question about the last draft, or for a change of it: another supplier,
// warehouse or number, or more lines. It returns nil if the message changes nothing.
func (t *talk) followDraft(h *heard, f *frame) *frame {
	last, asked, said := t.last, t.missing(t.last), f.draft
	part := func(i int) bool { return h.tokens[i].Percent && h.tokens[i].IsWord() } // "half of it"
	removes := h.has(t.drafts.Remove) && !h.has(t.drafts.Price.Lower)
	if h.any(part) || removes || last.draft.shortage && len(said.lines) > 0 {
		said = &draft{} // the user must say the whole draft again
	}
	next := *last.draft
	next.lines, next.values, next.corrects = slices.Clone(next.lines), maps.Clone(next.values), asked == nil
	if name := t.chosen(asked, h); name != "" {
		if asked.slot == "product" {
			said.lines = []line{{goods: t.named(name)}}
		} else {
			said.values = map[string]string{asked.slot: name}
		}
	}
	switch to := said.values["to_warehouse"]; {
	case asked != nil && asked.slot == "from_warehouse" && said.values[asked.slot] == "": // the place that the question is about
		said.values = map[string]string{asked.slot: to}
	case asked == nil && last.view.draft == t.drafts.Transfer && h.has(t.drafts.Back): // "and 2 back"
		next.values["from_warehouse"], next.values["to_warehouse"] = next.values["to_warehouse"], next.values["from_warehouse"]
	}
	maps.Copy(next.values, said.values)
	priced := last.view.draft == t.drafts.Order && (asked != nil || h.is(h.number()-1, t.drafts.PriceAt)) && !h.has(t.Units)
	if own, l := next.only(), said.only(); priced && own != nil && own.amount != nil && l != nil && l.unnamed() {
		l.price, l.amount = cmp.Or(l.price, l.amount), nil // "Romashka, 350 each": how many was said before
	}
	for _, l := range said.lines {
		next.put(t.catalog, h, l, asked != nil)
	}
	if asked == nil && maps.Equal(next.values, last.draft.values) && slices.Equal(next.lines, last.draft.lines) {
		return nil
	}
	merged := *last
	merged.draft, merged.operation = &next, nil
	if l := next.only(); l != nil {
		merged.goods = l.goods
	}
	merged.ask, merged.unexplained = f.ask, nil
	merged.heard, merged.score, merged.used, merged.slot = h, f.score, f.used, f.slot
	return &merged
}

// put changes the line that a part of a message is about, or adds the part as a line. lacks says that the draft is not complete.
func (d *draft) put(c *catalog, h *heard, l line, lacks bool) {
	if at := d.about(l, lacks); at >= 0 {
		d.lines[at].take(c, h, l)
	} else if lacks || l.amount != nil && !l.unnamed() {
		d.lines = append(d.lines, l)
	}
}

// about returns the line that a part of a message is about, or -1. A draft that lacks something may lack the part's goods.
func (d *draft) about(l line, lacks bool) int {
	if l.goods == nil {
		only := len(d.lines) == 1 && l.said == "" // "not 10 but 15"
		return slices.IndexFunc(d.lines, func(own line) bool { return own.amount == nil || only })
	}
	at := slices.IndexFunc(d.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
	if at < 0 && lacks {
		at = slices.IndexFunc(d.lines, func(own line) bool { return own.goods == nil })
	}
	return at
}

// take takes over what a part of a message says about the line. A number without a word for money or percent is the same kind of change as
// before: "no, by 5". With "by" it changes the price if that was to be raised or lowered.
func (l *line) take(c *catalog, h *heard, next line) {
	if next.goods != nil {
		l.goods, l.said = l.goods.Narrowed(next.goods), ""
	}
	l.price = cmp.Or(next.price, l.price)
	if next.amount == nil {
		return
	}
	large := l.change == "change_percent" && next.amount.GreaterThan(largestPercent)
	if next.change == "" && (next.by || l.amount != nil && !large && !h.has(c.Money)) { // "make it 1490" is a price
		next.change = l.change
	}
	if l.lowers && (next.change == l.change || l.amount == nil) && !h.has(c.drafts.Price.Raise) {
		next.lowers = true
		next.turn()
	}
	if l.amount != nil && h.has(c.drafts.More) {
		next.amount = new(l.amount.Add(*next.amount))
	}
	l.amount, l.change, l.lowers, l.by, l.all = next.amount, next.change, next.lowers, next.by, l.all || next.all
}

// listed returns the names of the goods in the first rows that the last frame has shown.
func (t *talk) listed(rows int) (names []string) {
	list := t.shown(t.last)
	for place := 1; place <= rows && list(place, "name") != ""; place++ {
		if name := list(place, "name"); !slices.Contains(names, name) && t.named(name) != nil {
			names = append(names, name)
		}
	}
	return names
}

// named returns the goods with exactly this name, or nil.
func (t *talk) named(name string) *naming.Choice {
	t.known.upTo(goodsRead)
	return t.known.goods.Called(name, name)
}

// standing returns what stands in a place of the list that the last frame has shown, in the first of the fields that the list has.
func (t *talk) standing(place int, fields ...string) string {
	for _, field := range fields {
		if text := t.shown(t.last)(place, field); text != "" {
			return text
		}
	}
	return ""
}

// chosen returns the option of a question that the user chooses, by its name or its place in the list that was shown. The question may be
// nil.
func (t *talk) chosen(q *question, h *heard) string {
	if q == nil {
		return ""
	}
	options, place := t.options(q), 0
	for _, name := range options {
		if words.Folded(strings.Trim(h.text, " .«»\"")) == words.Folded(name) {
			return name
		}
	}
	for i, token := range h.tokens {
		place = max(place, calendar.Ordinal(token))
		if n, small := h.small(i); small && len(h.tokens) <= 2 { // "number 2"
			place = n
		}
	}
	if place == 0 || place > min(len(options), mostCandidates) {
		return ""
	}
	return options[place-1]
}

// options returns what a question offers to choose from, in the order in which it is shown.
func (t *talk) options(q *question) []string {
	names := &naming.List{Names: q.candidates}
	switch {
	case len(q.candidates) > 0:
	case q.slot == "supplier":
		t.known.upTo(goodsRead)
		names = cmp.Or(t.known.supplier, names)
	case strings.HasSuffix(q.slot, "warehouse"):
		t.known.upTo(placesRead)
		names = cmp.Or(t.known.warehouses, names)
	}
	return slices.Sorted(slices.Values(names.Names))
}

// completes reports whether a message says what the last draft lacks: only names, or a draft of the same kind without a number.
func (f *frame) completes(fresh *frame) bool {
	switch {
	case f.draft == nil, f.draft.corrects:
		return false
	case fresh.draft == nil:
		return f.onlySlots() && !f.heard.has(f.heard.Question)
	}
	counts := func(l line) bool { return l.amount != nil }
	return f.view.draft == fresh.view.draft && !slices.ContainsFunc(fresh.draft.lines, counts)
}

// showsShortage reports whether a frame has shown what is below its minimum.
func (f *frame) showsShortage() bool { return f.report != nil && f.report.Shortage }

// inheritDraft fills the draft of "закажи это" from the frame before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	switch f.view.draft {
	case t.drafts.Order:
		if f.ask == nil && d.values["supplier"] == "" {
			d.set("supplier", t.supplierSpokenOf(h))
		}
		if last.showsShortage() && len(d.lines) == 0 {
			d.shortage = true
			d.set("warehouse", cmp.Or(d.values["warehouse"], last.warehouse))
			return
		}
	case t.drafts.Transfer:
		if anaphor || slices.ContainsFunc(d.lines, line.unnamed) { // "send 4 to Ozon"
			t.inheritRoute(d, h)
		}
	}
	if len(d.lines) == 0 && anaphor {
		d.lines = []line{{amount: last.operation.pieces()}} // "how much would 15 of them cost?" "order them"
	}
	for i := range d.lines {
		switch l := &d.lines[i]; {
		case l.unnamed():
			l.goods = cmp.Or(t.onlyShown(), last.goods)
			if units, err := decimal.NewFromString(t.standing(1, last.orders())); err == nil && l.amount == nil && l.goods.One() != "" {
				l.amount = &units
			}
		case l.goods != nil && len(l.goods.Names) > 1:
			l.goods = last.goods.Narrowed(l.goods)
		}
	}
	if l := d.only(); l != nil && l.goods == nil { // "25 of the first one"
		if t.inheritPlace(f, h, true); f.goods != nil {
			l.goods, l.said = f.goods, ""
		}
	} else if l != nil {
		f.goods = l.goods
	}
}

// orders returns the field of the last answer's rows that says how many to order, or "".
func (f *frame) orders() string {
	if f.report == nil {
		return ""
	}
	return f.report.Orders
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

// onlyShown returns the product that "12 of those" means after a list: the only one of the list, or the one that the answer has named. It
// returns nil if there is none.
func (t *talk) onlyShown() *naming.Choice {
	ranked := t.last.sort != "" && t.last.limit <= 1
	if t.last.goods.One() != "" || !ranked && t.standing(2, "name") != "" {
		return nil
	}
	return t.named(t.standing(1, "name"))
}

// supplierSpokenOf returns the supplier of the frame before: the one that was named, or that of the product that was found. It is empty if
// none was.
func (t *talk) supplierSpokenOf(h *heard) string {
	last := t.last
	switch said := cmp.Or(last.party, last.partySaid); {
	case said != "":
		return one(t.catalog.hear(said, h.lang, t.today, nil, t.known).suppliers)
	case last.tool == "shortage_by_supplier" && last.sort != "", last.tool == "search_products":
		return t.standing(1, "supplier")
	}
	return ""
}
