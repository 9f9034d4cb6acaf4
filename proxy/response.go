package proxy

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/agent"
	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/openai"
)

// response is an answer of the Responses API in the making. Its output is a list of items, of which the last may be open:
// a summary of reasoning while the service's own tools run, a message while the model speaks.
type response struct {
	openai.Response
	session string
	clients clientTools // which the model may call
	tools   activities
	open    *openai.OutputItem
	number  int // of the next event
	now     func() time.Time
	keep    func(ctx context.Context, body openai.Response) // called once the answer is complete
}

func (r *response) opening() []byte {
	r.Kopeck = &openai.Extension{SessionID: r.session}
	return append(r.event(openai.ResponseEvent{Type: "response.created", Response: &r.Response}),
		r.event(openai.ResponseEvent{Type: "response.in_progress", Response: &r.Response})...)
}

func (r *response) add(ctx context.Context, e agent.Event) []byte {
	switch e := e.(type) {
	case agent.Text:
		return r.say(openai.PartText, e.Delta)
	case agent.Refusal:
		return r.say(openai.PartRefusal, e.Text)
	case agent.ToolStarted:
		return r.think(reasoningLine(e), r.tools.started(e))
	case agent.ToolProgress:
		if told, known := r.tools.going(e); known {
			return r.think(e.Text+"\n", told)
		}
	case agent.ToolFinished:
		r.tools.finished(ctx, e) // the protocol has no event for it; it is told with the whole
	case agent.ClientToolCalls:
		frames := r.close()
		for _, call := range e.Calls {
			frames = append(frames, r.call(call)...)
		}
		return frames
	case agent.Finished:
		closed := r.close()
		r.finish(ctx, e)
		return closed
	}
	return nil
}

func (r *response) closing(context.Context) []byte {
	name := "response." + r.Status
	return r.event(openai.ResponseEvent{Type: name, Response: &r.Response})
}

// failed is the protocol's error event; clients throw what is under error.
func (r *response) failed(p *problem) []byte {
	body := p.body()
	r.number++
	return named("error", struct {
		Type           string  `json:"type"`
		SequenceNumber int     `json:"sequence_number"`
		Code           string  `json:"code"`
		Message        string  `json:"message"`
		Param          *string `json:"param"`
		failure
	}{"error", r.number - 1, body.Error.Code, body.Error.Message, body.Error.Param, body})
}

func (r *response) whole(context.Context) any { return r.Response }

// say goes on with the message, or opens one.
func (r *response) say(kind, text string) []byte {
	var frames []byte
	if r.open == nil || r.open.Type != openai.ItemMessage || r.open.Content[0].Type != kind {
		frames = append(r.close(), r.begin(&openai.OutputItem{Type: openai.ItemMessage, Role: openai.RoleAssistant}, "msg")...)
		r.open.Content = []*openai.OutputPart{{Type: kind}}
		frames = append(frames, r.part("response.content_part.added")...)
	}
	r.open.Content[0].Text += text
	delta := r.of("response." + kind + ".delta")
	delta.Delta = &text
	return append(frames, r.event(delta)...)
}

// think goes on with the summary of what the service's tools do, or opens one.
func (r *response) think(line string, activity openai.ToolActivity) []byte {
	var frames []byte
	if r.open == nil || r.open.Type != openai.ItemReasoning {
		frames = append(r.close(), r.begin(&openai.OutputItem{Type: openai.ItemReasoning}, "rs")...)
		r.open.Summary = []*openai.OutputPart{{Type: openai.PartSummary}}
		frames = append(frames, r.part("response.reasoning_summary_part.added")...)
	}
	r.open.Summary[0].Text += line
	delta := r.of("response.reasoning_summary_text.delta")
	delta.Delta, delta.Kopeck = &line, &openai.Extension{Tools: []openai.ToolActivity{activity}}
	return append(frames, r.event(delta)...)
}

// call hands a call of the client's own tool to the client, under the name that the client knows.
func (r *response) call(call openai.ToolCall) []byte {
	nothing, said := "", call.Function.Arguments
	sent, known := r.clients.sent[call.Function.Name]
	if !known {
		sent.name = call.Function.Name
	}
	item := &openai.OutputItem{Type: openai.ItemCall, CallID: call.ID, Namespace: sent.namespace, Name: sent.name, Arguments: &nothing}
	kind, prefix, written := "response.function_call_arguments", "fc", &item.Arguments
	if sent.custom {
		said = customInput(said)
		item.Type, item.Arguments, item.Input = openai.ItemCustom, nil, &nothing
		kind, prefix, written = "response.custom_tool_call_input", "ctc", &item.Input
	}
	frames := r.begin(item, prefix)
	delta, done := r.of(kind+".delta"), r.of(kind+".done")
	delta.ContentIndex, done.ContentIndex = nil, nil
	delta.Delta = &said
	if sent.custom {
		done.Input = &said
	} else {
		done.Arguments, done.Name = &said, sent.name
	}
	frames = append(append(frames, r.event(delta)...), r.event(done)...)
	*written = &said
	return append(frames, r.close()...)
}

