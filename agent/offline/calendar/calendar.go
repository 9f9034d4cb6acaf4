// Package calendar reads days and periods in Russian and English words.
package calendar

import (
	"cmp"
	_ "embed"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// Unit is a length of calendar time.
type Unit string

// The units of periods.
const (
	Day     Unit = "day"
	Week    Unit = "week"
	Month   Unit = "month"
	Quarter Unit = "quarter"
	Half    Unit = "half"
	Year    Unit = "year"
)

var order = []Unit{Day, Week, Month, Quarter, Half, Year}

// Period is whole days, both ends included.
type Period struct {
	From, To time.Time
	Unit     Unit // the calendar unit that it is; empty for others
	Tokens   []int
	Wrong    bool                       // there are no such days
	Open     bool                       // it was said with "since": it goes on until today
	Beside   func(spoken Period) Period // what it is beside the period that was spoken of; nil: it is what it says
}

// Span is a length of time, such as "больше полугода".
type Span struct {
	Days   int
	Months int // of whole months; 0 where it is not counted in them
	Said   string
	Tokens []int
}

//go:embed calendar.yaml
var lexiconText []byte

type lexicon struct {
	Months, Weekdays, Ordinals []word
	Days                       word // days of which no unit is said: "те же числа"
	Units                      map[Unit]word
	Previous, This, Recent     word
	Next, Today, Yesterday     word
	Start, Since, Until        word
	Between, Vague             word
	Measuring, Article, Before word
	Seasons                    []word
	Per                        word
	Rates                      map[Unit]word
	BeforePrevious             word `yaml:"before_previous"`
	BeforeYesterday            word `yaml:"before_yesterday"`
	That                       word // what was spoken of: "before that"
	HalfOf                     word `yaml:"half_of"`
	Filler, Fortnight, Date    word
	OfMonth                    word `yaml:"of_month"`
	NumberedMonth              word `yaml:"numbered_month"` // the form of "month" behind the number of one: "за 10 месяц"
	NumberedYear               word `yaml:"numbered_year"`  // the form of "year" behind the last digits of one: "за 25 год"
	Roman                      []string
	ToDate                     map[Unit]word `yaml:"to_date"`
	Weekend, Ago, Same, Within word
	Current                    map[Unit]word // the forms of a unit that mean the present one: "итоги года"
}

type word struct{ words.Word }

// UnmarshalYAML reads a word of the lexicon.
func (w *word) UnmarshalYAML(node *yaml.Node) error {
	w.Word = words.ParseWord(node.Value)
	Vocabulary.Add(w.Word)
	return nil
}

// Vocabulary is the words of days and periods.
var Vocabulary = words.NewVocabulary()

var lex = func() (l lexicon) {
	if err := yaml.Unmarshal(lexiconText, &l); err != nil {
		panic(err)
	}
	return l
}()

// Relative reports whether a word says which period is meant: "last", "прошлый".
func Relative(t words.Token) bool { return t.IsWord() && (lex.Previous.Is(t) || lex.Recent.Is(t)) }

// Today is the day of a moment in a zone, at midnight.
func Today(now time.Time, zone *time.Location) time.Time {
	now = now.In(zone)
	return time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, zone)
}

// span of a unit that holds a day.
func containing(u Unit, day time.Time) (from, to time.Time) {
	y, m, d := day.Date()
	at := func(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, day.Location()) }
	switch u {
	case Week:
		from = at(y, m, d-(int(day.Weekday())+6)%7)
		return from, from.AddDate(0, 0, 6)
	case Month:
		from = at(y, m, 1)
		return from, from.AddDate(0, 1, -1)
	case Quarter:
		from = at(y, (m-1)/3*3+1, 1)
		return from, from.AddDate(0, 3, -1)
	case Half:
		from = at(y, (m-1)/6*6+1, 1)
		return from, from.AddDate(0, 6, -1)
	case Year:
		return at(y, 1, 1), at(y, 12, 31)
	}
	return at(y, m, d), at(y, m, d)
}

