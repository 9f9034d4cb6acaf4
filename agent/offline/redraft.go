package offline

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// followDraft takes a message, read as a draft, for the answer to a question about the last draft, or for a change of it.
func (t *talk) followDraft(h *heard, f *frame) *frame {
	last := t.last
	asked := t.missing(last)
	own := *last.draft
	if part := h.partOfWhole(); part != nil && (asked != nil || !f.draft.takePart(own.only(), part, last.view.draft == t.drafts.Price)) {
		return nil
	}
	if asked == nil {
		other := f.draft.values["supplier"] != "" && !h.has(t.drafts.Instead) // "and the same from them"
		if own.shortage && len(own.lines) == 0 && !other {                    // the draft itself says them
			own.lines = t.listed(math.MaxInt)
		}
	} else if t.choosesAll(asked, h) {
		at := slices.IndexFunc(own.lines, line.several)
		own.lines = slices.Clone(own.lines)
		own.lines[at].all, f.draft.lines = true, nil
	} else if name := t.chosen(asked, h); name != "" {
		if asked.slot == "product" {
			f.draft.lines = []line{{goods: t.named(name)}}
		} else {
			f.draft.values = map[string]string{asked.slot: name}
		}
	}
	if own, l := own.only(), f.draft.only(); own != nil && l != nil && own.amount != nil && l.amount != nil && l.price == nil &&
		last.view.draft == t.drafts.Order && asked != nil && h.has(t.drafts.Each) { // "Kivi, 350 each"
		l.price, l.amount = l.amount, nil
	}
	if to := own.values["to_warehouse"]; asked == nil && to != "" && h.has(t.drafts.Back) { // "and 2 back"
		own.values = maps.Clone(own.values)
		own.values["from_warehouse"], own.values["to_warehouse"] = to, own.values["from_warehouse"]
	}
	next := own.merged(t.catalog, h, f.draft, asked)
	if next == nil && f.warehouse == "" {
		return nil
	}
	merged := *last
	merged.draft, merged.operation = cmp.Or(next, &own), nil
	if l := merged.draft.only(); l != nil {
		merged.goods = l.goods
	}
	merged.warehouse, merged.ask, merged.unexplained = cmp.Or(f.warehouse, last.warehouse), f.ask, nil
	merged.heard, merged.score, merged.used, merged.slot = h, f.score, f.used, f.slot
	return &merged
}

// takePart turns "half of it" into a number for the only line of the draft before. It reports whether there is such a number: not of a new
// price, and only of pieces that can be divided.
func (d *draft) takePart(before *line, part *decimal.Decimal, price bool) bool {
	l := d.only()
	if l == nil || before == nil || before.amount == nil || price == (before.change == "") {
		return false
	}
	l.amount, l.change = new(before.amount.Mul(*part).Shift(-2)), before.change
	return price || l.amount.IsInteger()
}

// merged applies a message to the draft: what it lacked, another supplier, warehouse or number, more lines, or fewer. asked is the
// question that the message answers; nil if the draft was complete. It returns nil if the message changes nothing.
func (d *draft) merged(c *catalog, h *heard, next *draft, asked *question) *draft {
	again := *d
	again.lines, again.untouched, again.corrects = slices.Clone(d.lines), next.untouched, asked == nil
	again.values = maps.Clone(d.values)
	for argument, value := range next.values {
		if argument == "to_warehouse" && asked != nil && asked.slot == "from_warehouse" && next.values[asked.slot] == "" {
			argument = asked.slot // the place that the question is about
		}
		again.values[argument] = value
	}
	for _, l := range next.lines {
		l.like(d.lines, h, c.drafts.By)
		again.put(c, h, l, asked != nil)
	}
	if at := h.place(len(d.lines)); at >= 0 && h.has(c.drafts.Remove) { // "remove the second line"
		again.untouched = append(again.untouched, d.lines[at].goods)
	}
	again.leaveOut()
	if asked == nil && maps.Equal(again.values, d.values) && slices.Equal(again.lines, d.lines) {
		return nil
	}
	return &again
}

// put changes the line that a part of a message is about, removes it, or adds the part as a line.
func (d *draft) put(c *catalog, h *heard, l line, lacks bool) {
	if l.goods != nil && h.has(c.drafts.Remove) && l.change == "" {
		d.untouched = append(d.untouched, l.goods)
		return
	}
	if at := d.about(h, l, lacks); at >= 0 {
		d.lines[at].take(l, h.has(c.drafts.More))
		return
	}
	switch {
	case l.unnamed() && l.amount != nil && (h.has(c.drafts.Each) || d.alike()): // "no, by 15"
		for i := range d.lines {
			d.lines[i].amount, d.lines[i].change = l.amount, l.change
		}
	case l.amount == nil && l.goods != nil && h.has(c.drafts.Also) && len(d.lines) > 0:
		like := d.lines[len(d.lines)-1]
		l.goods, l.amount, l.change = like.goods.Narrowed(l.goods), like.amount, like.change
		d.lines = append(d.lines, l)
	case lacks || l.amount != nil && (l.goods != nil || l.said != ""):
		d.lines = append(d.lines, l)
	}
}

