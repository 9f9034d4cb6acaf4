package agent

import (
	"strings"
	"unicode/utf8"

	"github.com/kopeck/kopeck/agent/answer"
)

// spoken is what the user has read of the answer.
type spoken struct {
	text    strings.Builder
	length  int // in code points, the unit of the figures' places
	figures []answer.Figure
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
	return r.out.emit(Text{p.Text, p.Figures})
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
