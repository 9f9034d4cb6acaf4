package literal

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// DatesIn are the days and months that a plain text names, in its order.
func DatesIn(text string) (dates []Date) {
	places := map[int]Date{}
	for f := range Figures(text) {
		if !f.Date.None() {
			places[f.Start] = f.Date
		}
	}
	starts := slices.Sorted(maps.Keys(places))
	for _, word := range plain.Words(text) {
		month, named := MonthForms[strings.TrimSuffix(word.Text, "'s")]
		ofDay := func(start int) bool {
			return places[start].Month == month && max(start-word.Start, word.Start-start) <= longestDay
		}
		if named && !slices.ContainsFunc(starts, ofDay) {
			places[word.Start] = Date{Month: month}
		}
	}
	for _, start := range slices.Sorted(maps.Keys(places)) {
		dates = append(dates, places[start])
	}
	return dates
}

// longestDay is how far, in bytes, a day stands from its month's name at most.
const longestDay = 20

// Span is a period as a text names it: two days, a day, or a month, of which First and Last are the same.
type Span struct{ First, Last Date }

// SpansIn are the periods that a plain text names, in its order. Two days in a row are a period from the one to the other.
func SpansIn(text string) (spans []Span) {
	dates := DatesIn(text)
	for i := 0; i < len(dates); i++ {
		s := Span{dates[i], dates[i]}
		if i+1 < len(dates) && dates[i].Day > 0 && dates[i+1].Day > 0 {
			i++
			s.Last = dates[i]
		}
		spans = append(spans, s)
	}
	return spans
}

// Names reports whether a span is what a period is called by: its two ends, one of them, or its month.
func (s Span) Names(from, to time.Time) bool {
	if s.First != s.Last {
		return s.First.Is(from) && s.Last.Is(to)
	}
	return s.First.Covers(from, to)
}

// Other reports whether a span that does not name a period is of another one: it has two ends, or is a month, or lies outside.
func (s Span) Other(from, to time.Time) bool {
	return s.First != s.Last || s.First.Day == 0 && s.First.Month > 0 || s.First.Outside(from, to)
}

// Is reports whether a date is that day.
func (d Date) Is(t time.Time) bool { return d.Month == int(t.Month()) && d.Day == t.Day() }

// Covers reports whether a date is what a period is called by: one of its ends, or the month that begins with it and is not left by
// it.
func (d Date) Covers(from, to time.Time) bool {
	month := from.Day() == 1 && from.Month() == to.Month() && from.Year() == to.Year()
	return d.Is(from) || d.Is(to) || d.Day == 0 && d.Month > 0 && month && !d.Outside(from, to)
}

// Outside reports whether a date lies in none of the months of a period.
func (d Date) Outside(from, to time.Time) bool {
	if d.Month == 0 {
		return false
	}
	for m := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, from.Location()); !m.After(to); m = m.AddDate(0, 1, 0) {
		if int(m.Month()) == d.Month && (d.Year == 0 || d.Year == m.Year()) {
			return false
		}
	}
	return true
}

// Within reports whether a date, which may have no year, lies in a period or overlaps with it.
func (d Date) Within(from, to time.Time) bool {
	for year := from.Year(); year <= to.Year(); year++ {
		if d.Year > 0 && d.Year != year {
			continue
		}
		first := time.Date(year, time.Month(max(d.Month, 1)), max(d.Day, 1), 0, 0, 0, 0, from.Location())
		last := first.AddDate(0, 0, 1)
		switch {
		case d.Month == 0:
			last = first.AddDate(1, 0, 0)
		case d.Day == 0:
			last = first.AddDate(0, 1, 0)
		}
		if first.Before(to.AddDate(0, 0, 1)) && last.After(from) {
			return true
		}
	}
	return false
}
