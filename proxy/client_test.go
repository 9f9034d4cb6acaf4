package proxy

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func (h *harness) client(key string) openai.Client {
	return openai.NewClient(option.WithBaseURL(h.url+"/v1"), option.WithAPIKey(key), option.WithMaxRetries(2))
}

func TestOfficialClientReadsCompleteAndStreamedAnswers(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	client := h.client(h.admin)
	params := openai.ChatCompletionNewParams{
		Model:    "kopeck",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Сколько денег на счетах?")},
	}
	whole, err := client.Chat.Completions.New(t.Context(), params)
	must(t, err)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var streamed openai.ChatCompletionAccumulator
	for stream.Next() {
		if !streamed.AddChunk(stream.Current()) {
			t.Fatalf("the client could not add %s", stream.Current().RawJSON())
		}
	}
	must(t, stream.Err())
	if whole.Choices[0].Message.Content != streamed.Choices[0].Message.Content || streamed.Choices[0].FinishReason != "stop" {
		t.Errorf("complete %q, streamed %q, finish %q",
			whole.Choices[0].Message.Content, streamed.Choices[0].Message.Content, streamed.Choices[0].FinishReason)
	}
}

// The body comes from the official client's own test. It has every field, and limits of 0.
func TestUnsupportedRequestFieldsAreIgnored(t *testing.T) {
	h := newHarness(t, setup{})
	h.connect()
	got := h.post("/v1/chat/completions", `{"model":"kopeck","messages":[{"role":"developer","name":"n","content":[{"type":"text","text":"x"}]},
		{"role":"user","content":[{"type":"text","text":"привет"}]}],
		"frequency_penalty":-2,"logprobs":true,"top_logprobs":0,"max_tokens":0,"max_completion_tokens":0,"n":1,"seed":-9007199254740991,
		"audio":{"format":"wav","voice":"alloy"},"logit_bias":{"foo":0},"metadata":{"foo":"bar"},"modalities":["text"],"reasoning_effort":"none",
		"service_tier":"auto","stop":"\n","stream_options":{"include_usage":true},"function_call":"none","functions":[{"name":"f"}],
		"response_format":{"type":"text"},"tool_choice":"none","tools":[{"type":"function","function":{"name":"f","strict":true}}],
		"parallel_tool_calls":true,"prediction":{"type":"content","content":"x"},"store":true,"user":"u","web_search_options":{}}`)
	got.expect("", http.StatusOK)
}

// SDKs retry errors that may be temporary. They must not retry an error that a retry cannot fix.
func TestOfficialClientShowsOurErrorAndDoesNotRetry(t *testing.T) {
	h := newHarness(t, setup{})
	for name, c := range map[string]struct {
		ask    func() error
		status int
		says   string
	}{
		"wrong key": {func() error { c := h.client("sk-org-wrong"); _, err := c.Models.List(t.Context()); return err }, 401, "API key is not valid"},
		"no model":  {func() error { c := h.client(h.admin); _, err := c.Models.Get(t.Context(), "none"); return err }, 404, `no model "none"`},
	} {
		before := strings.Count(h.log.String(), `"msg":"request"`)
		err := c.ask()
		var failure *openai.Error
		if !errors.As(err, &failure) || failure.StatusCode != c.status || !strings.Contains(failure.Message, c.says) || failure.Code == "" {
			t.Errorf("%s: %v", name, err)
		}
		h.server.running.wait(t.Context(), drainTimeout)
		if requests := strings.Count(h.log.String(), `"msg":"request"`) - before; requests != 1 {
			t.Errorf("%s: %d requests, want 1", name, requests)
		}
	}
}
