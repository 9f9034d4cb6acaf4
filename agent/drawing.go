package agent

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

// drawing is what a request says about how to draw words.
func drawing(chat openai.ChatRequest) []llms.CallOption {
	var options []llms.CallOption
	if chat.Temperature != nil {
		options = append(options, llms.WithTemperature(*chat.Temperature))
	}
	if chat.TopP != nil {
		options = append(options, provider.WithField("top_p", json.RawMessage(strconv.FormatFloat(*chat.TopP, 'f', -1, 64))))
	}
	if chat.Seed != nil {
		options = append(options, llms.WithSeed(*chat.Seed))
	}
	return options
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
