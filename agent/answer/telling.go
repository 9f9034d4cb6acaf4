package answer

import (
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// said is a figure of the sentence that is being written. What it is must be told beside it where the words say otherwise.
type said struct {
	text     string // as written
	value    Value
	from, to int // in the sentence
}

// mostSaidAtOnce bounds the figures of what is read as one sentence.
const mostSaidAtOnce = 12

// sayFigure remembers a figure of the sentence.
func (w *Writer) sayFigure(text string, v Value) {
	if v.number == nil || w.sure() {
		return
	}
	w.figuresSaid = append(w.figuresSaid, said{text, v, w.sentence.Len() - len(text), w.sentence.Len()})
	if len(w.figuresSaid) == mostSaidAtOnce || w.sentence.Len() > maxScope {
		w.endSentence()
	}
}

func (w *Writer) sure() bool { return w.config.Sure != nil && w.config.Sure() }

// sentenceEnd is where a text ends a sentence or a line; -1 if it does not.
func sentenceEnd(text string) int {
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		end = len(strings.TrimRight(text, " *_)\"»”"))
		if end == 0 || strings.IndexByte(".!?;", text[end-1]) < 0 {
			return -1
		}
	}
	return len(strings.TrimRight(text[:end], " .!?;"))
}

// endSentence writes what the figures of the sentence are, as far as its words say something else.
func (w *Writer) endSentence() {
	if len(w.figuresSaid) > 0 {
		w.scope.fold()
		text := w.sentence.String()
		whole := plainOf(text).text
		days := datesIn(whole)
		var told []string
		for i, f := range w.figuresSaid {
			before, after := 0, len(text)
			if i > 0 {
				before = w.figuresSaid[i-1].to
			}
			if i+1 < len(w.figuresSaid) {
				after = w.figuresSaid[i+1].from
			}
			what := w.tellings(f.value, plainOf(text[before:f.from]).text, plainOf(text[f.to:after]).text, days)
			if what != "" && len(w.figuresSaid) > 1 {
				what = f.text + " — " + what
			}
			if what != "" && !slices.Contains(told, what) {
				told = append(told, what)
			}
		}
		w.figuresSaid = nil
		if len(told) > 0 {
			beside := " (" + strings.Join(told, "; ") + ")"
			w.append(beside)
			w.follow(beside)
			w.value = false
		}
	}
	w.sentence.Reset()
}

// tellings is what to write of a value between two stretches of a sentence; empty if the words fit it.
func (w *Writer) tellings(v Value, before, after string, days []date) string {
	if v.number == nil {
		return ""
	}
	lang := w.config.Lang
	if v.minus != nil {
		return render.Inline(v.minus.write(v, lang))
	}
	var told []string
	if f := w.measured(v); f != nil && w.otherMeasure(v, f, before, after) {
		told = append(told, lowerFirst(f.Label.In(lang)))
	}
	return render.Inline(strings.Join(append(told, w.otherPeriod(v, days)...), ", "))
}

// cellTellings is the same for a cell of a table, by the words of its line and, in the lines above it, of the table's head.
func (w *Writer) cellTellings(v Value, line string) string {
	if v.number == nil || w.sure() || len(line) > maxScope/8 {
		return ""
	}
	return w.tellings(v, line, "", datesIn(line))
}

// measured is the field that a value is of; nil if it is of several or of none.
func (w *Writer) measured(v Value) *tools.Field {
	var field *tools.Field
	for _, o := range v.Origins {
		r, there := w.config.Book.Report(o.Report)
		if !there {
			return nil
		}
		f := r.field(o.Field)
		if f == nil || !isNumber(f.Kind) || f.List {
			continue
		}
		if field != nil && field.Label != f.Label {
			return nil
		}
		field = f
	}
	return field
}

// field is the field with a path.
func (r *Report) field(path string) *tools.Field {
	f := r.top
	for name := range strings.SplitSeq(path, ".") {
		if f = f.Field(name); f == nil {
			return nil
		}
	}
	return f
}

// otherMeasure reports whether the words beside a value name another figure of its report, and not its own.
func (w *Writer) otherMeasure(v Value, own *tools.Field, before, after string) bool {
	r, _ := w.config.Book.Report(v.Origins[0].Report)
	label := newLabel(own.Label.In(w.config.Lang))
	near, behind := wordsOf(before), wordsOf(after)
	other := func(words []string) bool {
		mine := label.in(words)
		return slices.ContainsFunc(r.figureLabels(), func(l labelWords) bool { return l.in(words).of(l) && l.in(words).over(mine) })
	}
	if other(near) {
		return label.in(behind).long == 0 || other(behind)
	}
	return label.in(near).long == 0 && other(behind)
}

// figureLabels are those of all figures of a report.
func (r *Report) figureLabels() []labelWords {
	if r.labels == nil {
		r.labels = labelsIn(r.top, r.lang, []labelWords{})
	}
	return r.labels
}

