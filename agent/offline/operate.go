package offline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/tools"
)

// operation is what a message does with figures that were shown, instead of asking for a report.
type operation struct {
	way   string   // "count" with a number, "compare" two answers, "cover" one by the other, "sum" first rows, "told" the sum of a draft
	on    []*frame // whose figures it takes
	step  *step    // of "count"
	price bool     // the number is the price of one
}

// operates reads a message as an operation on what was shown. It returns nil if the message lacks what the operation needs.
func (t *talk) operates(f *frame, way string) *operation {
	last, h := t.last, f.heard
	elsewhere := func(i int) bool { return t.belongsTo(h, i) != nil }
	sums := way == "total" && h.number() < 0 && !h.names() && !slices.ContainsFunc(h.contents(), elsewhere)
	switch {
	case last.draft != nil && t.missing(last) == nil && sums:
		return &operation{way: "told", on: []*frame{last}}
	case last.offered, way == "share", h.allOf(h.Place), h.allOf(h.Channels), last.draft == nil && last.report == nil, last.draft != nil && (t.missing(last) != nil || way != "cover"):
	case way == "count" && f.goods == nil && f.threshold == nil && h.number() >= 0 && !f.slot[h.number()]:
		if s := t.step(h); s != nil && (s.sign != "" || s.percent || h.has(h.Money) || last.ofOne()) {
			return &operation{way: way, on: []*frame{last}, step: s, price: h.has(h.Money)}
		}
	case way == "cover" && !h.has(h.Several):
		cash := t.byClass["money_position.cash"]
		for _, v := range h.likely {
			if v == cash || v.Covers && h.guesses[v].Probability >= distinct*h.guesses[cash].Probability {
				own := t.read(h, v)
				if own.complete(); own.view == v {
					return &operation{way: way, on: []*frame{own, last}}
				}
			}
		}
	case way == "total" && f.limit > 1 && f.sort != "":
		list := last
		for list.fills("party") && list.earlier != nil && list.earlier.report == list.report { // "and the second?" has named one of them
			list = list.earlier
		}
		own := *list
		own.limit, own.sort, own.ascending = f.limit, f.sort, f.ascending
		return &operation{way: "sum", on: []*frame{&own}}
	default:
		compares := way == "compare" || way == "against" || f.compares()
		both := f.view == last.view && !f.named() && (h.has(h.Several) || way == "total" && !h.has(h.Anaphor))
		listed := last.fills("party") && last.several() // the view itself is about all that are named
		if on := t.twoAnswers(f); on != nil && (compares || !listed && (h.has(h.Together) || both && on[0].apart(on[1]))) {
			return &operation{way: "compare", on: on}
		}
	}
	return nil
}

// ofOne reports whether a frame tells the price or the average of one, so that a number alone multiplies it: "and 15 of them?"
func (f *frame) ofOne() bool {
	return f.report != nil && f.report.Tool == "search_products" || f.Name == "price" || f.Mode == "average" || f.operation != nil
}

// leaves reads a question about stock after the draft of a transfer, "how many will stay there?", as the stock less what is transferred. It
// returns nil if it is not that.
func (t *talk) leaves(f *frame) *operation {
	last := t.last
	if last.draft == nil || last.view.draft != t.drafts.Transfer || f.view != t.byClass["stock.figures"] || !f.heard.has(t.drafts.Stays) {
		return nil
	}
	own, from, l := *f, last.draft.values["from_warehouse"], last.draft.only()
	own.warehouse = cmp.Or(f.warehouse, from)
	if t.missing(last) != nil || l == nil || own.warehouse != from {
		return nil
	}
	own.goods, own.Measure = l.goods, "units"
	return &operation{way: "count", on: []*frame{&own}, step: &step{sign: "-", number: l.amount.String()}}
}

// compares reports whether a message names one thing and asks whether it has more or less: "а у чая больше?"
func (f *frame) compares() bool {
	h := f.heard
	asks := func(i int) bool { return (h.is(i, h.More) || h.is(i, h.Less)) && !h.is(i+1, h.OfAll) }
	return f.threshold == nil && len(f.periods) == 0 && h.any(asks)
}

