package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/schemas/openai"
)

// completion is an answer in the making. Each event adds to it and returns its chunks, so the whole answer and the stream
// cannot differ.
type completion struct {
	id        string
	model     string
	created   int64
	session   string
	text      strings.Builder
	figures   []openai.Figure
	refusal   string
	reasoning strings.Builder
	calls     []openai.ToolCall
	called    *openai.FunctionCall // in place of calls
	tools     activities
	finish    string
	usage     openai.Usage
	withUsage bool // the stream ends with the usage
	functions bool // a call is told as function_call
}

func newCompletion(model, session string, now time.Time, withUsage bool) *completion {
	return &completion{id: "chatcmpl-" + uuid.NewString(), model: model, session: session, created: now.Unix(), withUsage: withUsage}
}

// opening is the chunk that must come first: clients take the role from it.
func (c *completion) opening() []byte {
	empty := ""
	chunk := c.chunk(openai.Delta{Role: openai.RoleAssistant, Content: &empty})
	chunk.Kopeck = c.extension()
	return frame(chunk)
}

func (c *completion) add(ctx context.Context, e agent.Event) []byte {
	var frames []byte
	for _, chunk := range c.chunks(ctx, e) {
		frames = append(frames, frame(chunk)...)
	}
	return frames
}

// doneFrame is the last of a stream.
var doneFrame = []byte("data: [DONE]\n\n")

// closing is the usage, for clients that ask for it (others read choices[0] of every chunk), and the end.
func (c *completion) closing(context.Context) []byte {
	if !c.withUsage {
		return doneFrame
	}
	chunk := c.chunk(openai.Delta{})
	chunk.Choices = []openai.ChunkChoice{}
	chunk.Usage = &c.usage
	return append(frame(chunk), doneFrame...)
}

func (c *completion) failed(p *problem) []byte { return frame(p.body()) }

// chunks takes an event into the answer and gives its chunks.
func (c *completion) chunks(ctx context.Context, e agent.Event) []openai.Chunk {
	switch e := e.(type) {
	case agent.Text:
		c.text.WriteString(e.Delta)
		c.figures = append(c.figures, e.Figures...)
		return []openai.Chunk{c.chunk(openai.Delta{Content: &e.Delta, Kopeck: extended(e.Figures)})}
	case agent.Refusal:
		c.refusal += e.Text
		return []openai.Chunk{c.chunk(openai.Delta{Refusal: e.Text})}
	case agent.ToolStarted:
		return c.toolStarted(e)
	case agent.ToolProgress:
		return c.toolGoing(e)
	case agent.ToolFinished:
		return c.toolFinished(ctx, e)
	case agent.ClientToolCalls:
		return c.clientCalls(e)
	case agent.Finished:
		c.finish, c.usage = e.Reason, e.Usage
		if c.functions && c.finish == openai.FinishToolCalls {
			c.finish = openai.FinishFunctionCall
		}
		last := c.chunk(openai.Delta{})
		last.Choices[0].FinishReason = &c.finish
		return []openai.Chunk{last}
	}
	return nil
}

// toolStarted shows the service's own tools twice: to people as reasoning, to machines under our own key.
func (c *completion) toolStarted(e agent.ToolStarted) []openai.Chunk {
	line := reasoningLine(e)
	c.reasoning.WriteString(line)
	return []openai.Chunk{c.chunk(openai.Delta{ReasoningContent: line}), c.activity(c.tools.started(e))}
}

// toolGoing reports progress, which only a stream can.
func (c *completion) toolGoing(e agent.ToolProgress) []openai.Chunk {
	told, known := c.tools.going(e)
	if !known {
		return nil
	}
	return []openai.Chunk{c.chunk(openai.Delta{ReasoningContent: e.Text + "\n"}), c.activity(told)}
}

func (c *completion) toolFinished(ctx context.Context, e agent.ToolFinished) []openai.Chunk {
	told, known := c.tools.finished(ctx, e)
	if !known {
		return nil
	}
	return []openai.Chunk{c.activity(told)}
}

func (c *completion) clientCalls(e agent.ClientToolCalls) []openai.Chunk {
	if c.functions { // of which one is called at a time
		c.called = &e.Calls[0].Function
		return []openai.Chunk{c.chunk(openai.Delta{FunctionCall: c.called})}
	}
	deltas := make([]openai.ToolCall, len(e.Calls))
	for i, call := range e.Calls {
		call.Index = nil
		call.Type = "function"
		c.calls = append(c.calls, call)
		call.Index = &i // clients drop calls without it
		deltas[i] = call
	}
	return []openai.Chunk{c.chunk(openai.Delta{ToolCalls: deltas})}
}

func (c *completion) chunk(d openai.Delta) openai.Chunk {
	return openai.Chunk{
		ID: c.id, Object: "chat.completion.chunk", Created: c.created, Model: c.model,
		Choices: []openai.ChunkChoice{{Delta: d}},
	}
}

func (c *completion) activity(t openai.ToolActivity) openai.Chunk {
	chunk := c.chunk(openai.Delta{})
	chunk.Kopeck = &openai.Extension{Tools: []openai.ToolActivity{t}}
	return chunk
}

// whole is the answer to a request without stream.
func (c *completion) whole(context.Context) any {
	message := openai.AnswerMessage{Role: openai.RoleAssistant, ReasoningContent: c.reasoning.String(), ToolCalls: c.calls,
		FunctionCall: c.called, Kopeck: extended(c.figures)}
	switch text := c.text.String(); {
	case c.refusal != "":
		message.Refusal = &c.refusal
	case text != "" || len(c.calls) == 0 && c.called == nil:
		message.Content = &text
	}
	return openai.ChatCompletion{
		ID: c.id, Object: "chat.completion", Created: c.created, Model: c.model,
		Choices: []openai.Choice{{Message: message, FinishReason: c.finish}},
		Usage:   &c.usage,
		Kopeck:  c.extension(),
	}
}

func extended(figures []openai.Figure) *openai.MessageExtension {
	if len(figures) == 0 {
		return nil
	}
	return &openai.MessageExtension{Figures: figures}
}

// extension is nil for a model that is only passed on.
func (c *completion) extension() *openai.Extension {
	if c.session == "" {
		return nil
	}
	return &openai.Extension{SessionID: c.session, Tools: c.tools}
}

func (s *Server) model(name string) openai.Model {
	owner := agent.ModelName
	if found := s.cfg.Models.Find(name); found != nil {
		owner, _, _ = strings.Cut(found.Routes[0].Name, "/")
	}
	return openai.Model{ID: name, Object: "model", Created: s.began.Unix(), OwnedBy: owner}
}

func frame(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("encode a chunk: %v", err)) // our own types; caught where the stream is made
	}
	return append(append([]byte("data: "), text...), "\n\n"...)
}
