// Package agenttest provides a scripted model: a real HTTP server that speaks OpenAI's protocol, or breaks it where a
// test needs that. It never waits for time to pass; a test that needs an order of events passes channels.
package agenttest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/kopeck/kopeck/schemas/encoded"
	"github.com/kopeck/kopeck/schemas/openai"
)

// Turn writes the model's answer to one request.
type Turn func(r *Reply)

// Server is a scripted model. Its URL is the base URL of an OpenAI client.
type Server struct {
	URL string

	repeats bool

	mu       sync.Mutex
	script   []Turn
	requests []Request
}

// Request is a request that the model received.
type Request struct {
	openai.ChatRequest
	Header http.Header
	Raw    map[string]json.RawMessage // the fields of the body, not decoded
}

// Serve starts a model that answers each request with the next turn of script. A request after the last turn fails the
// test.
func Serve(t testing.TB, script ...Turn) *Server {
	t.Helper()
	return serve(t, &Server{script: script})
}

// ServeForever starts a model that answers every request with the same turn.
func ServeForever(t testing.TB, turn Turn) *Server {
	t.Helper()
	return serve(t, &Server{script: []Turn{turn}, repeats: true})
}

func serve(t testing.TB, s *Server) *Server {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serve(t, w, r) }))
	t.Cleanup(server.Close)
	s.URL = server.URL + "/v1"
	return s
}

// Requests returns all requests to the model so far.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

func (s *Server) serve(t testing.TB, w http.ResponseWriter, r *http.Request) {
	request := Request{Header: r.Header}
	raw, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(raw, &request.Raw)
	}
	if err == nil {
		err = json.Unmarshal(raw, &request.ChatRequest)
	}
	if err != nil || r.URL.Path != "/v1/chat/completions" {
		t.Errorf("the model got %s %s: %v", r.Method, r.URL.Path, err)
		http.Error(w, "not a chat completion", http.StatusBadRequest)
		return
	}
	turn := s.next(request)
	if turn == nil {
		t.Errorf("the script is over, but the model got another request: %s", raw)
		http.Error(w, "the script is over", http.StatusTeapot)
		return
	}
	turn(&Reply{Request: request, W: w, Gone: r.Context().Done()})
}

func (s *Server) next(request Request) Turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, request)
	if len(s.script) == 0 {
		return nil
	}
	turn := s.script[0]
	if !s.repeats {
		s.script = s.script[1:]
	}
	return turn
}

// Reply is the model's answer to one request. Its methods write a well-formed answer, streamed if the request asks for
// streaming. A turn that breaks the protocol writes to W directly.
type Reply struct {
	Request Request
	W       http.ResponseWriter
	Gone    <-chan struct{} // closed when the client disconnects

	begun bool
	text  strings.Builder
	calls []openai.ToolCall
}

// Text sends a piece of text at once.
func (r *Reply) Text(piece string) {
	r.text.WriteString(piece)
	r.delta(openai.Delta{Content: &piece})
}

// Call calls a tool.
func (r *Reply) Call(id, name, arguments string) {
	index := len(r.calls)
	call := openai.ToolCall{ID: id, Type: "function", Function: openai.FunctionCall{Name: name, Arguments: arguments}}
	r.calls = append(r.calls, call)
	call.Index = &index
	r.delta(openai.Delta{ToolCalls: []openai.ToolCall{call}})
}

// Finish ends the answer and reports a usage of 10 prompt tokens and 5 completion tokens.
func (r *Reply) Finish() {
	if len(r.calls) > 0 {
		r.FinishBy(openai.FinishToolCalls)
		return
	}
	r.FinishBy(openai.FinishStop)
}

// FinishBy is [Reply.Finish] with the given finish_reason.
func (r *Reply) FinishBy(reason string) {
	usage := &openai.Usage{PromptTokens: 10, CompletionTokens: 5, TotalTokens: 15}
	if !r.Request.Stream {
		text := r.text.String()
		message := openai.AnswerMessage{Role: openai.RoleAssistant, Content: &text, ToolCalls: r.calls}
		r.W.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(r.W).Encode(openai.ChatCompletion{ // fails if the client has disconnected
			ID: "c", Object: "chat.completion", Model: r.Request.Model, Usage: usage,
			Choices: []openai.Choice{{Message: message, FinishReason: reason}},
		})
		return
	}
	r.chunk(openai.Chunk{Choices: []openai.ChunkChoice{{FinishReason: &reason}}})
	r.chunk(openai.Chunk{Choices: []openai.ChunkChoice{}, Usage: usage})
	r.event("[DONE]")
}

func (r *Reply) delta(d openai.Delta) {
	if r.Request.Stream {
		r.chunk(openai.Chunk{Choices: []openai.ChunkChoice{{Delta: d}}})
	}
}

func (r *Reply) chunk(c openai.Chunk) {
	c.ID, c.Object, c.Model = "c", "chat.completion.chunk", r.Request.Model
	r.event(string(encoded.JSON(c)))
}

// event sends one event of a stream. The data need not be valid JSON.
func (r *Reply) event(data string) {
	if !r.begun {
		r.begun = true
		r.W.Header().Set("Content-Type", "text/event-stream")
	}
	fmt.Fprintf(r.W, "data: %s\n\n", data)
	r.W.(http.Flusher).Flush()
}
