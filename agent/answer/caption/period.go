package caption

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/schemas/bilingual"
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
		if v.Compares() {
			continue
		}
		if !known {
			if window := c.otherWindow(r, v, at); window != "" {
				periods = append(periods, window)
			}
			continue
		}
		if c.isOther(v, r, from, to, at) || hasTimespan(v) && c.isOtherLength(r, o, from, to, at) {
			periods = append(periods, reference.Days(c.lang, from, to))
		}
		c.periods[r] = true
	}
	return periods
}

// otherWindow is the window of days that a value of a report without a period is counted in, where the words beside it name another
// length or period.
func (c *Captions) otherWindow(r *reference.Report, v reference.Value, at Context) string {
	days, f := r.Window(), r.Field(v.Origins[0].Field)
	if days == 0 || f == nil || !f.Window || len(v.Origins) > 1 || !v.IsOf() {
		return ""
	}
	to := r.Result.AsOf.In(tools.Moscow)
	from := to.AddDate(0, 0, 1-days)
	is, relative := isRelative(at, to, from, to)
	ofMonth := func(s literal.Span) bool { return s.First.Day == 0 }
	if !c.isOtherLength(r, v.Origins[0], from, to, at) && (!relative || is) && !slices.ContainsFunc(at.Spans, ofMonth) ||
		hasLength(at.Sentence, from, to) {
		return ""
	}
	return fmt.Sprintf(bilingual.Text{RU: "за %d дн.", EN: "in %d days"}.In(c.lang), days)
}

// hasTimespan reports whether a value grows with the time that it is counted over, and is not computed for another length.
func hasTimespan(v reference.Value) bool {
	switch v.Kind {
	case tools.KindDays, tools.KindMonths, tools.KindPerDay:
		return false
	}
	return v.IsOf() || v.IsTable()
}

// isOtherLength reports whether the words beside a value say that it is of a length of time, and its period is not as long. Figures per
// month or day, and those of one month of several, have a length of their own.
func (c *Captions) isOtherLength(r *reference.Report, o reference.Origin, from, to time.Time, at Context) bool {
	if list := r.Field(o.List()); strings.Contains(o.Field, "_per_") || list != nil && ofMonths(list) {
		return false
	}
	today := r.Result.AsOf.In(tools.Moscow)
	lengths := literal.LengthsIn(at.Before + " " + at.After)
	fits := func(l literal.Length) bool { return l.Fits(from, to, today) }
	return len(lengths) > 0 && !slices.ContainsFunc(lengths, fits) && !named(at.Spans, from, to) && !hasLength(at.Sentence, from, to)
}

// ofMonths reports whether the rows of a list are months.
func ofMonths(list *tools.Field) bool {
	return slices.ContainsFunc(list.Fields, func(f tools.Field) bool { return f.Kind == tools.KindMonth })
}

// isOther reports whether the text beside a value names other periods than its report's, or leaves it open which of several it is.
func (c *Captions) isOther(v reference.Value, r *reference.Report, from, to time.Time, at Context) bool {
	today := r.Result.AsOf.In(tools.Moscow)
	if named(at.Spans, from, to) {
		return v.IsOf() && isOtherYear(at, today, from, to)
	}
	twins := c.ofOtherPeriods(r, from, to)
	if len(at.Spans) > 0 {
		return len(twins) > 0 || slices.ContainsFunc(at.Spans, func(s literal.Span) bool { return s.Other(from, to) })
	}
	if is, relative := isRelative(at, today, from, to); relative {
		sure := hasTimespan(v) && len(literal.RelativeIn(at.Sentence, today)) > 0 &&
			!hasLength(at.Sentence, from, to) && !lengthFits(from, to, today, at)
		return !is && (len(twins) > 0 || sure)
	}
	told := func(other *reference.Report) bool { return other.IsFresh() || c.periods[other] }
	return slices.ContainsFunc(twins, told) && !c.periods[r] &&
		!named(literal.SpansIn(at.Answer), from, to) && !hasLength(at.Answer+" "+at.Sentence, from, to)
}

// lengthFits reports whether a sentence names a length that a period is of.
func lengthFits(from, to, today time.Time, at Context) bool {
	fits := func(l literal.Length) bool { return l.Fits(from, to, today) }
	return slices.ContainsFunc(literal.LengthsIn(at.Sentence), fits)
}

// isOtherYear reports whether a text that names a period's month speaks of another year, or of none though the month came again since.
func isOtherYear(at Context, today, from, to time.Time) bool {
	const most = 330 * 24 * time.Hour
	text := at.Answer + " " + at.Sentence
	relative := literal.RelativeIn(at.Before+" "+at.After, today)
	if slices.ContainsFunc(relative, func(n literal.Named) bool { return n.Has(from, to) }) {
		return false
	}
	if slices.ContainsFunc(relative, literal.Named.Year) {
		return true
	}
	ofYear := func(s literal.Span) bool { return s.First.Year == from.Year() }
	return today.Sub(to) > most && !slices.ContainsFunc(literal.SpansIn(text), ofYear) &&
		!slices.ContainsFunc(plain.WordTexts(text), literal.IsYear)
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
