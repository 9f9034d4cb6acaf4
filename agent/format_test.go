package agent

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/agent/provider"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
	"github.com/kopeck/kopeck/tools"
)

const cashSchema = `{"type":"json_schema","json_schema":{"name":"cash","strict":true,"schema":
	{"type":"object","properties":{"cash":{"type":["number","null"]},"comment":{"type":"string"}},"required":["cash","comment"],"additionalProperties":false}}}`

func withFormat(format string) Request {
	req := question("Сколько денег?")
	req.Chat.ResponseFormat = json.RawMessage(format)
	return req
}

// The answer has the requested schema, and the provider gets the schema too.
func TestAnswerHasRequestedFormat(t *testing.T) {
	const right = `{"cash": 1500.00, "comment": "В кассе 1500 ₽"}`
	for name, text := range map[string]string{
		"bare": right, "fenced": "```json\n" + right + "\n```", "a reference without quotes": strings.Replace(right, "1500.00", "{{R1.cash}} ", 1),
	} {
		server := agenttest.Serve(t, askCash, agenttest.Say(text))
		got := newTestAgent(t, server, alwaysCash).ask(t.Context(), withFormat(cashSchema))
		if got.err != nil || strings.ReplaceAll(got.text, "1500.00", "1500") != `{"cash":1500,"comment":"В кассе 1500 ₽"}` || got.refusal != "" || got.finished.Reason != openai.FinishStop {
			t.Errorf("%s: %+v", name, got)
		}
		for _, sent := range server.Requests() {
			if !strings.Contains(string(sent.Raw["response_format"]), `"cash"`) {
				t.Errorf("%s: the provider was sent response_format %s", name, sent.Raw["response_format"])
			}
			told := func(m openai.Message) bool {
				return strings.Contains(string(m.Content), "Drafts cannot be prepared in this form")
			}
			if !slices.ContainsFunc(sent.Messages, told) {
				t.Errorf("%s: the model is not told that it cannot prepare drafts", name)
			}
			for _, tool := range sent.Tools {
				if strings.HasPrefix(tool.Function.Name, "draft_") {
					t.Errorf("%s is offered, and JSON cannot show a draft", tool.Function.Name)
				}
			}
		}
	}
}

// Figures in JSON are checked in numbers, strings and property names. The refusal names what is wrong.
func TestInvalidJSONAnswerIsRefused(t *testing.T) {
	for name, text := range map[string]string{
		"a number":          `{"cash": 98765.43, "comment": ""}`,
		"a small number":    `{"cash": 15, "comment": ""}`,
		"a text":            `{"cash": null, "comment": "Всего 98765.43 ₽"}`,
		"not of the schema": `{"cash": "1500.00", "comment": ""}`,
		"not JSON":          `В кассе 1500.00 ₽`,
		"JSON and more":     `{"cash": 1500.00, "comment": ""} готово`,
		"a secret":          `{"cash": 1500.00, "sk-org-` + strings.Repeat("Z", 61) + `": ""}`,
	} {
		server := agenttest.Serve(t, askCash, agenttest.Say(text), agenttest.Say(text))
		got := newTestAgent(t, server, alwaysCash).ask(t.Context(), withFormat(cashSchema))
		if got.err != nil || got.text != "" || !strings.HasPrefix(got.refusal, noFormattedAnswer.In("ru")) || strings.Contains(got.refusal, "ZZZ") || got.finished == nil {
			t.Errorf("%s: %+v", name, got)
		}
		for line := range strings.Lines(got.refusal) {
			why := line[strings.LastIndex(line, ": ")+1:]
			if strings.ContainsFunc(strings.ReplaceAll(why, "JSON", ""), func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
				t.Errorf("%s: a reason in English: %q", name, line)
			}
		}
	}
	server := agenttest.Serve(t, askCash, agenttest.Say(`{"Всего 98765.43 ₽": true}`), agenttest.Say(`{"cash": 1500}`))
	if got := newTestAgent(t, server, alwaysCash).ask(t.Context(), withFormat(`{"type":"json_object"}`)); got.text != `{"cash":1500}` {
		t.Errorf("any object: %+v", got)
	}
	server = agenttest.Serve(t, askCash, agenttest.Say(`{"cash": {{R1.cash}}, "again": "{{R1.cash}}"}`))
	if got := newTestAgent(t, server, alwaysCash).ask(t.Context(), withFormat(`{"type":"json_object"}`)); got.text != `{"cash":1500,"again":1500}` {
		t.Errorf("values without quotes, and without a type in the schema: %+v", got)
	}
}

// People cannot write references, so a reason does not advise it.
func TestRefusalOfJSONSpeaksToPeople(t *testing.T) {
	for text, why := range map[string]string{
		`{"cash": 98765.43, "comment": ""}`: "98765.43: this number is neither in the reports nor in the question",
		`{"cash": "much", "comment": ""}`:   `cash: by the JSON Schema it must be null or a number, got "much"`,
	} {
		req := withFormat(cashSchema)
		req.Chat.Messages = question("How much cash is there?").Chat.Messages
		got := newTestAgent(t, agenttest.Serve(t, askCash, agenttest.Say(text), agenttest.Say(text)), alwaysCash).ask(t.Context(), req)
		if want := noFormattedAnswer.EN + "\n- " + why; got.err != nil || got.refusal != want {
			t.Errorf("refused with %q, want %q; %v", got.refusal, want, got.err)
		}
	}
}

