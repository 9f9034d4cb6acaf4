package calendar

import (
	"cmp"
	"time"
)

// grammar has the groups of rules, each in the order of preference.
var grammar = map[string][]rule{
	"Period": {
		on("article* Number? Unit since|of|onwards article* Day", match.unitsFrom),
		on("previous Unit measuring* article* same filler* days", match.shifted), // "last year over the same period"
		on("same filler* days|Unit? inside? previous Unit", match.shifted),
		on("this filler|days filler|days* inside? previous Unit", match.shifted), // "this time last year"
		on("same filler* days|Unit? inside? Earlier", match.only),
		on("same filler* days Whole", match.unclear), // "те же дни октября"
		on("same filler* days|Unit", match.same),
		on("Earlier", nil),

		on("inside* cumulative total? inside* Dated|Point|Quarter|Months", match.cumulative),
		on("Dated|Point|Quarter|Months cumulative total?", match.cumulative),
		on("cumulative total? since article* start Whole", match.open),
		on("cumulative total?", match.yearToDate),
		on("inside every duration", match.always),
		on("all duration", match.always),
		on("ever", match.always),
		on("since article|this* morning", match.thisDay),
		on("this morning", match.thisDay),

		on("since? article* FirstQuarter until|Dash article* Quarter", match.ranged),
		on("FirstQuarter", nil),
		on("since? MonthRange", match.ranged),
		on("between article* End joining article* End", match.ranged),
		on("since article* End until|Dash article* End", match.ranged),
		on("Day Dash|until End", match.ranged), // "October 1 to 15"
		on("End Dash Point", match.ranged),
		on("onwards since article* Point", match.open),
		on("since article* Point / onwards", match.open),
		on("from Month OfYear?", match.date), // "orders from October"
		on("from DaysAgo", match.daysAgo),    // "orders from yesterday"
		on("since article* start Whole cumulative? total?", match.open),
		on("since article* Point", match.open),

		on("Passed Unit", match.latest),                                // «как прошла неделя»
		on("DayNumber / joining inside|article* Day", match.sharedDay), // "15 and 16 November"
		on("DayNumber / Mark inside|article* Days", match.sharedDay),
		on("Weekdays|Dated|Point|Quarter", nil),
		on("previous Month OfYear?", match.date),
		on("Ordinal|recent Part Whole", match.partOf), // "первая неделя ноября", "the last ten days of May"
		on("Ordinal half_of inside|article* month", match.halfOfSpoken),
		on("Ordinal / joining|Mark article* Halves", match.ofHalves), // "the first and the second half of October"
		on("Halves", nil),
		on("Ordinal half_of", match.halfOfSpoken),
		on("start|end|middle Whole", match.edge), // "в конце октября"
		on("early|late Named", match.edge),
		on("Number numbered_month", match.numbered),
		on("Ordinal? Number month OfYear", match.firstMonths), // "9 месяцев 2026 года"
		on("Year", match.wholeYear),
		on("UnitsAgo filler* Unit", match.unitsAgo),
		on("recent? Number filler filler* Unit", match.full), // "the last 3 full months"
		on("recent filler filler* Unit", match.full),
		on("recent? Number Unit", match.latest),
		on("recent? Fraction", match.latest),
		on("previous Number Unit", match.asManyBefore),
		on("recent half_of article* year", match.latestHalf),
		on("recent Unit", match.latest),
		on("UnitsAgo / joining article* Relative", match.shared), // "этого и прошлого месяца"
		on("UnitsAgo", match.likeAgo),                            // "а за позапрошлый?"
		on("Nth", match.date),                                    // "on the 24th"
		on("Ordinal", match.likeQuarter),                         // "а за второй?"
		on("Current", match.current),                             // "итоги года"
		on("of article Unit", match.present),                     // "revenue of the quarter"
	},
	"Earlier": {
		on("article* day before DaysAgo", match.dayBefore),
		on("article* Unit before previous", match.beforeLast),
		on("article|measuring* year ago", match.shifted),
		on("article|measuring* Number? Unit ago", match.ago),
		on("article|measuring* Unit before", match.before),
		on("before that Unit?", match.beforeThat),
	},

	"Day": {
		on("Date", match.date),
		on("DayNumber of_month? of? Month OfYear?", match.date),
		on("Month DayNumber OfYear?", match.date),
	},
	"Weekdays": {on("previous|this|recent? Weekday / Mark? joining? inside|article* Weekdays|Point", match.weekdayBefore)},
	"Days": {
		on("DayNumber joining inside|article* Day", match.only),
		on("DayNumber Mark inside|article* Days", match.only),
	},
	"Point": { // without "Dated", which looks ahead
		on("Day", nil),
		on("Month month? OfYear?", match.date),
		on("OfYear Dash Number", match.numbered), // "2026-10"
		on("DayNumber of_month", match.date),
		on("DaysAgo day? since morning", match.daysAgo),
		on("DaysAgo day? morning?", match.daysAgo),
		on("black Weekday OfYear?", match.blackFriday),
		on("previous|this|recent? Weekday inside* Week", match.weekday),
		on("Week inside* Weekday", match.weekday),
		on("previous|this|recent? Weekday", match.weekday),
		on("previous|this|recent? weekend", match.weekend),
		on("previous|this|recent? Season OfYear?", match.season),
		on("this? Unit until|so date", match.present),
		on("ToDate", match.present),
	},
	"End": {
		on("Point", nil),
		on("start Whole", match.first),
		on("end Whole", match.last),
		on("Year", match.wholeYear),
		on("DayNumber", match.date),
	},
	"Dated": {
		on("Month OfYear", match.date),
		on("Month / joining|Mark article* Dated", match.sharing), // "January and February 2019"
		on("OfYear inside* Month", match.date),
	},
	"Months": {on("Number month OfYear?", match.numbered)},
	"Named":  {on("Month OfYear?", match.date)},
	"Quarter": {
		on("Q3|H1 OfYear?", match.quarter),
		on("Ordinal quarter|half OfYear?", match.quarter),
		on("OfYear inside* Ordinal quarter|half", match.quarter),
	},
	"Halves":       {on("Ordinal half_of Whole", match.halfOf)},
	"FirstQuarter": {on("Ordinal / joining|until|Mark article* Quarter", match.ofQuarters)}, // "I и II квартал"
	"Relative":     {on("UnitsAgo filler* Unit", match.unitsAgo)},
	"Part":         {on("Number? day|week|decade", match.just)},
	"Week":         {on("UnitsAgo filler* week", match.unitsAgo)},
	"OfYear":       {on("inside|Mark* Year", match.wholeYear), on("inside|Mark* UnitsAgo year", match.unitsAgo)},
	"Whole": { // what has a beginning, an end and halves
		on("inside|article|this* Month OfYear?", match.date),
		on("inside|article* Relative", match.only),
		on("inside|article* Unit", match.present),
		on("inside|article* Year", match.wholeYear),
	},

	"Length": {
		on("filler* Number Plus? filler* Unit", match.just),
		on("half_of article* year", match.halfYear),
		on("Fraction", match.just), // "полтора месяца"
		on("filler* Unit", match.length),
	},
	"Rate": {on("Average", match.just), on("per Unit", match.just)},
	"Deadline": {
		on("deadline|compared article* new_year year", match.newYear),
		on("deadline|compared new_years", match.newYear),
		on("deadline|compared article* end|middle Whole", match.last),
		on("deadline article* Period", match.only),
		on("towards Month OfYear?", match.coming),
	},
}

