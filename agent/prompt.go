package agent

import (
	_ "embed"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// prompt is the first system message. It is used as it is, never as a template.
//
//go:embed prompt.md
var prompt string

// instructions returns the system messages. Ours precede the client's, so that they have priority.
func instructions(now time.Time, client []openai.Message) []openai.Message {
	today := now.In(tools.Moscow).Format("Today is Monday, 2006-01-02, Moscow time.")
	messages := []openai.Message{{Role: openai.RoleSystem, Content: openai.Content(prompt + "\n" + today)}}
	for _, m := range client {
		messages = append(messages, openai.Message{Role: openai.RoleSystem, Content: m.Content})
	}
	return messages
}
