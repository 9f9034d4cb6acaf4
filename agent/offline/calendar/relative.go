package calendar

import (
	"cmp"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Relative reports whether a word says which period is meant: "last", "прошлый".
func Relative(t words.Token) bool { return lex.Previous.Is(t) || lex.Recent.Is(t) }

// single reads a period in one or two words: "вчера", "last Monday", "летом", "year to date".
func (r reader) single(i int) (Period, int) {
	if n := index(r.token(i), []word{lex.Today, lex.Yesterday, lex.BeforeYesterday}); n > 0 {
		length := 1
		if r.unit(i+1) == Day { // "вчерашний день"
			length++
		}
		return Back(Day, n-1, r.today), length
	}
	switch n := r.weekday(i); {
	case n > 0:
		monday := Back(Week, 0, r.today).From
		if r.is(i-1, lex.Previous) || !monday.AddDate(0, 0, n-1).Before(r.today) {
			monday = monday.AddDate(0, 0, -7)
		}
		return Back(Day, 1-n, monday), 1
	case r.is(i, lex.Weekend):
		saturday := Back(Week, 0, r.today).From.AddDate(0, 0, 5)
		if r.is(i-1, lex.Previous) || saturday.After(r.today) {
			saturday = saturday.AddDate(0, 0, -7)
		}
		return Period{From: saturday, To: saturday.AddDate(0, 0, 1)}, 1
	case r.unit(i+1) == "" && (r.is(i, lex.Previous) || r.is(i, lex.This) || r.is(i, lex.Recent)): // "last Monday", "этим летом"
		if p, length := r.single(i + 1); length > 0 {
			return p, length + 1
		}
	case r.unit(i) != "" && (r.is(i+1, lex.Until) && r.is(i+2, lex.Date) || r.text(i+1) == "so" && r.text(i+2) == "far"): // "year to date"
		return Back(r.unit(i), 0, r.today), 3
	}
	for unit, w := range lex.ToDate {
		if r.is(i, w) {
			return Back(unit, 0, r.today), 1
		}
	}
	return r.season(i)
}

// current reads the current unit where only the form of the word says so: "итоги года", "выручка месяца".
func (r reader) current(i int) (Period, int) {
	for unit, w := range lex.Current {
		if _, counted := r.whole(i - 1); r.is(i, w) && !counted && !r.measured(i) {
			return Back(unit, 0, r.today), 1
		}
	}
	return Period{}, 0
}

// beside reads a period that depends on the one spoken of before: "a year ago", "same period last year", "last year over the same
// period", "the week before", "те же дни октября", "за тот же месяц".
func (r reader) beside(i int) (Period, int) {
	if r.is(i, lex.Previous) {
		unit := r.unit(i + 1)
		same := r.skip(r.skip(i+2, lex.Measuring), lex.Article)
		days := r.skip(same+1, lex.Filler)
		switch {
		case unit == "" && r.unit(i-2) == Year: // "этого года и прошлого"
			return r.shifted(Year), 1
		case unit != "" && r.is(same, lex.Same) && r.is(days, lex.Days): // "last year over the same period"
			return r.shifted(unit), days + 1 - i
		}
		return Period{}, 0
	}
	if !r.is(i, lex.Same) && !(r.text(i) == "this" && r.text(i+1) == "time") { // "this time last year"
		return r.before(i, earlier)
	}
	at := r.skip(i+1, lex.Filler)
	own := r.unit(at)
	days := own == Day || r.is(at, lex.Days)
	if days || own != "" {
		at++
	}
	next := at
	if r.is(next, lex.Within) || r.text(next) == "of" {
		next++
	}
	unit, month := r.unit(next+1), r.month(next)
	switch {
	case r.is(next, lex.Previous) && unit != "":
		return r.shifted(unit), next + 2 - i
	case days && month != 0:
		p := r.resolve(end{month: month})
		p.Beside = within(p.From)
		return p, next + 1 - i
	}
	of := ago
	if !days && own == "" { // "the same for the quarter before" is not only its same days
		of = earlier
	}
	if p, length := r.before(next, of); length > 0 {
		return p, next + length - i
	}
	if own != Day && (days || own != "") { // "за тот же месяц"
		p := Back(cmp.Or(own, Month), 0, r.today)
		p.Beside = func(spoken Period) Period { return spoken }
		return p, at - i
	}
	return Period{}, 0
}

// shifted is the days spoken of, one unit earlier. Alone, it means nothing.
func (r reader) shifted(u Unit) Period {
	return Period{From: r.today, To: r.today, Unit: u, Wrong: true, Beside: ago(u)}
}

// spoken reads a number of periods that were spoken of: "эти два дня", "the same two months", "which of the two weeks". It means the latest
// ones if fewer were spoken of.
func (r reader) spoken(i int) (Period, int) {
	at := r.skip(i+1, lex.Article)
	n, ok := r.whole(at)
	if !ok || n < 2 || !r.is(i, lex.Same) && !r.is(i, lex.This) && !r.is(i, lex.OutOf) {
		return Period{}, 0
	}
	unit := r.unit(at + 1)
	if unit == "" && !r.is(at+1, lex.Days) {
		return Period{}, 0
	}
	p := r.ago(cmp.Or(unit, Month), n)
	p.Spoken = n
	return p, at + 2 - i
}

// before reads "a year ago", "неделей раньше", "the month before", "3 months ago".
func (r reader) before(i int, beside func(Unit) func(Period) Period) (Period, int) {
	at := i
	for r.is(at, lex.Article) || r.is(at, lex.Measuring) {
		at++
	}
	n, counted := r.whole(at)
	if counted {
		at++
	} else {
		n = 1
	}
	unit := r.unit(at)
	switch {
	case unit == Year && !counted && r.is(at+1, lex.Ago):
		return r.shifted(Year), at + 2 - i
	case unit != "" && r.is(at+1, lex.Ago):
		return Back(unit, n, r.today), at + 2 - i
	case unit != "" && !counted && r.is(at+1, lex.Before) && !r.is(at+2, lex.Previous):
		p := Back(unit, 1, r.today)
		p.Beside = beside(unit)
		return p, at + 2 - i
	case r.is(i, lex.Before) && r.is(i+1, lex.That): // "before that", "до этого месяца"
		unit, length := r.unit(i+2), 3
		if unit == "" {
			unit, length = Month, 2
		}
		p := Back(unit, 1, r.today)
		p.Beside = Period.Before
		return p, length
	}
	return Period{}, 0
}

// counted reads a number of units: "последние 45 дней", "за 3 месяца", "last two weeks", "за неделю". "The last three full months" are
// those of the calendar.
func (r reader) counted(i int) (Period, int) {
	at := i
	recent := r.is(at, lex.Recent)
	if recent {
		at++
	}
	if r.is(at, lex.Fortnight) {
		return r.ago(Week, 2), at + 1 - i
	}
	n, ok := r.whole(at)
	if ok {
		at++
	} else if n = 1; !recent || r.is(i, lex.Previous) {
		return Period{}, 0
	}
	full := r.skip(at, lex.Filler)
	unit := r.unit(full)
	switch {
	case unit == "":
		return Period{}, 0
	case full > at:
		return Period{From: Back(unit, n, r.today).From, To: Back(unit, 1, r.today).To}, full + 1 - i
	}
	return r.ago(unit, n), at + 1 - i
}

// ago returns the last n units, up to today.
func (r reader) ago(unit Unit, n int) Period {
	return Period{From: back(unit, n, r.today).AddDate(0, 0, 1), To: r.today}
}

// relative reads "прошлый месяц", "this week", "позапрошлую" (неделю).
func (r reader) relative(i int) (Period, int) {
	if r.unit(i) != "" && r.is(i+1, lex.Before) && r.is(i+2, lex.Previous) { // "the month before last"
		return Back(r.unit(i), 2, r.today), 3
	}
	n, next := r.distance(i), r.skip(i+1, lex.Filler)
	unit, shared := r.unit(next), r.unit(i+3)
	switch {
	case unit != "" && r.is(i, lex.Next):
		return Back(unit, -1, r.today), next + 1 - i
	case n < 0:
		return Period{}, 0
	case unit != "":
		return Back(unit, n, r.today), next + 1 - i
	case r.month(i+1) != 0 && n == 1:
		return r.resolve(end{month: r.month(i + 1)}), 2
	case shared != "" && r.distance(i+2) >= 0: // "этого и прошлого месяца"
		return Back(shared, n, r.today), 1
	case r.like != "" && n > 0:
		return Back(r.like, n, r.today), 1
	}
	return Period{}, 0
}

// toDate reads "с начала года", "since the start of the month".
func (r reader) toDate(i int) (Period, int) {
	if !r.is(i, lex.Since) {
		return Period{}, 0
	}
	start := r.skip(i+1, lex.Article)
	begin, length := r.latest(start + 1)
	if length == 0 || !r.is(start, lex.Start) {
		return Period{}, 0
	}
	next := start + 1 + length
	if to, until := r.upTo(begin, next); until > 0 { // "с начала года по вчерашний день"
		return to, next + until - i
	}
	if r.month(next-1) != 0 {
		begin = r.open(begin)
	}
	return begin, next - i
}
