package offline

import (
	"cmp"
	"maps"
	"slices"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// said holds the values that a question gives, by slot. Sentences use its exported fields.
type said struct {
	warehouse, channel, party string   // names of the account
	source                    string   // the warehouse that goods may be taken from
	partySaid                 string   // a counterparty in the user's words, to be found in the report
	without                   bool     // the question leaves the counterparties out
	also                      []string // further counterparties: names, or the user's words
	places                    []string // several warehouses or channels to filter rows by
	goods                     *naming.Choice
	rival                     *naming.Choice // other goods, beside those
	periods                   []calendar.Period
	months                    []string // of a list of months: "2026-09"
	span                      *calendar.Span
	Number                    string // of an order
	choices                   map[string]string
	arguments                 map[string]any // further arguments of the report, by name, such as lengths of time; nil: the default
	Cell                      string         // the group of the ABC/XYZ analysis
	thresholds                []threshold    // of rows, all of which they meet
	bound                     *threshold     // of the figure asked for, in a question for yes or no
	Measure, sort             string         // the field that was asked for, and the one by which rows are sorted
	measures                  []string       // all that the words name; Measure is the one that they ask for
	sorts                     bool           // "by" stands before the measure
	ascending, all            bool
	limit                     int
	top                       bool // the answer is about no more rows than limit: "those five together"
}

// named reports whether a slot other than order and measure is filled.
func (s *said) named() bool { return s.namesMore() || len(s.periods) > 0 }

// namesMore reports whether a slot other than those and the period is filled.
func (s *said) namesMore() bool {
	return s.warehouse+s.channel+s.party+s.partySaid+s.Number+s.Cell != "" || len(s.places) > 0 ||
		s.goods != nil || s.span != nil && len(s.span.Tokens) > 0 || len(s.thresholds) > 0
}

// take fills empty slots from the frame before: names and time, and everything else if the report is the same.
func (f *frame) take(last *frame) {
	f.takeNames(last)
	f.takeTime(last)
	if last.report != f.report {
		return
	}
	f.span = cmp.Or(f.span, last.span)
	f.choices = merged(f.choices, last.choices)
	if f.sort == "default" {
		f.sort = cmp.Or(last.Measure, f.sort) // "which is the weakest": by the measure spoken of
	}
	by := f.sorts && f.Measure != f.report.Order // "by profit"
	if f.sort == "" && f.Measure != "" && (by || last.sort != "") {
		f.sort, f.ascending = f.Measure, last.ascending
	}
	if f.sort == "" && f.onlySlots() { // "and in September?" after "top 5"
		f.sort, f.ascending = last.sort, last.ascending
	}
	if f.Measure == "" {
		f.Measure, f.measures = last.Measure, last.measures
	}
	f.Cell = cmp.Or(f.Cell, last.Cell)
	if f.source = cmp.Or(f.source, last.source); !f.heard.names() { // "only Wildberries" is about no single order
		f.Number = cmp.Or(f.Number, last.Number)
	}
	if f.sort != "" && f.limit == 0 {
		f.limit = last.limit
	}
	if len(f.thresholds) == 0 || f.heard.part() { // "and of those, over 10,000?"
		f.thresholds = slices.Concat(last.thresholds, f.thresholds)
	}
}

// everywhere reports whether a message removes a filter: "and in all?", "а на все?", "and in the others?" It does not in "all of it",
// "it all" and "most of all".
func (h *heard) everywhere() bool {
	return h.any(func(i int) bool {
		most := h.is(i, h.OfAll) && (h.is(i-1, h.More) || h.is(i-1, h.Less) || h.is(i-1, h.Top) || h.is(i-1, h.Bottom)) // "лучше всех"
		// "what's that worth altogether?"
		these := h.is(i-1, h.Anaphor) || h.is(i-2, h.Anaphor) || h.is(i+1, h.Anaphor)
		others := h.is(i, h.Others) && h.after(h.BeforeNames, i) && !slices.Contains(h.function[i+1:], false)
		return h.is(i, h.Everywhere) && !h.is(i+1, h.Of) && !these && !most || others ||
			(h.is(i, h.All) || h.is(i, h.Everyone)) && h.is(i-1, h.BeforeNames)
	})
}

// allOf reports whether a message is about all things of a kind, "по всем складам", or all others: "in the other warehouses".
func (h *heard) allOf(kind oneWord) bool {
	all := func(i int) bool { return h.is(i, h.All) || h.is(i, h.Everywhere) || h.is(i, h.Others) }
	return h.any(func(i int) bool {
		of := h.is(i-1, h.Articles) && h.is(i-2, h.Of) && all(i-3) // "the rest of the warehouses"
		return h.is(i, kind) && (all(i-1) || h.is(i-1, h.Articles) && all(i-2) || of)
	})
}

// takeNames fills the slots for names. A name of goods may be a part of one before: "and the black ones?"
func (f *frame) takeNames(last *frame) {
	s, h := f.report.Slots, f.heard
	switch {
	case s.Goods == "":
	case f.goods == nil:
		f.goods, f.rival = last.goods.Earlier(), last.rival.Earlier()
	default:
		f.narrow(last)
	}
	if f.Mode != "share" && h.everywhere() {
		return
	}
	ordered := last.view.draft == loaded().drafts.Order // goods are not ordered for a place spoken of
	where := f.Ranks != "" || h.any(func(i int) bool { return h.is(i, h.Question) && h.is(i, h.Groups["warehouse"]) })
	places := !where && !ordered && !h.allOf(h.Place)
	if last.report == f.report && len(f.places) == 0 && f.warehouse+f.channel == "" && places {
		f.places = last.places
	}
	if f.placed() && len(f.places) == 0 && places {
		f.warehouse = cmp.Or(f.warehouse, last.warehouse, one(last.heard.warehouses))
	}
	which := f.choices["group_by"] == "channel" && h.has(h.Which) // "which channel has the best margin?"
	if s.Channel != "" && !which && !h.allOf(h.Channels) {
		f.channel = cmp.Or(f.channel, last.channel, one(last.heard.channels))
	}
	others := h.any(func(i int) bool { return h.is(i, h.Else) && h.is(i-1, h.Question) }) // "who else owes us?"
	if s.Party != "" && !f.fills("party") && !others && (s.Party != "debts" || f.sort == "") {
		f.party = last.party
		if f.party == "" {
			f.partySaid = last.partySaid
		}
	}
}

// narrow makes goods that a message names a part of those before, unless it asks for all of the kind: "all mugs" after those of one brand.
// If the message only says what goods are like, and none of those before is so, the answer says that.
func (f *frame) narrow(last *frame) {
	all := slices.ContainsFunc(f.goods.Tokens, func(i int) bool { return f.heard.after(f.heard.All, i) })
	if last.goods == nil || all && f.goods.Has(last.goods) {
		return
	}
	heads, part := f.heard.sentence.Heads, last.goods.Narrowed(f.goods)
	other := part == f.goods && (last.goods.AreVariants() || last.goods.Kind() != "")
	if other && !slices.ContainsFunc(part.Tokens, heads) { // "and red ones?"
		f.others, part = append(f.others, part.Tokens...), last.goods.Earlier()
	}
	f.goods = part
}

// readSize reads a bare number as a size of the goods spoken of: "and 40?" after slippers of size 38.
func (f *frame) readSize(last *frame) {
	h, at := f.heard, f.heard.number()
	if f.report == nil || f.report.Slots.Goods == "" || f.goods != nil || last.goods == nil || h.goods == nil || at < 0 || f.slot[at] ||
		h.counted(at+1) {
		return
	}
	if size := h.sentence.Size(at); len(size.Names) > 0 {
		f.goods = size
		f.explain(at)
		f.narrow(last)
	}
}

// takeTime takes over the period, and from the same report also lengths and the metric.
func (f *frame) takeTime(last *frame) {
	if len(f.periods) == 0 && len(f.report.Slots.Period) > 0 {
		f.periods = last.periods
		if last.Mode == "compare" && (f.sort != "" || f.choices["group_by"] != "") { // a ranking is of the later one
			_, later := last.compared()
			f.periods = []calendar.Period{later}
		}
	}
	if spoken := last.period(); f.Mode == "compare" && len(f.periods) == 1 && f.heard.against(f.periods[0]) && len(last.periods) == 1 &&
		!f.periods[0].Has(spoken) && !spoken.Has(f.periods[0]) { // "compare it with the second quarter"
		f.periods = []calendar.Period{f.periods[0], spoken}
	}
	if len(f.months) == 0 && last.view == f.view {
		f.months = last.months
	}
	if last.report == f.report && (last.months == nil || f.months != nil) {
		f.arguments = merged(f.arguments, last.arguments)
		f.choices["metric"] = cmp.Or(f.choices["metric"], last.choices["metric"])
	}
}

// recall reads a bare number as a size of the goods spoken of, computes a period that depends on the one spoken of, "the same period",
// and replaces "two months" by the periods of the frames before, if they have as many.
func (f *frame) recall(last *frame) {
	spans := f.heard.spans
	f.readSize(last)
	f.settle(last.spoken())
	if len(f.periods) != 1 || len(spans) != 1 || spans[0].Count < 2 || !slices.Equal(f.periods[0].Tokens, spans[0].Tokens) {
		return
	}
	periods := last.spoke(spans[0].Count)
	if periods != nil && !slices.ContainsFunc(periods, func(p calendar.Period) bool { return p.Unit != spans[0].Unit }) {
		f.periods = periods
	}
}

// spoken returns the period that a frame is about or, if it is about none, that of the one before it.
func (f *frame) spoken() calendar.Period {
	for e := f; e != nil; e = e.earlier {
		if p := e.period(); !p.From.IsZero() {
			return p
		}
	}
	return calendar.Period{}
}

// spoke returns the last n different periods of a frame and those before it, the latest first. It returns nil if they have not as many.
func (f *frame) spoke(n int) (periods []calendar.Period) {
	for e := f; e != nil && len(periods) < n; e = e.earlier {
		for _, p := range e.periods {
			if !slices.ContainsFunc(periods, p.Same) {
				periods = append(periods, p)
			}
		}
	}
	if len(periods) != n {
		return nil
	}
	return periods
}

// merged adds the entries of others whose keys values does not have.
func merged[V any](values, others map[string]V) map[string]V {
	all := maps.Clone(others)
	if all == nil {
		all = map[string]V{}
	}
	maps.Copy(all, values)
	return all
}

// one returns the only name that a message has, or "".
func one(names []naming.Match) string {
	if len(names) == 1 {
		return names[0].Named()
	}
	return ""
}
