package literal

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/plain"
)

// Date is a day, a month, a year or a time of day in a text. Missing parts are 0: "the 26th" has neither month nor year.
type Date struct {
	Year, Month, Day int
	Clock            bool
	Hour, Minute     int
	Sure             bool // it can only be a date; "2026" and "22.11" can also be numbers
}

// None reports whether there is no date.
func (d Date) None() bool { return d == Date{} }

// Patterns of dates, anchored at their first digit. They make sure that the date's last number has no further digits.
var (
	isoForm    = regexp.MustCompile(`^((\d{4})-(0[1-9]|1[0-2])(?:-(\d\d)(?:t\d[\d:.z+-]*)?)?)(?:\D|$)`)
	clockForm  = regexp.MustCompile(`^((\d\d?):(\d\d)(?::\d\d)?)(?:\D|$)`)
	dottedForm = regexp.MustCompile(`^(([0-3]?[1-9]|[123]0)(?:\.(\d\d?)\.|/(\d\d?)/)(\d{4}|\d\d))(?:\D|$)`)
	shortForm  = regexp.MustCompile(`^(([0-3]?[1-9]|[123]0)\.(\d\d))(?:\D|$)`)
	namedForm  = regexp.MustCompile(`^(\d\d?(?:st|nd|rd|th|-го|-е)?( ?(?:[-—]|по|до|и|to|and|through) ?\d\d?)?(?:st|nd|rd|th)? (\pL+)(?: (\pL+))?)`)
	dayForm    = regexp.MustCompile(`^(\d\d?(?:st|nd|rd|th|-го|-е))(?:[^\pL ]| [^\pL]| (?:of|and|to|through|until|till|и|по|до)(?:\PL|$)|$)`)
	rangeEnd   = regexp.MustCompile(`^(?:$|[.,;:!?)]+(?:\D|$)|\s[^\d%])`)
	between    = regexp.MustCompile(`^(?:[-–—]| (?:to|and|through) (?:the )?)$`)
	yearForm   = regexp.MustCompile(`^([.,]* (\d{4}))(?:\D|$)`)
	yearWord   = regexp.MustCompile(`^([ -]?(?:г|год\pL*|year))(?:\PL|$)`)
)

// match matches a pattern at i and returns its groups after the first, and the end of the first group; 0 if it does
// not match.
func (s *scanner) match(form *regexp.Regexp, i int) (parts []string, end int) {
	if parts = form.FindStringSubmatch(s.text[i:]); parts == nil {
		return nil, 0
	}
	return parts[2:], i + len(parts[1])
}

// dateAt reads a date that starts with the digits at i; end is 0 if there is none.
func (s *scanner) dateAt(i int) (d Date, end int) {
	first := plain.DigitsEnd(s.text, i)
	switch {
	case first-i == 4:
		d, end = s.yearAt(i, first)
	case first-i > 2:
	case first < len(s.text) && s.text[first] == ':':
		if p, at := s.match(clockForm, i); at > 0 {
			d, end = Date{Clock: true, Hour: atoi(p[0]), Minute: atoi(p[1]), Sure: true}, at
		}
	default:
		if d, end = s.dottedAt(i, first); end == 0 || !d.valid() {
			d, end = s.namedAt(i, first)
		}
	}
	if !d.valid() {
		return Date{}, 0
	}
	return d, end
}

// yearAt reads "2026-11-22", "2026-11", "ноябрь 2026" and "2026".
func (s *scanner) yearAt(i, end int) (Date, int) {
	if p, at := s.match(isoForm, i); at > 0 {
		return Date{Year: atoi(p[0]), Month: atoi(p[1]), Day: atoi(p[2]), Sure: true}, at
	}
	d := Date{Year: atoi(s.text[i:end])}
	if s.month > 0 && s.near(i) {
		d.Month, d.Sure = s.month, true
	} else if _, at := s.match(yearWord, end); at > 0 {
		d.Sure, end = true, at
	}
	return d, end
}

