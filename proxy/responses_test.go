package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	"github.com/kopeck/kopeck/agent/agenttest"
	wiretypes "github.com/kopeck/kopeck/schemas/openai"
)

// textRequest returns a request to the agent with a text as its input.
func textRequest(text string) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "kopeck", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String(text)}}
}

// askMoney is a turn in which the model calls money_position.
var askMoney = agenttest.CallTools(agenttest.Call{Tool: "money_position", Arguments: "{}"})

func TestStreamedAndCompleteResponsesAreEqual(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{model: scripted(t, askMoney, agenttest.Say("Я посмотрел. Готово."), askMoney,
		agenttest.Say("Я посмотрел. Готово."))})
	h.connect()
	client := h.client(h.admin)
	whole, err := client.Responses.New(t.Context(), textRequest("Сколько денег на счетах?"))
	must(t, err)
	stream := client.Responses.NewStreaming(t.Context(), textRequest("Сколько денег на счетах?"))
	var text, kinds string
	var last responses.Response
	for number := int64(0); stream.Next(); number++ {
		e := stream.Current()
		if e.SequenceNumber != number {
			t.Errorf("event %d has number %d", number, e.SequenceNumber)
		}
		if e.Type == "response.output_text.delta" {
			text += e.Delta
		} else {
			kinds += strings.TrimPrefix(e.Type, "response.") + " "
		}
		if e.Type == "response.completed" {
			last = e.Response
		}
	}
	must(t, stream.Err())
	want := "created in_progress " +
		"output_item.added reasoning_summary_part.added reasoning_summary_text.delta reasoning_summary_text.done " +
		"reasoning_summary_part.done output_item.done " +
		"output_item.added content_part.added output_text.done content_part.done output_item.done completed "
	if kinds != want {
		t.Errorf("events\n%s, want\n%s", kinds, want)
	}
	if !strings.Contains(text, "Готово.") || whole.OutputText() != text || last.OutputText() != text ||
		whole.Status != "completed" || whole.Usage.TotalTokens == 0 {
		t.Errorf("complete %q (%s, %d tokens), streamed %q, completed with %q",
			whole.OutputText(), whole.Status, whole.Usage.TotalTokens, text, last.OutputText())
	}
	if kind := whole.Output[0].Type; kind != "reasoning" || !strings.HasPrefix(whole.Output[0].Summary[0].Text, "money_position") {
		t.Errorf("the first item is %s %+v", kind, whole.Output[0].Summary)
	}
}

// Two requests may continue the same response. Each of them gets its own session.
func TestResponseContinuesAnyEarlierResponse(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Первый."), agenttest.Say("Второй."), agenttest.Say("Третий."))})
	h.connect()
	client := h.client(h.admin)
	first, err := client.Responses.New(t.Context(), textRequest("один 98765.43"))
	must(t, err)
	var sessions []string
	for _, text := range []string{"два", "три"} {
		next := textRequest(text)
		next.PreviousResponseID = openai.String(first.ID)
		var res *http.Response
		got, err := client.Responses.New(t.Context(), next, option.WithResponseInto(&res))
		must(t, err)
		if got.PreviousResponseID != first.ID {
			t.Errorf("previous_response_id is %q", got.PreviousResponseID)
		}
		var messages struct {
			Data []struct{ Role, Content string }
		}
		session := res.Header.Get("X-Session-Id")
		h.get("/api/v1/sessions/" + session + "/messages").into(&messages)
		texts := ""
		for _, m := range messages.Data {
			texts += m.Content + " "
		}
		if !strings.HasPrefix(texts, "один 98765.43 Первый.\n\nИсточники: нет. Этим ответом в учёт ничего не записано. "+text+" ") {
			t.Errorf("the session of %q has %q", text, texts)
		}
		sessions = append(sessions, session)
	}
	if sessions[0] == sessions[1] {
		t.Error("two continuations of the same response share a session")
	}
}

// A client that expects a stream would read a JSON body as a stream without events.
func TestStoredResponseCannotBeStreamed(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Привет."))})
	h.connect()
	client := h.client(h.admin)
	first, err := client.Responses.New(t.Context(), textRequest("Привет"))
	must(t, err)
	if again, err := client.Responses.Get(t.Context(), first.ID, responses.ResponseGetParams{}); err != nil ||
		again.OutputText() != first.OutputText() {
		t.Errorf("complete: %v", err)
	}
	got := h.get("/v1/responses/" + first.ID + "?stream=true")
	if got.status != http.StatusBadRequest || got.failure().Detail.Fields[0].Field != "stream" {
		t.Errorf("streamed: %d %s", got.status, got.body)
	}
}

