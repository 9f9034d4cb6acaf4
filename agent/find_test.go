package agent

import (
	"database/sql"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// specificAnswer is long enough to identify a session.
const specificAnswer = "Сегодня на счетах и\u00a0в\u202fкассе лежит немного.\n\n- Это первый счёт: он й ё.\n- Это второй счёт, и на нём почти столько же."

func message(role, text string) Message { return Message{Role: role, Content: text} }

func user(text string) Message      { return message(openai.RoleUser, text) }
func assistant(text string) Message { return message(openai.RoleAssistant, text) }

func callMessage(id string) Message {
	return Message{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{{ID: id, Type: "function", Function: openai.FunctionCall{Name: "open_door", Arguments: "{}"}}}}
}

func toolMessage(id, text string) Message {
	return Message{Role: openai.RoleTool, ToolCallID: id, Content: text}
}

func requestOf(messages ...Message) Request {
	var r Request
	for _, m := range messages {
		r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: m.Role, Content: openai.Content(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID})
	}
	return r
}

func createTestSession(t *testing.T, store *Store, who keys.Caller, messages ...Message) Session {
	t.Helper()
	session, turn, err := store.create(t.Context(), who, "?", nil)
	if err == nil {
		err = turn.save(t.Context(), who.KeyID, place{}, messages)
	}
	must(t, err)
	return session
}

func (b *testAgent) findPlaceOf(t *testing.T, who keys.Caller, messages ...Message) place {
	t.Helper()
	req := requestOf(messages...)
	_, sent, tail := splitRequest(req.Chat.Messages)
	at, err := b.Agent.findPlace(t.Context(), who, req, fromClient(sent), tail)
	must(t, err)
	return at
}

