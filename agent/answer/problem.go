package answer

import (
	"github.com/kopeck/kopeck/agent/answer/reference"
)

// Problem is a part of an answer that cannot be written.
type Problem struct {
	Expression string // as the model wrote it
	Cause      string // a short word for metrics
	Text       string // what is wrong, in words for a model
	Before     string // the end of the text before it
}

// Reason says in a language what is wrong: a model's words in English, plainer ones in Russian.
func (p Problem) Reason(lang string) string {
	return reference.Reason(p.Cause, p.Text, lang)
}
