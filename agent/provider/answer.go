package provider

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/uuid"
	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/schemas/openai"
)

// maxLineBytes limits the size of one event in a stream. One line can contain all arguments of a tool call.
const maxLineBytes = 8 << 20

// completion collects a provider's answer, whether or not it is streamed.
type completion struct {
	text   strings.Builder
	calls  []*openai.ToolCall
	slots  map[int]*openai.ToolCall // by index in the stream
	finish string
	usage  openai.Usage
}

// part is the message of a choice, or a delta of it. Both have the same fields.
type part struct {
	Content   openai.Content `json:"content"`
	ToolCalls few[callPart]  `json:"tool_calls"`
}

type callPart struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
	} `json:"function"`
}

// few is a list of at most mostInList elements. The limit exists because empty objects take dozens of times as much
// memory as their JSON.
type few[T any] []T

const mostInList = 1024

func (f *few[T]) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != jsontext.KindBeginArray { // the value is null or invalid
		return fast.UnmarshalDecode(d, (*[]T)(f))
	}
	if _, err := d.ReadToken(); err != nil {
		return err
	}
	for d.PeekKind() != jsontext.KindEndArray {
		if len(*f) == mostInList {
			return fmt.Errorf("a list of more than %d", mostInList)
		}
		*f = append(*f, *new(T))
		if err := fast.UnmarshalDecode(d, &(*f)[len(*f)-1]); err != nil {
			return err
		}
	}
	_, err := d.ReadToken()
	return err
}

type piece struct {
	Choices few[struct {
		Index        int     `json:"index"`
		Message      part    `json:"message"`
		Delta        part    `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	}] `json:"choices"`
	Usage jsontext.Value  `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// readStream reads server-sent events until the protocol's end of the stream. It calls say for each piece of text. If
// the stream stops earlier, it returns an error.
func readStream(r io.Reader, say func(string) error) (*completion, error) {
	a := &completion{slots: map[int]*openai.ToolCall{}}
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4<<10), maxLineBytes)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		data = bytes.TrimSpace(data)
		if !ok || len(data) == 0 {
			continue // a comment, an event name or a blank line
		}
		if string(data) == "[DONE]" {
			return a, a.check()
		}
		text, err := a.add(data)
		if err != nil {
			return nil, err
		}
		if err := say(text); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, &Error{Message: fmt.Sprintf("the stream broke: %v", err)}
	}
	if a.finish == "" {
		return nil, &Error{Message: "the stream ended before the answer did"}
	}
	return a, a.check()
}

// readWhole reads an answer that is not streamed, and calls say with its text.
func readWhole(body []byte, say func(string) error) (*completion, error) {
	a := &completion{slots: map[int]*openai.ToolCall{}}
	text, err := a.add(body)
	if err == nil {
		err = a.check()
	}
	if err == nil {
		err = say(text)
	}
	return a, err
}

// leniently makes the decoder as tolerant as encoding/json.
var leniently = fast.JoinOptions(fast.MatchCaseInsensitiveNames(true), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))

// add adds a chunk of a stream, or a whole completion. It returns the text in it.
func (a *completion) add(data []byte) (string, error) {
	var p piece
	if err := fast.Unmarshal(data, &p, leniently); err != nil {
		return "", &Error{Status: http.StatusOK, Message: "the provider's answer is not a completion: " + shortened(string(data))}
	}
	if len(p.Error) > 0 && string(p.Error) != "null" {
		failure := parseError(data)
		if failure == nil {
			failure = &Error{Message: shortened(string(p.Error))}
		}
		failure.Status = http.StatusOK
		return "", failure
	}
	readUsage(p.Usage, &a.usage)
	var said strings.Builder
	for _, c := range p.Choices {
		if c.Index != 0 {
			continue // only one choice was requested
		}
		for _, content := range []part{c.Message, c.Delta} {
			said.WriteString(string(content.Content))
			for _, call := range content.ToolCalls {
				a.addCall(call)
			}
		}
		if c.FinishReason != nil && *c.FinishReason != "" {
			a.finish = *c.FinishReason
		}
	}
	a.text.WriteString(said.String())
	return said.String(), nil
}