// The methods of a match are the periods that its tokens mean.

func (m match) only() Period       { return m.inner[0].Period }
func (m match) just() Period       { return Period{Unit: m.unit} }
func (m match) present() Period    { return Back(m.unit, 0, m.today) }
func (m match) thisDay() Period    { return Back(Day, 0, m.today) }
func (m match) beforeLast() Period { return Back(m.unit, 2, m.today) }
func (m match) unitsAgo() Period   { return Back(m.unit, m.n-2, m.today) }
func (m match) shared() Period     { return Back(m.inner[0].unit, m.n-2, m.today) }
func (m match) daysAgo() Period    { return Back(Day, m.n-1, m.today) }
func (m match) dayBefore() Period  { return Back(Day, m.n, m.today) }
func (m match) full() Period       { return Period{From: m.ago().From, To: Back(m.unit, 1, m.today).To} }
func (m match) first() Period      { return Back(Day, 0, m.only().From) }
func (m match) last() Period       { return Back(Day, 0, m.only().To) }
func (m match) wholeYear() Period  { return Back(Year, 0, m.dayOf(m.year, 1, 1)) }
func (m match) newYear() Period    { return Back(Day, 0, m.dayOf(m.today.Year()+1, 1, 1)) }

// coming returns the last day of a month that is to come. Without its year, it is one that is nearer ahead than back.
func (m match) coming() Period {
	ahead := (int(m.month) - int(m.today.Month()) + 12) % 12
	if m.year != 0 {
		ahead = 12*(m.year-m.today.Year()) + int(m.month-m.today.Month())
	}
	if ahead <= 0 || m.year == 0 && ahead > 6 {
		return Period{}
	}
	return Back(Day, 0, m.dayOf(m.today.Year(), m.today.Month()+time.Month(ahead+1), 0))
}

