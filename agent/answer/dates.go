package answer

import (
	"slices"
	"strings"
	"time"
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

// dateAt reads a date whose digits start at i; end is 0 when there is none.
func (s *scanner) dateAt(i int) (d date, end int) {
	first := s.run(i)
	switch {
	case first-i == 4:
		return s.yearAt(i, first)
	case first-i > 2:
		return date{}, 0
	}
	n := atoi(s.text[i:first])
	if first < len(s.text) {
		switch s.text[first] {
		case ':':
			return s.clockAt(n, first)
		case '.', '/':
			if d, end := s.dottedAt(n, first); end > 0 {
				return d, end
			}
		}
	}
	return s.namedAt(i, n, first)
}

// yearAt reads "2026-11-22", "2026-11" and "2026".
func (s *scanner) yearAt(i, end int) (date, int) {
	d := date{year: atoi(s.text[i:end])}
	if d.year < 1990 || d.year > 2099 {
		return date{}, 0
	}
	if month := s.run(end + 1); end < len(s.text) && s.text[end] == '-' && month-end == 3 {
		d.month = atoi(s.text[end+1 : month])
		d.sure, end = true, month
		if day := s.run(end + 1); end < len(s.text) && s.text[end] == '-' && day-end == 3 {
			d.day, end = atoi(s.text[end+1:day]), day
			if end+1 < len(s.text) && s.text[end] == 't' && isDigitByte(s.text[end+1]) {
				end++
				for end < len(s.text) && (isDigitByte(s.text[end]) || strings.IndexByte(":.z+-", s.text[end]) >= 0) {
					end++
				}
			}
		}
		if !d.valid() {
			return date{}, 0
		}
		return d, end
	}
	if s.month > 0 && s.near(i) {
		d.month, d.sure = s.month, true
	} else if word, wordEnd := s.wordBehind(end); word == "г" || word == "год" || strings.HasPrefix(word, "год") || word == "year" {
		d.sure, end = true, wordEnd
	}
	return d, end
}

// clockAt reads "22:55" and "22:55:07".
func (s *scanner) clockAt(hour, colon int) (date, int) {
	end := s.run(colon + 1)
	d := date{clock: true, hour: hour, sure: true}
	if end-colon != 3 || hour > 23 {
		return date{}, 0
	}
	d.minute = atoi(s.text[colon+1 : end])
	if seconds := s.run(end + 1); end < len(s.text) && s.text[end] == ':' && seconds-end == 3 {
		end = seconds
	}
	if d.minute > 59 {
		return date{}, 0
	}
	return d, end
}

// dottedAt reads "22.11.2026", "22.11.26", "22/11/2026" and, not surely, "22.11".
func (s *scanner) dottedAt(n, at int) (date, int) {
	second := s.run(at + 1)
	if second-at < 2 || second-at > 3 {
		return date{}, 0
	}
	d := date{day: n, month: atoi(s.text[at+1 : second])}
	third := s.run(second + 1)
	if second < len(s.text) && s.text[second] == s.text[at] && (third-second == 5 || third-second == 3) {
		d.year, d.sure = atoi(s.text[second+1:third]), true
		if third-second == 3 {
			d.year += 2000
		}
		if d.month > 12 && s.text[at] == '/' {
			d.day, d.month = d.month, d.day
		}
		if !d.valid() {
			return date{}, 0
		}
		return d, third
	}
	if s.text[at] != '.' || second-at != 3 || !d.valid() {
		return date{}, 0
	}
	return d, second
}

// namedAt reads "22 ноября 2026", "1-5 ноября", "November 22".
func (s *scanner) namedAt(i, n, end int) (date, int) {
	d := date{day: n, sure: true}
	if s.month > 0 && s.near(i) {
		d.month = s.month
		if d.valid() {
			return s.withYear(d, end)
		}
		return date{}, 0
	}
	behind := end
	for _, suffix := range []string{"st", "nd", "rd", "th", "-го", "-е"} {
		if strings.HasPrefix(s.text[behind:], suffix) {
			behind += len(suffix)
			break
		}
	}
	if month, monthEnd := s.monthBehind(behind); month > 0 && n > 0 && n <= 31 {
		d.month = month
		return s.withYear(d, monthEnd)
	} else if other := s.rangeEnd(behind); other > 0 {
		d.month, _ = s.monthBehind(other)
	}
	if d.month == 0 || !d.valid() {
		return date{}, 0
	}
	return d, end
}

// withYear takes the year behind a day and its month.
func (s *scanner) withYear(d date, end int) (date, int) {
	rest := strings.TrimLeft(s.text[end:], ".,")
	if !strings.HasPrefix(rest, " ") {
		return d, end
	}
	from := len(s.text) - len(rest) + 1
	if year := s.run(from); year-from == 4 {
		if d.year = atoi(s.text[from:year]); d.year >= 1990 && d.year <= 2099 {
			return d, year
		}
		d.year = 0
	}
	return d, end
}

// monthBehind is the month whose name stands behind i.
func (s *scanner) monthBehind(i int) (month, end int) {
	if i >= len(s.text) || s.text[i] != ' ' {
		return 0, 0
	}
	word, end := s.wordBehind(i)
	return monthForms[word], end
}

// rangeEnd is where the second day of "1-5" or "1 — 5" ends.
func (s *scanner) rangeEnd(i int) int {
	rest := strings.TrimPrefix(s.text[i:], " ")
	dash, size := utf8.DecodeRuneInString(rest)
	if dash != '-' && dash != '—' {
		return 0
	}
	rest = strings.TrimPrefix(rest[size:], " ")
	start := len(s.text) - len(rest)
	if end := s.run(start); end > start && end-start <= 2 {
		return end
	}
	return 0
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

func (d date) valid() bool {
	return d.month >= 1 && d.month <= 12 && d.day >= 0 && d.day <= 31
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
