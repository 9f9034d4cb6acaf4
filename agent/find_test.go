package agent

import (
	"database/sql"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// long is an answer that nobody else has been given.
const long = "Сегодня на счетах и\u00a0в\u202fкассе лежит немного.\n\n- Это первый счёт: он й ё.\n- Это второй счёт, и на нём почти столько же."

func turnOf(role, text string) Message { return Message{Role: role, Content: text} }

func user(text string) Message      { return turnOf(openai.RoleUser, text) }
func assistant(text string) Message { return turnOf(openai.RoleAssistant, text) }

func calling(id string) Message {
	return Message{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{{ID: id, Type: "function", Function: openai.FunctionCall{Name: "open_door", Arguments: "{}"}}}}
}

func gave(id, text string) Message {
	return Message{Role: openai.RoleTool, ToolCallID: id, Content: text}
}

// sending is a request with these messages as a client sends them.
func sending(messages ...Message) Request {
	var r Request
	for _, m := range messages {
		r.Chat.Messages = append(r.Chat.Messages, openai.Message{Role: m.Role, Content: openai.Content(m.Content), ToolCalls: m.ToolCalls, ToolCallID: m.ToolCallID})
	}
	return r
}

// kept begins a session that has these messages.
func kept(t *testing.T, store *Store, who keys.Caller, messages ...Message) Session {
	t.Helper()
	session, turn, err := store.create(t.Context(), who, "?", nil)
	if err == nil {
		err = turn.save(t.Context(), who.KeyID, place{}, messages)
	}
	if err != nil {
		t.Fatal(err)
	}
	return session
}

func (b *bench) find(t *testing.T, who keys.Caller, messages ...Message) place {
	t.Helper()
	req := sending(messages...)
	_, sent, tail := splitRequest(req.Chat.Messages)
	at, err := b.Agent.findPlace(t.Context(), who, req, fromClient(sent), tail)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// What clients do to a history, and the place that it still leads to.
func TestAHistoryLeadsToItsSessionHoweverClientsChangeIt(t *testing.T) {
	const call = "call_0123456789abcdef"
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		b := benchOver(t, db, nil, oneAccount, alwaysCash)
		session := kept(t, b.Sessions, b.who, user("Привет"), assistant("Здравствуйте!"), user("Сколько денег?"), calling("own_1"), gave("own_1", "{}"),
			assistant(long), user("Открой дверь"), calling(call))
		turn, err := b.Sessions.takeTurn(t.Context(), "org-1", session.ID)
		if err == nil {
			err = turn.save(t.Context(), b.who.KeyID, place{}, []Message{gave(call, "открыта"), assistant("Черновик **PO-7K3M9X** готов.")})
		}
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			want int
			sent []Message
		}{
			"whole": {10, []Message{user("Привет"), assistant("Здравствуйте!"), user("Сколько денег?"), assistant(long), user("Открой дверь"), calling(call),
				gave(call, "открыта"), assistant("Черновик **PO-7K3M9X** готов."), user("ещё")}},
			"white space":                            {6, []Message{assistant(strings.NewReplacer("\u00a0", " ", "\u202f", " ", "\n", "\r\n", "- ", "-  ").Replace(long) + " \n"), user("ещё")}},
			"decomposed letters":                     {6, []Message{assistant(norm.NFD.String(long)), user("ещё")}},
			"the last two messages":                  {6, []Message{assistant(long), user("ещё")}},
			"without the tools' steps":               {10, []Message{user("Открой дверь"), assistant("Черновик **PO-7K3M9X** готов."), user("ещё")}},
			"what the client's tool gave":            {8, []Message{user("Открой дверь"), calling(call), gave(call, "открыта")}},
			"only what the client's tool gave":       {8, []Message{gave(call, "открыта")}},
			"a short answer after its question":      {2, []Message{user("Привет"), assistant("Здравствуйте!"), user("ещё")}},
			"a draft's code in an answer of its own": {10, []Message{assistant("Сводка беседы: заказ PO-7K3M9X ждёт."), user("ещё")}},
			"an answer edited after one that is not": {6, []Message{user("Сколько денег?"), assistant(long), user("Точно?"), assistant("Нет."), user("ещё")}},
			"a question that had more around it":     {6, []Message{user("Контекст. Сколько денег?"), assistant(long), user("ещё")}},
		} {
			if at := b.find(t, b.who, c.sent...); at != (place{session.ID, c.want}) {
				t.Errorf("%s: found %+v, want message %d", name, at, c.want)
			}
		}
		for name, sent := range map[string][]Message{
			"a short answer by itself":                {assistant("Здравствуйте!"), user("ещё")},
			"a short answer after another question":   {user("Кто здесь?"), assistant("Здравствуйте!"), user("ещё")},
			"a code that only the user names":         {user("PO-7K3M9X"), assistant("Какой?"), user("confirm PO-7K3M9X")},
			"the question without the answer":         {user("Сколько денег?"), assistant("Мало."), user("ещё")},
			"an id as anybody counts":                 {calling("own_1"), gave("own_1", "{}")},
			"the questions in the assistant's mouth":  {assistant("Привет"), user("ещё")},
			"nothing but a question":                  {user("Сколько денег?")},
			"a short answer with the wrong one after": {user("Как?"), assistant("Так."), user("Привет"), assistant("Здравствуйте"), user("ещё")},
		} {
			if at := b.find(t, b.who, sent...); at.sessionID != "" {
				t.Errorf("%s: found %+v", name, at)
			}
		}
		other := b.who
		other.KeyID = "key-other"
		for name, who := range map[string]keys.Caller{"another key": other, "another organization": organization(t, db, "org-2"),
			"another organization with a key of the same name": {KeyID: b.who.KeyID, OrganizationID: "org-2"}} {
			if at := b.find(t, who, user("Сколько денег?"), assistant(long), user("ещё")); at.sessionID != "" {
				t.Errorf("%s finds %+v", name, at)
			}
		}
	})
}

