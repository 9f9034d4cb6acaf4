package proxy

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/proxy/problem"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools/sandbox"
)

const question = `{"model":"kopeck","messages":[{"role":"user","content":"Что ниже неснижаемого остатка?"}]}`

// withStream adds "stream":true and the fields in more to a question.
func withStream(question, more string) string {
	return strings.Replace(question, `"messages"`, `"stream":true,`+more+`"messages"`, 1)
}

// events returns the data of a stream's events, without comments.
func events(t *testing.T, body io.Reader) []string {
	t.Helper()
	var data []string
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		switch line := lines.Text(); {
		case line == "", strings.HasPrefix(line, ":"):
		case strings.HasPrefix(line, "data: "):
			data = append(data, strings.TrimPrefix(line, "data: "))
		default:
			t.Errorf("line %q is neither data nor comment", line)
		}
	}
	must(t, lines.Err())
	return data
}

// chunksOf decodes a stream that must succeed, and checks what must hold for each chunk.
func chunksOf(t *testing.T, got reply) []openai.Chunk {
	t.Helper()
	if kind := got.header.Get("Content-Type"); got.status != http.StatusOK || kind != "text/event-stream" {
		t.Fatalf("%d %s: %s", got.status, kind, got.body)
	}
	data := events(t, strings.NewReader(string(got.body)))
	if len(data) < 3 || data[len(data)-1] != "[DONE]" {
		t.Fatalf("the stream does not end with [DONE]: %q", data)
	}
	var chunks []openai.Chunk
	for _, text := range data[:len(data)-1] {
		var frame map[string]json.RawMessage
		must(t, json.Unmarshal([]byte(text), &frame))
		if string(frame["object"]) != `"chat.completion.chunk"` || !strings.HasPrefix(string(frame["choices"]), "[") {
			t.Errorf("frame %s is not a full chunk", text)
		}
		var chunk openai.Chunk
		must(t, json.Unmarshal([]byte(text), &chunk))
		chunks = append(chunks, chunk)
	}
	if first := chunks[0].Choices; len(first) != 1 || first[0].Delta.Role != openai.RoleAssistant {
		t.Errorf("the first chunk has no role: %+v", first)
	}
	return chunks
}

// assembled joins the chunks like a client.
func assembled(chunks []openai.Chunk) (text, reasoning, finish string, tools []openai.ToolActivity) {
	for _, chunk := range chunks {
		for _, choice := range chunk.Choices {
			if choice.Delta.Content != nil {
				text += *choice.Delta.Content
			}
			reasoning += choice.Delta.ReasoningContent
			if choice.FinishReason != nil {
				finish = *choice.FinishReason
			}
		}
		if chunk.Kopeck != nil {
			tools = append(tools, chunk.Kopeck.Tools...)
		}
	}
	return text, reasoning, finish, tools
}

func TestStreamedAndCompleteAnswersAreEqual(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	for _, address := range []string{"/v1", "/api/v1", "/api/v1/v1"} {
		whole := h.post(address+"/chat/completions", question)
		var completion openai.ChatCompletion
		whole.into(&completion)
		stream := h.post(address+"/chat/completions", withStream(question, ""))
		text, reasoning, finish, activity := assembled(chunksOf(t, stream))
		message := completion.Choices[0].Message
		if message.Content == nil || *message.Content != text || text == "" {
			t.Errorf("%s: complete answer %v, streamed %q", address, message.Content, text)
		}
		if message.ReasoningContent != withoutProgress(reasoning) || completion.Choices[0].FinishReason != finish || finish != openai.FinishStop {
			t.Errorf("%s: complete %q %q, streamed %q %q", address, message.ReasoningContent, completion.Choices[0].FinishReason, reasoning, finish)
		}
		if completion.Usage == nil || completion.Usage.TotalTokens == 0 {
			t.Errorf("%s: usage is %+v", address, completion.Usage)
		}
		for _, got := range []reply{whole, stream} {
			if got.header.Get("X-Session-Id") == "" || got.header.Get("X-Request-Id") == "" {
				t.Errorf("%s: headers are %v", address, got.header)
			}
		}
		activity = slices.DeleteFunc(activity, func(a openai.ToolActivity) bool { return a.Progress != nil })
		if len(activity) != 2 || len(completion.Kopeck.Tools) != 1 {
			t.Errorf("%s: tools are %+v in the stream and %+v in the whole answer", address, activity, completion.Kopeck.Tools)
		}
	}
}

