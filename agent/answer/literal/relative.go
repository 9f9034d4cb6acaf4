package literal

import (
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

// RelativeIn are the periods that a plain text names by how they lie to a day, in its order.
func RelativeIn(text string, today time.Time) (all []Named) {
	before := ""
	for _, word := range plain.WordTexts(text) {
		word = strings.TrimSuffix(word, "'s")
		if days, is := daysBackForms[word]; is {
			day := today.AddDate(0, 0, -days)
			all = append(all, Named{day, day})
		}
		if back, is := backForms[before]; is && periodForms[word] != "" {
			all = append(all, around(today, periodForms[word], back))
		}
		before = word
	}
	return all
}

// IsPeriod reports whether a word is a week, a month, a quarter or a year.
func IsPeriod(word string) bool { return periodForms[word] != "" }

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