// dottedAt reads "22.11.2026", "22.11.26", "22/11/2026", and "22.11", which can also be a number.
func (s *scanner) dottedAt(i, first int) (Date, int) {
	if first == len(s.text) || s.text[first] != '.' && s.text[first] != '/' {
		return Date{}, 0
	}
	if p, at := s.match(dottedForm, i); at > 0 {
		d := Date{Day: atoi(p[0]), Month: atoi(p[1] + p[2]), Year: atoi(p[3]), Sure: true}
		if len(p[3]) == 2 {
			d.Year += 2000
		}
		if d.Month > 12 && p[2] != "" {
			d.Day, d.Month = d.Month, d.Day
		}
		return d, at
	}
	p, at := s.match(shortForm, i)
	if at == 0 {
		return Date{}, 0
	}
	return Date{Day: atoi(p[0]), Month: atoi(p[1])}, at
}

// namedAt reads "22 ноября 2026", "1-5 ноября", "November 22".
func (s *scanner) namedAt(i, first int) (Date, int) {
	d := Date{Day: atoi(s.text[i:first]), Sure: true}
	if s.day.Month > 0 && i > s.dayEnd && between.MatchString(s.text[s.dayEnd:i]) && s.endsRange(first) && !s.hasMonth(i) {
		d.Month = s.day.Month
		return s.withYear(d, first)
	}
	switch after := s.text[first:min(len(s.text), first+len("-31 мая"))]; {
	case d.Day == 0:
		return Date{}, 0
	case s.month > 0 && s.near(i) && s.endsDay(first):
		d.Month = s.month
		return s.withYear(d, first)
	case strings.Trim(after, "-0123456789") == "": // "1-1-1-1": no month follows
		return Date{}, 0
	}
	if _, end := s.match(dayForm, i); end > 0 {
		return d, end
	}
	p, end := s.match(namedForm, i)
	if end == 0 {
		return Date{}, 0
	}
	if p[2] != "" {
		end -= len(" " + p[2])
	}
	month := p[1]
	if vocabulary.Days[month] { // the name of the month can follow
		if month = p[2]; MonthForms[month] > 0 {
			end += len(" " + month)
		}
	}
	d.Month = MonthForms[month]
	switch {
	case d.Month == 0 && !vocabulary.Days[p[1]]:
		return Date{}, 0
	case p[0] != "":
		return d, first
	}
	return s.withYear(d, end)
}

// endsRange reports whether the digits before end can be the last day of a range: they have no decimals and no
// percent sign.
func (s *scanner) endsRange(end int) bool { return rangeEnd.MatchString(s.text[end:]) }

// hasMonth reports whether the day at i is followed by its own month: the 27 in "29 October to 27 November".
func (s *scanner) hasMonth(i int) bool {
	p, _ := s.match(namedForm, i)
	return p != nil && MonthForms[p[1]] > 0
}

// withYear adds the year after a day and its month.
func (s *scanner) withYear(d Date, end int) (Date, int) {
	if p, at := s.match(yearForm, end); at > 0 && (Date{Year: atoi(p[0])}).valid() {
		d.Year, end = atoi(p[0]), at
	}
	return d, end
}

// endsDay reports whether the digits before end can be a day after the name of its month, as in "November 22". After
// a Russian name, or if the number continues, they are an amount: "в октябре 18 614,12", "in October 11,178.91".
func (s *scanner) endsDay(end int) bool {
	if s.text[s.after-1] >= utf8.RuneSelf {
		return false
	}
	mark, size := utf8.DecodeRuneInString(s.text[end:])
	goesOn := mark == ',' || mark == '.' || unicode.IsSpace(mark)
	more := plain.DigitsEnd(s.text, end+size) - (end + size)
	return !goesOn || more != 3 && (mark != '.' || more == 0)
}

// near reports whether only a space, comma or point is between the last month's name and i.
func (s *scanner) near(i int) bool {
	return i-s.after <= 2 && i > s.after && strings.Trim(s.text[s.after:i], " .,") == ""
}

// valid reports whether a date exists and its year is from 1990 to 2099.
func (d Date) valid() bool {
	switch year := 1990 <= d.Year && d.Year < 2100; {
	case d.Clock:
		return d.Hour < 24 && d.Minute < 60
	case d.Month == 0:
		return d.Day == 0 && year || d.Sure && 0 < d.Day && d.Day <= 31 && d.Year == 0
	default:
		return d.Month <= 12 && d.Day <= 31 && (d.Year == 0 || year)
	}
}

// atoi returns the value of a few digits; 0 if there are none.
func atoi(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
