package proxy

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/proxy/models"
	"github.com/kopeck/kopeck/schemas/clocktest"
)

// fakeProvider serves OpenAI's and Anthropic's paths.
type fakeProvider struct {
	*httptest.Server
	mu          sync.Mutex
	bodies      map[string][]byte // the latest body by path
	connections map[string]bool   // by the address of the caller
	headers     map[string]http.Header
	respond     func(w http.ResponseWriter, path string)
}

func newFakeProvider(t *testing.T, respond func(w http.ResponseWriter, path string)) *fakeProvider {
	t.Helper()
	v := &fakeProvider{bodies: map[string][]byte{}, headers: map[string]http.Header{}, connections: map[string]bool{}, respond: respond}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		v.mu.Lock()
		v.bodies[r.URL.Path], v.headers[r.URL.Path], v.connections[r.RemoteAddr] = body, r.Header, true
		v.mu.Unlock()
		v.respond(w, r.URL.Path)
	}))
	t.Cleanup(v.Close)
	return v
}

// newHarness returns a harness with two models of the provider: m with OpenAI's protocol, and claude with Anthropic's.
func (v *fakeProvider) newHarness(t *testing.T, more ...func(*Config)) *harness {
	t.Helper()
	set, err := models.Parse([]byte(`
providers:
  one: {kind: openai, base_url: "`+v.URL+`", key: "${KEY}"}
  two: {kind: anthropic, base_url: "`+v.URL+`", key: "${KEY}"}
models:
  m: {routes: [{provider: one, model: their-model}]}
  claude: {routes: [{provider: two, model: their-claude}]}
`), func(string) string { return providerKey }, provider.Settings{}, nil)
	must(t, err)
	return newHarness(t, setup{config: func(c *Config) {
		c.Models = models.Fixed(set)
		for _, change := range more {
			change(c)
		}
	}})
}

func (v *fakeProvider) body(path string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return string(v.bodies[path])
}

// openAIAnswers responds to each path as OpenAI does.
func openAIAnswers(w http.ResponseWriter, path string) {
	w.Header().Set("Content-Type", "application/json")
	switch path {
	case "/responses":
		fmt.Fprint(w, `{"id":"resp_1","object":"response","output":[{"type":"message","content":[{"type":"output_text","text":"hello"}]}],`+
			`"usage":{"input_tokens":7,"output_tokens":3,"total_tokens":10}}`)
	case "/completions":
		fmt.Fprint(w, `{"object":"text_completion","choices":[{"text":"hello"}],"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}`)
	case "/embeddings":
		fmt.Fprint(w, `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,-0.25]}],"usage":{"prompt_tokens":7,"total_tokens":7}}`)
	case "/moderations":
		fmt.Fprint(w, `{"id":"modr-1","results":[{"flagged":true}]}`)
	case "/images/generations":
		fmt.Fprint(w, `{"created":1,"data":[{"b64_json":"aGVsbG8="}]}`)
	case "/audio/speech":
		w.Header().Set("Content-Type", "audio/mpeg")
		fmt.Fprint(w, "\xff\xfbsound")
	case "/audio/transcriptions", "/audio/translations":
		fmt.Fprint(w, `{"text":"hello"}`)
	default:
		http.Error(w, "no such path", http.StatusNotFound)
	}
}

// The second image comes long after the first. A provider may also send fewer than were asked for.
func TestAllImagesOfAStreamArrive(t *testing.T) {
	const image = "event: image_generation.completed\ndata: {\"type\":\"image_generation.completed\",\"b64_json\":\"aGk=\"}\n\n"
	for _, sent := range []int{1, 2} {
		pinged := make(chan struct{}, 10)
		v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range sent {
				if i > 0 {
					<-pinged
				}
				fmt.Fprint(w, image)
				w.(http.Flusher).Flush()
			}
		})
		h := v.newHarness(t, func(c *Config) { c.Ping = 10 * time.Millisecond })
		res := h.send(t.Context(), "POST", "/v1/images/generations", `{"model":"m","prompt":"x","n":2,"stream":true}`, nil)
		defer res.Body.Close()
		var got strings.Builder
		lines := bufio.NewScanner(res.Body)
		for waits := true; lines.Scan(); {
			if lines.Text() == ": ping" {
				if waits && got.Len() > 0 {
					waits = false
					close(pinged)
				}
				continue
			}
			got.WriteString(lines.Text() + "\n")
		}
		must(t, lines.Err())
		if n := strings.Count(got.String(), "aGk="); n != sent || strings.Contains(got.String(), "error") {
			t.Errorf("%d of %d images arrived: %s", n, sent, got.String())
			if n < sent {
				close(pinged)
			}
		}
	}
}

