package agent

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/agent/offline"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

const talk = "USER: Сколько денег заморожено на складе?\nASSISTANT: Заморожено 1500.00 ₽."

// uiChores are requests in the form that Open WebUI, LibreChat and Lobe Chat send, in our own words.
var uiChores = []struct {
	name, system, user  string
	modelText, fallback string // a valid text of the model, and the answer without one
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

// titleRequests are requests in the forms of opencode, Mastra, Vercel's chatbot, NextChat, Chatbox, Cherry Studio,
// big-AGI, Jan, Crush and other programs, in our own words.
var titleRequests = map[string]struct {
	system string
	users  []string
}{
	"a generator, and the message apart":  {"You generate titles. Write ONLY the thread's title, nothing else.\n\n<task>One line.</task>", []string{"Make a title for this conversation:\n", asksMoney}},
	"a generator, and the message below":  {"You generate titles. Write ONLY the thread's title, nothing else.", []string{"Make a title for this conversation:\n" + asksMoney}},
	"a generator, and the message behind": {"You generate titles. Write ONLY the thread's title, nothing else.", []string{`Make a title for this conversation: "` + asksMoney + `"`}},
	"rules in a list, and a message in JSON": {"\n\n  - you write a short title based on the first message of a user\n  - at most 80 characters",
		[]string{`{"role":"user","parts":[{"type":"text","text":"` + asksMoney + `"}]}`}},
	"rules, and a request above the text": {"you write a short title based on the first message of a user\n /no_think",
		[]string{"A concise title for the content that follows:\n\n" + asksMoney + "\n\n<think>\n\n</think>"}},
	"an assistant, and turns in JSON": {"You are good at conversation. Summarize the user's conversation into a title of at most 10 words. No punctuation",
		[]string{`[{"role":"user","mainText":"` + asksMoney + `"},{"role":"assistant","mainText":"Мало."}]`}},
	"a specialist, and lines in a fence": {"You are an AI assistant for conversation titles, which are expressive and have few words.",
		[]string{"Read the short conversation and extract a chat title.\n\n```\n- You: " + asksMoney + "\n- Assistant: Мало.\n```"}},
	"one message with a fence":        {"", []string{"From its history, give this conversation a name.\nAt most 10 characters.\n\nHere it is:\n\n```\n" + asksMoney + "\n\n---\n\nМало.\n```\n\nName it."}},
	"one message with a colon":        {"", []string{"Summarize in a 5-word title. The title only. The message is: " + asksMoney}},
	"one message with quotes":         {"", []string{`Summarize in a 5-word title. The title only. "` + asksMoney + `"`}},
	"a heading before the rule":       {"# Who you are\n\nYou create informative titles that reflect the main topic of a dialogue, in its language.", []string{asksMoney}},
	"a workflow program's":            {"Generate a descriptive title for this conversation from what the user has written.\n\nRequirements:\n- 3 to 5 words", []string{asksMoney}},
	"an application's":                {"You are a title generator for a chat application. Be engaging. Never write tags, nor follow-up queries.", []string{asksMoney}},
	"in Russian":                      {"Придумай короткий заголовок для этой беседы. Без кавычек.", []string{asksMoney}},
	"in Chinese":                      {"你需要将用户的会话总结为十个字以内的标题。", []string{asksMoney}},
	"in the words of another message": {"Reply with a title for a conversation that begins with the next message.", []string{asksMoney}},
}

const asksMoney = "Сколько денег на счетах?"

func TestChoresAreRecognized(t *testing.T) {
	b := newTestAgentWith(t, databasetest.SQLite(t), offline.New(clock), oneAccount, alwaysCash)
	for name, c := range titleRequests {
		req := choreRequest(c.system, c.users[0])
		for _, more := range c.users[1:] {
			req.Chat.Messages = append(req.Chat.Messages, openai.Message{Role: openai.RoleUser, Content: openai.Content(more)})
		}
		got, is := readChore(req.Chat)
		if !is || got.kind != "title" || !strings.HasPrefix(got.firstMessage, asksMoney) {
			t.Errorf("%s: %v, %q of %q", name, is, got.kind, got.firstMessage)
		}
		if got := b.ask(t.Context(), req); got.text != asksMoney || got.session != "" {
			t.Errorf("%s, without a model: %+v", name, got)
		}
		req.Chat.Tools = mailTool
		if _, is := readChore(req.Chat); is {
			t.Errorf("%s: with tools", name)
		}
	}
	for text, kind := range map[string]string{
		"Please write a title of five words summarizing our conversation, without punctuation.": "title",
		"Summarize the discussion in 200 words, as context for later.":                          "summary",
	} {
		req := question(asksMoney, "Мало.", text)
		if kind == "summary" {
			if _, is := readChore(req.Chat); is {
				t.Error("a user who wants a summary is taken for a program")
			}
			req.Chat.Messages[2].Role = openai.RoleSystem
		}
		if got, is := readChore(req.Chat); !is || got.kind != kind || got.firstMessage != asksMoney {
			t.Errorf("%q: %v, %q of %q", text, is, got.kind, got.firstMessage)
		}
	}
}

func choreRequest(system, user string) Request {
	var r Request
	if system != "" {
		r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: openai.RoleSystem, Content: openai.Content(system)})
	}
	r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: openai.RoleUser, Content: openai.Content(user)})
	return r
}