// begin opens an item.
func (r *response) begin(item *openai.OutputItem, kind string) []byte {
	item.ID, item.Status = itemID(kind, r.ID, len(r.Output)), openai.StatusInProgress
	r.open, r.Output = item, append(r.Output, item)
	added := r.of("response.output_item.added")
	added.ItemID, added.ContentIndex, added.SummaryIndex, added.Logprobs, added.Item = "", nil, nil, nil, item
	return r.event(added)
}

// part is the event about the open item's only part, as it is now.
func (r *response) part(kind string) []byte {
	e := r.of(kind)
	e.Logprobs = nil
	if r.open.Type == openai.ItemReasoning {
		e.Part = r.open.Summary[0]
	} else {
		e.Part = r.open.Content[0]
	}
	return r.event(e)
}

// close ends the open item.
func (r *response) close() []byte {
	if r.open == nil {
		return nil
	}
	var frames []byte
	switch item := r.open; {
	case item.Type == openai.ItemReasoning:
		done := r.of("response.reasoning_summary_text.done")
		done.Text = &item.Summary[0].Text
		frames = append(r.event(done), r.part("response.reasoning_summary_part.done")...)
	case item.Type == openai.ItemMessage && item.Content[0].Type == openai.PartRefusal:
		done := r.of("response.refusal.done")
		done.Refusal = &item.Content[0].Text
		frames = append(r.event(done), r.part("response.content_part.done")...)
	case item.Type == openai.ItemMessage:
		done := r.of("response.output_text.done")
		done.Text = &item.Content[0].Text
		frames = append(r.event(done), r.part("response.content_part.done")...)
	}
	r.open.Status = openai.StatusCompleted
	done := r.of("response.output_item.done")
	done.ItemID, done.ContentIndex, done.SummaryIndex, done.Logprobs, done.Item = "", nil, nil, nil, r.open
	r.open = nil
	return append(frames, r.event(done)...)
}

// finish completes the answer.
func (r *response) finish(ctx context.Context, e agent.Finished) {
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
		r.keep(ctx, r.Response)
		r.Kopeck = &openai.Extension{SessionID: r.session, Tools: r.tools}
	}
}

// of is an event about the open item.
func (r *response) of(kind string) openai.ResponseEvent {
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

// event numbers an event and writes it under its name.
func (r *response) event(e openai.ResponseEvent) []byte {
	e.SequenceNumber = r.number
	r.number++
	return named(e.Type, e)
}

// named is a frame with an event's name, which this API has and chat completions must not.
func named(name string, v any) []byte {
	return append([]byte("event: "+name+"\n"), frame(v)...)
}

func bareID() string { return strings.ReplaceAll(uuid.NewString(), "-", "") }

// newResponse is the answer to a request before anything is known of it.
func newResponse(asked openai.ResponseRequest, chat openai.ChatRequest, now func() time.Time) *response {
	r := &response{now: now, Response: openai.Response{
		ID: "resp_" + bareID(), Object: openai.ResponseObject, CreatedAt: now().Unix(), Status: openai.StatusInProgress,
		MaxOutputTokens: chat.MaxCompletionTokens, Model: chat.Model, Output: []*openai.OutputItem{},
		ParallelToolCalls: asked.ParallelToolCalls == nil ||
			*asked.ParallelToolCalls, Reasoning: json.RawMessage(`{"effort":null,"summary":null}`),
		Store: asked.Store == nil || *asked.Store, Temperature: asked.Temperature, Text: asked.Text, ToolChoice: asked.ToolChoice,
		Tools: asked.Tools, TopP: asked.TopP, Truncation: "disabled",
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
	for name, value := range asked.Metadata {
		r.Metadata[redact.Text(name)] = redact.Text(value)
	}
	if asked.Conversation.ID != "" {
		r.Conversation = &asked.Conversation
	}
	r.Instructions, r.PreviousResponseID, r.User = orNull(
		redact.Text(asked.Instructions),
	), orNull(
		asked.PreviousResponseID,
	), orNull(
		redact.Text(asked.User),
	)
	return r
}

func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