// withoutProgress removes progress lines, which only streams have.
func withoutProgress(reasoning string) (lines string) {
	for line := range strings.Lines(reasoning) {
		if !strings.HasPrefix(line, "…") {
			lines += line
		}
	}
	return lines
}

// Progress events count the upstream calls made and the total.
func TestStreamReportsToolProgress(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{shop: sandbox.New(sandbox.Config{Seed: 1, Products: 2500, Unlimited: true})})
	h.connect()
	h.server.cfg.Agent.ProgressInterval = time.Millisecond
	chunks := chunksOf(t, h.post("/v1/chat/completions", withStream(question, "")))
	calls, announced := 0, false
	for _, chunk := range chunks {
		if chunk.Kopeck == nil || len(chunk.Kopeck.Tools) == 0 || chunk.Kopeck.Tools[0].Progress == nil {
			continue
		}
		p := chunk.Kopeck.Tools[0].Progress
		if p.Calls <= calls || p.Of < p.Calls {
			t.Errorf("progress %+v after %d calls", p, calls)
		}
		calls, announced = p.Calls, announced || p.Of > p.Calls
	}
	if _, reasoning, _, _ := assembled(chunks); calls < 2 || !announced || !strings.Contains(reasoning, "… below_minimum: запрос") {
		t.Errorf("%d calls reported, more announced: %v; reasoning\n%s", calls, announced, reasoning)
	}
}

// A client would try to run every tool in tool_calls, and fail on an event whose name it does not know.
func TestServiceToolsNeverAppearAsToolCalls(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	chunks := chunksOf(t, h.post("/v1/chat/completions", withStream(question, "")))
	var states []string
	for _, chunk := range chunks {
		for _, choice := range chunk.Choices {
			if len(choice.Delta.ToolCalls) > 0 {
				t.Errorf("tool_calls in %+v", chunk)
			}
		}
		if chunk.Kopeck == nil || len(chunk.Kopeck.Tools) == 0 {
			continue
		}
		if d := chunk.Choices[0].Delta; d.Content != nil || d.ReasoningContent != "" {
			t.Errorf("a chunk with our extension has the delta %+v", d)
		}
		if chunk.Kopeck.Tools[0].Progress != nil {
			continue
		}
		states = append(states, chunk.Kopeck.Tools[0].Tool+" "+chunk.Kopeck.Tools[0].State)
	}
	if want := []string{"below_minimum started", "below_minimum finished"}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
	if _, reasoning, _, _ := assembled(chunks); !strings.HasPrefix(reasoning, "below_minimum") {
		t.Errorf("reasoning is %q", reasoning)
	}
}

func TestUsageIsStreamedOnlyOnRequest(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	for _, chunk := range chunksOf(t, h.post("/v1/chat/completions", withStream(question, ""))) {
		if chunk.Usage != nil || len(chunk.Choices) == 0 {
			t.Errorf("a chunk with usage that was not requested: %+v", chunk)
		}
	}
	chunks := chunksOf(t, h.post("/v1/chat/completions", withStream(question, `"stream_options":{"include_usage":true},`)))
	last := chunks[len(chunks)-1]
	if last.Usage == nil || last.Usage.TotalTokens == 0 || len(last.Choices) != 0 {
		t.Errorf("the last chunk is %+v", last)
	}
	if reason := chunks[len(chunks)-2].Choices[0].FinishReason; reason == nil {
		t.Error("no finish_reason before the usage")
	}
}

// When the agent's model refuses a request, the client gets the provider's reason and code.
func TestModelRefusalReachesTheClient(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t,
		agenttest.Refuse(400, nil, `{"error":{"message":"8193 tokens are too many","code":"context_length_exceeded"}}`))})
	h.connect()
	got := h.post("/v1/chat/completions", question)
	f := got.failure()
	if got.status != 400 || f.Detail.Code != "REQUEST_INVALID" || f.Error.Code != "context_length_exceeded" ||
		!strings.Contains(f.Detail.Message, "8193 tokens") {
		t.Errorf("%d %s", got.status, got.body)
	}
}

