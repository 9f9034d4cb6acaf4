package offline

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/tools"
)

// readTime reads what the question says about time: periods or lengths of time. A report that has no slot for a time is for today.
func (f *frame) readTime(h *heard) {
	s := f.report.Slots
	if f.Mode == "average" {
		var tokens []int
		f.rate, tokens = calendar.Rate(h.tokens)
		f.use(tokens...)
		for _, span := range h.spans { // "в среднем за день" is about no day
			at := span.Tokens[0]
			average := span.Unit == calendar.Day || h.is(at-2, h.Sums.Average) || h.is(slices.Max(span.Tokens)+2, h.Sums.Average)
			if f.rate == "" && span.Count == 1 && h.is(at-1, h.During) && average {
				f.rate = span.Unit
				f.use(span.Tokens...)
			}
		}
	}
	switch {
	case len(s.Period) > 0:
		f.readPeriods(h)
	case s.Longer != "":
		f.readAge(h)
	case s.Days+s.Months+s.Window != "":
		f.readLengths(h)
	}
	if s.Month != "" && f.List == "months" {
		f.readMonths(h)
	}
	for _, tokens := range h.partly {
		f.unsupported = append(f.unsupported, h.said(tokens))
		f.use(tokens...)
	}
	for _, p := range h.periods {
		_, given := f.arguments[s.AsOf]
		if day := p.From.Equal(p.To) && !p.Wrong && !p.From.After(h.today); day && s.AsOf != "" && !given {
			f.arguments[s.AsOf] = p.From.Format(time.DateOnly)
			if p.From.Equal(h.today) { // "and today?"
				f.arguments[s.AsOf] = nil
			}
			f.use(p.Tokens...)
		}
		if !f.taken(p.Tokens) && (f.Due || p.Wrong || p.Unit != calendar.Day || !p.To.Equal(h.today)) {
			f.unsupported = append(f.unsupported, h.said(p.Tokens))
			f.score--
		}
		f.use(p.Tokens...)
	}
	if h.deadline != nil && !f.taken(h.deadline.Tokens) { // "what must go out by Friday?"
		f.unsupported = append(f.unsupported, h.said(h.deadline.Tokens))
		f.use(h.deadline.Tokens...)
	}
}

// taken reports whether a period or a length of time fills a slot.
func (f *frame) taken(tokens []int) bool {
	return slices.ContainsFunc(tokens, func(i int) bool { return f.slot[i] })
}

// readMonths reads which of the months before this one a list is about.
func (f *frame) readMonths(h *heard) {
	this := calendar.Back(calendar.Month, 0, h.today).From
	for _, p := range h.periods {
		whole := p.From.Day() == 1 && (p.To.AddDate(0, 0, 1).Day() == 1 || !p.To.Before(this))
		if !whole || p.Wrong || !p.From.Before(this) || p.Days() > mostDays || f.taken(p.Tokens) {
			continue
		}
		for month := p.From; month.Before(this) && !month.After(p.To); month = month.AddDate(0, 1, 0) {
			f.months = append(f.months, month.Format("2006-01"))
		}
		f.use(p.Tokens...)
		had, _ := f.arguments[f.report.Slots.Months].(int)
		f.arguments[f.report.Slots.Months] = max(monthsSince(p.From, h.today), had)
	}
}

// monthsSince returns how many months before that of today begin with that of a day.
func monthsSince(day, today time.Time) int {
	return 12*(today.Year()-day.Year()) + int(today.Month()-day.Month())
}

