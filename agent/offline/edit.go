package offline

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// edit is what a message takes out of a draft, or what alone it keeps, and what it says besides.
type edit struct {
	removes bool // it takes something out, or keeps only a part
	only    bool // the goods are those that it keeps
	goods   []*naming.Choice
	rest    []line // lines with a number: "no candles, 12 baskets"
}

// edits reads what a message does to the lines of a draft: "no candles", "свечи не нужны", "remove the first one", "only the mugs".
func (t *talk) edits(h *heard, f *frame, last *draft) (e edit) {
	price, said := f.view.draft == t.drafts.Price, f.draft
	keeps := h.has(t.drafts.Keep)
	e.removes = h.has(t.drafts.Remove) || h.says(t.drafts.Unneeded) || keeps && price // whose price stays
	for _, l := range said.lines {
		if l.goods != nil && !l.counts() {
			before := h.beforeName(l.goods.Tokens[0])
			e.removes = e.removes || h.is(before, t.Negation) || h.is(before, t.Without)
		}
	}
	// "only candles, 12 of them", but not "only 12 candles"
	kept := func(i int) bool { return h.is(i, t.drafts.Only) && !h.counting(i+1) && !h.is(i+1, t.One) }
	if e.only = h.any(kept) || h.has(t.Others) && (e.removes || keeps); e.only {
		e.removes = true
	}
	if !e.removes {
		return edit{}
	}
	for _, l := range said.lines {
		if l.goods != nil && (e.only || !l.counts()) {
			e.goods = append(e.goods, l.goods)
		}
		if l.counts() {
			e.rest = append(e.rest, l)
		}
	}
	if said.except != nil {
		e.goods = append(e.goods, said.except)
	}
	if len(e.goods) == 0 {
		e.goods = t.atPlaces(h, last)
	}
	return e
}

// amends reports whether a message after other questions changes the draft that still waits: it takes something out or says a number, of
// goods in the draft or of none. alone is set if the message is no follow-up to the last answer.
func (t *talk) amends(h *heard, waiting *frame, alone bool) bool {
	if h.has(h.Question) || strings.HasSuffix(h.text, "?") {
		return false
	}
	at := h.find(func(i int) bool { return h.tokens[i].Number != nil && !h.timed(i) })
	if goods := h.sentence.Find(h.content); goods != nil {
		return (at >= 0 || h.has(t.drafts.Remove) || h.says(t.drafts.Unneeded)) && waiting.draft.named(line{goods: goods})
	}
	other := t.last.goods != nil && waiting.goods != nil && !t.last.goods.Overlaps(waiting.goods)
	return at >= 0 && !other && (alone || h.is(0, t.Decline) || h.has(t.drafts.More))
}

// counts reports whether a line has a number.
func (l line) counts() bool { return l.amount != nil || l.price != nil || l.more }

// atPlaces returns the goods of the lines that a message names by their places in the draft that was shown: "the first two", "the last".
func (t *talk) atPlaces(h *heard, last *draft) (goods []*naming.Choice) {
	list := t.shown(t.last)
	row := func(place int) *naming.Choice {
		if own := t.named(list(place, "name")); own != nil || place > len(last.lines) || place < 1 {
			return own
		}
		return last.lines[place-1].goods
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
		if n, small := h.small(i + 1); small && (from == 1 || ends) {
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

// spread gives a number without goods to the lines that a message means: those at some places, or all of them, "10 of each".
func (t *talk) spread(h *heard, said, last *draft) {
	if len(said.lines) != 1 || !said.lines[0].unnamed() {
		return
	}
	goods, all := t.atPlaces(h, last), h.says(t.drafts.EveryOne) || h.has(t.Both) || h.has(t.All)
	if l := &said.lines[0]; all && l.amount == nil && !h.has(t.Money) { // "обе по 6"
		l.amount, l.price, l.unpriced = l.price, nil, ""
	}
	if said.lines[0].amount == nil {
		return
	}
	if len(goods) == 0 && all {
		for _, own := range last.lines {
			goods = append(goods, own.goods)
		}
	}
	if len(goods) == 0 {
		return
	}
	number := said.lines[0]
	said.lines = nil
	for _, own := range goods {
		l := number
		l.goods = own
		said.lines = append(said.lines, l)
	}
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
	one, err := json.Marshal(d.arguments(kind))
	another, wrong := json.Marshal(other.arguments(kind))
	return err == nil && wrong == nil && string(one) == string(another)
}
