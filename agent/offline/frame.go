package offline

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/naming"
)

// frame is a view of a report, with the values that the question gives to its slots.
type frame struct {
	*view
	lang string

	said
	rate       calendar.Unit // of an average
	comparing  []int         // tokens of the threshold
	expression string
	draft      *draft

	unexplained []int // tokens that neither the view nor a slot explains
	idle        bool  // a known word means nothing for this view: it may be part of a name
	ignored     []int // unexplained tokens that the answer leaves out
	unsupported []string
	score       float64
	used        []bool
	slot        []bool // tokens that fill a slot
	direct      bool   // words of the question ask for the view
	offered     bool   // it was offered instead of what was asked: nothing was shown
	measured    []int  // tokens of measures
	brief       bool   // the question is only about the sum: no list
	lacking     string // what the view needs and the question does not say
	ask         *question
	earlier     *frame // the frame before this one
	operation   *operation
	heard       *heard
}

type threshold struct {
	field, sign  string
	value, scale decimal.Decimal // value is in units of scale, such as thousands
	said         string
	plain        bool // the question has a number, but not what it measures
	missing      bool // the field is to have no value
}

// question is what the model asks the user back.
type question struct {
	slot       string
	said       string   // the words that were not found
	candidates []string // names for the user to choose from
}

// in returns the first token of each word of the pattern, or nil if a word is missing.
func (p pattern) in(h *heard) (tokens []int) {
	for _, w := range p.words {
		at := slices.IndexFunc(h.tokens, w.Is)
		if at < 0 {
			return nil
		}
		tokens = append(tokens, at)
	}
	return tokens
}

// timed reports whether a token is part of a period or of a length of time.
func (h *heard) timed(i int) bool {
	return slices.ContainsFunc(h.periods, func(p calendar.Period) bool { return slices.Contains(p.Tokens, i) }) ||
		slices.ContainsFunc(h.spans, func(s calendar.Span) bool { return slices.Contains(s.Tokens, i) })
}

// mostShort limits the words and marks of a short message.
const mostShort = 3

// frames reads a question as each view that it may ask for, the best first. last is the frame of the message before.
func (c *catalog) frames(h *heard, last *frame) []*frame {
	var all []*frame
	possible := 1.0 // the probability of the views that the question can still mean
	for _, v := range h.likely {
		p := h.guesses[v].Probability
		if v.follow != "" || p < leastLikely*possible && !v.computed() {
			continue
		}
		f := c.read(h, v)
		spoken := last != nil && (last.goods != nil || last.listsGoods() && h.pointsAt(c))
		strange := slices.ContainsFunc(f.unexplained, func(i int) bool { return c.strange(h, i) })
		fits := f.lacking == "" || f.lacking == "goods" && (spoken || strange)
		if v.Short && len(h.tokens) > mostShort || !fits {
			possible = max(possible-p, leastPossible)
		} else if f.direct {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b *frame) int { return cmp.Compare(b.score, a.score) })
	return all
}

// computed reports whether a view is recognized by a figure or a group in the question instead of its words.
func (v *view) computed() bool { return slices.Contains(v.Needs, "cell") || v.Formula == "written" }

// read fills the slots of a view from a question, and scores how much of the question this explains.
func (c *catalog) read(h *heard, v *view) *frame { return c.readAs(h, v, v) }

// readAs is read for a follow-up: the words of the question ask for way, and the slots are those of v.
func (c *catalog) readAs(h *heard, v, way *view) *frame {
	f := &frame{view: v, heard: h, lang: h.lang, used: make([]bool, len(h.tokens)), slot: make([]bool, len(h.tokens))}
	f.choices, f.arguments = map[string]string{}, map[string]any{}
	f.asked(h, way)
	switch {
	case v.draft != nil:
		c.readDraft(f, h)
	case v.report != nil:
		c.readSlots(f, h)
	case v.topic(): // a later message may be about that time
		f.periods = slices.DeleteFunc(slices.Clone(h.periods), func(p calendar.Period) bool { return p.Wrong || p.Beside != nil })
		f.party, f.partySaid = one(h.suppliers), h.said(c.nameIn(h))
		f.goods = h.goods.Find(h.tokens, func(i int) bool { return h.content(i) && !h.learnt[i] })
	}
	f.finish(c, h, way)
	return f
}

