package openai

import (
	"bytes"
	"encoding/json"
)

// ResponseRequest is the body of POST /v1/responses, as far as the service uses it.
type ResponseRequest struct {
	Model              string            `json:"model"`
	Input              Input             `json:"input"`
	Instructions       string            `json:"instructions"`
	PreviousResponseID string            `json:"previous_response_id"`
	Stream             bool              `json:"stream"`
	Store              *bool             `json:"store"` // nil means true
	Conversation       Conversation      `json:"conversation"`
	Tools              []ResponseTool    `json:"tools"`
	ToolChoice         json.RawMessage   `json:"tool_choice"`
	ParallelToolCalls  *bool             `json:"parallel_tool_calls"`
	Text               ResponseText      `json:"text"`
	MaxOutputTokens    *int              `json:"max_output_tokens"`
	Temperature        *float64          `json:"temperature"`
	TopP               *float64          `json:"top_p"`
	Metadata           map[string]string `json:"metadata"`
	User               string            `json:"user"`
}

// Conversation names a conversation. On the wire it is an id, or an object with an id.
type Conversation struct {
	ID string `json:"id"`
}

// UnmarshalJSON reads both forms.
func (c *Conversation) UnmarshalJSON(b []byte) error {
	if json.Unmarshal(b, &c.ID) == nil {
		return nil
	}
	type plain Conversation
	return json.Unmarshal(b, (*plain)(c))
}

// Input is what the client sends to the model. On the wire it is a text or a list of items.
type Input []InputItem

// UnmarshalJSON reads both forms.
func (in *Input) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*in = Input{{Role: RoleUser, Content: Content(text)}}
		return nil
	}
	return json.Unmarshal(b, (*[]InputItem)(in))
}

// The types of items, parts and objects, and the states of a response.
const (
	ItemMessage      = "message" // also the type of an item that does not have one
	ItemCall         = "function_call"
	ItemCallOutput   = "function_call_output"
	ItemCustom       = "custom_tool_call"
	ItemCustomOutput = "custom_tool_call_output"
	ItemReference    = "item_reference"
	ItemReasoning    = "reasoning"
	PartText         = "output_text"
	PartImage        = "input_image"
	PartRefusal      = "refusal"
	PartSummary      = "summary_text"
	ResponseObject   = "response"
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusIncomplete = "incomplete"
)

// InputItem is a message, a call, the result of a call, or a reference to an item of an earlier answer.
type InputItem struct {
	Type      string  `json:"type"`
	ID        string  `json:"id"`
	Role      string  `json:"role"`
	Content   Content `json:"content"`
	CallID    string  `json:"call_id"`
	Namespace string  `json:"namespace"`
	Name      string  `json:"name"`
	Arguments string  `json:"arguments"`
	Input     string  `json:"input"` // only in a call of a custom tool
	Output    Content `json:"output"`
	Images    []Image `json:"-"` // from the parts of the content
}

// The types of client tools that a model can use.
const (
	ToolFunction  = "function"
	ToolCustom    = "custom"    // its input is free text
	ToolNamespace = "namespace" // a group of tools of the other two types
)

// ResponseTool is a tool of the client. It is encoded exactly as it was received.
type ResponseTool struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Strict      *bool           `json:"strict"`
	Format      json.RawMessage `json:"format"` // the format of a custom tool's input
	Tools       []ResponseTool  `json:"tools"`  // the tools of a namespace

	sent json.RawMessage
}

// UnmarshalJSON reads a tool and stores its JSON.
func (t *ResponseTool) UnmarshalJSON(b []byte) error {
	type plain ResponseTool
	if err := json.Unmarshal(b, (*plain)(t)); err != nil {
		return err
	}
	t.sent = bytes.Clone(b)
	return nil
}

// MarshalJSON returns the stored JSON.
func (t ResponseTool) MarshalJSON() ([]byte, error) { return t.sent, nil }

// ResponseText is the format of the answer's text.
type ResponseText struct {
	Format json.RawMessage `json:"format"` // {type, name, schema, strict}; null means text
}

