package answer

import (
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// date is a day, a month, a year or a time of day as a text writes it; what it does not say is 0.
type date struct {
	year, month, day int
	clock            bool
	hour, minute     int
	sure             bool // nothing else is written like this
}

func (d date) none() bool { return d == date{} }

// The forms of dates, from their first digit on. What follows a part of fixed length is no digit.
var (
	isoForm    = regexp.MustCompile(`^((\d{4})-(0[1-9]|1[0-2])(?:-(\d\d)(?:t\d[\d:.z+-]*)?)?)(?:\D|$)`)
	clockForm  = regexp.MustCompile(`^((\d\d?):(\d\d)(?::\d\d)?)(?:\D|$)`)
	dottedForm = regexp.MustCompile(`^(([0-3]?[1-9]|[123]0)(?:\.(\d\d?)\.|/(\d\d?)/)(\d{4}|\d\d))(?:\D|$)`)
	shortForm  = regexp.MustCompile(`^(([0-3]?[1-9]|[123]0)\.(\d\d))(?:\D|$)`)
	namedForm  = regexp.MustCompile(`^(\d\d?(?:st|nd|rd|th|-го|-е)?( ?[-—] ?\d\d?)? (\pL+))`)
	yearForm   = regexp.MustCompile(`^([.,]* (\d{4}))(?:\D|$)`)
	yearWord   = regexp.MustCompile(`^([ -]?(?:г|год\pL*|year))(?:\PL|$)`)
)

// match gives the parts of a form at i, and where the first of them ends; 0 when it is not there.
func (s *scanner) match(form *regexp.Regexp, i int) (parts []string, end int) {
	if parts = form.FindStringSubmatch(s.text[i:]); parts == nil {
		return nil, 0
	}
	return parts[2:], i + len(parts[1])
}

// dateAt reads a date whose digits start at i; end is 0 when there is none.
func (s *scanner) dateAt(i int) (d date, end int) {
	first := s.run(i)
	switch {
	case first-i == 4:
		d, end = s.yearAt(i, first)
	case first-i > 2:
	case first < len(s.text) && s.text[first] == ':':
		if p, at := s.match(clockForm, i); at > 0 {
			d, end = date{clock: true, hour: atoi(p[0]), minute: atoi(p[1]), sure: true}, at
		}
	default:
		if d, end = s.dottedAt(i, first); end == 0 || !d.valid() {
			d, end = s.namedAt(i, first)
		}
	}
	if !d.valid() {
		return date{}, 0
	}
	return d, end
}

// yearAt reads "2026-11-22", "2026-11", "ноябрь 2026" and "2026".
func (s *scanner) yearAt(i, end int) (date, int) {
	if p, at := s.match(isoForm, i); at > 0 {
		return date{year: atoi(p[0]), month: atoi(p[1]), day: atoi(p[2]), sure: true}, at
	}
	d := date{year: atoi(s.text[i:end])}
	if s.month > 0 && s.near(i) {
		d.month, d.sure = s.month, true
	} else if _, at := s.match(yearWord, end); at > 0 {
		d.sure, end = true, at
	}
	return d, end
}

// dottedAt reads "22.11.2026", "22.11.26", "22/11/2026" and, not surely, "22.11".
func (s *scanner) dottedAt(i, first int) (date, int) {
	if first == len(s.text) || s.text[first] != '.' && s.text[first] != '/' {
		return date{}, 0
	}
	if p, at := s.match(dottedForm, i); at > 0 {
		d := date{day: atoi(p[0]), month: atoi(p[1] + p[2]), year: atoi(p[3]), sure: true}
		if len(p[3]) == 2 {
			d.year += 2000
		}
		if d.month > 12 && p[2] != "" {
			d.day, d.month = d.month, d.day
		}
		return d, at
	}
	p, at := s.match(shortForm, i)
	if at == 0 {
		return date{}, 0
	}
	return date{day: atoi(p[0]), month: atoi(p[1])}, at
}

// namedAt reads "22 ноября 2026", "1-5 ноября", "November 22".
func (s *scanner) namedAt(i, first int) (date, int) {
	d := date{day: atoi(s.text[i:first]), sure: true}
	switch behind := s.text[first:min(len(s.text), first+len("-31 мая"))]; {
	case d.day == 0:
		return date{}, 0
	case s.month > 0 && s.near(i) && s.endsDay(first):
		d.month = s.month
		return s.withYear(d, first)
	case strings.Trim(behind, "-0123456789") == "": // "1-1-1-1": no month follows
		return date{}, 0
	}
	p, end := s.match(namedForm, i)
	if end == 0 {
		return date{}, 0
	}
	if d.month = monthForms[p[1]]; p[0] != "" {
		return d, first
	}
	return s.withYear(d, end)
}

// withYear takes the year behind a day and its month.
func (s *scanner) withYear(d date, end int) (date, int) {
	if p, at := s.match(yearForm, end); at > 0 && (date{year: atoi(p[0])}).valid() {
		d.year, end = atoi(p[0]), at
	}
	return d, end
}

// endsDay reports whether digits that end here are a day behind its month's name, as in "November 22". They are not behind a Russian
// name, nor where the number goes on: "в октябре 18 614,12", "in October 11,178.91".
func (s *scanner) endsDay(end int) bool {
	if s.text[s.after-1] >= utf8.RuneSelf {
		return false
	}
	mark, size := utf8.DecodeRuneInString(s.text[end:])
	goesOn := mark == ',' || mark == '.' || unicode.IsSpace(mark)
	return !goesOn || s.run(end+size)-(end+size) != 3 && (mark != '.' || s.run(end+size) == end+size)
}

// near reports whether only a space, a comma or a point stands between the last month's name and i.
func (s *scanner) near(i int) bool {
	return i-s.after <= 2 && i > s.after && strings.Trim(s.text[s.after:i], " .,") == ""
}

func (s *scanner) run(i int) int {
	for i < len(s.text) && isDigitByte(s.text[i]) {
		i++
	}
	return i
}

// valid tells days, months, years and times that there are; of years those that books are about.
func (d date) valid() bool {
	switch year := 1990 <= d.year && d.year < 2100; {
	case d.clock:
		return d.hour < 24 && d.minute < 60
	case d.month == 0:
		return d.day == 0 && year
	default:
		return d.month <= 12 && d.day <= 31 && (d.year == 0 || year)
	}
}

func atoi(digits string) int {
	n := 0
	for i := range len(digits) {
		n = n*10 + int(digits[i]-'0')
	}
	return n
}

// calendar is the days and moments that an answer may name.
type calendar struct {
	days    map[[3]int]bool // year, month, day; a text's day may have no year
	months  map[[2]int]bool
	years   map[int]bool
	clocks  map[[2]int]bool
	periods [][2]time.Time
}

func newCalendar() calendar {
	return calendar{map[[3]int]bool{}, map[[2]int]bool{}, map[int]bool{}, map[[2]int]bool{}, nil}
}

// day admits a day.
func (c *calendar) day(t time.Time) {
	year, month, day := t.Date()
	for _, y := range []int{year, 0} {
		c.days[[3]int{y, int(month), day}] = true
		c.months[[2]int{y, int(month)}] = true
	}
	c.years[year] = true
}

// moment admits a moment: its day and its time of day, as it is written and in Moscow.
func (c *calendar) moment(t time.Time) {
	for _, at := range []time.Time{t, t.In(tools.Moscow)} {
		c.day(at)
		c.clocks[[2]int{at.Hour(), at.Minute()}] = true
	}
}

// written admits a date of the user's words.
func (c *calendar) written(d date) {
	if d.clock {
		c.clocks[[2]int{d.hour, d.minute}] = true
	}
	if d.day > 0 {
		c.days[[3]int{d.year, d.month, d.day}], c.days[[3]int{0, d.month, d.day}] = true, true
	}
	if d.month > 0 {
		c.months[[2]int{d.year, d.month}], c.months[[2]int{0, d.month}] = true, true
	}
	if d.year > 0 {
		c.years[d.year] = true
	}
}

// period admits the days from one to another, both included, with their months and years.
func (c *calendar) period(from, to time.Time) { c.periods = append(c.periods, [2]time.Time{from, to}) }

// lasts reports whether a number is that of the days of a period.
func (c *calendar) lasts(l Literal) bool {
	return slices.ContainsFunc(c.periods, func(p [2]time.Time) bool {
		days := decimal.NewFromInt(int64(midday(Value{at: p[1]}).Sub(midday(Value{at: p[0]}))/(24*time.Hour)) + 1)
		return slices.ContainsFunc(l.Readings, func(r Reading) bool { return r.Value.Equal(days) })
	})
}

// has reports whether a date may be named.
func (c *calendar) has(d date) bool {
	switch {
	case d.clock:
		return c.clocks[[2]int{d.hour, d.minute}]
	case d.day > 0 && c.days[[3]int{d.year, d.month, d.day}]:
		return true
	case d.day == 0 && d.month > 0 && c.months[[2]int{d.year, d.month}], d.month == 0 && c.years[d.year]:
		return true
	}
	for _, p := range c.periods {
		if d.within(p[0], p[1]) {
			return true
		}
	}
	return false
}

// within reports whether a date, which may have no year, lies in a period or overlaps with it.
func (d date) within(from, to time.Time) bool {
	for year := from.Year(); year <= to.Year(); year++ {
		if d.year > 0 && d.year != year {
			continue
		}
		first := time.Date(year, time.Month(max(d.month, 1)), max(d.day, 1), 0, 0, 0, 0, from.Location())
		last := first.AddDate(0, 0, 1)
		switch {
		case d.month == 0:
			last = first.AddDate(1, 0, 0)
		case d.day == 0:
			last = first.AddDate(0, 1, 0)
		}
		if first.Before(to.AddDate(0, 0, 1)) && last.After(from) {
			return true
		}
	}
	return false
}