// Back is the same unit so many times before a day's own.
func Back(u Unit, n int, day time.Time) Period {
	from, _ := containing(u, day)
	switch u {
	case Day:
		from = from.AddDate(0, 0, -n)
	case Week:
		from = from.AddDate(0, 0, -7*n)
	case Month:
		from = from.AddDate(0, -n, 0)
	case Quarter:
		from = from.AddDate(0, -3*n, 0)
	case Half:
		from = from.AddDate(0, -6*n, 0)
	case Year:
		from = from.AddDate(-n, 0, 0)
	}
	from, to := containing(u, from)
	return Period{From: from, To: to, Unit: u}
}

// Before is the period of the same length just before.
func (p Period) Before() Period {
	if p.Unit != "" {
		return Back(p.Unit, 1, p.From)
	}
	days := int(p.To.Sub(p.From).Hours()/24) + 1
	return Period{From: p.From.AddDate(0, 0, -days), To: p.From.AddDate(0, 0, -1)}
}

// Ago is the same days one unit earlier.
func (p Period) Ago(u Unit) Period {
	whole := p.Unit != "" && p.Unit != Day && p.Unit != Week
	_, end := containing(p.Unit, p.From)
	whole = whole && p.To.Equal(end)
	years, months, days := 0, 0, 0
	switch u {
	case Day:
		days = 1
	case Week:
		days = 7
	case Year:
		years = 1
	default:
		months = monthsOf[u]
	}
	p.From, p.To, p.Beside = p.From.AddDate(-years, -months, -days), p.To.AddDate(-years, -months, -days), nil
	if whole {
		p.From, p.To = containing(p.Unit, p.From) // months have different lengths
	}
	return p
}

var monthsOf = map[Unit]int{Month: 1, Quarter: 3, Half: 6, Year: 12}

// earlier is the period before one, or its days a longer unit earlier: "the week before", "a year earlier".
func earlier(u Unit) func(Period) Period {
	return func(spoken Period) Period {
		if spoken.Unit == u || slices.Index(order, u) <= slices.Index(order, spoken.Unit) {
			return spoken.Before()
		}
		return spoken.Ago(u)
	}
}

// within is the days of the month of one period in another month.
func within(month time.Time) func(Period) Period {
	return func(spoken Period) Period {
		moved := func(day time.Time) time.Time { return month.AddDate(0, 0, day.Day()-1) }
		p := Period{From: moved(spoken.From), To: moved(spoken.To)}
		p.Wrong = p.From.Month() != month.Month() || p.To.Month() != month.Month() || p.From.After(p.To)
		return p
	}
}

func ago(u Unit) func(Period) Period { return func(spoken Period) Period { return spoken.Ago(u) } }

// reader goes through a question for what it says of time.
type reader struct {
	tokens []words.Token
	today  time.Time
	like   Unit // the unit that "за позапрошлую" leaves out
}

// Read lists the periods of a question in its order. Like is the unit of the period before, for questions that leave it out.
func Read(tokens []words.Token, today time.Time, like Unit) (periods []Period) {
	r := reader{tokens, today, like}
	for i := 0; i < len(tokens); i++ {
		p, length := r.at(i)
		if length == 0 {
			continue
		}
		for j := range length {
			p.Tokens = append(p.Tokens, i+j)
		}
		if p.To.After(today) && !p.From.After(today) && !p.Wrong {
			p.To = today
		}
		if r.like == "" {
			r.like = p.Unit
		}
		periods = append(periods, p)
		i += length - 1
	}
	return periods
}

func (r reader) is(i int, w word) bool { return i >= 0 && i < len(r.tokens) && w.Is(r.tokens[i]) }

func (r reader) whole(i int) (int, bool) {
	if i < 0 || i >= len(r.tokens) || r.tokens[i].Number == nil || r.tokens[i].Percent || !r.tokens[i].Number.IsInteger() {
		return 0, false
	}
	n := r.tokens[i].Number.IntPart()
	return int(n), n > 0 && n < 10000
}

func (r reader) year(i int) (int, bool) {
	n, ok := r.whole(i)
	return n, ok && n >= 2000 && n < 2100
}

func index(t words.Token, list []word) int {
	for i, w := range list {
		if w.Is(t) {
			return i + 1
		}
	}
	return 0
}

