// Package evidence decides whether digits that a model wrote by itself are backed: by the user's words or by a
// report.
package evidence

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/markup"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/tools"
)

// Limits, in bytes, of the texts that are searched for numbers, newest first. Without limits, a message of megabytes
// would slow down every later answer.
const (
	mostSaid  = 1 << 20
	mostGiven = 256 << 10
)

// Sources has the texts and reports that can back digits.
type Sources struct {
	Book  *reference.Book
	Now   time.Time
	Said  []string        // the user's own words in this conversation
	Given []string        // results of the client's own tools; their figures and names count like those of reports
	Names []string        // other names that may appear: of accounts, and candidates of an ambiguous argument
	Cited func() []string // names from the account that a rule-based model will write, requested at the first figure; may be nil
}

// New returns the backing from sources.
func New(s Sources) *Backing { return &Backing{Sources: s} }

// Backing decides whether digits of the model's own are backed. It reads each source when a figure first needs it.
type Backing struct {
	Sources

	said     *spoken
	given    *spoken
	names    *nameIndex
	dates    *calendar
	reported int // number of reports whose names and dates have been read
}

// spoken has the numbers in texts that people wrote.
type spoken struct {
	raw    map[string]bool // texts already read, so that repetitions cost little
	exact  map[string][]unit
	dates  map[literal.Date]bool
	sorted []decimal.Decimal // for rounding; nil if only exact numbers match
}

// unit is the unit next to a number; empty if there is none.
type unit struct {
	kind     tools.FieldKind
	currency string
}

// fits reports whether two units can belong to the same number: roubles do not fit kilograms or euros. A missing unit
// fits every unit.
func (u unit) fits(other unit) bool {
	open := u.currency == "" || other.currency == ""
	return u.kind == "" || other.kind == "" || u.kind == other.kind && (open || u.currency == other.currency)
}

// Verdict is the decision about a figure.
type Verdict int

const (
	Passes Verdict = iota // a small number, a date of a report or of the user, part of a name or a note, or the length of a report's period
	Said                  // a number that the user wrote, and that is not a single value of a report
	Fails
	IsValue // the value of one row, or of whole reports
	OfRows  // values of several rows, and of no whole report
)

// Judge decides whether a figure may be written as it is, and returns the values of reports that it equals. zone is
// the part of the model's text that has the figure. words returns the words of zone and those around it.
func (e *Backing) Judge(zone string, f literal.Figure, words func() []plain.Word) (Verdict, []reference.Value) {
	literal := f.Literal(zone)
	switch {
	case f.IsSmall(zone) && f.Date.None(), !f.Date.None() && (f.Bare() || f.Date.Sure) && e.calendar().has(f.Date):
		return Passes, nil
	case e.nameIndex().has(f, words()), hasSize(e.nameIndex().sizes, f, zone, words()):
		return Passes, nil
	case !f.Opaque && e.isSaid(literal):
		if found := e.Explaining(literal); literal.IsPrecise() && len(found) > 0 && oneRow(found) { // so that the answer says what it is
			return IsValue, found
		}
		return Said, nil
	}
	if f.Opaque || f.Date.Sure || f.Place {
		return Fails, nil
	}
	found := e.Book.Find(literal)
	whole := slices.DeleteFunc(slices.Clone(found), func(v reference.Value) bool { return v.Origins[0].RowName != "" })
	switch {
	case len(found) > 1 && areSettings(found): // which of them is meant is unknown
		return Passes, nil
	case len(whole) > 0: // checked before notes, because they repeat totals
		return IsValue, whole
	case e.givenNumbers().rounds(literal), literal.Unit == tools.KindDays && e.isLength(literal):
		return Passes, nil
	case len(found) == 0:
		return Fails, nil
	case literal.IsZero():
		return Passes, nil
	case oneRow(found):
		return IsValue, found
	}
	return OfRows, found
}

