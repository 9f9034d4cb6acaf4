package offline

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// revision is what a message does to the last draft.
type revision struct {
	*talk
	h            *heard
	f            *frame    // the message, read as a draft
	before, next *draft    // the draft with all its lines, before and after the message
	said         *draft    // what the message says
	asked        *question // what the last answer has asked for the draft; nil: it was complete
}

// followDraft takes a message, read as a draft, for the answer to a question about the last draft, or for a change of it: another supplier,
// warehouse or number, more lines or fewer. It returns nil if the message changes nothing.
func (t *talk) followDraft(h *heard, f *frame) *frame {
	r := &revision{talk: t, h: h, f: f, before: t.spelledOut(t.last), said: f.draft, asked: t.missing(t.last)}
	r.next = &draft{shortage: r.before.shortage, values: maps.Clone(r.before.values), corrects: r.asked == nil}
	r.next.lines = slices.Clone(r.before.lines)
	for i, l := range r.said.lines {
		r.said.lines[i] = r.settle(l)
	}
	if r.said.share(0); r.h.has(r.drafts.Same) && len(r.before.lines) > 0 && (len(r.before.lines) == 1 || r.before.uniform()) {
		like := r.before.lines[0]
		for i, l := range r.said.lines {
			if l.goods != nil && cmp.Or(l.amount, l.price) == nil {
				r.said.lines[i].amount, r.said.lines[i].change, r.said.lines[i].all = like.amount, like.change, like.all
			}
		}
	}
	if r.asked != nil && r.asked.slot == "products_or_short" && !r.says() && h.shortage() {
		f.score, r.next.shortage = f.score+redone, true
	}
	forgets := func(i int) bool { return h.is(i, t.drafts.Remove) || h.is(i, t.Anaphor) }
	likeliest, says := h.likely[0], r.says()
	asksReport := likeliest.report != nil && h.probability(likeliest) > sure && h.speaksFor(likeliest)
	e := edit{others: r.asked == nil && r.spread(h, r.said, r.before)}
	if !e.others {
		e = t.edits(h, f, r.before)
	}
	e.reverses = h.says(t.drafts.Reverse) && !r.says()
	acts := e.returns || e.reverses || e.factor != nil || e.removes && len(e.goods) > 0
	acts = acts && len(r.before.lines) > 0 && (r.asked == nil || e.removes)
	switch {
	case acts && asksReport: // "stock of mugs except Kivi"
		return nil
	case r.asked != nil && e.removes && all(h.contents(), forgets): // "forget it"
		return t.read(h, t.byClass["topics.cancel"])
	case acts:
		f.score += redone
		if q := r.take(e); q != nil {
			return r.again(q)
		}
		if len(r.next.lines) == 0 && len(e.rest) == 0 {
			return t.read(h, t.byClass["topics.cancel"])
		}
	default:
		switch q := r.rework(e); {
		case q == nil:
		case q.slot == "unchanged" && asksReport: // "what does the pan cost?"
			return nil
		default:
			return r.again(q)
		}
	}
	if q := r.apply(says || acts); q != nil {
		return r.again(q)
	}
	if r.asked == nil && t.missing(&frame{view: f.view, draft: r.next}) == nil && r.next.same(r.before, f.view.draft) {
		if says && !asksReport { // never call it a new draft
			return r.again(&question{slot: "unchanged"})
		}
		return nil
	}
	switch idle := reflect.DeepEqual(r.next.lines, r.before.lines) && maps.Equal(r.next.values, r.before.values) && !r.next.shortage; {
	case r.asked == nil:
	case idle:
		f.score -= redone // it would only be asked again
	default:
		r.next.noted = r.said.sayings()
	}
	f.unexplained, f.goods, f.ask = nil, t.last.goods, nil
	f.prepares(r.next)
	return f
}

// sayings returns the places and the numbers that a message says.
func (d *draft) sayings() []string {
	all := slices.Sorted(maps.Values(d.values))
	for _, l := range d.lines {
		for _, number := range []*decimal.Decimal{l.amount, l.price} {
			if number != nil {
				all = append(all, number.String())
			}
		}
	}
	return slices.Compact(slices.DeleteFunc(all, func(said string) bool { return said == "" }))
}