// asked marks the words that speak for the view, or for way.
func (f *frame) asked(h *heard, way *view) {
	for i := range h.tokens {
		f.used[i] = h.weight(way, i) > speaks && !h.unknown[i] // few letters say little about a word that nothing else knows
	}
	f.direct = h.familiar
	f.score = math.Log(max(h.guesses[way].Probability, 1e-6))
}

func (f *frame) use(tokens ...int) {
	for _, i := range tokens {
		f.used[i], f.slot[i] = true, true
	}
}

// explain uses a token for a slot although finish has listed it as unexplained.
func (f *frame) explain(i int) {
	f.unexplained = slices.DeleteFunc(f.unexplained, func(at int) bool { return at == i })
	f.use(i)
}

func (f *frame) free(tokens []int) bool {
	return !slices.ContainsFunc(tokens, func(i int) bool { return f.used[i] })
}

func (c *catalog) readSlots(f *frame, h *heard) {
	r := f.report
	for argument, values := range r.Choices {
		for value, patterns := range values {
			for _, p := range patterns {
				if tokens := p.in(h); tokens != nil {
					f.choices[argument] = value
					f.use(tokens...)
				}
			}
		}
	}
	f.readMeasure(h)
	f.readTime(h)
	f.readCell(h)
	f.readThreshold(h)
	f.readOrder(h)
	f.readNames(h)
	f.readGroups(h)
	f.readNumber(h)
	f.readGoods(h)
	c.readStranger(f, h)
	if f.span == nil && f.Usual > 0 {
		f.span = &calendar.Span{Days: f.Usual, Said: daysIn(f.lang, f.Usual)}
	}
	for _, need := range f.Needs {
		if !f.fills(need) {
			f.lacking = need
		}
	}
	if f.Formula != "" {
		if f.expression = c.expression(h, f.Formula); f.expression == "" {
			f.lacking = "figures"
		}
		f.direct = f.direct || f.expression != ""
		for i := range f.used {
			f.used[i] = f.used[i] || h.tokens[i].Number != nil
		}
	}
}

// usual reports whether the length of time is the view's default.
func (f *frame) usual() bool { return f.span != nil && len(f.span.Tokens) == 0 }

// fills reports whether a needed slot is filled.
func (f *frame) fills(need string) bool {
	switch need {
	case "goods":
		return f.goods != nil
	case "party":
		return f.party != "" || f.partySaid != ""
	case "span":
		return f.span != nil
	case "cell":
		return f.cell != ""
	}
	return true
}

// readMeasure reads the field that the words name, for the figure, the order, or both.
func (f *frame) readMeasure(h *heard) {
	first, most := len(h.tokens), 0
	for field, patterns := range f.report.Measures {
		for _, p := range patterns {
			tokens := p.in(h)
			if len(tokens) == 0 || slices.ContainsFunc(tokens, h.timed) { // "over 90 days" is not a figure
				continue
			}
			f.use(tokens...)
			f.measures, f.measured = append(f.measures, field), append(f.measured, tokens...)
			at := slices.Min(tokens)
			by := h.is(at-1, h.By)
			if by || h.contrasted(at+2) {
				at -= len(h.tokens) // the user named it
			}
			if at < first || at == first && len(tokens) > most { // "profit margin"
				first, most, f.measure, f.sorts = at, len(tokens), field, by
			}
		}
	}
}

// readTime reads what the question says about time: periods, the day of the report, or lengths of time.
func (f *frame) readTime(h *heard) {
	s := f.report.Slots
	if f.Mode == "average" {
		var tokens []int
		f.rate, tokens = calendar.Rate(h.tokens)
		f.use(tokens...)
	}
	switch {
	case len(s.Period) > 0:
		f.readPeriods(h)
	case s.Longer != "":
		f.readAge(h)
		f.readDay(h)
	case s.Days == "" && s.Months == "":
		f.readDay(h)
	default:
		f.readLengths(h)
	}
}

func (f *frame) readPeriods(h *heard) {
	for _, p := range h.periods {
		if f.Mode == "compare" && p.Open {
			month := calendar.Back(calendar.Month, 0, p.From) // "по сравнению с сентябрём"
			p.From, p.To, p.Unit = month.From, month.To, month.Unit
		}
		f.periods = append(f.periods, p)
		f.use(p.Tokens...)
	}
	for _, span := range h.spans { // "за 30 дней", "за неделю"
		if f.free(span.Tokens) && len(f.periods) == 0 {
			from := h.today.AddDate(0, 0, 1-span.Days)
			if span.Months > 0 {
				from = h.today.AddDate(0, -span.Months, 1)
			}
			f.periods = append(f.periods, calendar.Period{From: from, To: h.today, Tokens: span.Tokens})
			f.use(span.Tokens...)
		}
	}
}

