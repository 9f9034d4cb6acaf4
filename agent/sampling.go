package agent

import (
	"slices"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

func samplingOptions(chat openai.ChatRequest) []llms.CallOption {
	return []llms.CallOption{provider.WithSampling(provider.Sampling{Temperature: chat.Temperature, TopP: chat.TopP, Seed: chat.Seed})}
}

// stopReason returns the protocol's finish reason of a response.
func stopReason(response *llms.ContentResponse) string {
	cut := slices.ContainsFunc(response.Choices, func(c *llms.ContentChoice) bool {
		return c.StopReason == openai.FinishLength || c.StopReason == "max_tokens"
	})
	if cut {
		return openai.FinishLength
	}
	return openai.FinishStop
}
