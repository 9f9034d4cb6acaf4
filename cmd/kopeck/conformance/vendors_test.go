package conformance

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// faults are the ways in which a scripted provider fails before the first byte of its answer. There are two more kinds:
// those that begin with "late-" fail after the first event of a stream, and "drip" is slow but does not fail.
var faults = []string{"429", "429-after", "500", "html", "half", "hang", "reset"}

// vendors are scripted providers. The path of each is /FAULT/v1. The provider "good" has no fault.
type vendors struct {
	*httptest.Server

	mu    sync.Mutex
	asked map[string]int // provider and the words that identify a request → number of requests
}

func serveVendors(t *testing.T) *vendors {
	t.Helper()
	v := &vendors{asked: map[string]int{}}
	v.Server = httptest.NewServer(v)
	t.Cleanup(v.Close)
	return v
}

// ServeHTTP responds like a provider. /asked?of=WORDS returns how many requests with these words each provider got.
func (v *vendors) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/v1")
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if name == "asked" {
		v.reportCounts(w, r.URL.Query().Get("of"))
		return
	}
	v.countRequest(name, string(body))
	fault, late := strings.CutPrefix(name, "late-")
	if name != "good" && name != "drip" && !late {
		fail(w, r, fault)
		return
	}
	switch {
	case strings.Contains(string(body), `"stream":true`):
		v.stream(w, r, path, name)
	case path == "/audio/transcriptions":
		v.transcribe(w, r, body)
	case path == "/messages":
		fmt.Fprint(object(w), `{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[{"type":"text","text":"Готово."}],"stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":2}}`)
	default:
		fmt.Fprint(object(w), `{"id":"c","object":"chat.completion","created":1,"model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"Готово."},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`)
	}
}

func object(w http.ResponseWriter) http.ResponseWriter {
	w.Header().Set("Content-Type", "application/json")
	return w
}

// fail fails before the first byte of an answer.
func fail(w http.ResponseWriter, r *http.Request, fault string) {
	switch fault {
	case "429-after":
		w.Header().Set("Retry-After", "60")
		fallthrough
	case "429":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusTooManyRequests)
		fmt.Fprint(w, `{"error":{"message":"slow down","type":"requests","code":"rate_limit_exceeded"}}`)
	case "500":
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusInternalServerError)
		fmt.Fprint(w, `{"error":{"message":"broken"}}`)
	case "html":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<html>Bad gateway</html>")
	case "half":
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", "1000")
		fmt.Fprint(w, `{"id":"c","choices":[{"mess`)
		panic(http.ErrAbortHandler)
	case "reset":
		panic(http.ErrAbortHandler)
	case "hang":
		<-r.Context().Done()
	}
}