// twoAnswers returns the frames of the last two answers, or the last one and that of what a message names: "is it higher than on tea?" It
// returns nil if they are not about two things.
func (t *talk) twoAnswers(f *frame) []*frame {
	last, e := t.last, t.sibling()
	if f.report == last.report && f.apart(last) {
		own := *f
		own.view, own.sort = last.view, ""
		own.take(last)
		own.complete()
		before := *last
		before.Measure = cmp.Or(f.Measure, last.Measure)
		if f.heard.has(f.heard.Against) {
			return []*frame{&before, &own}
		}
		return []*frame{&own, &before}
	}
	timed := e != nil && fmt.Sprint(e.periods) != fmt.Sprint(last.periods) && last.report.mode("compare") != nil
	if e == nil || f.named() || timed && !f.heard.has(f.heard.Together) { // a comparison of periods can go on
		return nil
	}
	if len(last.periods) > 0 && len(e.periods) > 0 && last.periods[0].From.After(e.periods[0].From) {
		return []*frame{last, e}
	}
	return []*frame{e, last}
}

// apart reports whether two frames are about different things of one kind.
func (f *frame) apart(e *frame) bool {
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	return differ(cmp.Or(f.party, f.partySaid), cmp.Or(e.party, e.partySaid)) || differ(f.channel, e.channel) ||
		differ(f.warehouse, e.warehouse) || f.goods != nil && e.goods != nil && !f.goods.Overlaps(e.goods)
}

// operated returns the frame of an operation. Later messages go on from what the frame before was about.
func (f *frame) operated(next *frame, o *operation) *frame {
	own := *f
	own.operation, own.heard, own.lang, own.score, own.used, own.slot = o, next.heard, next.lang, next.score, next.used, next.slot
	own.direct, own.Brief, own.ask, own.unexplained, own.ignored, own.lacking = false, false, nil, nil, nil, ""
	for i, on := range o.on { // "which of them made more profit?"
		asked := *on
		asked.Measure = cmp.Or(next.Measure, on.Measure)
		o.on[i] = &asked
	}
	return &own
}

// about says what a frame asks for, to tell frames apart.
func (t *talk) about(f *frame) string {
	return fmt.Sprint(t.calls(f), f.conditions(), f.party, f.partySaid)
}

// kinds says which names a frame has. Of two with the same ones, none is a part of the other.
func (f *frame) kinds() string {
	return fmt.Sprint(f.warehouse != "", f.channel != "", f.fills("party"), f.goods != nil, len(f.periods))
}

// sibling returns the frame before the last one that asks the same of something else, or nil.
func (t *talk) sibling() *frame {
	last := t.last
	if last == nil || last.report == nil {
		return nil
	}
	for e := last.earlier; e != nil && e.report == last.report; e = e.earlier {
		if e.operation == nil && e.view == last.view && e.kinds() == last.kinds() && t.about(e) != t.about(last) {
			return e
		}
	}
	return nil
}

// number returns the first token with a number, or -1.
func (h *heard) number() int {
	return h.find(func(i int) bool { return h.tokens[i].Number != nil })
}

// calls returns the calls that a frame needs. To count on with what an earlier turn has read, none is read again.
func (t *turn) calls(f *frame) []call {
	if o := f.operation; o != nil && o.way == "count" && t.before(o.on[0]) != nil {
		if _, x := t.counted(o); x != nil {
			return []call{{"calculate", map[string]any{"expression": o.step.of(x.value.Decimal().String())}}}
		}
	}
	return t.talk.calls(f)
}

// reads returns the reports that a frame is answered from: of this turn, or else of an earlier one. It returns nil if not all are there.
func (t *turn) reads(f *frame) (reads []string) {
	for _, c := range t.talk.calls(f) {
		o := t.outcome(c)
		if o == nil || o.report == "" {
			return t.before(f)
		}
		reads = append(reads, o.report)
	}
	return reads
}

// before returns the reports that an earlier turn has read for a frame, or nil if they are not all there.
func (t *turn) before(f *frame) (reads []string) {
	calls := t.talk.calls(f)
	if t.book == nil || len(calls) == 0 {
		return nil
	}
	for _, r := range slices.Backward(t.book.Reports()) {
		made := func(one madeCall) bool { return one.outcome != nil && one.outcome.report == r.Name }
		if at := len(calls) - len(reads) - 1; r.Tool == calls[at].tool && !slices.ContainsFunc(t.made, made) {
			if reads = append([]string{r.Name}, reads...); len(reads) == len(calls) {
				return reads
			}
		}
	}
	return nil
}

