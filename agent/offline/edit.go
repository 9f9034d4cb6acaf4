package offline

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// edit is what a message does to lines of a draft, and what it says besides.
type edit struct {
	removes  bool // it takes them out, or keeps only these
	only     bool // it keeps only these
	returns  bool // it puts back what an earlier version of the draft had
	goods    []*naming.Choice
	reverses bool   // it turns the draft round
	others   bool   // it gives a number to all lines but those that it names
	rest     []line // lines with a number: "no candles, 12 baskets"
	factor   *decimal.Decimal
	divides  bool // by the factor
	strange  bool // another word stands with the factor, or a number
}

// edits reads what a message does to the lines of a draft: "no candles", "свечи не нужны", "remove the first one", "only the
// mugs", "twice the vases", "put the pans back".
func (t *talk) edits(h *heard, f *frame, last *draft) (e edit) {
	price, said := f.view.draft == t.drafts.Price, f.draft
	t.readFactor(h, &e)
	for _, l := range said.lines {
		if l.counts() && e.factor == nil {
			e.rest = append(e.rest, l)
		}
	}
	keeps := h.has(t.drafts.Keep)
	plain := func(l line) bool { return l.goods != nil && !l.counts() && l.unclear+l.unpriced == "" }
	out := h.has(t.drafts.Out) && (h.number() < 0 || slices.ContainsFunc(said.lines, plain))
	e.removes = t.removes(h) || out || price && (keeps || h.says(t.drafts.Stays))
	for i := range h.tokens { // "no candles", "not the third one"
		named := slices.ContainsFunc(said.lines, func(l line) bool { return plain(l) && l.goods.Tokens[0] == i })
		before := h.beforeName(i)
		place := len(e.rest) == 0 && (calendar.Ordinal(h.tokens[i]) > 0 || h.is(i, t.drafts.Last))
		e.removes = e.removes || (named || place) && (h.is(before, t.Negation) || h.is(before, t.Without) || h.is(before, t.Except))
	}
	// "only candles, 12 of them", but not "only 12 candles" or "candles by 5 only"
	kept := func(i int) bool {
		return h.is(i, t.drafts.Only) && i+1 < len(h.tokens) && !h.counting(i+1) && !h.is(i+1, t.One)
	}
	e.only = h.any(kept) || h.has(t.Others) && (e.removes || keeps)
	e.removes = e.removes || e.only
	for _, l := range said.lines {
		if l.goods != nil && (e.only || !l.counts() || e.factor != nil) {
			e.goods = append(e.goods, l.goods)
		}
	}
	if said.except != nil {
		e.goods = append(e.goods, said.except)
	}
	gone := len(e.goods) > 0 && !slices.ContainsFunc(e.goods, func(goods *naming.Choice) bool { return last.named(line{goods: goods}) })
	e.returns = h.number() < 0 && e.factor == nil && (h.has(t.drafts.Return) || keeps && gone)
	if len(e.goods) == 0 && (e.removes || e.factor != nil) {
		e.goods = t.atPlaces(h, last)
	}
	return e
}

// removes reports whether a message has words that take something out of a draft.
func (t *talk) removes(h *heard) bool { return h.has(t.drafts.Remove) || h.says(t.drafts.Unneeded) }

// readFactor reads by what a message multiplies or divides numbers of a draft: "вдвое меньше", "times two", "in half".
func (t *talk) readFactor(h *heard, e *edit) {
	at := h.find(func(i int) bool {
		return h.tokens[i].IsWord() && t.drafts.Factors[h.tokens[i].Forms[0].Full].IsPositive()
	})
	times := h.find(func(i int) bool {
		return h.tokens[i].Number != nil && (h.is(i+1, t.drafts.Fold) || h.after(t.Sums.Times, i) || h.after(t.Sums.Divide, i))
	})
	smaller := h.has(t.Less) || h.has(t.drafts.Price.Lower)
	switch {
	case at >= 0:
		e.factor = new(t.drafts.Factors[h.tokens[at].Forms[0].Full])
	case times >= 0:
		e.factor = h.tokens[times].Number
	default:
		return
	}
	large := e.factor.GreaterThan(decimal.NewFromInt(1))
	e.divides = large && smaller || h.has(t.Sums.Divide)
	other := func(i int) bool { return h.tokens[i].Number != nil && i != times && i != at }
	e.strange = !large && h.has(t.More) || h.any(other) || h.has(t.Others) || h.has(t.Except)
}