func TestClientToolCallsAreReturnedToTheClient(t *testing.T) {
	call := agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}, agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`})
	h := newHarness(t, setup{model: scripted(t, call, call)})
	h.connect()
	request := strings.Replace(question, `"messages"`,
		`"tools":[{"type":"function","function":{"name":"open_door","parameters":{"type":"object"}}}],"messages"`, 1)

	var whole openai.ChatCompletion
	h.post("/v1/chat/completions", request).into(&whole)
	if calls := whole.Choices[0].Message.ToolCalls; len(calls) != 2 || whole.Choices[0].FinishReason != openai.FinishToolCalls ||
		calls[0].Index != nil {
		t.Errorf("complete: %+v", whole.Choices[0])
	}
	chunks := chunksOf(t, h.post("/v1/chat/completions", withStream(request, "")))
	var indexes []int
	for _, chunk := range chunks {
		for _, c := range chunk.Choices[0].Delta.ToolCalls {
			if c.Index == nil || c.ID == "" || c.Type != "function" || c.Function.Name != "open_door" {
				t.Fatalf("call %+v", c)
			}
			indexes = append(indexes, *c.Index)
		}
	}
	if _, _, finish, _ := assembled(chunks); !slices.Equal(indexes, []int{0, 1}) || finish != openai.FinishToolCalls {
		t.Errorf("streamed: indexes %v, finish %q", indexes, finish)
	}
}

func TestStreamedTextIsNotBuffered(t *testing.T) {
	t.Parallel()
	pieces := make(chan string, 1)
	h := newHarness(t, setup{passThrough: []agenttest.Turn{agenttest.Paced(pieces)}})
	pieces <- "one " // sent together with the response's headers
	res := h.send(t.Context(), "POST", "/v1/chat/completions",
		`{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for _, piece := range []string{"one ", "two ", "three "} {
		if piece != "one " {
			pieces <- piece // only after the previous piece has been read
		}
		for lines.Scan() && !strings.Contains(lines.Text(), piece) {
		}
		must(t, lines.Err())
	}
	close(pieces)
	var rest []string
	for lines.Scan() {
		rest = append(rest, lines.Text())
	}
	if !slices.Contains(rest, "data: [DONE]") {
		t.Errorf("the stream ended with %q", rest)
	}
}