// A chore gets no tools and creates no session. If the model's text is not valid, or if there is no model, a fixed
// rule answers.
func TestChoresAreAnsweredWithCheckedText(t *testing.T) {
	db := databasetest.SQLite(t)
	for _, c := range uiChores {
		model := agenttest.Serve(t, agenttest.Say(c.modelText), agenttest.Say("Вот: 98765.43 ₽, как вы и просили, и ещё много слов о том, что это был за разговор."),
			agenttest.Say(strings.Replace(c.modelText, "а", "а 98765.43 ₽ ", 1)), agenttest.Refuse(http.StatusBadRequest, nil, "{}"))
		b := newTestAgentWith(t, db, providerFor(t, model), oneAccount, alwaysCash)
		for i, want := range []string{c.modelText, c.fallback, c.fallback, c.fallback} {
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
		offline := newTestAgentWith(t, db, offline.New(clock), oneAccount, alwaysCash)
		if got := offline.ask(t.Context(), choreRequest(c.system, c.user)); !strings.Contains(got.text, c.fallback) {
			t.Errorf("%s, offline: %+v", c.name, got)
		}
	}
	sessions, _, err := newTestAgent(t, agenttest.Serve(t), alwaysCash).Sessions.List(t.Context(), "org-1", database.Page{})
	if err != nil || len(sessions) > 0 {
		t.Errorf("sessions %v, %v", sessions, err)
	}
}

// This is the schema that LibreChat sends to get a title.
func TestChoreFillsItsSchema(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("не JSON"))
	req := choreRequest("", "Analyze this conversation and give its language and a title\n\nUser: Сколько денег?\nAI: 1500.00 ₽")
	req.Chat.ResponseFormat = json.RawMessage(`{"type":"json_schema","json_schema":{"name":"t","schema":{"type":"object","properties":{"language":{"type":"string"},"title":{"type":"string"}},"required":["language","title"]}}}`)
	got := newTestAgent(t, server, alwaysCash).ask(t.Context(), req)
	if got.text != `{"language":"Russian","title":"Сколько денег?"}` {
		t.Errorf("%+v", got)
	}
}

// Users also ask for titles and quote conversations.
func TestQuestionsAreNotChores(t *testing.T) {
	for _, text := range []string{
		"Придумай заголовок для письма поставщику", "What is the title of our best selling book?",
		"### Task:\nRespond to the user query using the context.\n<context>title</context>\nСколько денег?",
		"user: admin\nсколько денег?", "Покажи теги товаров: user, admin",
	} {
		if c, is := readChore(choreRequest("", text).Chat); is {
			t.Errorf("%q is taken for %+v", text, c)
		}
	}
	for _, system := range []string{
		"You are a helpful assistant in a chat. The title of the shop is Romashka.", "Answer questions in this chat and give titles to tables.",
		"The chat bot name is Kopeck. You are friendly.", "Products have tags. Answer in the user's language.", "Start each message with a title. Be brief.",
		"You help in a chat of a warehouse; follow up on orders. Use titles of products.", "Начинай ответ с заголовка. Пиши сообщения коротко.",
		"В конце каждого сообщения пиши название склада.", "Отвечай в чате. Названия товаров пиши полностью.",
	} {
		if c, is := readChore(choreRequest(system, asksMoney).Chat); is {
			t.Errorf("under %q a question is taken for %+v", system, c)
		}
	}
	req := question("a", "b", uiChores[0].user)
	if _, is := readChore(req.Chat); is {
		t.Error("a question in a conversation is taken for a chore")
	}
}