// shortage reports whether a message most likely asks for what is below its minimum, or to order it.
func (h *heard) shortage() bool {
	i := slices.IndexFunc(h.likely, func(v *view) bool { return v.follow == "" })
	return h.likely[i].shortage || h.likely[i].report != nil && h.likely[i].report.Shortage
}

// settle says what the only number of a line is. In an order it may be an amount or a price. In place of another number, it is what that
// was: "not 800 but 850". A bare number is an amount, unless a price was asked for. If its words leave both open, it is the price of goods
// that have an amount, but not if it is far below the price that is known: «ваз по 8».
func (r *revision) settle(l line) line {
	const far = 5
	own, number := r.own(l), cmp.Or(l.amount, l.price)
	step := l.more && number != nil && (r.h.has(r.Less) || r.h.has(r.More) && !r.h.has(r.drafts.More))
	if step && !slices.ContainsFunc(own, line.counts) { // "two more" than none
		l.amount, l.unclear = nil, cmp.Or(l.unclear, number.String())
	}
	if at := r.h.number(); number == nil && at >= 0 && l.unnamed() && r.h.has(r.Money) && r.asksPrice() { // "120 roubles"
		price, _ := r.h.scaled(at)
		l.goods, l.price, l.unclear, r.f.ask = r.asked.goods.Earlier(), &price, "", nil
	}
	kind := r.f.view.draft
	switch {
	case (l.amount == nil) == (l.price == nil), r.h.has(r.Money), len(own) == 0:
		return l
	case kind == r.drafts.Price:
		l.change = r.nearer(l.change, *number, own[0])
		return l
	case kind == r.drafts.Transfer:
		return l.counting()
	}
	alters := r.h.has(r.drafts.Price.Alters)
	corrects := r.h.has(r.Decline) || r.h.has(r.drafts.Replace)
	known := cmp.Or(own[0].price, r.known(own[0], "price"))
	several := len(own) > 1 || len(r.said.lines) > 1
	few := several && own[0].amount != nil && number.LessThan(own[0].amount.Mul(decimal.NewFromInt(far)))
	switch {
	case l.unnamed() && r.asksPrice() && (alters || !corrects):
		if l.goods, r.f.ask = r.asked.goods.Earlier(), nil; alters { // "make it 15" may be the amount
			l.unclear = number.String()
		}
	case l.instead != nil && slices.ContainsFunc(own, func(o line) bool { return l.replaces(line{price: o.price}) }):
	case !l.loose:
		beside := r.asked != nil && len(r.said.values) > 0 && l.unnamed() && l.amount != nil && own[0].amount != nil
		if beside && l.instead == nil && !alters && !corrects && !r.h.has(r.Units) { // "Romashka, 350" may be the price
			l.amount, l.unclear = nil, number.String()
		}
		return l
	case own[0].amount == nil, few && known == nil, known != nil && number.Mul(decimal.NewFromInt(far)).LessThan(*known):
		return l.counting()
	case few:
		l.unclear = number.String()
	}
	return l.pricing()
}

// nearer says whether a number of a change of prices is the new price: "Norden 4500" does not raise one of 4299 by that, and "back to 10"
// is a percentage.
func (r *revision) nearer(c change, number decimal.Decimal, own line) change {
	old := r.known(own, "old_price")
	near := old != nil && number.Mul(decimal.NewFromInt(2)).GreaterThan(*old)
	percent := own.change.percent && !near && !number.GreaterThan(largestPercent)
	c.price = c.price && !percent || near && !c.by && !c.percent
	return c
}

// asksPrice reports whether the last answer has asked for the price of one, and the message is no amount: "5 of each".
func (r *revision) asksPrice() bool {
	asked := r.asked != nil && (r.asked.slot == "line_price" || r.asked.slot == "price_of_one")
	return asked && !r.h.has(r.Units) && !r.h.says(r.drafts.EveryOne) && !r.h.has(r.All) && !r.h.has(r.Both)
}

