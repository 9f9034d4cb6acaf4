package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
)

// follow reads a message as a follow-up to the last frame. It returns nil if that is unlikely or if nothing changes.
func (t *talk) follow(h *heard) *frame {
	if t.last.expression != "" {
		return t.followFigures(h)
	}
	var best *frame
	for _, v := range h.likely {
		if v.follow == "" || v.follow != "draft" && h.guesses[v].Probability < leastLikely/2 {
			continue
		}
		f := t.followAs(v, h)
		if f != nil && (best == nil || f.score > best.score) {
			best = f
		}
	}
	return best
}

// changes reads a message as other values for the slots of the last report.
func (t *talk) changes(h *heard) *frame {
	if t.last == nil || t.last.report == nil {
		return nil
	}
	return t.followAs(t.byClass["follow.changes"], h)
}

// followAs reads a message as one kind of follow-up.
func (t *talk) followAs(way *view, h *heard) *frame {
	last := t.last
	switch {
	case last.view.draft != nil:
		f := t.readAs(h, last.view, way)
		if o := t.operates(f, way.follow); o != nil {
			return last.operated(f, o)
		}
		if t.missing(last) == nil && h.asksWhether() { // "is there more in the showroom?" changes nothing
			return nil
		}
		return t.followDraft(h, f)
	case way.follow == "order" && h.guesses[way].Probability < leastOrder && !last.showsShortage():
		return nil
	case way.follow == "order":
		f := t.readAs(h, t.byClass["drafts.order"], way)
		t.inheritDraft(f, h, true)
		return f
	case last.report == nil || way.follow == "draft":
		return nil
	}
	v := last.view
	if way.follow == "compare" || way.follow == "share" && last.Mode != "compare" { // a comparison says percentages already
		v = cmp.Or(last.report.mode(way.follow), v)
	}
	f := t.readAs(h, v, way)
	f.lacking = ""
	f.recall(last)
	t.inheritPlace(f, h, way.follow == "total" || way.follow == "share")
	f.spanLike(last)
	f.limitLike(last)
	says := func(i int) bool { return t.mayName(f, i) } // the answer will ask about the word
	names := func(i int) bool { return says(i) && h.tokens[i].Number == nil }
	if o := t.operates(f, way.follow); o != nil && !slices.ContainsFunc(f.unexplained, names) {
		return last.operated(f, o)
	} else if way.follow == "count" && h.number() >= 0 && f.slot[h.number()] { // "and for 90?"
		return t.changes(h)
	} else if way.follow == "count" || way.follow == "cover" {
		return nil
	}
	if last.offered && f.Measure == "" && !f.named() && way.follow != "total" {
		return nil
	}
	if way.follow == "changes" && !slices.Contains(f.slot, true) && !slices.ContainsFunc(f.unexplained, says) && !h.everywhere() && v.Parties == "" {
		return nil
	}
	f.all, f.Brief = f.all || way.follow == "all" && f.sort == "", way.follow == "total" && f.sort == "" && f.threshold == nil
	if both := t.again(f); both != nil && way.follow == "changes" {
		return both
	}
	f.regard(last, way.follow)
	f.take(last)
	if e := last.earlier; h.both() && f.fills("party") && len(f.also) == 0 && e != nil && e.report == last.report && e.sort != "" {
		if first := t.shown(e)(1, "counterparty"); first != "" { // "how much do both owe?" after the largest debtor and another
			f.also = append(f.also, first)
		}
	}
	if f.Brief { // the sum is of all, although the last answer was about the first
		f.sort, f.limit = "", 0
	}
	if all := f.everyone(); all != nil && (!f.fills("party") || f.all) { // "and all together?" after one counterparty
		f.view, f.party, f.partySaid = all, "", ""
	}
	return f
}

