package answer

import (
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// Problem is a part of an answer that cannot be written.
type Problem struct {
	Expression string // as the model wrote it
	Cause      string // for metrics
	Text       string // what is wrong, for the model
	Before     string // end of the text before the part
	After      string // the rest of its sentence; empty if nobody is asked to mend it
}

// Reason says for people what is wrong.
func (p Problem) Reason(lang string) string {
	return reference.Reason(p.Cause, p.Text, lang)
}
