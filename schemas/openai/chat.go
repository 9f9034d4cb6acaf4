// Package openai defines the wire types of OpenAI's APIs for chat completions, responses and models, in the form that the
// official clients send and read.
//
// Decoding ignores unknown fields. Encoding always includes the fields that clients require.
package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// ChatRequest is the body of POST /v1/chat/completions, as far as the service uses it.
type ChatRequest struct {
	Model               string            `json:"model"`
	Messages            []Message         `json:"messages"`
	Stream              bool              `json:"stream,omitempty"`
	StreamOptions       *StreamOptions    `json:"stream_options,omitempty"`
	Tools               []Tool            `json:"tools,omitempty"`
	ToolChoice          json.RawMessage   `json:"tool_choice,omitempty"`
	ParallelToolCalls   *bool             `json:"parallel_tool_calls,omitempty"`
	ResponseFormat      json.RawMessage   `json:"response_format,omitempty"`
	Temperature         *float64          `json:"temperature,omitempty"`
	TopP                *float64          `json:"top_p,omitempty"`
	MaxTokens           *int              `json:"max_tokens,omitempty"`
	MaxCompletionTokens *int              `json:"max_completion_tokens,omitempty"`
	Seed                *int              `json:"seed,omitempty"`
	Stop                Strings           `json:"stop,omitempty"`
	N                   *int              `json:"n,omitempty"`
	Functions           []Function        `json:"functions,omitempty"`     // the older form of tools
	FunctionCall        json.RawMessage   `json:"function_call,omitempty"` // the older form of tool_choice
	User                string            `json:"user,omitempty"`
	Metadata            map[string]string `json:"metadata,omitempty"`
}

// StreamOptions can request the chunk with the usage at the end of a stream.
type StreamOptions struct {
	IncludeUsage bool `json:"include_usage,omitempty"`
}

// The roles of messages.
const (
	RoleSystem    = "system"
	RoleDeveloper = "developer"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
	RoleFunction  = "function" // the older form of tool
)

// Message is one message of a conversation.
type Message struct {
	Role       string     `json:"role"`
	Content    Content    `json:"content"`
	Name       string     `json:"name,omitempty"`
	ToolCalls  []ToolCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	FunctionCall *FunctionCall `json:"function_call,omitempty"` // the older form of tool_calls
	Images       []Image       `json:"-"`                       // from the parts of the content
}

// Content is the text of a message. On the wire it is a string, null, or a list of parts. UnmarshalJSON joins the texts of
// the parts.
type Content string

// UnmarshalJSON reads all three forms. It ignores parts that are neither text nor images: the request's schema has already
// rejected them.
func (c *Content) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	if bytes.Equal(b, []byte("null")) {
		*c = ""
		return nil
	}
	if len(b) > 0 && b[0] == '"' {
		var s string
		err := json.Unmarshal(b, &s)
		*c = Content(s)
		return err
	}
	var parts []struct {
		Type    string `json:"type"`
		Text    string `json:"text"`
		Refusal string `json:"refusal"`
	}
	if err := json.Unmarshal(b, &parts); err != nil {
		return errors.New("content must be a string, null or a list of parts")
	}
	var text []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", PartText:
			text = append(text, p.Text)
		case PartRefusal:
			text = append(text, p.Refusal)
		}
	}
	*c = Content(strings.Join(text, "\n"))
	return nil
}

// Strings is a list of strings. Clients may send a list of one as a plain string.
type Strings []string

// UnmarshalJSON reads a string or a list of strings.
func (s *Strings) UnmarshalJSON(b []byte) error {
	var one string
	if json.Unmarshal(b, &one) == nil {
		*s = nil
		if one != "" {
			*s = Strings{one}
		}
		return nil
	}
	return json.Unmarshal(b, (*[]string)(s))
}

// Tool is a function that a model may call.
type Tool struct {
	Type     string   `json:"type"` // function
	Function Function `json:"function"`
}

// Function describes a tool; Parameters is a JSON Schema.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Strict      *bool           `json:"strict,omitempty"`
}

// ToolCall is a model's request to call a function. Index is only set in the deltas of a stream, where clients require it.
type ToolCall struct {
	Index    *int         `json:"index,omitempty"`
	ID       string       `json:"id,omitempty"`
	Type     string       `json:"type,omitempty"`
	Function FunctionCall `json:"function"`
}

// FunctionCall is a function's name and its arguments as JSON text. The model writes that text, so it may be invalid.
type FunctionCall struct {
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments"`
}

// ChatCompletion is an answer that is not streamed.
type ChatCompletion struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"` // chat.completion
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []Choice `json:"choices"`
	Usage   *Usage   `json:"usage,omitempty"`

	Kopeck *Extension `json:"kopeck,omitempty"`
}

// Choice is one answer; the service always returns exactly one.
type Choice struct {
	Index        int             `json:"index"`
	Message      AnswerMessage   `json:"message"`
	FinishReason string          `json:"finish_reason"`
	Logprobs     json.RawMessage `json:"logprobs"`
}

// AnswerMessage is the message of an answer. content and refusal are always present, null if empty.
type AnswerMessage struct {
	Role             string     `json:"role"`
	Content          *string    `json:"content"`
	Refusal          *string    `json:"refusal"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`

	FunctionCall *FunctionCall     `json:"function_call,omitempty"`
	Kopeck       *MessageExtension `json:"kopeck,omitempty"`
}

// The reasons why an answer ends.
const (
	FinishStop         = "stop"
	FinishLength       = "length"
	FinishToolCalls    = "tool_calls"
	FinishFunctionCall = "function_call"
)

// Usage counts tokens.
type Usage struct {
	PromptTokens     int `json:"prompt_tokens"`
	CompletionTokens int `json:"completion_tokens"`
	TotalTokens      int `json:"total_tokens"`

	CachedTokens int  `json:"-"` // prompt tokens that the provider read from its cache, if it reported them
	Estimated    bool `json:"-"` // true if the provider did not report the tokens
}

// Chunk is one event of a streamed answer.
type Chunk struct {
	ID      string        `json:"id"`
	Object  string        `json:"object"` // chat.completion.chunk
	Created int64         `json:"created"`
	Model   string        `json:"model"`
	Choices []ChunkChoice `json:"choices"`
	Usage   *Usage        `json:"usage,omitempty"`

	Kopeck *Extension `json:"kopeck,omitempty"`
}

// ChunkChoice is the part of the answer in one chunk. FinishReason is null except in the last chunk.
type ChunkChoice struct {
	Index        int             `json:"index"`
	Delta        Delta           `json:"delta"`
	FinishReason *string         `json:"finish_reason"`
	Logprobs     json.RawMessage `json:"logprobs"`
}

// Delta is what a chunk adds to the message.
type Delta struct {
	Role             string     `json:"role,omitempty"`
	Content          *string    `json:"content,omitempty"`
	Refusal          string     `json:"refusal,omitempty"`
	ReasoningContent string     `json:"reasoning_content,omitempty"`
	ToolCalls        []ToolCall `json:"tool_calls,omitempty"`

	FunctionCall *FunctionCall     `json:"function_call,omitempty"`
	Kopeck       *MessageExtension `json:"kopeck,omitempty"`
}

// Model is an entry of the model list.
type Model struct {
	ID      string `json:"id"`
	Object  string `json:"object"` // model
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

// ModelList is the body of GET /v1/models.
type ModelList struct {
	Object string  `json:"object"` // list
	Data   []Model `json:"data"`
}

// Error is OpenAI's error object; all four keys are always present.
type Error struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}
