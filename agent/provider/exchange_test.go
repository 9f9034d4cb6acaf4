package provider

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/answer"
)

// remote is a model with one client. It repeats failed requests in the same way as the routes of a model.
type remote struct {
	llms.Model // provides Call, which no test uses
	client     *Client
	settings   Settings
}

func newRemote(t testing.TB, s Settings) *remote {
	t.Helper()
	client, err := NewClient("openai/test", s)
	must(t, err)
	return &remote{client: client, settings: s}
}

func (m *remote) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	return Retry(ctx, m.client.Name, m.settings, MaxPause, func() (*llms.ContentResponse, bool, error) {
		return m.client.Generate(ctx, messages, Asked(options))
	})
}

// remoteOf returns a model of a scripted server. It makes only short pauses between retries.
func remoteOf(t *testing.T, server *agenttest.Server) *remote {
	t.Helper()
	return newRemote(t, Settings{OpenAIBaseURL: server.URL, OpenAIAPIKey: "sk-secret", FirstWait: time.Microsecond})
}

// heard collects the text of a streamed answer.
type heard struct{ strings.Builder }

func (h *heard) option() llms.CallOption {
	return llms.WithStreamingFunc(func(_ context.Context, text []byte) error {
		h.Write(text)
		return nil
	})
}

var aTool = llms.WithTools([]llms.Tool{{Type: "function", Function: &llms.FunctionDefinition{Name: "stock", Parameters: map[string]any{"type": "object"}}}})

func human(text string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeHuman, text) }

func callsOf(response *llms.ContentResponse) []string {
	var calls []string
	for _, choice := range response.Choices {
		for _, c := range choice.ToolCalls {
			if c.ID == "" {
				calls = append(calls, "(no id)")
			}
			calls = append(calls, c.FunctionCall.Name+c.FunctionCall.Arguments)
		}
	}
	return calls
}

// delta returns an event of a stream, with a delta that has these fields.
func delta(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }

func finish(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// Providers stream in different forms, and all of them must give the same answer. langchaingo's own client loses,
// repeats or mixes up tool calls in most of these forms.
func TestStreamsInEveryFormGiveTheSameAnswer(t *testing.T) {
	for name, test := range map[string]struct {
		events []string
		text   string
		calls  []string
	}{
		"interleaved by index": {
			events: []string{
				delta(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"stock","arguments":"{\"q"}}]`),
				delta(`"tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"margin","arguments":"{\"f"}}]`),
				delta(`"tool_calls":[{"index":0,"function":{"arguments":"\":1}"}}]`),
				delta(`"tool_calls":[{"index":1,"function":{"arguments":"\":2}"}}]`),
				finish("tool_calls"), "[DONE]",
			},
			calls: []string{`stock{"q":1}`, `margin{"f":2}`},
		},
		"type and id in every delta": {
			events: []string{
				delta(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"stock","arguments":"{\"q"}}]`),
				delta(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"stock","arguments":"\":1}"}}]`),
				finish("tool_calls"), "[DONE]",
			},
			calls: []string{`stock{"q":1}`},
		},
		"no type": {
			events: []string{
				delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"stock","arguments":"{\"q\":1}"}}]`), finish("tool_calls"), "[DONE]",
			},
			calls: []string{`stock{"q":1}`},
		},
		"whole calls without an index": {
			events: []string{
				delta(`"tool_calls":[{"function":{"name":"stock","arguments":"{}"}},{"function":{"name":"margin","arguments":"{}"}}]`), finish("stop"), "[DONE]",
			},
			calls: []string{`stock{}`, `margin{}`},
		},
		"all calls under index 0": {
			events: []string{
				delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"stock","arguments":"{}"}}]`),
				delta(`"tool_calls":[{"index":0,"id":"b","function":{"name":"margin","arguments":"{}"}}]`),
				finish("tool_calls"), "[DONE]",
			},
			calls: []string{`stock{}`, `margin{}`},
		},
		"arguments as an object": {
			events: []string{delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"stock","arguments":{"q":1}}}]`), finish("tool_calls"), "[DONE]"},
			calls:  []string{`stock{"q":1}`},
		},
		"no arguments": {
			events: []string{delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"stock"}}]`), finish("tool_calls"), "[DONE]"},
			calls:  []string{`stock{}`},
		},
		"text and then a call": {
			events: []string{delta(`"role":"assistant","content":"Let me "`), delta(`"content":"look."`),
				delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"stock","arguments":"{}"}}]`), finish("tool_calls"), "[DONE]"},
			text: "Let me look.", calls: []string{`stock{}`},
		},
		"no [DONE]":                  {events: []string{delta(`"content":"yes"`), finish("stop")}, text: "yes"},
		"usage with empty choices":   {events: []string{delta(`"content":"yes"`), finish("stop"), `{"choices":[],"usage":{"prompt_tokens":1}}`, "[DONE]"}, text: "yes"},
		"a line of 300 KiB":          {events: []string{delta(`"content":"` + strings.Repeat("x", 300<<10) + `"`), finish("stop"), "[DONE]"}, text: strings.Repeat("x", 300<<10)},
		"null content":               {events: []string{delta(`"content":null`), delta(`"content":"yes"`), finish("stop"), "[DONE]"}, text: "yes"},
		"reasoning is not an answer": {events: []string{delta(`"reasoning_content":"hm"`), delta(`"content":"yes"`), finish("stop"), "[DONE]"}, text: "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			server := agenttest.Serve(t, agenttest.Stream(test.events...))
			var h heard
			response, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")}, h.option(), aTool)
			must(t, err)
			if diff := cmp.Diff(test.calls, callsOf(response)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if got := response.Choices[0].Content; got != test.text || h.String() != test.text {
				t.Errorf("text %.60q, heard %.60q, want %.60q", got, h.String(), test.text)
			}
		})
	}
}