func (f *frame) readPeriods(h *heard) {
	for _, p := range h.periods {
		if f.Due && !p.To.Before(h.today) { // the rest of readTime says that it is left out
			continue
		}
		compared := h.lang == "ru" || len(h.periods) > 1 || h.has(h.Changed) // "по сравнению с сентябрём", "from September to October"
		if f.Mode == "compare" && p.Open && compared {
			month := calendar.Back(calendar.Month, 0, p.From)
			p.From, p.To, p.Unit = month.From, month.To, month.Unit
		}
		if p.State != nil && f.Edges { // "at the beginning of the month"
			p.From, p.To, p.Unit, p.Wrong = p.State.From, p.State.To, p.State.Unit, false
			if p.Unit == h.like.Unit && !p.To.Before(h.today) {
				p.From, p.To = h.like.From, h.like.To
			}
			if p.To.After(h.today) {
				p.To = h.today
			}
		}
		if f.use(p.Tokens...); len(f.periods) == mostPieces {
			f.unsupported = append(f.unsupported, h.said(p.Tokens))
			continue
		}
		f.periods = append(f.periods, p)
	}
	for _, span := range h.spans { // "за 30 дней", "за неделю"
		if f.free(span.Tokens) && len(f.periods) == 0 {
			from := h.today.AddDate(0, 0, 1-span.Days)
			if span.Months > 0 {
				from = h.today.AddDate(0, -span.Months, 1)
			}
			p := calendar.Period{From: from, To: h.today, Length: span.Unit, Tokens: span.Tokens}
			if span.Count == 1 && span.Unit == h.like.Unit { // "the revenue of last month?" "and the profit for the month?"
				p.From, p.To, p.Unit = h.like.From, h.like.To, h.like.Unit
			}
			f.periods = append(f.periods, p)
			f.use(span.Tokens...)
		}
	}
	for i, p := range f.periods {
		if h.older(p.Tokens) {
			f.periods[i].From, f.periods[i].To = p.From.AddDate(0, -monthsOfOlder, 0), p.From.AddDate(0, 0, -1)
		}
	}
}

// monthsOfOlder limits the period of what is older than a length of time. The answer says the period.
const monthsOfOlder = 3

// older reports whether a message asks for what is older than a time.
func (h *heard) older(time []int) bool {
	from := slices.Min(time)
	return h.find(func(i int) bool { return from-3 <= i && i < from && h.is(i, h.Older) }) >= 0
}

// readLengths reads lengths of time. If the report has a window, it distinguishes a past one, "по продажам за последние 90 дней",
// from a length ahead, "хватит ли до 15 декабря".
func (f *frame) readLengths(h *heard) {
	s := f.report.Slots
	take := func(span calendar.Span) {
		if f.span != nil && len(f.span.Tokens) > 0 { // a report has a place for one
			f.unsupported = append(f.unsupported, h.said(span.Tokens))
			f.use(span.Tokens...)
			return
		}
		span.Said = h.said(span.Tokens)
		f.span = &span
		f.use(span.Tokens...)
	}
	set := func(argument string, n int, tokens []int) {
		f.arguments[argument] = n
		f.use(tokens...)
	}
	ahead := strings.Contains(f.Whether, ".Ahead") && h.has(h.Whether) && !h.has(h.Question) // "will the cash last two years?"
	since := func(p calendar.Period) int { return int(h.today.Sub(p.From).Hours()/24) + 1 }
	for _, p := range h.periods {
		const month = 30
		recent := slices.ContainsFunc(p.Tokens, func(i int) bool { return calendar.Relative(h.tokens[i]) })
		switch months := (p.Days() + month/2) / month; {
		case s.Window != "" && recent && p.To.Equal(h.today):
			set(s.Window, since(p), p.Tokens)
		case ahead && p.Tokens[0] > 0 && h.content(p.Tokens[0]-1): // "last" is a verb
		case s.Months != "" && recent && months > 0 && (f.List == "" || p.To.Equal(h.today)): // "going by the last year"
			set(s.Months, months, p.Tokens)
		case s.Months != "" && p.Open && f.List == "" && monthsSince(p.From, h.today) > 0: // "since June"
			set(s.Months, monthsSince(p.From, h.today), p.Tokens)
		}
	}
	if h.deadline != nil && (s.Days == "" || s.Window != "") { // what is ahead begins today
		take(*h.deadline)
	}
	f.readNamedLengths(h, take)
	_, rate := calendar.Rate(h.tokens)
	for _, span := range h.spans {
		switch {
		case f.taken(span.Tokens):
		case ahead && f.free(span.Tokens) && !h.is(span.Tokens[0]-1, h.By) && (h.lang == "en" || !h.during(span.Tokens[0])):
			take(span)
		case s.Months != "" && span.Months == 1 && slices.Contains(rate, slices.Max(span.Tokens)): // "how much comes in a month"
		case s.Window != "" && h.during(span.Tokens[0]) && !strings.Contains(f.Where, "DAYS") && h.first(h.Whether) != 0:
			// "by the sales for 60 days", but not "is there enough for 60 days?"
			set(s.Window, span.Days, span.Tokens)
		case s.Days != "":
			take(span)
		case s.Months != "" && span.Months > 0:
			set(s.Months, span.Months, span.Tokens)
		}
	}
	for _, p := range h.periods { // "за последние 90 дней"
		if f.span == nil && s.Days != "" && s.Window == "" && p.From.Before(h.today) && p.To.Equal(h.today) && since(p) <= mostDays {
			take(calendar.Span{Days: since(p), Tokens: p.Tokens})
		}
	}
}