func (h *harness) openai() openai.Client {
	return openai.NewClient(option.WithBaseURL(h.url+"/v1"), option.WithAPIKey(h.admin), option.WithMaxRetries(0))
}

// OpenAI's client works with each path. The provider gets its own name of the model.
func TestOpenAIPathsArePassedThrough(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	client, ctx := v.newHarness(t).openai(), t.Context()
	for path, ask := range map[string]func() (string, error){
		"/responses": func() (string, error) {
			got, err := client.Responses.New(ctx, responses.ResponseNewParams{Model: "m",
				Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("x")}})
			return got.OutputText(), err
		},
		"/completions": func() (string, error) {
			got, err := client.Completions.New(ctx,
				openai.CompletionNewParams{Model: "m", Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("x")}})
			return got.Choices[0].Text, err
		},
		"/embeddings": func() (string, error) {
			got, err := client.Embeddings.New(ctx,
				openai.EmbeddingNewParams{Model: "m", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("x")}})
			return map[bool]string{true: "hello"}[len(got.Data) == 1 && got.Data[0].Embedding[1] == -0.25], err
		},
		"/moderations": func() (string, error) {
			got, err := client.Moderations.New(ctx,
				openai.ModerationNewParams{Model: "m", Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("x")}})
			return map[bool]string{true: "hello"}[got.Results[0].Flagged], err
		},
		"/images/generations": func() (string, error) {
			got, err := client.Images.Generate(ctx, openai.ImageGenerateParams{Model: "m", Prompt: "x"})
			return map[bool]string{true: "hello"}[got.Data[0].B64JSON == "aGVsbG8="], err
		},
		"/audio/speech": func() (string, error) {
			got, err := client.Audio.Speech.New(ctx,
				openai.AudioSpeechNewParams{Model: "m", Input: "x", Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")}})
			if err != nil {
				return "", err
			}
			defer got.Body.Close()
			sound, err := io.ReadAll(got.Body)
			return map[bool]string{true: "hello"}[string(sound) == "\xff\xfbsound" && got.Header.Get("Content-Type") == "audio/mpeg"], err
		},
		"/audio/transcriptions": func() (string, error) {
			got, err := client.Audio.Transcriptions.New(ctx,
				openai.AudioTranscriptionNewParams{Model: "m", File: strings.NewReader(strings.Repeat("sound", 2<<20))})
			return got.Text, err
		},
		"/audio/translations": func() (string, error) {
			got, err := client.Audio.Translations.New(ctx, openai.AudioTranslationNewParams{Model: "m", File: strings.NewReader("sound")})
			return got.Text, err
		},
	} {
		t.Run(path, func(t *testing.T) {
			text, err := ask()
			if err != nil || text != "hello" {
				t.Fatalf("%q, %v", text, err)
			}
			if sent := v.body(path); !strings.Contains(sent, "their-model") {
				t.Errorf("the provider got %.300s", sent)
			}
		})
	}
	if sent := v.body("/audio/transcriptions"); !strings.Contains(sent, strings.Repeat("sound", 2<<20)) {
		t.Errorf("the provider got %d bytes of the form, without the whole file", len(sent))
	}
}

const typedEvents = "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"error\":null,\"usage\":null}}\n\n" +
	"event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"delta\":\"hello\"}\n\n" +
	"event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":\"resp_1\",\"usage\":{\"input_tokens\":7,\"output_tokens\":3,\"total_tokens\":10}}}\n\n"