// own returns the lines of the draft that a part of the message may be about.
func (r *revision) own(l line) (own []line) {
	but := l.goods != nil && r.excepted(r.h, l.goods)
	for _, o := range r.before.lines {
		if l.unnamed() || l.goods.Overlaps(o.goods) != but {
			own = append(own, o)
		}
	}
	return own
}

// known returns what stands in a field of the draft that was shown, for the goods of a line, or nil.
func (r *revision) known(own line, field string) *decimal.Decimal {
	list := r.shown(r.talk.last)
	for place := 1; list(place, "name") != ""; place++ {
		if price, err := decimal.NewFromString(list(place, field)); err == nil && own.goods.Overlaps(r.named(list(place, "name"))) {
			return &price
		}
	}
	return nil
}

// lackPrice makes the last draft one that asks for the price of a line, from 1 on. 0 means none.
func (t *talk) lackPrice(place int) {
	if place == 0 || t.last == nil || t.last.draft == nil {
		return
	}
	f, d := *t.last, *t.last.draft
	d.lines = slices.Clone(d.lines)
	for i, l := range d.lines {
		if place -= len(l.goods.Codes); place <= 0 {
			d.lines[i].bare = true
			break
		}
	}
	f.draft, t.last = &d, &f
}

// says reports whether the message says anything that a draft has.
func (r *revision) says() bool { return len(r.said.lines)+len(r.said.values) > 0 }

// again makes the frame a question. The last draft stays as it is.
func (r *revision) again(q *question) *frame {
	if q.again = true; q.slot == "redo" {
		r.f.score += redone
	}
	last := *r.talk.last.draft
	last.noted = nil
	r.f.ask, r.f.unexplained = q, nil
	r.f.prepares(&last)
	return r.f
}

// take takes lines out of the draft, and leaves what the message says besides. It returns what the user must be asked, or nil.
func (r *revision) take(e edit) *question {
	price := r.f.view.draft == r.drafts.Price
	switch {
	case e.reverses && r.next.reverse():
		return nil
	case e.returns && r.asked == nil && (len(e.goods) > 0 || len(r.atPlaces(r.h, r.before)) == 0) && r.restore(r.next, e.goods):
		r.said = &draft{}
		return nil
	case e.returns && len(e.goods) > 0 && !e.removes: // it was never there
		return r.rework(e)
	case e.returns, e.reverses, e.factor != nil && (price || e.strange || r.before.shortage):
		return &question{slot: "redo"}
	case e.factor != nil:
		if r.said = (&draft{}); !r.next.scale(e) {
			return &question{slot: "redo"}
		}
		return nil
	}
	if !r.next.leave(e.goods, e.only) {
		return &question{slot: "not_in_draft", said: e.goods[0].Said}
	}
	for i := range r.next.lines { // "all but Polus" answers which one
		r.next.lines[i].all = r.next.lines[i].all || r.asked != nil && r.asked.all && !e.only
	}
	if r.said.lines = e.rest; len(e.rest) > 0 && r.f.ask != nil && r.f.ask.again && !r.h.has(r.drafts.Out) {
		return r.f.ask
	}
	return nil
}

