package offline

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/offline/words"
	"github.com/kopeck/kopeck/tools"
)

// operation is what a message does with figures that were shown, instead of asking for a report.
type operation struct {
	on      []*frame // whose figures it takes; of two, the first is the earlier one, or the one that is to cover the other
	way     string   // "count", "compare", "cover", "sum"
	number  string   // with which it counts
	sign    string   // what "count" does with a percentage: "+", "-", or "" for the part itself
	percent bool
	rate    bool // the number is the price of one
}

// operates reads a message as an operation on what was shown. It returns nil if the message lacks what the operation needs.
func (t *talk) operates(f *frame, way string) *operation {
	last, h, e := t.last, f.heard, t.sibling()
	same := e != nil && last.apart(e) == "" && len(f.periods) == 0 && !f.namesMore()
	timed := e != nil && len(last.periods) > 0 && fmt.Sprint(e.periods) != fmt.Sprint(last.periods)
	switch {
	case last.offered || last.report == nil:
	case way == "count" && f.goods == nil && f.threshold == nil && h.number() >= 0 && !f.slot[h.number()]:
		return t.counts(h, last)
	case way == "cover" && !h.has(h.Several):
		for _, v := range h.likely {
			if v.Covers {
				own := t.read(h, v)
				if own.complete(); own.view == v {
					return &operation{way: way, on: []*frame{own, last}}
				}
			}
		}
	case way == "compare" && same && (last.report.mode(way) == nil || !timed):
		return &operation{way: way, on: []*frame{e, last}}
	case way == "total" && f.limit > 1 && f.sort != "":
		list := last
		for list.fills("party") && list.earlier != nil && list.earlier.report == last.report { // "and the second?" has named one of them
			list = list.earlier
		}
		own := *list
		own.limit, own.sort, own.ascending = f.limit, f.sort, f.ascending
		return &operation{way: "sum", on: []*frame{&own}}
	case way == "total" && same && h.has(h.Several) && !h.part():
		return &operation{way: "sum", on: []*frame{e, last}}
	}
	return nil
}

// operated returns the frame of an operation. Later messages go on from what the frame before was about.
func (f *frame) operated(next *frame, o *operation) *frame {
	own := *f
	own.operation, own.heard, own.lang, own.score, own.used, own.slot = o, next.heard, next.lang, next.score, next.used, next.slot
	own.direct, own.brief, own.ask, own.unexplained, own.ignored, own.lacking = false, false, nil, nil, nil, ""
	own.measure = cmpOr(next.measure, f.measure)
	return &own
}

// sibling returns the frame before the last one that asks the same of something else, or nil.
func (t *talk) sibling() *frame {
	about := func(f *frame) string { return fmt.Sprint(t.calls(f), f.conditions(), f.party, f.partySaid) }
	last := t.last
	if last == nil || last.report == nil {
		return nil
	}
	for e := last.earlier; e != nil && e.report == last.report; e = e.earlier {
		if e.operation == nil && e.view == last.view && about(e) != about(last) {
			return e
		}
	}
	return nil
}

// comparesLast reports whether a message asks which of the last two answers says more, and names nothing else.
func (t *talk) comparesLast(h *heard) bool {
	return (h.has(t.More) || h.has(t.Less)) && len(h.periods) == 0 && !h.names() && h.number() < 0 && t.sibling() != nil
}

// number returns the first token with a number, or -1.
func (h *heard) number() int {
	return slices.IndexFunc(h.tokens, func(token words.Token) bool { return token.Number != nil })
}

// counts reads the one number of a message with which it counts on.
func (t *talk) counts(h *heard, last *frame) *operation {
	all := t.figures(h)
	if all == nil || len(all.numbers)+min(1, len(all.percent)) != 1 {
		return nil
	}
	o := &operation{way: "count", on: []*frame{last}, percent: all.percent != "", number: all.percent}
	for i := range h.tokens {
		if sign := t.sign(h, i); sign != "" && !h.tokens[i].Mark {
			o.sign = sign
		}
		o.rate = o.rate || h.is(i, h.Money)
	}
	if !o.percent {
		o.number = all.numbers[0]
	}
	return o
}

// shownFigure is a figure that an answer says, by its expression.
type shownFigure struct {
	expression string
	value      reference.Value
}

// figuresSaid returns the figures that the sentence of an answer says.
func (t *telling) figuresSaid() (all []shownFigure) {
	t.findParty()
	t.narrow()
	if _, compared := t.report.Figures[t.measure]; compared {
		expression := t.named(t.figure(t.own(), t.rows, t.Narrow))
		if v, err := t.value(expression); err == nil {
			return []shownFigure{{expression, v}}
		}
	}
	sentence, err := t.execute(t.frame.view.in(t.lang))
	if err != nil {
		return nil
	}
	for _, braces := range inBraces.FindAllString(t.expand(sentence), -1) {
		expression := strings.Trim(braces, "{}")
		if v, err := t.value(expression); err == nil && v.IsNumber() {
			all = append(all, shownFigure{expression, v})
		}
	}
	return all
}

// calls returns the calls that a frame needs. To count on with what an earlier turn has read, none is read again.
func (t *turn) calls(f *frame) []call {
	if o := f.operation; o != nil && o.way == "count" {
		told, all := t.figures(o.on[0], t.before(o.on[0]))
		if x := told.fitting(o, all); x != nil {
			sum := told.result(o, &shownFigure{expression: x.value.Decimal().String()})
			return []call{{"calculate", map[string]any{"expression": sum}}}
		}
	}
	return t.talk.calls(f)
}