// readDay reads the day of a report that can be made for a past day. Other reports are for today.
func (f *frame) readDay(h *heard) {
	for _, p := range h.periods {
		free := f.free(p.Tokens)
		f.use(p.Tokens...)
		switch {
		case !free: // it is an age
		case f.report.Slots.Day != "" && p.From.Before(h.today) && (p.From.Equal(p.To) || calendar.Starts(h.tokens[p.Tokens[0]])):
			f.arguments[f.report.Slots.Day] = p.From.Format(time.DateOnly)
		case !p.To.Equal(h.today) || !p.From.Equal(h.today):
			f.unsupported = append(f.unsupported, h.said(p.Tokens))
			f.score--
		}
	}
}

// readLengths reads lengths of time. If the report has a window, it distinguishes a past one, "по продажам за последние 90 дней",
// from a length ahead, "хватит ли до 15 декабря".
func (f *frame) readLengths(h *heard) {
	s := f.report.Slots
	take := func(span calendar.Span) {
		span.Said = h.said(span.Tokens)
		f.span = &span
		f.use(span.Tokens...)
	}
	since := func(p calendar.Period) int { return int(h.today.Sub(p.From).Hours()/24) + 1 }
	for _, p := range h.periods {
		past := slices.ContainsFunc(p.Tokens, func(i int) bool { return calendar.Relative(h.tokens[i]) })
		if s.Window != "" && past && p.To.Equal(h.today) && p.From.Before(h.today) {
			f.arguments[s.Window] = since(p)
			f.use(p.Tokens...)
		}
	}
	if s.Days == "" || s.Window != "" { // what is ahead begins today
		if h.deadline != nil {
			take(*h.deadline)
		}
	}
	for i := range h.tokens { // "lead time 14"
		n, whole := h.small(i)
		if whole && s.Days != "" && !h.timed(i) && (h.is(i-1, f.report.Around) || h.is(i-2, f.report.Around)) {
			f.arguments[s.Days] = n
			f.use(i, i-1)
		}
	}
	for _, span := range h.spans {
		switch {
		case all(span.Tokens, func(i int) bool { return f.slot[i] }):
		case s.Days != "" || h.asksWhether(): // "will the cash last for a year"
			take(span)
		case span.Months > 0:
			f.arguments[s.Months] = span.Months
			f.use(span.Tokens...)
		}
	}
	for _, p := range h.periods { // "за последние 90 дней"
		switch past := p.To.Before(h.today); {
		case s.Recent && past && f.free(p.Tokens):
			f.unsupported = append(f.unsupported, h.said(p.Tokens))
			f.use(p.Tokens...)
		case f.span == nil && s.Days != "" && s.Window == "" && !p.Wrong:
			take(calendar.Span{Days: since(p), Tokens: p.Tokens})
			if s.Moment != "" && past {
				f.periods = append(f.periods, p)
			}
		}
	}
}

// readAge reads "больше двух недель" if the report's rows have an age.
func (f *frame) readAge(h *heard) {
	for _, span := range h.spans {
		f.threshold = &threshold{field: f.report.Slots.Longer, sign: ">", value: decimal.NewFromInt(int64(span.Days))}
		f.use(span.Tokens...)
		said := span.Tokens
		for i := max(0, span.Tokens[0]-3); i < span.Tokens[0]; i++ {
			if h.is(i, h.Less) {
				f.threshold.sign = "<"
			}
			if h.is(i, h.Less) || h.is(i, h.More) {
				f.comparing = append(f.comparing, i)
				said = append([]int{i}, said...)
				f.use(i)
			}
		}
		f.threshold.said = h.said(said)
	}
}

// readCell reads a group of the ABC/XYZ analysis: "CZ".
func (f *frame) readCell(h *heard) {
	if f.report.Tool != "abc_xyz" {
		return
	}
	for i, t := range h.tokens {
		low := strings.NewReplacer("А", "A", "В", "B", "С", "C", "Х", "X").Replace(strings.ToUpper(t.Text))
		cells := func(i int) bool { // a small letter next to a word such as "goods" is a preposition
			return h.is(i, f.report.Group) && (!h.function[i] || t.Capital())
		}
		letter := len(low) == 1 && strings.Contains("ABC", low) && (h.capital(i) || cells(i-1) || cells(i+1))
		if letter || len(low) == 2 && h.content(i) && strings.Contains("ABC", low[:1]) && strings.Contains("XYZ", low[1:]) {
			f.cell = low
			f.use(i)
		}
	}
}

