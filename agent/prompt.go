package agent

import (
	_ "embed"
	"time"

	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

// prompt is what the model is told before anything else. It is never a template: nothing is filled into it.
//
//go:embed prompt.md
var prompt string

// instructions are the messages before the conversation: ours, then the client's own, which come second for a reason.
func instructions(now time.Time, client []openai.Message) []openai.Message {
	today := now.In(tools.Moscow).Format("Today is Monday, 2006-01-02, Moscow time.")
	messages := []openai.Message{{Role: openai.RoleSystem, Content: openai.Content(prompt + "\n" + today)}}
	for _, m := range client {
		messages = append(messages, openai.Message{Role: openai.RoleSystem, Content: m.Content})
	}
	return messages
}
