package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/tools"
)

// operation is what a message does with figures that were shown, instead of asking for a report.
type operation struct {
	on   []*frame // whose figures it takes: one answer, two that it puts side by side, or all that it adds up
	step *figures // what it makes of the figure of one; nil: what a draft comes to
	way  string   // what it makes of two, as the examples of follow-ups name it: their difference unless it is "total", "cover" or "share"
}

// operates reads a message as an operation on what was shown. It returns nil if the message lacks what the operation needs.
func (t *talk) operates(f *frame, way string) *operation {
	last, h := t.last, f.heard
	named := h.sentence.Find(h.content) != nil
	if last.draft != nil && way == "total" && t.missing(last) == nil && h.number() < 0 && !h.names() && !named {
		return &operation{on: []*frame{last}}
	}
	shown := last.report != nil && len(last.sides()) == 0 || last.draft != nil && t.missing(last) == nil
	if way == "cover" && h.guess(t.byClass["follow.cover"]).Probability > leastLikely && shown {
		cash := t.read(h, t.byClass["money_position.cash"])
		cash.complete()
		return &operation{on: []*frame{cash, last}, way: way}
	}
	if last.report == nil || last.offered || h.allOf(h.Place) || h.allOf(h.Channels) {
		return nil
	}
	if way == "count" {
		s := t.figures(h)
		if s == nil || len(s.numbers) != 1 || len(f.thresholds) > 0 || h.limits() { // "below 20 percent"
			return nil
		}
		many := last.Name == "price" && !h.has(h.Money) && s.numbers[0].place != "PRICE" // "and 15 of them?" after the price of one
		if many || s.sign != "" || s.numbers[0].place == "P" {
			return &operation{on: []*frame{last}, step: s}
		}
		return nil
	}
	again := way == "compare" || h.sums() // "which is better?" "by how much?"
	if o := last.operation; o != nil && len(o.on) == 2 && !f.named() && again {
		if h.sums() {
			way = "total"
		}
		return &operation{on: o.on, way: way}
	}
	on := f.shares(last)
	if way == "share" && on != nil && (on[0].top || t.asks(on[0]) != t.asks(on[1])) && h.speaksFor(t.byClass["follow.share"]) {
		return &operation{on: on, way: way}
	}
	if on = t.twoAnswers(f, way == "compare" || h.has(h.Together) || h.has(h.Several)); on == nil {
		return nil
	}
	both := f.view == last.view && !f.named() && (h.has(h.Several) || way == "total" && !h.has(h.Anaphor))
	listed := last.fills("party") && last.several() // the view itself is about all that are named
	joins := !listed && (h.sums() || both && on[0].apart(on[1]))
	if !joins && way != "compare" && !f.compares() {
		return nil
	}
	if h.sums() {
		way = "total"
	}
	if way == "total" && on[1] == last && !h.has(h.Both) {
		on = t.withEarlier(on)
	}
	return &operation{on: on, way: way}
}

// stepOn returns the operation of a question for what a calculation makes of a report's figure: "15% of the revenue for October", "half of
// the profit", "the profit minus 20%". It returns nil for any other question.
func (t *talk) stepOn(f *frame) *operation {
	h := f.heard
	part := func(i int) bool { return h.tokens[i].IsWord() && h.tokens[i].Percent && !h.has(t.Rows) } // "half"
	at := h.find(func(i int) bool { return h.tokens[i].Number != nil && (slices.Contains(f.unexplained, i) || part(i)) })
	if at < 0 || f.report == nil || f.Formula != "" || f.Mode != "" || f.ask != nil || h.limits() || strings.HasSuffix(f.Measure, "_percent") {
		return nil
	}
	if !f.decided() && h.probability(f.view) < sure || !all(f.unexplained, func(i int) bool { return i == at }) {
		return nil
	}
	next, step := at+1, &figures{numbers: []operand{{"", h.tokens[at].Number.String()}}}
	if h.is(next, t.Percent) {
		next++
	}
	if h.tokens[at].Percent {
		step.numbers[0].place = "P"
	}
	for _, i := range []int{max(at-1, 0), min(next, len(h.tokens)-1)} {
		step.sign = cmp.Or(step.sign, t.operator(h, i))
	}
	of := h.tokens[at].Percent && (h.is(next, t.Sums.From) || h.tokens[at].Cyrillic())
	if !of && step.sign != "+" && step.sign != "-" {
		return nil
	}
	if f.complete(); f.goods != nil && f.goods.One() == "" && f.report.Tool == "search_products" { // each has its own price
		f.ask = &question{slot: "one_price", candidates: f.goods.Names, again: true}
		return nil
	}
	return &operation{on: []*frame{f}, step: step}
}

