package proxy

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"

	"github.com/kopeck/kopeck/agent/agenttest"
	wiretypes "github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools/drafts"
)

// itemsRequest returns a request to the agent with the given input items.
func itemsRequest(all ...responses.ResponseInputItemUnionParam) responses.ResponseNewParams {
	return responses.ResponseNewParams{Model: "kopeck", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: all}}
}

func fromUser(text string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser)
}

func reference(id string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfItemReference: &responses.ResponseInputItemItemReferenceParam{ID: id}}
}

func parseItem(text string) (item wiretypes.InputItem) {
	if err := json.Unmarshal([]byte(text), &item); err != nil {
		panic(err)
	}
	return item
}

// messageID returns the id of a response's message.
func messageID(t *testing.T, r *responses.Response) string {
	t.Helper()
	for _, item := range r.Output {
		if item.Type == "message" {
			return item.ID
		}
	}
	t.Fatalf("no message in %s", r.RawJSON())
	return ""
}

// The AI SDK sends references to the items of earlier responses instead of the items themselves.
func TestDraftIsConfirmedThroughAnItemReference(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	h.server.cfg.Agent.Model = scripted(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}),
		agenttest.Say("Ready."))
	client := h.client(h.admin)
	first, err := client.Responses.New(t.Context(), itemsRequest(fromUser("Order two")))
	must(t, err)
	var list struct{ Data []drafts.Draft }
	h.get("/api/v1/drafts").into(&list)
	if len(list.Data) != 1 {
		t.Fatalf("%d drafts", len(list.Data))
	}
	second, err := client.Responses.New(t.Context(),
		itemsRequest(fromUser("Order two"), reference(messageID(t, first)), fromUser("confirm "+list.Data[0].Code)))
	must(t, err)
	if h.get("/api/v1/drafts").into(&list); list.Data[0].State != drafts.Created {
		t.Errorf("the draft is %s: %s", list.Data[0].State, second.OutputText())
	}
}

// Clients may change white space in the history. A history without the draft's text, or from another key, must not confirm
// the draft.
func TestDraftIsConfirmedThroughAReformattedHistory(t *testing.T) {
	t.Parallel()
	h := newHarness(t, setup{})
	h.connect()
	h.server.cfg.Agent.Model = scripted(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}),
		agenttest.Say("Ready."))
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	h.post("/v1/chat/completions", `{"messages":[{"role":"user","content":"Order two"}]}`).into(&answer)
	var list struct{ Data []drafts.Draft }
	h.get("/api/v1/drafts").into(&list)
	words := "confirm " + list.Data[0].Code
	history, err := json.Marshal([]any{
		map[string]string{"role": "assistant", "content": strings.Join(strings.Fields(answer.Choices[0].Message.Content), " ")},
		map[string]string{"role": "user", "content": words},
	})
	must(t, err)
	stranger := bearer(h.key(h.org, "chat"))
	for name, c := range map[string]struct {
		history string
		header  http.Header
	}{
		"another key":   {string(history), stranger},
		"only the code": {`[{"role":"user","content":"` + words + `"}]`, nil},
		"the code from the user": {`[{"role":"user","content":"` + list.Data[0].Code + `"},{"role":"assistant","content":"Confirm?"},
			{"role":"user","content":"` + words + `"}]`, nil},
	} {
		h.do("POST", "/v1/chat/completions", `{"messages":`+c.history+`}`, c.header)
		if h.get("/api/v1/drafts").into(&list); list.Data[0].State != "draft" {
			t.Fatalf("%s: the draft is %s", name, list.Data[0].State)
		}
	}
	got := h.post("/v1/chat/completions", `{"messages":`+string(history)+`}`)
	if h.get("/api/v1/drafts").into(&list); list.Data[0].State != drafts.Created {
		t.Errorf("the draft is %s: %.500s", list.Data[0].State, got.body)
	}
}

