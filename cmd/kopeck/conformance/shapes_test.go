package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
)

// shape is one possible form of a response, and what each client makes of it. The results explain why the service uses its
// own forms.
type shape struct {
	Name    string
	Status  int
	Headers map[string]string
	Body    json.RawMessage
	Hits    int    // expected number of requests, including retries
	Message string // what the client shows
	Code    string
	Lost    bool     // the user sees neither the message nor the code
	Frames  []string // of a stream, instead of a body
	Text    any      // the text that the client reads from the stream, null for an error, or an object with one of these for each client
}

// frames are the usual events of a stream. Shapes refer to them by name.
var frames = map[string]string{
	"ROLE":  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
	"TEXT":  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"Раз."},"finish_reason":null}]}`,
	"STOP":  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
	"USAGE": `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
	"DONE":  "data: [DONE]",
}

// shapes serves the shapes of shapes.json.
type shapes struct {
	all []shape

	mu   sync.Mutex
	hits map[string]map[string]int // number of the shape → client → requests
}

func readShapes(t *testing.T) *shapes {
	text, err := os.ReadFile("shapes.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &shapes{hits: map[string]map[string]int{}}
	if err := json.Unmarshal(text, &s.all); err != nil {
		t.Fatal(err)
	}
	return s
}

// ServeHTTP responds to /shapes/N/chat/completions with shape N, and to /hits/N with the number of requests by client.
func (s *shapes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	s.mu.Lock()
	defer s.mu.Unlock()
	if parts[1] == "hits" {
		_ = json.NewEncoder(w).Encode(s.hits[parts[2]]) // fails if the client has disconnected
		return
	}
	number, err := strconv.Atoi(parts[2])
	if err != nil || number >= len(s.all) {
		http.NotFound(w, r)
		return
	}
	if s.hits[parts[2]] == nil {
		s.hits[parts[2]] = map[string]int{}
	}
	client := "node"
	if strings.Contains(r.UserAgent(), "Go") {
		client = "go"
	}
	s.hits[parts[2]][client]++
	s.all[number].write(w)
}

func (s shape) write(w http.ResponseWriter) {
	for name, value := range s.Headers {
		w.Header().Set(name, value)
	}
	if s.Frames == nil {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.Status)
		_, _ = w.Write(s.Body)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, frame := range s.Frames {
		if known := frames[frame]; known != "" {
			frame = known
		} else if strings.HasPrefix(frame, "{") {
			frame = "data: " + frame
		}
		fmt.Fprintf(w, "%s\n\n", frame)
	}
}

// runShapeCases requests each shape with the official Go client.
func runShapeCases(t *testing.T, s *shapes, at string, seen *table) {
	for number, shape := range s.all {
		began := time.Now()
		c := client(serviceAccess{url: fmt.Sprintf("%s/shapes/%d", at, number), key: "none"})
		r := row{Client: "openai-go, shapes", Case: shape.Name}
		if err := s.read(t.Context(), c, number, shape); err != nil {
			r.Problem = err.Error()
		}
		r.MS = time.Since(began).Milliseconds()
		seen.add(r)
	}
}

func (s *shapes) read(ctx context.Context, c openai.Client, number int, shape shape) error {
	if shape.Frames != nil {
		want := shape.Text
		if each, differs := want.(map[string]any); differs {
			want = each["go"]
		}
		sum, err := fold(ctx, c, chat("x"))
		if want == nil {
			return must(err != nil, "the client takes it for an answer")
		}
		return errors.Join(err, must(err != nil || sum.Choices[0].Message.Content == want, "read %+v", sum))
	}
	_, err := c.Chat.Completions.New(ctx, chat("x"))
	var apiError *openai.Error
	known := errors.As(err, &apiError)
	switch {
	case shape.Lost:
		return must(err != nil && (!known || apiError.Code == ""), "the client shows %v", err)
	case !known || apiError.Code != shape.Code || apiError.Message != shape.Message || apiError.StatusCode != shape.Status:
		return fmt.Errorf("the client shows %w", err)
	}
	return nil
}