func (r reader) month(i int) time.Month {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	return time.Month(index(r.tokens[i], lex.Months))
}

// monthOf is the month that a text names; 0 where it names none.
func (r reader) monthOf(text string) time.Month {
	if t := words.Tokens(text); len(t) == 1 {
		return time.Month(index(t[0], lex.Months))
	}
	return 0
}

func (r reader) text(i int) string {
	if i < 0 || i >= len(r.tokens) {
		return ""
	}
	return r.tokens[i].Text
}

func (r reader) unit(i int) Unit {
	if i >= 0 && i < len(r.tokens) {
		for _, u := range order {
			if r.is(i, lex.Units[u]) {
				return u
			}
		}
	}
	return ""
}

// ordinal is a number as people count quarters and halves: "3", "третий", "3rd", "q3".
func (r reader) ordinal(i int) int {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	if n, ok := r.whole(i); ok && n <= 4 {
		return n
	}
	if n := slices.Index(lex.Roman, words.Folded(r.tokens[i].Text)); n >= 0 {
		return n + 1
	}
	if n := index(r.tokens[i], lex.Ordinals); n <= 4 {
		return n
	}
	return 0
}

// at reads a period that begins at a token, and tells how many tokens it takes.
func (r reader) at(i int) (Period, int) {
	for _, read := range []func(int) (Period, int){
		r.beside, r.bounds, r.days, r.single, r.numbered, r.named, r.week, r.counted, r.relative, r.toDate, r.vague, r.current,
	} {
		if p, length := read(i); length > 0 {
			return p, length
		}
	}
	return Period{}, 0
}

// bounds are two ends: "с 1 по 15 октября", "between September 15 and October 20", "с августа по октябрь", "since July".
func (r reader) bounds(i int) (Period, int) {
	opened := r.is(i, lex.Since) || r.is(i, lex.Between)
	at := i
	if opened {
		at++
	}
	if season, n := r.season(at); n > 0 {
		if r.is(i, lex.Since) {
			return Period{From: season.From, To: r.today, Open: true}, at + n - i
		}
		return season, at + n - i
	}
	if a, b, both := strings.Cut(r.text(at), "-"); both {
		from, to := r.monthOf(a), r.monthOf(b)
		if from != 0 && to != 0 {
			return r.between(end{month: from}, end{month: to}), at + 1 - i
		}
	}
	first, n := r.end(at)
	if n == 0 {
		if day, length := r.single(at); length > 0 && r.is(i, lex.Since) {
			return Period{From: day.From, To: r.today, Open: true}, at + length - i
		}
		return Period{}, 0
	}
	next := at + n
	joined := next < len(r.tokens) &&
		(r.is(next, lex.Until) && opened || strings.Trim(r.tokens[next].Text, "-–—") == "" || r.is(i, lex.Between))
	dated := !opened && n > 0 && first.month != 0 && first.day != 0 && r.is(next, lex.Until) // "October 1st to 31st"
	if joined || dated {
		second, m := r.end(next + 1)
		sizes := first.month == 0 && second.month == 0 && max(first.day, second.day) > 31 // "38-39"
		if m > 0 && !sizes && (!dated || second.day != 0) && (opened || first.day == 0 || second.day != 0) {
			return r.between(first, second), next + 1 + m - i
		}
	}
	if opened && r.is(i, lex.Since) && first.month != 0 {
		from := r.resolve(first)
		if last, m := r.single(next + 1); m > 0 && r.is(next, lex.Until) { // "с 1 октября по вчера"
			return Period{From: from.From, To: last.To, Wrong: from.Wrong || from.From.After(last.To)}, next + 1 + m - i
		}
		return Period{From: from.From, To: r.today, Wrong: from.Wrong, Open: true}, next - i
	}
	return Period{}, 0
}

// end is one end of bounds, as much of it as is said.
type end struct {
	day, year int
	month     time.Month
	here      bool // a day of the month without the month: "15 числа"
}

