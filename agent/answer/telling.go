package answer

import (
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// said is a figure of the sentence that is being written. What it is must be told beside it where the words say otherwise.
type said struct {
	text     string // as written
	value    reference.Value
	from, to int // in the sentence
}

// mostSaidAtOnce bounds the figures of what is read as one sentence.
const mostSaidAtOnce = 12

// sayFigure remembers a figure of the sentence.
func (w *Writer) sayFigure(text string, v reference.Value) {
	if !v.IsNumber() || w.sure() || w.isJSON() {
		return
	}
	w.figuresSaid = append(w.figuresSaid, said{text, v, w.sentence.Len() - len(text), w.sentence.Len()})
	if len(w.figuresSaid) == mostSaidAtOnce || w.sentence.Len() > maxScope {
		w.endSentence()
	}
}

func (w *Writer) sure() bool { return w.config.Sure != nil && w.config.Sure() }

// isJSON reports whether the text begins as an object or a list of JSON: nothing may stand beside its figures.
func (w *Writer) isJSON() bool {
	begin := strings.TrimLeft(w.text.String(), " \n`jsonJSON")
	return begin != "" && strings.IndexByte("{[", begin[0]) >= 0
}

// sentenceEnd is where a text ends a sentence or a line; -1 if it does not.
func sentenceEnd(text string) int {
	end := strings.IndexByte(text, '\n')
	if end < 0 {
		end = len(strings.TrimRight(text, " *_)\"»”"))
		if end == 0 || strings.IndexByte(".!?;", text[end-1]) < 0 || isInitial(text[:end]) {
			return -1
		}
	}
	return len(strings.TrimRight(text[:end], " .!?;"))
}

// isInitial reports whether a text ends with the first letter of a name: "А.".
func isInitial(text string) bool {
	if !strings.HasSuffix(text, ".") {
		return false
	}
	letter, size := utf8.DecodeLastRuneInString(text[:len(text)-1])
	before, _ := utf8.DecodeLastRuneInString(text[:len(text)-1-size])
	return unicode.IsUpper(letter) && !plain.LetterOrDigit(before)
}

// endSentence writes what the figures of the sentence are, as far as its words say something else.
func (w *Writer) endSentence() {
	if len(w.figuresSaid) > 0 {
		w.scope.fold()
		text := w.sentence.String()
		whole := plain.Of(text).Text
		days := literal.DatesIn(whole)
		var told []string
		for i, f := range w.figuresSaid {
			before, after := 0, len(text)
			if i > 0 {
				before = w.figuresSaid[i-1].to
			}
			if i+1 < len(w.figuresSaid) {
				after = w.figuresSaid[i+1].from
			}
			near, behind := plain.Of(text[before:f.from]).Text, plain.Of(text[f.to:after]).Text
			what := w.tellings(f.value, near, behind, whole, datesOf(days, i, len(w.figuresSaid), near, behind))
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

// datesOf are the dates of a sentence that are of one of its figures: each its own where there are as many, else those nearest to it.
func datesOf(all []literal.Date, figure, figures int, before, after string) []literal.Date {
	if len(all) == figures {
		return all[figure : figure+1]
	}
	if near := literal.DatesIn(before); len(near) > 0 {
		return near
	}
	if behind := literal.DatesIn(after); len(behind) > 0 {
		return behind
	}
	return all
}

// tellings is what to write of a value between two stretches of a whole sentence; empty if the words fit it.
func (w *Writer) tellings(v reference.Value, before, after, whole string, named []literal.Date) string {
	if !v.IsNumber() {
		return ""
	}
	lang := w.config.Lang
	var told []string
	if measure := w.otherMeasure(v, before, after, whole); measure != nil {
		told = append(told, bilingual.Small(measure.Label.In(lang)))
	} else {
		told = w.unsaidMeasures(v, whole)
	}
	if difference := v.Difference(lang); difference != "" {
		if len(w.fieldsOf(v)) > 1 { // the difference names them
			told = nil
		}
		return render.Inline(strings.Join(append(told, difference), ", "))
	}
	if apart := w.unnamedRow(v, whole); apart != "" {
		told = append(told, apart)
	}
	if w.isWhole(v, whole) {
		told = append(told, bilingual.Text{RU: "всего", EN: "in all"}.In(lang))
	}
	told = append(told, w.unsaidConditions(v, whole)...)
	return render.Inline(strings.Join(append(told, w.otherPeriod(v, named)...), ", "))
}

// mostMeasures is of how many fields a value is at most for which its fields are told.
const mostMeasures = 2

// unsaidMeasures are the fields that an amount, a percentage or the like is of, as far as neither the sentence nor the text before it
// has a word of their labels, and they could be mistaken for others. They are told once in an answer.
func (w *Writer) unsaidMeasures(v reference.Value, sentence string) (told []string) {
	fields := w.fieldsOf(v)
	if len(fields) > mostMeasures || len(v.Own) > 0 {
		return nil
	}
	for _, f := range fields {
		part := v.Kind == tools.KindPercent && f.Kind == tools.KindMoney
		if f.Kind == tools.KindCount || v.Kind != f.Kind && !part || w.measuresKnown[f.Label] || !w.oneOfSeveral(f, v) {
			continue
		}
		w.measuresKnown[f.Label] = true
		label := newLabel(f.Label.In(w.config.Lang))
		if len(label.stems) > 0 && label.in(plain.WordTexts(w.soFar()+" "+sentence)).long == 0 {
			told = append(told, bilingual.Small(f.Label.In(w.config.Lang)))
		}
	}
	return told
}

// oneOfSeveral reports whether what has a field, such as a row, has others of its kind. The first of its units is what there is: no
// words are needed for it.
func (w *Writer) oneOfSeveral(f *tools.Field, v reference.Value) bool {
	r, _ := w.config.Book.Report(v.Origins[0].Report)
	of := r.Fields()
	if container, _, inside := strings.Cut(f.Path, "."); inside {
		of = of.Field(container)
	}
	fields := alike(of, f.Kind)
	return len(fields) > 1 && (f.Kind != tools.KindUnits || fields[0].Path != f.Path)
}

// alike are the figures of a kind that an object has, in the objects inside it too.
func alike(of *tools.Field, kind tools.FieldKind) (fields []*tools.Field) {
	for i := range of.Fields {
		switch f := &of.Fields[i]; {
		case f.List:
		case f.Kind == tools.KindObject:
			fields = append(fields, alike(f, kind)...)
		case f.Kind == kind:
			fields = append(fields, f)
		}
	}
	return fields
}

// fieldsOf are the number fields that a value rests on, each label once.
func (w *Writer) fieldsOf(v reference.Value) (fields []*tools.Field) {
	for _, o := range v.Origins {
		r, there := w.config.Book.Report(o.Report)
		if !there {
			return nil
		}
		f := r.Field(o.Field)
		known := func(other *tools.Field) bool { return other.Label == f.Label }
		if f != nil && reference.IsNumber(f.Kind) && !f.List && !slices.ContainsFunc(fields, known) {
			fields = append(fields, f)
		}
	}
	return fields
}

// mostParts is how many rows a list has at most for which a total is told apart from what its sentence names.
const mostParts = 50

// isWhole reports whether a value is a figure of a whole report in a sentence that names one of its parts.
func (w *Writer) isWhole(v reference.Value, sentence string) bool {
	if len(v.Origins) != 1 {
		return false
	}
	r, there := w.config.Book.Report(v.Origins[0].Report)
	if !there || r.Fields().Field(v.Origins[0].List()).List {
		return false
	}
	words, read := plain.WordTexts(sentence), plain.WordTexts(plain.Of(r.Source(w.config.Lang)).Text)
	return slices.ContainsFunc(r.Parts(mostParts), func(name string) bool {
		l := newLabel(name)
		return len(l.stems) > 0 && l.in(words).of(l) && !l.in(read).of(l)
	})
}

// cellTellings is the same for a cell of a table, by its head and the words of its line.
func (w *Writer) cellTellings(v reference.Value, head, line string) string {
	if !v.IsNumber() || w.sure() || len(line) > maxScope/8 {
		return ""
	}
	return w.tellings(v, head, "", head+" "+line, literal.DatesIn(head))
}

// soFar is the end of what has been written, plain.
func (w *Writer) soFar() string {
	text := w.text.String()
	return plain.Of(strings.ToValidUTF8(text[max(0, len(text)-recentLength):], "")).Text
}

// unsaidConditions are those by which the rows of a value were chosen, of which neither the sentence nor the text right before it
// has the constant.
func (w *Writer) unsaidConditions(v reference.Value, sentence string) (told []string) {
	if len(v.Conditions) == 0 || len(rowsOf(v)) > 0 {
		return nil
	}
	text := w.soFar() + " " + sentence
	words := plain.WordTexts(text)
	for _, c := range v.Conditions {
		number, isNumber := c.Number()
		names := func(name string) bool {
			l := newLabel(name)
			return len(l.stems) > 0 && l.in(words).of(l) || l.stands(words)
		}
		switch {
		case isNumber && hasNumber(text, number):
		case !isNumber && !slices.ContainsFunc(c.Texts(), func(name string) bool { return !names(name) }):
		default:
			told = append(told, c.Write(w.config.Lang))
		}
	}
	return told
}

// hasNumber reports whether a plain text has a number, in digits or in words.
func hasNumber(text string, number decimal.Decimal) bool {
	for f := range literal.Figures(text) {
		for _, r := range f.Literal(text).Readings {
			if r.Value.Equal(number.Abs()) {
				return true
			}
		}
	}
	return false
}

// unnamedRow is what tells a value's row from others of its name, such as a warehouse, if neither the sentence nor
// the text right before it has that.
func (w *Writer) unnamedRow(v reference.Value, sentence string) string {
	apart := ""
	for i, o := range v.Origins {
		if i > 0 && o.RowApart != apart {
			return ""
		}
		apart = o.RowApart
	}
	if apart == "" || newLabel(apart).stands(plain.WordTexts(w.soFar()+" "+sentence)) {
		return ""
	}
	return apart
}

// measured is the field that a value is of; nil if it is of several or of none.
func (w *Writer) measured(v reference.Value) *tools.Field {
	if fields := w.fieldsOf(v); len(fields) == 1 {
		return fields[0]
	}
	return nil
}

// oneOfTwo is the list that a value is of where its report has another list with the same fields, such as debtors and
// creditors: only the list's label says which of both the value is.
func (w *Writer) oneOfTwo(v reference.Value) *tools.Field {
	first := v.Origins[0]
	r, there := w.config.Book.Report(first.Report)
	elsewhere := func(o reference.Origin) bool { return o.Report != first.Report || o.List() != first.List() }
	if !there || slices.ContainsFunc(v.Origins, elsewhere) {
		return nil
	}
	list := r.Fields().Field(first.List())
	if list == nil || !list.List {
		return nil
	}
	names := func(a, b tools.Field) bool { return a.Name == b.Name && a.Label == b.Label }
	for i := range r.Fields().Fields {
		other := &r.Fields().Fields[i]
		if other != list && other.List && len(other.Fields) > 0 && slices.EqualFunc(other.Fields, list.Fields, names) {
			return list
		}
	}
	return nil
}

// otherMeasure is the field that a value is of, where the words beside it name another figure of its report and not its own,
// or its list, where they leave open which of two it is; nil if the words fit.
func (w *Writer) otherMeasure(v reference.Value, before, after, whole string) *tools.Field {
	own := w.measured(v)
	if own == nil {
		return nil
	}
	if list := w.oneOfTwo(v); list != nil {
		if newLabel(list.Label.In(w.config.Lang)).in(plain.WordTexts(w.soFar()+" "+whole)).long > 0 {
			return nil
		}
		return list
	}
	r, _ := w.config.Book.Report(v.Origins[0].Report)
	label := newLabel(own.Label.In(w.config.Lang))
	near, behind := plain.WordTexts(before), plain.WordTexts(after)
	other := func(words []string) bool {
		return slices.ContainsFunc(w.labels(r), func(l labelWords) bool { return l.mistakable(own.Kind) && l.ratherThan(label, words) })
	}
	if other(near) && (label.in(behind).long == 0 || other(behind)) || label.in(near).long == 0 && other(behind) {
		return own
	}
	return nil
}

// labels are those of all figures of a report.
func (w *Writer) labels(r *reference.Report) []labelWords {
	if _, known := w.labelsOf[r]; !known {
		w.labelsOf[r] = labelsIn(r.Fields(), w.config.Lang, nil)
	}
	return w.labelsOf[r]
}

func labelsIn(f *tools.Field, lang string, known []labelWords) []labelWords {
	for i := range f.Fields {
		inside := &f.Fields[i]
		if reference.IsNumber(inside.Kind) && !inside.List {
			l := newLabel(inside.Label.In(lang))
			l.kind = inside.Kind
			known = append(known, l)
		}
		known = labelsIn(inside, lang, known)
	}
	return known
}

// labelWords is the words of a field's label: long ones without their endings, which other forms of them share, and short ones
// and those with digits.
type labelWords struct {
	stems, short []string
	kind         tools.FieldKind
}

func newLabel(text string) (l labelWords) {
	const long, ending = 4, 2
	for _, word := range plain.WordTexts(plain.Of(text).Text) {
		if letters := []rune(word); len(letters) < long || plain.HasDigit(word) {
			l.short = append(l.short, word)
		} else {
			l.stems = append(l.stems, string(letters[:max(long, len(letters)-ending)]))
		}
	}
	return l
}

// mistakable reports whether a value of a kind could be taken for one of the label's: an amount shows that it is no count.
func (l labelWords) mistakable(kind tools.FieldKind) bool {
	plain := func(k tools.FieldKind) bool { return k == tools.KindCount || k == tools.KindUnits }
	return plain(kind) || !plain(l.kind)
}

// ratherThan reports whether words name a label and not another one: all of it, or what only it has of the two.
func (l labelWords) ratherThan(other labelWords, words []string) bool {
	m, own, others := l.in(words), l.without(other), other.without(l)
	if m.of(l) && m.over(other.in(words)) {
		return true
	}
	return len(own.stems) > 0 && len(others.stems) > 0 && own.in(words).of(own) && others.in(words).long == 0
}

// without is the long words that another label does not have.
func (l labelWords) without(other labelWords) labelWords {
	has := func(stem string) bool { return slices.Contains(other.stems, stem) }
	return labelWords{stems: slices.DeleteFunc(slices.Clone(l.stems), has)}
}

// mention is how much of a label stands in a text: letters of its long words, and of its short ones.
type mention struct{ long, short int }

func (m mention) over(other mention) bool {
	return m.long > 0 && (other.long == 0 || m.long == other.long && m.short > other.short)
}

// of reports whether all long words of a label stand there.
func (m mention) of(l labelWords) bool { return m.long == len(strings.Join(l.stems, "")) }

// stands reports whether words have the whole label, in whatever order.
func (l labelWords) stands(words []string) bool {
	m := l.in(words)
	return m.of(l) && m.short == len(strings.Join(l.short, ""))
}

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

// otherPeriod is the periods of a value's reports that the dates beside it are not, where they are others, or where the same was read
// of another period. Without dates, each period is told once where the answer compares several.
func (w *Writer) otherPeriod(v reference.Value, named []literal.Date) (told []string) {
	beside := len(named) > 0
	var seen []*reference.Report
	for _, o := range v.Origins {
		r, there := w.config.Book.Report(o.Report)
		if _, month := o.Month(); month || !there || slices.Contains(seen, r) {
			continue
		}
		seen = append(seen, r)
		from, to, known := r.Period()
		if !known || called(named, from, to) {
			continue
		}
		other := func(d literal.Date) bool { return d.Outside(from, to) || d.Day == 0 && d.Month > 0 }
		twins := w.readOfOthers(r)
		fresh := slices.ContainsFunc(twins, (*reference.Report).IsFresh)
		if beside && len(twins) == 0 && !slices.ContainsFunc(named, other) {
			continue
		}
		if !beside && (!fresh || w.periodsTold[r] || called(literal.DatesIn(w.soFar()), from, to)) {
			continue
		}
		w.periodsTold[r] = true
		told = append(told, reference.Days(w.config.Lang, from, to))
	}
	return told
}

// readOfOthers are the same report of other periods.
func (w *Writer) readOfOthers(r *reference.Report) []*reference.Report {
	from, to, _ := r.Period()
	return slices.DeleteFunc(slices.Clone(w.config.Book.Reports()), func(other *reference.Report) bool {
		first, last, known := other.Period()
		return other.Tool != r.Tool || !known || first.Equal(from) && last.Equal(to)
	})
}

// called reports whether dates are what a period is called by. Two days are its both ends.
func called(named []literal.Date, from, to time.Time) bool {
	edge := func(d literal.Date) bool { return d.Is(from) || d.Is(to) }
	if len(named) == 2 && named[0].Day > 0 && named[1].Day > 0 {
		return edge(named[0]) && edge(named[1])
	}
	return slices.ContainsFunc(named, func(d literal.Date) bool { return d.Covers(from, to) })
}
