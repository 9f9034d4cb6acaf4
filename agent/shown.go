package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// shownText is the part of the answer that the user has seen.
type shownText struct {
	text    strings.Builder
	length  int // in code points, like the positions of figures
	figures []answer.Figure
}

// isJSON reports whether the whole text is a JSON object or list. A figure outside quotes counts as a number.
func (s *shownText) isJSON() bool {
	text := []rune(s.text.String())
	for _, f := range slices.Backward(s.figures) {
		text = slices.Replace(text, f.Start, f.End, '0')
	}
	whole := withoutCodeFence(string(text))
	return whole != "" && (whole[0] == '{' || whole[0] == '[') && json.Valid([]byte(whole))
}

// say sends the service's own text to the user.
func (r *run) say(text string) error { return r.sayPiece(answer.Piece{Text: text}) }

// sayPiece sends a piece of the answer to the user. The positions of its figures already refer to the whole answer.
func (r *run) sayPiece(p answer.Piece) error {
	if p.Text == "" {
		return nil
	}
	r.shown.text.WriteString(p.Text)
	r.shown.length += utf8.RuneCountInString(p.Text)
	r.shown.figures = append(r.shown.figures, p.Figures...)
	return r.out.emit(Text{p.Text, r.clientFigures(p.Figures)})
}

// maxOrigins limits the origins listed for one figure: a sum can be over thousands of rows.
const maxOrigins = 20

// clientFigures converts figures to the protocol's extension.
func (r *run) clientFigures(figures []answer.Figure) []openai.Figure {
	var extended []openai.Figure
	for _, f := range figures {
		e := openai.Figure{Start: f.Start, End: f.End, Expression: f.Expression, Kind: string(f.Kind), Marked: f.Marked}
		shown := min(len(f.Origins), maxOrigins)
		e.More = len(f.Origins) - shown
		for _, o := range f.Origins[:shown] {
			origin := openai.Origin{Report: o.Report, Tool: o.Tool, Field: o.Field, Row: o.Row, Name: o.RowName, Code: o.RowCode, AsOf: o.AsOf}
			if report, there := r.book.Report(o.Report); there {
				origin.Source = report.Source(r.lang)
			}
			e.Origins = append(e.Origins, origin)
		}
		extended = append(extended, e)
	}
	return extended
}

// sayParagraph sends a paragraph, unless it is empty.
func (r *run) sayParagraph(text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return r.say(r.paragraphBreak() + text)
}

// paragraphBreak returns what has to precede a new paragraph.
func (r *run) paragraphBreak() string {
	switch read := r.shown.text.String(); {
	case read == "", strings.HasSuffix(read, "\n\n"):
		return ""
	case strings.HasSuffix(read, "\n"):
		return "\n"
	}
	return "\n\n"
}

// sayOnce sends a paragraph, unless the answer already contains it.
func (r *run) sayOnce(text string) error {
	if strings.Contains(r.shown.text.String(), strings.TrimSpace(text)) {
		return nil
	}
	return r.sayParagraph(text)
}

// sayInstead sends the service's own text instead of the model's. If the client asked for a format, the text is sent as
// a refusal.
func (r *run) sayInstead(text string) error {
	r.closed = r.shown.length == 0
	if r.format == nil {
		return r.sayParagraph(text)
	}
	r.shown.text.WriteString(text)
	return r.out.emit(Refusal{text})
}