// stream sends an answer as events. A late fault occurs after the first event.
func (v *vendors) stream(w http.ResponseWriter, r *http.Request, path, name string) {
	w.Header().Set("Content-Type", "text/event-stream")
	events := []string{
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"Гото"}}]}`,
		`data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"x","choices":[{"index":0,"delta":{"content":"во."},"finish_reason":"stop"}]}`,
		`data: [DONE]`,
	}
	if path == "/messages" {
		events = []string{
			"event: message_start\ndata: " + `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"x","content":[],"stop_reason":null,"usage":{"input_tokens":3,"output_tokens":1}}}`,
			"event: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			"event: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Готово."}}`,
			"event: content_block_stop\ndata: " + `{"type":"content_block_stop","index":0}`,
			"event: message_delta\ndata: " + `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}`,
			"event: message_stop\ndata: " + `{"type":"message_stop"}`,
		}
	}
	for i, event := range events {
		fmt.Fprint(w, event+"\n\n")
		_ = http.NewResponseController(w).Flush()
		switch {
		case name == "drip":
			pause(r.Context(), 100*time.Millisecond)
		case i == 0 && name == "late-hang":
			<-r.Context().Done()
			return
		case i == 0 && name == "late-reset":
			panic(http.ErrAbortHandler)
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// transcribe responds with the digest of the uploaded file.
func (v *vendors) transcribe(w http.ResponseWriter, r *http.Request, body []byte) {
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	file, _, err := r.FormFile("file")
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	content, _ := io.ReadAll(file) // if the file is truncated, its digest differs
	fmt.Fprintf(object(w), `{"text":"%x of %s"}`, sha256.Sum256(content), r.FormValue("model"))
}

// countRequest counts a request by the words between « and » in its body.
func (v *vendors) countRequest(name, body string) {
	_, words, _ := strings.Cut(body, "«")
	words, _, _ = strings.Cut(words, "»")
	v.mu.Lock()
	defer v.mu.Unlock()
	v.asked[name+" "+words]++
}

func (v *vendors) reportCounts(w http.ResponseWriter, words string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	counts := map[string]int{}
	for key, n := range v.asked {
		if name, of, _ := strings.Cut(key, " "); of == words {
			counts[name] = n
		}
	}
	_ = json.NewEncoder(object(w)).Encode(counts) // fails if the case has already ended
}

// models writes a models file. For each fault it has a model FAULT, which falls back to a working provider, and a model
// FAULT-alone, which does not. With Anthropic's protocol their names begin with "a-".
func (v *vendors) models(t *testing.T) string {
	t.Helper()
	var providers, models strings.Builder
	for _, name := range append([]string{"good", "drip", "late-hang", "late-reset"}, faults...) {
		fmt.Fprintf(&providers, "  o-%s: {kind: openai, base_url: %q, key: \"${VENDOR_KEY}\"}\n", name, v.URL+"/"+name+"/v1")
		fmt.Fprintf(&providers, "  a-%s: {kind: anthropic, base_url: %q, key: \"${VENDOR_KEY}\"}\n", name, v.URL+"/"+name+"/v1")
		fallbacks := "[]"
		if name != "good" {
			fallbacks = "[good, a-good]"
		}
		const limits = "first_byte: 1s, silence: 2s"
		fmt.Fprintf(&models, "  %s: {routes: [{provider: o-%[1]s, model: x}], fallbacks: %s, %s}\n", name, fallbacks, limits)
		fmt.Fprintf(&models, "  a-%s: {routes: [{provider: a-%[1]s, model: x}], fallbacks: %s, %s}\n", name, strings.Replace(fallbacks, "good, a-good", "a-good", 1), limits)
		fmt.Fprintf(&models, "  %s-alone: {routes: [{provider: o-%[1]s, model: x}], %s}\n", name, limits)
	}
	path := filepath.Join(t.TempDir(), "models.yaml")
	text := "providers:\n" + providers.String() + "models:\n" + models.String()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A request is sent to another provider only as long as no part of an answer was sent to the client.
func TestClientsGetAnswersWhenProvidersFail(t *testing.T) {
	v := serveVendors(t)
	service := start(t, buildService(t), "KOPECK_MODELS="+v.models(t), "VENDOR_KEY=key-of-the-vendors")
	seen := &table{}
	environment := append(os.Environ(), "VENDORS_URL="+v.URL, "KOPECK_URL="+service.url, "KOPECK_KEY="+service.key, "FAULTS="+strings.Join(faults, " "))
	runNodeCases(t, "vendors.mjs", environment, seen)
	runVendorCases(t, service)
	fmt.Print(seen)
	for _, r := range seen.rows {
		if r.Problem != "" {
			t.Errorf("%s: %s: %s", r.Client, r.Case, r.Problem)
		}
	}
}

// runVendorCases sends questions with the official Go client, streamed and not.
func runVendorCases(t *testing.T, service serviceAccess) {
	client := openai.NewClient(option.WithBaseURL(service.url+"/v1"), option.WithAPIKey(service.key), option.WithMaxRetries(0))
	for _, fault := range append([]string{"good", "drip"}, faults...) {
		asked := openai.ChatCompletionNewParams{Model: fault, Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("«Go " + fault + "»")}}
		answer, err := client.Chat.Completions.New(t.Context(), asked)
		if err != nil || answer.Choices[0].Message.Content != "Готово." {
			t.Errorf("Go, %s: %v", fault, err)
		}
		stream := client.Chat.Completions.NewStreaming(t.Context(), asked)
		var text strings.Builder
		for stream.Next() {
			for _, choice := range stream.Current().Choices {
				text.WriteString(choice.Delta.Content)
			}
		}
		if stream.Err() != nil || text.String() != "Готово." {
			t.Errorf("Go, %s, streamed: %q, %v", fault, text.String(), stream.Err())
		}
	}
}