// amends reports whether a message after other questions changes the draft that still waits: it takes something out or says a number, of
// goods in the draft or of none, or says what the draft may lack. alone is set if the message is no follow-up to the last answer.
func (t *talk) amends(h *heard, waiting *frame, alone bool) bool {
	if h.has(h.Question) || strings.HasSuffix(h.text, "?") {
		return false
	}
	at := h.find(func(i int) bool { return h.tokens[i].Number != nil && !h.timed(i) })
	goods := h.sentence.Find(h.content)
	switch {
	case t.missing(waiting) != nil:
		return alone && (at >= 0 || h.names() || goods != nil)
	case goods != nil && !all(goods.Tokens, h.ordinary):
		return (at >= 0 || t.removes(h) || h.has(t.drafts.Out)) && waiting.draft.named(line{goods: goods})
	}
	other := t.last.goods != nil && waiting.goods != nil && !t.last.goods.Overlaps(waiting.goods)
	steps := h.is(at+1, t.More) || h.is(at+1, t.Less) // "then 10 less"
	return at >= 0 && !other && (alone || steps || h.is(0, t.Decline) || h.has(t.drafts.More))
}

// counts reports whether a line has a number.
func (l line) counts() bool { return l.amount != nil || l.price != nil || l.more }

// atPlaces returns the goods of the lines that a message names by their places in the draft that was shown: "the first two", "the last".
func (t *talk) atPlaces(h *heard, last *draft) (goods []*naming.Choice) {
	list := t.shown(t.last)
	row := func(place int) *naming.Choice {
		own := t.named(list(place, "name"))
		for _, l := range last.lines {
			if l.goods != nil && own == nil && place > 0 && place <= len(l.goods.Names) {
				own = t.named(l.goods.Names[place-1])
			}
			if place--; l.goods != nil {
				place -= len(l.goods.Names) - 1
			}
		}
		return own
	}
	rows := 0
	for i, token := range h.tokens {
		from, ends := calendar.Ordinal(token), h.is(i, t.drafts.Last)
		if from == 0 && !ends || h.timed(i) && !ends {
			continue
		}
		for rows == 0 || row(rows+1) != nil {
			rows++
		}
		length := 1
		if n, small := h.small(i + 1); small && h.leads(i) {
			length = n
		}
		if ends {
			from = rows - length + 1
		}
		for place := from; place < from+length; place++ {
			if own := row(place); own != nil {
				goods = append(goods, own)
			}
		}
	}
	return goods
}

// spread gives a number to the lines that a message means: those at some places, all of them, "10 of each", or all but those that it names,
// "all but the vases 25". It reports whether the message leaves out some.
func (t *talk) spread(h *heard, said, last *draft) bool {
	if len(said.lines) != 1 {
		return false
	}
	number, all := said.lines[0], h.says(t.drafts.EveryOne) || h.has(t.Both) || h.has(t.All) || h.has(t.drafts.Each)
	but := number.goods != nil && t.excepted(h, number.goods)
	rest, goods := &draft{lines: slices.Clone(last.lines)}, t.atPlaces(h, last)
	if spoke := (line{goods: t.spoke}); len(goods) == 0 && !all && last.named(spoke) { // "and the vases?" "then 10 less"
		goods = append(goods, spoke.goods)
	}
	switch {
	case !number.counts(), !number.unnamed() && !(but && rest.leave([]*naming.Choice{number.goods}, false)):
		return false
	case but:
	case len(goods) > 0:
		rest.lines = nil
		for _, own := range goods {
			rest.lines = append(rest.lines, line{goods: own})
		}
	case !all:
		return false
	}
	said.lines = nil
	for _, own := range rest.lines {
		l := number
		l.goods = own.goods
		said.lines = append(said.lines, l)
	}
	return but
}

// excepted reports whether a word before goods leaves them out.
func (t *talk) excepted(h *heard, goods *naming.Choice) bool {
	before := h.beforeName(goods.Tokens[0])
	return h.is(before, t.Except) || h.is(before, t.drafts.But)
}

