package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/schemas/openai"
)

// maxMendBytes is more than any expression that a reader could follow.
const maxMendBytes = 2 << 10

// mend asks the model for the one expression that failed, while the answer waits there. What it gives is evaluated and
// checked like everything else that it writes.
func (t *turns) mend(ctx context.Context, p answer.Problem) (string, error) {
	asked := append(slices.Clone(t.messages),
		openai.Message{Role: openai.RoleAssistant, Content: openai.Content(p.Before)},
		openai.Message{Role: openai.RoleUser, Content: openai.Content(mendRequest(p))})
	options := []llms.CallOption{llms.WithMaxTokens(maxMendBytes / 4)}
	if len(t.toolset.offered) > 0 { // some providers refuse a conversation with calls otherwise
		options = append(options, t.toolset.option, llms.WithToolChoice("none"))
	}
	response, err := t.Model.GenerateContent(ctx, toModel(asked), options...)
	if err != nil {
		return "", err
	}
	if err := t.use(response, asked); err != nil {
		return "", err
	}
	said := strings.TrimSpace(string(fromModel(response).Content))
	if len(said) > maxMendBytes || strings.Contains(said, "\n\n") {
		return "", fmt.Errorf("the model gave %d bytes for one expression", len(said))
	}
	return said, nil
}

func mendRequest(p answer.Problem) string {
	return fmt.Sprintf("Your answer stopped at %s: %s. Reply with nothing but what belongs in this place: one corrected reference in double "+
		"braces, or words without figures if the reports do not have it.", p.Expression, p.Text)
}

// revision asks for a whole answer again that a program is to read.
func revision(problems []answer.Problem) openai.Message {
	const most = 20
	var b strings.Builder
	b.WriteString("Nobody has seen this answer yet, because of:\n")
	for _, p := range problems[:min(len(problems), most)] {
		fmt.Fprintf(&b, "- %.200s: %s\n", p.Expression, p.Text)
	}
	b.WriteString("Write all of it again.")
	return openai.Message{Role: openai.RoleSystem, Content: openai.Content(b.String())}
}
