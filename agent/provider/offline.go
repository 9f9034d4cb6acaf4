package provider

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// NewOffline is the model without a model. It recognizes the questions that the tools answer, in Russian and English, and
// picks their arguments; when they have answered it writes their results out. It calls only tools that it is offered,
// and says what it can do when it understands nothing. now is the clock that "last month" is counted from.
func NewOffline(now func() time.Time) llms.Model { return &offline{now} }

type offline struct{ now func() time.Time }

// GenerateContent plays one turn: the calls for a question, or the answer from what they gave.
func (o *offline) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	var asked llms.CallOptions
	for _, option := range options {
		option(&asked)
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	turn := o.read(messages, offers(asked))
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
func (o *offline) Call(ctx context.Context, prompt string, options ...llms.CallOption) (string, error) {
	return llms.GenerateFromSinglePrompt(ctx, o, prompt, options...)
}

// call is a tool with arguments.
type call struct {
	tool      string
	arguments map[string]any
}

func callsResponse(calls []call, position int) *llms.ContentResponse {
	choice := &llms.ContentChoice{StopReason: "tool_calls"}
	for i, c := range calls {
		arguments, err := json.Marshal(c.arguments)
		if err != nil {
			panic(err) // texts and numbers always encode
		}
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: fmt.Sprintf("call_%d_%d", position, i), Type: "function",
			FunctionCall: &llms.FunctionCall{Name: c.tool, Arguments: string(arguments)},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
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

// turn is what the conversation asks for now.
type turn struct {
	now      time.Time
	lang     string
	question string
	tooLong  bool // the question is only the message's end
	reply
	earlier  []utterance // the user's messages before
	waiting  []string    // codes of drafts of this conversation that nobody has confirmed
	outcomes []outcome
	offer    offer
}

// utterance is a message of the user.
type utterance struct {
	text string
	reply
}

// reply says that a message answers a question of ours.
type reply struct {
	asking  string // the argument that we asked for, "" if we asked for none
	unclear string // what had been said for it
	asked   string // the message in which we asked, with the candidates
}

func (o *offline) read(messages []llms.MessageContent, offered offer) *turn {
	t := &turn{now: o.now().In(moscow), offer: offered}
	heard, calls, settled := "", map[string]call{}, map[string]bool{}
	for _, m := range messages {
		switch m.Role {
		case llms.ChatMessageTypeHuman:
			if t.question != "" {
				t.earlier = append(t.earlier, utterance{t.question, t.reply})
			}
			t.outcomes, t.reply = nil, askedFor(heard)
			t.question, t.tooLong = ending(text(m))
			heard = ""
		case llms.ChatMessageTypeAI:
			heard = text(m)
			for _, draft := range shownDraft.FindAllStringSubmatch(heard, -1) {
				if code := draft[1]; !settled[code] && !slices.Contains(t.waiting, code) {
					t.waiting = append(t.waiting, code)
				}
			}
			for _, part := range m.Parts {
				if c, ok := part.(llms.ToolCall); ok && c.FunctionCall != nil {
					calls[c.ID] = readCall(c.FunctionCall)
				}
			}
		case llms.ChatMessageTypeSystem:
			for _, draft := range settledDraft.FindAllStringSubmatch(text(m), -1) {
				settled[draft[1]] = true
			}
		case llms.ChatMessageTypeTool:
			for _, part := range m.Parts {
				if r, ok := part.(llms.ToolCallResponse); ok {
					t.outcomes = append(t.outcomes, readOutcome(calls[r.ToolCallID], r.Content))
				}
			}
		}
	}
	t.lang = render.Language(t.question)
	return t
}

var (
	shownDraft   = expression.Of(`\*\*(?:подтверждаю|confirm) ([A-Z]{2}-[0-9A-Z]{6})\*\*`)
	settledDraft = expression.Of(`(?m)^([A-Z]{2}-[0-9A-Z]{6}): `) // as the service tells what has become of drafts
)

func text(m llms.MessageContent) string {
	var b strings.Builder
	for _, part := range m.Parts {
		if t, ok := part.(llms.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}

// mostHeard is how many bytes of a message are gone through: a hundred thousand would take a second.
const mostHeard = 16 << 10

// ending is the end of a message that is too long, enough to tell its language.
func ending(message string) (end string, tooLong bool) {
	if len(message) <= mostHeard {
		return message, false
	}
	return strings.ToValidUTF8(message[len(message)-mostHeard:], ""), true
}

func readCall(f *llms.FunctionCall) call {
	c := call{tool: f.Name}
	if json.Unmarshal([]byte(f.Arguments), &c.arguments) != nil {
		c.arguments = nil // an earlier model's mistake
	}
	return c
}

// calls are the tools to run next: for the question, or again where a call went wrong in a way that can be mended.
func (t *turn) calls() []call {
	if len(t.outcomes) > 0 {
		return t.mended()
	}
	if t.tooLong { // half of an order is none
		return nil
	}
	return t.callsOf(t.meant())
}
