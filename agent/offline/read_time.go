package offline

import (
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/calendar"
)

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
	case s.Days+s.Months == "":
		if s.Window != "" {
			f.readLengths(h)
		}
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
		case f.report.Slots.Day != "" && p.From.Equal(h.today):
			f.arguments[f.report.Slots.Day] = nil // as by default, and not the day spoken of
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
		const month = 30
		if months := (p.Days() + month/2) / month; s.Months != "" && months > 0 && past { // "going by the last year"
			f.arguments[s.Months] = months
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
	_, rate := calendar.Rate(h.tokens)
	for _, span := range h.spans {
		switch {
		case s.Months != "" && span.Months == 1 && slices.Contains(rate, slices.Max(span.Tokens)): // "how much comes in a month"
		case all(span.Tokens, func(i int) bool { return f.slot[i] }):
		case s.Window != "" && h.during(span.Tokens[0]) && !strings.Contains(f.Where, "DAYS"): // "by the sales for 60 days"
			f.arguments[s.Window] = span.Days
			f.use(span.Tokens...)
		case s.Days != "" || h.asksWhether(): // "will the cash last for a year"
			take(span)
		case span.Months > 0 && s.Months != "":
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