func (r reader) end(i int) (end, int) {
	if day, ok := r.written(i); ok {
		return end{day: day.Day(), year: day.Year(), month: day.Month()}, 1
	}
	e, n := end{}, 0
	d, ok := r.whole(i)
	if spelt := r.spelt(i); spelt > 0 {
		d, ok = spelt, true
	}
	if ok && d <= 99 {
		e.day, n = d, 1
		switch {
		case r.is(i+1, lex.OfMonth):
			e.here, n = true, 2
		case r.like == Day && strings.Trim(r.text(i), "0123456789") != "": // "and the 16th?"
			e.here = true
		}
	}
	if n == 0 && r.unit(i) == Month && r.text(i+1) == "of" && r.month(i+2) != 0 { // "month of October"
		n = 2
	}
	if m := r.month(i + n); m != 0 {
		e.month, n = m, n+1
		if r.unit(i+n) == Month { // "август месяц"
			n++
		}
		if d, ok := r.whole(i + n); ok && e.day == 0 && d <= 31 && r.unit(i+n+1) == "" {
			e.day, n = d, n+1
		}
		year, length := r.ofYear(i + n)
		e.year, n = year, n+length
	}
	return e, n
}

// spelt is the day of a month in a word: "первого октября"; 0 for other words.
func (r reader) spelt(i int) int {
	if i < len(r.tokens) && r.month(i+1) != 0 {
		return Ordinal(r.tokens[i])
	}
	return 0
}

// ofYear is the year that stands behind a month or a quarter, as "2025 года", ", 2025" and "of last year", and how many tokens it takes.
func (r reader) ofYear(i int) (year, length int) {
	at := i
	if at < len(r.tokens) && (r.tokens[at].Text == "," || r.tokens[at].Text == "of" || r.is(at, lex.Within)) {
		at++
	}
	if y, ok := r.year(at); ok {
		if r.unit(at+1) == Year {
			at++
		}
		return y, at + 1 - i
	}
	for back, w := range []word{lex.This, lex.Previous, lex.BeforePrevious} {
		if r.is(at, w) && r.unit(at+1) == Year {
			return r.today.Year() - back, at + 2 - i
		}
	}
	return 0, 0
}

