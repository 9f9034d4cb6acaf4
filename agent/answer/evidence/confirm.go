package evidence

import (
	"time"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/tools"
)

// UserSaid reports whether a number or date in a text is in the user's words.
func (e *Backing) UserSaid(text string, f literal.Figure) bool {
	if f.Date.None() {
		return e.isSaid(f.Literal(text))
	}
	if e.saidDates == nil {
		dates := newCalendar()
		newSpoken().read(e.Said, mostSaid, &dates)
		e.saidDates = &dates
	}
	return e.saidDates.has(f.Date)
}

// IsReported reports whether a date is today, the first or last day of a report's period, the day of a report's data,
// or a month or year that overlaps a report's period.
func (e *Backing) IsReported(d literal.Date) bool {
	about := func(days ...time.Time) bool {
		for _, day := range days {
			if start := midnight(day); !day.IsZero() && d.Within(start, start) {
				return true
			}
		}
		return false
	}
	if about(e.Now) {
		return true
	}
	for _, r := range e.Book.Reports() {
		from, to, known := r.Period()
		if about(r.Result.AsOf, r.Day(), from, to) || known && d.Day == 0 && d.Within(midnight(from), midnight(to)) {
			return true
		}
	}
	return false
}

// Lasts reports whether a number is the length of a report's period in its unit, days or months.
func (e *Backing) Lasts(l literal.Literal) bool {
	return l.Unit == tools.KindDays && e.calendar().lasts(l) || l.Unit == tools.KindMonths && e.calendar().lastsMonths(l)
}

// midnight returns the start of the day in Moscow.
func midnight(t time.Time) time.Time {
	year, month, day := t.In(tools.Moscow).Date()
	return time.Date(year, month, day, 0, 0, 0, 0, tools.Moscow)
}
