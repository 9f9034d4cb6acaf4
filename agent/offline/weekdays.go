package offline

import (
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

const (
	weekday = `(понедельник(?:а|у|ом|е)?|вторник(?:а|у|ом|е)?|сред(?:а|у|ы|е|ой)|четверг(?:а|у|ом|е)?|пятниц(?:а|у|ы|е|ей)|суббот(?:а|у|ы|е|ой)|воскресень(?:е|я|ю|ем)|monday|tuesday|wednesday|thursday|friday|saturday|sunday)`
	// asLast is what a weekday or weekend is told from others by.
	asLast = `(?:(прошл\pL+|последн\pL+|эт\pL+|last|past|this)\s+)?(?:the\s+)?`
)

// weekdayForms are days by their names and by today. A weekday that could be today or one of two weeks is none.
var weekdayForms = []form{
	{expression.Of(weekday + `\s+(?:на\s+|of\s+)?(прошлой|этой|last|this)\s+(?:недел|week)`), func(today time.Time, m []string) (period, bool) {
		away := 0
		if m[2] == "прошлой" || m[2] == "last" {
			away = -1
		}
		on := wholeUnit(today, "week", away).from.AddDate(0, 0, int(weekdayOf(m[1])+6)%7)
		return period{on, on}, true
	}},
	{expression.Of(`(?:^|\s)(?:с|со|from|between)\s+` + weekday + `\s*(?:по|до|to|until|till|through|and|-|–)\s*` + weekday), func(today time.Time, m []string) (period, bool) {
		to := latest(today, weekdayOf(m[2]))
		return period{latest(to, weekdayOf(m[1])), to}, true
	}},
	{expression.Of(`(?:^|\s)(?:(с|со|начиная с|since|from)\s+)?(?:(?:за|в|во|про|on|for)\s+)?` + asLast + weekday + `(?:[^\pL]|$)`), func(today time.Time, m []string) (period, bool) {
		on := latest(today, weekdayOf(m[3]))
		thisWeek := !on.Before(wholeUnit(today, "week", 0).from)
		over := strings.HasPrefix(m[2], "прошл") || m[2] == "last"
		if on.Equal(today) || over && thisWeek {
			return period{}, false
		}
		if m[1] != "" {
			return period{on, today}, true
		}
		return period{on, on}, true
	}},
	{expression.Of(`(?:^|\s)(?:(с|со|начиная с|since|from)\s+)?(?:(?:за|в|на|over|for|on|during)\s+)?(?:the\s+)?` + asLast + `(?:выходны[ехм]|weekend)(?:[^\pL]|$)`), func(today time.Time, m []string) (period, bool) {
		saturday := latest(today, time.Saturday)
		if (strings.HasPrefix(m[2], "прошл") || m[2] == "last") && !today.After(saturday.AddDate(0, 0, 1)) {
			saturday = saturday.AddDate(0, 0, -7)
		}
		if m[1] != "" {
			return period{saturday, today}, true
		}
		return upTo(today, period{saturday, saturday.AddDate(0, 0, 1)})
	}},
	{expression.Of(`(?:^|\s)(?:с|со)\s+(\d\d?)(?:-?го)?\s+(?:по|до)\s+(\d\d?)(?:-?(?:е|го))?(?:\s+числ(?:о|а)(?:[^\pL]|$)|\s*[?!.]*$)`), func(today time.Time, m []string) (period, bool) {
		first, last := numberOf(m[1]), numberOf(m[2])
		if first < 1 || last < first || last > today.Day() {
			return period{}, false
		}
		return period{today.AddDate(0, 0, first-today.Day()), today.AddDate(0, 0, last-today.Day())}, true
	}},
	{expression.Of(`(?:^|\s)(?:с|со|начиная с)\s+(?:(\d\d?)(?:-?го)?|(первого))\s+числа(?:[^\pL]|$)`), func(today time.Time, m []string) (period, bool) {
		day := max(1, numberOf(m[1]))
		if day > today.Day() {
			return period{}, false // of which month?
		}
		return period{today.AddDate(0, 0, day-today.Day()), today}, true
	}},
	{expression.Of(`(?:^|[^\pL])(с\s+|со\s+|since\s+)?(позавчера|day before yesterday|вчера(?:шн\pL+)?|yesterday)`), func(today time.Time, m []string) (period, bool) {
		back := -1
		if m[2] == "позавчера" || strings.HasPrefix(m[2], "day") {
			back = -2
		}
		on := today.AddDate(0, 0, back)
		if m[1] != "" {
			return period{on, today}, true
		}
		return period{on, on}, true
	}},
	{expression.Of(`(?:^|[^\pL])(?:сегодня(?:шн\pL+)?|today)(?:[^\pL]|$)`), func(today time.Time, _ []string) (period, bool) {
		return period{today, today}, true
	}},
}

// latest is the latest such weekday that is no later than a day.
func latest(day time.Time, on time.Weekday) time.Time {
	return day.AddDate(0, 0, -int((7+day.Weekday()-on)%7))
}

func weekdayOf(name string) time.Weekday {
	for i, stems := range []string{"воскресен/sunday", "понедельник/monday", "вторник/tuesday", "сред/wednesday", "четверг/thursday", "пятниц/friday", "суббот/saturday"} {
		if hasTerm([]string{name}, stems) {
			return time.Weekday(i)
		}
	}
	return 0
}
