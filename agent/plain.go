package agent

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/openai"
)

// pass hands a request on to a model as it is: no tools of ours, no session, no check of the answer.
func (a *Agent) pass(ctx context.Context, model llms.Model, chat openai.ChatRequest, out *output) error {
	if err := out.emit(Started{}); err != nil {
		return err
	}
	clients := newToolset(nil, chat.Tools)
	options := append(sampling(chat), llms.WithStreamingFunc(func(_ context.Context, text []byte) error {
		return out.emit(Text{string(text)})
	}))
	if len(clients.offered) > 0 {
		options = append(options, llms.WithTools(clients.offered))
		if choice := toolChoice(chat); choice != nil {
			options = append(options, llms.WithToolChoice(choice))
		}
	}
	messages := sound(chat.Messages)
	response, err := model.GenerateContent(ctx, toModel(messages), options...)
	if err != nil {
		return err
	}
	reason := stopReason(response)
	if calls := fromModel(response).ToolCalls; len(calls) > 0 {
		reason = openai.FinishToolCalls
		if err := out.emit(ClientToolCalls{calls}); err != nil {
			return err
		}
	}
	return out.emit(Finished{reason, usageOf(response, messages)})
}

// sampling is what a request says about how to draw words, how many, and in which form.
func sampling(chat openai.ChatRequest) []llms.CallOption {
	options := drawing(chat)
	if most := chat.MaxCompletionTokens; most != nil {
		options = append(options, llms.WithMaxTokens(*most))
	} else if most := chat.MaxTokens; most != nil {
		options = append(options, llms.WithMaxTokens(*most))
	}
	if len(chat.Stop) > 0 {
		options = append(options, llms.WithStopWords(chat.Stop))
	}
	if format := chat.ResponseFormat; len(format) > 0 && string(format) != "null" {
		options = append(options, provider.WithField("response_format", format))
	}
	return options
}

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

// toolChoice is the client's choice in the form it was sent; nil if there is none.
func toolChoice(chat openai.ChatRequest) any {
	var choice any
	if json.Unmarshal(chat.ToolChoice, &choice) != nil {
		return nil
	}
	return choice
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
