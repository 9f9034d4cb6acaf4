package literal

import (
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Named is a period that a text names by how it lies to today: "last week".
type Named struct{ From, To time.Time }

// Is reports whether it is a period, which may end today if it is not over yet.
func (n Named) Is(from, to, today time.Time) bool {
	same := func(a, b time.Time) bool { return a.Format(time.DateOnly) == b.Format(time.DateOnly) }
	return same(n.From, from) && (same(n.To, to) || n.To.After(today) && same(today, to))
}

// Year reports whether it is a year, of which people name parts by its name too: "in March of this year".
func (n Named) Year() bool { return n.To.Sub(n.From) > 360*24*time.Hour }

// Has reports whether a period lies in it.
func (n Named) Has(from, to time.Time) bool {
	return n.From.Format(time.DateOnly) <= from.Format(time.DateOnly) && to.Format(time.DateOnly) <= n.To.Format(time.DateOnly)
}

// RelativeIn are the periods that a plain text names by how they lie to a day, in its order. "Today" behind "as of" names none, and
// "the last month" is a length.
func RelativeIn(text string, today time.Time) (all []Named) {
	before, first := "", ""
	for _, word := range plain.WordTexts(text) {
		word = strings.TrimSuffix(word, "'s")
		if days, is := daysBackForms[word]; is && !momentForms[before] {
			day := today.AddDate(0, 0, -days)
			all = append(all, Named{day, day})
		}
		if back, is := backForms[before]; is && periodForms[word] != "" && !(fillerForms[before] && leadForms[first]) {
			all = append(all, around(today, periodForms[word], back))
		}
		if back, is := backForms[before]; is && MonthForms[word] > 0 {
			all = append(all, monthBefore(today, time.Month(MonthForms[word]), back))
		}
		before, first = word, before
	}
	return all
}

// monthBefore is the month of that name in the year of a day, or the last one that is over.
func monthBefore(day time.Time, month time.Month, back int) Named {
	year := day.Year()
	if back > 0 && month >= day.Month() {
		year--
	}
	from := time.Date(year, month, 1, 0, 0, 0, 0, day.Location())
	return Named{from, from.AddDate(0, 1, -1)}
}

// Length is a length of time: "two weeks".
type Length struct {
	Unit   string
	Number int
}

// LengthsIn are the lengths of time that a plain text says something is of, in its order: "over two weeks", "a month".
func LengthsIn(text string) (all []Length) {
	words := plain.WordTexts(text)
	for i, word := range words {
		unit := lengthForms[word]
		if unit == "" {
			continue
		}
		l, at := Length{unit, 1}, i-1
		if at >= 0 {
			if n, is := numeralForms[words[at]]; is {
				l.Number, at = int(n), at-1
			} else if n, err := strconv.Atoi(words[at]); err == nil {
				l.Number, at = n, at-1
			}
		}
		for at >= 0 && fillerForms[words[at]] {
			at--
		}
		if at >= 0 && leadForms[words[at]] && (at == 0 || words[at] != "the" || words[at-1] != "of") {
			all = append(all, l)
		}
	}
	return all
}

// Fits reports whether a period is as long, or is so much of the calendar as has passed by today.
func (l Length) Fits(from, to, today time.Time) bool {
	days := int(to.Sub(from).Hours()/24) + 1
	spread := map[string][2]int{"day": {1, 1}, "week": {7, 7}, "month": {28, 31}, "quarter": {89, 92}, "year": {365, 366}}[l.Unit]
	calendar := l.Number == 1 && l.Unit != "day" && around(to, l.Unit, 0).Is(from, to, today)
	return calendar || spread[0]*l.Number <= days && days <= spread[1]*l.Number
}

// IsPeriod reports whether a word is a week, a month, a quarter or a year.
func IsPeriod(word string) bool { return periodForms[word] != "" }

// IsYear reports whether a word is a year, or the number of one.
func IsYear(word string) bool {
	n, err := strconv.Atoi(word)
	return lengthForms[word] == "year" || err == nil && Date{Year: n}.valid()
}

// around is the week, month, quarter or year of a day, or the one before it.
func around(day time.Time, period string, back int) Named {
	y, m, d := day.Date()
	first := func(month time.Month, date int) time.Time {
		return time.Date(y, month, date, 0, 0, 0, 0, day.Location())
	}
	var from, next time.Time
	switch period {
	case "week":
		from = first(m, d-(int(day.Weekday())+6)%7-7*back)
		next = from.AddDate(0, 0, 7)
	case "month":
		from = first(m-time.Month(back), 1)
		next = from.AddDate(0, 1, 0)
	case "quarter":
		from = first(m-(m-1)%3-time.Month(3*back), 1)
		next = from.AddDate(0, 3, 0)
	default:
		from = first(time.Month(1-12*back), 1)
		next = from.AddDate(1, 0, 0)
	}
	return Named{from, next.AddDate(0, 0, -1)}
}

// CourseIn is which way a plain text says last that something went: 1 up, -1 down, 0 if it does not say so, or denies it.
func CourseIn(text string) (course int) {
	const whole = 3
	before := ""
	for _, word := range plain.WordTexts(text) {
		for form, is := range courseForms {
			if word == form || utf8.RuneCountInString(form) > whole && strings.HasPrefix(word, form) {
				if course = is; before == "не" || before == "not" {
					course = 0
				}
			}
		}
		before = word
	}
	return course
}