// rework turns the draft round or exchanges goods, if the message says so. It returns what the user must be asked, or nil.
func (r *revision) rework(e edit) *question {
	f, h, said, complete := r.f, r.h, r.said, r.asked == nil
	denied := func(i int) bool { // "do not raise it"
		return h.is(i-1, r.Negation) && (h.is(i, r.drafts.Price.Raise) || h.is(i, r.drafts.Price.Lower))
	}
	beyond := !e.others && h.any(func(i int) bool { // also "half of it"
		return r.beyond(h, i) || h.tokens[i].Percent && h.tokens[i].IsWord() || denied(i) && r.changing(h, 0, len(h.tokens), -1) < 0
	})
	takenBack := func(i int) bool { // "no vases, puzzles"
		return h.is(i-1, r.Negation) && h.function[i] && h.tokens[i].Number == nil && !r.function.Knows(h.tokens[i])
	}
	replaces := h.has(r.drafts.Replace) || h.any(takenBack)
	replaced := replaces && slices.ContainsFunc(said.lines, func(l line) bool { return l.goods != nil && !l.more && !r.before.named(l) })
	named := func(l line) bool { return l.goods != nil && !l.counts() && r.before.named(l) }
	mute := complete && (len(said.values) == 0 || len(r.before.lines) > 1) && slices.ContainsFunc(said.lines, named)
	unclear := slices.IndexFunc(said.lines, func(l line) bool { return l.unclear+l.unpriced != "" })
	relative := h.has(r.Sums.Than) && slices.ContainsFunc(said.lines, func(l line) bool { return l.more }) // "2 more vases than pans"
	bare := slices.DeleteFunc(slices.Clone(said.lines), func(l line) bool { return !l.unnamed() || l.amount == nil })
	wrong := slices.IndexFunc(said.lines, func(l line) bool { // the draft has no such number, or has it twice
		own := slices.DeleteFunc(slices.Clone(r.before.lines), func(own line) bool { return !l.replaces(own) })
		return l.instead != nil && (len(own) == 0 || len(own) > 1 && l.unnamed())
	})
	switch {
	case e.removes && len(e.rest) > 0, e.removes && len(r.before.lines) == 0,
		complete && h.has(r.Others) && len(r.before.lines) > 1, f.view.draft == r.drafts.Transfer && h.has(r.drafts.Return),
		complete && r.splits(h, said, r.before), relative:
		return &question{slot: "redo"} // "remove 3 mugs" may leave some
	case complete && replaces && r.next.exchange(said):
		said.lines = slices.DeleteFunc(said.lines, func(l line) bool { return l.goods != nil })
	case complete && (beyond || r.before.shortage && len(said.lines) > 0 || replaced): // the user must say the whole draft again
		return &question{slot: "redo"}
	case mute: // "Sova" with a verb that may mean anything
		return &question{slot: "unchanged"}
	case beyond:
		r.said = &draft{}
	case r.f.ask != nil && r.f.ask.again && (r.says() || !complete):
		return r.f.ask
	case len(bare) > 1: // "2 more, 12 in total"
		return &question{slot: "number", said: bare[1].amount.String()}
	case wrong >= 0:
		return &question{slot: "number", said: said.lines[wrong].instead.String()}
	case unclear >= 0:
		return &question{slot: "number", said: cmp.Or(said.lines[unclear].unclear, said.lines[unclear].unpriced)}
	case complete && len(said.open) > 0:
		names := slices.Concat(slices.Collect(maps.Values(said.open))...)
		return &question{slot: "unplaced", said: strings.Join(names, ", ")}
	}
	return nil
}

// apply puts what the message says into the draft. says is set if the message has more than words such as "no, lower it". It returns what
// the user must be asked, or nil.
func (r *revision) apply(says bool) *question {
	h, before, next := r.h, r.before, r.next
	if r.asked != nil {
		r.answered(r.said, r.asked, h)
	} else if goods := r.ranked(h, len(before.lines)); goods != nil && len(r.said.lines) == 0 {
		r.said.lines = []line{{goods: goods}}
	} else if goods != nil && len(r.said.lines) == 1 && r.said.lines[0].unnamed() { // "and 3 of the second one"
		r.said.lines[0].goods = goods
	}
	if next.ignored = r.said.ignored; r.asked != nil {
		next.ignored = append(slices.Clone(before.ignored), r.said.ignored...)
	}
	next.open = merged(r.said.open, before.open)
	maps.Copy(next.values, r.said.values) // also "" of what is open again
	named, old := slices.ContainsFunc(r.said.lines, func(l line) bool { return l.goods != nil }), len(next.lines)
	for _, l := range r.said.lines {
		if at := r.takenBack(l); at >= 0 {
			next.lines[at].goods = l.goods
		}
		if r.asked != nil && l.unnamed() && !l.each && l.instead == nil { // "15" is about the line in question
			l.goods = r.asked.goods.Earlier()
		}
		if !next.put(l, true) && l.counts() { // nobody knows of which line the number is
			return &question{slot: "number", said: cmp.Or(l.amount, l.price).String()}
		}
	}
	if !named {
		old = 0
	}
	next.share(old)                                    // "and the plates too"
	turn := r.readChange(h, 0, len(h.tokens), -1).sign // "no, lower it"
	for i, l := range next.lines {
		answers := r.asked != nil && r.asked.slot == "direction" && l.change.sign == 0
		if answers || r.asked == nil && turn != 0 && !says && l.change.argument() != "" {
			next.lines[i].change.sign = turn
		}
	}
	return nil
}

