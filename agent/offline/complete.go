package offline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
)

// past reports whether a question names a period other than today.
func (h *heard) past() bool {
	return slices.ContainsFunc(h.periods, func(p calendar.Period) bool { return !p.To.Equal(h.today) || !p.From.Equal(h.today) })
}

// ahead reports whether a question names a time that has not come.
func (h *heard) ahead() bool {
	return h.deadline != nil || slices.ContainsFunc(h.spans, func(s calendar.Span) bool {
		return s.Tokens[0] > 0 && calendar.Towards(h.tokens[s.Tokens[0]-1])
	})
}

// timed reports whether a report can be about a past time.
func (r *report) timed() bool {
	return len(r.Slots.Period) > 0 || r.Past != ""
}

// redirected reads a question as a view of another report if that has what its own lacks: a past day, a time ahead, an amount of
// money, or what is compared.
func (t *talk) redirected(f *frame) *frame {
	if divided := t.inPieces(f); divided != nil {
		return divided
	}
	if f.report == nil {
		return f
	}
	to := ""
	if f.heard.ahead() {
		to = f.Coming
	}
	if to == "" && f.heard.past() {
		to = f.report.Past
	}
	if to == "" && f.heard.says(f.report.Money.Asked) {
		to = f.report.Money.View
	}
	view := t.byClass[to]
	if now := f.heard.first(f.heard.Now); to == "" && f.view == f.report.Views[0] && len(f.periods) == 1 && f.heard.joins(now-1) {
		view = f.report.mode("compare") // "in the summer and now"
	} else if to == "" {
		view = f.comparedElsewhere()
	}
	view = cmp.Or(t.priced(f), view)
	if view == nil {
		return f
	}
	other := t.read(f.heard, view)
	if view.Means != "" {
		t.inheritList(other, f.heard, true)
	}
	other.take(f)
	if view == t.stocked { // it reads both reports
		other.unexplained = slices.DeleteFunc(other.unexplained, func(i int) bool { return f.used[i] || f.heard.is(i, f.heard.Stocked) })
		if f.goods != nil && len(f.goods.Tokens) == 0 {
			other.take(t.last)
		}
	}
	other.Brief = f.Brief
	if f.goods != nil && other.report.Slots.Goods == "" { // "how much would that cost?" of some goods
		other.unsupported = append(other.unsupported, f.goods.Said)
	}
	return other
}

// priced returns the view of prices that a question means although it was read as another one: it ranks or limits the prices of goods in
// stock, or ranks those of what was shown. It returns nil if it does not.
func (t *talk) priced(f *frame) *view {
	h, last, price, stock := f.heard, t.last, t.byClass["search_products.sale_price"], t.byTool["stock"]
	ranks := f.sort != "" && !f.sorts && h.says(price.report.Measures[price.report.Order])
	limits := h.any(func(i int) bool { // not "under 5 mugs"
		at := h.comparedWith(i, nil)
		return at >= 0 && !h.is(at+1, h.Units) && (h.is(i, h.Dearer) || h.is(i, h.Priced) && h.tokens[at].Number.IntPart() > 99)
	})
	there := len(h.warehouses) > 0 && len(h.channels) == 0 || h.any(func(i int) bool {
		return h.is(i, h.Stocked) && (!h.after(h.Decline, i) || h.is(i-2, h.Whether)) // not «нет в наличии», but "do we have"
	})
	goesOn := f.goods != nil && len(f.goods.Tokens) == 0 && (last.view == t.stocked || last.report == stock)
	shown := last != nil && last.report == f.report && ranks // "which is the dearest?" after stock or sales
	switch {
	case f.view == price && (there || goesOn) && (f.sort != "" || len(f.thresholds) > 0),
		f.view == stock.Views[0] && (shown || f.goods != nil && (ranks || limits)):
		return t.stocked
	case shown && f.report.Named && f.report != price.report:
		return price
	}
	return nil
}

// mostPieces limits the parts of a time: each takes a report.
const mostPieces = 12