// readGroups reads what the list is to be divided by: "по складам", "which supplier".
func (f *frame) readGroups(h *heard) {
	for field := range f.report.Groups {
		for i := range h.tokens {
			asked := h.is(i-1, h.GroupBy) || h.is(i, h.Question) && f.sort != ""
			if h.is(i, h.Groups[field]) && !h.is(i+1, h.Documents) && asked {
				f.by = field
				f.use(i)
			}
		}
	}
}

// readOrder reads "топ 5", "самые дорогие", "по прибыли", "покажи все".
func (f *frame) readOrder(h *heard) {
	for i := range h.tokens {
		top, bottom := h.is(i, h.Top), h.is(i, h.Bottom)
		if h.is(i+1, h.OfAll) && !top && !bottom { // "дольше всех"
			top, bottom = h.is(i, h.More), h.is(i, h.Less)
		}
		if f.report.Problems && bottom { // the worst is the largest, and "less" compares with a minimum
			top, bottom = h.is(i, h.Worst), !h.is(i, h.Worst) && !h.is(i, h.Less) && h.weight(f.view, i) <= speaks
		}
		if (top || bottom) && !slices.Contains(f.comparing, i) && !h.timed(i) {
			f.use(i)
			f.ascending = f.ascending || bottom
			f.sort = cmpOr(f.sort, f.measure, "default")
			for _, at := range []int{i + 1, i - 1, i + 2, i - 2} {
				if n, ok := h.small(at); ok && !f.used[at] {
					f.limit = n
					f.use(at)
					break
				}
			}
		}
		if n, small := h.small(i); small && (h.is(i+1, h.Rows) || h.is(i-1, h.Units) && f.sort != "") && f.limit == 0 { // "три позиции"
			f.limit, f.sort = n, cmpOr(f.sort, f.measure, "default")
			f.use(i)
		}
		if h.is(i, h.Sort) || h.is(i, h.Ascending) {
			f.use(i)
			f.ascending = f.ascending || h.is(i, h.Ascending)
			f.sort = cmpOr(f.measure, "default")
		}
		last := i+1 >= len(h.tokens)-1
		if h.is(i, h.All) && last && !h.is(i-1, h.BeforeNames) && (i == 0 || f.measure == "") { // not "дольше всех"
			f.all = true
			f.use(i)
		}
	}
}

func (h *heard) small(i int) (int, bool) {
	if i < 0 || i >= len(h.tokens) || h.tokens[i].Number == nil || h.tokens[i].Percent || !h.tokens[i].Number.IsInteger() {
		return 0, false
	}
	n := h.tokens[i].Number.IntPart()
	return int(n), n > 0 && n <= mostRows
}

// readNames reads warehouses, channels and counterparties if the report has slots for them.
func (f *frame) readNames(h *heard) {
	s := f.report.Slots
	switch {
	case s.Places == "":
	case s.Channel == "group" && f.readPlaces(h, h.channels):
		f.choices["group_by"] = "channel"
	case s.Channel == "":
		f.readPlaces(h, h.warehouses)
	}
	if s.Warehouse != "" {
		f.readName(h, h.warehouses, &f.warehouse, "warehouse")
	}
	if s.Channel != "" {
		f.readName(h, h.channels, &f.channel, "channel")
	}
	if s.Party != "" && !f.Whole {
		f.readName(h, h.suppliers, &f.party, "supplier")
		if s.Party == "rows" || s.Party == "debts" {
			f.readName(h, h.channels, &f.party, "party")
		}
	}
	for _, m := range h.warehouses { // the question names a warehouse, but the report has no slot for it
		if s.Warehouse == "" && f.free(m.Tokens) {
			f.unsupported = append(f.unsupported, h.said(m.Tokens))
			f.use(m.Tokens...)
			f.score -= 2
		}
	}
}

// readName takes a name for a slot. Several names of counterparties go to also if the view can be about them.
func (f *frame) readName(h *heard, matches []naming.Match, to *string, slot string) {
	for _, m := range matches {
		if !f.free(m.Tokens) || *to != "" && (to != &f.party || !f.several()) {
			continue
		}
		f.use(m.Tokens...)
		name := m.Named()
		switch excepted := h.excepted(m.Tokens); {
		case *to != "":
			f.also = append(f.also, cmpOr(name, h.said(m.Tokens)))
		case excepted && (to != &f.party || f.report.Slots.Party == "debts" && f.List == ""): // the view has no filter for this
			f.ignored = append(f.ignored, m.Tokens...)
		case name == "":
			f.ask = &question{slot: slot, said: h.said(m.Tokens), candidates: m.Names}
		default:
			*to, f.exceptParty = name, f.exceptParty || excepted
		}
	}
}

