package provider

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/openai"
)

// OpenAI's models that reject the field parallel_tool_calls, such as o1 and o3-mini, and those that reject temperature
// and top_p.
var (
	noParallelField = regexp.MustCompile(`^o\d`)
	noTemperature   = regexp.MustCompile(`^(o\d|gpt-5)`)
)

// chatRequest is the body of a request without the tools.
type chatRequest struct {
	Model               string                `json:"model"`
	Messages            []wireMessage         `json:"messages"`
	Stream              bool                  `json:"stream,omitempty"`
	StreamOptions       *openai.StreamOptions `json:"stream_options,omitempty"`
	ToolChoice          any                   `json:"tool_choice,omitempty"`
	ParallelToolCalls   bool                  `json:"parallel_tool_calls,omitempty"`
	Temperature         *float64              `json:"temperature,omitempty"`
	TopP                *float64              `json:"top_p,omitempty"`
	Seed                *int                  `json:"seed,omitempty"`
	Stop                []string              `json:"stop,omitempty"`
	MaxTokens           int                   `json:"max_tokens,omitempty"`
	MaxCompletionTokens int                   `json:"max_completion_tokens,omitempty"`
}

// request appends the body of a request to body.
func (p *Client) request(body []byte, messages []llms.MessageContent, asked llms.CallOptions) ([]byte, error) {
	wired, err := wireMessages(messages)
	if err != nil {
		return nil, fmt.Errorf("write the model request: %w", err)
	}
	own := ownOf(asked)
	r := chatRequest{Model: p.Name, Messages: wired, Seed: own.sampling.Seed, Stop: asked.StopWords}
	if asked.StreamingFunc != nil {
		r.Stream, r.StreamOptions = true, &openai.StreamOptions{IncludeUsage: true}
	}
	if len(asked.Tools) > 0 {
		if r.ToolChoice = asked.ToolChoice; r.ToolChoice == nil {
			r.ToolChoice = "auto"
		}
		r.ParallelToolCalls = !noParallelField.MatchString(p.Name)
	}
	if !noTemperature.MatchString(p.Name) {
		r.Temperature, r.TopP = own.sampling.Temperature, own.sampling.TopP
	}
	if p.OldMaxTokens {
		r.MaxTokens = asked.MaxTokens
	} else {
		r.MaxCompletionTokens = asked.MaxTokens
	}
	object, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("write the model request: %w", err)
	}
	body = append(body, object[:len(object)-1]...)
	for _, name := range slices.Sorted(maps.Keys(own.fields)) {
		body = append(strconv.AppendQuote(append(body, ','), name), ':')
		body = append(body, own.fields[name]...)
	}
	if len(asked.Tools) == 0 {
		return append(body, '}'), nil
	}
	tools, err := toolsOf(asked)
	if err != nil {
		return nil, fmt.Errorf("write the model request: %w", err)
	}
	body = append(append(body, `,"tools":`...), tools...)
	return append(body, '}'), nil
}

// wireMessage is a message of the protocol. If a message has tool calls and no text, its content is null, because some
// servers reject an empty string there.
type wireMessage struct {
	Role       string            `json:"role"`
	Content    any               `json:"content"` // a string, a list of parts, or null
	ToolCalls  []openai.ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string            `json:"tool_call_id,omitempty"`
}

// wirePart is a part of a message that contains images.
type wirePart struct {
	Type  string     `json:"type"`
	Text  string     `json:"text,omitempty"`
	Image *wireImage `json:"image_url,omitempty"`
}

type wireImage struct {
	URL    string `json:"url"`
	Detail string `json:"detail,omitempty"`
}

var wireRoles = map[llms.ChatMessageType]string{
	llms.ChatMessageTypeSystem:  openai.RoleSystem,
	llms.ChatMessageTypeHuman:   openai.RoleUser,
	llms.ChatMessageTypeGeneric: openai.RoleUser,
	llms.ChatMessageTypeAI:      openai.RoleAssistant,
	llms.ChatMessageTypeTool:    openai.RoleTool,
}

func wireMessages(messages []llms.MessageContent) ([]wireMessage, error) {
	wired := make([]wireMessage, len(messages))
	for i, m := range messages {
		role, known := wireRoles[m.Role]
		if !known {
			return nil, fmt.Errorf("messages of role %q cannot be sent", m.Role)
		}
		text := ""
		var images []wirePart
		w := wireMessage{Role: role}
		for _, part := range m.Parts {
			switch p := part.(type) {
			case llms.TextContent:
				text += p.Text
			case llms.ImageURLContent:
				images = append(images, wirePart{Type: "image_url", Image: &wireImage{p.URL, p.Detail}})
			case llms.ToolCall:
				w.ToolCalls = append(w.ToolCalls, openai.ToolCall{ID: p.ID, Type: "function",
					Function: openai.FunctionCall{Name: p.FunctionCall.Name, Arguments: p.FunctionCall.Arguments}})
			case llms.ToolCallResponse:
				w.ToolCallID = p.ToolCallID
				text += p.Content
			default:
				return nil, fmt.Errorf("a %T cannot be sent", part)
			}
		}
		switch {
		case len(images) > 0 && text == "":
			w.Content = images
		case len(images) > 0:
			w.Content = append([]wirePart{{Type: "text", Text: text}}, images...)
		case text != "" || len(w.ToolCalls) == 0:
			w.Content = text
		}
		wired[i] = w
	}
	return wired, nil
}