// A stream of the Responses API is passed on unchanged. If it breaks off, the client gets an error event in the form of
// that API.
func TestResponsesStreamIsPassedThrough(t *testing.T) {
	events := typedEvents
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, events)
	})
	h := v.newHarness(t)
	const body = `{"model":"m","input":"x","stream":true}`
	if got := h.post("/v1/responses", body); string(got.body) != events {
		t.Errorf("%s", got.body)
	}
	if log := h.log.String(); !strings.Contains(log, `"prompt_tokens":7,"completion_tokens":3`) {
		t.Errorf("the log does not have the tokens: %s", log)
	}
	if sent := v.body("/responses"); strings.Contains(sent, "stream_options") {
		t.Errorf("the Responses API has no stream_options: %s", sent)
	}
	events = strings.TrimRight(typedEvents, "\n")
	if got := h.post("/v1/responses", body); string(got.body) != typedEvents {
		t.Errorf("without the final newlines: %s", got.body)
	}
	events, _, _ = strings.Cut(typedEvents, "event: response.completed")
	if got := string(h.post("/v1/responses", body).body); !strings.HasPrefix(got, events) ||
		!strings.Contains(got, "event: error\ndata: {\"type\":\"error\"") {
		t.Errorf("cut: %s", got)
	}
}

const anthropicEvents = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\",\"usage\":{\"input_tokens\":7,\"output_tokens\":1}}}\n\n" +
	"event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hello\"}}\n\n" +
	"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":3}}\n\n" +
	"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"

