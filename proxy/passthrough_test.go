package proxy

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/proxy/spend"
	"github.com/kopeck/kopeck/schemas/openai"
)

// respondWith returns a turn that sends the given pieces unchanged.
func respondWith(status int, kind string, pieces ...string) agenttest.Turn {
	return func(r *agenttest.Reply) {
		r.W.Header().Set("Content-Type", kind)
		r.W.WriteHeader(status)
		for _, piece := range pieces {
			fmt.Fprint(r.W, piece)
			r.W.(http.Flusher).Flush()
		}
	}
}

const (
	plainWhole  = `{"model":"openai/test","messages":[{"role":"user","content":"x"}]}`
	plainStream = `{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`
)

func TestProviderGetsEveryFieldButNoClientHeaders(t *testing.T) {
	var received agenttest.Request
	h := newHarness(t, setup{passThrough: []agenttest.Turn{func(r *agenttest.Reply) { received = r.Request; r.Text("ok"); r.Finish() }}})
	body := `{"model":"openai/test","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:,"}}]}],"n":3,"top_k":5,` +
		`"logit_bias":{"50256":-100},"x_vendor":{"deep":[1,2.50,null]},"metadata":{"connection_id":"c"},"tools":[{"type":"web_search"}]}`
	got := h.do("POST", "/v1/chat/completions", body, http.Header{"X-Secret-Of-Client": {"s"}, "Openai-Organization": {"org"}})
	if got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	var want map[string]json.RawMessage
	must(t, json.Unmarshal([]byte(body), &want))
	want["model"] = json.RawMessage(`"test"`)
	if different := cmp.Diff(want, received.Raw); different != "" {
		t.Error(different)
	}
	headers := http.Header{"Authorization": {"Bearer " + providerKey}, "Content-Type": {"application/json"},
		"Content-Length": received.Header["Content-Length"], "User-Agent": {"kopeck"}}
	if different := cmp.Diff(headers, received.Header); different != "" {
		t.Error(different)
	}
}

// Otherwise the garbage collector doubles the CPU of long prompts. A pool may lose a buffer, so several requests are sent.
func TestBufferOfALongPromptIsReused(t *testing.T) {
	const requests, length = 20, 300_000
	h := newHarness(t, setup{passThrough: slices.Repeat([]agenttest.Turn{respondWith(200, "application/json", "{}")}, requests)})
	body := strings.Replace(plainWhole, `"x"`, `"`+strings.Repeat("x", length)+`"`, 1)
	for range requests {
		if got := h.do("POST", "/v1/chat/completions", body, nil); got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		if spare, _ := spareBuffers.Get().(*[]byte); spare != nil && cap(*spare) >= length {
			return
		}
	}
	t.Error("no request has left its buffer for others")
}

func TestResponseIsPassedThroughUnchanged(t *testing.T) {
	const answer = "{\"id\" : \"x\",\"choices\":[ ],\"vendor\":{\"a\":1.50},\n\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10,\"x\":1}}\n"
	h := newHarness(t, setup{passThrough: []agenttest.Turn{respondWith(200, "application/json; charset=utf-8", answer[:20], answer[20:])}})
	res := h.send(t.Context(), "POST", "/v1/chat/completions", plainWhole, nil)
	defer res.Body.Close()
	text := make([]byte, len(answer)+1)
	n, _ := res.Body.Read(text)
	if string(text[:n]) != answer || res.Header.Get("Content-Type") != "application/json; charset=utf-8" {
		t.Errorf("%q %v", text[:n], res.Header)
	}
	if log := h.log.String(); !strings.Contains(log, `"prompt_tokens":7,"completion_tokens":3`) {
		t.Errorf("the log does not have the tokens: %s", log)
	}
}