// withEarlier adds to two answers those right before them that ask the same of still others, or of other periods, the earliest first.
func (t *talk) withEarlier(on []*frame) []*frame {
	last, times := t.last, !on[0].period().Same(t.last.period())
	for e := on[0].earlier; e != nil && e.view == last.view && e.operation == nil; e = e.earlier {
		same := func(other *frame) bool { return !e.apart(other) && e.period().Same(other.period()) }
		other := e.apart(last) != times && e.period().Same(last.period()) != times && !slices.ContainsFunc(on, same)
		if !other || e.ask != nil || len(e.unexplained) > 0 {
			break
		}
		on = slices.Insert(on, 0, e)
	}
	return on
}

// shares returns the last answer and the one of which it was a part: the same over the longer time that a message names, all rows of a
// ranking, or the same without the names. It returns nil if there is none. Views of the report that say shares go before the last two.
func (f *frame) shares(last *frame) []*frame {
	part, whole, shares := *last, *last, last.report.mode("share") != nil
	switch several := f.heard.has(f.heard.Several); {
	case last.operation != nil || last.Mode != "" || f.namesMore():
		return nil
	case len(f.periods) == 1 && !f.periods[0].Same(last.period()) && f.periods[0].Has(last.period()):
		whole.periods = f.periods
	case len(f.periods) > 0 || f.limit > 0:
		return nil
	case last.limit > 1 && (several || last.top || !shares):
		part.top, whole.sort, whole.limit = true, "", 0
	case last.namesMore() && !shares && f.sort == "":
		whole.view, whole.said = cmp.Or(last.everyone(), last.report.Views[0]), said{
			periods: last.periods, months: last.months, choices: last.choices, arguments: last.arguments, Measure: last.Measure,
		}
	default:
		return nil
	}
	return []*frame{&part, &whole}
}

// compares reports whether a message names one thing and asks whether it has more or less: "а у чая больше?"
func (f *frame) compares() bool {
	h := f.heard
	asks := func(i int) bool { return (h.is(i, h.More) || h.is(i, h.Less)) && !h.is(i+1, h.OfAll) }
	return len(f.thresholds) == 0 && len(f.periods) == 0 && h.any(asks)
}

