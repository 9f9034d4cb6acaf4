package answer

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
)

// said is a number or a date that the user wrote and the text repeats.
type said struct {
	text   string
	number literal.Literal // no readings for a date
}

// repeat records a number or date of a zone that the user wrote.
func (w *Writer) repeat(z *zone, f literal.Figure) {
	start, end := f.Start, f.End
	for _, word := range plain.Words(z.plain.Text) { // the whole of a number such as "40168544-4119-2"
		if word.Start <= f.Start && f.Start < word.End {
			start, end = word.Start, max(end, word.End)
		}
	}
	s := said{text: strings.TrimSuffix(z.text[z.plain.From[start]:z.plain.To[end-1]], ".")}
	if f.Date.None() {
		s.number = f.Literal(z.plain.Text)
	}
	w.said = append(w.said, s)
}

// Said returns the numbers and dates that the text repeats from the user and that no report has: "320 000 ₽". Those of
// the text's expressions, such as thresholds, are left out.
func (w *Writer) Said() (texts []string) {
	for _, s := range w.said {
		isShown := slices.ContainsFunc(s.number.Readings, func(r literal.Reading) bool { return slices.ContainsFunc(w.shown, r.Equals) })
		if !isShown && len(w.config.Book.Find(s.number)) == 0 && !slices.Contains(texts, s.text) {
			texts = append(texts, s.text)
		}
	}
	return texts
}