func TestStreamIsPassedThroughHoweverItIsSplit(t *testing.T) {
	const events = ": hello\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"a\\n\\nb \\\"usage\\\"\"}}],\"usage\":null}\r\n\r\n" +
		"event: vendor\ndata: {\"error\":null,\"choices\":[{\"finish_reason\" : \"stop\"}]}\n\n" +
		"data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}}\n\ndata: [DONE]\n\n"
	const usage = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,\"total_tokens\":10}}\n\n"
	var turns []agenttest.Turn
	cuts := []int{0, 1, 9, 10, 11, 30, 95, 96, 97, 98, 99, 160, len(events) - 14, len(events) - 1}
	for _, cut := range cuts {
		turns = append(turns, respondWith(200, "text/event-stream", events[:cut], events[cut:]))
	}
	bytewise := respondWith(200, "text/event-stream", strings.Split(events, "")...)
	h := newHarness(t, setup{passThrough: append(turns, bytewise, bytewise)})
	for range len(turns) + 1 {
		if got := h.post("/v1/chat/completions", plainStream); string(got.body) != strings.Replace(events, usage, "", 1) {
			t.Errorf("%q", got.body)
		}
	}
	withUsage := strings.Replace(plainStream, `"stream"`, `"stream_options":{"include_usage":true},"stream"`, 1)
	if got := h.post("/v1/chat/completions", withUsage); string(got.body) != events {
		t.Errorf("with usage: %q", got.body)
	}
	if log := h.log.String(); strings.Count(log, `"prompt_tokens":7,"completion_tokens":3`) != len(turns)+2 {
		t.Errorf("the log does not have the tokens of every stream: %s", log)
	}
}

// The first event is sent before anything after it is inspected, even if both arrive together.
func TestFirstEventIsSentBeforeTheNextIsRead(t *testing.T) {
	const first, second = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", "data: {\"choices\":[{\"delta\":{\"content\":\"b\"}}]}\n\n"
	const done = "data: [DONE]\n\n"
	for name, chunks := range map[string][]string{"a chunk each": {first, second, done, ""}, "one chunk": {first + second + done, ""}} {
		t.Run(name, func(t *testing.T) {
			stream := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
			for _, chunk := range chunks {
				stream += fmt.Sprintf("%x\r\n%s\r\n", len(chunk), chunk)
			}
			if chunk := firstChunk(t, stream); chunk != first {
				t.Errorf("the first chunk is %q", chunk)
			}
		})
	}
}

// firstChunk returns the first chunk that a client receives if the provider writes the whole stream at once.
func firstChunk(t *testing.T, stream string) string {
	t.Helper()
	h := newHarness(t, setup{passThrough: []agenttest.Turn{func(r *agenttest.Reply) {
		conn, _, err := r.W.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, stream)
	}}})
	conn, err := net.Dial("tcp", strings.TrimPrefix(h.url, "http://"))
	must(t, err)
	defer conn.Close()
	_, err = fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: kopeck\r\nAuthorization: Bearer %s\r\n"+
		"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.admin, len(plainStream), plainStream)
	must(t, err)
	reader := textproto.NewReader(bufio.NewReader(conn))
	status, err := reader.ReadLine()
	must(t, err)
	_, err = reader.ReadMIMEHeader()
	must(t, err)
	var length int
	if _, err := fmt.Fscanf(reader.R, "%x\r\n", &length); err != nil {
		t.Fatal(status, err)
	}
	chunk := make([]byte, length)
	_, err = io.ReadFull(reader.R, chunk)
	must(t, err)
	return string(chunk)
}

func TestLargeEventIsPassedThrough(t *testing.T) {
	event := `data: {"choices":[{"delta":{"content":"` + strings.Repeat("слово ", 50_000) + `"}}]}` + "\n\n"
	h := newHarness(t, setup{passThrough: []agenttest.Turn{respondWith(200, "text/event-stream", event, "data: [DONE]\n\n")}})
	if got := h.post("/v1/chat/completions", plainStream); string(got.body) != event+"data: [DONE]\n\n" {
		t.Errorf("got %d bytes, want %d", len(got.body), len(event)+14)
	}
}

