package proxy

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/kopeck/kopeck/agent/agenttest"
	ours "github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools/drafts"
)

func ofFunctions(messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "kopeck", Messages: messages,
		Functions: []openai.ChatCompletionNewParamsFunction{{Name: "open_door", Parameters: shared.FunctionParameters{"type": "object"}}}}
}

// A client from before there were tools gets its call as function_call, one at a time, and says what it gave by the
// function's name.
func TestClientsFromBeforeToolsCallFunctions(t *testing.T) {
	call := agenttest.Ask(agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}, agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`})
	model := agenttest.Serve(t, call, agenttest.Say("Готово."), call)
	h := build(t, rooms{model: remoteOf(t, model)})
	h.connect()
	client := h.client(h.admin)
	ask := ofFunctions(openai.UserMessage("Открой дверь"))
	first, err := client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	answer := first.Choices[0]
	if called := answer.Message.FunctionCall; called.Name != "open_door" || called.Arguments != `{"n":1}` || answer.FinishReason != "function_call" ||
		len(answer.Message.ToolCalls) > 0 || answer.Message.JSON.Content.Raw() != "null" {
		t.Fatalf("%s", first.RawJSON())
	}
	ask.Messages = append(ask.Messages, answer.Message.ToParam(), openai.ChatCompletionMessageParamOfFunction("открыта наполовину", "open_door"))
	second, err := client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	if second.Choices[0].FinishReason != "stop" || !strings.Contains(second.Choices[0].Message.Content, "Готово.") {
		t.Errorf("%s", second.RawJSON())
	}
	heard := model.Requests()[1].Messages
	given := slices.IndexFunc(heard, func(m ours.Message) bool { return m.Role == ours.RoleTool })
	if given < 1 || string(heard[given].Content) != "открыта наполовину" || heard[given-1].ToolCalls[0].ID != heard[given].ToolCallID {
		t.Errorf("the model heard %+v", heard[1:])
	}

	stream := client.Chat.Completions.NewStreaming(t.Context(), ofFunctions(openai.UserMessage("Открой дверь")))
	var name, arguments, finish string
	for stream.Next() {
		choice := stream.Current().Choices[0]
		name, arguments, finish = name+choice.Delta.FunctionCall.Name, arguments+choice.Delta.FunctionCall.Arguments, finish+choice.FinishReason
	}
	if must(t, stream.Err()); name != "open_door" || arguments != `{"n":1}` || finish != "function_call" {
		t.Errorf("streamed %q %q, finish %q", name, arguments, finish)
	}
}

// Calls of functions have no ids, and yet what was due before the call is said after it: the session is found by what was
// called.
func TestADraftIsShownOnceAfterACallOfAFunction(t *testing.T) {
	t.Parallel() // it waits for the pace
	h := build(t, rooms{})
	h.connect()
	h.server.cfg.Agent.Model = scripted(t,
		agenttest.Ask(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}, agenttest.Call{Tool: "open_door", Arguments: `{"n": 1}`}),
		agenttest.Say("Готово."), agenttest.Say("Пожалуйста."))
	const before = `{"functions":[{"name":"open_door"}],"messages":[{"role":"user","content":"Закажи два и открой дверь"}`
	var called, told, after ours.ChatCompletion
	h.post("/v1/chat/completions", before+`]}`).into(&called)
	if called.Choices[0].Message.FunctionCall == nil {
		t.Fatalf("%+v", called.Choices[0])
	}
	answered := before + `,{"role":"assistant","content":null,"function_call":{"name":"open_door","arguments":"{\"n\":1}"}},
		{"role":"function","name":"open_door","content":"открыта"}`
	h.post("/v1/chat/completions", answered+`]}`).into(&told)
	var list struct{ Data []drafts.Draft }
	h.get("/api/v1/drafts").into(&list)
	code := list.Data[0].Code
	text := *told.Choices[0].Message.Content
	if strings.Count(text, "confirm "+code)+strings.Count(text, "подтверждаю "+code) != 1 || told.Kopeck.SessionID != called.Kopeck.SessionID {
		t.Errorf("the draft %s is shown in %q of session %s, made in %s", code, text, told.Kopeck.SessionID, called.Kopeck.SessionID)
	}
	said, err := json.Marshal(text)
	must(t, err)
	got := h.ask("POST", "/v1/chat/completions", answered+`,{"role":"assistant","content":`+string(said)+`},{"role":"user","content":"спасибо"}]}`, http.Header{})
	if got.into(&after); strings.Contains(*after.Choices[0].Message.Content, code) || after.Kopeck.SessionID != called.Kopeck.SessionID {
		t.Errorf("the draft is shown again: %s", got.body)
	}
}