// spelledOut returns the draft of a frame. One of everything short gets the lines that its tool has made.
func (t *talk) spelledOut(f *frame) *draft {
	if !f.draft.shortage || len(f.draft.lines) > 0 || t.missing(f) != nil {
		return f.draft
	}
	own, list := *f.draft, t.shown(f)
	for place := 1; list(place, "name") != ""; place++ {
		units, err := decimal.NewFromString(list(place, "units"))
		goods := t.named(list(place, "name"))
		if err != nil || goods == nil {
			return f.draft
		}
		own.lines = append(own.lines, line{goods: goods, amount: &units})
	}
	own.shortage = len(own.lines) == 0
	return &own
}

// leave takes goods out of a draft, or keeps only these. It reports whether the draft had some of them.
func (d *draft) leave(out []*naming.Choice, only bool) bool {
	var lines []line
	had := false
	for _, l := range d.lines {
		rest := l.goods
		for _, goods := range out {
			if rest != nil && goods.Overlaps(rest) {
				had, rest = true, rest.Without(goods)
			}
		}
		if only && rest != nil {
			rest = l.goods.Without(rest)
		} else if only {
			rest = l.goods
		}
		if l.goods = rest; rest != nil {
			lines = append(lines, l)
		}
	}
	if had {
		d.lines = lines
	}
	return had
}

// scale multiplies or divides the amounts of some lines, or of all. It reports whether all become whole numbers.
func (d *draft) scale(e edit) bool {
	for i, own := range d.lines {
		meant := func(goods *naming.Choice) bool { return goods.Overlaps(own.goods) }
		if own.amount == nil || len(e.goods) > 0 && !slices.ContainsFunc(e.goods, meant) {
			continue
		}
		amount := own.amount.Mul(*e.factor)
		if e.divides {
			amount = own.amount.Div(*e.factor)
		}
		if !amount.IsInteger() || !amount.IsPositive() {
			return false
		}
		d.lines[i].amount = &amount
	}
	return true
}

// restore puts back the lines of some goods, or all, as they were in the latest version of the draft in which they were different. It
// reports whether there is such a version.
func (t *talk) restore(d *draft, goods []*naming.Choice) bool {
	for f, first := t.last.earlier, !t.last.draft.corrects; f != nil && !first; f = f.earlier {
		if f.draft == nil {
			continue
		}
		old := t.spelledOut(f)
		if first = !old.corrects; f.view.draft != t.last.view.draft || t.missing(f) != nil {
			break
		}
		if len(goods) == 0 {
			d.lines, d.values, d.shortage = slices.Clone(old.lines), maps.Clone(old.values), old.shortage
			return true
		}
		restored := false
		for _, own := range goods {
			for _, l := range old.lines {
				if !own.Overlaps(l.goods) {
					continue
				}
				l.goods = l.goods.Narrowed(own)
				same := func(now line) bool {
					return now.goods.Has(l.goods) && now.amount.Equal(*l.amount) && now.change == l.change
				}
				if !slices.ContainsFunc(d.lines, same) {
					d.leave([]*naming.Choice{l.goods}, false)
					d.lines, restored = append(d.lines, l), true
				}
			}
		}
		if restored {
			return true
		}
	}
	return false
}

// reverse exchanges the warehouses of a transfer, or raises the prices that were to be lowered, and the other way round. It reports whether
// there was something to reverse.
func (d *draft) reverse() bool {
	from, to := d.values["from_warehouse"], d.values["to_warehouse"]
	d.set("from_warehouse", to)
	d.set("to_warehouse", from)
	signed := func(l line) bool { return l.change.sign != 0 }
	for i := range d.lines {
		d.lines[i].change.sign *= -1
	}
	return from != to || slices.ContainsFunc(d.lines, signed)
}

// splits reports whether a message moves only a part of a transfer elsewhere, "the mugs to Ozon", "3 more to Ozon". A draft has one route.
func (t *talk) splits(h *heard, said, last *draft) bool {
	elsewhere := false
	for name, value := range said.values {
		elsewhere = elsewhere || strings.HasSuffix(name, "warehouse") && last.values[name] != "" && value != last.values[name]
	}
	part := len(t.atPlaces(h, last)) > 0 || h.has(t.drafts.More) || len(last.lines) > 1 && slices.ContainsFunc(said.lines, last.named)
	return elsewhere && part
}

// same reports whether two complete drafts ask for the same.
func (d *draft) same(other *draft, kind *draftKind) bool {
	return reflect.DeepEqual(d.arguments(kind), other.arguments(kind))
}
