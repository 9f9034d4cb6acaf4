package agent

import (
	_ "embed"

	"github.com/kopeck/kopeck/tools"
)

// prompt is the first system message. It is used as it is, never as a template.
//
//go:embed prompt.md
var prompt string

// instructions returns the texts of the system messages. The prompt precedes the client's own, so that it has priority. drafts says
// what has become of the conversation's drafts.
func (r *run) instructions(drafts string) []string {
	texts := []string{prompt + "\n" + r.Now().In(tools.Moscow).Format("Today is Monday, 2006-01-02, Moscow time.")}
	for _, m := range r.conversation.systemMessages {
		texts = append(texts, string(m.Content))
	}
	texts = append(texts, r.accountInstruction(), drafts)
	if r.format != nil {
		texts = append(texts, r.format.instruction())
	}
	if r.toolChoice.required {
		texts = append(texts, r.toolChoice.instruction(r.toolset.modelName))
	}
	return texts
}
