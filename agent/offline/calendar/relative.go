package calendar

import (
	"cmp"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Starts reports whether a word is the beginning of a period: "на начало ноября".
func Starts(t words.Token) bool { return lex.Start.Is(t) }

// Relative reports whether a word says which period is meant: "last", "прошлый".
func Relative(t words.Token) bool { return lex.Previous.Is(t) || lex.Recent.Is(t) }

func (r reader) single(i int) (Period, int) {
	switch {
	case r.is(i, lex.Today):
		return Back(Day, 0, r.today), r.withDay(i)
	case r.is(i, lex.Yesterday):
		return Back(Day, 1, r.today), r.withDay(i)
	case r.is(i, lex.BeforeYesterday):
		return Back(Day, 2, r.today), 1
	case r.is(i, lex.Weekend):
		saturday := Back(Day, (int(r.today.Weekday())+1)%7, r.today).From
		if ended := saturday.AddDate(0, 0, 1).Before(r.today); r.is(i-1, lex.Previous) && !ended {
			saturday = saturday.AddDate(0, 0, -7)
		}
		return Period{From: saturday, To: saturday.AddDate(0, 0, 1)}, 1
	case (r.is(i, lex.Previous) || r.is(i, lex.This) || r.is(i, lex.Recent)) && (r.is(i+1, lex.Weekend) || r.weekday(i+1) > 0):
		day, _ := r.single(i + 1)
		return day, 2
	case r.unit(i) != "" && r.is(i+1, lex.Until) && r.is(i+2, lex.Date): // "year to date"
		return Period{From: Back(r.unit(i), 0, r.today).From, To: r.today, Unit: r.unit(i)}, 3
	}
	for unit, w := range lex.ToDate {
		if r.is(i, w) {
			return Period{From: Back(unit, 0, r.today).From, To: r.today, Unit: unit}, 1
		}
	}
	if n := r.weekday(i); n > 0 {
		back := (int(r.today.Weekday()) + 6 - (n - 1)) % 7
		if back == 0 || r.is(i-1, lex.Previous) && back < (int(r.today.Weekday())+6)%7+1 {
			back += 7
		}
		return Back(Day, back, r.today), 1
	}
	return Period{}, 0
}

// withDay returns how many tokens a word such as "вчерашний" takes together with "день" after it.
func (r reader) withDay(i int) int {
	if r.unit(i+1) == Day {
		return 2
	}
	return 1
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
	at := i + 1
	switch {
	case r.is(i, lex.Previous) && r.unit(i+1) == "" && r.unit(i-2) == Year:
		// "этого года и прошлого"
		return Period{From: r.today, To: r.today, Unit: Year, Wrong: true, Beside: ago(Year)}, 1
	case r.is(i, lex.Previous) && r.unit(i+1) != "": // "last year over the same period", "в прошлом году за то же время"
		same := r.skip(r.skip(i+2, lex.Measuring), lex.Article)
		period := r.skip(same+1, lex.Filler)
		if !r.is(same, lex.Same) || !r.is(period, lex.Days) {
			return Period{}, 0
		}
		return Period{From: r.today, To: r.today, Unit: r.unit(i + 1), Wrong: true, Beside: ago(r.unit(i + 1))}, period + 1 - i
	case r.is(i, lex.Same):
	case r.text(i) == "this" && r.text(i+1) == "time": // "this time last year"
		at++
	default:
		return r.before(i, earlier)
	}
	at = r.skip(at, lex.Filler)
	own := r.unit(at)
	days := own == Day || r.is(at, lex.Days)
	if days || own != "" {
		at++
	}
	next := at
	if r.is(next, lex.Within) || r.text(next) == "of" {
		next++
	}
	ofPrevious, month := r.unit(next+1), r.month(next)
	switch {
	case r.is(next, lex.Previous) && ofPrevious != "":
		return Period{From: r.today, To: r.today, Unit: ofPrevious, Wrong: true, Beside: ago(ofPrevious)}, next + 2 - i
	case days && month != 0:
		p := r.resolve(end{month: month})
		p.Beside = within(p.From)
		return p, next + 1 - i
	}
	if p, length := r.before(next, ago); length > 0 {
		return p, next + length - i
	}
	if own != Day && (days || own != "") { // "за тот же месяц"
		p := Back(cmp.Or(own, Month), 0, r.today)
		p.Beside = func(spoken Period) Period { return spoken }
		return p, at - i
	}
	return Period{}, 0
}

// spoken reads a number of periods that were spoken of: "эти два дня", "the same two months", "which of the two weeks". Where there were not as many, they are the
// latest ones.
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
	n, ok := r.whole(at)
	unit := r.unit(at)
	switch {
	case unit == Year && r.is(at+1, lex.Ago):
		return Period{From: r.today, To: r.today, Wrong: true, Beside: ago(Year)}, at + 2 - i
	case unit != "" && r.is(at+1, lex.Ago):
		return Back(unit, 1, r.today), at + 2 - i
	case unit != "" && r.is(at+1, lex.Before) && !r.is(at+2, lex.Previous):
		p := Back(unit, 1, r.today)
		p.Beside = beside(unit)
		return p, at + 2 - i
	case at == i && r.is(i, lex.Before) && r.is(i+1, lex.That): // "before that", "до этого месяца"
		length := 2
		if unit = r.unit(i + 2); unit != "" {
			length = 3
		}
		p := Back(cmp.Or(unit, Month), 1, r.today)
		p.Beside = Period.Before
		return p, length
	case ok && r.unit(at+1) != "" && r.is(at+2, lex.Ago):
		return Back(r.unit(at+1), n, r.today), at + 3 - i
	}
	return Period{}, 0
}

