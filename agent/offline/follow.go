package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
)

// follow reads a message as a follow-up to the last frame. It returns nil if that is unlikely or if nothing changes.
func (t *talk) follow(h *heard) *frame {
	switch {
	case t.last.calculation != nil && t.lost: // the user goes on from another figure
		return nil
	case t.last.calculation != nil:
		return t.again(h)
	}
	var best *frame
	for _, v := range h.likely {
		if v.follow == "" || v.follow != "draft" && h.guess(v).Probability < leastLikely/2 || t.idle(v, h) {
			continue
		}
		f := t.followAs(v, h)
		if f != nil && (best == nil || f.score > best.score) {
			best = f
		}
	}
	return best
}

// idle reports whether no word of a message asks to pay for what was shown, or to compare it with something else than was shown before.
// That such a follow-up is likely in a talk says little.
func (t *talk) idle(way *view, h *heard) bool {
	both := t.last.operation != nil || t.last.report != nil && (t.sibling(false) != nil || t.last.spoke(2) != nil)
	return (way.follow == "cover" || way.follow == "compare" && !both) && !h.speaksFor(way)
}

// leastOrder is the least probability at which a message orders what was shown.
const leastOrder = 0.6

// followAs reads a message as one kind of follow-up to a draft or a report.
func (t *talk) followAs(way *view, h *heard) *frame {
	last := t.last
	switch {
	case last.view.draft != nil:
		f := t.readAs(h, last.view, way)
		if o := t.operates(f, way.follow); o != nil {
			return last.operated(f, o)
		}
		changes := t.removes(h) || h.says(t.drafts.Stays) || h.has(t.drafts.Return) || slices.ContainsFunc(f.draft.lines, line.counts)
		changes = changes && !strings.HasSuffix(h.text, "?")
		asks := !changes && h.asksWhether() || h.has(h.Question) && (!changes && h.number() < 0 || h.number() >= 0 && !f.unnamed())
		if asks && t.missing(last) == nil { // "how many are in the showroom?" changes nothing
			return nil
		}
		return t.followDraft(h, f)
	case way.follow == "order" && (h.guess(way).Probability >= leastOrder || last.showsShortage()):
		f := t.readAs(h, t.byClass["drafts."+cmp.Or(last.Makes, "order")], way)
		t.inheritDraft(f, h, true)
		return f
	case last.report == nil, way.follow == "draft", way.follow == "order":
		return nil
	}
	return t.followReport(way, h)
}

// followReport reads a message as one kind of follow-up to a report.
func (t *talk) followReport(way *view, h *heard) *frame {
	last, v := t.last, t.last.view
	if way.follow == "compare" || way.follow == "share" && last.Mode != "compare" { // a comparison says percentages already
		v = cmp.Or(last.report.mode(way.follow), v)
	}
	f := t.readAs(h, v, way)
	f.recall(last)
	for _, i := range h.contents() {
		if f.report.Slots.Goods != "" && f.goods == nil && last.goods != nil && (h.likens(i) || h.sizes(i)) { // "and red ones?", but none are
			f.others = append(f.others, i)
			f.explain(i)
		}
	}
	t.inheritPlace(f, h, way.follow == "total" || way.follow == "share" || h.meansParty() || slices.Contains(f.Needs, "goods"))
	names := slices.ContainsFunc(f.unexplained, func(i int) bool { // the answer will ask about the word
		return t.mayName(f, i) && h.tokens[i].Number == nil
	})
	o := t.operates(f, way.follow)
	switch {
	case o != nil && !names:
		return last.operated(f, o)
	case way.follow == "count", way.follow == "total" && slices.Contains(last.Needs, "goods"), // one card has no total
		way.follow == "total" && f.sort != "" && f.limit == 0, // "чаще всего"
		last.offered && f.Measure == "" && !f.named(),
		last.operation != nil && last.operation.step == nil && last.operation.way != "total" && !f.namesMore(),
		way.follow == "changes" && !slices.Contains(f.slot, true) && !names && !h.everywhere() && !h.allOf(t.Place):
		return nil
	}
	f.regard(last, way.follow)
	f.take(last)
	t.takeBoth(f)
	if f.lacking != "goods" || f.goods != nil {
		f.lacking = ""
	}
	if way.follow == "total" { // the sum is of all, although the last answer was about the first, but not of all after the first five
		if n, small := h.small(h.number()); small && h.is(h.number()-1, t.Several) { // "those three"
			f.limit = n
			f.explain(h.number())
		}
		if f.limit = cmp.Or(f.limit, last.limit); f.limit > 1 && !h.has(t.All) && (h.has(t.Several) || h.has(t.Together)) {
			f.sort, f.ascending, f.top = cmp.Or(f.sort, last.sort, "default"), last.ascending, true
		} else if last.report.Slots.Goods == "" && last.sort != "" && last.limit < 2 && h.has(t.Single) { // "how much is it?"
			f.sort, f.ascending, f.limit = last.sort, last.ascending, 1
		} else {
			f.sort, f.limit = "", 0
		}
		f.Brief = true
	}
	f.all = f.all || way.follow == "all"
	if all := f.everyone(); all != nil && (f.all || !f.fills("party")) { // "and all together?" after one counterparty
		f.view, f.party, f.partySaid = all, "", ""
	}
	return f
}

// takeBoth adds the counterparty of the answer before the last one, "how much do both owe?", or all before it: "and together?"
func (t *talk) takeBoth(f *frame) {
	h := f.heard
	several := h.any(func(i int) bool { return h.is(i, t.Several) && !h.is(i, t.Persons) }) // "do we owe them?" is about the last one
	if !f.fills("party") || !several && !h.sums() {
		return
	}
	for e := t.last.earlier; e != nil && e.report == t.last.report; e = e.earlier {
		party := cmp.Or(e.party, e.partySaid)
		if party == "" || party == f.party || slices.Contains(f.also, party) {
			break
		}
		if f.also = append(append(f.also, e.also...), party); !h.sums() || h.has(t.Both) {
			break
		}
	}
}

// regard chooses whether a follow-up keeps to a share or a comparison, and completes a comparison by the periods spoken of. A ranking
// leaves both: "and the five least profitable?" No percentage is a part of a whole.
func (f *frame) regard(last *frame, way string) {
	ranks := f.limit > 0 || f.sort != "" && way != f.Mode || f.choices["group_by"] != "" && f.Mode == "compare" // "by channel"
	switch {
	case ranks && slices.Contains([]string{"share", "compare", "average"}, f.Mode),
		ranks && f.Leaves && !f.ascending && !f.heard.has(f.heard.Sort):
		f.view = f.report.Views[0]
	case f.Mode != "compare" || len(f.periods) > 1:
	case len(f.periods) == 0:
		f.periods = last.spoke(2)
		slices.Reverse(f.periods)
	case !last.period().From.IsZero():
		own, spoken := f.periods[0], last.period()
		if own.Same(spoken) { // "how much better is September?", or "the previous one", which names no other period
			own = own.Before()
		}
		f.periods = []calendar.Period{own, spoken}
	}
}