func TestInvalidFormatIsRefused(t *testing.T) {
	for _, format := range []string{
		`{"type":"xml"}`, `"json"`, `{"type":"json_schema"}`, `{"type":"json_schema","json_schema":{"schema":{"type":"none"}}}`,
		`{"type":"json_schema","json_schema":{"schema":{"$ref":"file:///etc/hostname"}}}`,
	} {
		got := newTestAgent(t, agenttest.Serve(t), alwaysCash).ask(t.Context(), withFormat(format))
		if _, ok := errors.AsType[*RequestError](got.err); !ok {
			t.Errorf("%s: %+v", format, got)
		}
	}
}

// A stop sequence ends the answer even if it arrives in parts, and cancels the model's request.
func TestAnswerEndsBeforeStopSequence(t *testing.T) {
	left := make(chan struct{})
	server := agenttest.Serve(t, askCash, func(r *agenttest.Reply) {
		r.Text("В кассе 1500.00 ₽.\n##")
		r.Text("# Конец")
		<-r.Gone
		close(left)
	})
	req := question("Сколько денег?")
	req.Chat.Stop = openai.Strings{"###", "Никогда"}
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || got.text != "В кассе 1500.00 ₽.\n" || got.finished.Reason != openai.FinishStop {
		t.Errorf("%+v", got)
	}
	<-left
}

// A figure that is cut by a stop sequence or by the limit has another value.
func TestCutFigureIsNotSent(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("Смотрим кассу. В кассе 1500.00 ₽."))
	req := question("Сколько денег?")
	req.Chat.Stop = openai.Strings{"00.00"}
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || strings.TrimSpace(got.text) != "Смотрим кассу. В кассе" {
		t.Errorf("%+v", got)
	}
}

// An answer that reaches the limit has the finish reason "length".
func TestTokenLimitCoversAllTurns(t *testing.T) {
	cut := func(r *agenttest.Reply) {
		r.Text("В кассе 1500.00 ₽. Это 15")
		r.FinishBy(openai.FinishLength)
	}
	server := agenttest.Serve(t, askCash, cut)
	req := question("Сколько денег?")
	most := 40
	req.Chat.MaxCompletionTokens = &most
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || got.finished.Reason != openai.FinishLength || strings.TrimSpace(got.text) != "В кассе 1500.00 ₽. Это" {
		t.Errorf("%+v", got)
	}
	for i, want := range []string{"40", "35"} {
		if sent := string(server.Requests()[i].Raw["max_completion_tokens"]); sent != want {
			t.Errorf("turn %d may write %s tokens, want %s", i+1, sent, want)
		}
	}
}

// A program that asked for JSON in its question must be able to parse the answer, so no notes follow it.
func TestNothingFollowsJSONAnswer(t *testing.T) {
	note := tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "2"}}
	noted := func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00}`, note), nil
	}
	for text, want := range map[string]string{
		`{"cash": "{{R1.cash}}"}`:               `{"cash": "` + cashText + "\u00a0₽\"}",
		`{"cash": {{R1.cash}}}`:                 `{"cash": 1500}`,
		"```json\n[{\"cash\": {{R1.no}}}]\n```": "```json\n[{\"cash\": [нет в отчётах]}]\n```",
	} {
		server := agenttest.Serve(t, askCash, agenttest.Say(text), agenttest.Say("{{R1.no}}"), agenttest.Say("{{R1.no}}"))
		if got := newTestAgent(t, server, noted).ask(t.Context(), question("Верни деньги как JSON")); got.text != want {
			t.Errorf("%s: %q, want %q", text, got.text, want)
		}
	}
}

// Without a model no data is read for a format, and the answer says that a model is needed.
func TestFormatWithoutModelIsRefused(t *testing.T) {
	form := withFormat(cashSchema)
	call := question("Сколько денег?")
	call.Chat.Tools, call.Chat.ToolChoice = mailTool, json.RawMessage(`"required"`)
	free := question("Сколько денег?")
	free.Chat.Tools = mailTool
	b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), oneAccount, alwaysCash)
	for name, req := range map[string]Request{"a format": form, "a call": call} {
		got := b.ask(t.Context(), req)
		if got.err != nil || len(got.tools) > 0 || got.text+got.refusal != needsModel.In("ru") || got.finished.Reason != openai.FinishStop {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := b.ask(t.Context(), free); !strings.Contains(got.text, cashText) {
		t.Errorf("tools that are only offered: %+v", got)
	}
	// An unavailable provider is a temporary error, so the client should try again.
	away := provider.WithFallback(providerFor(t, agenttest.ServeForever(t, agenttest.Refuse(503, nil, ""))), offline.New(clock), b.Log)
	if got := newTestAgentWith(t, databasetest.SQLite(t), away, oneAccount, alwaysCash).ask(t.Context(), form); !errors.Is(got.err, provider.ErrUnavailable) {
		t.Errorf("a provider that is away: %+v", got)
	}
}