// An error about the request keeps the provider's status and code. An error about our account, or of the provider itself,
// becomes 502.
func TestProviderErrorsAreMapped(t *testing.T) {
	t.Parallel()
	body := `{"error":{"message":"temperature of ` + providerKey + ` is too high","type":"its_type","code":"its_code","param":"temperature"}}`
	refusals := []struct {
		status, want int
		code         string
	}{
		{400, 400, "REQUEST_INVALID"}, {409, 409, "REQUEST_INVALID"}, {413, 413, "REQUEST_TOO_LARGE"}, {422, 422, "REQUEST_INVALID"},
		{404, 404, "NOT_FOUND"}, {408, 408, "MODEL_UNAVAILABLE"}, {429, 429, "RATE_LIMITED"},
		{401, 502, "MODEL_UNAVAILABLE"}, {402, 502, "MODEL_UNAVAILABLE"}, {403, 502, "MODEL_UNAVAILABLE"}, {302, 502, "MODEL_UNAVAILABLE"},
		{500, 502, "MODEL_UNAVAILABLE"},
	}
	bodies := []string{plainWhole, plainStream}
	var turns []agenttest.Turn
	for _, c := range refusals {
		tries := 1
		if c.status == 408 || c.status == 429 || c.status >= 500 { // these were retried
			tries = 3
		}
		turns = append(turns, slices.Repeat([]agenttest.Turn{agenttest.Refuse(c.status, nil, body)}, tries*len(bodies))...)
	}
	h := newHarness(t, setup{passThrough: turns})
	for _, c := range refusals {
		for _, body := range bodies {
			got := h.post("/v1/chat/completions", body)
			f := got.failure()
			if got.status != c.want || f.Detail.Code != c.code || strings.Contains(string(got.body), providerKey) ||
				strings.Contains(h.log.String(), providerKey) {
				t.Errorf("%d: %d %s", c.status, got.status, got.body)
			}
			if c.want == 429 && got.header.Get("Retry-After") == "" {
				t.Errorf("%d: %v", c.status, got.header)
			}
			keepsCode := f.Error.Type == "its_type" && f.Error.Code == "its_code" && f.Error.Param != nil && *f.Error.Param == "temperature"
			if keepsCode != (c.want < 500) {
				t.Errorf("%d: %+v", c.status, f.Error)
			}
			if c.want == 400 && !strings.Contains(f.Detail.Message, "temperature of *** is too high") {
				t.Errorf("%d: %s", c.status, f.Detail.Message)
			}
		}
	}
}

// MODEL_UNAVAILABLE says what the provider did: a client cannot mend a refused key by repeating its request. The provider's text is
// for the operator, and stays in the log.
func TestUnavailableModelIsExplained(t *testing.T) {
	t.Parallel()
	const operator = "the operator must check"
	for name, test := range map[string]struct {
		turn     agenttest.Turn
		said     string
		operator bool // the operator must act
		final    string
	}{
		"refused key":         {agenttest.Refuse(401, nil, `{"error":{"message":"their text"}}`), "refuses this service's key", true, "false"},
		"no such page":        {agenttest.Refuse(302, nil, "their text"), "answered with status 302", true, "false"},
		"a web page":          {respondWith(200, "text/html", "<html>their text</html>"), "something that is not a model's answer", true, ""},
		"an error":            {respondWith(200, "application/json", `{"error":"their text"}`), "sent an error", true, ""},
		"out of order":        {agenttest.Refuse(503, nil, "their text"), "answered with status 503", false, ""},
		"no answer":           {func(*agenttest.Reply) { panic(http.ErrAbortHandler) }, "cannot be reached", false, ""},
		"a broken-off stream": {func(r *agenttest.Reply) { r.Text("half an ") }, "did not finish its answer", false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, setup{passThrough: slices.Repeat([]agenttest.Turn{test.turn}, 3)})
			body := plainWhole
			if strings.Contains(name, "stream") {
				body = plainStream
			}
			got := h.post("/v1/chat/completions", body)
			text := string(got.body)
			if !strings.Contains(text, "MODEL_UNAVAILABLE") || !strings.Contains(text, test.said) || strings.Contains(text, "their text") ||
				strings.Contains(text, operator) != test.operator || got.header.Get("X-Should-Retry") != test.final {
				t.Errorf("%d %v %s", got.status, got.header, text)
			}
		})
	}
}

// The client's own budget is not used up, and waiting does not help.
func TestProvidersEmptyAccountIsTheOperatorsProblem(t *testing.T) {
	empty := agenttest.Refuse(429, nil, `{"error":{"message":"You exceeded your quota","type":"insufficient_quota","code":"insufficient_quota"}}`)
	got := newHarness(t, setup{passThrough: []agenttest.Turn{empty}}).post("/v1/chat/completions", plainWhole)
	got.expectError("no credit", http.StatusBadGateway, "MODEL_UNAVAILABLE")
	if got.header.Get("X-Should-Retry") != "false" || strings.Contains(string(got.body), "quota") || !strings.Contains(string(got.body), "operator") {
		t.Errorf("%v %s", got.header, got.body)
	}
}