// readNamedLengths reads the lengths of time whose arguments are named. The one that a view is about is taken if it has no unit: else it is
// read as any other.
func (f *frame) readNamedLengths(h *heard, take func(calendar.Span)) {
	for argument, span := range f.namedLengths(h) {
		about := f.report.find(func(v *view) bool { return len(v.Days) > 0 && v.Days[0] == argument }) != nil
		switch {
		case !about:
			f.arguments[argument] = span.Days
			f.use(span.Tokens...)
		case span.Unit == "":
			take(span)
		}
	}
}

// namedLengths returns the lengths of time, by argument, if the words beside them name several. A number without a unit that ends a part
// of the message is of days if such a word stands before it: "lead time 10", "lies longer than 60".
func (f *frame) namedLengths(h *heard) map[string]calendar.Span {
	spans, least := slices.Clone(h.spans), 2
	for i := range h.tokens {
		ends, before := i+1 == len(h.tokens) || h.tokens[i+1].Mark, i-1
		for h.is(before, h.More) || before > 0 && h.function[before] && !h.tokens[before].Mark {
			before--
		}
		if n, whole := h.small(i); whole && ends && !h.timed(i) && f.lengthWord(h, before) != "" {
			spans, least = append(spans, calendar.Span{Days: n, Tokens: []int{i}}), 1
		}
	}
	all := map[string]calendar.Span{}
	for _, span := range spans {
		if argument := f.lengthOf(h, span.Tokens); argument != "" && all[argument].Days == 0 {
			all[argument] = span
		}
	}
	if len(all) < least {
		return nil
	}
	return all
}

// lengthWord returns the argument that a word names, or "".
func (f *frame) lengthWord(h *heard, i int) string {
	for argument, w := range f.report.Lengths {
		if h.is(i, w) {
			return argument
		}
	}
	return ""
}

// lengthOf returns the argument that the words before a length of time name, or else those behind it, up to a mark or another number.
func (f *frame) lengthOf(h *heard, tokens []int) string {
	named := func(from, step int) string {
		for i := from; i >= 0 && i < len(h.tokens) && !h.tokens[i].Mark && h.tokens[i].Number == nil; i += step {
			if argument := f.lengthWord(h, i); argument != "" {
				return argument
			}
		}
		return ""
	}
	return cmp.Or(named(slices.Min(tokens)-1, -1), named(slices.Max(tokens)+1, 1))
}

// mostDays is the longest length of time that a report takes.
const mostDays = 3650

// readAge reads "больше двух недель" if the report's rows have an age.
func (f *frame) readAge(h *heard) {
	for _, span := range h.spans {
		sign, from := ">", span.Tokens[0]
		for i := max(0, from-3); i < span.Tokens[0]; i++ {
			less := h.is(i, h.Less)
			if less {
				sign = "<"
			}
			if less || h.is(i, h.More) {
				from = min(from, i)
				f.takeComparing(i)
			}
		}
		said := h.said([]int{from, slices.Max(span.Tokens)})
		f.thresholds = append(f.thresholds, threshold{
			field: f.report.Slots.Longer, sign: sign, value: decimal.NewFromInt(int64(span.Days)), kind: tools.KindDays, said: said,
		})
		f.use(span.Tokens...)
	}
}