// inPieces reads a question that divides figures by time, "revenue by month". It returns nil for any other, and for too many parts.
// A report that does not compare answers once for each part.
func (t *talk) inPieces(f *frame) *frame {
	unit, tokens := f.heard.every()
	report := f.report
	if f.view == t.byClass["topics.breakdown"] {
		report = t.byTool["margin"]
	}
	if unit == "" || report == nil {
		return nil
	}
	compared := report.mode("compare")
	if compared == nil && f.Happens { // each part of the time has an answer of its own
		compared = f.view
	} else if compared == nil {
		return nil
	}
	alone := all(f.heard.contents(), func(i int) bool { return slices.Contains(tokens, i) })
	if report == f.report && f.view != report.Views[0] && f.view != compared && !alone {
		return nil
	}
	divided := t.read(f.heard, compared)
	for _, i := range tokens {
		divided.explain(i)
	}
	switch {
	case f.report != nil:
		divided.take(f)
	case t.last != nil && t.last.report == report:
		divided.take(t.last)
	}
	if len(divided.periods) < 2 {
		whole := divided.period()
		if unit == calendar.Month && len(f.heard.periods) == 0 && (len(divided.periods) == 0 || len(whole.Split(unit)) < 2) {
			whole = calendar.Period{From: calendar.Back(calendar.Year, 0, t.today).From, To: t.today}
		}
		divided.periods = whole.Split(unit)
		if over := len(divided.periods) - mostPieces; over == 1 && divided.periods[0].Unit == "" { // a year that began within a month
			divided.periods = divided.periods[over:]
		}
	}
	if pieces := len(divided.periods); pieces > mostPieces || pieces < 2 && f.report != nil {
		return nil
	} else if pieces < 2 { // "by day this week", on a Monday
		divided.view = report.Views[0]
	}
	return divided
}

// every returns the unit by which a message divides a time, with the words that say so. It is empty if there is none.
func (h *heard) every() (calendar.Unit, []int) {
	week := func(i int) bool { return i < len(h.tokens) && calendar.UnitOf(h.tokens[i]) == calendar.Week }
	for i, token := range h.tokens {
		if week(i+1) || h.is(i+1, h.Of) && h.is(i+2, h.Articles) && week(i+3) { // no part of a time: "the day of the week"
			continue
		}
		divides := !h.timed(i-1) && (h.is(i-1, h.GroupBy) || h.is(i-1, h.Top) || h.is(i-1, h.Bottom)) // "the best month"
		if unit := calendar.UnitOf(token); unit != "" && divides {
			return unit, []int{i}
		}
		for unit, w := range h.Every {
			if h.is(i, w) {
				return unit, []int{i}
			}
		}
	}
	return "", nil
}

// comparedElsewhere returns the view of another report that compares, if a word that the frame cannot use asks for that report: "did we
// spend more in September than in August?" Words such as "more than" ask for a comparison, but of nothing in particular.
func (f *frame) comparedElsewhere() *view {
	if f.Mode != "compare" && f.Mode != "against" || f.Measure != "" {
		return nil
	}
	for _, v := range f.heard.likely {
		asks := func(i int) bool { return f.heard.weight(v, i) > decides }
		if v.report != nil && v.report != f.report && len(v.Needs) == 0 && slices.ContainsFunc(f.unexplained, asks) {
			return cmp.Or(v.report.mode(f.Mode), v)
		}
	}
	return nil
}

// find returns the first view of a report that fits, or nil.
func (r *report) find(fit func(*view) bool) *view {
	at := slices.IndexFunc(r.Views, fit)
	if at < 0 {
		return nil
	}
	return r.Views[at]
}

// mode returns the view with a mode, or nil.
func (r *report) mode(name string) *view { return r.find(func(v *view) bool { return v.Mode == name }) }

// everyone returns the view that says the same about all counterparties, or nil.
func (v *view) everyone() *view {
	return v.report.find(func(other *view) bool { return v.Everyone != "" && other.Name == v.Everyone })
}

