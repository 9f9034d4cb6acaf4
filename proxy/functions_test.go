package proxy

import (
	"encoding/json"
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
func TestOldFunctionCallsWork(t *testing.T) {
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

// What was due before a call of the client's tool is said after it, once. Calls of functions have no ids, and so the session
// is found by what was called.
func TestDraftIsShownOnceAfterAClientToolCall(t *testing.T) {
	t.Parallel() // it waits for the pace
	for name, c := range map[string]struct {
		offer string
		back  func(called ours.AnswerMessage) []any
	}{
		"function": {`"functions":[{"name":"open_door"}]`, func(called ours.AnswerMessage) []any {
			called.FunctionCall.Arguments = strings.ReplaceAll(called.FunctionCall.Arguments, " ", "") // written anew
			return []any{called, map[string]string{"role": "function", "name": "open_door", "content": "открыта"}}
		}},
		"tool": {`"tools":[{"type":"function","function":{"name":"open_door"}}]`, func(called ours.AnswerMessage) []any {
			return []any{called, map[string]string{"role": "tool", "tool_call_id": called.ToolCalls[0].ID, "content": "открыта"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t, rooms{})
			h.connect()
			h.server.cfg.Agent.Model = scripted(t, agenttest.Ask(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}),
				agenttest.Ask(agenttest.Call{Tool: "open_door", Arguments: `{"n": 1}`}),
				agenttest.Ask(agenttest.Call{Tool: "open_door", Arguments: `{"n": 2}`}), agenttest.Say("Готово."), agenttest.Say("Пожалуйста."))
			history := []any{map[string]string{"role": "user", "content": "Закажи два и открой дверь"}}
			var said []string
			var sessions []string
			for range 4 {
				messages, err := json.Marshal(history)
				must(t, err)
				var answer ours.ChatCompletion
				h.post("/v1/chat/completions", `{`+c.offer+`,"messages":`+string(messages)+`}`).into(&answer)
				message := answer.Choices[0].Message
				sessions = append(sessions, answer.Kopeck.SessionID)
				if message.Content == nil {
					said, history = append(said, ""), append(history, c.back(message)...)
					continue
				}
				said = append(said, *message.Content)
				history = append(history, message, map[string]string{"role": "user", "content": "спасибо"})
			}
			var list struct{ Data []drafts.Draft }
			h.get("/api/v1/drafts").into(&list)
			confirm := "подтверждаю " + list.Data[0].Code
			for i, want := range []int{0, 0, 1, 0} {
				if strings.Count(said[i], confirm) != want || sessions[i] != sessions[0] {
					t.Errorf("answer %d of session %s, begun as %s: %q", i+1, sessions[i], sessions[0], said[i])
				}
			}
		})
	}
}