// regard chooses whether a follow-up keeps to a share or a comparison. A ranking leaves both: "and the five least profitable?" No
// percentage is a part of a whole.
func (f *frame) regard(last *frame, way string) {
	ranks := f.limit > 0 || f.sort != "" && way != f.Mode
	noShare := f.Mode == "share" && strings.HasSuffix(f.Measure, "_percent")
	switch {
	case noShare, ranks && slices.Contains([]string{"share", "compare", "average"}, f.Mode):
		f.view = f.report.Views[0]
	case way == "changes" && f.Mode == "compare" && len(f.periods) == 1 && slices.ContainsFunc(last.periods, f.periods[0].Same):
		f.view = f.report.Views[0] // "by channel, last week is enough"
	case f.Mode == "compare":
		f.compareWith(last)
	}
}

// spanLike reads a number as a new value for the length of time spoken of: "and over 3?"
func (f *frame) spanLike(last *frame) {
	if f.span != nil || last.span == nil || last.usual() {
		return
	}
	if n, i := f.newNumber(); i >= 0 {
		f.span = &calendar.Span{Days: n, Tokens: []int{i}}
		if last.span.Months > 0 {
			f.span.Days, f.span.Months = n*last.span.Days/last.span.Months, n
		}
		f.span.Said = daysIn(f.lang, f.span.Days)
	}
}

// limitLike reads a number as another length for the list that was shown: "five will do" after the top ten.
func (f *frame) limitLike(last *frame) {
	if last.sort == "" || f.limit > 0 || f.sort != "" || f.threshold != nil {
		return
	}
	if n, i := f.newNumber(); i >= 0 {
		f.sort, f.ascending, f.limit = last.sort, last.ascending, n
	}
}

// newNumber explains the first small number that fills no slot as a new value, and returns it with its token, or -1.
func (f *frame) newNumber() (n, i int) {
	i = f.heard.find(func(i int) bool {
		_, small := f.heard.small(i)
		return small && !f.slot[i] && !f.heard.timed(i)
	})
	if i >= 0 {
		n, _ = f.heard.small(i)
		f.explain(i)
	}
	return n, i
}

// followFigures reads a message as one that computes further with a result, or again with another number.
func (t *talk) followFigures(h *heard) *frame {
	f := t.readAs(h, t.last.view, t.byClass["follow.changes"])
	f.lacking, f.unexplained, f.expression = "", nil, t.further(t.last, h)
	if f.expression == "" {
		return nil
	}
	return f
}

// sameFigures reads a message that asks for the margin or the markup of the last calculation. It returns nil for any
// other message.
func (t *talk) sameFigures(h *heard) *frame {
	if t.last == nil || t.last.expression == "" || h.number() >= 0 || h.names() || len(h.periods) > 0 {
		return nil
	}
	before := t.figures(t.last.heard)
	for _, v := range h.likely {
		clear := func(i int) bool { return h.weight(v, i) > clearly }
		if !strings.Contains(v.Formula, "PRICE") || v == t.last.view || !slices.ContainsFunc(h.contents(), clear) {
			continue
		}
		if before.percent != "" && len(before.numbers) == 1 { // of "640 with a markup of 45%": 640 and the price
			before.numbers, before.percent = append(before.numbers, "("+t.last.expression+")"), ""
		}
		f := t.readAs(h, v, t.byClass["follow.changes"])
		if f.expression = before.in(v.Formula); f.expression != "" {
			f.lacking, f.unexplained = "", nil
			return f
		}
	}
	return nil
}

// leastOrder is the least probability at which a message orders what was shown.
const leastOrder = 0.6

// compareWith completes a comparison that names one period or none, from the periods spoken of before.
func (f *frame) compareWith(last *frame) {
	if len(f.periods) > 1 || len(last.periods) == 0 {
		return
	}
	spoken := last.periods[0]
	switch {
	case len(f.periods) == 1 && f.periods[0].Beside == nil:
		own := f.periods[0]
		switch {
		case own.Same(spoken): // "the previous one" names no other period
			own = own.Before()
		case !own.To.Before(spoken.From) && !spoken.To.Before(own.From):
			f.ask = cmp.Or(f.ask, &question{slot: "periods"}) // one is a part of the other
			return
		}
		f.periods = []calendar.Period{own, spoken}
	case len(f.periods) == 0:
		if two := last.spoke(2); two != nil {
			f.periods = []calendar.Period{two[1], two[0]}
		}
	}
}