// single returns the view that says the same about one thing of a kind, or nil. For counterparties that is any view about one, unless the
// view itself may be about one.
func (v *view) single(need string) *view {
	needs := func(other *view) bool { return slices.Contains(other.Needs, need) }
	same := v.report.find(func(other *view) bool { return needs(other) && (other == v || other.Everyone == v.Name) })
	if same == nil && need == "party" && !v.OfParty {
		return v.report.find(needs)
	}
	return same
}

// placed reports whether a view can be about one warehouse.
func (v *view) placed() bool { return v.report.Slots.Warehouse != "" || v == loaded().stocked }

// listsGoods reports whether a view is of a report on goods.
func (v *view) listsGoods() bool { return v.report != nil && v.report.Slots.Goods != "" }

// usualDays is the length of a report's period if neither the question nor the view names one. The answer says the period.
const usualDays = 30

// period returns the period that the answer is about: the first one named, or else the usual one. It is zero if the report has none.
func (f *frame) period() calendar.Period {
	switch {
	case len(f.periods) > 0:
		return f.periods[0]
	case f.report == nil || len(f.report.Slots.Period) == 0:
		return calendar.Period{}
	}
	from := f.heard.today.AddDate(0, 0, 1-cmp.Or(f.Usual, usualDays))
	if f.rate == calendar.Month { // an average month is one of a year
		from = f.heard.today.AddDate(-1, 0, 1)
	}
	return calendar.Period{From: from, To: f.heard.today}
}

// complete adjusts the view to a single counterparty or to two periods if the report has such a view.
func (f *frame) complete() {
	if f.report == nil {
		return
	}
	if f.span != nil && f.heard.has(f.report.Ahead) { // it is no delivery that takes so long
		f.view = cmp.Or(f.report.find(func(v *view) bool { return len(v.Days) > 0 }), f.view)
	}
	if f.span != nil && f.report.Slots.Days != "" && !strings.Contains(f.Where, "DAYS") {
		arguments := f.view.Days
		if len(arguments) == 0 {
			arguments = []string{f.report.Slots.Days}
		}
		for i, argument := range arguments {
			if _, given := f.arguments[argument]; i == 0 || !given {
				f.arguments[argument] = f.span.Days
			}
		}
	}
	if _, given := f.arguments[f.Tells]; given { // "what if the delivery takes three weeks?"
		f.view = f.report.find(func(v *view) bool { return v.Name == f.Supposed })
	}
	counted := f.report.Counted.in(f.heard)
	if counted != nil && f.goods != nil && f.Measure == f.report.Order && !f.sorts && !f.heard.after(f.heard.BeforeNames, counted[0]) {
		f.Measure = "units" // not of «на сколько продали»
	}
	if f.goods != nil && f.Ranks != "" && f.report.Slots.Goods == "rows" { // its list of warehouses names no goods
		f.unsupported = append(f.unsupported, f.goods.Said)
	}
	byChannel := f.goods != nil && f.choices["group_by"] == "channel" && f.channel == "" // nor does that of channels
	if at := f.heard.first(f.heard.Channels); byChannel && at >= 0 {
		f.unsupported = append(f.unsupported, f.heard.said([]int{at}))
	}
	if f.boundsTotal() {
		f.bound, f.thresholds = &f.thresholds[0], nil
		f.Measure = f.bound.field
	}
	switch at := slices.IndexFunc(f.thresholds, func(t threshold) bool { return t.ofWhole() }); {
	case f.bound != nil && f.bound.ofWhole(): // "is that over 25% of the revenue?"
		f.view = cmp.Or(f.report.mode("share"), f.view)
	case at >= 0: // no row says what share it has
		f.ask = &question{slot: "word", said: f.thresholds[at].said}
	}
	several := len(f.places) > 1 || f.rival != nil
	f.settle(calendar.Period{})
	switch {
	case several && f.Mode != "average" && f.Mode != "share":
		f.view = cmp.Or(f.report.mode("against"), f.view)
	case f.Mode == "against", f.bound != nil && !f.bound.by && f.Mode == "compare" && len(f.periods) < 2:
		f.view = f.report.Views[0]
	case len(f.periods) > 1 && (f.view == f.report.Views[0] && !f.lists() || f.Mode == "share" && !f.namesMore() && !f.ofTime()):
		f.view = cmp.Or(f.report.mode("compare"), f.view)
	}
	narrows := f.Mode != "" || strings.Contains(f.RU, "ROWS") || strings.Contains(f.RU, "[[list]]")
	if !narrows && len(f.conditions()) > 0 || f.Number != "" { // the view is about the whole report
		f.view = f.report.Views[0]
	}
	for _, need := range []string{"party", "cell", "number"} {
		if single := f.single(need); single != nil && f.Mode == "" && f.fills(need) {
			f.view = single
		}
	}
	if f.without {
		f.view = f.report.find(func(v *view) bool { return v.Name == f.report.Others })
	}
	byPlace := f.heard.find(func(i int) bool {
		return f.heard.is(i, f.heard.Groups["warehouse"]) && f.heard.is(i-1, f.heard.GroupBy)
	})
	divided := strings.Contains(f.RU+strings.Join(f.Columns, " ")+f.Ranks, "warehouse")
	if byPlace > 0 && !divided && f.Mode == "" && f.warehouse == "" && len(f.places) == 0 { // "turnover by warehouse"
		f.explain(byPlace)
		f.unsupported = append(f.unsupported, f.heard.tokens[byPlace].Text)
	}
}

