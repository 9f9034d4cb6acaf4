package calendar

import (
	"cmp"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// numbered reads a month or a year in digits: "10.2026", "2026-10", "10 месяц", "25 год".
func (r reader) numbered(i int) (Period, int) {
	month := func(year, n, length int) (Period, int) {
		return r.resolve(end{month: time.Month(n), year: year}), length
	}
	if at, err := time.Parse("1.2006", r.text(i)); err == nil {
		return month(at.Year(), int(at.Month()), 1)
	}
	n, ok := r.whole(i + 2)
	if year, is := r.year(i); is && ok && n <= 12 && len(r.text(i+2)) == 2 && r.text(i+1) == "-" {
		return month(year, n, 3)
	}
	n, ok = r.whole(i)
	switch {
	case ok && n > 1 && n <= 12 && r.is(i+1, lex.NumberedMonth):
		return month(0, n, 2)
	case ok && n > 19 && n < 40 && r.is(i+1, lex.NumberedYear):
		from, to := containing(Year, time.Date(2000+n, 1, 1, 0, 0, 0, 0, r.today.Location()))
		return Period{From: from, To: to, Unit: Year}, 2
	}
	return Period{}, 0
}

// week reads a week of a month: "первая неделя ноября", "last week of October".
func (r reader) week(i int) (Period, int) {
	n, at := r.ordinal(i), r.over(i+2)
	ending := r.is(i, lex.Recent)
	if n == 0 && !ending || r.unit(i+1) != Week || r.month(at) == 0 {
		return Period{}, 0
	}
	month := r.resolve(end{month: r.month(at)})
	if ending {
		return Period{From: month.To.AddDate(0, 0, -6), To: month.To}, at + 1 - i
	}
	from := month.From.AddDate(0, 0, 7*(n-1))
	return Period{From: from, To: from.AddDate(0, 0, 6)}, at + 1 - i
}

// named reads a unit with its number: "3 квартал 2025", "q3", "первое полугодие", "2025 год".
func (r reader) named(i int) (Period, int) {
	if y, ok := r.year(i); ok {
		length := 1
		if r.unit(i+1) == Year {
			length++
		}
		from, to := containing(Year, time.Date(y, 1, 1, 0, 0, 0, 0, r.today.Location()))
		return Period{From: from, To: to, Unit: Year}, length
	}
	n, unit, length := 0, Unit(""), 2
	low := words.Folded(r.text(i))
	switch {
	case len(low) == 2 && (low[0] == 'q' || low[0] == 'h') && low[1] >= '1' && low[1] <= '4':
		n, unit, length = int(low[1]-'0'), map[byte]Unit{'q': Quarter, 'h': Half}[low[0]], 1
	case r.ordinal(i) > 0 && (r.unit(i+1) == Quarter || r.unit(i+1) == Half):
		n, unit = r.ordinal(i), r.unit(i+1)
	case r.unit(i) == Quarter && r.ordinal(i+1) > 0:
		n, unit = r.ordinal(i+1), Quarter
	case (r.like == Quarter || r.like == Half) && r.ordinalWord(i) > 0 && r.ordinal(i) > 0 && !r.describes(i):
		n, unit, length = r.ordinal(i), r.like, 1
	case r.ordinal(i) > 0 && r.is(i+1, lex.HalfOf):
		return r.halfOf(i)
	}
	months := monthsOf[unit]
	if n == 0 || n*months > 12 {
		return Period{}, 0
	}
	year := r.today.Year()
	if y, more := r.ofYear(i + length); more > 0 {
		year, length = y, length+more
	} else if (n-1)*months >= int(r.today.Month()) {
		year--
	}
	from, to := containing(unit, time.Date(year, time.Month((n-1)*months+1), 1, 0, 0, 0, 0, r.today.Location()))
	return Period{From: from, To: to, Unit: unit}, length
}

// ordinals reads two quarters or halves that share the word for the unit: the whole of "с первого по второй квартал", and the first of
// "I и II квартал".
func (r reader) ordinals(i int) (Period, int) {
	at := i
	if r.is(i, lex.Since) {
		at = r.skip(i+1, lex.Article)
	}
	joining := at + 1
	second := r.skip(joining+1, lex.Article)
	n, unit := r.ordinal(at), r.unit(second+1)
	if n == 0 || unit != Quarter && unit != Half || r.ordinal(second) <= n {
		return Period{}, 0
	}
	last, length := r.named(second)
	first := Back(unit, r.ordinal(second)-n, last.From)
	if r.is(joining, lex.Until) || strings.Trim(r.text(joining), "-–—") == "" {
		return Period{From: first.From, To: last.To}, second + length - i
	}
	return first, at + 1 - i
}

// describes reports whether an ordinal says which thing is meant, not which period: "the first one", "второй товар".
func (r reader) describes(i int) bool {
	const shortest = 4 // "first and second", "второй к первому"
	next := r.text(i + 1)
	return len([]rune(next)) >= shortest || next == "one" || next == "of"
}

// halfOf reads half of a period: "первая половина октября", "second half of last year". If the question does not say of which, it is half
// of the year or month that was spoken of.
func (r reader) halfOf(i int) (Period, int) {
	n, at := r.ordinal(i), r.over(i+2)
	half := func(whole Period) Period {
		if monthsOf[whole.Unit] > monthsOf[Quarter] {
			return Back(Half, 2-n, Back(Year, 0, whole.From).To)
		}
		month := Back(Month, 0, whole.From)
		middle := month.From.AddDate(0, 0, 14)
		if n == 1 {
			return Period{From: month.From, To: middle}
		}
		return Period{From: middle.AddDate(0, 0, 1), To: month.To}
	}
	switch {
	case n > 2:
		return Period{}, 0
	case r.unit(at) == Year:
		return half(Back(Year, 0, r.today)), at + 1 - i
	case r.month(at) != 0:
		return half(r.resolve(end{month: r.month(at)})), at + 1 - i
	}
	of := r.skip(i+2, lex.Inside)
	if whole, length := r.relative(of); length > 1 && (whole.Unit == Year || whole.Unit == Month) {
		return half(whole), of + length - i
	}
	p := half(Back(cmp.Or(r.like, Month), 0, r.today))
	if p.Beside = half; r.unit(at) == Month {
		return p, at + 1 - i
	}
	return p, 2
}

// vague reads a period without exact days: "в конце октября".
func (r reader) vague(i int) (Period, int) {
	at := r.over(i + 1)
	if at < 0 || !r.is(i, lex.Vague) && !r.is(i, lex.Start) {
		return Period{}, 0
	}
	p := r.whichever(at)
	p.Wrong = true
	return p, at + 1 - i
}

// whichever returns the latest month that a token names, or the current unit.
func (r reader) whichever(at int) Period {
	if m := r.month(at); m != 0 {
		return r.resolve(end{month: m})
	}
	return Back(r.unit(at), 0, r.today)
}

// season reads a season. It returns the latest one that has begun.
func (r reader) season(i int) (Period, int) {
	n := index(r.token(i), lex.Seasons)
	if n == 0 || i > 0 && r.token(i).Cyrillic() && r.token(i).Capital() { // "кафе Весна"
		return Period{}, 0
	}
	from := time.Date(r.today.Year(), time.Month(3*n), 1, 0, 0, 0, 0, r.today.Location())
	if from.After(r.today) {
		from = from.AddDate(-1, 0, 0)
	}
	return Period{From: from, To: from.AddDate(0, 3, -1)}, 1
}
