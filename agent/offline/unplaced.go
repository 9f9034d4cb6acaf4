package offline

import (
	"slices"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// askUnplaced asks about the words that have no place in a draft.
func (c *catalog) askUnplaced(f *frame, h *heard) {
	open := func(l line) bool { return l.unclear+l.unpriced != "" }
	asked := len(f.draft.open) > 0 || slices.ContainsFunc(f.draft.lines, open) // a question already has the alternatives
	var unplaced []int
	for i := range h.tokens {
		unplaced = append(unplaced, c.unsettled(f, h, i)...)
		all := h.is(i, c.Place) && (h.is(i-1, c.All) || h.is(i-1, c.GroupBy))
		switch {
		case all && !f.draft.shortage: // "to each warehouse"
			unplaced = append(unplaced, i-1, i)
		case h.content(i) && !f.used[i] && !c.drafted(f, h, i), c.discount(f, h, i):
			unplaced = append(unplaced, i)
		case h.is(i, c.Or) && !asked: // "or at 280"
			other := i + 1
			for other < len(h.tokens)-1 && !h.content(other) {
				other++
			}
			unplaced = append(unplaced, i, min(other, len(h.tokens)-1))
		}
	}
	slices.Sort(unplaced)
	if f.score -= float64(len(unplaced)); len(unplaced) > 0 {
		f.ask = &question{slot: "unplaced", said: h.phrases(slices.Compact(unplaced)), again: true}
	}
}

// unsettled returns the tokens of a condition, a purpose or a bound that begins with a token, up to a number: "if they have it", "about
// 10", "800 max". The "so" that begins a message, "если можно", "the most expensive" and "чтобы на основной привезли" are none.
func (c *catalog) unsettled(f *frame, h *heard, i int) (tokens []int) {
	opens := h.is(i, c.Follow) && !slices.Contains(h.function[:i], false)
	polite := h.is(i+1, c.drafts.Polite) && (i+2 == len(h.tokens) || h.tokens[i+2].Mark)
	ranks := h.is(i, c.Top) && h.is(i+1, c.Top)
	placed := h.after(c.Less, i) || f.draft.shortage && h.content(i) // "below the minimum"
	named := slices.ContainsFunc(f.draft.lines, func(l line) bool { return h.describes(i, l.goods) })
	if !h.is(i, c.drafts.Unsettled) || opens || polite || ranks || placed || named {
		return nil
	}
	first, last := i, i
	for last < len(h.tokens)-1 && !h.mark(last+1, ",;.!?") && !h.counting(last) {
		last++
	}
	if last == i {
		first = max(i-1, 0)
	}
	if h.is(i, c.Reason) && !h.counting(last) {
		return nil
	}
	for ; first <= last; first++ {
		tokens = append(tokens, first)
	}
	return tokens
}

// discount reports whether a word lowers a price, which an order cannot.
func (c *catalog) discount(f *frame, h *heard, i int) bool {
	counts := func(l line) bool { return l.amount != nil && (l.more && !h.has(c.drafts.More) || h.has(c.drafts.To)) }
	other := h.is(i, c.drafts.At) || h.is(i, c.drafts.Remove) || slices.ContainsFunc(f.draft.lines, counts)
	return f.view.draft == c.drafts.Order && !f.draft.shortage && h.is(i, c.drafts.Price.Lower) && !other
}

// drafted reports whether a word needs no place in a draft: a request often has it, or a question will quote it anyway. A word beside a
// number does, "a budget of 5000", unless drafts have a use for it.
func (c *catalog) drafted(f *frame, h *heard, i int) bool {
	d, price := c.drafts, f.view.draft == c.drafts.Price
	priced := h.is(i, d.PriceAt) || h.is(i, d.Price.Asks)
	switch {
	case h.inList(i):
		return false
	case naming.IsGeneric(h.tokens[i]), h.timed(i), h.is(i, c.Anaphor), h.counted(i), h.is(i, d.More), h.is(i, d.Later), h.is(i, d.There),
		h.is(i, c.Agree), h.is(i, c.BeforeCodes), h.is(i, d.Remove), h.is(i, d.Replace), h.is(i, d.Return), h.is(i, d.Same),
		h.is(i, d.Out) && !price,
		f.follows && (calendar.Ordinal(h.tokens[i]) > 0 || h.is(i, d.Last)), (h.is(i, d.Less) || h.is(i, c.Sums.Plus)) && h.counting(i+1):
		return true
	case h.is(i, d.At): // "off Romashka"
		return f.view.draft == d.Order || price && h.is(i, d.Price.Lower)
	case priced, h.is(i, d.Price.Alters), h.is(i, d.Every):
		return price || f.view.draft == d.Order && priced && (h.counting(i+1) || c.sets(h, i+1) && h.counting(i+2))
	}
	same := func(v *view) bool {
		return (v.draft == f.view.draft || v.shortage && f.view.shortage || v.follow == "draft") && h.weight(v, i) > speaks
	}
	vague := func(l line) bool { // but not «Рябина» beside the Owls
		other := h.sentence.Find(func(at int) bool { return at == i })
		return l.goods == nil && l.said != "" || l.several() && (other == nil || other.Overlaps(l.goods))
	}
	beside := h.counting(i-1) || i > 0 && h.counting(i+1) // the first word asks for the draft
	described := func(l line) bool {                      // also the "l" of "the 1.2 l kettle"
		return h.describes(i, l.goods) || h.counting(i-1) && h.inName(l.goods, i-1)
	}
	vaguely := (c.isGoods(h, i) || c.strange(h, i)) && !c.qualifies(h, i) && slices.ContainsFunc(f.draft.lines, vague)
	return h.learnt[i] && !h.asksElse(f.view, i) && !beside || slices.ContainsFunc(h.likely, same) || vaguely ||
		slices.ContainsFunc(f.draft.lines, described)
}

// counting reports whether a token is a number that is not one of a time.
func (h *heard) counting(i int) bool {
	return i >= 0 && i < len(h.tokens) && h.tokens[i].Number != nil && !h.timed(i)
}

// inList reports whether a word belongs to the name of a warehouse, a channel or a supplier.
func (h *heard) inList(i int) bool {
	return slices.ContainsFunc(slices.Concat(h.warehouses, h.channels, h.suppliers), func(m naming.Match) bool {
		return slices.Contains(m.Tokens, i)
	})
}

// describes reports whether a word belongs to the name of goods or could: "ceramic mugs", all of which are.
func (h *heard) describes(i int, goods *naming.Choice) bool {
	const longest = 2 // words with one translation, "teddy bear"
	if goods == nil || i >= len(h.tokens) {
		return false
	}
	own := h.goods.In(h.tokens[i:min(i+longest, len(h.tokens))]).Find(func(at int) bool { return at == 0 })
	return slices.Contains(goods.Tokens, i) || own != nil && goods.Overlaps(own)
}
