package answer

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/keys/redact"

	"github.com/kopeck/kopeck/tools"
)

// How much of what was said and given is looked at for numbers, the latest of it. More is not what an answer is about, and a
// message of megabytes must not cost as much again for each answer.
const (
	mostSaid  = 1 << 20
	mostGiven = 256 << 10
)

// evidence is what digits of a model's own may come from. Each part is read when the first figure asks for it.
type evidence struct {
	config Config

	said     *spoken
	given    *spoken
	names    *nameIndex
	dates    *calendar
	reported int // how many reports names and dates have
	lists    map[listOf]map[string][]string
}

// mostBare is the largest whole number of the model's own that needs no backing.
const mostBare = 12

// spoken is the numbers of a text that somebody wrote.
type spoken struct {
	raw    map[string]bool // what has been read, so that repetitions cost little
	exact  map[string]bool
	sorted []decimal.Decimal // for rounding; nil where only exact numbers pass
}

// verdict says what a figure is.
type verdict int

const (
	passes verdict = iota
	fails
	isValue // of exactly one field of a report, or of one row
	ofRows  // of several rows, and of nothing else
)

// judge tells whether a figure of a zone may be written as it is, and the values of reports that it is. Words are those of the
// zone and around it.
func (e *evidence) judge(zone string, f writtenFigure, words func() []textWord) (verdict, []Value) {
	const mostSpelled = 20
	small := f.small(zone)
	switch {
	case f.word != nil && small >= 0 && small <= mostSpelled && !f.scaled():
		return passes, nil
	case f.word == nil && small >= 0 && small <= mostBare && f.bare() && f.date.none():
		return passes, nil
	}
	if !f.date.none() && (f.bare() || f.date.sure) && e.calendar().has(f.date) {
		return passes, nil
	}
	if f.word == nil && small >= 0 && small <= mostBare && f.bare() && !f.date.sure {
		return passes, nil
	}
	literal := f.literal(zone)
	if !f.opaque && e.saidNumbers().has(literal) || e.named(f, words()) {
		return passes, nil
	}
	if f.opaque || f.date.sure {
		return fails, nil
	}
	if e.givenNumbers().rounds(literal) {
		return passes, nil
	}
	if literal.Unit == tools.KindDays && e.calendar().lasts(literal) {
		return passes, nil
	}
	found := e.config.Book.Find(literal)
	switch {
	case len(found) == 0:
		return fails, nil
	case len(found) == 1 || oneRow(found):
		return isValue, found[:1]
	case slices.ContainsFunc(found, func(v Value) bool { return v.Origins[0].RowName == "" }):
		return passes, nil
	}
	return ofRows, found
}

// vouches tells whether a reference may compute with a number of its own. What rests on no report may only with what the user
// said, and a hundred, of which a percentage is.
func (e *evidence) vouches(number decimal.Decimal, alone bool) bool {
	literal := Literal{Readings: []Reading{{Value: number.Abs(), Step: decimal.New(1, number.Exponent())}}}
	if number.Equal(decimal.NewFromInt(100)) || e.saidNumbers().has(literal) {
		return true
	}
	if alone {
		return false
	}
	return number.IsInteger() && number.Abs().LessThanOrEqual(decimal.NewFromInt(mostBare)) || spans[number.String()] ||
		e.givenNumbers().rounds(literal) || len(e.config.Book.Find(literal)) > 0
}

// spans are lengths of the calendar and steps of units, which need nobody's word.
var spans = map[string]bool{"7": true, "24": true, "30": true, "31": true, "52": true, "365": true, "1000": true, "1000000": true}

// oneRow reports whether all values are of what one name calls.
func oneRow(found []Value) bool {
	name := found[0].Origins[0].RowName
	return name != "" && !slices.ContainsFunc(found, func(v Value) bool { return v.Origins[0].RowName != name })
}

// named reports whether a figure stands inside a name.
func (e *evidence) named(f writtenFigure, words []textWord) bool {
	first, last := -1, -1
	texts := make([]string, 0, len(words))
	for i, w := range words {
		if w.start < f.to && w.end > f.from {
			if first < 0 {
				first = i
			}
			last = i
		}
		texts = append(texts, w.text)
	}
	if first < 0 {
		return false
	}
	const around = 8
	from, to := max(0, first-around), min(len(words), last+around+1)
	unit := (f.unit.is != "" || f.scaled()) && f.end > words[last].end
	return e.nameIndex().covers(texts[from:to], first-from, last-from, unit)
}

func (e *evidence) saidNumbers() *spoken {
	if e.said == nil {
		e.said = newSpoken()
		e.said.read(e.config.Said, mostSaid, nil)
	}
	return e.said
}

func (e *evidence) givenNumbers() *spoken {
	if e.given == nil {
		e.given = newSpoken()
		e.given.read(e.config.Given, mostGiven, nil)
		for _, r := range e.config.Book.Reports() {
			for _, note := range r.Result.Notes {
				e.given.read([]string{note.Text}, mostGiven, nil)
				for _, value := range note.Values {
					e.given.read([]string{value}, mostGiven, nil)
				}
			}
		}
		e.given.sort()
	}
	return e.given
}

func newSpoken() *spoken { return &spoken{raw: map[string]bool{}, exact: map[string]bool{}} }

