package answer

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/reference"

	"github.com/kopeck/kopeck/tools"
)

// said is a number that the user wrote and the text repeats.
type said struct {
	text   string
	number literal.Literal
}

// repeat records a number of a zone that the user wrote.
func (w *Writer) repeat(z *zone, f literal.Figure) {
	start, end := z.wordOf(f)
	text := strings.TrimSuffix(z.text[z.plain.From[start]:z.plain.To[end-1]], ".")
	w.said = append(w.said, said{text, f.Literal(z.plain.Text)})
}

// Said returns the numbers that the text repeats from the user and that no report has: "320 000 ₽". Those of the text's
// expressions, such as thresholds, and those with which a report was made are left out, and so is the 15 % of an expression with
// 85 % or 115 %.
func (w *Writer) Said() (texts []string) {
	for _, s := range w.said {
		isSetting := func(r *reference.Report) bool { return r.IsMadeWith(s.number) }
		isTold := w.isShown(s.number) || slices.ContainsFunc(w.config.Book.Reports(), isSetting) ||
			slices.ContainsFunc(w.config.Book.Find(s.number), w.concerns)
		if !isTold && !slices.Contains(texts, s.text) {
			texts = append(texts, s.text)
		}
	}
	return texts
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

// concerns reports whether a value is of a whole report, or of a row whose figures the text shows.
func (w *Writer) concerns(v reference.Value) bool {
	from := v.Origins[0]
	shown := func(o reference.Origin) bool {
		return o.Report == from.Report && o.RowName == from.RowName && o.Row == from.Row
	}
	return from.Row == 0 || slices.ContainsFunc(w.all, func(f Figure) bool { return slices.ContainsFunc(f.Origins, shown) })
}
