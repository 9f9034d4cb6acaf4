package proxy

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/openai"
)

// responseBuilder builds an answer of the Responses API from events. The answer is a list of items. Its last item may be
// open, which means that more will be added to it: to a summary of reasoning while the service's tools run, or to a message
// while the model writes.
type responseBuilder struct {
	openai.Response
	session     string
	clientTools clientTools // the client's own tools
	tools       activities
	open        *openai.OutputItem
	nextEvent   int // sequence number of the next event
	now         func() time.Time
	store       func(ctx context.Context, body openai.Response) // called when the answer is complete
}

func (r *responseBuilder) opening() []byte {
	r.Kopeck = &openai.Extension{SessionID: r.session}
	return append(r.encodeEvent(openai.ResponseEvent{Type: "response.created", Response: &r.Response}),
		r.encodeEvent(openai.ResponseEvent{Type: "response.in_progress", Response: &r.Response})...)
}

func (r *responseBuilder) add(ctx context.Context, e agent.Event) []byte {
	switch e := e.(type) {
	case agent.Text:
		return r.addText(openai.PartText, e.Delta)
	case agent.Refusal:
		return r.addText(openai.PartRefusal, e.Text)
	case agent.ToolStarted:
		return r.addReasoning(reasoningLine(e), r.tools.started(e))
	case agent.ToolProgress:
		if activity, known := r.tools.progress(e); known {
			return r.addReasoning(e.Text+"\n", activity)
		}
	case agent.ToolFinished:
		r.tools.finished(ctx, e) // the protocol has no event for it; only the complete answer contains it
	case agent.ClientToolCalls:
		frames := r.closeItem()
		for _, call := range e.Calls {
			frames = append(frames, r.addCall(call)...)
		}
		return frames
	case agent.Finished:
		closed := r.closeItem()
		r.finish(ctx, e)
		return closed
	}
	return nil
}

func (r *responseBuilder) closing() []byte {
	name := "response." + r.Status
	return r.encodeEvent(openai.ResponseEvent{Type: name, Response: &r.Response})
}

// failed returns the protocol's error event. Clients throw what they find under "error".
func (r *responseBuilder) failed(p *problem.Problem) []byte {
	body := p.Body()
	r.nextEvent++
	return encodeNamedFrame("error", struct {
		Type           string  `json:"type"`
		SequenceNumber int     `json:"sequence_number"`
		Code           string  `json:"code"`
		Message        string  `json:"message"`
		Param          *string `json:"param"`
		problem.Body
	}{"error", r.nextEvent - 1, body.Error.Code, body.Error.Message, body.Error.Param, body})
}

func (r *responseBuilder) whole() any { return r.Response }

// addText adds to the open message, or opens one.
func (r *responseBuilder) addText(kind, text string) []byte {
	var frames []byte
	if r.open == nil || r.open.Type != openai.ItemMessage || r.open.Content[0].Type != kind {
		frames = append(r.closeItem(), r.openItem(&openai.OutputItem{Type: openai.ItemMessage, Role: openai.RoleAssistant}, "msg")...)
		r.open.Content = []*openai.OutputPart{{Type: kind}}
		frames = append(frames, r.partEvent("response.content_part.added")...)
	}
	r.open.Content[0].Text += text
	delta := r.newEvent("response." + kind + ".delta")
	delta.Delta = &text
	return append(frames, r.encodeEvent(delta)...)
}

// addReasoning adds to the open summary of tool calls, or opens one.
func (r *responseBuilder) addReasoning(line string, activity openai.ToolActivity) []byte {
	var frames []byte
	if r.open == nil || r.open.Type != openai.ItemReasoning {
		frames = append(r.closeItem(), r.openItem(&openai.OutputItem{Type: openai.ItemReasoning}, "rs")...)
		r.open.Summary = []*openai.OutputPart{{Type: openai.PartSummary}}
		frames = append(frames, r.partEvent("response.reasoning_summary_part.added")...)
	}
	r.open.Summary[0].Text += line
	delta := r.newEvent("response.reasoning_summary_text.delta")
	delta.Delta, delta.Kopeck = &line, &openai.Extension{Tools: []openai.ToolActivity{activity}}
	return append(frames, r.encodeEvent(delta)...)
}

// addCall adds a call of the client's own tool, with the client's name for it.
func (r *responseBuilder) addCall(call openai.ToolCall) []byte {
	empty, text := "", call.Function.Arguments
	tool, known := r.clientTools.byOfferedName[call.Function.Name]
	if !known {
		tool.name = call.Function.Name
	}
	item := &openai.OutputItem{Type: openai.ItemCall, CallID: call.ID, Namespace: tool.namespace, Name: tool.name, Arguments: &empty}
	kind, prefix, content := "response.function_call_arguments", "fc", &item.Arguments
	if tool.custom {
		text = customInput(text)
		item.Type, item.Arguments, item.Input = openai.ItemCustom, nil, &empty
		kind, prefix, content = "response.custom_tool_call_input", "ctc", &item.Input
	}
	frames := r.openItem(item, prefix)
	delta, done := r.newEvent(kind+".delta"), r.newEvent(kind+".done")
	delta.ContentIndex, done.ContentIndex = nil, nil
	delta.Delta = &text
	if tool.custom {
		done.Input = &text
	} else {
		done.Arguments, done.Name = &text, tool.name
	}
	frames = append(append(frames, r.encodeEvent(delta)...), r.encodeEvent(done)...)
	*content = &text
	return append(frames, r.closeItem()...)
}