// readPlaces takes several names, or one to leave out, for a filter. It reports whether there are any.
func (f *frame) readPlaces(h *heard, matches []naming.Match) bool {
	var names []string
	f.except = slices.ContainsFunc(matches, func(m naming.Match) bool { return h.excepted(m.Tokens) })
	for _, m := range matches {
		if name := m.Named(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) < 2 && !(f.except && len(names) == 1) {
		return false
	}
	f.places = names
	for _, m := range matches {
		f.use(m.Tokens...)
		for _, i := range []int{m.Tokens[0] - 2, m.Tokens[0] - 1} {
			if f.except && h.is(i, h.Except) {
				f.use(i)
			}
		}
	}
	return true
}

// several reports whether the view's text is about all counterparties that the question names, and not only the first.
func (f *frame) several() bool {
	sums := strings.Contains(f.RU, ".Each") || strings.Contains(f.RU, ".Owed")
	return f.exceptParty || f.report.Slots.Party != "supplier" && (f.report.Slots.Party != "debts" || sums)
}

// excepted reports whether "без" or "except" stands before a name, or "исключи" on either side.
func (h *heard) excepted(name []int) bool {
	i, end := name[0], name[len(name)-1]+1
	return h.is(i-1, h.LeaveOut) || h.is(end, h.LeaveOut) || h.behind(h.Except, i) || h.is(i-1, h.Counting) && h.is(i-2, h.Negation)
}

// leastLevel is the lowest service level that people write without a percent sign.
const leastLevel = 80

// readNumber reads the number of an order, or a percentage for the report.
func (f *frame) readNumber(h *heard) {
	for i, t := range h.tokens {
		n, whole := h.small(i)
		level := t.Percent || whole && n >= leastLevel && n < 100 && !h.timed(i)
		switch {
		case f.used[i]:
		case level && f.report.Slots.Percent != "":
			f.arguments[f.report.Slots.Percent] = number(t.Number.Shift(-2))
			f.use(i)
		case t.Percent && t.Number.Equal(decimal.NewFromInt(f.report.Share)):
			f.use(i)
		case h.isOrder(i) && f.report.Slots.Number != "" && f.number == "":
			f.number = t.Text
			f.use(i)
		}
	}
}

// readThreshold reads "меньше 5 штук", "больше 10 тысяч рублей", "маржа ниже 20%".
func (f *frame) readThreshold(h *heard) {
	for i, t := range h.tokens {
		more, less := h.is(i, h.More), h.is(i, h.Less)
		if more && f.span != nil {
			f.comparing = append(f.comparing, i)
			f.use(i)
		}
		if t.Percent && f.measure == "margin_percent" && !h.is(i-1, h.More) && !h.is(i-1, h.Less) { // "маржа 100 %"
			f.threshold = &threshold{field: f.measure, sign: "==", value: *t.Number, said: t.Text + "%"}
			f.use(i)
		}
		for field := range f.report.Groups {
			if h.is(i, h.Groups[field]) && h.behind(h.Without, i) { // "without a supplier"
				from := slices.IndexFunc(h.tokens[:i], h.Without.Is)
				f.threshold = &threshold{field: field, sign: "==", missing: true, said: h.said([]int{from, i})}
				f.use(from, i)
			}
		}
		if at, equal := h.comparedWith(i); (more || less) && at >= 0 && !f.used[at] {
			f.compare(h, i, at, map[bool]string{true: ">", false: "<"}[more]+equal)
		}
	}
}

// comparedWith returns the number that a word such as "more" compares with, or -1, and "=" if the number itself fits: "50 and more".
func (h *heard) comparedWith(i int) (at int, equal string) {
	number := func(at int) bool { return at >= 0 && at < len(h.tokens) && h.tokens[at].Number != nil }
	for at = i + 1; at < len(h.tokens) && !number(at) && h.function[at] && at-i < 3; at++ {
	}
	if number(at) {
		return at, ""
	}
	if h.is(i-1, h.NextPart) || h.is(i-1, h.Or) {
		for at = i - 2; at > i-5; at-- {
			if number(at) {
				return at, "="
			}
		}
	}
	return -1, ""
}

// compare sets the threshold from a word such as "more" and the number at a token.
func (f *frame) compare(h *heard, i, at int, sign string) {
	value, length := h.scaled(at)
	t := &threshold{sign: sign, value: value, scale: value.Div(*h.tokens[at].Number), field: f.measure, plain: length == 1 && f.measure == ""}
	units, money := h.is(at+length, h.Units), h.is(at+length, h.Money)
	switch {
	case h.tokens[at].Percent:
		t.field, t.plain = f.field("margin_percent"), false
	case units:
		t.field, t.plain = f.field("units", "sold_units", "shortage"), false
	case money || length > 1:
		t.field, t.plain = f.field(f.measure, "money", "revenue", "frozen_money", "sum", "amount"), false
	}
	if t.field = cmpOr(t.field, f.field("units", "amount")); t.field == "" {
		return
	}
	if units || money {
		length++
	}
	end := min(at+length, len(h.tokens))
	t.said = h.text[h.tokens[min(i, at)].Start:h.tokens[max(i, end-1)].End]
	f.threshold = t
	f.comparing = append(f.comparing, i)
	f.use(i)
	for j := at; j < end; j++ {
		f.use(j)
	}
}

// field returns the first of these fields by which the report can be filtered.
func (f *frame) field(names ...string) string {
	for _, name := range names {
		if _, has := f.report.Measures[name]; has {
			return name
		}
	}
	return ""
}

func (f *frame) readGoods(h *heard) {
	if f.report.Tool == "search_products" {
		f.readCode(h)
	}
	if f.report.Slots.Goods == "" || f.goods != nil {
		return
	}
	free := func(i int) bool { return !f.used[i] && h.content(i) && !h.is(i+1, h.Articles) && !h.tokens[i].Percent }
	f.goods = h.goods.Find(h.tokens, free)
	or := slices.IndexFunc(h.tokens, h.Or.Is)
	if or < 0 && f.goods != nil && (f.Mode == "" && f.Columns != nil || f.Mode == "against") { // "almonds and apricots"
		or = slices.IndexFunc(h.tokens, h.NextPart.Is)
	}
	if or > 0 {
		left := h.goods.Find(h.tokens, func(i int) bool { return i < or && free(i) })
		right := h.goods.Find(h.tokens, func(i int) bool { return i > or && free(i) })
		if left != nil && right != nil && f.report.mode("against") != nil && !left.Overlaps(right) {
			f.rivals, f.goods = []*naming.Choice{left, right}, nil
			f.use(slices.Concat(left.Tokens, right.Tokens)...)
			return
		}
	}
	if f.goods == nil || all(f.goods.Tokens, func(i int) bool { return h.learnt[i] && h.tokens[i].Quote == 0 }) {
		f.goods = nil // ordinary words, although some product has them in its name
		return
	}
	for _, i := range f.goods.Tokens {
		f.use(h.coded(i)...)
	}
	f.use(f.goods.Tokens...)
}

// readCode reads a long number that is not a product's code as a barcode.
func (f *frame) readCode(h *heard) {
	const shortest = 5
	for i, t := range h.tokens {
		if t.Number != nil && len(t.Text) >= shortest && !t.Percent && h.coded(i) == nil {
			f.goods = &naming.Choice{Said: t.Text, Query: t.Text, Tokens: []int{i}}
			f.use(i)
		}
	}
}

// finish scores the explained words and lists the others.
func (f *frame) finish(c *catalog, h *heard, way *view) {
	for i, t := range h.tokens {
		if !h.content(i) {
			continue
		}
		switch {
		case f.used[i] && !naming.IsGeneric(t) && !h.timed(i):
			f.score++
		case f.used[i], f.topic() && (t.Number != nil || h.timed(i)), h.is(i, c.Or) && len(f.places)+len(f.rivals) == 2,
			f.Mode == "compare" && f.measure != "" && (h.is(i, c.More) || h.is(i, c.Less)),
			h.is(i, c.Anaphor), h.is(i, c.NextPart), naming.IsGeneric(t):
		case h.learnt[i] && !c.placeByNumber(h, i) && !h.asksElse(f.view, i) && (!h.asksElse(way, i) || h.weight(f.view, i) > speaks):
			f.score -= 0.25
			f.idle = true
		default:
			f.unexplained = append(f.unexplained, i)
			f.score--
		}
	}
}

func cmpOr(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}