func (r reader) between(a, b end) Period {
	if b.month == 0 && a.month != 0 {
		b.month, b.year = a.month, a.year // "October 1 to 15"
	}
	if a.month == 0 {
		a.month, a.year = b.month, b.year
	}
	if a.year == 0 {
		a.year = b.year
	}
	if b.month == 0 {
		m := r.today
		a.month, b.month, a.year, b.year = m.Month(), m.Month(), m.Year(), m.Year()
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
	if p.From.Day() == 1 && from.Unit == Month && from.From.Equal(to.From) {
		p.Unit = Month
	}
	return p
}

// resolve is the day or month that an end says; without a year the latest that has begun.
func (r reader) resolve(e end) Period {
	year := e.year
	if year == 0 {
		year = r.today.Year()
		if time.Date(year, e.month, max(1, e.day), 0, 0, 0, 0, r.today.Location()).After(r.today) {
			year--
		}
	}
	if e.day == 0 {
		from, to := containing(Month, time.Date(year, e.month, 1, 0, 0, 0, 0, r.today.Location()))
		return Period{From: from, To: to, Unit: Month}
	}
	day := time.Date(year, e.month, e.day, 0, 0, 0, 0, r.today.Location())
	return Period{From: day, To: day, Unit: Day, Wrong: day.Day() != e.day}
}

// written is a day in digits: "01.10.2026", "2026-10-01".
func (r reader) written(i int) (time.Time, bool) {
	if i >= len(r.tokens) {
		return time.Time{}, false
	}
	for _, layout := range []string{"2.1.2006", "2006-1-2", "2.1.06", "2.01"} {
		day, err := time.ParseInLocation(layout, r.tokens[i].Text, r.today.Location())
		if err != nil {
			continue
		}
		if layout == "2.01" {
			return r.resolve(end{day: day.Day(), month: day.Month()}).From, true
		}
		return day, true
	}
	return time.Time{}, false
}

// days is one day: "15 октября", "September 15".
func (r reader) days(i int) (Period, int) {
	e, n := r.end(i)
	if n > 0 && e.here && e.month == 0 { // the latest such day
		if e.month = r.today.Month(); e.day > r.today.Day() {
			e.month = Back(Month, 1, r.today).From.Month()
		}
	}
	if n == 0 || e.month == 0 {
		return Period{}, 0
	}
	return r.resolve(e), n
}

func (r reader) single(i int) (Period, int) {
	if i >= len(r.tokens) {
		return Period{}, 0
	}
	switch {
	case r.is(i, lex.Today):
		return Back(Day, 0, r.today), r.withDay(i)
	case r.is(i, lex.Yesterday):
		return Back(Day, 1, r.today), r.withDay(i)
	case r.is(i, lex.BeforeYesterday):
		return Back(Day, 2, r.today), 1
	case r.is(i, lex.Weekend), (r.is(i, lex.Previous) || r.is(i, lex.This) || r.is(i, lex.Recent)) && r.is(i+1, lex.Weekend):
		saturday := Back(Day, (int(r.today.Weekday())+1)%7, r.today)
		length := 1
		if !r.is(i, lex.Weekend) {
			length = 2
		}
		return Period{From: saturday.From, To: saturday.From.AddDate(0, 0, 1)}, length
	case r.unit(i) != "" && r.is(i+1, lex.Until) && r.is(i+2, lex.Date): // "year to date"
		return Period{From: Back(r.unit(i), 0, r.today).From, To: r.today, Unit: r.unit(i)}, 3
	}
	for unit, w := range lex.ToDate {
		if r.is(i, w) {
			return Period{From: Back(unit, 0, r.today).From, To: r.today, Unit: unit}, 1
		}
	}
	if r.is(i, lex.Previous) || r.is(i, lex.This) || r.is(i, lex.Recent) {
		if i+1 < len(r.tokens) && index(r.tokens[i+1], lex.Weekdays) > 0 {
			day, _ := r.single(i + 1)
			return day, 2
		}
	}
	if n := index(r.tokens[i], lex.Weekdays); n > 0 {
		back := (int(r.today.Weekday()) + 6 - (n - 1)) % 7
		if back == 0 || r.is(i-1, lex.Previous) && back < (int(r.today.Weekday())+6)%7+1 {
			back += 7
		}
		return Back(Day, back, r.today), 1
	}
	return Period{}, 0
}

// withDay is how many tokens a word such as "вчерашний" takes with the "день" behind it.
func (r reader) withDay(i int) int {
	if r.unit(i+1) == Day {
		return 2
	}
	return 1
}

// current is the present unit, where nothing but its form says so: "итоги года", "выручка месяца".
func (r reader) current(i int) (Period, int) {
	for unit, w := range lex.Current {
		if _, counted := r.whole(i - 1); r.is(i, w) && !counted && !r.measured(i) {
			return Back(unit, 0, r.today), 1
		}
	}
	return Period{}, 0
}

// beside is a period that is told by the one that was spoken of: "a year ago", "same period last year", "the week before", "те же дни
// октября", "за тот же месяц".
func (r reader) beside(i int) (Period, int) {
	if !r.is(i, lex.Same) {
		return r.before(i, earlier)
	}
	at := i + 1
	for r.is(at, lex.Filler) {
		at++
	}
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
		return Period{From: r.today, To: r.today, Wrong: true, Beside: ago(ofPrevious)}, next + 2 - i
	case days && month != 0:
		p := r.resolve(end{month: month})
		p.Beside = within(p.From)
		return p, next + 1 - i
	}
	if p, length := r.before(next, ago); length > 0 {
		return p, next + length - i
	}
	if at > i+1 && own != Day && (days || own != "") { // "за тот же месяц"
		p := Back(cmp.Or(own, Month), 0, r.today)
		p.Beside = func(spoken Period) Period { return spoken }
		return p, at - i
	}
	return Period{}, 0
}

// before is "a year ago", "неделей раньше", "the month before", "3 months ago".
func (r reader) before(i int, beside func(Unit) func(Period) Period) (Period, int) {
	at := i
	for r.is(at, lex.Article) || r.is(at, lex.Measuring) {
		at++
	}
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
	}
	if n, ok := r.whole(at); ok && r.unit(at+1) != "" && r.is(at+2, lex.Ago) {
		return Back(r.unit(at+1), n, r.today), at + 3 - i
	}
	return Period{}, 0
}

