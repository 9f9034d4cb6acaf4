package agent

import (
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

// drawing is what a request says about how to draw words.
func drawing(chat openai.ChatRequest) []llms.CallOption {
	return []llms.CallOption{provider.WithDrawing(provider.Drawing{Temperature: chat.Temperature, TopP: chat.TopP, Seed: chat.Seed})}
}

// stopReason is why a model ended, in the protocol's words.
func stopReason(response *llms.ContentResponse) string {
	cut := slices.ContainsFunc(response.Choices, func(c *llms.ContentChoice) bool {
		return c.StopReason == openai.FinishLength || c.StopReason == "max_tokens"
	})
	if cut {
		return openai.FinishLength
	}
	return openai.FinishStop
}
