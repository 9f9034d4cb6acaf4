package offline

import (
	"slices"
	"time"
)

// parameters say which slot fills a tool's parameter, by its name; a tool gets those that it has.
var parameters = map[string]func(*turn, slots) any{
	"warehouse":         func(_ *turn, s slots) any { return given(s.warehouse) },
	"query":             func(_ *turn, s slots) any { return given(s.product) },
	"supplier":          func(_ *turn, s slots) any { return given(s.supplier) },
	"channel":           func(_ *turn, s slots) any { return given(s.channel) },
	"group_by":          func(_ *turn, s slots) any { return given(s.groupBy) },
	"expression":        func(_ *turn, s slots) any { return given(s.expression) },
	"from":              func(t *turn, s slots) any { return s.span(t.now).from.Format(time.DateOnly) },
	"to":                func(t *turn, s slots) any { return s.span(t.now).to.Format(time.DateOnly) },
	"as_of":             func(_ *turn, s slots) any { return s.onDay() },
	"min_days":          func(_ *turn, s slots) any { return positive(s.days) },
	"sales_window_days": func(_ *turn, s slots) any { return when(s.unsold, positive(s.days)) },
	"window_days":       func(t *turn, s slots) any { return when(!s.ofToday(t.now), s.daysBack(t.now)) },
	"days":              func(t *turn, s slots) any { return s.daysBack(t.now) },
	"metric":            func(_ *turn, s slots) any { return given(s.metric) },
	"lead_time_days":    func(_ *turn, s slots) any { return positive(s.leadDays) },
	"service_level":     func(_ *turn, s slots) any { return positive(s.service) },
	"limit":             func(_ *turn, s slots) any { return positive(s.limit) },
	"from_warehouse":    func(_ *turn, s slots) any { return given(s.warehouse) },
	"to_warehouse":      func(_ *turn, s slots) any { return given(s.toWarehouse) },
	"from_shortage":     func(_ *turn, s slots) any { return when(s.short, true) },
	"lines":             func(_ *turn, s slots) any { return s.lines() },
}

func given(text string) any { return when(text != "", text) }

func positive[N int | float64](n N) any { return when(n > 0, n) }

func when(condition bool, value any) any {
	if !condition {
		return nil
	}
	return value
}

// span is the period of a question, the last 30 days if it names none.
func (s slots) span(now time.Time) period {
	if s.period != nil {
		return *s.period
	}
	p, _ := lastDays(startOfDay(now), 30, "day")
	return p
}

// onDay is the one day that a question names.
func (s slots) onDay() any {
	if s.period == nil || !s.period.from.Equal(s.period.to) {
		return nil
	}
	return s.period.from.Format(time.DateOnly)
}

func startOfDay(t time.Time) time.Time {
	y, m, d := t.In(moscow).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, moscow)
}

// daysBack is how far back from today the period begins, for tools that look back from today.
func (s slots) daysBack(now time.Time) any {
	if s.period == nil || s.period.from.After(now) {
		return nil
	}
	return period{s.period.from, startOfDay(now)}.days()
}

// ofToday reports whether a question is about today alone, "что сегодня заказать": no pace shows in one day.
func (s slots) ofToday(now time.Time) bool {
	return s.period != nil && s.period.from.Equal(startOfDay(now))
}

// callsOf are the calls of tasks: the first offered tool of alternatives, or all that belong together.
func (t *turn) callsOf(found []*task, s slots) []call {
	var calls []call
	for _, task := range found {
		if t.lacks(task, s) != nothing {
			continue
		}
		for _, tool := range task.tools {
			if !t.offer.has(tool) || slices.ContainsFunc(calls, func(c call) bool { return c.tool == tool }) {
				continue
			}
			c := call{tool, t.arguments(tool, s)}
			switch _, has := c.arguments[task.needs]; {
			case task.needs == "" || has:
			case s.lines() != nil: // which tell whom to choose from
				c.arguments[task.needs] = ""
			case t.offer.has(task.instead):
				c = call{task.instead, t.arguments(task.instead, s)}
			default:
				continue
			}
			calls = append(calls, c)
			if t.spans(tool) {
				calls = append(calls, c.of(s.others)...)
			}
		}
	}
	return calls
}

// lacks is what must be asked before a task's tool is called, and why no call would tell more.
func (t *turn) lacks(task *task, s slots) label {
	switch lines := s.lines(); {
	case s.unread != "" && t.ofPeriod(task):
		return unreadPeriod(s.unread)
	case task.lines == nothing:
		return nothing
	case lines == nil && !s.short || s.except != "": // what is left out of an order is not for us to guess
		return task.lines
	}
	return nothing
}

// spans tells the tools that read what happened from one day to another.
func (t *turn) spans(tool string) bool { return t.offer.takes(tool, "from") }

func (t *turn) arguments(tool string, s slots) map[string]any {
	arguments := map[string]any{}
	for name := range t.offer[tool] {
		if fill, known := parameters[name]; known {
			if value := fill(t, s); value != nil {
				arguments[name] = value
			}
		}
	}
	if since := t.unsoldSince(tool, s); since != nil {
		arguments["sales_window_days"] = since
	}
	if s.channel != "" {
		t.ofChannel(tool, s, arguments)
	}
	if marketplace(folded(s.except)) != "" && t.offer.takes(tool, "group_by") {
		arguments["group_by"] = "channel"
	}
	if s.limit == 0 && (looksThrough(tool) && s.product != "" || s.except != "" && t.offer.takes(tool, "limit")) || ranks(tool) && s.by != "" {
		arguments["limit"] = mostRows
	}
	return arguments
}

// ofChannel asks a tool that has no channels for the marketplace's warehouse, and one that groups by channels for that.
func (t *turn) ofChannel(tool string, s slots, arguments map[string]any) {
	switch {
	case t.offer.takes(tool, "channel"):
	case t.offer.takes(tool, "group_by"):
		arguments["group_by"] = "channel"
	case t.offer.takes(tool, "warehouse") && s.warehouse == "":
		arguments["warehouse"] = s.channel
	}
}
