package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

// maxMendBytes limits a corrected expression. People cannot follow a longer one.
const maxMendBytes = 2 << 10

// mend asks the model to correct one expression while the answer waits. The correction is evaluated and checked like
// the rest of its text.
func (e *executorAgent) mend(ctx context.Context, p answer.Problem) (string, error) {
	asked := append(slices.Clone(e.messages),
		openai.Message{Role: openai.RoleAssistant, Content: openai.Content(p.Before)},
		openai.Message{Role: openai.RoleUser, Content: openai.Content(mendRequest(p))})
	by := e.answerer
	options := []llms.CallOption{llms.WithMaxTokens(maxMendBytes / 4), provider.WithAnswerer(&by)}
	if len(e.toolset.offered) > 0 { // without tools some providers reject a conversation with calls
		options = append(options, e.toolset.option, llms.WithToolChoice("none"))
	}
	response, err := e.Model.GenerateContent(ctx, toModel(asked), options...)
	if err != nil {
		return "", err
	}
	if err := e.recordUsage(by, response, asked); err != nil {
		return "", err
	}
	text := strings.TrimSpace(string(fromModel(response).Content))
	if len(text) > maxMendBytes || strings.Contains(text, "\n\n") {
		return "", fmt.Errorf("the model wrote %d bytes for one expression", len(text))
	}
	return text, nil
}

func mendRequest(p answer.Problem) string {
	text := fmt.Sprintf("Your answer stopped at %s: %s. Reply with nothing but what belongs in this place: a corrected reference in double "+
		"braces, with further words if it needs them, or words without figures if the reports do not have it.", p.Expression, p.Text)
	if after := strings.TrimSpace(p.After); after != "" {
		text += fmt.Sprintf(" The sentence goes on with %q and must read well with it.", after)
	}
	return text
}

// revisionRequest asks the model to write an answer again that nobody has seen yet.
func revisionRequest(problems []answer.Problem) openai.Message {
	const most = 20
	var b strings.Builder
	b.WriteString("Nobody has seen this answer yet, because of:\n")
	for _, p := range problems[:min(len(problems), most)] {
		fmt.Fprintf(&b, "- %.200s: %s\n", p.Expression, p.Text)
	}
	b.WriteString("Write all of it again.")
	return openai.Message{Role: openai.RoleSystem, Content: openai.Content(b.String())}
}
