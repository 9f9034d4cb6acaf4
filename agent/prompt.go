package agent

import (
	_ "embed"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/agent/grounding"
	"github.com/kopeck/kopeck/schemas/openai"
)

// prompt is what the model is told before anything else. It is never a template: nothing is filled into it.
//
//go:embed prompt.md
var prompt string

// moscow is the upstream's zone, in which people name days. It has had no summer time since 2014.
var moscow = time.FixedZone("MSK", 3*60*60)

// instructions are the messages before the conversation: ours, then the client's own, which come second for a reason.
func instructions(now time.Time, client []openai.Message) []openai.Message {
	today := now.In(moscow).Format("Today is Monday, 2006-01-02, Moscow time.")
	messages := []openai.Message{{Role: openai.RoleSystem, Content: openai.Content(prompt + "\n" + today)}}
	for _, m := range client {
		messages = append(messages, openai.Message{Role: openai.RoleSystem, Content: m.Content})
	}
	return messages
}

// objection asks for the answer again: it quotes what did not pass the check, and what the user has read already.
func objection(problems []grounding.Problem, released string) openai.Message {
	const most = 20
	var b strings.Builder
	b.WriteString("What you wrote was stopped by the answer check and the user has not seen it. What did not pass:\n")
	for _, p := range problems[:min(len(problems), most)] {
		fmt.Fprintf(&b, "- %.200q: %s\n", p.Text, p.Reason)
	}
	if released == "" {
		b.WriteString("Write all of it again")
	} else {
		fmt.Fprintf(&b, "The user has read this beginning, which stands:\n%s\nContinue from there without repeating it", released)
	}
	b.WriteString(", with figures exactly as the tool results have them; use `calculate` for derived ones.")
	return openai.Message{Role: openai.RoleSystem, Content: openai.Content(b.String())}
}