func labelsIn(f *tools.Field, lang string, known []labelWords) []labelWords {
	for i := range f.Fields {
		inside := &f.Fields[i]
		if isNumber(inside.Kind) && !inside.List {
			known = append(known, newLabel(inside.Label.In(lang)))
		}
		known = labelsIn(inside, lang, known)
	}
	return known
}

// labelWords is the words of a field's label: long ones without their endings, which other forms of them share, and short ones.
type labelWords struct{ stems, short []string }

func newLabel(text string) (l labelWords) {
	const long, ending = 4, 2
	for _, word := range wordsOf(plainOf(text).text) {
		if letters := []rune(word); len(letters) < long {
			l.short = append(l.short, word)
		} else {
			l.stems = append(l.stems, string(letters[:max(long, len(letters)-ending)]))
		}
	}
	return l
}

// mention is how much of a label stands in a text: letters of its long words, and of its short ones.
type mention struct{ long, short int }

func (m mention) over(other mention) bool {
	return m.long > 0 && (other.long == 0 || m.long == other.long && m.short > other.short)
}

// of reports whether all long words of a label stand there.
func (m mention) of(l labelWords) bool { return m.long == len(strings.Join(l.stems, "")) }

// in tells how much of a label words have, whatever their endings are.
func (l labelWords) in(words []string) (m mention) {
	const longestEnding = 2 * 5 // in bytes
	for _, stem := range l.stems {
		if slices.ContainsFunc(words, func(word string) bool {
			return strings.HasPrefix(word, stem) && len(word) <= len(stem)+longestEnding
		}) {
			m.long += len(stem)
		}
	}
	for _, word := range l.short {
		if slices.Contains(words, word) {
			m.short += len(word)
		}
	}
	return m
}

// difference is two values of which one is taken from the other.
type difference struct{ from, less Value }

// write says what is taken from what. A difference without its sign is told the way that makes it positive.
func (d *difference) write(v Value, lang string) string {
	from, less := d.from, d.less
	if v.number.Sign() != 0 && (from.number.Cmp(less.number) > 0) != (v.number.Sign() > 0) {
		from, less = less, from
	}
	return from.apartFrom(less, lang) + " − " + less.apartFrom(from, lang)
}

// apartFrom names a value by what another does not have: its label, its row or its period.
func (v Value) apartFrom(other Value, lang string) string {
	name, _ := v.in.called()
	otherName, _ := other.in.called()
	switch {
	case v.field.Label != other.field.Label && name == otherName:
		return lowerFirst(v.field.Label.In(lang))
	case v.field.Label != other.field.Label:
		return strings.TrimSpace(lowerFirst(v.field.Label.In(lang)) + " " + name)
	case name != otherName:
		return name
	}
	if inside := v.in.field.Label; inside != other.in.field.Label {
		return lowerFirst(inside.In(lang))
	}
	return v.in.report.Source(lang)
}

// otherPeriod is the periods of a value's reports that a sentence does not name, where it names other days, or any days
// where the same was read of another period.
func (w *Writer) otherPeriod(v Value, days []date) (told []string) {
	if len(days) == 0 {
		return nil
	}
	var seen []string
	for _, o := range v.Origins {
		r, there := w.config.Book.Report(o.Report)
		if !there || slices.Contains(seen, o.Report) {
			continue
		}
		seen = append(seen, o.Report)
		from, to, known := r.period()
		if !known || slices.ContainsFunc(days, func(d date) bool { return d.of(from) || d.of(to) || d.wholly(from, to) }) {
			continue
		}
		twin := slices.ContainsFunc(w.config.Book.Reports(), func(other *Report) bool {
			if other.Tool != r.Tool || other == r {
				return false
			}
			first, last, known := other.period()
			return known && !(first.Equal(from) && last.Equal(to))
		})
		if twin || slices.ContainsFunc(days, func(d date) bool { return d.outside(from, to) }) {
			told = append(told, period(w.config.Lang, from, to))
		}
	}
	return told
}

// datesIn are the days and months that a plain text names.
func datesIn(text string) (dates []date) {
	for f := range figuresOf(text) {
		if !f.date.none() {
			dates = append(dates, f.date)
		}
	}
	for _, word := range wordsIn(text) {
		if month, ok := monthForms[word.text]; ok {
			dates = append(dates, date{month: month})
		}
	}
	return dates
}

// of reports whether a date is that day.
func (d date) of(t time.Time) bool { return d.month == int(t.Month()) && d.day == t.Day() }

// wholly reports whether a date is the month that a period is in.
func (d date) wholly(from, to time.Time) bool {
	return d.day == 0 && d.month > 0 && from.Month() == to.Month() && from.Year() == to.Year() && !d.outside(from, to)
}

// outside reports whether a date lies in none of the months of a period.
func (d date) outside(from, to time.Time) bool {
	if d.month == 0 {
		return false
	}
	for m := time.Date(from.Year(), from.Month(), 1, 0, 0, 0, 0, from.Location()); !m.After(to); m = m.AddDate(0, 1, 0) {
		if int(m.Month()) == d.month && (d.year == 0 || d.year == m.Year()) {
			return false
		}
	}
	return true
}