// takenBack returns the only line of goods of the same kind that a line replaces: "no, 20 Orlan notebooks" after those of Kivi. -1 is none.
func (r *revision) takenBack(l line) int {
	alike := func(own line) bool { return own.goods != nil && own.goods.Kind() == l.goods.Kind() }
	if !r.h.is(0, r.Decline) || l.goods == nil || l.goods.Kind() == "" || l.more || r.before.named(l) {
		return -1
	}
	at := slices.IndexFunc(r.next.lines, alike)
	if at >= 0 && slices.ContainsFunc(r.next.lines[at+1:], alike) {
		return -1
	}
	return at
}

// replaces reports whether a line says a number in place of one that another line has.
func (l line) replaces(own line) bool {
	is := func(number *decimal.Decimal) bool {
		return number != nil && l.instead != nil && number.Equal(*l.instead)
	}
	return is(own.amount) || is(own.price)
}

// ranked returns the goods that a message names by their place in the list before the draft, "and the second one", or nil. Up to some
// number it may mean a line of the draft.
func (t *talk) ranked(h *heard, lines int) *naming.Choice {
	list := t.last
	for list != nil && list.draft != nil {
		list = list.earlier
	}
	at := h.find(func(i int) bool { return !h.timed(i) && calendar.Ordinal(h.tokens[i]) > lines })
	if at < 0 || list == nil || !list.listsGoods() {
		return nil
	}
	return t.named(t.shown(list)(calendar.Ordinal(h.tokens[at]), "name")).Active()
}

// redone is the advantage of a message that asks to change a draft in a way that is not possible over other readings of it.
const redone = 3