func (m match) yearToDate() Period { return Back(Year, 0, m.today) }
func (m match) cumulative() Period { return m.only().fromJanuary() }

// firstMonths is "9 месяцев 2026 года".
func (m match) firstMonths() Period { return m.numbered().fromJanuary() }
func (m match) always() Period      { return Period{From: m.dayOf(firstYear, 1, 1), To: m.today} }

// fromJanuary returns the part of a year that ends with a period. It returns the zero period for itself.
func (p Period) fromJanuary() Period { return Period{From: Back(Year, 0, p.From).From, To: p.To} }

// ago returns the n-th unit before the present one. What is at a moment, such as the stock, is that of the day.
func (m match) ago() Period {
	n := cmp.Or(m.n, 1)
	p, day := Back(m.unit, n, m.today), Back(Day, 0, back(m.unit, n, m.today))
	p.State = &day
	return p
}

// blackFriday returns the latest Black Friday, or that of a year.
func (m match) blackFriday() Period {
	const friday = 5
	if m.n != friday {
		return Period{}
	}
	return m.begun(fridayOf(m.dayOf(cmp.Or(m.year, m.today.Year()), 1, 1)))
}

// fridayOf returns the day after the fourth Thursday in November, of a day's year.
func fridayOf(day time.Time) Period {
	const fourth = 22 // it is between the 22nd and the 28th
	for day = time.Date(day.Year(), time.November, fourth, 0, 0, 0, 0, day.Location()); day.Weekday() != time.Thursday; {
		day = day.AddDate(0, 0, 1)
	}
	p := Back(Day, -1, day)
	p.yearly = fridayOf
	return p
}

// latest returns the last units, which are not those of the calendar.
func (m match) latest() Period {
	return Period{From: back(m.unit, cmp.Or(m.n, 1), m.today).AddDate(0, 0, 1), To: m.today}
}

// asManyBefore returns the days before the period spoken of, "the previous 7 days". If that is of another length, it is the latest days.
func (m match) asManyBefore() Period {
	p := m.latest()
	p.Beside = func(spoken Period) Period {
		if spoken.Days() != p.Days() {
			return Period{From: p.From, To: p.To, Tokens: p.Tokens}
		}
		return spoken.Before()
	}
	return p
}

func (m match) latestHalf() Period {
	m.unit = Half
	return m.latest()
}

// unclear returns a period that the question does not name exactly.
func (m match) unclear() Period {
	p := m.only()
	p.Wrong = true
	return p
}