// counted reads a number of units: "последние 45 дней", "за 3 месяца", "last two weeks", "за неделю". "The last three full months" are those
// of the calendar.
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
	back := -1
	switch {
	case r.is(i, lex.BeforePrevious):
		back = 2
	case r.is(i, lex.Previous):
		back = 1
	case r.is(i, lex.This):
		back = 0
	case r.is(i, lex.Next) && r.unit(r.skip(i+1, lex.Filler)) != "":
		at := r.skip(i+1, lex.Filler)
		return Back(r.unit(at), -1, r.today), at + 1 - i
	case r.unit(i) != "" && r.is(i+1, lex.Before) && r.is(i+2, lex.Previous): // "the month before last"
		return Back(r.unit(i), 2, r.today), 3
	}
	if back < 0 {
		return Period{}, 0
	}
	if season, n := r.season(i + 1); n > 0 {
		return season, 2
	}
	next := r.skip(i+1, lex.Filler)
	if unit := r.unit(next); unit != "" {
		return Back(unit, back, r.today), next + 1 - i
	}
	if m := r.month(i + 1); m != 0 && back == 1 {
		return r.resolve(end{month: m}), 2
	}
	if unit := r.unit(i + 3); unit != "" && (r.is(i+2, lex.Previous) || r.is(i+2, lex.This) || r.is(i+2, lex.BeforePrevious)) {
		return Back(unit, back, r.today), 1 // "этого и прошлого месяца"
	}
	if r.like != "" && back > 0 {
		return Back(r.like, back, r.today), 1
	}
	return Period{}, 0
}

// toDate reads "с начала года", "since the start of the month".
func (r reader) toDate(i int) (Period, int) {
	if !r.is(i, lex.Since) {
		return Period{}, 0
	}
	start := r.skip(i+1, lex.Article)
	at := r.over(start + 1)
	if at < 0 || !r.is(start, lex.Start) {
		return Period{}, 0
	}
	begin := r.whichever(at)
	if to, until := r.upTo(begin, at+1); until > 0 { // "с начала года по вчерашний день"
		return to, at + 1 + until - i
	}
	return Period{From: begin.From, To: r.today, Unit: r.unit(at), Open: r.month(at) != 0}, at + 1 - i
}