// lists reports whether the question asks for rows of each of its periods: the first three, or all channels.
func (f *frame) lists() bool {
	group := f.choices["group_by"]
	ranked := f.sort != "" && (f.limit > 0 || f.heard.has(f.heard.Rows))
	return ranked || group == "product" || group == "channel" && f.channel == "" && len(f.places) == 0
}

// boundsTotal reports whether the threshold is one of the whole figure: "is the profit over 500,000?", but not "any goods below 5?"
func (f *frame) boundsTotal() bool {
	h := f.heard
	one := len(f.thresholds) == 1 && len(f.comparing) > 0 && (strings.HasSuffix(h.text, "?") || h.is(0, h.Whether))
	rows := h.any(func(i int) bool { return h.is(i, h.Rows) && !h.is(i-1, h.Against) }) // "debts to suppliers" is one figure
	asks := h.has(h.Question) && !h.is(0, h.Whether) && !h.is(1, h.Whether)             // "is it true that"
	if f.Means != "" && (f.view == loaded().stocked || f.goods.One() == "") || !one || rows || asks || h.has(h.Several) || f.sort != "" {
		return false
	}
	names := func(i int) bool { // what is compared: "over 5,000?" alone is about the list before
		comparing := slices.Contains(f.comparing, i) || h.is(i, h.Money) || h.is(i, h.Units) || h.scale(h.tokens[i]).IsPositive()
		return h.content(i) && h.tokens[i].Number == nil && !h.timed(i) && !comparing
	}
	return f.goods != nil || f.fills("party") || (f.Whole || !h.has(h.There)) && h.any(names)
}

// settle computes periods that depend on the one spoken of: "the same period last year". Zero means that none was.
func (f *frame) settle(spoken calendar.Period) {
	if at := slices.IndexFunc(f.periods, func(p calendar.Period) bool { return p.Beside == nil }); at >= 0 {
		spoken = f.periods[at]
	}
	for i, p := range f.periods {
		switch {
		case p.Beside == nil:
		case !spoken.From.IsZero():
			f.periods[i] = p.Beside(spoken)
		case f.Mode == "compare" && len(f.periods) == 1:
			current := calendar.Back(cmp.Or(p.Unit, calendar.Year), 0, f.heard.today) // "the same days last month"
			current.To = f.heard.today
			f.periods = []calendar.Period{p.Beside(current), current}
		}
	}
}