// edge returns the first or the last days of a longer period, or those between them: "в конце октября", "early October".
func (m match) edge() Period {
	whole := m.only()
	p := Period{From: whole.From, To: whole.To, State: &whole}
	part := map[Unit]Unit{Month: Decade, Quarter: Month, Year: Quarter}[whole.Unit]
	second, last := back(part, -1, p.From), back(part, 1, p.To.AddDate(0, 0, 1))
	switch {
	case part == "", m.is(m.begin-1, "deadline"): // "до конца месяца" is a deadline
		p.Wrong = true
	case m.is(m.begin, "start"), m.is(m.begin, "early"):
		p.To = second.AddDate(0, 0, -1)
	case m.is(m.begin, "middle"):
		p.From, p.To = second, last.AddDate(0, 0, -1)
	default:
		p.From = last
	}
	return p
}

// likeAgo returns a period whose unit the question or the one before has named.
func (m match) likeAgo() Period {
	switch {
	case m.like == "", m.n < 3 && !m.alone(): // "next" and "this" also mean other things
		return Period{}
	case unitsInOrder[m.place(m.begin-2, "units")] == Year: // "ноябрь этого года и прошлого"
		m.unit = Year
		return m.shifted()
	}
	return Back(m.like, m.n-2, m.today)
}

// alone reports whether a period ends the question and stands after a preposition: "а за эту?"
func (m match) alone() bool {
	next := m.token(m.begin + 1)
	return m.is(m.begin-1, "inside") && (next.Mark || next.Text == "")
}

func (m match) likeQuarter() Period {
	if m.like != Quarter && m.like != Half || !m.is(m.begin, "ordinals") {
		return Period{}
	}
	m.unit = m.like
	return m.quarter()
}

// current returns the present unit where only the form of the word says so.
func (m match) current() Period {
	half := m.is(m.begin-1, "half_of") || m.is(m.begin-1, "article") && m.is(m.begin-2, "half_of") // "half a year"
	if half || m.whole(m.begin-1) > 0 || m.length().Unit != "" {
		return Period{}
	}
	return m.present()
}

// halfYear returns the length "half a year". "The first half year" is a period.
func (m match) halfYear() Period {
	if m.is(m.begin-1, "ordinals") {
		return Period{}
	}
	return Period{Unit: Half}
}

// length returns a unit without a number that is a length: "больше года", "за месяц", but not "в месяц", "сколько дней".
func (m match) length() Period {
	at := m.begin - 1
	for m.is(at, "article") || m.is(at, "filler") {
		at--
	}
	if m.is(m.begin, "half_year") || m.is(at, "measuring") || at < m.begin-1 && m.is(at, "within") {
		return m.just()
	}
	return Period{}
}

// shifted is the days spoken of, one unit earlier. Alone, it means nothing.
func (m match) shifted() Period {
	ago := func(spoken Period) Period { return spoken.Ago(m.unit) }
	day := Back(Day, 0, back(m.unit, 1, m.today))
	return Period{From: m.today, To: m.today, Unit: m.unit, Wrong: true, Beside: ago, State: &day}
}

// beside returns a period that depends on the one spoken of. If none was, it is n units ago.
func (m match) beside(n int, of func(spoken Period) Period) Period {
	p := Back(cmp.Or(m.unit, Month), n, m.today)
	p.Beside = of
	return p
}

// same returns the period spoken of. In Russian, "на той неделе" is the last one if none was.
func (m match) same() Period {
	ago := took(m.unit != "" && m.token(m.begin).Cyrillic() && !m.is(m.begin+1, "filler"))
	return m.beside(ago, func(spoken Period) Period {
		if m.unit == Week && spoken.Unit != Week {
			return Back(Week, ago, m.today)
		}
		return spoken
	})
}

func (m match) beforeThat() Period { return m.beside(1, Period.Before) }

// before returns the period before the one spoken of or, for a longer unit, the same days one unit earlier.
func (m match) before() Period {
	return m.beside(1, func(spoken Period) Period {
		if daysOf[m.unit] <= daysOf[spoken.Unit] {
			return spoken.Before()
		}
		return spoken.Ago(m.unit)
	})
}

