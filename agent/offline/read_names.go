package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/naming"
)

// readNames reads warehouses, channels and counterparties if the report has slots for them.
func (f *frame) readNames(h *heard) {
	s := f.report.Slots
	switch {
	case s.Places == "":
	case s.Channel == "group" && len(h.markets) > 0:
		f.places = h.markets
	case s.Channel == "group" && f.readPlaces(h, h.channels):
		f.choices["group_by"] = "channel"
	case s.Channel == "":
		f.readPlaces(h, h.warehouses)
	}
	for _, m := range h.warehouses { // "from the main one"
		if s.Source != "" && strings.Contains(f.Where, s.Source) && h.is(h.beforeName(m.Tokens[0]), loaded().drafts.From) {
			f.source = m.Named()
			f.use(m.Tokens...)
		}
	}
	if s.Warehouse != "" {
		f.readName(h, h.warehouses, &f.warehouse, "warehouse")
	}
	if s.Channel != "" {
		f.readName(h, h.channels, &f.channel, "channel")
	}
	if s.Party != "" && !f.Whole {
		f.readName(h, h.suppliers, &f.party, "supplier")
		if s.Party == "rows" || s.Party == "debts" {
			if f.party == "" && len(h.markets) > 0 { // "only the marketplaces"
				f.party, f.also = h.markets[0], h.markets[1:]
				f.use(h.first(h.Marketplaces))
			}
			f.readName(h, h.channels, &f.party, "party")
		}
	}
	for _, m := range h.warehouses { // the question names a warehouse, but the report has no slot for it
		if s.Warehouse == "" && f.free(m.Tokens) {
			f.unsupported = append(f.unsupported, h.said(m.Tokens))
			f.use(m.Tokens...)
			f.score -= 2
		}
	}
}

// readName takes a name for a slot. Several names of counterparties go to also if the view can be about them.
func (f *frame) readName(h *heard, matches []naming.Match, to *string, slot string) {
	for _, m := range matches {
		name := m.Named()
		again := name != "" && name == *to // "the showroom (Шоурум)"
		if !f.free(m.Tokens) || *to != "" && !again && (to != &f.party || !f.several()) {
			continue
		}
		if f.use(m.Tokens...); again {
			continue
		}
		switch excepted := h.excepted(m.Tokens); {
		case *to != "":
			f.also = append(f.also, cmp.Or(name, h.said(m.Tokens)))
		case excepted && (to != &f.party || f.report.Slots.Party == "debts" && f.List == ""): // the view has no filter for this
			f.ignored = append(f.ignored, m.Tokens...)
		case name == "":
			f.ask = &question{slot: slot, said: h.said(m.Tokens), candidates: m.Names}
		default:
			*to, f.exceptParty = name, f.exceptParty || excepted
		}
	}
}

// readPlaces takes several names, or one to leave out, for a filter. It reports whether there are any.
func (f *frame) readPlaces(h *heard, matches []naming.Match) bool {
	var names []string
	f.except = slices.ContainsFunc(matches, func(m naming.Match) bool { return h.excepted(m.Tokens) })
	for _, m := range matches {
		if name := m.Named(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 && !(f.except && len(names) == 1) {
		return false
	}
	f.places = names
	for _, m := range matches {
		f.use(m.Tokens...)
		for _, i := range []int{m.Tokens[0] - 2, m.Tokens[0] - 1} {
			if f.except && h.is(i, h.Except) {
				f.use(i)
			}
		}
	}
	return true
}

// several reports whether the view's text is about all counterparties that the question names, and not only the first.
func (f *frame) several() bool {
	sums := strings.Contains(f.RU, ".Each") || strings.Contains(f.RU, ".Owed")
	return f.exceptParty || f.report.Slots.Party != "supplier" && (f.report.Slots.Party != "debts" || sums)
}

// excepted reports whether "без" or "except" stands before a name, or "исключи" on either side.
func (h *heard) excepted(name []int) bool {
	i, end := name[0], name[len(name)-1]+1
	return h.is(i-1, h.LeaveOut) || h.is(end, h.LeaveOut) || h.after(h.Except, i) || h.is(i-1, h.Counting) && h.is(i-2, h.Negation)
}

func (f *frame) readGoods(h *heard) {
	if f.report.Tool == "search_products" {
		f.readCode(h)
	}
	if f.report.Slots.Goods == "" || f.goods != nil {
		return
	}
	free := func(i int) bool { return !f.used[i] && h.content(i) && !h.is(i+1, h.Articles) && !h.tokens[i].Percent }
	f.goods = h.goods.Find(h.tokens, free)
	or := h.first(h.Or)
	if or < 0 && f.goods != nil && (f.Mode == "" && f.Columns != nil || f.Mode == "against") { // "almonds and apricots"
		or = h.first(h.NextPart)
	}
	if or > 0 {
		left := h.goods.Find(h.tokens, func(i int) bool { return i < or && free(i) })
		right := h.goods.Find(h.tokens, func(i int) bool { return i > or && free(i) })
		if left != nil && right != nil && f.report.mode("against") != nil && !left.Overlaps(right) {
			f.rivals, f.goods = []*naming.Choice{left, right}, nil
			f.use(slices.Concat(left.Tokens, right.Tokens)...)
			return
		}
	}
	if f.goods == nil || all(f.goods.Tokens, h.ordinary) {
		f.goods = nil // ordinary words, although some product has them in its name
		return
	}
	for _, i := range f.goods.Tokens {
		f.use(h.coded(i)...)
	}
	f.use(f.goods.Tokens...)
}

// readCode reads a long number that is not a product's code as a barcode.
func (f *frame) readCode(h *heard) {
	const shortest = 5
	for i, t := range h.tokens {
		if t.Number != nil && len(t.Text) >= shortest && !t.Percent && h.coded(i) == nil {
			f.goods = &naming.Choice{Said: t.Text, Query: t.Text, Tokens: []int{i}}
			f.use(i)
		}
	}
}

// readCell reads a group of the ABC/XYZ analysis: "CZ".
func (f *frame) readCell(h *heard) {
	if f.report.Tool != "abc_xyz" {
		return
	}
	for i, t := range h.tokens {
		low := strings.NewReplacer("А", "A", "В", "B", "С", "C", "Х", "X").Replace(strings.ToUpper(t.Text))
		cells := func(i int) bool { // a small letter next to a word such as "goods" is a preposition
			return h.is(i, f.report.Group) && (!h.function[i] || t.Capital())
		}
		letter := len(low) == 1 && strings.Contains("ABC", low) && (h.capital(i) || cells(i-1) || cells(i+1))
		if letter || len(low) == 2 && h.content(i) && strings.Contains("ABC", low[:1]) && strings.Contains("XYZ", low[1:]) {
			f.Cell = low
			f.use(i)
		}
	}
}

// readGroups reads what the list is to be divided by: "по складам", "which supplier".
func (f *frame) readGroups(h *heard) {
	for field := range f.report.Groups {
		if field == "warehouse" && f.warehouse != "" { // "only at the Wildberries warehouse"
			continue
		}
		for i := range h.tokens {
			asked := h.is(i-1, h.GroupBy) || (h.is(i, h.Question) || h.is(i, h.Which)) && f.sort != ""
			if h.is(i, h.Groups[field]) && !h.is(i+1, h.Documents) && asked {
				f.by = field
				f.use(i)
			}
		}
	}
}