// Explaining returns the values that can explain a number of the user: not those of reports and drafts that were made with it, no counts
// of a report's rows, if there are others or the rows are those of a kind, and no 0 of a row.
func (e *Backing) Explaining(number literal.Literal) []reference.Value {
	found := slices.DeleteFunc(e.Book.Find(number), func(v reference.Value) bool {
		origin := v.Origins[0]
		report, there := e.Book.Report(origin.Report)
		zeroOfRow := number.IsZero() && origin.RowName != ""
		return there && report.IsMadeWith(number) || zeroOfRow || strings.HasSuffix(origin.Field, ".rows")
	})
	if len(found) > 1 {
		found = slices.DeleteFunc(found, func(v reference.Value) bool { return v.Origins[0].Field == "total_rows" })
	}
	return found
}

// HasNumber reports whether a bare number in JSON is the user's, a client's tool's or a report's.
func (e *Backing) HasNumber(number decimal.Decimal) bool {
	literal := exactly(number)
	return e.isSaid(literal) || e.givenNumbers().rounds(literal) || len(e.Book.Find(literal)) > 0
}

// KnowsLength reports whether a bare number in JSON is a length of time in days.
func (e *Backing) KnowsLength(number decimal.Decimal) bool { return e.isLength(exactly(number)) }

// AllowsNumber reports whether an expression may use a number of its own to compute the value in. In a value that comes from
// a report, these are the numbers that are not invented, lengths of time, and quotients of small numbers. In other values, one
// number must be the user's, and lengths of time, factors between units and small numbers are allowed beside it.
func (e *Backing) AllowsNumber(number decimal.Decimal, in reference.Value) bool {
	switch {
	case e.follows(number):
		return true
	case len(in.Origins) == 0:
		return slices.ContainsFunc(in.Own, e.follows) && (reference.IsFactor(number) || isSmall(number))
	}
	const longest = 366 // days, in a value of time or of units
	isTime := !reference.KeepsUnit(in.Kind) && number.IsInteger() && number.LessThanOrEqual(decimal.NewFromInt(longest))
	return isTime || isSimple(number) || !e.Invented(number)
}

// Invented reports whether a number of an expression comes neither from the user nor from a report, and is no small
// number, length of time or factor between units.
func (e *Backing) Invented(number decimal.Decimal) bool {
	literal := exactly(number)
	return !e.follows(number) && !reference.IsFactor(number) && !isSmall(number) && !e.hasSetting(literal) &&
		!e.givenNumbers().rounds(literal)
}

// KindOf returns the kind and the currency in which the user wrote a number; empty if there is none, or not one.
func (e *Backing) KindOf(number decimal.Decimal) (kind reference.Kind, currency string) {
	for _, u := range e.saidNumbers().exact[number.String()] {
		switch {
		case kind != "" && u.kind != "" && u != (unit{kind, currency}):
			return "", ""
		case u.kind != "":
			kind, currency = u.kind, u.currency
		}
	}
	return kind, currency
}

// RowsAsked returns how many rows of a list the user's last text asks for; 0 if it does not say.
func (e *Backing) RowsAsked() int {
	if len(e.Said) == 0 {
		return 0
	}
	const most = 4 << 10 // bytes
	text := e.Said[len(e.Said)-1]
	return literal.RowsAsked(plain.Text(render.Visible(text[max(0, len(text)-most):])))
}

// follows reports whether a number is the user's or a length of time, or follows from the user's percentages.
func (e *Backing) follows(number decimal.Decimal) bool {
	literal := exactly(number)
	return e.isSaid(literal) || e.isLength(literal) || e.saidPercent(number) || e.saidPercent(number.Shift(2))
}

const mostSimple = 12

func isSmall(number decimal.Decimal) bool {
	return number.IsInteger() && number.Abs().LessThanOrEqual(decimal.NewFromInt(mostSimple))
}

// exactly returns a number of an expression in the form in which reports are searched for it.
func exactly(n decimal.Decimal) literal.Literal {
	return literal.Literal{Readings: []literal.Reading{{Value: n.Abs(), Step: decimal.New(1, n.Exponent())}}}
}

// isSimple reports whether a number is a quotient of two whole numbers up to 12: 0.9 and 1.5, which are also 90 % and
// 150 %.
func isSimple(number decimal.Decimal) bool {
	for divisor := int64(1); divisor <= mostSimple; divisor++ {
		if isSmall(number.Mul(decimal.NewFromInt(divisor))) {
			return true
		}
	}
	return false
}