// dayOf returns a day; months and days beyond their limits count on.
func (r *reader) dayOf(year int, month time.Month, day int) time.Time {
	return time.Date(year, month, day, 0, 0, 0, 0, r.today.Location())
}

// date returns a day or a month. What the question does not say makes it the latest one that has begun, or a day of the month spoken of.
// "Last November", in November, is that of the year before.
func (m match) date() Period {
	year, month := cmp.Or(m.year, m.today.Year()), cmp.Or(m.month, m.today.Month())
	day, unit := m.day, Day
	if day == 0 {
		day, unit = 1, Month
	}
	switch ahead := m.day == 0 && month == m.today.Month() && m.is(m.begin, "previous") || m.dayOf(year, month, day).After(m.today); {
	case ahead && m.month == 0:
		month--
	case ahead && m.year == 0:
		year--
	}
	p := Back(unit, 0, m.dayOf(year, month, day))
	p.Wrong = p.From.Day() != day
	if m.month == 0 {
		p.Beside = func(spoken Period) Period { return m.in(spoken.From).Period }
	}
	return p
}

// bare reports whether a date is a day without its month.
func (m match) bare() bool { return m.month == 0 && m.day > 0 }

// in puts a date into the month of a day.
func (m match) in(day time.Time) match {
	m.year, m.month, _ = day.Date()
	m.Period = m.date()
	return m
}

// numbered returns the month of "10 месяц" and "2026-10". "1 месяц" is a length.
func (m match) numbered() Period {
	if m.n == 1 && m.year == 0 || m.n > 12 {
		return Period{}
	}
	m.month = time.Month(m.n)
	return m.date()
}

// ranged returns the period between two ends.
func (m match) ranged() Period {
	from, to := m.inner[0], m.inner[1]
	switch {
	case from.bare() && to.bare(): // of the month spoken of
		between := func(month time.Time) Period {
			first, last := from.in(month), to.in(month)
			return Period{From: first.From, To: last.To, Wrong: first.Wrong || last.Wrong || first.From.After(last.To)}
		}
		p := between(m.today)
		p.Beside = func(spoken Period) Period { return between(spoken.From) }
		return p
	case to.bare(): // "October 1 to 15"
		to = to.in(from.From)
	case from.bare():
		from = from.in(to.To)
	case from.month != 0 && from.year == 0: // "с декабря по февраль"
		year := to.To.Year()
		if from.month > to.To.Month() {
			year--
		}
		from = from.in(m.dayOf(year, from.month, 1))
	}
	return Period{From: from.From, To: to.To, Wrong: from.Wrong || to.Wrong || from.From.After(to.To), Ends: []Period{from.Period, to.Period}}
}

// open returns the period that begins with another one and goes on. That is the other one itself if it is not over.
func (m match) open() Period {
	from := m.only()
	if !from.Wrong && !from.To.Before(m.today) {
		return from
	}
	return Period{From: from.From, To: m.today, Wrong: from.Wrong, Open: true}
}

// begun returns a period of the year, or of the year before if the question names no year and the period has not begun.
func (m match) begun(p Period) Period {
	if m.year == 0 && p.From.After(m.today) {
		return p.Ago(Year)
	}
	return p
}

// quarter returns a quarter or a half by its number.
func (m match) quarter() Period {
	unit := cmp.Or(m.unit, Quarter)
	months := monthsOf[unit]
	if m.n*months > 12 {
		return Period{}
	}
	return m.begun(Back(unit, 0, m.dayOf(cmp.Or(m.year, m.today.Year()), time.Month(m.n*months), 1)))
}

func (m match) season() Period {
	from := m.dayOf(cmp.Or(m.year, m.today.Year()), time.Month(3*m.n), 1)
	return m.begun(Period{From: from, To: from.AddDate(0, 3, -1)})
}

// ofQuarters returns the first of two quarters that share the word: "I и II квартал".
func (m match) ofQuarters() Period {
	last := m.only()
	number := (int(last.From.Month())-1)/monthsOf[last.Unit] + 1
	return Back(last.Unit, number-m.n, last.From)
}