// A reference to an item that is not stored, or that belongs to another organization, is an error that names it.
func TestUnknownItemReferenceGets404(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Привет."), agenttest.Say("Привет."))})
	h.connect()
	client := h.client(h.admin)
	stored, err := client.Responses.New(t.Context(), itemsRequest(fromUser("Привет")))
	must(t, err)
	notStored := itemsRequest(fromUser("Привет"))
	notStored.Store = openai.Bool(false)
	unstored, err := client.Responses.New(t.Context(), notStored)
	must(t, err)
	foreign := h.client(h.key(h.otherOrg, "chat"))
	for name, c := range map[string]struct {
		client openai.Client
		id     string
	}{
		"an id of another service": {client, "msg_1"}, "an unknown item": {client, messageID(t, stored) + "f"},
		"an item that was not stored": {client, messageID(t, unstored)}, "another organization's item": {foreign, messageID(t, stored)},
	} {
		_, err := c.client.Responses.New(t.Context(), itemsRequest(fromUser("Привет"), reference(c.id), fromUser("ещё")))
		var failure *openai.Error
		if !errors.As(err, &failure) || failure.StatusCode != http.StatusNotFound || !strings.Contains(failure.Message, c.id) ||
			failure.Param != "input.1.id" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The id of a session can be used as the id of a conversation.
func TestConversationIsContinuedByItsID(t *testing.T) {
	model := agenttest.Serve(t, agenttest.Say("Привет."), agenttest.Say("Да."))
	h := newHarness(t, setup{model: modelAt(t, model)})
	h.connect()
	client := h.client(h.admin)
	first, err := client.Responses.New(t.Context(), textRequest("Меня зовут Анна"))
	must(t, err)
	var extension struct {
		SessionID string `json:"session_id"`
	}
	must(t, json.Unmarshal([]byte(first.JSON.ExtraFields["kopeck"].Raw()), &extension))
	next := textRequest("Как меня зовут?")
	next.Conversation = responses.ResponseNewParamsConversationUnion{OfString: param.NewOpt(extension.SessionID)}
	second, err := client.Responses.New(t.Context(), next)
	must(t, err)
	if second.Conversation.ID != extension.SessionID || !strings.Contains(string(model.Requests()[1].Raw["messages"]), "Анна") {
		t.Errorf("%s", second.RawJSON())
	}
	for id, status := range map[string]int{"conv_123": 404, "01938c3e-0000-7000-8000-000000000000": 404} {
		next.Conversation = responses.ResponseNewParamsConversationUnion{OfString: param.NewOpt(id)}
		_, err := client.Responses.New(t.Context(), next)
		var failure *openai.Error
		if !errors.As(err, &failure) || failure.StatusCode != status || !strings.Contains(failure.Message, id) {
			t.Errorf("%s: %v", id, err)
		}
	}
	next.PreviousResponseID = openai.String(first.ID)
	_, err = client.Responses.New(t.Context(), next)
	if failure := (*openai.Error)(nil); !errors.As(err, &failure) || failure.StatusCode != http.StatusBadRequest || failure.Param != "conversation" {
		t.Errorf("conversation and previous_response_id: %v", err)
	}
}

// The listed input has the referenced items and no secrets.
func TestInputItemsAreListedWithoutSecrets(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Привет."), agenttest.Say("Да."), agenttest.Say("Да, точно."))})
	h.connect()
	client := h.client(h.admin)
	first, err := client.Responses.New(t.Context(), itemsRequest(fromUser("Мой ключ "+h.admin)))
	must(t, err)
	second, err := client.Responses.New(t.Context(),
		itemsRequest(fromUser("Мой ключ "+h.admin), reference(messageID(t, first)), fromUser("Точно?")))
	must(t, err)
	page, err := client.Responses.InputItems.List(t.Context(), second.ID, responses.InputItemListParams{Order: "asc", Limit: openai.Int(2)})
	must(t, err)
	var texts []string
	for page != nil {
		for _, item := range page.Data {
			texts = append(texts, item.ID+" "+item.AsMessage().Content[0].Text)
		}
		page, err = page.GetNextPage()
		must(t, err)
	}
	all := strings.Join(texts, "\n")
	if len(texts) != 3 || !strings.Contains(texts[1], messageID(t, first)+" Привет.") || !strings.HasSuffix(all, "Точно?") ||
		strings.Contains(all, h.admin) {
		t.Errorf("%s", all)
	}
	again, err := client.Responses.New(t.Context(), itemsRequest(reference(strings.Fields(texts[2])[0])))
	if err != nil || !strings.HasPrefix(again.OutputText(), "Да, точно.") {
		t.Errorf("a reference to an input item: %s", again.RawJSON())
	}
}

// Features of OpenAI's API that this service lacks are refused with an error that names the field or feature.
func TestUnsupportedFeaturesAreRefusedByFieldName(t *testing.T) {
	h := newHarness(t, setup{model: scripted(t, agenttest.Say("Привет."))})
	h.connect()
	client := h.client(h.admin)
	stored, err := client.Responses.New(t.Context(), textRequest("Привет"))
	must(t, err)
	for path, c := range map[string]struct {
		status int
		word   string
	}{
		"/v1/responses/" + stored.ID + "/cancel": {400, "background"},
		"/v1/responses/resp_none/cancel":         {404, "response"},
		"/v1/responses/input_tokens":             {404, "input_tokens"},
	} {
		if got := h.post(path, `{}`); got.status != c.status || !strings.Contains(got.failure().Error.Message, c.word) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
	for body, field := range map[string]string{
		`{"input":"x","background":true}`:                                                                              "background",
		`{"input":"x","prompt":{"id":"pmpt"}}`:                                                                         "prompt",
		`{"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:,"}]}]}`:                          "input.0.content.0.type",
		`{"input":[{"role":"user","content":[{"type":"input_text","text":"x"},{"type":"input_file","file_id":"f"}]}]}`: "input.0.content.1.type",
		`{"input":[{"role":"user","content":[{"type":"input_audio","input_audio":{}}]}]}`:                              "input.0.content.0.type",
		`{"input":[{"type":"function_call_output","call_id":"1","output":[{"type":"input_image"}]}]}`:                  "input.0.output.0.type",
		`{"input":[{"type":"computer_call","id":"1"}]}`:                                                                "input.0.type",
		`{"input":"x","tools":[{"type":"mcp","server_label":"x","server_url":"https://example.com"}]}`:                 "tools.0.type",
		`{"input":"x","tools":[{"type":"web_search"},{"type":"file_search","vector_store_ids":["v"]}]}`:                "tools.1.type",
		`{"input":"x","tools":[{"type":"namespace","name":"n","tools":[{"type":"mcp","name":"x"}]}]}`:                  "tools.0.tools.0.type",
		`{"input":"x","tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"mcp","server_label":"x"}}`:       "tool_choice.type",
	} {
		h.post("/v1/responses", body).expectField(body, field)
	}
	for body, field := range map[string]string{
		`{"messages":[{"role":"user","content":[{"type":"text","text":"x"},{"type":"image_url","image_url":{"url":"data:,"}}]}]}`: "messages.0.content.1.type",
		`{"messages":[{"role":"user","content":[{"type":"file","file":{}}]}]}`:                                                    "messages.0.content.0.type",
		`{"messages":[{"role":"user","content":"x"}],"functions":[{"name":"f"}],"function_call":{"name":"g"}}`:                    "function_call.name",
		`{"messages":[{"role":"user","content":"x"}],"functions":[{"name":"f"}],"function_call":"required"}`:                      "function_call",
		`{"messages":[{"role":"user","content":"x"},{"role":"function","name":"f","content":"1"}]}`:                               "messages.1.name",
		`{"messages":[{"role":"user","content":"x"}],"modalities":["audio"]}`:                                                     "modalities.0",
		`{"messages":[{"role":"user","content":"x"}],"n":2}`:                                                                      "n",
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"custom","custom":{"name":"x"}}]}`:                          "tools.0.function",
	} {
		h.post("/v1/chat/completions", body).expectField(body, field)
	}
	for _, call := range []func() reply{
		func() reply { return h.post("/v1/responses", `{"model":"gpt-5","input":"x"}`) },
		func() reply {
			return h.post("/v1/chat/completions", `{"model":"gpt-5","messages":[{"role":"user","content":"x"}]}`)
		},
		func() reply { return h.get("/v1/models/gpt-5") },
	} {
		if got := call(); got.status != http.StatusNotFound || got.failure().Error.Code != "model_not_found" ||
			got.failure().Detail.Code != "NOT_FOUND" {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
}

// Codex groups the tools of its MCP servers in namespaces, and has a custom tool whose input is free text.
func TestNamespaceAndCustomToolsAreOffered(t *testing.T) {
	const patch = "*** Begin Patch\n\"quoted\"\n*** End Patch"
	encoded, err := json.Marshal(map[string]string{"input": patch})
	must(t, err)
	model := agenttest.Serve(t, agenttest.CallTools(agenttest.Call{Tool: "mcp__crm__find", Arguments: `{"q":"x"}`},
		agenttest.Call{Tool: "apply_patch", Arguments: string(encoded)}),
		agenttest.Say("Готово."), agenttest.CallTools(agenttest.Call{Tool: "apply_patch", Arguments: string(encoded)}))
	h := newHarness(t, setup{model: modelAt(t, model)})
	h.connect()
	client := h.client(h.admin)
	ask := textRequest("Найди и поправь")
	ask.Tools = []responses.ToolUnionParam{
		{OfNamespace: &responses.NamespaceToolParam{Name: "mcp__crm", Description: "The customers", Tools: []responses.NamespaceToolToolUnionParam{
			{OfFunction: &responses.NamespaceToolToolFunctionParam{Name: "find", Parameters: map[string]any{"type": "object"}}}}}},
		{OfCustom: &responses.CustomToolParam{Name: "apply_patch", Description: openai.String("Edits files"),
			Format: shared.CustomToolInputFormatUnionParam{OfGrammar: &shared.CustomToolInputFormatGrammarParam{Syntax: "lark",
				Definition: "start: begin"}}}},
	}
	first, err := client.Responses.New(t.Context(), ask)
	must(t, err)
	next := responses.ResponseNewParams{Model: "kopeck", PreviousResponseID: openai.String(first.ID), Tools: ask.Tools}
	var results responses.ResponseInputParam
	for _, item := range first.Output {
		switch item.Type {
		case "function_call":
			if item.Namespace != "mcp__crm" || item.Name != "find" {
				t.Errorf("the call names %q in namespace %q", item.Name, item.Namespace)
			}
			result := responses.ResponseInputItemParamOfFunctionCallOutput("nobody")
			result.OfFunctionCallOutput.CallID = openai.String(item.CallID)
			results = append(results, result)
		case "custom_tool_call":
			if call := item.AsCustomToolCall(); call.Name != "apply_patch" || call.Input != patch {
				t.Errorf("the custom call is %s", item.RawJSON())
			}
			results = append(results, responses.ResponseInputItemParamOfCustomToolCallOutput(item.CallID, "done"))
		}
	}
	if len(results) != 2 {
		t.Fatalf("%s", first.RawJSON())
	}
	if echoed := first.Tools[0].AsNamespace(); echoed.Description != "The customers" || len(echoed.Tools) != 1 ||
		first.Tools[1].AsCustom().Format.Definition != "start: begin" {
		t.Errorf("the response has the tools %s", first.JSON.Tools.Raw())
	}
	next.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: results}
	second, err := client.Responses.New(t.Context(), next)
	must(t, err)
	sent := string(model.Requests()[1].Raw["messages"])
	if !strings.Contains(second.OutputText(), "Готово.") || !strings.Contains(sent, "nobody") || !strings.Contains(sent, `"mcp__crm__find"`) {
		t.Errorf("%s after %s", second.OutputText(), sent)
	}
	offered := string(model.Requests()[0].Raw["tools"])
	if !strings.Contains(offered, "The customers") || !strings.Contains(offered, "start: begin") {
		t.Errorf("the model does not get the descriptions: %s", offered[max(0, len(offered)-600):])
	}
	stream := client.Responses.NewStreaming(t.Context(), ask)
	input := ""
	for stream.Next() {
		if e := stream.Current(); e.Type == "response.custom_tool_call_input.done" {
			input = e.AsResponseCustomToolCallInputDone().Input
		}
	}
	if must(t, stream.Err()); input != patch {
		t.Errorf("streamed: %q", input)
	}
}

// A client that sends the history itself uses its own names for calls. The model must see the names under which the tools
// are offered.
func TestCallsInTheInputUseOfferedNames(t *testing.T) {
	long := strings.Repeat("n", 60)
	for _, c := range []struct{ namespace, name, want string }{{"", "f", "f"}, {"ns", "f", "ns__f"}} {
		if got := offeredName(c.namespace, c.name); got != c.want {
			t.Errorf("%q", got)
		}
	}
	first, second := offeredName(long, "first"), offeredName(long, "other")
	if first == second || len(first) > maxToolName || len(second) > maxToolName {
		t.Errorf("long names become %q and %q", first, second)
	}
	messages := appendItem(nil, parseItem(`{"type":"function_call","call_id":"1","namespace":"ns","name":"f","arguments":"{}"}`))
	messages = appendItem(messages, parseItem(`{"type":"custom_tool_call","call_id":"2","name":"p","input":"a\"b"}`))
	if len(messages) != 1 || messages[0].ToolCalls[0].Function.Name != "ns__f" ||
		customInput(messages[0].ToolCalls[1].Function.Arguments) != `a"b` {
		t.Errorf("%+v", messages)
	}
}
