package calendar

import (
	"strings"
	"time"
)

// bounds reads a period by its two ends: "с 1 по 15 октября", "between September 15 and October 20", "с августа по октябрь", "since
// July".
func (r reader) bounds(i int) (Period, int) {
	since, between, at := r.is(i, lex.Since), r.is(i, lex.Between), i
	if since || between {
		at = r.skip(i+1, lex.Article) // "since the 1st of October"
	}
	if a, b, both := strings.Cut(r.text(at), "-"); both && monthOf(a) != 0 && monthOf(b) != 0 {
		return r.between(end{month: monthOf(a)}, end{month: monthOf(b)}), at + 1 - i
	}
	from, length := r.single(at)
	if first, n := r.end(at, since || between); n > 0 {
		next := at + n
		whole := first.month != 0 && first.day != 0 // "October 1st to 31st"
		dash := next < len(r.tokens) && strings.Trim(r.text(next), "-–—") == ""
		if dash || between || r.is(next, lex.Until) && (since || whole) {
			start := r.skip(next+1, lex.Article)
			second, m := r.end(start, since || between)
			sizes := first.month == 0 && second.month == 0 && max(first.day, second.day) > 31 // "38-39"
			if m > 0 && !sizes && (since || between || first.day == 0 || second.day != 0) {
				return r.between(first, second), start + m - i
			}
		}
		if from, length = r.resolve(first), n; first.month == 0 {
			return Period{}, 0
		}
	}
	if !since || length == 0 {
		return Period{}, 0
	}
	next := at + length
	if to, until := r.upTo(from, next); until > 0 { // "с 1 октября по вчера"
		return to, next + until - i
	}
	if i > 0 && r.text(i) == "from" && from.Unit == Month && !r.is(next, lex.Onwards) && !r.is(i-1, lex.Onwards) { // "orders from October"
		return from, next - i
	}
	return r.open(from), next - i
}

// open returns the period that begins with another one and goes on.
func (r reader) open(from Period) Period {
	return Period{From: from.From, To: r.today, Wrong: from.Wrong, Open: true}
}

// upTo reads the end of a period that begins with another one, and returns how many tokens it takes.
func (r reader) upTo(from Period, at int) (Period, int) {
	last, length := r.single(at + 1)
	if length == 0 || !r.is(at, lex.Until) {
		return Period{}, 0
	}
	return Period{From: from.From, To: last.To, Wrong: from.Wrong || from.From.After(last.To)}, 1 + length
}

// end is one end of a period. What the question does not say is zero.
type end struct {
	day, year int
	month     time.Month
	here      bool // a day of the month without the month: "15 числа"
}

// number reads the number of a day, "15" or "двадцать пятое", and returns how many tokens it takes. A word counts a day if a month stands
// behind it, if it is an end of a period, or if it follows a day that was spoken of.
func (r reader) number(i int, ranged bool) (day, length int) {
	n, ok := r.whole(i)
	length = 1
	if ones := Ordinal(r.token(i + 1)); ok && (n == 20 || n == 30) && ones > 0 && ones < 10 {
		n, ok, length = n+ones, false, 2
	} else if !ok {
		n = Ordinal(r.token(i))
	}
	next := i + length
	follows := r.like == Day && n > mostPlaces && (next >= len(r.tokens) || r.tokens[next].Mark)
	month := r.month(next) != 0 || r.text(next) == "of" && r.month(next+1) != 0
	if ok || n > 0 && (month || r.is(next, lex.OfMonth) || follows || ranged) {
		return n, length
	}
	return 0, 0
}

// mostPlaces limits the ordinals that are rather places in a list than days.
const mostPlaces = 4

func (r reader) end(i int, ranged bool) (end, int) {
	for _, layout := range []string{"2.1.2006", "2006-1-2", "2.1.06", "2.01"} { // the last one makes the year 0
		if day, err := time.Parse(layout, r.text(i)); err == nil {
			return end{day: day.Day(), year: day.Year(), month: day.Month()}, 1
		}
	}
	e, n := end{}, 0
	d, length := r.number(i, ranged)
	if length > 0 && d <= 99 && !r.is(i+length, lex.Nominative) {
		e.day, n = d, length
		switch {
		case r.is(i+length, lex.OfMonth):
			e.here, n = true, length+1
		case r.like == Day && strings.Trim(r.text(i), "0123456789") != "" && r.unit(i+length) == "": // "and the 16th?"
			e.here = true
		}
	}
	if n > 0 && r.text(i+n) == "of" && r.month(i+n+1) != 0 { // "the 1st of October"
		n++
	}
	if m := r.month(i + n); m != 0 {
		e.month, n = m, n+1
		if r.unit(i+n) == Month { // "август месяц"
			n++
		}
		if d, ok := r.whole(i + n); ok && e.day == 0 && d <= 31 && r.unit(i+n+1) == "" { // "October 15", not "October 2 weeks"
			e.day, n = d, n+1
		}
		year, length := r.ofYear(i + n)
		e.year, n = year, n+length
	}
	return e, n
}

// ofYear reads the year after a month or a quarter: "2025 года", ", 2025", "of last year". It also returns how many tokens it took.
func (r reader) ofYear(i int) (year, length int) {
	at := i
	if r.text(at) == "," || r.text(at) == "of" {
		at++
	}
	if y, n := r.year(at); n > 0 {
		return y, at + n - i
	}
	if n := r.distance(at); n >= 0 && r.unit(at+1) == Year {
		return r.today.Year() - n, at + 2 - i
	}
	return 0, 0
}

func (r reader) between(a, b end) Period {
	if b.month == 0 {
		b.month, b.year = a.month, a.year // "October 1 to 15"
	}
	if a.month == 0 {
		a.month, a.year = b.month, b.year
	}
	bare := b.month == 0
	if bare {
		a.month, b.month, b.year = r.today.Month(), r.today.Month(), r.today.Year()
	}
	to := r.resolve(b)
	if a.year == 0 {
		a.year = to.To.Year()
		if a.month > b.month {
			a.year--
		}
	}
	from := r.resolve(a)
	p := Period{From: from.From, To: to.To, Wrong: from.Wrong || to.Wrong || from.From.After(to.To)}
	if bare {
		p.Beside = sameDays(p)
	}
	return p
}

// resolve returns the day or month that an end means. Without a year, it is the latest one that has begun.
func (r reader) resolve(e end) Period {
	year := e.year
	if year == 0 {
		year = r.today.Year()
		if r.date(year, e.month, max(1, e.day)).After(r.today) {
			year--
		}
	}
	if e.day == 0 {
		return Back(Month, 0, r.date(year, e.month, 1))
	}
	day := r.date(year, e.month, e.day)
	return Period{From: day, To: day, Unit: Day, Wrong: day.Day() != e.day}
}

// days reads one day: "15 октября", "September 15".
func (r reader) days(i int) (Period, int) {
	e, n := r.end(i, false)
	bare := e.here && e.month == 0
	if bare { // the latest such day
		if e.month = r.today.Month(); e.day > r.today.Day() {
			e.month = Back(Month, 1, r.today).From.Month()
		}
	}
	if n == 0 || e.month == 0 {
		return Period{}, 0
	}
	p := r.resolve(e)
	if bare {
		p.Beside = sameDays(p)
	}
	return p, n
}