// Anthropic's clients send the key in X-Api-Key and expect errors in Anthropic's format.
func TestAnthropicMessagesArePassedThrough(t *testing.T) {
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, anthropicEvents)
	})
	h := v.newHarness(t)
	ask := func(key, body string) reply {
		return h.do("POST", "/v1/messages", body, http.Header{
			"Authorization": {""}, "X-Api-Key": {key}, "Anthropic-Version": {"2023-06-01"}, "Anthropic-Beta": {"x-1"},
		})
	}
	const body = `{"model":"claude","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"x"}]}`
	if got := ask(h.admin, body); string(got.body) != anthropicEvents || got.header.Get("X-Kopeck-Route") != "two/their-claude" {
		t.Errorf("%d %s", got.status, got.body)
	}
	head := v.headers["/messages"]
	if head.Get("X-Api-Key") != providerKey || head.Get("Anthropic-Beta") != "x-1" || head.Get("Authorization") != "" ||
		!strings.Contains(v.body("/messages"), `"their-claude"`) {
		t.Errorf("the provider got %v and %s", head, v.body("/messages"))
	}
	if log := h.log.String(); !strings.Contains(log, `"prompt_tokens":7,"completion_tokens":3`) {
		t.Errorf("the log does not have the tokens: %s", log)
	}

	v.respond = func(w http.ResponseWriter, _ string) {
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"max_tokens is too large"}}`, http.StatusBadRequest)
	}
	for name, c := range map[string]struct {
		got    reply
		status int
		kind   string
	}{
		"unknown key":         {ask("sk-org-none", body), 401, "authentication_error"},
		"a refusal":           {ask(h.admin, body), 400, "invalid_request_error"},
		"unknown model":       {ask(h.admin, strings.Replace(body, "claude", "none", 1)), 404, "not_found_error"},
		"a model of OpenAI's": {ask(h.admin, strings.Replace(body, "claude", "m", 1)), 400, "invalid_request_error"},
	} {
		if c.got.status != c.status || !strings.HasPrefix(string(c.got.body), `{"type":"error","error":{`) ||
			!strings.Contains(string(c.got.body), `"type":"`+c.kind+`"`) {
			t.Errorf("%s: %d %s", name, c.got.status, c.got.body)
		}
	}
	events, _, _ := strings.Cut(anthropicEvents, "event: message_delta")
	v.respond = func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, events+"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n")
	}
	if got := string(ask(h.admin, body).body); !strings.HasPrefix(got, events) || strings.Count(got, "event: error\n") != 1 ||
		!strings.Contains(got, "MODEL_UNAVAILABLE") {
		t.Errorf("an error in the stream: %s", got)
	}
}

// Keys of this service and tokens of MoySklad are masked, however JSON writes them. Keys of other services are passed on.
func TestOwnSecretsAreMaskedForProviders(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	h := v.newHarness(t)
	token, other := h.shop.Token(), "sk-proj-abcdefghijabcdefghijabcdefghij"
	if got := h.post("/v1/embeddings", `{"model":"m","input":"s\u006b`+h.admin[2:]+` and `+token+` and `+other+`"}`); got.status != http.StatusOK {
		t.Fatalf("%d %s", got.status, got.body)
	}
	if sent := v.body("/embeddings"); !strings.Contains(sent, `"input":"*** and *** and `+other+`"`) {
		t.Errorf("the provider got %s", sent)
	}
}

// A form that contains a secret is refused, because masking could damage its file. With RefuseSecrets, any request that
// contains a secret is.
func TestRequestWithASecretIsRefused(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	h := v.newHarness(t, func(c *Config) { c.RefuseSecrets = true })
	if got := h.post("/v1/embeddings", `{"model":"m","input":"my key is `+h.admin+`"}`); got.status != http.StatusBadRequest ||
		!strings.Contains(string(got.body), "a key of this service") {
		t.Errorf("with RefuseSecrets: %d %s", got.status, got.body)
	}
	h.post("/v1/embeddings", `{"model":"m","input":"sk-proj-abcdefghijabcdefghijabcdefghij"}`).expect("another service's key", http.StatusOK)
	other := newFakeProvider(t, openAIAnswers)
	h = other.newHarness(t)
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	must(t, form.WriteField("model", "m"))
	must(t, form.WriteField("prompt", h.shop.Token()))
	must(t, form.Close())
	got := h.do("POST", "/v1/audio/translations", body.String(), http.Header{"Content-Type": {form.FormDataContentType()}})
	if got.status != http.StatusBadRequest || other.body("/audio/translations") != "" {
		t.Errorf("a form: %d %s", got.status, got.body)
	}
}

// If an organization repeats a request, it gets the cached response until that expires.
func TestRepeatableRequestIsCached(t *testing.T) {
	clock := clocktest.New()
	requests := 0
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		requests++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"answer":%d,"usage":{"prompt_tokens":5,"completion_tokens":2}}`, requests)
	})
	h := v.newHarness(t, func(c *Config) { c.CacheLifetime, c.Now = time.Minute, clock.Now })
	ask := func(path, body string) (string, string) {
		t.Helper()
		got := h.post(path, body)
		if got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		number, _, _ := strings.Cut(strings.TrimPrefix(string(got.body), `{"answer":`), ",")
		return number, got.header.Get("X-Kopeck-Cache")
	}
	const zero = `{"model":"m","temperature":0.0,"messages":[]}`
	for _, step := range []struct {
		name, path, body string
		pass             time.Duration
		number, cache    string
	}{
		{"the first", "/v1/chat/completions", zero, 0, "1", "miss"},
		{"the same", "/v1/chat/completions", zero, 0, "1", "hit"},
		{"at another temperature", "/v1/chat/completions", `{"model":"m","temperature":0.1,"messages":[]}`, 0, "2", ""},
		{"without a temperature", "/v1/chat/completions", `{"model":"m","messages":[]}`, 0, "3", ""},
		{"with a trailing space", "/v1/chat/completions", zero + " ", 0, "1", "hit"}, // white space around the body does not matter
		{"another message", "/v1/chat/completions", `{"model":"m","temperature":0,"messages":[{}]}`, 0, "4", "miss"},
		{"embeddings", "/v1/embeddings", `{"model":"m","input":"x"}`, 0, "5", "miss"},
		{"the same embeddings", "/v1/embeddings", `{"model":"m","input":"x"}`, 0, "5", "hit"},
		{"another path", "/v1/moderations", `{"model":"m","input":"x"}`, 0, "6", ""},
		{"just before expiry", "/v1/embeddings", `{"model":"m","input":"x"}`, time.Minute - 1, "5", "hit"},
		{"at expiry", "/v1/embeddings", `{"model":"m","input":"x"}`, 1, "7", "miss"},
	} {
		clock.Advance(step.pass)
		if number, cache := ask(step.path, step.body); number != step.number || cache != step.cache {
			t.Errorf("%s: answer %s, %q; want %s, %q", step.name, number, cache, step.number, step.cache)
		}
	}
	theirs := h.key(h.otherOrg, keys.Admin)
	got := h.do("POST", "/v1/embeddings", `{"model":"m","input":"x"}`, http.Header{"Authorization": {"Bearer " + theirs}})
	if got.header.Get("X-Kopeck-Cache") != "miss" {
		t.Errorf("another organization: %s %s", got.header.Get("X-Kopeck-Cache"), got.body)
	}
}