// numbered is a month or a year in digits: "10.2026", "2026-10", "10 месяц", "25 год".
func (r reader) numbered(i int) (Period, int) {
	month := func(year, n, length int) (Period, int) {
		return r.resolve(end{month: time.Month(n), year: year}), length
	}
	if at, err := time.Parse("1.2006", r.text(i)); err == nil {
		return month(at.Year(), int(at.Month()), 1)
	}
	if year, ok := r.year(i); ok && r.text(i+1) == "-" && r.text(i+3) != "-" {
		if n, ok := r.whole(i + 2); ok && n <= 12 && len(r.text(i+2)) == 2 {
			return month(year, n, 3)
		}
	}
	n, ok := r.whole(i)
	switch {
	case ok && n > 1 && n <= 12 && r.is(i+1, lex.NumberedMonth):
		return month(0, n, 2)
	case ok && n > 19 && n < 40 && r.is(i+1, lex.NumberedYear):
		from, to := containing(Year, time.Date(2000+n, 1, 1, 0, 0, 0, 0, r.today.Location()))
		return Period{From: from, To: to, Unit: Year}, 2
	}
	return Period{}, 0
}

// week is one of a month: "первая неделя ноября", "last week of October".
func (r reader) week(i int) (Period, int) {
	n, at := r.ordinal(i), i+2
	ending := r.is(i, lex.Recent)
	if n == 0 && !ending || r.unit(i+1) != Week {
		return Period{}, 0
	}
	if r.text(at) == "of" {
		at++
	}
	if r.month(at) == 0 {
		return Period{}, 0
	}
	month := r.resolve(end{month: r.month(at)})
	if ending {
		return Period{From: month.To.AddDate(0, 0, -6), To: month.To}, at + 1 - i
	}
	from := month.From.AddDate(0, 0, 7*(n-1))
	return Period{From: from, To: from.AddDate(0, 0, 6)}, at + 1 - i
}

// named is a unit by its number: "3 квартал 2025", "q3", "первое полугодие", "2025 год".
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
	low := words.Folded(r.tokens[i].Text)
	switch {
	case len(low) == 2 && (low[0] == 'q' || low[0] == 'h') && low[1] >= '1' && low[1] <= '4':
		n, unit, length = int(low[1]-'0'), map[byte]Unit{'q': Quarter, 'h': Half}[low[0]], 1
	case r.ordinal(i) > 0 && (r.unit(i+1) == Quarter || r.unit(i+1) == Half):
		n, unit = r.ordinal(i), r.unit(i+1)
	case r.ordinal(i) > 0 && i+2 < len(r.tokens) && r.tokens[i+1].Text == "-" && r.unit(i+2) == Quarter:
		n, unit, length = r.ordinal(i), Quarter, 3
	case r.unit(i) == Quarter && r.ordinal(i+1) > 0:
		n, unit = r.ordinal(i+1), Quarter
	case (r.like == Quarter || r.like == Half) && r.tokens[i].IsWord() && r.tokens[i].Number == nil && r.ordinal(i) > 0:
		n, unit, length = r.ordinal(i), r.like, 1
	case r.ordinal(i) > 0 && r.is(i+1, lex.HalfOf):
		return r.halfOf(i)
	}
	if n == 0 || unit == Half && n > 2 {
		return Period{}, 0
	}
	year, months := r.today.Year(), map[Unit]int{Quarter: 3, Half: 6}[unit]
	if y, more := r.ofYear(i + length); more > 0 {
		year, length = y, length+more
	} else if (n-1)*months >= int(r.today.Month()) {
		year--
	}
	from, to := containing(unit, time.Date(year, time.Month((n-1)*months+1), 1, 0, 0, 0, 0, r.today.Location()))
	return Period{From: from, To: to, Unit: unit}, length
}