// alike reports whether the draft does the same with all of several lines, so that a number alone is for all of them.
func (d *draft) alike() bool {
	differs := func(l line) bool {
		first := d.lines[0]
		return l.amount == nil || first.amount == nil || !l.amount.Equal(*first.amount) || l.change != first.change
	}
	return len(d.lines) > 1 && !slices.ContainsFunc(d.lines, differs)
}

// about returns the line that a part of a message is about, or -1. A draft that lacks something may lack the part's goods.
func (d *draft) about(h *heard, l line, lacks bool) int {
	if at := h.place(len(d.lines)); at >= 0 && l.unnamed() { // "the first by 30"
		return at
	}
	if l.goods != nil {
		at := slices.IndexFunc(d.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
		if at < 0 && lacks {
			at = slices.IndexFunc(d.lines, func(own line) bool { return own.goods == nil || len(own.goods.Names) > 1 })
		}
		return at
	}
	at := slices.IndexFunc(d.lines, func(own line) bool { return own.amount == nil })
	if at < 0 && len(d.lines) == 1 && l.said == "" { // "not 10 but 15"
		return 0
	}
	return at
}

// place returns the line of a list that a message means by its place in it, "the second", or -1.
func (h *heard) place(lines int) int {
	for _, token := range h.tokens {
		if n := calendar.Ordinal(token); n > 0 && n <= lines {
			return n - 1
		}
	}
	return -1
}

// take takes over what a part of a message says about the line.
func (l *line) take(next line, more bool) {
	if next.goods != nil {
		l.goods, l.said = l.goods.Narrowed(next.goods), ""
	}
	l.price = cmp.Or(next.price, l.price)
	if next.amount == nil {
		return
	}
	if l.amount != nil && more {
		next.amount = new(l.amount.Add(*next.amount))
	}
	l.amount, l.change, l.all = next.amount, next.change, l.all || next.all
}

// like takes a number without a word for money or percent as the same kind of change as before: "no, by 5".
func (l *line) like(all []line, h *heard, by oneWord) {
	at := slices.IndexFunc(all, func(own line) bool { return l.goods == nil || l.goods.Overlaps(own.goods) })
	if at < 0 || all[at].change == "" || l.change != "" || l.amount == nil || h.has(h.Money) {
		return
	}
	if all[at].change == "change_percent" && l.amount.GreaterThan(largestPercent) && !h.is(h.number()-1, by) {
		return // "make it 1490" is a price
	}
	l.change = all[at].change
	if all[at].amount.IsNegative() {
		l.amount = new(l.amount.Abs().Neg())
	}
}

// listed returns the first rows that the last frame has shown, as lines: one for each product, with the number to order if the rows have
// it.
func (t *talk) listed(rows int) (lines []line) {
	list, field := t.shown(t.last), "units"
	if t.last.report != nil {
		field = t.last.report.Missing
	}
	for place := 1; place <= rows && list(place, "name") != ""; place++ {
		next := line{goods: t.named(list(place, "name"))}
		if units, err := decimal.NewFromString(list(place, field)); err == nil {
			next.amount = &units
		}
		at := slices.IndexFunc(lines, func(own line) bool { return own.goods.Overlaps(next.goods) })
		switch {
		case next.goods == nil:
		case at < 0:
			lines = append(lines, next)
		case next.amount != nil: // the same product in another warehouse
			lines[at].take(next, true)
		}
	}
	return lines
}

// firstOf returns how many of a list a message means, "the first two", and the number of each that it names; 0 if it means none.
func (h *heard) firstOf() (rows int, each *decimal.Decimal) {
	for i := range h.tokens {
		if n, whole := h.small(i); whole && h.is(i-1, h.Top) {
			rows = n
		} else if h.tokens[i].Number != nil {
			each = h.tokens[i].Number
		}
	}
	return rows, each
}

// named returns the goods with exactly this name, or nil.
func (t *talk) named(name string) *naming.Choice {
	t.known.upTo(goodsRead)
	return t.known.goods.Exactly(name)
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

// chosen returns the option of a question that the user chooses, by its name or its place in the list that was shown.
func (t *talk) chosen(q *question, h *heard) string {
	options := t.options(q)
	for _, name := range options {
		if words.Folded(strings.Trim(h.text, " .«»\"")) == words.Folded(name) {
			return name
		}
	}
	options = options[:min(len(options), mostCandidates)]
	at := h.place(len(options))
	for i := range h.tokens {
		if n, small := h.small(i); small && n <= len(options) && len(h.tokens) <= 2 { // "number 2"
			at = n - 1
		}
	}
	if at < 0 {
		return ""
	}
	return options[at]
}

// choosesAll reports whether a message says no more than that all goods are meant that a question offers.
func (t *talk) choosesAll(q *question, h *heard) bool {
	fits := func(i int) bool {
		n, _ := h.small(i)
		return h.is(i, t.All) || h.is(i, t.drafts.Every) || h.is(i, t.Anaphor) || n == len(q.candidates)
	}
	return q.slot == "product" && len(q.candidates) > 1 && (h.has(t.All) || h.has(t.drafts.Every)) && !h.has(t.Negation) &&
		all(h.contents(), fits)
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

// answersAsked reads a message that chooses from what the question about the last draft offers, and does nothing else.
func (t *talk) answersAsked(h *heard) *frame {
	if t.last == nil || t.last.view.draft == nil {
		return nil
	}
	if asked := t.missing(t.last); asked != nil && (t.chosen(asked, h) != "" || t.choosesAll(asked, h)) {
		return t.followDraft(h, t.readAs(h, t.last.view, t.byClass["follow.changes"]))
	}
	return nil
}

// completes reads a message that names goods or places for a draft of the same kind, but no number, as what the last draft lacks, or as
// goods for which "the same" is to be done. It returns nil if it is not that.
func (t *talk) completes(f *frame, h *heard) *frame {
	if f == nil || f.draft == nil || t.last == nil || t.last.draft == nil || t.last.view.draft != f.view.draft {
		return nil
	}
	if t.missing(t.last) == nil && !h.has(t.drafts.Also) {
		return nil
	}
	if slices.ContainsFunc(f.draft.lines, func(l line) bool { return l.amount != nil }) {
		return nil
	}
	return t.followDraft(h, t.readAs(h, t.last.view, t.byClass["follow.changes"]))
}

// showsShortage reports whether a frame has shown what is below its minimum.
func (f *frame) showsShortage() bool { return f.report != nil && f.report.Missing == "shortage" }

// inheritDraft fills the draft of "закажи это" from the frame before.
func (t *talk) inheritDraft(f *frame, h *heard, anaphor bool) {
	last, d := t.last, f.draft
	rows, each := h.firstOf()
	change := ""
	if f.view.draft == t.drafts.Price {
		rows = 0
		if l := d.only(); l != nil && l.unnamed() && h.has(t.Several) { // "reduce them by 20%"
			rows, each, change = mostRows, l.amount, l.change
		}
	}
	if rows > 0 && f.goods == nil {
		d.lines = t.listed(rows)
		for i := range d.lines {
			d.lines[i].amount, d.lines[i].change = cmp.Or(each, d.lines[i].amount), change
		}
	}
	orders := f.view.draft == t.drafts.Order
	if orders && f.ask == nil && d.values["supplier"] == "" {
		d.set("supplier", t.supplierSpokenOf(h))
	}
	if orders && last.showsShortage() && len(d.lines) == 0 {
		d.shortage, f.warehouse = true, cmp.Or(f.warehouse, last.warehouse)
		return
	}
	anaphor = anaphor || slices.ContainsFunc(d.lines, line.unnamed) // "send 4 to Ozon"
	from, to := d.values["from_warehouse"], d.values["to_warehouse"]
	switch spoken := cmp.Or(last.warehouse, one(last.heard.warehouses)); {
	case f.view.draft != t.drafts.Transfer || !anaphor || spoken == from || spoken == to:
	case to == "" && (from != "" || h.has(t.drafts.There)):
		d.set("to_warehouse", spoken)
	case from == "":
		d.set("from_warehouse", spoken)
	}
	if o := last.operation; o != nil && o.way == "count" && !o.price && !o.step.percent && len(d.lines) == 0 && last.goods != nil {
		d.lines = []line{{amount: o.step.amount()}} // "how much would 15 of them cost?" "order them"
	}
	shown := t.onlyShown()
	for i := range d.lines {
		switch l := &d.lines[i]; {
		case l.unnamed() && shown != nil:
			l.goods = shown
		case last.goods == nil:
		case l.unnamed():
			l.goods = last.goods
		case l.goods != nil && len(l.goods.Names) > 1:
			l.goods = last.goods.Narrowed(l.goods)
		}
	}
	if l := d.only(); l != nil && l.goods == nil { // "25 of the first one"
		if t.inheritPlace(f, h, true); f.goods != nil {
			l.goods, l.said = f.goods, ""
		}
	}
	if len(d.lines) == 0 && anaphor && last.goods != nil {
		d.lines = []line{{goods: last.goods}}
	}
}

// onlyShown returns the product that "12 of those" means after a list: the only one of the list, or the one that the answer has named. It
// returns nil if there is none.
func (t *talk) onlyShown() *naming.Choice {
	ranked := t.last.sort != "" && t.last.limit <= 1
	if t.last.report == nil || t.last.goods.One() != "" || !ranked && t.standing(2, "name") != "" {
		return nil
	}
	return t.named(t.standing(1, "name"))
}

// supplierSpokenOf returns the supplier of the frame before: of what is short, or of the product that was found. It is empty if none was
// named and none stands first.
func (t *talk) supplierSpokenOf(h *heard) string {
	last := t.last
	switch said := cmp.Or(last.party, last.partySaid); {
	case last.showsShortage() && said != "":
		return one(t.catalog.hear(said, h.lang, t.today, nil, t.known).suppliers)
	case last.report == nil:
	case last.report.Tool == "shortage_by_supplier" && last.sort != "", last.report.Tool == "search_products":
		return t.standing(1, "supplier")
	}
	return ""
}
