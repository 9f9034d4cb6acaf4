package answer

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/tools"
)

// said is a number that the user wrote and the text repeats.
type said struct {
	text   string
	number literal.Literal
	after  int // length of the answer before the number or earlier
}

// repeat records a number of a zone that the user wrote.
func (w *Writer) repeat(z *zone, f literal.Figure) {
	start, end := z.wordOf(f)
	text := strings.TrimSuffix(z.text[z.plain.From[start]:z.plain.To[end-1]], ".")
	w.said = append(w.said, said{text, f.Literal(z.plain.Text), w.page.text.Len()})
}

// repeats reports whether the number is another one, perhaps in other words: "2 000 ₽", "2 тыс. рублей".
func (s said) repeats(other said) bool {
	same := func(r, o literal.Reading) bool { return r.Value.Equal(o.Value) }
	return s.text == other.text || s.number.Unit == other.number.Unit && slices.EqualFunc(s.number.Readings, other.number.Readings, same)
}

// Said returns the numbers that the text repeats from the user and that no report has: "320 000 ₽". If a report has one, figures has
// its values, because it may measure something else than the text says. Numbers of the text's expressions, such as thresholds, and those
// with which a report was made are left out, and so are the days of a period, numbers in names, and the 15 % of an expression with
// 85 % or 115 %. Without a value, so are 0 and lengths of time, which say what a report is about.
func (w *Writer) Said() (texts []string, figures []Figure) {
	const most = 3 // values of one number; more are the same by chance
	var listed []said
	for _, s := range w.said {
		isSetting := func(r *reference.Report) bool { return r.IsMadeWith(s.number) }
		if w.isShown(s.number) || w.isLength(s.number) || slices.ContainsFunc(w.config.Book.Reports(), isSetting) {
			continue
		}
		others := func(v reference.Value) bool { return !w.concerns(v) }
		switch found := slices.DeleteFunc(w.evidence.Explaining(s.number), others); {
		case len(found) > 0:
			for _, v := range found[:min(len(found), most)] {
				figures = append(figures, w.repeated(s, v))
			}
		case !w.isTime(s) && !s.number.IsZero() && !w.isInName(s.number) && !slices.ContainsFunc(listed, s.repeats):
			texts, listed = append(texts, s.text), append(listed, s)
		}
	}
	return texts, figures
}

// place returns where the text has a number of the user.
func (w *Writer) place(s said) int {
	return s.after + max(0, strings.Index(w.page.text.String()[s.after:], s.text))
}

// isTime reports whether a number of the user is a length of time, in the answer or in the user's words.
func (w *Writer) isTime(s said) bool {
	if kind, _ := w.evidence.KindOf(s.number.Readings[0].Value); s.number.Unit == "" && (kind == tools.KindDays || kind == tools.KindMonths) {
		return true
	}
	const most = 64 // bytes of the word after it
	rest := strings.TrimLeft(strings.TrimPrefix(w.page.text.String()[w.place(s):], s.text), " \u00a0")
	words := append(strings.Fields(s.text), literal.WordAt(plain.Text(rest[:min(len(rest), most)]), 0))
	return s.number.Unit == tools.KindDays || s.number.Unit == tools.KindMonths || slices.ContainsFunc(words, literal.IsTime)
}

// repeated returns the figure of a value that equals a number of the user.
func (w *Writer) repeated(s said, v reference.Value) Figure {
	from := utf8.RuneCountInString(w.page.text.String()[:w.place(s)])
	return Figure{Start: from, End: from + utf8.RuneCountInString(s.text), Expression: v.Path(), Kind: v.Kind, Origins: v.Origins}
}

// isShown reports whether the text's references or their expressions have a number.
func (w *Writer) isShown(number literal.Literal) bool {
	hundred := decimal.NewFromInt(100)
	return slices.ContainsFunc(number.Readings, func(r literal.Reading) bool {
		return slices.ContainsFunc(w.shown, func(shown decimal.Decimal) bool {
			return r.Equals(shown) || number.Unit == tools.KindPercent && r.Equals(shown.Sub(hundred))
		})
	})
}

// isLength reports whether a number is a length of time in days, such as that of a report's period.
func (w *Writer) isLength(number literal.Literal) bool {
	known := func(r literal.Reading) bool { return w.evidence.KnowsLength(r.Value) }
	return number.Unit == tools.KindDays && slices.ContainsFunc(number.Readings, known)
}

// quoted finds the texts in an expression.
var quoted = regexp.MustCompile("\"[^\"]*\"|'[^']*'|`[^`]*`")

// isInName reports whether the name of a row that the text shows, or a text in an expression, has a number: the 24 of "24 см".
func (w *Writer) isInName(number literal.Literal) bool {
	has := func(name string) bool {
		name = plain.Text(name)
		for f := range literal.Figures(name) {
			for _, in := range f.Literal(name).Readings {
				if slices.ContainsFunc(number.Readings, func(r literal.Reading) bool { return r.Value.Equal(in.Value) }) {
					return true
				}
			}
		}
		return false
	}
	return slices.ContainsFunc(w.page.figures, func(f Figure) bool {
		return !f.Marked && slices.ContainsFunc(quoted.FindAllString(f.Expression, -1), has) ||
			slices.ContainsFunc(f.Origins, func(o reference.Origin) bool { return has(o.RowName) }) // a mark has no origins
	})
}

// concerns reports whether a value is of a whole report, or of a row that the text names or whose figures it shows.
func (w *Writer) concerns(v reference.Value) bool {
	from := v.Origins[0]
	shown := func(o reference.Origin) bool {
		return o.Report == from.Report && o.RowName == from.RowName && o.Row == from.Row
	}
	return from.Row == 0 || slices.ContainsFunc(w.page.figures, func(f Figure) bool { return slices.ContainsFunc(f.Origins, shown) }) ||
		slices.Contains(w.namesAround(from).mentioned(plain.Text(w.page.text.String()), plainName(from.RowCode)), plainName(from.RowName))
}