// halfOf is "первая половина октября", "second half of the year" without "of the".
func (r reader) halfOf(i int) (Period, int) {
	n, at := r.ordinal(i), i+2
	for at < len(r.tokens) && at < i+4 && r.month(at) == 0 && r.unit(at) != Year {
		at++
	}
	half := func(month Period) Period {
		middle := month.From.AddDate(0, 0, 14)
		if n == 1 {
			return Period{From: month.From, To: middle}
		}
		_, to := containing(Month, month.From)
		return Period{From: middle.AddDate(0, 0, 1), To: to}
	}
	if n > 2 {
		return Period{}, 0
	}
	if at == len(r.tokens) || r.month(at) == 0 && r.unit(at) != Year { // of the month that was spoken of
		p := half(Back(Month, 0, r.today))
		p.Beside = func(spoken Period) Period { return half(Back(Month, 0, spoken.From)) }
		return p, 2
	}
	length := at + 1 - i
	if r.unit(at) == Year {
		from := time.Date(r.today.Year(), time.Month(6*(n-1)+1), 1, 0, 0, 0, 0, r.today.Location())
		from, to := containing(Half, from)
		return Period{From: from, To: to, Unit: Half}, length
	}
	return half(r.resolve(end{month: r.month(at)})), length
}

// counted is "последние 45 дней", "за 3 месяца", "last two weeks", "за неделю".
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
	} else if !recent {
		return Period{}, 0
	} else if r.unit(at) == "" || r.is(i, lex.Previous) {
		return Period{}, 0
	} else {
		n = 1
	}
	unit := r.unit(at)
	if unit == "" {
		return Period{}, 0
	}
	return r.ago(unit, n), at + 1 - i
}

// ago is so many units that end today.
func (r reader) ago(unit Unit, n int) Period {
	from := r.today
	switch unit {
	case Day:
		from = from.AddDate(0, 0, 1-n)
	case Week:
		from = from.AddDate(0, 0, 1-7*n)
	default:
		from = from.AddDate(0, -n*monthsOf[unit], 1)
	}
	return Period{From: from, To: r.today}
}