// figures returns the figures that the answer of a frame has said, the most important first.
func (t *turn) figures(f *frame, reads []string) (*telling, []shownFigure) {
	if f.draft != nil && f.operation == nil {
		reads = t.before(f)
	}
	told := t.telling(f, reads)
	switch o := f.operation; {
	case len(reads) == 0:
		return told, nil
	case f.draft != nil && o == nil:
		return told, told.computed("R.totals.money", "R.totals.units")
	case o != nil && o.way == "count":
		if before, x := t.counted(o); x != nil {
			return told, told.computed(before.result(o, x))
		}
	case len(f.sides()) == 2:
		if p := t.pair(f, reads); p.x != nil && p.y != nil {
			return told, told.computed("("+p.x.expression+") - ("+p.y.expression+")", "("+p.x.expression+") + ("+p.y.expression+")")
		}
	}
	return told, told.figuresSaid()
}

// operated writes the answer of an operation.
func (t *turn) operated(f *frame) string {
	switch o := f.operation; {
	case o != nil && o.way == "told":
		_, all := t.figures(o.on[0], nil)
		if len(all) == 0 {
			return reply(t.lang, "uncounted")
		}
		return reply(t.lang, "together", "SUM", "{{"+all[0].expression+"}}")
	case o != nil && o.way == "sum":
		first, _ := t.figures(o.on[0], t.reads(f))
		return first.summed()
	case o != nil && o.way == "count":
		return t.countedOn(f)
	default:
		return t.pair(f, t.reads(f)).said(f)
	}
}

// summed adds up the first rows of a list.
func (t *telling) summed() string {
	field := cmp.Or(t.orderedBy(), t.Order)
	rows := t.ordered(t.most())
	return t.expand(reply(t.lang, "together", "SUM", "{{sum("+rows+", ."+field+")}}") +
		"\n\n{{table(" + rows + ", " + quoted(t.columns()[0]) + ", " + quoted(field) + ")}}")
}

// counted returns the figure that the number of an operation fits, and the answer that says it. A price of one fits a number of pieces, or
// money in another currency; a percentage fits anything.
func (t *turn) counted(o *operation) (*telling, *shownFigure) {
	told, all := t.figures(o.on[0], t.reads(o.on[0]))
	at := slices.IndexFunc(all, func(f shownFigure) bool {
		money := f.value.Kind == tools.KindMoney
		return o.price && (!money || told.foreign(f)) || !o.price && (money || o.step.percent)
	})
	if len(all) == 0 {
		return told, nil
	}
	return told, &all[max(at, 0)]
}

// countedOn says what an operation makes of a figure.
func (t *turn) countedOn(f *frame) string {
	o := f.operation
	told, x := t.counted(o)
	if x == nil {
		return reply(f.lang, "uncounted")
	}
	name, result := "counted", told.result(o, x)
	if o.step.percent && o.step.sign == "" {
		name = "counted_part"
	}
	rest := "{{" + x.expression + " - (" + result + ")}}"
	if done := t.outcome(t.calls(f)[0]); o.price && x.value.Kind != tools.KindMoney && done != nil && done.report != "" {
		result = "round(" + done.report + ".value, 2)" // pieces times a price without a currency
	}
	said := reply(f.lang, name, "A", "{{"+x.expression+"}}", "RESULT", "{{"+result+"}}", "PERCENT", o.step.number, "REST", rest)
	if told.report != nil && told.report.AtCost && x.value.Kind == tools.KindMoney {
		said += reply(f.lang, "at_cost")
	}
	return said
}

func (t *telling) foreign(f shownFigure) bool {
	return f.value.Kind == tools.KindMoney && f.value.Currency != t.Currency()
}

// result is the expression of what an operation makes of a figure.
func (t *telling) result(o *operation, f *shownFigure) string {
	if o.price && t.foreign(*f) {
		return "convert(" + f.expression + ", " + o.step.number + ", " + quoted(t.Currency()) + ")"
	}
	return o.step.of(f.expression)
}
