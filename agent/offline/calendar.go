package offline

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/expression"
)

// months are their names, Russian by the beginning. "May" is a month only after a word such as "in".
var months = [12]string{
	`январ|jan(?:uary)?\b`, `феврал|feb(?:ruary)?\b`, `март|mar(?:ch)?\b`, `апрел|apr(?:il)?\b`,
	`ма[йяе](?:[^\pL]|$)|(?:in|for|of|during|since|last|from|to|until|through)\s+may\b`, `июн|june?\b`, `июл|july?\b`, `август|aug(?:ust)?\b`,
	`сентябр|sep(?:t|tember)?\b`, `октябр|oct(?:ober)?\b`, `ноябр|nov(?:ember)?\b`, `декабр|dec(?:ember)?\b`,
}

var (
	monthName = `(?:^|[^\pL])(` + strings.Join(months[:], "|") + `)\pL*`
	monthOf   = func() [12]*expression.Expression {
		var m [12]*expression.Expression
		for i, name := range months {
			m[i] = expression.Of(`^(?:` + name + `)`)
		}
		return m
	}()
	numberWords = map[string]int{
		"один": 1, "одну": 1, "два": 2, "две": 2, "двух": 2, "пару": 2, "пара": 2, "три": 3, "трех": 3, "четыре": 4, "четырех": 4, "пять": 5, "пяти": 5,
		"шесть": 6, "шести": 6, "семь": 7, "семи": 7, "восемь": 8, "восьми": 8, "девять": 9, "девяти": 9, "десять": 10, "десяти": 10, "двенадцать": 12,
		"двенадцати": 12, "четырнадцать": 14, "пятнадцать": 15, "двадцать": 20, "тридцать": 30,
		"a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "twelve": 12,
		"fourteen": 14, "fifteen": 15, "twenty": 20, "thirty": 30,
	}
	count = `(\d+|` + strings.Join(slices.Sorted(maps.Keys(numberWords)), "|") + `)`
	unit  = `(дн|день|дней|day|недел|week|месяц|month|квартал|quarter|год|лет|year)[\pL]*`
)

// unitDays is how many days a unit counts for where only days are asked for.
func unitDays(unit string) int {
	switch {
	case strings.HasPrefix(unit, "нед"), strings.HasPrefix(unit, "week"):
		return 7
	case strings.HasPrefix(unit, "мес"), strings.HasPrefix(unit, "month"):
		return 30
	case strings.HasPrefix(unit, "кварт"), strings.HasPrefix(unit, "quart"):
		return 90
	case strings.HasPrefix(unit, "год"), strings.HasPrefix(unit, "лет"), strings.HasPrefix(unit, "year"):
		return 365
	default:
		return 1
	}
}

func numberOf(word string) int {
	if n, ok := numberWords[word]; ok {
		return n
	}
	n, err := strconv.Atoi(word)
	if err != nil {
		return 0 // longer than any number of days
	}
	return n
}

// days is how many a period has.
func (p period) days() int { return int(p.to.Sub(p.from)/(24*time.Hour)) + 1 }

func dateOf(year, month, day string) time.Time {
	t, err := time.ParseInLocation("2006-1-2", year+"-"+month+"-"+day, moscow)
	if err != nil {
		return time.Time{} // no such day: the period is not one
	}
	return t
}

func span(from, to time.Time) (period, bool) {
	return period{from, to}, !from.IsZero() && !to.IsZero() && !to.Before(from)
}

func monthNumber(name string) time.Month {
	if name == "may" {
		return time.May
	}
	for i, re := range monthOf {
		if re.MatchString(name) {
			return time.Month(i + 1)
		}
	}
	return 0
}

// month is a named month: of the year that is said, or the latest that has begun.
func month(today time.Time, name, year string) (period, bool) {
	m := monthNumber(name)
	if m == 0 {
		return period{}, false
	}
	y := yearOf(today, m, year)
	from := time.Date(y, m, 1, 0, 0, 0, 0, moscow)
	return upTo(today, period{from, from.AddDate(0, 1, -1)})
}

// upTo ends a period that is not over with today. One that is to come stays: it is said to be.
func upTo(today time.Time, p period) (period, bool) {
	if p.to.After(today) && !p.from.After(today) {
		p.to = today
	}
	return p, true
}

func yearOf(today time.Time, m time.Month, said string) int {
	switch said {
	case "":
		if m > today.Month() {
			return today.Year() - 1
		}
		return today.Year()
	case "прошлого года", "last year":
		return today.Year() - 1
	case "этого года", "текущего года", "this year":
		return today.Year()
	default:
		return numberOf(said)
	}
}

// namedMonths are whole months, up to today: "с августа по октябрь", "from November 2025 to March 2026".
func namedMonths(today time.Time, first, firstYear, last, lastYear string) (period, bool) {
	if lastYear == "" && firstYear != "" && monthNumber(first) <= monthNumber(last) {
		lastYear = firstYear
	}
	to, ok := month(today, last, lastYear)
	if !ok {
		return period{}, false
	}
	year := to.from.Year()
	if monthNumber(first) > monthNumber(last) {
		year--
	}
	if firstYear != "" {
		year = numberOf(firstYear)
	}
	from, ok := month(today, first, strconv.Itoa(year))
	if !ok {
		return period{}, false
	}
	return span(from.from, to.to)
}

// lastDays are the days up to today, today included.
func lastDays(today time.Time, n int, unit string) (period, bool) {
	if n < 1 || n > 3660 {
		return period{}, false
	}
	switch days := unitDays(unit); days {
	case 30:
		return period{monthsBefore(today, n), today}, true
	case 90:
		return period{monthsBefore(today, 3*n), today}, true
	case 365:
		return period{monthsBefore(today, 12*n), today}, true
	default:
		return period{today.AddDate(0, 0, 1-days*n), today}, true
	}
}

// monthsBefore is the first day of so many months that end with a day: after the same day of an earlier month or, where that
// is shorter, after its last.
func monthsBefore(today time.Time, n int) time.Time {
	y, m, d := today.Date()
	last := time.Date(y, m-time.Month(n)+1, 0, 0, 0, 0, 0, moscow)
	return last.AddDate(0, 0, min(d, last.Day())-last.Day()+1)
}

// wholeUnit is the calendar week, month, quarter or year that is that many away from today's.
func wholeUnit(today time.Time, unit string, away int) period {
	y, m, _ := today.Date()
	switch unitDays(unit) {
	case 7:
		monday := today.AddDate(0, 0, -(int(today.Weekday())+6)%7)
		from := monday.AddDate(0, 0, 7*away)
		return period{from, from.AddDate(0, 0, 6)}
	case 90:
		from := time.Date(y, (m-1)/3*3+1+time.Month(3*away), 1, 0, 0, 0, 0, moscow)
		return period{from, from.AddDate(0, 3, -1)}
	case 365:
		return period{time.Date(y+away, 1, 1, 0, 0, 0, 0, moscow), time.Date(y+away, 12, 31, 0, 0, 0, 0, moscow)}
	default:
		from := time.Date(y, m+time.Month(away), 1, 0, 0, 0, 0, moscow)
		return period{from, from.AddDate(0, 1, -1)}
	}
}