// Response is an answer. Clients require the fields without omitempty. These are null if empty.
type Response struct {
	ID                 string             `json:"id"`
	Object             string             `json:"object"` // response
	CreatedAt          int64              `json:"created_at"`
	CompletedAt        *int64             `json:"completed_at"`
	Conversation       *Conversation      `json:"conversation"`
	Status             string             `json:"status"`
	Background         bool               `json:"background"`
	Error              *Error             `json:"error"`
	IncompleteDetails  *IncompleteDetails `json:"incomplete_details"`
	Instructions       *string            `json:"instructions"`
	MaxOutputTokens    *int               `json:"max_output_tokens"`
	Metadata           map[string]string  `json:"metadata"`
	Model              string             `json:"model"`
	Output             []*OutputItem      `json:"output"`
	ParallelToolCalls  bool               `json:"parallel_tool_calls"`
	PreviousResponseID *string            `json:"previous_response_id"`
	Reasoning          json.RawMessage    `json:"reasoning"`
	Store              bool               `json:"store"`
	Temperature        *float64           `json:"temperature"`
	Text               ResponseText       `json:"text"`
	ToolChoice         json.RawMessage    `json:"tool_choice"`
	Tools              []ResponseTool     `json:"tools"`
	TopP               *float64           `json:"top_p"`
	Truncation         string             `json:"truncation"`
	Usage              *ResponseUsage     `json:"usage"`
	User               *string            `json:"user"`

	Kopeck *Extension `json:"kopeck,omitempty"`
}

// IncompleteDetails says why an answer is incomplete.
type IncompleteDetails struct {
	Reason string `json:"reason"` // max_output_tokens
}

// ResponseUsage counts tokens. Clients require the details even if the provider does not report them.
type ResponseUsage struct {
	InputTokens        int `json:"input_tokens"`
	InputTokensDetails struct {
		CachedTokens int `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	OutputTokens        int `json:"output_tokens"`
	OutputTokensDetails struct {
		ReasoningTokens int `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	TotalTokens int `json:"total_tokens"`
}

// OutputItem is a message, a summary of reasoning, or a call for the client to run. Which fields it has depends on its
// type.
type OutputItem struct {
	ID        string        `json:"id"`
	Type      string        `json:"type"`
	Status    string        `json:"status"`
	Role      string        `json:"role,omitempty"`
	Content   []*OutputPart `json:"content,omitempty"` // only in a message
	Summary   []*OutputPart `json:"summary,omitempty"` // only in a summary of reasoning
	CallID    string        `json:"call_id,omitempty"`
	Namespace string        `json:"namespace,omitempty"`
	Name      string        `json:"name,omitempty"`
	Arguments *string       `json:"arguments,omitempty"`
	Input     *string       `json:"input,omitempty"` // only in a call of a custom tool
}

// MarshalJSON includes the list that the item's type requires, even if it is empty.
func (i *OutputItem) MarshalJSON() ([]byte, error) {
	type plain OutputItem
	list := func(parts []*OutputPart) *[]*OutputPart {
		if parts == nil {
			parts = []*OutputPart{}
		}
		return &parts
	}
	whole := struct {
		plain
		Content *[]*OutputPart `json:"content,omitempty"`
		Summary *[]*OutputPart `json:"summary,omitempty"`
	}{plain: plain(*i)}
	switch i.Type {
	case ItemMessage:
		whole.Content = list(i.Content)
	case ItemReasoning:
		whole.Summary = list(i.Summary)
	}
	return json.Marshal(whole)
}

// OutputPart is a text of an answer, a refusal or a summary.
type OutputPart struct{ Type, Text string }

// MarshalJSON includes the fields that the part's type requires.
func (p *OutputPart) MarshalJSON() ([]byte, error) {
	switch p.Type {
	case PartRefusal:
		return json.Marshal(map[string]string{"type": p.Type, "refusal": p.Text})
	case PartSummary:
		return json.Marshal(map[string]string{"type": p.Type, "text": p.Text})
	}
	return json.Marshal(map[string]any{"type": p.Type, "text": p.Text, "annotations": []any{}, "logprobs": []any{}})
}

// ResponseEvent is an event of a streamed answer. Which fields it has depends on its type.
type ResponseEvent struct {
	Type           string      `json:"type"`
	SequenceNumber int         `json:"sequence_number"`
	Response       *Response   `json:"response,omitempty"`
	OutputIndex    *int        `json:"output_index,omitempty"`
	ItemID         string      `json:"item_id,omitempty"`
	Item           *OutputItem `json:"item,omitempty"`
	ContentIndex   *int        `json:"content_index,omitempty"`
	SummaryIndex   *int        `json:"summary_index,omitempty"`
	Part           *OutputPart `json:"part,omitempty"`
	Delta          *string     `json:"delta,omitempty"`
	Text           *string     `json:"text,omitempty"`
	Refusal        *string     `json:"refusal,omitempty"`
	Name           string      `json:"name,omitempty"`
	Arguments      *string     `json:"arguments,omitempty"`
	Input          *string     `json:"input,omitempty"`
	Logprobs       *[]string   `json:"logprobs,omitempty"` // only in events with text, where clients require it

	Kopeck *Extension `json:"kopeck,omitempty"`
}
