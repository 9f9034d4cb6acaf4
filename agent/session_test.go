package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// A conversation is found by its earlier messages, which are then read from the session with their results.
func TestConversationIsFoundByItsHistory(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."), agenttest.Say("Как и было: 1500.00 ₽."), agenttest.Say("Да."), agenttest.Say("Да."), agenttest.Say("Да."))
	b := newTestAgent(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	if first.err != nil || first.session == "" {
		t.Fatalf("%+v", first)
	}
	second := b.ask(t.Context(), question("Сколько денег?", " "+first.text+"\n", "А сейчас?"))
	if second.session != first.session || !strings.Contains(second.text, "1500.00") {
		t.Errorf("not found by its messages: %+v", second)
	}
	if received := server.Requests()[2].Messages; !hasRole(received, openai.RoleTool) {
		t.Error("the model is not reminded of the tools' results")
	}
	byID := question("Точно?")
	byID.SessionID = first.session
	if third := b.ask(t.Context(), byID); third.session != first.session {
		t.Errorf("not found by id: %+v", third)
	}
	if received := server.Requests()[3].Messages; len(received) < 6 {
		t.Errorf("the model does not get the conversation: %d messages", len(received))
	}
	if edited := b.ask(t.Context(), question("Сколько денег?", "Много.", "А сейчас?")); edited.session == first.session {
		t.Error("an edited conversation is taken for the first one")
	}
	other := question("А сейчас?")
	other.SessionID = "01938c3e-0000-7000-8000-000000000000"
	if got := b.ask(t.Context(), other); !errors.Is(got.err, ErrNotFound) {
		t.Errorf("an unknown session: %v, want ErrNotFound", got.err)
	}
	session, err := b.Sessions.Get(t.Context(), b.who.OrganizationID, first.session)
	if err != nil || session.Title != "Сколько денег?" || session.ConnectionID == nil || *session.ConnectionID != "con-1" {
		t.Errorf("session %+v, %v", session, err)
	}
}

func hasRole(messages []openai.Message, role string) bool {
	for _, m := range messages {
		if m.Role == role {
			return true
		}
	}
	return false
}

// Other organizations do not find a session, even with its id or messages.
func TestConversationsBelongToOneOrganization(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."), agenttest.Say("Здравствуйте."))
	db := databasetest.SQLite(t)
	b := newTestAgentWith(t, db, providerFor(t, server), oneAccount, alwaysCash)
	first := b.ask(t.Context(), question("Привет"))
	b.who = organization(t, db, "org-2")
	req := question("Привет")
	req.SessionID = first.session
	if got := b.ask(t.Context(), req); !errors.Is(got.err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", got.err)
	}
	if got := b.ask(t.Context(), question("Привет", "Здравствуйте.", "Кто здесь?")); got.err != nil || got.session == first.session {
		t.Errorf("%+v", got)
	}
}
