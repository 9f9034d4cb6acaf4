package agent

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

const talk = "USER: Сколько денег заморожено на складе?\nASSISTANT: Заморожено 1500.00 ₽."

// chores are requests of the shape that Open WebUI, LibreChat and Lobe Chat send, in words of our own.
var chores = []struct {
	name, system, user string
	said, byRules      string // what fits, and what is answered when the model writes none
}{
	{"Open WebUI's title", "", "### Task:\nFind a short title for the chat.\n### Output:\nJSON format: { \"title\": \"the title\" }\n### Chat History:\n<chat_history>\n" + talk + "\n</chat_history>",
		`{"title":"Заморожено 1500 ₽"}`, `{"title":"Сколько денег заморожено на складе?"}`},
	{"Open WebUI's tags", "", "### Task:\nGenerate tags for the chat.\n### Output:\nJSON format: { \"tags\": [\"a\", \"b\"] }\n### Chat History:\n<chat_history>\n" + talk + "\n</chat_history>",
		`{"tags":["Склад"]}`, `{"tags":["Учёт"]}`},
	{"Open WebUI's follow-ups", "", "### Task:\nSuggest follow-up questions.\n### Output:\nJSON format: { \"follow_ups\": [\"1?\", \"2?\"] }\n### Chat History:\n<chat_history>\n" + talk + "\n</chat_history>",
		`{"follow_ups":["А на втором складе?"]}`, `"Что ниже неснижаемого остатка?"`},
	{"Open WebUI's queries", "", "### Task:\nWhich search queries help?\nReturn { \"queries\": [] } if none.\n### Chat History:\n<chat_history>\n" + talk + "\n</chat_history>",
		`{"queries":["мёртвый остаток"]}`, `{"queries":[]}`},
	{"LibreChat's title", "", "Give the conversation a title of five words or less. Only the title.\n\nConversation:\nUser: Сколько денег заморожено на складе?\nAI: 1500.00 ₽",
		`Деньги на складе`, `Сколько денег заморожено на складе?`},
	{"Lobe Chat's title", "You find titles for conversations. At most 10 words, no punctuation, locale ru-RU.", "user: Сколько денег заморожено на складе?\nassistant: 1500.00 ₽",
		`Деньги на складе`, `Сколько денег заморожено на складе?`},
}

func choreRequest(system, user string) Request {
	var r Request
	if system != "" {
		r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(system)})
	}
	r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: openai.RoleUser, Content: openai.Content(user)})
	return r
}

// A chat UI's own requests see no tools and leave no session. What the model writes for them is checked, and where it
// does not fit, or there is no model, rules answer.
func TestChoresOfChatUIs(t *testing.T) {
	db := databasetest.SQLite(t)
	for _, c := range chores {
		model := agenttest.Serve(t, agenttest.Say(c.said), agenttest.Say("Вот: 98765.43 ₽, как вы и просили, и ещё много слов о том, что это был за разговор."),
			agenttest.Say(strings.Replace(c.said, "а", "а 98765.43 ₽ ", 1)), agenttest.Refuse(http.StatusBadRequest, nil, "{}"))
		b := benchOver(t, db, remote(t, model), oneAccount, alwaysCash)
		for i, want := range []string{c.said, c.byRules, c.byRules, c.byRules} {
			got := b.ask(t.Context(), choreRequest(c.system, c.user))
			if got.err != nil || !strings.Contains(got.text, want) || got.session != "" || got.finished == nil {
				t.Errorf("%s, try %d: %+v, want %s", c.name, i+1, got, want)
			}
		}
		for _, asked := range model.Requests() {
			if len(asked.Tools) > 0 || len(asked.Messages) > 2 {
				t.Errorf("%s: the model was asked with %d tools and %d messages", c.name, len(asked.Tools), len(asked.Messages))
			}
		}
		offline := benchOver(t, db, offline.New(clock), oneAccount, alwaysCash)
		if got := offline.ask(t.Context(), choreRequest(c.system, c.user)); !strings.Contains(got.text, c.byRules) {
			t.Errorf("%s, offline: %+v", c.name, got)
		}
	}
	sessions, _, err := newBench(t, agenttest.Serve(t), alwaysCash).Sessions.List(t.Context(), "org-1", 10, "")
	if err != nil || len(sessions) > 0 {
		t.Errorf("sessions %v, %v", sessions, err)
	}
}

// A schema, as LibreChat's structured titles have it, is filled.
func TestAChoreWithASchema(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("не JSON"))
	req := choreRequest("", "Analyze this conversation and give its language and a title\n\nUser: Сколько денег?\nAI: 1500.00 ₽")
	req.Chat.ResponseFormat = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"t","schema":{"type":"object","properties":{"language":{"type":"string"},"title":{"type":"string"}},"required":["language","title"]}}}`)
	got := newBench(t, server, alwaysCash).ask(t.Context(), req)
	if got.text != `{"language":"Russian","title":"Сколько денег?"}` {
		t.Errorf("%+v", got)
	}
}

// People ask for titles and quote conversations too; what has not the whole shape is a question.
func TestQuestionsAreNotTakenForChores(t *testing.T) {
	for _, text := range []string{
		"Придумай заголовок для письма поставщику", "What is the title of our best selling book?",
		"### Task:\nRespond to the user query using the context.\n<context>title</context>\nСколько денег?",
		"user: admin\nсколько денег?", "Покажи теги товаров: user, admin",
	} {
		if c, is := readChore(choreRequest("", text).Chat); is {
			t.Errorf("%q is taken for %+v", text, c)
		}
	}
	req := question("a", "b", chores[0].user)
	if _, is := readChore(req.Chat); is {
		t.Error("a question in a conversation is taken for a chore")
	}
}