// A broken answer must be an error.
func TestBrokenAnswersAreErrors(t *testing.T) {
	for name, turn := range map[string]agenttest.Turn{
		"cut short within text":      agenttest.Stream(delta(`"content":"Your cash is "`)),
		"cut short within a call":    agenttest.Stream(delta(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"stock","arguments":"{"}}]`)),
		"error object in a stream":   agenttest.Stream(delta(`"content":"Your "`), `{"error":{"message":"overloaded","type":"server_error"}}`, "[DONE]"),
		"error text in a stream":     agenttest.Stream(`{"error":"overloaded"}`, "[DONE]"),
		"not JSON in a stream":       agenttest.Stream(delta(`"content":"a"`), `{"choices":[{`),
		"a stream without an answer": agenttest.Stream("[DONE]"),
		"empty body":                 agenttest.Refuse(http.StatusOK, nil, ""),
		"HTML with status 200":       agenttest.Refuse(http.StatusOK, http.Header{"Content-Type": {"text/html"}}, "<html>"),
		"an error with status 200":   agenttest.Refuse(http.StatusOK, nil, `{"error":{"message":"no","code":400}}`),
		"unauthorized":               agenttest.Refuse(http.StatusUnauthorized, nil, `{"error":{"message":"Incorrect API key sk-secret","code":"invalid_api_key"}}`),
		"a redirect":                 agenttest.Refuse(http.StatusTemporaryRedirect, http.Header{"Location": {"http://127.0.0.1:1/"}}, ""),
		"an error in Google's form":  agenttest.Refuse(http.StatusForbidden, nil, `[{"error":{"code":403,"message":"no","status":"PERMISSION_DENIED"}}]`),
	} {
		t.Run(name, func(t *testing.T) {
			server := agenttest.ServeForever(t, turn)
			var h heard
			response, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")}, h.option(), aTool)
			if !errors.Is(err, ErrUnavailable) || response != nil {
				t.Errorf("got %v, %v; want ErrUnavailable", response, err)
			}
			if err != nil && strings.Contains(err.Error(), "sk-secret") {
				t.Errorf("the error contains the key: %v", err)
			}
			if h.Len() > 0 && len(server.Requests()) > 1 {
				t.Error("the request was repeated after text had been passed on")
			}
		})
	}
}

// Temporary failures are retried, unless text has been passed on. Other failures are not retried.
func TestOnlyTemporaryFailuresAreRetried(t *testing.T) {
	busy := agenttest.Refuse(http.StatusTooManyRequests, http.Header{"Retry-After-Ms": {"1"}}, `{"error":{"message":"slow down"}}`)
	for name, test := range map[string]struct {
		script []agenttest.Turn
		asked  int
		fails  bool
	}{
		"429 and then an answer": {[]agenttest.Turn{busy, agenttest.Say("yes")}, 2, false},
		"500, cut, answer":       {[]agenttest.Turn{agenttest.Refuse(500, nil, "oops"), agenttest.Stream(), agenttest.Say("yes")}, 3, false},
		"three times 503":        {[]agenttest.Turn{agenttest.Refuse(503, nil, ""), agenttest.Refuse(503, nil, ""), agenttest.Refuse(503, nil, "")}, 3, true},
		"403 at once":            {[]agenttest.Turn{agenttest.Refuse(403, nil, `{"error":{"message":"no"}}`)}, 1, true},
		"no credit":              {[]agenttest.Turn{agenttest.Refuse(429, nil, `{"error":{"message":"pay","code":"insufficient_quota"}}`)}, 1, true},
		"asked to wait an hour":  {[]agenttest.Turn{agenttest.Refuse(429, http.Header{"Retry-After": {"3600"}}, "")}, 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := agenttest.Serve(t, test.script...)
			_, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")}, new(heard).option())
			if (err != nil) != test.fails || err != nil && !errors.Is(err, ErrUnavailable) {
				t.Errorf("error %v; want an error: %v", err, test.fails)
			}
			if got := len(server.Requests()); got != test.asked {
				t.Errorf("%d requests, want %d", got, test.asked)
			}
		})
	}
}

// The error has the provider's status, code and requested pause.
func TestRefusalHasStatusCodeAndPause(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Refuse(429, http.Header{"Retry-After": {"90"}}, `{"error":{"message":"slow down","type":"requests","code":"rate_limit"}}`))
	_, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")})
	var refusal *Error
	if !errors.As(err, &refusal) {
		t.Fatalf("%T %v is not an *Error", err, err)
	}
	want := Error{Status: 429, Code: "rate_limit", Type: "requests", Message: "slow down", RetryAfter: 90 * time.Second}
	if diff := cmp.Diff(want, *refusal); diff != "" {
		t.Error(diff)
	}
}

// The server sends the second piece of text only after the first one has been received.
func TestTextIsPassedOnAsItArrives(t *testing.T) {
	next := make(chan string, 1)
	server := agenttest.Serve(t, agenttest.Paced(next))
	next <- "first "
	var all []string
	response, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")},
		llms.WithStreamingFunc(func(_ context.Context, text []byte) error {
			all = append(all, string(text))
			if len(all) == 1 {
				next <- "second"
			} else {
				close(next)
			}
			return nil
		}))
	must(t, err)
	if diff := cmp.Diff([]string{"first ", "second"}, all); diff != "" || response.Choices[0].Content != "first second" {
		t.Errorf("heard (-want +got):\n%s\nwhole %q", diff, response.Choices[0].Content)
	}
}

// Cancelling returns the context's cause and closes the request.
func TestCancelledCallReturnsTheContextsCause(t *testing.T) {
	for range 60 {
		left := make(chan struct{})
		server := agenttest.Serve(t, agenttest.Hang("Your cash is ", left))
		ctx, cancel := context.WithCancel(t.Context())
		_, err := remoteOf(t, server).GenerateContent(ctx, []llms.MessageContent{human("?")},
			llms.WithStreamingFunc(func(context.Context, []byte) error { cancel(); return nil }))
		if !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want context.Canceled", err)
		}
		<-left
	}
}

// An error of the streaming function ends the request. It is returned unchanged.
func TestErrorOfTheStreamingFunctionEndsTheRequest(t *testing.T) {
	left := make(chan struct{})
	server := agenttest.Serve(t, agenttest.Hang("Your cash is ", left))
	enough := errors.New("enough")
	_, err := remoteOf(t, server).GenerateContent(t.Context(), []llms.MessageContent{human("?")},
		llms.WithStreamingFunc(func(context.Context, []byte) error { return enough }))
	if !errors.Is(err, enough) {
		t.Errorf("got %v, want the error of the streaming function", err)
	}
	<-left
}

// A request fails if its provider sends nothing for too long.
func TestSilentProviderTimesOut(t *testing.T) {
	left := make(chan struct{}, 10)
	server := agenttest.ServeForever(t, func(r *agenttest.Reply) { // the request would be retried if no text had been sent
		r.Text("Your cash is ")
		<-r.Gone
		left <- struct{}{}
	})
	model := newRemote(t, Settings{OpenAIBaseURL: server.URL, Silence: 50 * time.Millisecond, FirstWait: time.Millisecond})
	_, err := model.GenerateContent(t.Context(), []llms.MessageContent{human("?")}, new(heard).option())
	if !errors.Is(err, ErrUnavailable) || !strings.Contains(err.Error(), "sent nothing") {
		t.Errorf("got %v", err)
	}
	for range server.Requests() {
		<-left
	}
}

// Requests have a form that every provider accepts.
func TestRequestsAreComplete(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("yes"))
	conversation := []llms.MessageContent{
		human("?"),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "a", Type: "function", FunctionCall: &llms.FunctionCall{Name: "stock", Arguments: "{}"}}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "a", Content: "{}"}}},
	}
	if _, err := remoteOf(t, server).GenerateContent(t.Context(), conversation, new(heard).option(), aTool); err != nil {
		t.Fatal(err)
	}
	sent := server.Requests()[0]
	for field, want := range map[string]string{
		"stream": "true", "stream_options": `{"include_usage":true}`, "parallel_tool_calls": "true", "tool_choice": `"auto"`, "temperature": "",
	} {
		if got := string(sent.Raw[field]); got != want {
			t.Errorf("%s is %s, want %s", field, got, want)
		}
	}
	if !strings.Contains(string(sent.Raw["messages"]), `"content":null`) {
		t.Errorf("the empty content of a message with tool calls is not null: %s", sent.Raw["messages"])
	}
	if got := sent.Header.Get("Authorization"); got != "Bearer sk-secret" {
		t.Errorf("Authorization is %q", got)
	}
}

// The fallback answers if the provider is unavailable, but not if text has already been sent.
func TestFallbackAnswersOnlyBeforeText(t *testing.T) {
	away := agenttest.ServeForever(t, agenttest.Refuse(503, nil, ""))
	begun := agenttest.ServeForever(t, agenttest.Stream(delta(`"content":"Your cash is "`)))
	second := agenttest.ServeForever(t, agenttest.Say("from the second"))
	answers := func(first *agenttest.Server, more ...llms.ContentPart) (string, error) {
		var h heard
		model := WithFallback(remoteOf(t, first), remoteOf(t, second), Settings{}.withDefaults().Log)
		asked := human("?")
		asked.Parts = append(asked.Parts, more...)
		_, err := model.GenerateContent(t.Context(), []llms.MessageContent{asked}, h.option())
		return h.String(), err
	}
	if text, err := answers(away); text != "from the second" || err != nil {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := answers(begun); text != "Your cash is " || !errors.Is(err, ErrUnavailable) {
		t.Errorf("got %q, %v", text, err)
	}
	if text, err := answers(away, llms.ImageURLPart("data:image/png;base64,AA==")); text != "" || !errors.Is(err, ErrUnavailable) {
		t.Errorf("with an image: got %q, %v", text, err)
	}
}

// backedModel records whether its requests have a fallback.
type backedModel struct {
	llms.Model
	backed []bool
}

func (m *backedModel) GenerateContent(_ context.Context, _ []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	m.backed = append(m.backed, HasFallback(Asked(options)))
	return &llms.ContentResponse{}, nil
}

// A model has no fallback for requests that the fallback could not answer: those with images, and those of programs.
func TestOnlyWhatTheFallbackCanAnswerHasOne(t *testing.T) {
	first := &backedModel{}
	model := WithFallback(first, nil, nil)
	picture := human("?")
	picture.Parts = append(picture.Parts, llms.ImageURLPart("data:image/png;base64,AA=="))
	for _, ask := range []func() (*llms.ContentResponse, error){
		func() (*llms.ContentResponse, error) {
			return model.GenerateContent(t.Context(), []llms.MessageContent{human("?")})
		},
		func() (*llms.ContentResponse, error) {
			return model.GenerateContent(t.Context(), []llms.MessageContent{picture})
		},
		func() (*llms.ContentResponse, error) {
			return answer.ReadBy(model, answer.Conversation{Form: true}).GenerateContent(t.Context(), []llms.MessageContent{human("?")})
		},
	} {
		if _, err := ask(); err != nil {
			t.Fatal(err)
		}
	}
	if want := []bool{true, false, false}; !slices.Equal(first.backed, want) {
		t.Errorf("got %v, want %v", first.backed, want)
	}
}

// An invalid spec is rejected, and the error says why.
func TestSpecsSelectProviderAndModel(t *testing.T) {
	full := Settings{OpenAIAPIKey: "k", AnthropicAPIKey: "k", GoogleAPIKey: "k", OllamaHost: "box:1234"}
	for spec, base := range map[string]string{
		"openai/gpt-x":               "https://api.openai.com/v1",
		"anthropic/claude-x":         "https://api.anthropic.com/v1",
		"googleai/gemini-x":          "https://generativelanguage.googleapis.com/v1beta/openai",
		"ollama/library/llama3:8b":   "http://box:1234/v1",
		"openai/accounts/x/models/y": "https://api.openai.com/v1",
	} {
		client, err := NewClient(spec, full)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		to := client.target
		if at, err := to.address(); err != nil || at.String() != base || to.Model != spec[strings.Index(spec, "/")+1:] {
			t.Errorf("%s: requests go to %s for model %s", spec, at, to.Model)
		}
	}
	for spec, wrong := range map[string]string{
		"": "PROVIDER/NAME", "gpt-4": "PROVIDER/NAME", "openai/": "PROVIDER/NAME", "acme/x": "acme", "openai/x": "OPENAI_API_KEY",
		"anthropic/x": "ANTHROPIC_API_KEY", "googleai/x": "GOOGLE_API_KEY",
	} {
		if _, err := NewClient(spec, Settings{}); err == nil || !strings.Contains(err.Error(), wrong) {
			t.Errorf("%q: error %v does not name %s", spec, err, wrong)
		}
	}
	if _, err := NewClient("ollama/x", Settings{OllamaHost: "0.0.0.0"}); err != nil {
		t.Error(err)
	}
}

// brief returns a model whose provider streams "yes" and then calls a function. opened counts the connections to the
// provider.
func brief(t *testing.T, then func()) (model *remote, opened *atomic.Int32) {
	t.Helper()
	opened = new(atomic.Int32)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprintf(w, "data: %s\n\ndata: %s\n\ndata: [DONE]\n\n", delta(`"content":"yes"`), finish("stop"))
		_ = http.NewResponseController(w).Flush() // sends the text now, so that the end of the stream comes separately
		then()
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	model = newRemote(t, Settings{OpenAIBaseURL: server.URL})
	return model, opened
}

// A connection is reused if its answer has been read completely.
func TestConnectionsAreReused(t *testing.T) {
	model, opened := brief(t, func() {})
	for range 20 {
		if _, err := model.GenerateContent(t.Context(), []llms.MessageContent{human("?")}, new(heard).option()); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("20 requests took %d connections", n)
	}
}

// After many parallel requests, sequential requests must all use the same connection. Then the others become idle and are
// closed.
func TestLastUsedConnectionIsUsedNext(t *testing.T) {
	const crowd = 3
	var crowded sync.WaitGroup
	crowded.Add(crowd)
	var asked atomic.Int64
	used := map[string]bool{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) <= crowd { // the first requests wait for each other
			crowded.Done()
			crowded.Wait()
		} else {
			used[r.RemoteAddr] = true
		}
		fmt.Fprint(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	model := newRemote(t, Settings{OpenAIBaseURL: server.URL})
	ask := func() {
		if _, err := model.GenerateContent(t.Context(), []llms.MessageContent{human("?")}); err != nil {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for range crowd {
		all.Go(ask)
	}
	all.Wait()
	for range 2 * crowd {
		ask()
	}
	if len(used) != 1 {
		t.Errorf("%d sequential requests used %d connections", 2*crowd, len(used))
	}
}

// If the provider has closed a connection while it was idle, the next request must cause neither a pause nor a warning,
// streamed or not.
func TestConnectionsClosedByTheProviderAreReplaced(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"choices":[{"index":0,"message":{"content":"yes"},"finish_reason":"stop"}]}`)
	}))
	t.Cleanup(server.Close)
	var log strings.Builder
	model := newRemote(t, Settings{OpenAIBaseURL: server.URL, Log: slog.New(slog.NewTextHandler(&log, nil))})
	for _, options := range [][]llms.CallOption{nil, {new(heard).option()}, nil} {
		if _, err := model.GenerateContent(t.Context(), []llms.MessageContent{human("?")}, options...); err != nil {
			t.Fatal(err)
		}
		server.CloseClientConnections()
	}
	if log.Len() > 0 {
		t.Errorf("the log is not empty: %s", log.String())
	}
}