// sharing returns a month in the year of the next one: "December and January 2019".
func (m match) sharing() Period {
	next := m.only().From
	m.year = next.Year()
	if m.month > next.Month()+6 {
		m.year--
	}
	if m.month == next.Month() { // "ноябрь с ноябрём 2025"
		return Period{}
	}
	return m.date()
}

// sharedDay returns a day in the month of the next one.
func (m match) sharedDay() Period { return m.in(m.only().From).Period }

// partOf returns some days of a period: the first ones, as many after them, and so on, or the last.
func (m match) partOf() Period {
	part, whole := m.inner[0], m.inner[1]
	if part.Unit == Decade && m.n%3 == 0 { // the last one of a month may have 11 days
		return Period{From: whole.From.AddDate(0, 0, 20), To: whole.To, Wrong: whole.Unit != Month}
	}
	days := cmp.Or(part.n, 1) * daysOf[part.Unit]
	from := whole.From.AddDate(0, 0, days*(m.n-1))
	if m.n == 0 {
		from = whole.To.AddDate(0, 0, 1-days)
	}
	p := Period{From: from, To: from.AddDate(0, 0, days-1)}
	p.Wrong = from.Before(whole.From) || from.After(whole.To)
	return p
}

// half returns half of a year or a month.
func (m match) half(whole Period) Period {
	middle := whole.From.AddDate(0, 0, 15)
	switch {
	case whole.Unit == Year:
		return Back(Half, 2-m.n, whole.From.AddDate(0, 11, 0))
	case whole.Unit != Month:
		whole.Wrong = true
		return whole
	case m.n == 1:
		return Period{From: whole.From, To: middle.AddDate(0, 0, -1)}
	}
	return Period{From: middle, To: whole.From.AddDate(0, 1, -1)}
}

func (m match) halfOf() Period   { return m.half(m.only()) }
func (m match) ofHalves() Period { return m.half(m.inner[0].only()) }

// halfOfSpoken returns half of the month or the year spoken of.
func (m match) halfOfSpoken() Period {
	p := m.half(Back(Month, 0, m.today))
	p.Beside = m.half
	return p
}

// weekday returns the latest such day, or the one of a week that the question names.
func (m match) weekday() Period {
	monday := Back(Week, 0, m.today).From
	switch {
	case len(m.inner) > 0:
		monday = m.only().From
	case m.is(m.begin, "previous") && !m.is(m.begin, "recent"), !monday.AddDate(0, 0, m.n-1).Before(m.today):
		monday = monday.AddDate(0, 0, -7)
	}
	return Back(Day, 1-m.n, monday)
}

// weekdayBefore returns the day that leads to the next one of a list: "on Saturday, Sunday and Monday". Days far apart are no list.
func (m match) weekdayBefore() Period {
	next := m.only()
	if days := (int(next.From.Weekday()) - m.n + 7) % 7; next.Unit == Day && 0 < days && days < 4 {
		return Back(Day, days, next.From)
	}
	return Period{}
}

// unitsFrom returns as many units as a message says from a day on, "for the week from November 2", unless they only divide the time: "by
// week from November 2".
func (m match) unitsFrom() Period {
	from, before := m.only(), m.begin-1
	divides := m.is(before, "until") || m.is(before, "deadline") || m.is(before, "per") && !m.is(before, "inside")
	if divides || m.is(m.end, "until") || m.n == 0 && m.unit == Day {
		return Period{}
	}
	return Period{From: from.From, To: back(m.unit, -max(m.n, 1), from.From).AddDate(0, 0, -1), Wrong: from.Wrong}
}

func (m match) weekend() Period {
	if m.n = 6; m.is(m.begin, "previous") { // it is over
		m.n = 7
	}
	saturday := m.weekday().From.AddDate(0, 0, 6-m.n)
	return Period{From: saturday, To: saturday.AddDate(0, 0, 1)}
}