// relative is "прошлый месяц", "this week", "позапрошлую" (неделю).
func (r reader) relative(i int) (Period, int) {
	back := -1
	switch {
	case r.is(i, lex.BeforePrevious):
		back = 2
	case r.is(i, lex.Previous):
		back = 1
	case r.is(i, lex.This):
		back = 0
	case r.is(i, lex.Next) && r.unit(i+1) != "":
		return Back(r.unit(i+1), -1, r.today), 2
	case r.unit(i) != "" && r.is(i+1, lex.Before) && r.is(i+2, lex.Previous): // "the month before last"
		return Back(r.unit(i), 2, r.today), 3
	}
	if back < 0 {
		return Period{}, 0
	}
	if season, n := r.season(i + 1); n > 0 {
		return season, 2
	}
	next := i + 1
	if r.is(next, lex.Filler) {
		next++
	}
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

// vague is "в конце октября": there is no telling which days of it are meant.
func (r reader) vague(i int) (Period, int) {
	if !r.is(i, lex.Vague) && !r.is(i, lex.Start) {
		return Period{}, 0
	}
	at := i + 1
	for at < len(r.tokens) && at-i < 3 && len(r.tokens[at].Text) <= 3 && r.month(at) == 0 && r.unit(at) == "" {
		at++
	}
	p := Period{}
	switch {
	case r.month(at) != 0:
		p = r.resolve(end{month: r.month(at)})
	case r.unit(at) != "":
		p = Back(r.unit(at), 0, r.today)
	default:
		return Period{}, 0
	}
	p.Wrong = true
	return p, at + 1 - i
}

// season is the latest one that has begun.
func (r reader) season(i int) (Period, int) {
	if i < 0 || i >= len(r.tokens) {
		return Period{}, 0
	}
	n := index(r.tokens[i], lex.Seasons)
	if n == 0 || i > 0 && !r.tokens[i-1].Mark && r.tokens[i].Cyrillic() && r.tokens[i].Capital() { // "кафе Весна"
		return Period{}, 0
	}
	from := time.Date(r.today.Year(), time.Month(3*n), 1, 0, 0, 0, 0, r.today.Location())
	if from.After(r.today) {
		from = from.AddDate(-1, 0, 0)
	}
	return Period{From: from, To: from.AddDate(0, 3, -1)}, 1
}

// toDate is "с начала года", "since the start of the month".
func (r reader) toDate(i int) (Period, int) {
	if !r.is(i, lex.Since) {
		return Period{}, 0
	}
	at := i + 1
	for at < len(r.tokens) && len(r.tokens[at].Text) <= 3 && !r.is(at, lex.Start) && r.unit(at) == "" {
		at++
	}
	if !r.is(at, lex.Start) {
		return Period{}, 0
	}
	at++
	for at < len(r.tokens) && (r.is(at, lex.This) || len(r.tokens[at].Text) <= 3) && r.unit(at) == "" && r.month(at) == 0 {
		at++
	}
	if m := r.month(at); m != 0 {
		return Period{From: r.resolve(end{month: m}).From, To: r.today, Open: true}, at + 1 - i
	}
	if unit := r.unit(at); unit != "" {
		return Period{From: Back(unit, 0, r.today).From, To: r.today, Unit: unit}, at + 1 - i
	}
	return Period{}, 0
}

// Rate is the unit by which a question asks for an average, and its words: "в день", "per month", "ежедневно".
func Rate(tokens []words.Token) (Unit, []int) {
	r := reader{tokens: tokens}
	for i := range tokens {
		for unit, w := range lex.Rates {
			if r.is(i, w) {
				return unit, []int{i}
			}
		}
		if unit := r.unit(i); unit != "" && r.is(i-1, lex.Per) {
			return unit, []int{i - 1, i}
		}
	}
	return "", nil
}

// Length is how many units a period has; of months and years, a part counts by its days.
func (p Period) Length(u Unit) (n, of int) {
	days := int(p.To.Sub(p.From).Hours()/24) + 1
	months := monthsOf[u]
	switch {
	case u == Day || u == "":
		return days, 1
	case u == Week:
		return days, 7
	case p.From.Day() == 1 && p.To.AddDate(0, 0, 1).Day() == 1:
		return 12*(p.To.Year()-p.From.Year()) + int(p.To.Month()-p.From.Month()) + 1, months
	}
	return days * 12, 365 * months
}

// Spans lists lengths of time: "180 дней", "полгода", "год", "по 12 месяцам".
func Spans(tokens []words.Token) (spans []Span) {
	r := reader{tokens: tokens}
	for i := range tokens {
		n, at := 1, i
		if m, ok := r.whole(i); ok {
			n, at = m, i+1
		} else if !r.measured(i) {
			continue
		}
		low := words.Folded(tokens[min(at, len(tokens)-1)].Text)
		unit, length := r.unit(at), at+1-i
		if strings.HasPrefix(low, "полгод") {
			unit = Half
		}
		if r.is(at, lex.HalfOf) && (r.unit(at+1) == Year || r.unit(at+2) == Year) {
			unit, length = Half, at+3-i
			if r.unit(at+1) == Year {
				length--
			}
		}
		if unit == "" || length == 1 && len(spans) > 0 && last(spans).Tokens[len(last(spans).Tokens)-1] >= i {
			continue
		}
		s := Span{Days: n * map[Unit]int{Day: 1, Week: 7, Month: 30, Quarter: 90, Half: 180, Year: 365}[unit]}
		if unit != Day && unit != Week {
			s.Months = n * monthsOf[unit]
		}
		for j := range length {
			s.Tokens = append(s.Tokens, i+j)
		}
		spans = append(spans, s)
	}
	return spans
}

// measured reports whether a unit without a number is a length: "больше года", "за месяц", but not "в месяц", "сколько дней".
func (r reader) measured(i int) bool {
	if strings.HasPrefix(words.Folded(r.tokens[i].Text), "полгод") {
		return true
	}
	at := i - 1
	for r.is(at, lex.Article) {
		at--
	}
	return r.is(at, lex.Measuring) || at < i-1 && r.is(at, lex.Within)
}

func last(spans []Span) Span { return spans[len(spans)-1] }

// Ordinal is the number that a word such as "второй" says; 0 for other words.
func Ordinal(t words.Token) int { return index(t, lex.Ordinals) }