// The use of an answer that comes later would not be counted, and nobody could fetch it.
func TestAnswersThatComeLaterAreRefused(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	h := v.newHarness(t)
	for _, c := range []struct{ path, field string }{
		{"/v1/responses", `"background":true`},
		{"/v1/responses", `"background":true,"stream":true`},
		{"/v1/responses", `"background":false,"b\u0061ckground":true`},
		{"/v1/responses", `"Background":true`},
		{"/v1/responses", `"background":"true"`},
		{"/v1/responses", `"background":1`},
		{"/v1/chat/completions", `"deferred":true`},
	} {
		got := h.post(c.path, `{"model":"m","input":"x","messages":[],`+c.field+`}`)
		if got.status != http.StatusBadRequest || got.failure().Detail.Code != "REQUEST_INVALID" {
			t.Errorf("%s: %d %s", c.field, got.status, got.body)
		}
	}
	if len(v.bodies) > 0 {
		t.Errorf("the provider got %s", v.bodies)
	}
	h.post("/v1/responses", `{"model":"m","input":"x","background":false}`).expect("false", http.StatusOK)
	h.post("/v1/responses", `{"model":"m","input":"x","background":null}`).expect("null", http.StatusOK)
	h.post("/v1/images/generations", `{"model":"m","prompt":"x","background":"transparent"}`).expect("of an image", http.StatusOK)
}

func TestAgentIsRefusedOnPassThroughPaths(t *testing.T) {
	h := newFakeProvider(t, openAIAnswers).newHarness(t)
	for model, status := range map[string]int{"kopeck": 400, "kopeck/m": 400, "none": 404} {
		h.post("/v1/embeddings", `{"model":"`+model+`","input":"x"}`).expect(model, status)
	}
}

// The provider gets the boundary by which the form was read, and no form that it could read in another way.
func TestFormsBoundaryIsTheOneThatWasRead(t *testing.T) {
	v := newFakeProvider(t, openAIAnswers)
	h := v.newHarness(t)
	const part, end = "--b\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n", "--b--\r\n"
	send := func(body, kind string) reply {
		return h.do("POST", "/v1/audio/translations", body, http.Header{"Content-Type": {kind}})
	}
	got := send(part+end, "multipart/form-data; boundary=other; boundary*=utf-8''b")
	if sent := v.headers["/audio/translations"].Get("Content-Type"); got.status != http.StatusOK || sent != "multipart/form-data; boundary=b" {
		t.Errorf("with a second boundary in its type: %d, the provider got %s", got.status, sent)
	}
	send(part+part+end, "multipart/form-data; boundary=b").expect("with two models", http.StatusBadRequest)
	send(`{"model":"m"}`, "application/json").expect("not a form", http.StatusUnsupportedMediaType)
}

// A provider's connection is reused after a stream that was read to its end.
func TestConnectionIsReusedAfterAStream(t *testing.T) {
	v := newFakeProvider(t, func(w http.ResponseWriter, _ string) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	})
	h := v.newHarness(t)
	for range 5 {
		h.post("/v1/chat/completions", `{"model":"m","stream":true,"messages":[]}`).expect("", http.StatusOK)
		h.waitIdle()
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if n := len(v.connections); n != 1 {
		t.Errorf("5 streams took %d connections", n)
	}
}
