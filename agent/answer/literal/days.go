package literal

import "time"

// longestSearch limits the search for a day of any month. Within two months, every day occurs, even the 31st.
const longestSearch = 62 * 24 * time.Hour

// Within reports whether a date lies in a period or overlaps it. If the date has no year or no month, any year or
// month matches.
func (d Date) Within(from, to time.Time) bool {
	if d.Month == 0 && d.Day > 0 {
		for day := from; !day.After(to) && day.Sub(from) < longestSearch; day = day.AddDate(0, 0, 1) {
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