// before returns the reports that an earlier turn has read for a frame, or nil if they are not all there.
func (t *turn) before(f *frame) (reads []string) {
	for f.operation != nil {
		f = f.operation.on[0]
	}
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

// figures returns the figures that the answer of a frame has said.
func (t *turn) figures(f *frame, reads []string) (*telling, []shownFigure) {
	told := &telling{frame: f, ctx: t.ctx, book: t.book, reads: reads}
	if len(reads) == 0 {
		return told, nil
	}
	if o := f.operation; o != nil && o.way == "count" {
		before, all := t.figures(o.on[0], reads)
		if x := before.fitting(o, all); x != nil {
			result := before.result(o, x)
			if v, err := told.value(result); err == nil {
				return told, []shownFigure{{result, v}}
			}
		}
	}
	return told, told.figuresSaid()
}

// operated writes the answer of an operation from the reports of the frames that it is on.
func (t *turn) operated(f *frame, reads []string) string {
	o, n := f.operation, len(t.talk.calls(f.operation.on[0]))
	for _, on := range o.on {
		on.measure = cmpOr(f.measure, on.measure)
	}
	if before := t.before(o.on[0]); o.way == "count" && before != nil {
		reads, n = before, len(before)
	}
	first, a := t.figures(o.on[0], reads[:n])
	switch {
	case o.way == "sum" && len(o.on) == 1:
		return first.summed()
	case o.way == "count":
		if x := first.fitting(o, a); x != nil {
			name, result := "counted", first.result(o, x)
			if o.percent && o.sign == "" {
				name = "counted_part"
			}
			return reply(f.lang, name, "A", "{{"+x.expression+"}}", "RESULT", "{{"+result+"}}", "PERCENT", o.number,
				"REST", "{{"+x.expression+" - ("+result+")}}")
		}
		return reply(f.lang, "uncounted")
	}
	second, b := t.figures(o.on[1], reads[n:])
	for _, x := range a {
		for _, y := range b {
			if x.value.Kind == y.value.Kind && x.value.Currency == y.value.Currency {
				return first.beside(o, x, y, second)
			}
		}
	}
	return reply(f.lang, "uncounted")
}

// beside writes two figures with their sum or their difference.
func (t *telling) beside(o *operation, x, y shownFigure, second *telling) string {
	a, b := x.expression, y.expression
	difference := "(" + a + ") - (" + b + ")"
	more := x.value.Decimal().Cmp(y.value.Decimal())
	name := map[string]string{"sum": "added", "cover": "covered", "compare": "compared"}[o.way]
	switch {
	case o.way == "sum":
	case more < 0:
		name, difference = name+"_less", "("+b+") - ("+a+")"
	case more == 0 && o.way == "compare":
		name += "_equal"
	}
	here := t.about(second, text{"в первом ответе", "in the first answer"})
	there := second.about(t, text{"во втором", "in the second"})
	return reply(t.lang, name, "HEAD", here, "THERE", there, "A", "{{"+a+"}}", "B", "{{"+b+"}}",
		"SUM", "{{"+a+" + ("+b+")}}", "DIFFERENCE", "{{"+difference+"}}")
}

// about says what a figure is of that differs from another one; else in which answer it was.
func (t *telling) about(other *telling, usual text) string {
	switch {
	case t.frame.warehouse != other.frame.warehouse:
		return strings.TrimSpace(t.Where())
	case len(t.periods) > 0 && len(other.periods) > 0 && t.When() != other.When():
		return t.When()
	}
	return usual.in(t.lang)
}

// summed adds up the first rows of a list.
func (t *telling) summed() string {
	t.findParty()
	t.narrow()
	field := cmpOr(t.orderedBy(), t.Order)
	rows := t.ordered(t.most())
	return t.expand(reply(t.lang, "together", "SUM", "{{sum("+rows+", ."+field+")}}") +
		"\n\n{{table(" + rows + ", " + quoted(t.columns()[0]) + ", " + quoted(field) + ")}}")
}

// fitting returns the figure that the number of an operation fits: a percentage, a price of one, or a number of pieces.
func (t *telling) fitting(o *operation, all []shownFigure) *shownFigure {
	at := slices.IndexFunc(all, func(f shownFigure) bool {
		money := f.value.Kind == tools.KindMoney
		return o.rate && (!money || t.foreign(f)) || !o.rate && (money || o.percent)
	})
	if len(all) == 0 {
		return nil
	}
	return &all[max(at, 0)]
}

func (t *telling) foreign(f shownFigure) bool {
	return f.value.Kind == tools.KindMoney && f.value.Currency != t.Currency()
}

// result is the expression of what an operation makes of a figure.
func (t *telling) result(o *operation, f *shownFigure) string {
	switch x := "(" + f.expression + ")"; {
	case o.percent && o.sign == "":
		return x + " * " + o.number + " / 100"
	case o.percent:
		return x + " " + o.sign + " " + x + " * " + o.number + " / 100"
	case o.rate && t.foreign(*f):
		return "convert(" + f.expression + ", " + o.number + ", " + quoted(t.Currency()) + ")"
	case o.rate && f.value.Kind == tools.KindUnits:
		return "round(" + f.value.Decimal().String() + " * " + o.number + ", 2)"
	default:
		return x + " " + cmpOr(strings.Trim(o.sign, "+-"), "*") + " " + o.number
	}
}
