package proxy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/shared"

	"github.com/kopeck/kopeck/agent/agenttest"
	wiretypes "github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools/drafts"
)

// withFunctions returns a request that offers a function in the deprecated form.
func withFunctions(messages ...openai.ChatCompletionMessageParamUnion) openai.ChatCompletionNewParams {
	return openai.ChatCompletionNewParams{Model: "kopeck", Messages: messages,
		Functions: []openai.ChatCompletionNewParamsFunction{{Name: "open_door", Parameters: shared.FunctionParameters{"type": "object"}}}}
}

// A client that sends functions instead of tools gets one function_call at a time. It returns the result under the
// function's name.
func TestOldFunctionCallsWork(t *testing.T) {
	call := agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n":1}`}, agenttest.Call{Tool: "open_door", Arguments: `{"n":2}`})
	model := agenttest.Serve(t, call, agenttest.Say("Готово."), call)
	h := newHarness(t, setup{model: modelAt(t, model)})
	h.connect()
	client := h.client(h.admin)
	ask := withFunctions(openai.UserMessage("Открой дверь"))
	first, err := client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	answer := first.Choices[0]
	if called := answer.Message.FunctionCall; called.Name != "open_door" || called.Arguments != `{"n":1}` ||
		answer.FinishReason != "function_call" ||
		len(answer.Message.ToolCalls) > 0 || answer.Message.JSON.Content.Raw() != "null" {
		t.Fatalf("%s", first.RawJSON())
	}
	ask.Messages = append(ask.Messages, answer.Message.ToParam(),
		openai.ChatCompletionMessageParamOfFunction("открыта наполовину", "open_door"))
	second, err := client.Chat.Completions.New(t.Context(), ask)
	must(t, err)
	if second.Choices[0].FinishReason != "stop" || !strings.Contains(second.Choices[0].Message.Content, "Готово.") {
		t.Errorf("%s", second.RawJSON())
	}
	sent := model.Requests()[1].Messages
	result := slices.IndexFunc(sent, func(m wiretypes.Message) bool { return m.Role == wiretypes.RoleTool })
	if result < 1 || string(sent[result].Content) != "открыта наполовину" || sent[result-1].ToolCalls[0].ID != sent[result].ToolCallID {
		t.Errorf("the model got %+v", sent[1:])
	}

	stream := client.Chat.Completions.NewStreaming(t.Context(), withFunctions(openai.UserMessage("Открой дверь")))
	var name, arguments, finish string
	for stream.Next() {
		choice := stream.Current().Choices[0]
		name, arguments, finish = name+choice.Delta.FunctionCall.Name, arguments+choice.Delta.FunctionCall.Arguments, finish+choice.FinishReason
	}
	if must(t, stream.Err()); name != "open_door" || arguments != `{"n":1}` || finish != "function_call" {
		t.Errorf("streamed %q %q, finish %q", name, arguments, finish)
	}
}

// If the model makes a draft and then calls a client's tool, the draft is shown once, in the next text. Function calls have
// no ids, so the session is found by the function's name and arguments.
func TestDraftIsShownOnceAfterAClientToolCall(t *testing.T) {
	t.Parallel() // this test waits for the rate limit
	for name, c := range map[string]struct {
		offer string
		reply func(call wiretypes.AnswerMessage) []any
	}{
		"function": {`"functions":[{"name":"open_door"}]`, func(call wiretypes.AnswerMessage) []any {
			call.FunctionCall.Arguments = strings.ReplaceAll(call.FunctionCall.Arguments, " ", "") // as re-encoded by a client
			return []any{call, map[string]string{"role": "function", "name": "open_door", "content": "открыта"}}
		}},
		"tool": {`"tools":[{"type":"function","function":{"name":"open_door"}}]`, func(call wiretypes.AnswerMessage) []any {
			return []any{call, map[string]string{"role": "tool", "tool_call_id": call.ToolCalls[0].ID, "content": "открыта"}}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, setup{})
			h.connect()
			h.server.cfg.Agent.Model = scripted(t, agenttest.CallTools(agenttest.Call{Tool: "draft_purchase_order", Arguments: h.order()}),
				agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n": 1}`}),
				agenttest.CallTools(agenttest.Call{Tool: "open_door", Arguments: `{"n": 2}`}), agenttest.Say("Готово."), agenttest.Say("Пожалуйста."))
			history := []any{map[string]string{"role": "user", "content": "Закажи два и открой дверь"}}
			var texts []string
			var sessions []string
			for range 4 {
				messages, err := json.Marshal(history)
				must(t, err)
				var answer wiretypes.ChatCompletion
				h.post("/v1/chat/completions", `{`+c.offer+`,"messages":`+string(messages)+`}`).into(&answer)
				message := answer.Choices[0].Message
				sessions = append(sessions, answer.Kopeck.SessionID)
				if message.Content == nil {
					texts, history = append(texts, ""), append(history, c.reply(message)...)
					continue
				}
				texts = append(texts, *message.Content)
				history = append(history, message, map[string]string{"role": "user", "content": "спасибо"})
			}
			var list struct{ Data []drafts.Draft }
			h.get("/api/v1/drafts").into(&list)
			confirm := "подтверждаю " + list.Data[0].Code
			for i, want := range []int{0, 0, 1, 0} {
				if strings.Count(texts[i], confirm) != want || sessions[i] != sessions[0] {
					t.Errorf("answer %d in session %s, the first in %s: %q", i+1, sessions[i], sessions[0], texts[i])
				}
			}
		})
	}
}