// If an answer is too long, the rest of it must not be read as the next answer.
func TestConnectionWithUnreadDataIsNotReused(t *testing.T) {
	request := []byte(`{"model":"test","stream":true,"messages":[{"role":"user","content":"?"}]}`)
	for name, status := range map[string]int{"a refusal": http.StatusBadRequest, "not streamed": http.StatusOK} {
		t.Run(name, func(t *testing.T) {
			server := agenttest.Serve(t, agenttest.Refuse(status, nil, strings.Repeat("x", maxAnswerBytes+1<<20)), agenttest.Say("yes"))
			client, err := NewClient("openai/test", Settings{OpenAIBaseURL: server.URL, OpenAIAPIKey: "sk-secret"})
			must(t, err)
			if _, err := client.Ask(t.Context(), Call{Body: [][]byte{request}, Streamed: true, HeaderWait: time.Minute}); err == nil {
				t.Error("an answer of 17 MB was accepted")
			}
			if kept := client.host.Idle(); kept > 0 {
				t.Errorf("%d connections are kept, want none", kept)
			}
			next, err := client.Ask(t.Context(), Call{Body: [][]byte{request}, Streamed: true, HeaderWait: time.Minute})
			if err != nil {
				t.Fatalf("the next request: %v", err)
			}
			_ = next.Close()
		})
	}
}

// A stream that stays open after the end of the answer must not delay the caller.
func TestOpenStreamDoesNotDelayTheCaller(t *testing.T) {
	asked := make(chan struct{})
	model, _ := brief(t, func() { <-asked })
	response, err := model.GenerateContent(t.Context(), []llms.MessageContent{human("?")}, new(heard).option())
	close(asked)
	if err != nil || response.Choices[0].Content != "yes" {
		t.Errorf("got %v, %v", response, err)
	}
}

// If it were decoded without a limit, an answer of 16 MB of empty objects would take a gigabyte of memory.
func TestAnAnswerOfEmptyObjectsIsRefusedInBoundedMemory(t *testing.T) {
	many := strings.Repeat("{},", 2<<20)
	for name, body := range map[string]string{
		"choices": `{"choices":[` + many + `{}]}`,
		"calls":   `{"Choices":[{"message":{"content":"a","tool_calls":[` + many + `{}]}}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := readWhole([]byte(body), nil)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 4*uint64(len(body)) {
				t.Errorf("%.100v; %d MiB were allocated for %d MiB", err, taken>>20, len(body)>>20)
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