// The client is told at once how long the provider asks it to wait: a wait of this service would come on top of its own.
func TestRetryAfterIsPassedThroughAtOnce(t *testing.T) {
	h := newHarness(t, setup{passThrough: []agenttest.Turn{
		agenttest.Refuse(429, http.Header{"Retry-After": {"7"}}, `{"error":{"message":"slow down","code":"rate_limit_exceeded"}}`),
		agenttest.Refuse(503, http.Header{"Retry-After": {"7"}}, `{}`),
	}})
	for _, want := range []struct {
		status int
		said   string
	}{{429, "for now: slow down. Repeat the request later."}, {502, "answered with status 503."}} {
		got := h.post("/v1/chat/completions", plainWhole)
		if got.status != want.status || got.header.Get("Retry-After") != "7" || got.header.Get("X-Should-Retry") != "" ||
			!strings.Contains(got.failure().Error.Message, want.said) {
			t.Errorf("%d, Retry-After %q, X-Should-Retry %q, %s", got.status, got.header.Get("Retry-After"), got.header.Get("X-Should-Retry"), got.body)
		}
	}
}

// A request that fails before the response starts is retried without the client noticing.
func TestProviderRequestIsRetried(t *testing.T) {
	drop := func(*agenttest.Reply) { panic(http.ErrAbortHandler) }
	h := newHarness(t, setup{passThrough: []agenttest.Turn{drop, agenttest.Refuse(503, nil, "{}"), agenttest.Say("here")}})
	if got := h.post("/v1/chat/completions", plainWhole); got.status != http.StatusOK || !strings.Contains(string(got.body), "here") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// A proxy in front of the provider may quote the request's headers, including our key, in its response.
func TestProviderKeyIsMaskedInResponses(t *testing.T) {
	quoted := `{"choices":[{"delta":{"content":"` + providerKey + `"}}]}`
	h := newHarness(t, setup{passThrough: []agenttest.Turn{
		agenttest.Say(providerKey),
		respondWith(200, "text/event-stream", "data: "+quoted+"\n\ndata: {\"error\":{\"message\":\""+providerKey+"\"}}\n\n"),
	}})
	for _, body := range []string{plainWhole, plainStream} {
		if got := h.post("/v1/chat/completions", body); strings.Contains(string(got.body), providerKey) ||
			!strings.Contains(string(got.body), `"content":"***"`) {
			t.Errorf("%s", got.body)
		}
	}
	if strings.Contains(h.log.String(), providerKey) {
		t.Errorf("the log has the provider's key")
	}
}

func TestErrorEventIsReplacedWithOurs(t *testing.T) {
	h := newHarness(t, setup{passThrough: []agenttest.Turn{respondWith(200, "text/event-stream",
		"data: {\"choices\":[{\"delta\":{\"content\":\"half\"}}]}\n\n", "event: error\ndata: {\"error\":{\"message\":\"overloaded\"}}\n\ndata: [DONE]\n\n")}})
	got := h.post("/v1/chat/completions", plainStream)
	if text := string(got.body); !strings.Contains(text, "half") || !strings.Contains(text, `"MODEL_UNAVAILABLE"`) ||
		strings.Contains(text, "[DONE]") {
		t.Errorf("%s", text)
	}
}

// A stream with a finish_reason but without [DONE] is complete.
func TestFinishedStreamEndsWithDone(t *testing.T) {
	finished := "data: {\"choices\":[{\"finish_reason\":\"stop\"}]}\n\n"
	h := newHarness(t, setup{passThrough: []agenttest.Turn{
		respondWith(200, "text/event-stream", finished), respondWith(200, "text/event-stream", finished, "data: [DONE]"), respondWith(200,
			"text/event-stream", finished, `data: {"cho`)}})
	for range 3 {
		if got := h.post("/v1/chat/completions", plainStream); string(got.body) != finished+"data: [DONE]\n\n" {
			t.Errorf("%q", got.body)
		}
	}
}

// After a ping was sent, an error can only be reported as an event.
func TestLateRefusalIsAnEventOfTheStream(t *testing.T) {
	pinged := make(chan struct{})
	h := newHarness(t, setup{
		passThrough: []agenttest.Turn{func(r *agenttest.Reply) {
			<-pinged
			http.Error(r.W, `{"error":{"message":"too long"}}`, http.StatusBadRequest)
		}},
		config: func(c *Config) { c.Ping = 10 * time.Millisecond },
	})
	res := h.send(t.Context(), "POST", "/v1/chat/completions", plainStream, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() && lines.Text() != ": ping" {
	}
	close(pinged)
	var last string
	for lines.Scan() {
		if lines.Text() != "" {
			last = lines.Text()
		}
	}
	if !strings.Contains(last, `"REQUEST_INVALID"`) || !strings.Contains(last, "too long") {
		t.Errorf("the stream ended with %s", last)
	}
}

// Some servers ignore "stream" and send a complete response.
func TestUnstreamedResponseToAStreamRequestIsPassedThrough(t *testing.T) {
	h := newHarness(t, setup{passThrough: []agenttest.Turn{respondWith(200, "application/json", `{"object":"chat.completion"}`)}})
	res := h.send(t.Context(), "POST", "/v1/chat/completions", plainStream, nil)
	defer res.Body.Close()
	var c openai.ChatCompletion
	must(t, json.NewDecoder(res.Body).Decode(&c))
	if c.Object != "chat.completion" || res.Header.Get("Content-Type") != "application/json" {
		t.Errorf("%+v %v", c, res.Header)
	}
}

// Ambiguous and invalid requests do not reach the provider.
func TestInvalidPassThroughRequestIsRefused(t *testing.T) {
	h := newHarness(t, setup{passThrough: []agenttest.Turn{}})
	for _, body := range []string{
		`{"model":"openai/test","model":"openai/test"}`, `{"model":"openai/test","MODEL":"o"}`, `{"model":"openai/test","stream":"yes"}`,
		`{"model":"openai/test","stream_options":[]}`, `{"model":"openai/test"`, `{"model":"openai/test"}}`, `["openai/test"]`,
	} {
		h.post("/v1/chat/completions", body).expectError(body, http.StatusBadRequest, "REQUEST_INVALID")
	}
	kind := http.Header{"Content-Type": {"text/plain"}}
	h.do("POST", "/v1/chat/completions", plainWhole, kind).expect("", http.StatusUnsupportedMediaType)
}

// If the client disconnects, a request to a model must not continue, whether it is streamed or not.
func TestEveryModelRequestEndsWhenItsClientDisconnects(t *testing.T) {
	const clients = 40
	started, ended := make(chan struct{}, clients), make(chan struct{}, clients)
	var turns []agenttest.Turn
	for i := range clients {
		turns = append(turns, func(r *agenttest.Reply) {
			if r.Request.Stream && i < clients/2 { // the others have not begun
				r.Text("begun")
			}
			started <- struct{}{}
			<-r.Gone
			ended <- struct{}{}
		})
	}
	h := newHarness(t, setup{passThrough: turns})
	var disconnects []func()
	for i := range clients {
		disconnects = append(disconnects, h.sendInBackground([]string{plainWhole, plainStream}[i%2], ""))
	}
	for range clients {
		<-started
	}
	for _, disconnect := range disconnects {
		disconnect()
	}
	for i := range clients {
		select {
		case <-ended:
		case <-time.After(testTimeout):
			t.Fatalf("%d of %d model requests ended", i, clients)
		}
	}
}

// The list counts requests by key, model and hour. It includes streams and failed requests.
func TestPassThroughUsageIsRecorded(t *testing.T) {
	refuse := agenttest.Refuse(http.StatusBadRequest, nil, "{}")
	h := newHarness(t, setup{passThrough: []agenttest.Turn{agenttest.Say("a"), agenttest.Say("b"), refuse}})
	for _, body := range []string{plainWhole, plainStream, plainWhole} {
		h.post("/v1/chat/completions", body)
	}
	h.waitIdle()
	writeNow(t, h.server.cfg.Spend.Run)
	var usage struct{ Data []spend.HourlyUse }
	h.get("/api/v1/organizations/" + h.org + "/usage").into(&usage)
	want := spend.Counts{Requests: 3, Failed: 1, Uncounted: 1, Unpriced: 2, PromptTokens: 20, CompletionTokens: 10}
	if len(usage.Data) != 1 || usage.Data[0].Counts != want || usage.Data[0].Model != "openai/test" {
		t.Errorf("%+v", usage.Data)
	}
}
