// Package offline is the model without a model: rules that recognize the questions which the tools answer, in Russian and
// English, and pick their arguments, so that the service answers without a provider, or while one is away.
//
// A question's words choose a task (tasks.go), what it names fills slots (slots.go, place.go, period.go, lines.go), and slots
// fill the parameters that the tools have (arguments.go). A later message goes on with what an earlier one meant (follow.go), or
// answers what was asked (reply.go).
package offline

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/answer"
)

// New is the model. It calls only tools that it is offered, writes out what they answered, and says what it can do when it
// understands nothing. now is the clock that "last month" is counted from.
func New(now func() time.Time) llms.Model { return &model{now: now} }

type model struct {
	now  func() time.Time
	book *answer.Book
}

// Reading is the model for a conversation whose reports are in a book.
func (m *model) Reading(c answer.Conversation) llms.Model { return &model{m.now, c.Book} }

// GenerateContent plays one turn: the calls for a question, or the answer from what they gave.
func (m *model) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if m.book == nil { // it is asked to mend an answer, or for a title: that takes a real model
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{}}}, nil
	}
	turn := readTurn(m.now(), messages, offers(asked), m.book)
	calls := turn.calls()
	if len(calls) > 0 {
		return callsResponse(calls, len(messages)), nil
	}
	text, reason := within(asked.MaxTokens, turn.answer())
	if err := speak(ctx, text, asked.StreamingFunc); err != nil {
		return nil, err
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: text, StopReason: reason}}}, nil
}

// within cuts a text to so many tokens of about four bytes each, 0 being no limit, and tells why it ends.
func within(tokens int, text string) (cut, reason string) {
	const bytesPerToken = 4
	if tokens <= 0 || len(text) <= tokens*bytesPerToken {
		return text, "stop"
	}
	return strings.ToValidUTF8(text[:tokens*bytesPerToken], ""), "length"
}

// Call asks with a single text.
func (m *model) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, m, prompt, options...)
}

// speak streams a text line by line, as a model would.
func speak(ctx context.Context, text string, sink func(context.Context, []byte) error) error {
	if sink == nil {
		return nil
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := sink(ctx, []byte(line)); err != nil {
			return err
		}
	}
	return nil
}

// offer is what the model may call: by a tool's name, the schemas of its parameters by theirs.
type offer map[string]map[string]json.RawMessage

func (o offer) has(tool string) bool {
	_, offered := o[tool]
	return offered
}

// takes reports whether a tool has one of the parameters.
func (o offer) takes(tool string, parameters ...string) bool {
	return slices.ContainsFunc(parameters, func(name string) bool { _, has := o[tool][name]; return has })
}

func offers(asked llms.CallOptions) offer {
	o := offer{}
	if asked.ToolChoice == "none" {
		return o
	}
	for _, tool := range asked.Tools {
		if tool.Function == nil {
			continue
		}
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		encoded, err := json.Marshal(tool.Function.Parameters)
		if err != nil || json.Unmarshal(encoded, &schema) != nil {
			continue // a client's tool with a schema of its own kind
		}
		o[tool.Function.Name] = schema.Properties
	}
	return o
}
