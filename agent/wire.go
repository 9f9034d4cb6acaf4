package agent

import (
	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/openai"
)

// toModel converts messages to langchaingo's type. That type is not used elsewhere because it loses the arguments of
// tool calls in JSON.
func toModel(messages []openai.Message) []llms.MessageContent {
	out := make([]llms.MessageContent, 0, len(messages))
	for _, m := range messages {
		switch m.Role {
		case openai.RoleTool:
			out = append(out, llms.MessageContent{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{
				llms.ToolCallResponse{ToolCallID: m.ToolCallID, Name: m.Name, Content: string(m.Content)},
			}})
		case openai.RoleAssistant:
			out = append(out, assistantToModel(m))
		case openai.RoleUser:
			human := llms.TextParts(llms.ChatMessageTypeHuman, string(m.Content))
			for _, image := range m.Images {
				human.Parts = append(human.Parts, llms.ImageURLWithDetailPart(image.URL, image.Detail))
			}
			out = append(out, human)
		default:
			out = append(out, llms.TextParts(llms.ChatMessageTypeSystem, string(m.Content)))
		}
	}
	return out
}

func assistantToModel(m openai.Message) llms.MessageContent {
	content := llms.MessageContent{Role: llms.ChatMessageTypeAI}
	if m.Content != "" || len(m.ToolCalls) == 0 {
		content.Parts = append(content.Parts, llms.TextPart(string(m.Content)))
	}
	for _, call := range m.ToolCalls {
		content.Parts = append(content.Parts, llms.ToolCall{
			ID: call.ID, Type: "function",
			FunctionCall: &llms.FunctionCall{Name: call.Function.Name, Arguments: call.Function.Arguments},
		})
	}
	return content
}

// fromModel converts the text and the tool calls of a model's response.
func fromModel(response *llms.ContentResponse) openai.Message {
	m := openai.Message{Role: openai.RoleAssistant}
	for _, choice := range response.Choices {
		m.Content += openai.Content(choice.Content)
		for _, call := range choice.ToolCalls {
			if call.FunctionCall == nil {
				continue
			}
			m.ToolCalls = append(m.ToolCalls, openai.ToolCall{
				ID: call.ID, Type: "function",
				Function: openai.FunctionCall{Name: call.FunctionCall.Name, Arguments: call.FunctionCall.Arguments},
			})
		}
	}
	return m
}

// usageOf returns the tokens that a provider counted, or estimates them at four bytes a token. langchaingo's own
// counting downloads files and is not used.
func usageOf(response *llms.ContentResponse, asked []openai.Message) openai.Usage {
	var u openai.Usage
	for _, choice := range response.Choices {
		u.PromptTokens, _ = choice.GenerationInfo["PromptTokens"].(int)
		u.CompletionTokens, _ = choice.GenerationInfo["CompletionTokens"].(int)
		u.CachedTokens, _ = choice.GenerationInfo["CachedTokens"].(int)
	}
	u.Estimated = u.PromptTokens <= 0 || u.CompletionTokens <= 0
	if u.PromptTokens <= 0 {
		u.PromptTokens = estimateTokens(asked...)
	}
	if u.CompletionTokens <= 0 {
		u.CompletionTokens = estimateTokens(fromModel(response))
	}
	u.TotalTokens = u.PromptTokens + u.CompletionTokens
	return u
}

func estimateTokens(messages ...openai.Message) int {
	const bytesPerToken = 4
	size := 0
	for _, m := range messages {
		size += len(m.Content)
		for _, call := range m.ToolCalls {
			size += len(call.Function.Name) + len(call.Function.Arguments)
		}
	}
	return (size + bytesPerToken - 1) / bytesPerToken
}
