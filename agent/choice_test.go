package agent

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/openai"
)

var mailTool = []openai.Tool{{Type: "function", Function: openai.Function{Name: "send_mail"}}, {Type: "function", Function: openai.Function{Name: "open_door"}}}

func sendMail(arguments string) agenttest.Call {
	return agenttest.Call{Tool: "send_mail", Arguments: arguments}
}

// A required call is made after the data was read, and text in its place is not sent.
func TestRequiredCallIsMadeAfterReading(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."), agenttest.CallTools(sendMail(`{"cash":1500.00}`)))
	req := question("Сколько денег?")
	req.Chat.Tools = mailTool
	req.Chat.ToolChoice = json.RawMessage(`{"type":"function","function":{"name":"send_mail"}}`)
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || got.text != "" || len(got.clientCalls) != 1 || got.finished.Reason != openai.FinishToolCalls {
		t.Fatalf("%+v", got)
	}
	for i, want := range []string{`"auto"`, `"auto"`, `{"function":{"name":"send_mail"},"type":"function"}`} {
		if sent := string(server.Requests()[i].Raw["tool_choice"]); sent != want {
			t.Errorf("turn %d: tool_choice %s, want %s", i+1, sent, want)
		}
	}
	if forced := server.Requests()[2].Tools; len(forced) != 2 {
		t.Errorf("the turn with a forced call offers %d tools, want the client's two", len(forced))
	}
}

// The provider would reject an invalid tool_choice later, with a message about our request.
func TestInvalidToolChoiceIsRefused(t *testing.T) {
	for choice, refused := range map[string]bool{
		`"any"`: true, `{"type":"function"}`: true, `{"type":"function","function":{"name":"stock"}}`: true,
		`{"type":"mcp"}`: true, `{"type":"custom","custom":{"name":"send_mail"}}`: true, `7`: true,
		`{"type":"allowed_tools","allowed_tools":{"mode":"any","tools":[]}}`:                                                 true,
		`{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"stock"}}]}}`: true,
		`"none"`: false, `"auto"`: false, `""`: false, `null`: false,
	} {
		req := question("Сколько денег?")
		req.Chat.Tools, req.Chat.ToolChoice = mailTool, json.RawMessage(choice)
		got := newTestAgent(t, agenttest.Serve(t, agenttest.Say("Привет.")), alwaysCash).ask(t.Context(), req)
		if _, ok := errors.AsType[*RequestError](got.err); ok != refused {
			t.Errorf("%s: %+v", choice, got)
		}
	}
}

// The model is offered only the allowed tools. In the mode "required" it must call one of them.
func TestAllowedToolsAreOffered(t *testing.T) {
	for mode, called := range map[string]bool{"auto": false, "required": true} {
		server := agenttest.Serve(t, agenttest.Say("Привет."), agenttest.CallTools(sendMail("{}")))
		req := question("Сколько денег?")
		req.Chat.Tools = mailTool
		req.Chat.ToolChoice = json.RawMessage(`{"type":"allowed_tools","allowed_tools":{"mode":"` + mode + `","tools":[{"type":"function","function":{"name":"send_mail"}}]}}`)
		got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
		if got.err != nil || (got.text == "") != called || (len(got.clientCalls) == 1) != called {
			t.Errorf("%s: %+v", mode, got)
		}
		if offered := string(server.Requests()[0].Raw["tools"]); strings.Contains(offered, `"open_door"`) || !strings.Contains(offered, `"send_mail"`) {
			t.Errorf("%s: the wrong tools are offered", mode)
		}
	}
}

func TestParallelCallsCanBeDisabled(t *testing.T) {
	server := agenttest.Serve(t, agenttest.CallTools(sendMail("{}"), sendMail("{}")))
	req := question("Отправь письма")
	req.Chat.Tools = mailTool
	one := false
	req.Chat.ParallelToolCalls = &one
	if got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req); got.err != nil || len(got.clientCalls) != 1 {
		t.Errorf("%+v", got)
	}
}

// A program acts on figures without checking them, so made-up ones must not reach it.
func TestArgumentsForClientToolsAreChecked(t *testing.T) {
	for _, c := range []struct {
		arguments string
		passes    bool
	}{
		{`{"amount":1500.00,"to":"me"}`, true},
		{`{"text":"В кассе 1500 ₽","page":3,"limit":100}`, true},
		{`{"date":"2026-11-21"}`, true},
		{`{"amount":98765.43}`, false},
		{`{"amount":-98765}`, false},
		{`{"amount":61.7}`, false},
		{`{"text":"В кассе 98 765,43 ₽"}`, false},
		{`{"share":0.4217}`, true},
		{`{"amount":`, false},
	} {
		call := agenttest.CallTools(sendMail(c.arguments))
		server := agenttest.Serve(t, askCash, call, call)
		req := question("Отправь остаток")
		req.Chat.Tools = mailTool
		got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
		if passed := len(got.clientCalls) == 1; got.err != nil || passed != c.passes {
			t.Errorf("%s: passed %v, %+v", c.arguments, passed, got)
		}
		if !c.passes && !strings.Contains(got.text, noFormattedAnswer.In("ru")) {
			t.Errorf("%s: instead the user reads %q", c.arguments, got.text)
		}
	}
}