// When the model sends a part, the client must already be able to read all parts before the previous one.
func TestAgentTextLagsTheModelByAtMostOneSentence(t *testing.T) {
	t.Parallel()
	parts := []string{
		"Торговля идёт ровно. ", "Склады полны! ", "А касса? ", "Тоже в порядке.\n\n", "| Склад | Вывод |\n", "|---|---|\n", "| Основной | полон |\n", "\n",
		"- спросите про остатки\n", "- или про маржу.\n\n", "Больше сказать нечего.",
	}
	pieces := make(chan string)
	h := newHarness(t, setup{model: scripted(t, agenttest.Paced(pieces))})
	h.connect()
	ctx, cancel := context.WithTimeout(t.Context(), testTimeout) // in case text is missing
	defer cancel()
	res := h.send(ctx, "POST", "/v1/chat/completions", withStream(question, ""), nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	var read, sent letters
	for i, part := range parts {
		pieces <- part
		for len(read) < len(sent) && lines.Scan() {
			var c openai.Chunk
			if data, ok := strings.CutPrefix(lines.Text(), "data: {"); ok {
				must(t, json.Unmarshal([]byte("{"+data), &c))
				if content := c.Choices[0].Delta.Content; content != nil {
					read.add(*content)
				}
			}
		}
		must(t, lines.Err())
		if !strings.HasPrefix(string(read), string(sent)) {
			t.Fatalf("before part %d the client has read %q of %q", i, read, sent)
		}
		sent.add(part)
	}
	close(pieces)
	if rest := strings.Join(events(t, res.Body), ""); !strings.Contains(rest, "нечего.") || !strings.HasSuffix(rest, "[DONE]") {
		t.Errorf("the stream ends with %s", rest)
	}
}

// letters is a text without white space. White space after a sentence may be sent together with the next one.
type letters string

func (l *letters) add(text string) { *l += letters(strings.Join(strings.Fields(text), "")) }

func TestSilentStreamSendsPings(t *testing.T) {
	ended := make(chan struct{})
	h := newHarness(t, setup{
		passThrough: []agenttest.Turn{agenttest.Hang("", ended)},
		config:      func(c *Config) { c.Ping = 10 * time.Millisecond },
	})
	ctx, disconnect := context.WithCancel(t.Context())
	res := h.send(ctx, "POST", "/v1/chat/completions", `{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`, nil)
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	for pings := 0; pings < 3 && lines.Scan(); {
		if lines.Text() == ": ping" {
			pings++
		}
	}
	must(t, lines.Err())
	disconnect()
	<-ended
}

func TestBrokenStreamEndsWithAnErrorEvent(t *testing.T) {
	cut := func(r *agenttest.Reply) { r.Text("half an ") } // the provider's stream ends without a finish_reason
	h := newHarness(t, setup{passThrough: []agenttest.Turn{cut}})
	got := h.post("/v1/chat/completions", `{"model":"openai/test","stream":true,"messages":[{"role":"user","content":"x"}]}`)
	data := events(t, strings.NewReader(string(got.body)))
	var f problem.Body
	must(t, json.Unmarshal([]byte(data[len(data)-1]), &f))
	if f.Detail.Code != "MODEL_UNAVAILABLE" || f.Error.Code != "MODEL_UNAVAILABLE" || f.Error.Type != "server_error" {
		t.Errorf("the last event is %s", data[len(data)-1])
	}
	if slices.Contains(data, "[DONE]") {
		t.Error("[DONE] after an error")
	}
}

func TestUnavailableModelGets502(t *testing.T) {
	refuse := agenttest.Refuse(http.StatusInternalServerError, nil, `{}`)
	h := newHarness(t, setup{passThrough: []agenttest.Turn{refuse, refuse, refuse}})
	got := h.post("/v1/chat/completions", `{"model":"openai/test","messages":[{"role":"user","content":"x"}]}`)
	if got.status != http.StatusBadGateway || got.failure().Detail.Code != "MODEL_UNAVAILABLE" || got.header.Get("X-Should-Retry") != "" {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
}

func TestModelsAreListedUnderEachRoot(t *testing.T) {
	h := newHarness(t, setup{passThrough: []agenttest.Turn{}})
	for _, root := range []string{"/v1", "/api/v1", "/api/v1/v1"} {
		var list openai.ModelList
		h.get(root + "/models").into(&list)
		var names []string
		for _, m := range list.Data {
			names = append(names, m.ID+" by "+m.OwnedBy)
		}
		want := []string{"kopeck by kopeck", "kopeck-agent by kopeck", "kopeck/openai/test by kopeck", "openai/test by openai"}
		if !slices.Equal(names, want) || list.Object != "list" {
			t.Errorf("%s: %v", root, names)
		}
		for _, path := range []string{"/models/kopeck", "/models/openai/test", "/models/openai%2Ftest"} {
			h.get(root+path).expect(root+path, http.StatusOK)
		}
		if got := h.get(root + "/models/none"); got.status != http.StatusNotFound {
			t.Errorf("an unknown model: %d", got.status)
		}
	}
}

// If the language model fails and the built-in one answers, programs see it in the extension, streamed or not.
func TestExtensionSaysThatTheBuiltInModelAnswered(t *testing.T) {
	away := modelAt(t, agenttest.ServeForever(t, agenttest.Refuse(503, nil, "")))
	for want, model := range map[string]llms.Model{
		provider.Offline: provider.WithFallback(away, offline.New(time.Now), slog.New(slog.DiscardHandler)),
		"":               offline.New(time.Now),
	} {
		h := newHarness(t, setup{model: model})
		h.connect()
		var whole openai.ChatCompletion
		h.post("/v1/chat/completions", question).into(&whole)
		chunks := chunksOf(t, h.post("/v1/chat/completions", withStream(question, "")))
		last, streamed := chunks[len(chunks)-1], ""
		if last.Kopeck != nil {
			streamed = last.Kopeck.AnsweredBy
		}
		if whole.Kopeck.AnsweredBy != want || last.Choices[0].FinishReason == nil || streamed != want {
			t.Errorf("chat completions: %q, streamed %q, want %q", whole.Kopeck.AnsweredBy, streamed, want)
		}
		request := `{"model":"kopeck","input":"Что ниже неснижаемого остатка?"}`
		var response openai.Response
		h.post("/v1/responses", request).into(&response)
		stream := h.post("/v1/responses", strings.Replace(request, "{", `{"stream":true,`, 1))
		done := string(stream.body[bytes.LastIndex(stream.body, []byte("event: response.completed")):])
		if response.Kopeck.AnsweredBy != want || strings.Contains(done, `"answered_by":"offline"`) != (want != "") {
			t.Errorf("responses: %q, want %q; the stream ends with %s", response.Kopeck.AnsweredBy, want, done)
		}
	}
}