// Two people who were told the same through one key are not taken for one another.
func TestAlikeConversationsAreNotMixed(t *testing.T) {
	b := benchOver(t, databasetest.SQLite(t), nil, oneAccount, alwaysCash)
	secret := kept(t, b.Sessions, b.who, user("Я Вася, мой пароль на складе 1234"), assistant("Хорошо."), user("Сколько денег?"), assistant(long))
	if at := b.find(t, b.who, user("Сколько денег?"), assistant(long), user("ещё")); at.sessionID != secret.ID {
		t.Errorf("the only one that has it is not found: %+v", at)
	}
	plain := kept(t, b.Sessions, b.who, user("Сколько денег?"), assistant(long))
	if at := b.find(t, b.who, user("Сколько денег?"), assistant(long), user("ещё")); at.sessionID != plain.ID {
		t.Errorf("found %+v, want the session that has nothing else", at)
	}
	kept(t, b.Sessions, b.who, user("Я Петя"), assistant("Хорошо."), user("Сколько денег?"), assistant(long), user("А в долг?"), assistant("Нет."))
	kept(t, b.Sessions, b.who, user("Я Коля"), assistant("Хорошо."), user("Итого?"), assistant(long))
	if at := b.find(t, b.who, assistant(long), user("ещё")); at.sessionID != plain.ID && at.sessionID != "" {
		t.Errorf("found %+v by an answer that four were given", at)
	}
	if at := b.find(t, b.who, user("Я Петя"), assistant("Хорошо."), user("Сколько денег?"), assistant(long), user("ещё")); at.sessionID == secret.ID || at.sessionID == plain.ID {
		t.Errorf("found %+v, which does not begin so", at)
	}
}

// A client that asks for an answer anew, or edits its last question, goes on from the answer before with its figures, in a
// session that begins alike; the first session stays as it was.
func TestAnAnswerAskedForAnewGoesOnFromTheOneBefore(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."), agenttest.Say("Первый раз."), agenttest.Say("В кассе те же 1500.00 ₽."), agenttest.Say("Да."))
	b := newBench(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи"))
	again := b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи"))
	if again.err != nil || again.session == first.session || !strings.Contains(again.text, "1500.00") {
		t.Fatalf("%+v", again)
	}
	old, _, err := b.Sessions.Messages(t.Context(), "org-1", first.session, 100, 0)
	if err != nil {
		t.Fatal(err)
	}
	copied, _, err := b.Sessions.Messages(t.Context(), "org-1", again.session, 100, 0)
	if err != nil || len(copied) != len(old) || len(copied) < 6 || copied[0].Content != old[0].Content {
		t.Errorf("%d and %d messages, %v", len(old), len(copied), err)
	}
	next := b.ask(t.Context(), question("Сколько денег?", first.text, "Расскажи", again.text, "Точно?"))
	if next.session != again.session {
		t.Errorf("the conversation that was branched off is lost: %+v", next)
	}
}

// A question that got no answer may be asked again in its session.
func TestAQuestionThatFailedIsAskedAgainInItsSession(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say(long), agenttest.Refuse(400, nil, `{"error":{"message":"no"}}`), agenttest.Say("Да."))
	b := newBench(t, server, alwaysCash)
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

// What the record has and what the client has are one conversation, with nothing of it twice.
func TestARecordIsJoinedWithTheClientsHistory(t *testing.T) {
	step, result := calling("own_1"), gave("own_1", "{}")
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

// An id of another service is no session of ours and no mistake; one of the form of ours is.
func TestASessionIDOfAnotherServiceIsIgnored(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."), agenttest.Say("Да."))
	b := newBench(t, server, alwaysCash)
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
