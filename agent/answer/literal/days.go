package literal

import (
	"time"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// DatesIn are the days and months that a plain text names.
func DatesIn(text string) (dates []Date) {
	for f := range Figures(text) {
		if !f.Date.None() {
			dates = append(dates, f.Date)
		}
	}
	for _, word := range plain.Words(text) {
		if month, ok := MonthForms[word.Text]; ok {
			dates = append(dates, Date{Month: month})
		}
	}
	return dates
}

// Is reports whether a date is that day.
func (d Date) Is(t time.Time) bool { return d.Month == int(t.Month()) && d.Day == t.Day() }

// Wholly reports whether a date is the month that a period is in.
func (d Date) Wholly(from, to time.Time) bool {
	return d.Day == 0 && d.Month > 0 && from.Month() == to.Month() && from.Year() == to.Year() && !d.Outside(from, to)
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