// exchange puts the goods that a message names in the place of others. It reports whether it did.
func (d *draft) exchange(said *draft) bool {
	own := func(l line) int {
		return slices.IndexFunc(d.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
	}
	lines := slices.DeleteFunc(slices.Clone(said.lines), line.unnamed) // "not 10 but 12, and not Sova but Luch"
	old := slices.IndexFunc(lines, func(l line) bool { return own(l) >= 0 })
	switch {
	case old >= 0 && len(lines) == 2:
		at, goods := own(lines[old]), lines[old].goods
		if rest := d.lines[at].goods.Without(goods); rest != nil && !d.named(lines[1-old]) { // of all kettles, one
			other := d.lines[at]
			other.goods, d.lines[at].goods = rest, goods
			d.lines = append(d.lines, other)
		}
		return d.replace(at, lines[1-old])
	case old < 0 && len(lines) == 1 && len(d.lines) == 1 && !lines[0].more: // "rather 5 puzzles"
		return d.replace(0, lines[0])
	}
	return false
}

// replace puts the goods of another line in place of those of a line, and reports whether it did. Only a draft of prices keeps the price.
func (d *draft) replace(at int, by line) bool {
	before := d.lines[at]
	if by.goods = before.goods.Narrowed(by.goods); by.goods == nil || d.named(by) {
		return false
	}
	before.goods, before.price = nil, nil
	d.lines[at] = by.after(before)
	return true
}

// named reports whether a draft has a line of the goods of another one.
func (d *draft) named(l line) bool {
	return slices.ContainsFunc(d.lines, func(own line) bool { return l.goods.Overlaps(own.goods) })
}

// waiting returns the draft before the questions that followed it, or nil.
func (t *talk) waiting() *frame {
	if t.last == nil || t.last.draft != nil {
		return nil
	}
	f := t.last.earlier
	for f != nil && f.draft == nil {
		f = f.earlier
	}
	return f
}

// unnamed reports whether a frame is a draft that does not say of which goods.
func (f *frame) unnamed() bool {
	named := func(l line) bool { return !l.unnamed() }
	return f.draft != nil && !slices.ContainsFunc(f.draft.lines, named)
}

// answered reads in a message the option of the question that it chooses, and the place that it was asked for.
func (t *talk) answered(said *draft, q *question, h *heard) {
	all := h.find(func(i int) bool { return h.is(i, t.All) || h.is(i, t.Both) })
	if n, small := h.small(all + 1); all >= 0 && small && n == len(q.candidates) { // "all three" is no amount
		said.lines = slices.DeleteFunc(said.lines, line.unnamed)
	}
	var l line // what the message says of the option: "the first one, by 8%"
	if len(said.lines) == 1 && !h.has(t.One) {
		l = said.lines[0]
	}
	name := t.chosen(q, h)
	switch {
	case q.all && name == "" && all >= 0 && (len(said.lines) == 0 || l.unnamed()):
		l.goods, l.all = q.goods.Earlier(), true
		said.lines = []line{l}
	case name != "" && q.slot == "product":
		l.goods = t.named(name)
		said.lines = []line{l}
	case name != "" && slices.Contains(t.last.view.draft.Needs, q.slot) && !t.towards(h):
		said.values = map[string]string{q.slot: name}
	case q.slot == "from_warehouse" && said.values[q.slot] == "" && !t.towards(h):
		said.values = map[string]string{q.slot: said.values["to_warehouse"]}
	}
	if each := func(i int) bool { return h.each(i) }; q.slot == "price_of_one" && len(said.lines) == 0 && h.any(each) { // "за штуку"
		at := slices.IndexFunc(t.last.draft.lines, func(l line) bool { return l.unpriced == q.said })
		said.lines = []line{{goods: t.last.draft.lines[at].goods, price: t.last.draft.lines[at].price}}
	}
}

// towards reports whether a message says a target, "to the showroom", even if the source was asked. "На шоуруме" is none.
func (t *talk) towards(h *heard) bool {
	return slices.ContainsFunc(h.warehouses, func(m naming.Match) bool {
		i := m.Tokens[0]
		before := h.beforeName(i)
		place := words.Folded(h.tokens[before+1].Text)
		locative := strings.HasSuffix(place, "е") || strings.HasSuffix(place, "ом")
		return h.is(before, t.drafts.To) || h.is(before, t.drafts.By) && !locative
	})
}

// put completes the line that lacks what a part of a message says, or adds the part as a line. If the part amends the draft of an earlier
// message, it can also be about a line that lacks nothing: "not 10 but 15". It reports whether it did.
func (d *draft) put(l line, amends bool) bool {
	fits := func(own line) bool {
		lacks := own.goods == nil && l.amount == nil || own.amount == nil && l.goods == nil
		again := len(d.lines) == 1 && l.unnamed() || l.replaces(own) || l.goods.Overlaps(own.goods) || own.goods == nil && l.goods != nil
		return lacks || amends && again
	}
	found := false
	for i, own := range d.lines {
		if !fits(own) || found && !(amends && l.goods.Overlaps(own.goods)) { // "all lamps 8" of two lamps is about both
			continue
		}
		found = true
		if amends && l.amount != nil {
			own.unclear = ""
		}
		if amends && l.price != nil {
			own.unpriced = ""
		}
		d.lines[i] = l.after(own)
		if own.all && own.goods != nil && own.amount != nil && l.amount != nil && l.goods != nil { // "all mugs by 10%", then "the Owl by 5%"
			if own.goods = own.goods.Without(d.lines[i].goods); own.goods != nil {
				d.lines = append(d.lines, own)
			}
		}
	}
	switch {
	case found:
	case amends && l.amount != nil && l.unnamed() && d.uniform(): // "no, 10" after 15% off several
		for i, own := range d.lines {
			d.lines[i] = l.after(own)
		}
	case !amends, len(d.lines) == 0, !l.unnamed():
		l.goods = d.akin(l.goods)
		if amends && len(d.lines) > 0 && l.amount != nil { // "and kettles by 5" after "raise mugs by 10%"
			l.change = l.change.like(d.lines[0].change, *l.amount)
			l.change.sign = cmp.Or(l.change.sign, d.lines[0].change.sign)
		}
		d.lines = append(d.lines, l)
	default:
		return false
	}
	return true
}

// like returns the change with what the words do not say taken from another one. A number without a word for money or percent changes a
// price in the same way, unless that would be too much: "make it 1490".
func (c change) like(other change, amount decimal.Decimal) change {
	if !c.percent && !c.price && !(other.percent && amount.GreaterThan(largestPercent)) {
		c.by, c.percent = other.by || c.by && c.sign != 0, other.percent
	}
	return c
}

// uniform reports whether all lines have the same amount.
func (d *draft) uniform() bool {
	return len(d.lines) > 1 && !slices.ContainsFunc(d.lines, func(l line) bool {
		first := d.lines[0]
		return l.amount == nil || first.amount == nil || !l.amount.Equal(*first.amount) || l.change != first.change
	})
}

// akin returns those of some goods that are of the same kind as a line's: "and 5 Sova" after mugs.
func (d *draft) akin(goods *naming.Choice) *naming.Choice {
	for _, own := range d.lines {
		if goods == nil || goods.One() != "" {
			break
		}
		if same := own.goods.Narrowed(goods); len(same.Names) < len(goods.Names) {
			return same
		}
	}
	return goods
}

// after returns the line with what it does not say taken from the line before: "no, by 5".
func (l line) after(before line) line {
	if l.goods != nil {
		l.goods = before.goods.Narrowed(l.goods)
	} else {
		l.goods, l.said = before.goods, cmp.Or(l.said, before.said)
	}
	own, old := l.change, before.change
	switch {
	case l.amount == nil:
		l.amount, l.change = before.amount, old
	case before.amount != nil:
		l.change = own.like(old, *l.amount)
		if l.more {
			l.amount = new(l.amount.Add(*before.amount))
		}
	}
	if before.amount == nil || old.argument() != "" { // "no, 5500" after "raise it to 5000" is a price too
		l.change.sign = cmp.Or(own.sign, old.sign)
	}
	l.all, l.bare, l.price = l.all || before.all, l.bare || before.bare, cmp.Or(l.price, before.price)
	l.unclear, l.unpriced = cmp.Or(l.unclear, before.unclear), cmp.Or(l.unpriced, before.unpriced)
	return l
}

// chosen returns the option of a question that a message chooses, by its name or its place in the list that was shown, or "".
func (t *talk) chosen(q *question, h *heard) string {
	for i, name := range t.options(q) {
		ordinal := func(at int) bool { return calendar.Ordinal(h.tokens[at]) == i+1 && !(h.leads(at) && h.counting(at+1)) }
		if words.Folded(h.text) == words.Folded(name) || i < mostCandidates && h.any(ordinal) {
			return name
		}
	}
	return ""
}

// options returns what a question offers to choose from, in the order in which it is shown.
func (t *talk) options(q *question) []string {
	names := &naming.List{Names: q.candidates}
	switch {
	case len(q.candidates) > 0:
	case q.slot == "supplier":
		names = cmp.Or(t.known.supplier, names)
	case strings.HasSuffix(q.slot, "warehouse"):
		names = cmp.Or(t.known.warehouses, names)
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(names.Names)), func(name string) bool { return name == q.taken })
}

// completes reports whether a message says what the last draft lacks: only names, or a draft of the same kind without a number. It changes
// a draft that lacks nothing if it is of the same kind and says nothing but goods of it.
func (f *frame) completes(fresh *frame) bool {
	switch {
	case f.draft == nil:
		return false
	case fresh.draft == nil:
		return !f.draft.corrects && f.onlySlots() && !f.heard.has(f.heard.Question)
	case f.view.draft != fresh.view.draft:
		return false
	case f.draft.corrects:
		return len(fresh.draft.values)+len(fresh.draft.open) == 0 && len(fresh.draft.lines) > 0 &&
			!slices.ContainsFunc(fresh.draft.lines, func(l line) bool { return !f.draft.named(l) })
	}
	counts := func(l line) bool { return l.amount != nil }
	return !slices.ContainsFunc(fresh.draft.lines, counts)
}
