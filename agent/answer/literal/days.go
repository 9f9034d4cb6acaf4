package literal

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// DatesIn returns the days and months in a plain text, in order.
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

// longestDay is the greatest distance of a day from the name of its month, in bytes.
const longestDay = 20

// longestMonth is how far a period is searched for a day of any month.
const longestMonth = 62 * 24 * time.Hour

// Within reports whether a date, which may have no year, lies in a period or overlaps it.
func (d Date) Within(from, to time.Time) bool {
	if d.Month == 0 && d.Day > 0 {
		for day := from; !day.After(to) && day.Sub(from) < longestMonth; day = day.AddDate(0, 0, 1) {
			if day.Day() == d.Day {
				return true
			}
		}
		return false
	}
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
