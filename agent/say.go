package agent

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// spoken is what the user has read of the answer.
type spoken struct {
	text     strings.Builder
	length   int // in code points, the unit of the figures' places
	figures  []answer.Figure
	extended []openai.Figure // the same as clients read them
}

// isJSON reports whether the whole text is a JSON object or list, or would be with a number in place of each figure: a model may leave
// out the quotes that figures need.
func (s *spoken) isJSON() bool {
	text := []rune(s.text.String())
	for _, f := range slices.Backward(s.figures) {
		text = slices.Replace(text, f.Start, f.End, '0')
	}
	whole := unfenced(string(text))
	return whole != "" && (whole[0] == '{' || whole[0] == '[') && json.Valid([]byte(whole))
}

// say hands text of the service's own to the user.
func (r *run) say(text string) error { return r.tell(answer.Piece{Text: text}) }

// tell hands a piece of the answer to the user. Places of its figures are those in the whole answer already.
func (r *run) tell(p answer.Piece) error {
	if p.Text == "" {
		return nil
	}
	r.read.text.WriteString(p.Text)
	r.read.length += utf8.RuneCountInString(p.Text)
	r.read.figures = append(r.read.figures, p.Figures...)
	figures := r.extended(p.Figures)
	r.read.extended = append(r.read.extended, figures...)
	return r.out.emit(Text{p.Text, figures})
}

// mostOrigins is how many origins of one figure are listed: a sum may be over thousands of rows.
const mostOrigins = 20

// extended are figures in the form of the protocol's extension, each origin with what its report is called.
func (r *run) extended(figures []answer.Figure) []openai.Figure {
	var extended []openai.Figure
	for _, f := range figures {
		e := openai.Figure{Start: f.Start, End: f.End, Expression: f.Expression, Kind: string(f.Kind), Marked: f.Marked}
		shown := min(len(f.Origins), mostOrigins)
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

// sayApart says a text as a paragraph of its own, unless there is none.
func (r *run) sayApart(text string) error {
	if text = strings.TrimSpace(text); text == "" {
		return nil
	}
	return r.say(r.parting() + text)
}

// parting is what a new paragraph begins with.
func (r *run) parting() string {
	switch read := r.read.text.String(); {
	case read == "", strings.HasSuffix(read, "\n\n"):
		return ""
	case strings.HasSuffix(read, "\n"):
		return "\n"
	}
	return "\n\n"
}

// sayOnce says a text as a paragraph of its own, unless it has been said.
func (r *run) sayOnce(text string) error {
	if strings.Contains(r.read.text.String(), strings.TrimSpace(text)) {
		return nil
	}
	return r.sayApart(text)
}

// sayInstead says the service's own words in the place of the model's. They have no format, so a client that asked for
// one gets them as a refusal.
func (r *run) sayInstead(text string) error {
	r.ended = r.read.length == 0
	if r.format == nil {
		return r.sayApart(text)
	}
	r.read.text.WriteString(text)
	return r.out.emit(Refusal{text})
}