// openItem appends an item to the output, and returns the event for it. The item stays open until closeItem.
func (r *responseBuilder) openItem(item *openai.OutputItem, kind string) []byte {
	item.ID, item.Status = itemID(kind, r.ID, len(r.Output)), openai.StatusInProgress
	r.open, r.Output = item, append(r.Output, item)
	return r.itemEvent("response.output_item.added")
}

// partEvent returns an event with the current state of the open item's part. Each item has one part.
func (r *responseBuilder) partEvent(kind string) []byte {
	e := r.newEvent(kind)
	e.Logprobs = nil
	if r.open.Type == openai.ItemReasoning {
		e.Part = r.open.Summary[0]
	} else {
		e.Part = r.open.Content[0]
	}
	return r.encodeEvent(e)
}

// closeItem closes the open item, if any, and returns the events for it.
func (r *responseBuilder) closeItem() []byte {
	if r.open == nil {
		return nil
	}
	var frames []byte
	switch item := r.open; {
	case item.Type == openai.ItemReasoning:
		done := r.newEvent("response.reasoning_summary_text.done")
		done.Text = &item.Summary[0].Text
		frames = append(r.encodeEvent(done), r.partEvent("response.reasoning_summary_part.done")...)
	case item.Type == openai.ItemMessage:
		part := item.Content[0]
		done := r.newEvent("response." + part.Type + ".done")
		if part.Type == openai.PartRefusal {
			done.Refusal = &part.Text
		} else {
			done.Text = &part.Text
		}
		frames = append(r.encodeEvent(done), r.partEvent("response.content_part.done")...)
	}
	r.open.Status = openai.StatusCompleted
	frames = append(frames, r.itemEvent("response.output_item.done")...)
	r.open = nil
	return frames
}

// finish completes the answer.
func (r *responseBuilder) finish(ctx context.Context, e agent.Finished) {
	r.Status = openai.StatusCompleted
	if e.Reason == openai.FinishLength {
		r.Status, r.IncompleteDetails = openai.StatusIncomplete, &openai.IncompleteDetails{Reason: "max_output_tokens"}
	}
	at := r.now().Unix()
	r.CompletedAt = &at
	r.Usage = &openai.ResponseUsage{
		InputTokens:  e.Usage.PromptTokens,
		OutputTokens: e.Usage.CompletionTokens,
		TotalTokens:  e.Usage.TotalTokens,
	}
	r.Kopeck = nil
	if r.session != "" {
		r.store(ctx, r.Response)
		r.Kopeck = &openai.Extension{SessionID: r.session, Tools: r.tools, AnsweredBy: answeredBy(e)}
	}
}

// itemEvent returns an event with the whole open item.
func (r *responseBuilder) itemEvent(kind string) []byte {
	index := len(r.Output) - 1
	return r.encodeEvent(openai.ResponseEvent{Type: kind, OutputIndex: &index, Item: r.open})
}

// newEvent returns an event about a part of the open item.
func (r *responseBuilder) newEvent(kind string) openai.ResponseEvent {
	index, first := len(r.Output)-1, 0
	e := openai.ResponseEvent{Type: kind, OutputIndex: &index, ItemID: r.open.ID}
	if strings.Contains(kind, "reasoning_summary") {
		e.SummaryIndex = &first
	} else {
		e.ContentIndex = &first
	}
	if strings.Contains(kind, openai.PartText) {
		e.Logprobs = &[]string{}
	}
	return e
}

// encodeEvent numbers and encodes an event.
func (r *responseBuilder) encodeEvent(e openai.ResponseEvent) []byte {
	e.SequenceNumber = r.nextEvent
	r.nextEvent++
	return encodeNamedFrame(e.Type, e)
}

// bareID returns a new id of 32 hexadecimal digits.
func bareID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

// newResponseBuilder returns a builder for the answer to a request.
func newResponseBuilder(req openai.ResponseRequest, chat openai.ChatRequest, now func() time.Time) *responseBuilder {
	r := &responseBuilder{now: now, Response: openai.Response{
		ID: "resp_" + bareID(), Object: openai.ResponseObject, CreatedAt: now().Unix(), Status: openai.StatusInProgress,
		MaxOutputTokens: chat.MaxCompletionTokens, Model: chat.Model, Output: []*openai.OutputItem{},
		ParallelToolCalls: req.ParallelToolCalls == nil || *req.ParallelToolCalls, Reasoning: json.RawMessage(`{"effort":null,"summary":null}`),
		Store: req.Store == nil || *req.Store, Temperature: req.Temperature, Text: req.Text, ToolChoice: req.ToolChoice,
		Tools: req.Tools, TopP: req.TopP, Truncation: "disabled",
	}}
	if len(r.Text.Format) == 0 {
		r.Text.Format = json.RawMessage(`{"type":"text"}`)
	}
	if len(r.ToolChoice) == 0 {
		r.ToolChoice = json.RawMessage(`"auto"`)
	}
	if r.Tools == nil {
		r.Tools = []openai.ResponseTool{}
	}
	r.Metadata = map[string]string{}
	for name, value := range req.Metadata {
		r.Metadata[redact.Text(name)] = redact.Text(value)
	}
	if req.Conversation.ID != "" {
		r.Conversation = &req.Conversation
	}
	r.Instructions, r.User = database.OrNull(redact.Text(req.Instructions)), database.OrNull(redact.Text(req.User))
	r.PreviousResponseID = database.OrNull(req.PreviousResponseID)
	return r
}