// saidPercent reports whether a percentage follows from those that the user wrote: 85 and 115 from 15 %, and 25 from 40 % and 35 %, which
// leave it.
func (e *Backing) saidPercent(number decimal.Decimal) bool {
	const most = 6
	var sums, bare []decimal.Decimal
	for text, units := range e.saidNumbers().exact {
		n := decimal.RequireFromString(text)
		switch isPercent := slices.Contains(units, unit{tools.KindPercent, ""}); {
		case isPercent && len(sums) < 1<<most:
			for _, sum := range sums {
				sums = append(sums, sum.Add(n))
			}
			sums = append(sums, n)
		case slices.Contains(units, unit{}): // "and at 22?"
			bare = append(bare, n)
		}
	}
	sums = append(sums, bare...)
	rest := decimal.NewFromInt(100).Sub(number).Abs()
	return number.IsPositive() && slices.ContainsFunc(sums, func(sum decimal.Decimal) bool { return sum.Equal(number) || sum.Equal(rest) })
}

// oneRow reports whether all values belong to the same row, or all to the same report outside its rows.
func oneRow(found []reference.Value) bool {
	one := found[0].Origins[0]
	return !slices.ContainsFunc(found, func(v reference.Value) bool {
		o := v.Origins[0]
		return o.RowName != one.RowName || o.RowDistinction != one.RowDistinction || one.RowName == "" && o.Report != one.Report
	})
}

// hasSetting reports whether a number is a setting of a report.
func (e *Backing) hasSetting(l literal.Literal) bool {
	return slices.ContainsFunc(e.Book.Find(l), isSetting)
}

// isSetting reports whether a value is a setting of its report, such as its window of 90 days.
func isSetting(v reference.Value) bool {
	from := v.Origins[0]
	return from.Row == 0 && !strings.Contains(from.Field, ".") && (v.Kind == tools.KindDays || v.Kind == tools.KindMonths)
}

func areSettings(found []reference.Value) bool {
	other := func(v reference.Value) bool { return !isSetting(v) }
	return !slices.ContainsFunc(found, other)
}

// isLength reports whether a number is the length of a report's period or of all of them together in days, or the days until a day
// that the user wrote or until the end of the month, quarter or year, perhaps with today.
func (e *Backing) isLength(l literal.Literal) bool {
	periods := slices.Concat(e.calendar().periods, e.calendar().whole())
	for _, end := range e.ends() {
		periods = append(periods, [2]time.Time{e.Now, end}, [2]time.Time{e.Now, end.AddDate(0, 0, -1)})
	}
	return slices.ContainsFunc(periods, func(p [2]time.Time) bool {
		days := decimal.NewFromInt(int64(tools.Noon(p[1]).Sub(tools.Noon(p[0]))/(24*time.Hour)) + 1)
		return slices.ContainsFunc(l.Readings, func(r literal.Reading) bool { return r.Value.Equal(days) })
	})
}

// ends returns the last days of the current month, quarter and year, and the coming days that the user wrote.
func (e *Backing) ends() (ends []time.Time) {
	year, month, _ := e.Now.In(tools.Moscow).Date()
	for _, next := range []time.Month{month + 1, (month-1)/3*3 + 4, 13} {
		ends = append(ends, time.Date(year, next, 0, 0, 0, 0, 0, tools.Moscow))
	}
	for said := range e.saidNumbers().dates {
		at := time.Date(max(said.Year, year), time.Month(said.Month), said.Day, 0, 0, 0, 0, tools.Moscow)
		if said.Month > 0 && said.Day > 0 && at.After(e.Now) {
			ends = append(ends, at)
		}
	}
	return ends
}

// starts returns the first days of the current month, quarter and year.
func (e *Backing) starts() (starts []time.Time) {
	year, month, _ := e.Now.In(tools.Moscow).Date()
	for _, first := range []time.Month{month, (month-1)/3*3 + 1, time.January} {
		starts = append(starts, time.Date(year, first, 1, 0, 0, 0, 0, tools.Moscow))
	}
	return starts
}