// read takes the numbers of the latest texts, up to a number of bytes, and tells their dates to a calendar.
func (s *spoken) read(texts []string, most int, dates *calendar) {
	for _, text := range slices.Backward(texts) {
		text = render.Visible(text[max(0, len(text)-most):])
		found := scanner{text: plainOf(text).text}
		for f, ok := found.next(); ok; f, ok = found.next() {
			if dates != nil {
				dates.written(f.date)
				continue
			}
			if raw := found.text[f.from:f.end]; !s.raw[raw] {
				s.raw[raw] = true
				for _, r := range f.literal(found.text).Readings {
					s.exact[r.Value.String()] = true
				}
			}
		}
		if most -= len(text); most <= 0 {
			return
		}
	}
}

func (s *spoken) has(l Literal) bool {
	return slices.ContainsFunc(l.Readings, func(r Reading) bool { return s.exact[r.Value.String()] })
}

func (s *spoken) sort() {
	for text := range s.exact {
		s.sorted = append(s.sorted, decimal.RequireFromString(text))
	}
	slices.SortFunc(s.sorted, decimal.Decimal.Cmp)
}

// rounds reports whether a number, rounded as the literal is, is among the sorted ones.
func (s *spoken) rounds(l Literal) bool {
	for _, r := range l.Readings {
		least := r.Value.Sub(r.Step)
		at, _ := slices.BinarySearchFunc(s.sorted, least, decimal.Decimal.Cmp)
		for ; at < len(s.sorted) && s.sorted[at].LessThanOrEqual(r.Value.Add(r.Step)); at++ {
			if r.Equals(s.sorted[at]) {
				return true
			}
		}
	}
	return false
}

func (e *evidence) calendar() *calendar {
	e.readReports()
	return e.dates
}

func (e *evidence) nameIndex() *nameIndex {
	e.readReports()
	return e.names
}

// readReports takes the names and days of the reports that came since it was last called.
func (e *evidence) readReports() {
	if e.dates == nil {
		dates := newCalendar()
		e.dates, e.names = &dates, newNameIndex()
		if !e.config.Now.IsZero() {
			e.dates.moment(e.config.Now)
		}
		newSpoken().read(e.config.Said, mostSaid, e.dates)
		for _, name := range e.config.Names {
			e.names.add(name)
		}
		if e.config.Cited != nil {
			for _, name := range e.config.Cited() {
				e.names.add(name)
			}
		}
		for _, text := range e.config.Given {
			e.givenNames(text)
		}
	}
	reports := e.config.Book.Reports()
	for _, r := range reports[min(e.reported, len(reports)):] {
		e.dates.moment(r.Result.AsOf)
		r.whole().each(e.field)
		if from, to, known := r.period(); known {
			e.dates.period(from, to)
		}
	}
	e.reported = len(reports)
}

// field takes a field's texts and days.
func (e *evidence) field(in *object, f *tools.Field, raw reflect.Value) {
	if isNumber(f.Kind) || f.Kind == tools.KindID || f.Kind == tools.KindFlag {
		return
	}
	v := in.read(f)
	if !f.List {
		v.items = []Value{v}
	}
	for _, item := range v.items {
		if isTime(item.Kind) && !item.Null {
			e.dates.moment(item.at)
		}
		e.text(item.text)
	}
}

// givenNames takes the names of what a client's tool gave: of JSON its texts, of other text its lines.
func (e *evidence) givenNames(text string) {
	text = text[:min(len(text), mostGiven)]
	var value any
	if json.Unmarshal([]byte(text), &value) == nil {
		e.texts(value)
		return
	}
	for line := range strings.Lines(text) {
		e.text(line)
	}
}

func (e *evidence) texts(value any) {
	switch v := value.(type) {
	case string:
		e.text(v)
	case []any:
		for _, inside := range v {
			e.texts(inside)
		}
	case map[string]any:
		for name, inside := range v {
			e.text(name)
			e.texts(inside)
		}
	}
}

func (e *evidence) text(text string) {
	if len(text) >= len("2006-01") && isDigitByte(text[0]) && text[len("2006")] == '-' {
		if t, ok := parsedTime(text); ok {
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

// withoutCodes leaves out the codes of drafts. A document that is called like one is a name.
func (e *evidence) withoutCodes(text string) string {
	if !strings.ContainsAny(text, "-−–‒‐‑") {
		return text
	}
	p := plainOf(text)
	var b strings.Builder
	done := 0
	for _, word := range wordsIn(p.text) {
		from, to := int(p.from[word.start]), int(p.to[word.end-1])
		if !draftCode(word.text, text[from:to]) || e.nameIndex().whole[word.text] {
			continue
		}
		b.WriteString(strings.TrimRight(text[done:from], " "))
		done = to
	}
	return b.String() + text[done:]
}

// stops says why a text of an expression may not be written; empty if it may.
func (e *evidence) stops(text string) string {
	if clean := e.withoutCodes(defuse(0, redact.Text(text))); clean != text {
		return "links, codes and keys are not written"
	}
	p := plainOf(text).text
	for f := range figuresOf(p) {
		if v, _ := e.judge(p, f, func() []textWord { return wordsIn(p) }); v == fails {
			return p[f.start:f.end] + " is in no report and not in the user's words"
		}
	}
	return ""
}

// knowsLink reports whether the user or the client gave an address, or a report has it.
func (e *evidence) knowsLink(address string) bool {
	for _, texts := range [][]string{e.config.Said, e.config.Given} {
		if slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(text, address) }) {
			return true
		}
	}
	return false
}
