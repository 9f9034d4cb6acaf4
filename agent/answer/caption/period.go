package caption

import (
	"slices"
	"time"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// otherPeriods are the periods of a value's reports where the dates beside it are others, or leave open which of several periods it is.
// Where an answer compares periods without dates, it names each once.
func (c *Captions) otherPeriods(v reference.Value, at Context) (periods []string) {
	var seen []*reference.Report
	for _, o := range v.Origins {
		r, there := c.book.Report(o.Report)
		if _, month := o.Month(); month || !there || slices.Contains(seen, r) {
			continue
		}
		seen = append(seen, r)
		if from, to, known := r.Period(); known && c.isOther(r, from, to, at) {
			c.periods[r] = true
			periods = append(periods, reference.Days(c.lang, from, to))
		}
	}
	return periods
}

func (c *Captions) isOther(r *reference.Report, from, to time.Time, at Context) bool {
	if named(at.Dates, from, to) {
		return false
	}
	twins := c.ofOtherPeriods(r, from, to)
	if len(at.Dates) > 0 {
		other := func(d literal.Date) bool { return d.Outside(from, to) || d.Day == 0 && d.Month > 0 }
		return len(twins) > 0 || slices.ContainsFunc(at.Dates, other)
	}
	return slices.ContainsFunc(twins, (*reference.Report).IsFresh) && !c.periods[r] &&
		(at.Several || !named(literal.DatesIn(at.Answer), from, to))
}

// ofOtherPeriods are the book's results of the same report for other periods.
func (c *Captions) ofOtherPeriods(r *reference.Report, from, to time.Time) []*reference.Report {
	return slices.DeleteFunc(slices.Clone(c.book.Reports()), func(other *reference.Report) bool {
		first, last, known := other.Period()
		return other.Tool != r.Tool || !known || first.Equal(from) && last.Equal(to)
	})
}

// named reports whether dates name a period. Two days are its ends.
func named(dates []literal.Date, from, to time.Time) bool {
	end := func(d literal.Date) bool { return d.Is(from) || d.Is(to) }
	if len(dates) == 2 && dates[0].Day > 0 && dates[1].Day > 0 {
		return end(dates[0]) && end(dates[1])
	}
	return slices.ContainsFunc(dates, func(d literal.Date) bool { return d.Covers(from, to) })
}