// twoAnswers returns the frames of the last two answers, or the last one and that of what a message names: "is it higher than on tea?" It
// returns nil if they are not about two things. If both is set, the two may ask the report for different things.
func (t *talk) twoAnswers(f *frame, both bool) []*frame {
	last := t.last
	if f.report == last.report && f.apart(last) {
		own := *f
		own.view, own.sort = last.view, ""
		own.take(last)
		own.complete()
		return []*frame{&own, last}
	}
	echoes := f.warehouse+f.channel+f.party != "" && f.warehouse+f.channel+f.party == last.warehouse+last.channel+last.party
	e := t.sibling(both)
	switch {
	case e == nil, f.named() && (!echoes || len(f.periods) > 0):
		return nil
	case !f.heard.sums() && e.period().From.Before(last.period().From): // a change counts from the earlier time
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
	own.direct, own.Brief, own.ask, own.unexplained, own.ignored, own.others, own.lacking = false, false, nil, nil, nil, nil, ""
	for i, on := range o.on { // "which of them made more profit?"
		asked := *on
		asked.Measure = cmp.Or(next.Measure, on.Measure)
		if asked.draft != nil {
			asked.operation = nil // its sum was told before
		}
		o.on[i] = &asked
	}
	return &own
}

// sibling returns the latest frame before the last one that asks the same of something else, or nil. It has the same kinds of names, since
// neither may be about a part of the other. After "both" it may also ask the report for something else: what we owe after what we are owed.
func (t *talk) sibling(both bool) *frame {
	last := t.last
	kinds := func(f *frame) string {
		return fmt.Sprint(f.warehouse != "", f.channel != "", f.fills("party"), f.goods != nil, len(f.periods))
	}
	for e := last.earlier; e != nil && e.report == last.report; e = e.earlier {
		answered := e.ask == nil && len(e.unexplained) == 0 && e.operation == nil
		if answered && (both || e.view == last.view) && kinds(e) == kinds(last) && t.asks(e) != t.asks(last) {
			return e
		}
	}
	return nil
}

// asks returns what a frame asks the reports for, in a form that can be compared.
func (t *talk) asks(f *frame) string {
	return fmt.Sprint(f.Name, t.calls(f), f.conditions(), f.party, f.partySaid)
}

// sums reports whether a message asks for the sum of what was shown.
func (h *heard) sums() bool {
	sums := func(i int) bool { return h.is(i, h.SumsUp) }
	return h.has(h.Together) || h.any(sums) && all(h.contents(), sums)
}

// number returns the first token with a number, or -1.
func (h *heard) number() int {
	return h.find(func(i int) bool { return h.tokens[i].Number != nil })
}

// reads returns the reports that a frame is answered from, or nil if not all are there.
func (t *turn) reads(f *frame) (reads []string) {
	for _, c := range t.talk.calls(f) {
		o := t.outcome(c)
		if o == nil || o.report == "" {
			return nil
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
	for _, c := range calls {
		name := ""
		for _, r := range t.book.Reports() { // of equal ones, the latest
			made := func(one madeCall) bool { return one.outcome != nil && one.outcome.report == r.Name }
			if r.Tool == c.tool && r.Asked(c.encoded()) && !slices.ContainsFunc(t.made, made) {
				name = r.Name
			}
		}
		if name == "" {
			return nil
		}
		reads = append(reads, name)
	}
	return reads
}

// figures returns the figures that the answer of a frame has said, the most important first.
func (t *turn) figures(f *frame) (*telling, []shownFigure) {
	if o := f.operation; o != nil && o.step != nil {
		told, all := t.figures(o.on[0])
		if len(all) > 0 {
			all = told.computed(o.step.of("(" + all[0].expression + ")"))
		}
		return told, all
	}
	reads := t.reads(f)
	if f.draft != nil {
		reads = t.before(f)
	}
	told := t.telling(f, reads)
	switch {
	case len(reads) == 0, len(f.sides()) > 0: // a comparison has two
		return told, nil
	case f.draft != nil:
		return told, told.computed("R.totals.money")
	}
	return told, told.figuresSaid()
}

// operated writes the answer of an operation or a comparison.
func (t *turn) operated(f *frame) string {
	o := f.operation
	if o == nil || len(o.on) > 1 {
		return strings.TrimSpace(t.telling(f, nil).noneSuch() + " " + t.compare(f))
	}
	_, all := t.figures(o.on[0])
	if len(all) == 0 || f.heard.has(f.heard.Money) && all[0].value.Kind != tools.KindMoney { // no roubles off months
		return reply(t.lang, "uncounted")
	}
	figure := all[0].expression
	if o.step == nil {
		return reply(t.lang, "draft_total", "SUM", "{{"+figure+"}}")
	}
	return reply(t.lang, "counted", "A", "{{"+figure+"}}", "RESULT", "{{"+o.step.of("("+figure+")")+"}}")
}