func TestClientToolsWorkInResponses(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t,
		agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}, agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`}),
		agenttest.Say("Обе открыты, код 4711."))})
	h.connect()
	client := h.client(h.admin)
	ask := textRequest("Открой двери")
	ask.Tools = []responses.ToolUnionParam{
		{OfFunction: &responses.FunctionToolParam{Name: "open_door", Parameters: map[string]any{"type": "object"}}},
		{OfWebSearch: &responses.WebSearchToolParam{Type: "web_search"}}, // ignored
	}
	first, err := client.Responses.New(t.Context(), ask)
	must(t, err)
	var results responses.ResponseInputParam
	for _, item := range first.Output {
		if item.Type == "function_call" && item.Name == "open_door" {
			result := responses.ResponseInputItemParamOfFunctionCallOutput(`{"code":4711}`)
			result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			results = append(results, result)
		}
	}
	if len(results) != 2 {
		t.Fatalf("%+v", first.Output)
	}
	next := responses.ResponseNewParams{Model: "kopeck", PreviousResponseID: openai.String(first.ID), Tools: ask.Tools,
		Input: responses.ResponseNewParamsInputUnion{OfInputItemList: results}}
	second, err := client.Responses.New(t.Context(), next)
	must(t, err)
	if !strings.Contains(second.OutputText(), "4711") {
		t.Errorf("%q", second.OutputText())
	}
}

func TestResponseIsStoredUntilItIsDeleted(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Здравствуйте."), agenttest.Say("Здравствуйте."))})
	h.connect()
	client := h.client(h.admin)
	stored, err := client.Responses.New(t.Context(), textRequest("привет"))
	must(t, err)
	again, err := client.Responses.Get(t.Context(), stored.ID, responses.ResponseGetParams{})
	must(t, err)
	if again.OutputText() != stored.OutputText() || again.ID != stored.ID {
		t.Errorf("got %s", again.RawJSON())
	}
	foreign := h.do("GET", "/v1/responses/"+stored.ID, "", bearer(h.key(h.otherOrg, "chat")))
	foreign.expect("another organization", http.StatusNotFound)
	must(t, client.Responses.Delete(t.Context(), stored.ID))
	next := textRequest("ещё")
	next.PreviousResponseID = openai.String(stored.ID)
	_, err = client.Responses.New(t.Context(), next)
	var failure *openai.Error
	if !errors.As(err, &failure) || failure.StatusCode != http.StatusNotFound || !strings.Contains(failure.Message, stored.ID) {
		t.Errorf("continuing a deleted response: %v", err)
	}
	notStored := textRequest("привет")
	notStored.Store = openai.Bool(false)
	stored, err = client.Responses.New(t.Context(), notStored)
	must(t, err)
	if got := h.get("/v1/responses/" + stored.ID); got.status != http.StatusNotFound {
		t.Errorf("a response with store: false: %d", got.status)
	}
}

// Tests a JSON format, a refusal, the token limit and an error in the stream.
func TestResponseStatusSaysHowItEnded(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say(`{"ok":true}`), agenttest.Say("Ровно 98765.43 ₽."),
		agenttest.Say("Ровно 98765.43 ₽."),
		func(r *agenttest.Reply) { r.Text("Начну. И "); r.FinishBy("length") }, func(r *agenttest.Reply) { r.Text("Начну. И ") })})
	h.connect()
	body := `{"input":[{"role":"user","content":[{"type":"input_text","text":"x"}]}],` +
		`"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}}%s}`
	with := func(more string) decodedResponse {
		var response decodedResponse
		h.post("/v1/responses", strings.Replace(body, "%s", more, 1)).into(&response)
		return response
	}
	if response := with(""); response.text() != `{"ok":true}` {
		t.Errorf("JSON: %+v", response)
	}
	if response := with(""); response.text() != "" || response.Output[0].Content[0].Refusal == "" {
		t.Errorf("not JSON: %+v", response)
	}
	body = `{"input":"x"%s}`
	if response := with(`,"max_output_tokens":20`); response.Status != "incomplete" ||
		response.IncompleteDetails.Reason != "max_output_tokens" || strings.TrimSpace(response.text()) != "Начну. И" {
		t.Errorf("cut: %+v", response)
	}
	stream := h.post("/v1/responses", `{"input":"x","stream":true}`)
	if last := strings.TrimSpace(string(stream.body)); !strings.Contains(last[strings.LastIndex(last, "event: "):], `"MODEL_UNAVAILABLE"`) || strings.Contains(last, "response.completed") {
		t.Errorf("an error in the stream: %s", last)
	}
}

type decodedResponse struct {
	Status            string
	IncompleteDetails struct{ Reason string } `json:"incomplete_details"`
	Output            []struct {
		Content []struct{ Text, Refusal string }
	}
}

func (r decodedResponse) text() (text string) {
	for _, item := range r.Output {
		for _, part := range item.Content {
			text += part.Text
		}
	}
	return text
}

// The items have the forms in which official clients send them back.
func TestInputItemsBecomeMessages(t *testing.T) {
	var in wiretypes.ResponseRequest
	must(t, json.Unmarshal([]byte(`{"input":[{"role":"developer","content":"r"},{"role":"user","content":"q"},{"type":"reasoning","summary":[]},
		{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a","annotations":[]}]},
		{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call","call_id":"2","name":"f","arguments":"{}"},
		{"type":"function_call_output","call_id":"1","output":[{"type":"input_text","text":"o"}]},{"type":"function_call_output","call_id":"2","output":"p"}]}`), &in))
	got, err := chatRequest(in, clientTools{})
	must(t, err)
	text, err := json.Marshal(got.Messages)
	must(t, err)
	want := `[{"role":"developer","content":"r"},{"role":"user","content":"q"},{"role":"assistant","content":"a","tool_calls":[` +
		`{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"2","type":"function","function":{"name":"f","arguments":"{}"}}]},` +
		`{"role":"tool","content":"o","tool_call_id":"1"},{"role":"tool","content":"p","tool_call_id":"2"}]`
	if string(text) != want {
		t.Errorf("messages\n%s, want\n%s", text, want)
	}
}