// isSaid reports whether the user wrote a number, or its thousands: 95,000 as the 95 of "from 88 thousand to 95", or the
// other way round, or what is left of its percentage: 55 % of 45 %.
func (e *Backing) isSaid(l literal.Literal) bool {
	if e.saidNumbers().has(l) {
		return true
	}
	return slices.ContainsFunc(l.Readings, func(r literal.Reading) bool {
		said := func(n decimal.Decimal) bool {
			return n.IsPositive() && n.IsInteger() && len(e.saidNumbers().exact[n.String()]) > 0
		}
		return said(r.Value.Shift(-3)) || l.Unit == "" && said(r.Value.Shift(3)) || l.Unit == tools.KindPercent && e.saidPercent(r.Value)
	})
}

func (e *Backing) saidNumbers() *spoken {
	if e.said == nil {
		e.said = newSpoken()
		e.said.read(e.Said, mostSaid)
	}
	return e.said
}

func (e *Backing) givenNumbers() *spoken {
	if e.given == nil {
		e.given = newSpoken()
		e.given.read(e.Given, mostGiven)
		for _, r := range e.Book.Reports() {
			e.given.percentages(tools.Description(r.Tool)) // thresholds, such as those of ABC classes
			for _, note := range r.Result.Notes {
				e.given.read([]string{note.Text}, mostGiven)
			}
		}
		e.given.sort()
	}
	return e.given
}

func newSpoken() *spoken {
	return &spoken{raw: map[string]bool{}, exact: map[string][]unit{}, dates: map[literal.Date]bool{}}
}

// read adds the numbers and dates of the newest texts, within a limit in bytes.
func (s *spoken) read(texts []string, most int) {
	for _, text := range slices.Backward(texts) {
		text = render.Visible(text[max(0, len(text)-most):])
		folded := plain.Text(text)
		s.parts(folded)
		for f := range literal.Figures(folded) {
			if !f.Date.None() {
				s.dates[f.Date] = true
			}
			if raw := folded[f.From:f.End]; f.Scaled() || !s.raw[raw] {
				s.raw[raw] = true
				l := f.Literal(folded)
				for _, r := range l.Readings {
					s.add(r.Value.String(), unit{l.Unit, l.Currency})
					if f.IsWeeks(folded) {
						const week = 7 // days
						s.add(r.Value.Mul(decimal.NewFromInt(week)).String(), unit{tools.KindDays, ""})
					}
				}
			}
		}
		if most -= len(text); most <= 0 {
			return
		}
	}
}

// parts adds the parts that a plain text names as percentages: "half of it" is 50 %, "a quarter less" leaves 75 %.
func (s *spoken) parts(text string) {
	for _, word := range plain.WordTexts(text) {
		if part, is := literal.PartForms[word]; is {
			s.add(part.Shift(2).String(), unit{tools.KindPercent, ""})
		}
	}
}

// percentages adds only the percentages of a text.
func (s *spoken) percentages(text string) {
	text = plain.Text(text)
	for f := range literal.Figures(text) {
		if l := f.Literal(text); l.Unit == tools.KindPercent && len(l.Readings) == 1 {
			s.add(l.Readings[0].Value.String(), unit{l.Unit, ""})
		}
	}
}

func (s *spoken) add(number string, u unit) {
	if !slices.Contains(s.exact[number], u) {
		s.exact[number] = append(s.exact[number], u)
	}
}

func (s *spoken) has(l literal.Literal) bool {
	return slices.ContainsFunc(l.Readings, func(r literal.Reading) bool { return s.fits(r.Value, l) })
}

// fits reports whether a number was written with a unit that the literal can have.
func (s *spoken) fits(number decimal.Decimal, l literal.Literal) bool {
	return slices.ContainsFunc(s.exact[number.String()], unit{l.Unit, l.Currency}.fits)
}

func (s *spoken) sort() {
	for text := range s.exact {
		s.sorted = append(s.sorted, decimal.RequireFromString(text))
	}
	slices.SortFunc(s.sorted, decimal.Decimal.Cmp)
}

