package caption

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
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
		from, to, known := r.Period()
		if !known || v.Compares() {
			continue
		}
		if c.isOther(r, from, to, at) {
			periods = append(periods, reference.Days(c.lang, from, to))
		}
		c.periods[r] = true
	}
	return periods
}

// isOther reports whether the text beside a value names other periods than its report's, or leaves it open which of several it is.
func (c *Captions) isOther(r *reference.Report, from, to time.Time, at Context) bool {
	if named(at.Spans, from, to) {
		return false
	}
	twins := c.ofOtherPeriods(r, from, to)
	if len(at.Spans) > 0 {
		return len(twins) > 0 || slices.ContainsFunc(at.Spans, func(s literal.Span) bool { return s.Other(from, to) })
	}
	if is, relative := isRelative(at, r.Result.AsOf.In(tools.Moscow), from, to); relative {
		return !is && len(twins) > 0
	}
	told := func(other *reference.Report) bool { return other.IsFresh() || c.periods[other] }
	return slices.ContainsFunc(twins, told) && !c.periods[r] &&
		!named(literal.SpansIn(at.Answer), from, to) && !hasLength(at.Answer+" "+at.Sentence, from, to)
}

// ofOtherPeriods are the book's results of the same report for other periods.
func (c *Captions) ofOtherPeriods(r *reference.Report, from, to time.Time) []*reference.Report {
	return slices.DeleteFunc(slices.Clone(c.book.Reports()), func(other *reference.Report) bool {
		first, last, known := other.Period()
		return other.Tool != r.Tool || !known || first.Equal(from) && last.Equal(to)
	})
}

// named reports whether one of some spans names a period.
func named(spans []literal.Span, from, to time.Time) bool {
	return slices.ContainsFunc(spans, func(s literal.Span) bool { return s.Names(from, to) })
}

// hasLength reports whether a text names a period by its length: "the last 90 days".
func hasLength(text string, from, to time.Time) bool {
	days := decimal.NewFromInt(int64(to.Sub(from).Hours()/24) + 1)
	for f := range literal.Figures(text) {
		if l := f.Literal(text); l.Unit == tools.KindDays &&
			slices.ContainsFunc(l.Readings, func(r literal.Reading) bool { return r.Value.Equal(days) }) {
			return true
		}
	}
	return false
}

// isRelative reports whether the text names a period by how it lies to today, or, if it is named so, another one: last before the figure,
// or first behind it, or last before its sentence.
func isRelative(at Context, today, from, to time.Time) (is, named bool) {
	for _, text := range []string{at.Begin, at.Sentence, at.Answer} {
		if all := literal.RelativeIn(text, today); len(all) > 0 {
			one := all[len(all)-1]
			if text == at.Sentence {
				one = all[0]
			}
			return one.Is(from, to, today), true
		}
	}
	return false, false
}
