package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/tools"
)

// readNames reads warehouses, channels and counterparties if the report has slots for them.
func (f *frame) readNames(h *heard) {
	s := f.report.Slots
	there := func(m naming.Match) bool { // "what is out in A, but there is some in B": it is about A
		around := h.is(h.beforeName(m.Tokens[0])-1, h.There) || h.is(slices.Max(m.Tokens)+1, h.There)
		return around && f.report.Problems && s.Source == "" && len(h.warehouses) > 1
	}
	warehouses := slices.DeleteFunc(slices.Clone(h.warehouses), there)
	switch {
	case s.Places == "" && (s.Warehouse == "" || s.Source != "" && strings.Contains(f.Where, s.Source)):
	case s.Channel == "":
		f.readPlaces(h, warehouses)
	case f.readPlaces(h, h.channels):
		f.choices["group_by"] = "channel"
	}
	for _, m := range h.warehouses { // "from the main one"
		movable := s.Source != "" && strings.Contains(f.Where, s.Source)
		if movable && h.is(h.beforeName(m.Tokens[0]), loaded().drafts.From) {
			f.source = m.Named()
			f.use(m.Tokens...)
		}
	}
	if f.placed() {
		f.readName(h, warehouses, &f.warehouse, "warehouse")
	}
	if s.Channel != "" && (s.Channel != "price" || f.Means == "sale_price") {
		f.readName(h, h.channels, &f.channel, "channel")
		none := h.find(func(i int) bool { return h.is(i, h.Channels) && (h.after(h.Without, i) || h.is(i-2, h.Without)) })
		if none > 0 && f.channel == "" { // «без указания канала»
			f.channel = tools.NoSalesChannel
			f.use(none)
		}
	}
	if s.Party != "" && !f.Whole {
		f.readName(h, h.suppliers, &f.party, "supplier")
		if s.Party == "rows" || s.Party == "debts" {
			f.readName(h, h.debtors, &f.party, "party")
			f.readName(h, h.channels, &f.party, "party")
		}
		but := h.find(func(i int) bool { return h.is(i, h.Anaphor) && h.excepted(i) && !h.is(i-1, h.Which) })
		if f.without = f.without || but >= 0 && f.report.Others != ""; f.without && but >= 0 { // "without them"
			f.use(but)
		}
	}
	for i := range h.tokens { // "retail sales", "the debts of marketplaces"
		trade := h.is(i, h.Trades) && s.Channel == "group" || h.is(i, h.Marketplaces) && s.Party == "debts"
		if trade && !f.slot[i] {
			f.unsupported = append(f.unsupported, h.tokens[i].Text)
			f.use(i)
		}
	}
	for _, m := range h.warehouses { // the question names a warehouse, but the report has no slot for it
		if (!f.placed() || there(m)) && f.free(m.Tokens) {
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
		except := h.excepted(m.Tokens[0])
		f.without = f.without || except && to == &f.party && f.report.Others != ""
		several := to == &f.party && (f.without || f.several())
		switch {
		case !f.free(m.Tokens), *to != "" && !again && !several:
			continue
		case again:
		case except && !f.without: // few reports can leave a name out
			f.leavesOut(h, m.Tokens[0])
		case *to != "":
			f.also = append(f.also, cmp.Or(name, h.said(m.Tokens)))
		case name == "":
			f.ask = &question{slot: slot, said: h.said(m.Tokens), candidates: m.Names}
		default:
			*to = name
		}
		f.use(m.Tokens...)
	}
}

// readPlaces takes several names for a filter. It reports whether there are several.
func (f *frame) readPlaces(h *heard, matches []naming.Match) bool {
	names, tokens := h.places(matches)
	if len(names) < 2 {
		return false
	}
	f.places = names
	f.use(tokens...)
	return true
}

// places returns the names that a message does not leave out, and their tokens.
func (h *heard) places(matches []naming.Match) (names []string, tokens []int) {
	for _, m := range matches {
		name := m.Named()
		if name == "" || h.excepted(m.Tokens[0]) {
			continue
		}
		tokens = append(tokens, m.Tokens...)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, tokens
}

// several reports whether the view's text is about all counterparties that the question names, and not only the first.
func (f *frame) several() bool {
	sums := strings.Contains(f.RU, ".Each") || strings.Contains(f.RU, ".Owed")
	return f.report.Slots.Party != "supplier" && (f.report.Slots.Party != "debts" || sums)
}

// leavesOut asks about a name that the question leaves out, since the report cannot do that.
func (f *frame) leavesOut(h *heard, name int) {
	begin := h.beforeName(name)
	if h.is(begin-1, h.Except) || h.is(begin-1, h.Negation) {
		begin--
	}
	f.ask = &question{slot: "left_out", said: h.text[h.tokens[begin].Start:h.tokens[name].End]}
}

// excepted reports whether a word such as "without" or "not from" stands before a name.
func (h *heard) excepted(i int) bool {
	before := h.beforeName(i)
	return h.is(before, h.Except) || h.is(before-1, h.Except) || h.is(before, h.Negation) ||
		h.is(before-1, h.Negation) && h.is(before, h.BeforeNames)
}

func (f *frame) readGoods(h *heard) {
	if f.report.Slots.Goods == "" {
		return
	}
	f.goods = h.sentence.Find(func(i int) bool {
		return !f.used[i] && h.content(i) && !(h.is(i+1, h.Articles) && h.learnt[i]) && !h.tokens[i].Percent
	})
	if active := f.goods.Active(); active != nil && f.report.Tool == "search_products" { // it finds no others
		f.goods = active
	}
	common := func(i int) bool { return h.ordinary(i) || naming.KindOf(h.tokens[i]) == naming.Place }
	if f.goods == nil || all(f.goods.Tokens, common) {
		f.goods = nil // ordinary words or places, although some product has them in its name
		f.readBarcode(h)
		return
	}
	for _, i := range f.goods.Tokens {
		f.use(h.coded(i)...)
	}
	f.use(f.goods.Tokens...)
	f.readRival(h, common)
	named := slices.Clone(f.goods.Tokens)
	if f.rival != nil {
		named = append(named, f.rival.Tokens...)
	}
	for i := range slices.Backward(h.tokens) {
		beside := slices.Contains(named, i-1) || slices.Contains(slices.Concat(named, f.others), i+1)
		if beside && !f.used[i] && loaded().qualifies(h, i) {
			f.others = append(f.others, i)
			f.use(i)
		}
	}
	names := strings.ToLower(strings.Join(f.goods.Names, "\n"))
	for _, i := range f.goods.Tokens { // "mugs except Kivi", but not a product whose name has "without sugar"
		if h.excepted(i) && !strings.Contains(names, strings.ToLower(h.said([]int{h.beforeName(i), i}))) {
			f.leavesOut(h, i)
			return
		}
	}
}

// readRival reads the second of two goods, "mugs or kettles", if the report can put both side by side. The first is the one named first.
func (f *frame) readRival(h *heard, common func(int) bool) {
	plain := f.view == f.report.Views[0] || f.Mode == "compare" || f.Mode == "against"
	if f.report.mode("against") == nil || !plain || len(h.periods) > 1 || h.has(h.Dearer) { // which has the higher price is another figure
		return
	}
	first, second := h.kinds()
	other := h.sentence.Find(func(i int) bool { return !f.used[i] && h.content(i) })
	if first == nil && other != nil && !all(other.Tokens, common) {
		first, second = f.goods, other
		if second.Tokens[0] < first.Tokens[0] {
			first, second = second, first
		}
		joins := func(i int) bool { return h.joins(i) || f.Mode != "" && h.is(i, h.Against) }
		if at := h.find(func(i int) bool { return i > slices.Max(first.Tokens) && joins(i) }); at < 0 || at > second.Tokens[0] {
			return
		}
	}
	if first != nil {
		f.goods, f.rival = first, second
		f.use(slices.Concat(first.Tokens, second.Tokens)...)
	}
}

// joins reports whether a word stands between two things: "and", "or", "vs".
func (h *heard) joins(i int) bool { return h.is(i, h.Or) || h.is(i, h.NextPart) }

// kinds returns two kinds of goods with one noun: "black and white slippers". They are nil if there are none.
func (h *heard) kinds() (first, second *naming.Choice) {
	for i := range h.tokens {
		of := func(at int) *naming.Choice {
			return h.sentence.Find(func(word int) bool { return (word == at || word == i+2) && h.content(word) })
		}
		if !h.joins(i) {
			continue
		}
		first, second = of(i-1), of(i+1)
		if first != nil && second != nil && len(first.Tokens) == 2 && len(second.Tokens) == 2 && !first.Overlaps(second) {
			return first, second
		}
	}
	return nil, nil
}

// readBarcode reads a long number in a search for goods.
func (f *frame) readBarcode(h *heard) {
	const shortest = 8
	for i, t := range h.tokens {
		if f.report.Tool == "search_products" && t.Number != nil && len(t.Text) >= shortest {
			f.goods = &naming.Choice{Said: t.Text, Tokens: []int{i}}
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
		grouped := h.is(i-1, f.report.Group) && !h.function[i-1] // "goods" says too little for a preposition
		letter := len(low) == 1 && strings.Contains("ABC", low) && (h.capital(i) || grouped)
		if letter || len(low) == 2 && h.content(i) && strings.Contains("ABC", low[:1]) && strings.Contains("XYZ", low[1:]) {
			f.Cell = low
			if !slices.Contains(f.cells, low) {
				f.cells = append(f.cells, low)
			}
			f.use(i)
		}
	}
}
