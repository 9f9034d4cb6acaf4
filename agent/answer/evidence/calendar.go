package evidence

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"

	"github.com/kopeck/kopeck/tools"
)

// calendar has the days and times that an answer may mention.
type calendar struct {
	days    map[[3]int]bool // year, month, day; year 0 if the text has none
	months  map[[2]int]bool
	years   map[int]bool
	clocks  map[[2]int]bool
	periods [][2]time.Time // the first is from the first day to the last day of all others
}

func newCalendar() calendar {
	return calendar{map[[3]int]bool{}, map[[2]int]bool{}, map[int]bool{}, map[[2]int]bool{}, nil}
}

func (c *calendar) day(t time.Time) {
	year, month, day := t.Date()
	for _, y := range []int{year, 0} {
		c.days[[3]int{y, int(month), day}] = true
		c.months[[2]int{y, int(month)}] = true
	}
	c.years[year] = true
}

// moment allows a time: its day and its time of day, in its own time zone and in Moscow's.
func (c *calendar) moment(t time.Time) {
	for _, at := range []time.Time{t, t.In(tools.Moscow)} {
		c.day(at)
		c.clocks[[2]int{at.Hour(), at.Minute()}] = true
	}
}

// written allows a date that the user wrote.
func (c *calendar) written(d literal.Date) {
	if d.Clock {
		c.clocks[[2]int{d.Hour, d.Minute}] = true
	}
	if d.Day > 0 {
		c.days[[3]int{d.Year, d.Month, d.Day}], c.days[[3]int{0, d.Month, d.Day}] = true, true
	}
	if d.Month > 0 {
		c.months[[2]int{d.Year, d.Month}], c.months[[2]int{0, d.Month}] = true, true
	}
	if d.Year > 0 {
		c.years[d.Year] = true
	}
}

// period allows the days of a period, with their months and years.
func (c *calendar) period(from, to time.Time) {
	if len(c.periods) == 0 {
		c.periods = append(c.periods, [2]time.Time{from, to})
	}
	if c.periods = append(c.periods, [2]time.Time{from, to}); from.Before(c.periods[0][0]) {
		c.periods[0][0] = from
	}
	if to.After(c.periods[0][1]) {
		c.periods[0][1] = to
	}
}

func (c *calendar) has(d literal.Date) bool {
	switch {
	case d.Clock:
		return c.clocks[[2]int{d.Hour, d.Minute}]
	case d.Day > 0 && c.days[[3]int{d.Year, d.Month, d.Day}]:
		return true
	case d.Day == 0 && d.Month > 0 && c.months[[2]int{d.Year, d.Month}], d.Month == 0 && c.years[d.Year]:
		return true
	}
	for _, p := range c.periods[min(1, len(c.periods)):] {
		if d.Within(p[0], p[1]) {
			return true
		}
	}
	return false
}

// DatePart is a part of a date or a time of day.
type DatePart int

const (
	Year DatePart = iota + 1
	Quarter
	Month
	Day
	Hour
	Minute
)

// KnowsPart reports whether a number is that part of a day or time that an answer may mention.
func (e *Backing) KnowsPart(part DatePart, number decimal.Decimal) bool {
	n := int(number.IntPart())
	if !number.Equal(decimal.NewFromInt(int64(n))) {
		return false
	}
	return e.calendar().hasPart(part, n)
}

func (c *calendar) hasPart(part DatePart, n int) bool {
	switch part {
	case Year:
		return c.has(literal.Date{Year: n})
	case Quarter:
		return n > 0 && (c.hasPart(Month, 3*n-2) || c.hasPart(Month, 3*n-1) || c.hasPart(Month, 3*n))
	case Month:
		return n > 0 && c.has(literal.Date{Month: n})
	case Day:
		for month := 1; month <= 12; month++ {
			if n > 0 && c.has(literal.Date{Month: month, Day: n}) {
				return true
			}
		}
	case Hour, Minute:
		for clock := range c.clocks {
			if clock[part-Hour] == n {
				return true
			}
		}
	}
	return false
}
