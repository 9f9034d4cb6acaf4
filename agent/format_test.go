package agent

import (
	"context"
	"encoding/json"
	"errors"
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

func formatted(format string) Request {
	req := question("Сколько денег?")
	req.Chat.ResponseFormat = json.RawMessage(format)
	return req
}

// An answer in JSON leaves whole, as the schema asks, and the provider knows the schema too.
func TestAnAnswerHasTheFormatThatWasAskedFor(t *testing.T) {
	const right = `{"cash": 1500.00, "comment": "В кассе 1500 ₽"}`
	for name, said := range map[string]string{"bare": right, "fenced": "```json\n" + right + "\n```"} {
		server := agenttest.Serve(t, askCash, agenttest.Say(said))
		got := newBench(t, server, alwaysCash).ask(t.Context(), formatted(cashSchema))
		if got.err != nil || got.text != `{"cash":1500.00,"comment":"В кассе 1500 ₽"}` || got.refusal != "" || got.finished.Reason != openai.FinishStop {
			t.Errorf("%s: %+v", name, got)
		}
		for _, sent := range server.Requests() {
			if !strings.Contains(string(sent.Raw["response_format"]), `"cash"`) {
				t.Errorf("%s: the provider was sent response_format %s", name, sent.Raw["response_format"])
			}
			for _, tool := range sent.Tools {
				if strings.HasPrefix(tool.Function.Name, "draft_") {
					t.Errorf("%s is offered, and JSON cannot show a draft", tool.Function.Name)
				}
			}
		}
	}
}

// Figures in JSON are held to the results like any others, in numbers, texts and names of fields; what never passes is
// refused in words that name it.
func TestJSONThatDoesNotPassIsRefusedByName(t *testing.T) {
	for name, said := range map[string]string{
		"a number":          `{"cash": 98765.43, "comment": ""}`,
		"a small number":    `{"cash": 15, "comment": ""}`,
		"a text":            `{"cash": null, "comment": "Всего 98765.43 ₽"}`,
		"not of the schema": `{"cash": "1500.00", "comment": ""}`,
		"not JSON":          `В кассе 1500.00 ₽`,
		"JSON and more":     `{"cash": 1500.00, "comment": ""} готово`,
		"a secret":          `{"cash": 1500.00, "sk-org-` + strings.Repeat("Z", 61) + `": ""}`,
	} {
		server := agenttest.Serve(t, askCash, agenttest.Say(said), agenttest.Say(said))
		got := newBench(t, server, alwaysCash).ask(t.Context(), formatted(cashSchema))
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
	if got := newBench(t, server, alwaysCash).ask(t.Context(), formatted(`{"type":"json_object"}`)); got.text != `{"cash":1500}` {
		t.Errorf("any object: %+v", got)
	}
}

func TestAFormatThatCannotBeIsRefusedAtOnce(t *testing.T) {
	for _, format := range []string{
		`{"type":"xml"}`, `"json"`, `{"type":"json_schema"}`, `{"type":"json_schema","json_schema":{"schema":{"type":"none"}}}`,
		`{"type":"json_schema","json_schema":{"schema":{"$ref":"file:///etc/hostname"}}}`,
	} {
		got := newBench(t, agenttest.Serve(t), alwaysCash).ask(t.Context(), formatted(format))
		if _, ok := errors.AsType[*RequestError](got.err); !ok {
			t.Errorf("%s: %+v", format, got)
		}
	}
}

// A stop ends the model's answer, also when it comes in pieces; the rest of its stream is not waited for.
func TestTheAnswerEndsBeforeAStop(t *testing.T) {
	left := make(chan struct{})
	server := agenttest.Serve(t, askCash, func(r *agenttest.Reply) {
		r.Text("В кассе 1500.00 ₽.\n##")
		r.Text("# Конец")
		<-r.Gone
		close(left)
	})
	req := question("Сколько денег?")
	req.Chat.Stop = openai.Strings{"###", "Никогда"}
	got := newBench(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || got.text != "В кассе 1500.00 ₽.\n" || got.finished.Reason != openai.FinishStop {
		t.Errorf("%+v", got)
	}
	<-left
}

// A figure that a stop or the limit cuts in two is not what the model meant.
func TestACutFigureIsNotSaid(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("Смотрим кассу. В кассе 1500.00 ₽."))
	req := question("Сколько денег?")
	req.Chat.Stop = openai.Strings{"00.00"}
	got := newBench(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || strings.TrimSpace(got.text) != "Смотрим кассу. В кассе" {
		t.Errorf("%+v", got)
	}
}

// The limit is for all turns together, and an answer that it cuts says so.
func TestTheLimitIsForAllTurns(t *testing.T) {
	cut := func(r *agenttest.Reply) {
		r.Text("В кассе 1500.00 ₽. Это 15")
		r.FinishBy(openai.FinishLength)
	}
	server := agenttest.Serve(t, askCash, cut)
	req := question("Сколько денег?")
	most := 40
	req.Chat.MaxCompletionTokens = &most
	got := newBench(t, server, alwaysCash).ask(t.Context(), req)
	if got.err != nil || got.finished.Reason != openai.FinishLength || strings.TrimSpace(got.text) != "В кассе 1500.00 ₽. Это" {
		t.Errorf("%+v", got)
	}
	for i, want := range []string{"40", "35"} {
		if sent := string(server.Requests()[i].Raw["max_completion_tokens"]); sent != want {
			t.Errorf("turn %d may write %s tokens, want %s", i+1, sent, want)
		}
	}
}

// What a client says of drawing words reaches the provider.
func TestSeedTemperatureAndTopPReachTheProvider(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."))
	req := question("Привет")
	seed, half := 7, 0.5
	req.Chat.Seed, req.Chat.Temperature, req.Chat.TopP = &seed, &half, &half
	newBench(t, server, alwaysCash).ask(t.Context(), req)
	raw := server.Requests()[0].Raw
	if string(raw["seed"]) != "7" || string(raw["temperature"]) != "0.5" || string(raw["top_p"]) != "0.5" || raw["metadata"] != nil {
		t.Errorf("sent seed %s, temperature %s, top_p %s, metadata %s", raw["seed"], raw["temperature"], raw["top_p"], raw["metadata"])
	}
}

// A program that asked for JSON in words reads JSON: nothing stands after it, whether its figures have quotes or not.
func TestNothingFollowsJSONThatWasAskedForInWords(t *testing.T) {
	note := tools.Note{Code: tools.NoStatusIncluded, Values: map[string]string{"count": "2"}}
	noted := func(context.Context, string, json.RawMessage) (*tools.Result, error) {
		return resultOf("money_position", `{"cash":1500.00}`, note), nil
	}
	for said, want := range map[string]string{
		`{"cash": "{{R1.cash}}"}`:               `{"cash": "` + rendered + "\u00a0₽\"}",
		`{"cash": {{R1.cash}}}`:                 `{"cash": ` + rendered + "\u00a0₽}",
		"```json\n[{\"cash\": {{R1.no}}}]\n```": "```json\n[{\"cash\": [нет в отчётах]}]\n```",
	} {
		server := agenttest.Serve(t, askCash, agenttest.Say(said), agenttest.Say("{{R1.no}}"), agenttest.Say("{{R1.no}}"))
		if got := newBench(t, server, noted).ask(t.Context(), question("Верни деньги как JSON")); got.text != want {
			t.Errorf("%s: %q, want %q", said, got.text, want)
		}
	}
}

// Without a model nothing is read for an answer that could not be given, and the words say what is missing.
func TestAFormWithoutAModelIsRefusedInWordsThatSaySo(t *testing.T) {
	form := formatted(cashSchema)
	call := question("Сколько денег?")
	call.Chat.Tools, call.Chat.ToolChoice = mailTool, json.RawMessage(`"required"`)
	free := question("Сколько денег?")
	free.Chat.Tools = mailTool
	b := benchOver(t, databasetest.SQLite(t), offline.New(clock), oneAccount, alwaysCash)
	for name, req := range map[string]Request{"a format": form, "a call": call} {
		got := b.ask(t.Context(), req)
		if got.err != nil || len(got.tools) > 0 || got.text+got.refusal != needsModel.In("ru") || got.finished.Reason != openai.FinishStop {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if got := b.ask(t.Context(), free); !strings.Contains(got.text, rendered) {
		t.Errorf("tools that are only offered: %+v", got)
	}
	// A provider that is away will be back: its client is to try again.
	away := provider.WithFallback(remote(t, agenttest.ServeForever(t, agenttest.Refuse(503, nil, ""))), offline.New(clock), b.Log)
	if got := benchOver(t, databasetest.SQLite(t), away, oneAccount, alwaysCash).ask(t.Context(), form); !errors.Is(got.err, provider.ErrUnavailable) {
		t.Errorf("a provider that is away: %+v", got)
	}
}
