package proxy

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
)

// completionBuilder builds a chat completion from events. Adding an event also returns its chunks for the stream, so the
// complete and the streamed answer are always the same.
type completionBuilder struct {
	id           string
	model        string
	created      int64
	session      string
	text         strings.Builder
	figures      []openai.Figure
	refusal      string
	reasoning    strings.Builder
	toolCalls    []openai.ToolCall
	functionCall *openai.FunctionCall // used instead of toolCalls if asFunctions is set
	tools        activities
	finish       string
	answeredBy   string // as in openai.Extension
	usage        openai.Usage
	withUsage    bool // the stream ends with the usage
	asFunctions  bool // the client uses function_call instead of tools
}

func newCompletionBuilder(model, session string, now time.Time, withUsage bool) *completionBuilder {
	return &completionBuilder{id: "chatcmpl-" + uuid.NewString(), model: model, session: session, created: now.Unix(), withUsage: withUsage}
}

// opening returns the first chunk. Clients read the role from it.
func (c *completionBuilder) opening() []byte {
	empty := ""
	chunk := c.chunk(openai.Delta{Role: openai.RoleAssistant, Content: &empty})
	chunk.Kopeck = c.extension()
	return encodeFrame(chunk)
}

func (c *completionBuilder) add(ctx context.Context, e agent.Event) []byte {
	var frames []byte
	for _, chunk := range c.chunks(ctx, e) {
		frames = append(frames, encodeFrame(chunk)...)
	}
	return frames
}

// closing returns the end of the stream. If the client asked for the usage, a chunk with the usage comes first. It has no
// choices, so it must not be sent to other clients, which read choices[0] of every chunk.
func (c *completionBuilder) closing() []byte {
	if !c.withUsage {
		return doneFrame
	}
	chunk := c.chunk(openai.Delta{})
	chunk.Choices = []openai.ChunkChoice{}
	chunk.Usage = &c.usage
	return append(encodeFrame(chunk), doneFrame...)
}

func (c *completionBuilder) failed(p *problem.Problem) []byte { return encodeFrame(p.Body()) }

// chunks adds an event and returns its chunks.
func (c *completionBuilder) chunks(ctx context.Context, e agent.Event) []openai.Chunk {
	switch e := e.(type) {
	case agent.Text:
		c.text.WriteString(e.Delta)
		c.figures = append(c.figures, e.Figures...)
		return []openai.Chunk{c.chunk(openai.Delta{Content: &e.Delta, Kopeck: messageExtension(e.Figures)})}
	case agent.Refusal:
		c.refusal += e.Text
		return []openai.Chunk{c.chunk(openai.Delta{Refusal: e.Text})}
	case agent.ToolStarted:
		return c.toolStarted(e)
	case agent.ToolProgress:
		return c.toolProgress(e)
	case agent.ToolFinished:
		return c.toolFinished(ctx, e)
	case agent.ClientToolCalls:
		return c.clientCalls(e)
	case agent.Finished:
		c.finish, c.usage, c.answeredBy = e.Reason, e.Usage, answeredBy(e)
		if c.asFunctions && c.finish == openai.FinishToolCalls {
			c.finish = openai.FinishFunctionCall
		}
		last := c.chunk(openai.Delta{})
		last.Choices[0].FinishReason = &c.finish
		if c.answeredBy != "" {
			last.Kopeck = &openai.Extension{AnsweredBy: c.answeredBy}
		}
		return []openai.Chunk{last}
	}
	return nil
}

// toolStarted reports a call of one of the service's tools twice: as reasoning, for people, and in the kopeck extension,
// for programs.
func (c *completionBuilder) toolStarted(e agent.ToolStarted) []openai.Chunk {
	line := reasoningLine(e)
	c.reasoning.WriteString(line)
	return []openai.Chunk{c.chunk(openai.Delta{ReasoningContent: line}), c.activity(c.tools.started(e))}
}

// toolProgress reports progress, which only streams contain.
func (c *completionBuilder) toolProgress(e agent.ToolProgress) []openai.Chunk {
	activity, known := c.tools.progress(e)
	if !known {
		return nil
	}
	return []openai.Chunk{c.chunk(openai.Delta{ReasoningContent: e.Text + "\n"}), c.activity(activity)}
}

func (c *completionBuilder) toolFinished(ctx context.Context, e agent.ToolFinished) []openai.Chunk {
	activity, known := c.tools.finished(ctx, e)
	if !known {
		return nil
	}
	return []openai.Chunk{c.activity(activity)}
}

func (c *completionBuilder) clientCalls(e agent.ClientToolCalls) []openai.Chunk {
	if c.asFunctions { // parallel calls are disabled for these clients, so there is only one
		c.functionCall = &e.Calls[0].Function
		return []openai.Chunk{c.chunk(openai.Delta{FunctionCall: c.functionCall})}
	}
	deltas := make([]openai.ToolCall, len(e.Calls))
	for i, call := range e.Calls {
		call.Index = nil
		call.Type = "function"
		c.toolCalls = append(c.toolCalls, call)
		call.Index = &i // clients drop calls without an index
		deltas[i] = call
	}
	return []openai.Chunk{c.chunk(openai.Delta{ToolCalls: deltas})}
}

func (c *completionBuilder) chunk(d openai.Delta) openai.Chunk {
	return openai.Chunk{
		ID: c.id, Object: "chat.completion.chunk", Created: c.created, Model: c.model,
		Choices: []openai.ChunkChoice{{Delta: d}},
	}
}

func (c *completionBuilder) activity(t openai.ToolActivity) openai.Chunk {
	chunk := c.chunk(openai.Delta{})
	chunk.Kopeck = &openai.Extension{Tools: []openai.ToolActivity{t}}
	return chunk
}

// whole returns the complete answer.
func (c *completionBuilder) whole() any {
	message := openai.AnswerMessage{Role: openai.RoleAssistant, ReasoningContent: c.reasoning.String(), ToolCalls: c.toolCalls,
		FunctionCall: c.functionCall, Kopeck: messageExtension(c.figures)}
	switch text := c.text.String(); {
	case c.refusal != "":
		message.Refusal = &c.refusal
	case text != "" || len(c.toolCalls) == 0 && c.functionCall == nil:
		message.Content = &text
	}
	return openai.ChatCompletion{
		ID: c.id, Object: "chat.completion", Created: c.created, Model: c.model,
		Choices: []openai.Choice{{Message: message, FinishReason: c.finish}},
		Usage:   &c.usage,
		Kopeck:  c.extension(),
	}
}

func messageExtension(figures []openai.Figure) *openai.MessageExtension {
	if len(figures) == 0 {
		return nil
	}
	return &openai.MessageExtension{Figures: figures}
}

// extension returns nil if the answer has no session.
func (c *completionBuilder) extension() *openai.Extension {
	if c.session == "" {
		return nil
	}
	return &openai.Extension{SessionID: c.session, Tools: c.tools, AnsweredBy: c.answeredBy}
}

// answeredBy names the built-in model if it answered because the language model had failed.
func answeredBy(e agent.Finished) string {
	if e.BuiltIn {
		return provider.Offline
	}
	return ""
}
