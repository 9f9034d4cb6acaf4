package provider

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
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
	"min_days":          func(_ *turn, s slots) any { return positive(s.days) },
	"sales_window_days": func(_ *turn, s slots) any { return when(s.unsold, positive(s.days)) },
	"window_days":       func(t *turn, s slots) any { return s.daysBack(t.now) },
	"days":              func(t *turn, s slots) any { return s.daysBack(t.now) },
	"metric":            func(_ *turn, s slots) any { return given(s.metric) },
	"lead_time_days":    func(_ *turn, s slots) any { return positive(s.leadDays) },
	"service_level":     func(_ *turn, s slots) any { return positive(s.service) },
	"limit":             func(_ *turn, s slots) any { return positive(s.limit) },
	"from_warehouse":    func(_ *turn, s slots) any { return given(s.warehouse) },
	"to_warehouse":      func(_ *turn, s slots) any { return given(s.toWarehouse) },
	"from_shortage":     func(_ *turn, s slots) any { return when(s.lines() == nil, true) },
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

func startOfDay(t time.Time) time.Time {
	y, m, d := t.In(moscow).Date()
	return time.Date(y, m, d, 0, 0, 0, 0, moscow)
}

// daysBack is how far back from today the period begins, for tools that look back from today.
func (s slots) daysBack(now time.Time) any {
	if s.period == nil {
		return nil
	}
	const day = 24 * time.Hour
	return int(startOfDay(now).Sub(s.period.from)/day) + 1
}

func (s slots) lines() any {
	if s.product == "" || s.units == 0 && s.price == "" {
		return nil
	}
	line := map[string]any{"product": s.product}
	if s.units > 0 {
		line["units"] = s.units
	}
	if s.price != "" {
		line["price"] = json.Number(s.price)
	}
	return []any{line}
}

// followUp matches how people go on with the question before.
var followUp = expression.Of(`^(а|и|но|теперь|тогда|а теперь|and|what about|how about|now|then|same|то же|только)([^\pL]|$)`)

// understood are the calls for the question; for one that only changes something, those of the question before it.
func (t *turn) understood() []call {
	question := strings.TrimSpace(t.question)
	said := findSlots(question, t.now)
	if t.asking != "" && len(t.earlier) > 0 {
		return t.answered(t.earlier[0])
	}
	found := recognized(question)
	goesOn := followUp.MatchString(folded(question)) && (len(found) == 0 || found[0].weak)
	if goesOn || len(found) == 0 {
		if before, slots := t.before(); before != nil {
			return t.callsOf(before, slots.changedBy(said))
		}
	}
	if len(found) == 0 && said.expression != "" {
		found = []*task{{tools: []string{"calculate"}}}
	}
	return t.callsOf(found, said)
}

// before is what the latest recognizable question was.
func (t *turn) before() ([]*task, slots) {
	for _, question := range t.earlier {
		if found := recognized(question); len(found) > 0 {
			return found, findSlots(question, t.now)
		}
	}
	return nil, slots{}
}

// changedBy is a question's slots with those that a later one names in their place.
func (s slots) changedBy(later slots) slots {
	replace := func(to *string, by string) {
		if by != "" {
			*to = by
		}
	}
	replace(&s.warehouse, later.warehouse)
	replace(&s.product, later.product)
	replace(&s.supplier, later.supplier)
	replace(&s.channel, later.channel)
	replace(&s.groupBy, later.groupBy)
	if later.period != nil {
		s.period = later.period
	}
	for to, by := range map[*int]int{&s.days: later.days, &s.leadDays: later.leadDays, &s.limit: later.limit} {
		if by != 0 {
			*to = by
		}
	}
	if later.service != 0 {
		s.service = later.service
	}
	return s
}

// answered is the question again, with the argument that the user was asked for.
func (t *turn) answered(question string) []call {
	s := findSlots(question, t.now)
	answer := strings.TrimRight(strings.TrimSpace(t.question), ".!")
	if quote := quotedForm.FindStringSubmatch(answer); quote != nil && quote[0] == answer {
		answer = quote[1]
	}
	switch t.asking {
	case "warehouse", "from_warehouse":
		s.warehouse = answer
	case "to_warehouse":
		s.toWarehouse = answer
	case "channel":
		s.channel = answer
	case "supplier":
		s.supplier = answer
	}
	return t.callsOf(recognized(question), s)
}

// callsOf are the calls of tasks: the first offered tool of alternatives, or all that belong together.
func (t *turn) callsOf(found []*task, s slots) []call {
	var calls []call
	for _, task := range found {
		for _, tool := range task.tools {
			if _, offered := t.offer[tool]; !offered || slices.ContainsFunc(calls, func(c call) bool { return c.tool == tool }) {
				continue
			}
			c := call{tool, t.arguments(tool, s)}
			if _, has := c.arguments[task.needs]; task.needs != "" && !has {
				if _, offered := t.offer[task.instead]; !offered {
					continue
				}
				c = call{task.instead, t.arguments(task.instead, s)}
			}
			calls = append(calls, c)
		}
	}
	return calls
}

func (t *turn) arguments(tool string, s slots) map[string]any {
	arguments := map[string]any{}
	for name := range t.offer[tool].parameters {
		if fill, known := parameters[name]; known {
			if value := fill(t, s); value != nil {
				arguments[name] = value
			}
		}
	}
	return arguments
}