// addCall adds a piece of a tool call. Providers differ. Some send an index, with the id in the first piece or in every
// piece. Some send all calls with index 0 and different ids. Some send whole calls with neither index nor id.
func (a *completion) addCall(p callPart) {
	call := a.callFor(p)
	if call == nil {
		call = &openai.ToolCall{ID: p.ID, Type: "function"}
		a.calls = append(a.calls, call)
		if p.Index != nil {
			a.slots[*p.Index] = call
		}
	}
	if call.ID == "" {
		call.ID = p.ID
	}
	if call.Function.Name == "" {
		call.Function.Name = p.Function.Name
	}
	call.Function.Arguments += argumentText(p.Function.Arguments)
}

// callFor returns the call that a piece continues. It returns nil if the piece begins a new call.
func (a *completion) callFor(p callPart) *openai.ToolCall {
	if p.Index != nil {
		call := a.slots[*p.Index]
		if call != nil && p.ID != "" && call.ID != "" && p.ID != call.ID {
			return nil
		}
		return call
	}
	if p.ID != "" {
		for _, call := range a.calls {
			if call.ID == p.ID {
				return call
			}
		}
		return nil
	}
	if len(a.calls) == 0 || p.Function.Name != "" {
		return nil
	}
	return a.calls[len(a.calls)-1]
}

// argumentText returns the arguments as text. Some servers send an object instead of a string.
func argumentText(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || string(raw) == "null" || json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}

// check repairs a complete answer where possible. It returns an error if the answer is empty.
func (a *completion) check() error {
	whole := a.calls[:0]
	for _, call := range a.calls {
		if call.Function.Name == "" {
			continue // arguments without the name of a tool
		}
		if call.ID == "" {
			call.ID = "call_" + strings.ReplaceAll(uuid.NewString(), "-", "")
		}
		if strings.TrimSpace(call.Function.Arguments) == "" {
			call.Function.Arguments = "{}"
		}
		whole = append(whole, call)
	}
	a.calls = whole
	if a.finish == "" && len(a.calls) == 0 && a.text.Len() == 0 {
		return &Error{Status: http.StatusOK, Message: "the provider sent an answer without content"}
	}
	return nil
}

// response converts the answer to langchaingo's type.
func (a *completion) response() *llms.ContentResponse {
	choice := &llms.ContentChoice{Content: a.text.String(), StopReason: a.finish, GenerationInfo: map[string]any{
		"PromptTokens": a.usage.PromptTokens, "CompletionTokens": a.usage.CompletionTokens, "TotalTokens": a.usage.TotalTokens,
		"CachedTokens": a.usage.CachedTokens,
	}}
	for _, call := range a.calls {
		choice.ToolCalls = append(choice.ToolCalls, llms.ToolCall{
			ID: call.ID, Type: "function",
			FunctionCall: &llms.FunctionCall{Name: call.Function.Name, Arguments: call.Function.Arguments},
		})
	}
	return &llms.ContentResponse{Choices: []*llms.ContentChoice{choice}}
}

// parseError reads an error in any of the forms that providers use: OpenAI's object, a string, or Google's list with an
// object. It returns nil if there is no error.
func parseError(body []byte) *Error {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) > 0 {
		body = list[0]
	}
	var holder struct {
		Error json.RawMessage `json:"error"`
	}
	if json.Unmarshal(body, &holder) != nil || len(holder.Error) == 0 {
		return nil
	}
	var text string
	if json.Unmarshal(holder.Error, &text) == nil {
		return &Error{Message: shortened(text)}
	}
	var object struct {
		Message string `json:"message"`
		Type    string `json:"type"`
		Param   any    `json:"param"` // a string or null
		Code    any    `json:"code"`  // a string, a number or null
	}
	if err := json.Unmarshal(holder.Error, &object); err != nil {
		return nil
	}
	failure := &Error{Message: shortened(object.Message), Type: object.Type}
	failure.Code, _ = object.Code.(string)
	failure.Param, _ = object.Param.(string)
	return failure
}
