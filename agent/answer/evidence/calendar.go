package evidence

import (
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/answer/literal"

	"github.com/kopeck/kopeck/tools"
)

// calendar has the days and times that an answer may mention.
type calendar struct {
	known   map[literal.Date]bool // days, months, years and times of day; days and months also without their year
	periods [][2]time.Time        // first and last days
}

func (c *calendar) day(t time.Time) {
	year, month, day := t.Date()
	c.date(literal.Date{Year: year, Month: int(month), Day: day})
}

// moment allows a time: its day and its time of day, in its own time zone and in Moscow's.
func (c *calendar) moment(t time.Time) {
	for _, at := range []time.Time{t, t.In(tools.Moscow)} {
		c.day(at)
		c.date(literal.Date{Clock: true, Hour: at.Hour(), Minute: at.Minute()})
	}
}

// date allows a date or a time of day, the month and year of the date, and each without its year.
func (c *calendar) date(d literal.Date) {
	month := literal.Date{Year: d.Year, Month: d.Month}
	for _, part := range []literal.Date{d, month, {Year: d.Year}} {
		part.Sure = false
		c.known[part] = true
		part.Year = 0
		c.known[part] = true
	}
	delete(c.known, literal.Date{}) // a part that the date lacks
}

// whole returns the period from the first day of all periods to the last; none if there are none.
func (c *calendar) whole() (periods [][2]time.Time) {
	for _, p := range c.periods {
		if periods == nil {
			periods = append(periods, p)
		}
		if p[0].Before(periods[0][0]) {
			periods[0][0] = p[0]
		}
		if p[1].After(periods[0][1]) {
			periods[0][1] = p[1]
		}
	}
	return periods
}

func (c *calendar) has(d literal.Date) bool {
	d.Sure = false
	if c.known[d] || d.Clock {
		return c.known[d]
	}
	return slices.ContainsFunc(c.periods, func(p [2]time.Time) bool { return d.Within(p[0], p[1]) })
}

// KnowsDate reports whether an answer may mention a date.
func (e *Backing) KnowsDate(d literal.Date) bool { return e.calendar().has(d) }