// rounds reports whether one of the numbers, rounded like the literal, equals it.
func (s *spoken) rounds(l literal.Literal) bool {
	for _, r := range l.Readings {
		least := r.Value.Sub(r.Step)
		at, _ := slices.BinarySearchFunc(s.sorted, least, decimal.Decimal.Cmp)
		for ; at < len(s.sorted) && s.sorted[at].LessThanOrEqual(r.Value.Add(r.Step)); at++ {
			if r.Equals(s.sorted[at]) && s.fits(s.sorted[at], l) {
				return true
			}
		}
	}
	return false
}

func (e *Backing) calendar() *calendar {
	e.readReports()
	return e.dates
}

func (e *Backing) nameIndex() *nameIndex {
	e.readReports()
	return e.names
}

// readReports adds the names and days of new reports.
func (e *Backing) readReports() {
	if e.dates == nil {
		e.dates, e.names = &calendar{known: map[literal.Date]bool{}}, newNameIndex()
		if !e.Now.IsZero() {
			e.dates.moment(e.Now)
			for _, day := range append(e.starts(), e.ends()...) {
				e.dates.day(day)
			}
		}
		for _, name := range e.Names {
			e.names.add(name)
		}
		if e.Cited != nil {
			for _, name := range e.Cited() {
				e.names.add(name)
			}
		}
		for _, text := range e.Given {
			e.givenNames(text)
		}
		for said := range e.saidNumbers().dates {
			e.dates.date(said)
		}
	}
	reports := e.Book.Reports()
	for _, r := range reports[min(e.reported, len(reports)):] {
		e.dates.moment(r.Result.AsOf)
		r.Each(e.value)
		if from, to, known := r.Period(); known {
			e.dates.periods = append(e.dates.periods, [2]time.Time{from, to})
		}
	}
	e.reported = len(reports)
}

// value adds a text or a day of a report to the names and dates.
func (e *Backing) value(v reference.Value) {
	if at, known := v.Time(); known {
		e.dates.moment(at)
	}
	e.text(v.Text())
}

// givenNames adds the names in a result of a client's tool: the texts of JSON, or the lines of other text.
func (e *Backing) givenNames(text string) {
	isEnd := func(r rune) bool { return r == '"' || r == '\n' }
	for name := range strings.FieldsFuncSeq(text[:min(len(text), mostGiven)], isEnd) {
		if plain, err := strconv.Unquote(`"` + name + `"`); err == nil { // \u0410
			name = plain
		}
		e.text(name)
	}
}

func (e *Backing) text(text string) {
	if len(text) >= len("2006-01") && plain.IsDigitByte(text[0]) && text[len("2006")] == '-' {
		if t, ok := reference.ParseTime(text); ok {
			e.dates.moment(t)
			return
		}
	}
	const id = len("00000000-0000-0000-0000-000000000000")
	if len(text) == id && strings.Count(text, "-") == 4 {
		return
	}
	e.names.add(text)
}

// WithoutCodes removes the codes of drafts, except where a document has such a name.
func (e *Backing) WithoutCodes(text string) string {
	if !strings.ContainsAny(text, "-−–‒‐‑") {
		return text
	}
	p := plain.Of(text)
	var b strings.Builder
	done := 0
	for _, word := range plain.Words(p.Text) {
		from, to := int(p.From[word.Start]), int(p.To[word.End-1])
		if !markup.IsDraftCode(word.Text, text[from:to]) || e.nameIndex().whole[word.Text] {
			continue
		}
		b.WriteString(strings.TrimRight(text[done:from], " "))
		done = to
	}
	return b.String() + text[done:]
}

// Objection says why a text in an expression may not be written; "" if it may.
func (e *Backing) Objection(text string) string {
	if clean := e.WithoutCodes(markup.Defuse(0, redact.Text(text))); clean != text {
		return "links, codes and keys are not written"
	}
	p := plain.Text(text)
	for f := range literal.Figures(p) {
		if v, _ := e.Judge(p, f, func() []plain.Word { return plain.Words(p) }); v == Fails {
			return p[f.Start:f.End] + " is in no report and not in the user's words"
		}
	}
	return ""
}

// KnowsLink reports whether an address comes from the user, the client or a report.
func (e *Backing) KnowsLink(address string) bool {
	for _, texts := range [][]string{e.Said, e.Given} {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, address) }) {
			return true
		}
	}
	return false
}