// The first list has changes that clients make to a history; the session is still found. The second list must not
// match it.
func TestChangedHistoryIsFound(t *testing.T) {
	const call = "call_0123456789abcdef"
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		b := newTestAgentWith(t, db, nil, oneAccount, alwaysCash)
		session := createTestSession(t, b.Sessions, b.who, user("Привет"), assistant("Здравствуйте!"), user("Сколько денег?"), callMessage("own_1"), toolMessage("own_1", "{}"),
			assistant(specificAnswer), user("Открой дверь"), callMessage(call))
		turn, err := b.Sessions.takeTurn(t.Context(), "org-1", session.ID)
		if err == nil {
			err = turn.save(t.Context(), b.who.KeyID, place{}, []Message{toolMessage(call, "открыта"), assistant("Черновик **PO-7K3M9X** готов.")})
		}
		must(t, err)
		for name, c := range map[string]struct {
			want int
			sent []Message
		}{
			"whole": {10, []Message{user("Привет"), assistant("Здравствуйте!"), user("Сколько денег?"), assistant(specificAnswer), user("Открой дверь"), callMessage(call),
				toolMessage(call, "открыта"), assistant("Черновик **PO-7K3M9X** готов."), user("ещё")}},
			"white space":                             {6, []Message{assistant(strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\n", "\r\n", "- ", "-  ").Replace(specificAnswer) + " \n"), user("ещё")}},
			"decomposed letters":                      {6, []Message{assistant(norm.NFD.String(specificAnswer)), user("ещё")}},
			"the last two messages":                   {6, []Message{assistant(specificAnswer), user("ещё")}},
			"without the tools' steps":                {10, []Message{user("Открой дверь"), assistant("Черновик **PO-7K3M9X** готов."), user("ещё")}},
			"the client tool's result":                {8, []Message{user("Открой дверь"), callMessage(call), toolMessage(call, "открыта")}},
			"only the client tool's result":           {8, []Message{toolMessage(call, "открыта")}},
			"a short answer after its question":       {2, []Message{user("Привет"), assistant("Здравствуйте!"), user("ещё")}},
			"a draft's code in a new answer":          {10, []Message{assistant("Сводка беседы: заказ PO-7K3M9X ждёт."), user("ещё")}},
			"an edited answer after an unchanged one": {6, []Message{user("Сколько денег?"), assistant(specificAnswer), user("Точно?"), assistant("Нет."), user("ещё")}},
			"a question with added context":           {6, []Message{user("Контекст. Сколько денег?"), assistant(specificAnswer), user("ещё")}},
		} {
			if at := b.findPlaceOf(t, b.who, c.sent...); at != (place{session.ID, c.want}) {
				t.Errorf("%s: found %+v, want message %d", name, at, c.want)
			}
		}
		for name, sent := range map[string][]Message{
			"a short answer by itself":                {assistant("Здравствуйте!"), user("ещё")},
			"a short answer after another question":   {user("Кто здесь?"), assistant("Здравствуйте!"), user("ещё")},
			"a code that only the user names":         {user("PO-7K3M9X"), assistant("Какой?"), user("confirm PO-7K3M9X")},
			"the question without the answer":         {user("Сколько денег?"), assistant("Мало."), user("ещё")},
			"a call id that is a counter":             {callMessage("own_1"), toolMessage("own_1", "{}")},
			"a question sent as an answer":            {assistant("Привет"), user("ещё")},
			"only a question":                         {user("Сколько денег?")},
			"a short answer with a changed character": {user("Как?"), assistant("Так."), user("Привет"), assistant("Здравствуйте"), user("ещё")},
		} {
			if at := b.findPlaceOf(t, b.who, sent...); at.sessionID != "" {
				t.Errorf("%s: found %+v", name, at)
			}
		}
		other := b.who
		other.KeyID = "key-other"
		for name, who := range map[string]keys.Caller{"another key": other, "another organization": organization(t, db, "org-2"),
			"another organization with a key of the same name": {KeyID: b.who.KeyID, OrganizationID: "org-2"}} {
			if at := b.findPlaceOf(t, who, user("Сколько денег?"), assistant(specificAnswer), user("ещё")); at.sessionID != "" {
				t.Errorf("%s finds %+v", name, at)
			}
		}
	})
}

// Two people who use one key and get the same answer do not get each other's session.
func TestSimilarConversationsAreNotConfused(t *testing.T) {
	b := newTestAgentWith(t, databasetest.SQLite(t), nil, oneAccount, alwaysCash)
	secret := createTestSession(t, b.Sessions, b.who, user("Я Вася, мой пароль на складе 1234"), assistant("Хорошо."), user("Сколько денег?"), assistant(specificAnswer))
	if at := b.findPlaceOf(t, b.who, user("Сколько денег?"), assistant(specificAnswer), user("ещё")); at.sessionID != secret.ID {
		t.Errorf("the only session with the answer is not found: %+v", at)
	}
	plain := createTestSession(t, b.Sessions, b.who, user("Сколько денег?"), assistant(specificAnswer))
	if at := b.findPlaceOf(t, b.who, user("Сколько денег?"), assistant(specificAnswer), user("ещё")); at.sessionID != plain.ID {
		t.Errorf("found %+v, want the session that has nothing else", at)
	}
	createTestSession(t, b.Sessions, b.who, user("Я Петя"), assistant("Хорошо."), user("Сколько денег?"), assistant(specificAnswer), user("А в долг?"), assistant("Нет."))
	createTestSession(t, b.Sessions, b.who, user("Я Коля"), assistant("Хорошо."), user("Итого?"), assistant(specificAnswer))
	if at := b.findPlaceOf(t, b.who, assistant(specificAnswer), user("ещё")); at.sessionID != plain.ID && at.sessionID != "" {
		t.Errorf("found %+v by an answer that four sessions have", at)
	}
	if at := b.findPlaceOf(t, b.who, user("Я Петя"), assistant("Хорошо."), user("Сколько денег?"), assistant(specificAnswer), user("ещё")); at.sessionID == secret.ID || at.sessionID == plain.ID {
		t.Errorf("found %+v, which begins differently", at)
	}
}

// A client that repeats or edits its last question continues from the answer before, in a new session that begins with
// a copy. The first session does not change.
func TestRegeneratedAnswerStartsCopiedSession(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."), agenttest.Say("Первый раз."), agenttest.Say("В кассе те же 1500.00 ₽."), agenttest.Say("Да."))
	b := newTestAgent(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи"))
	again := b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи"))
	if again.err != nil || again.session == first.session || !strings.Contains(again.text, "1500.00") {
		t.Fatalf("%+v", again)
	}
	old, _, err := b.Sessions.Messages(t.Context(), "org-1", first.session, database.Page{Limit: 100})
	must(t, err)
	copied, _, err := b.Sessions.Messages(t.Context(), "org-1", again.session, database.Page{Limit: 100})
	if err != nil || len(copied) != len(old) || len(copied) < 6 || copied[0].Content != old[0].Content {
		t.Errorf("%d and %d messages, %v", len(old), len(copied), err)
	}
	next := b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи", again.text, "Точно?"))
	if next.session != again.session {
		t.Errorf("the copied session is not continued: %+v", next)
	}
}

func TestFailedQuestionIsRepeatedInItsSession(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say(specificAnswer), agenttest.Refuse(400, nil, `{"error":{"message":"no"}}`), agenttest.Say("Да."))
	b := newTestAgent(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	if failed := b.ask(t.Context(), question("Сколько денег?", first.text, "Точно?")); failed.err == nil {
		t.Fatalf("%+v", failed)
	}
	again := b.ask(t.Context(), question("Сколько денег?", first.text, "Точно?"))
	if again.session != first.session {
		t.Errorf("%+v", again)
	}
	requests := server.Requests()
	asked := 0
	for _, m := range requests[len(requests)-1].Messages {
		asked += strings.Count(string(m.Content), "Точно?")
	}
	if asked != 1 {
		t.Errorf("the model reads the question %d times", asked)
	}
}

// The merged conversation has every message once.
func TestSessionIsMergedWithClientHistory(t *testing.T) {
	step, result := callMessage("own_1"), toolMessage("own_1", "{}")
	record := []Message{user("1"), step, result, assistant("раз"), user("2"), assistant("два"), user("3"), assistant("три")}
	for name, c := range map[string]struct {
		sent []Message
		want string
	}{
		"the same":                   {[]Message{user("1"), assistant("раз"), user("2"), assistant("два"), user("3"), assistant("три")}, "1 +{} раз 2 два 3 три"},
		"the end":                    {[]Message{user("3"), assistant("три")}, "1 +{} раз 2 два 3 три"},
		"an edited answer":           {[]Message{user("1"), assistant("раз"), user("2"), assistant("нет"), user("3"), assistant("три")}, "1 +{} раз 2 нет 3 три"},
		"another model's answer":     {[]Message{user("1"), assistant("раз"), user("2"), assistant("два"), user("2b"), assistant("два с половиной"), user("3"), assistant("три")}, "1 +{} раз 2 два 2b два с половиной 3 три"},
		"more around a question":     {[]Message{user("1"), assistant("раз"), user("Контекст. 2"), assistant("два"), user("3"), assistant("три")}, "1 +{} раз 2 два 3 три"},
		"another model's beginning":  {[]Message{user("0"), assistant("ноль"), user("1"), assistant("раз"), user("2"), assistant("два"), user("3"), assistant("три")}, "0 ноль 1 раз 2 два 3 три"},
		"cut off after an answer":    {[]Message{user("1"), assistant("раз")}, "1 +{} раз"},
		"answers by somebody else":   {[]Message{user("1"), assistant("иначе")}, "1 иначе"},
		"another model's last words": {[]Message{user("3"), assistant("три"), user("4"), assistant("четыре")}, "1 +{} раз 2 два 3 три 4 четыре"},
	} {
		var words []string
		for _, m := range merge(record, c.sent) {
			words = append(words, m.Content+strings.Repeat("+", len(m.ToolCalls)))
		}
		if got := strings.ReplaceAll(strings.Join(words, " "), "+ {}", "+{}"); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestForeignSessionIDIsIgnored(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."), agenttest.Say("Да."))
	b := newTestAgent(t, server, alwaysCash)
	foreign := func(texts ...string) Request {
		req := question(texts...)
		req.SessionID = "ses_6f2d1c" // as opencode sends
		return req
	}
	first := b.ask(t.Context(), foreign("Привет"))
	if first.err != nil || first.session == "" || first.session == "ses_6f2d1c" {
		t.Fatalf("%+v", first)
	}
	if next := b.ask(t.Context(), foreign("Привет", first.text, "Точно?")); next.err != nil || next.session != first.session {
		t.Errorf("%+v", next)
	}
}
