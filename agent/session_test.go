package agent

import (
	"errors"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/agenttest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// A conversation is found again by its own earlier messages, and its record with the tools' results takes their place.
func TestConversationsAreFoundAgain(t *testing.T) {
	server := agenttest.Serve(t, askCash, agenttest.Say("В кассе 1500.00 ₽."), agenttest.Say("Как и было: 1500.00 ₽."), agenttest.Say("Да."), agenttest.Say("Да."), agenttest.Say("Да."))
	b := newBench(t, server, alwaysCash)
	first := b.ask(t.Context(), question("Сколько денег?"))
	if first.err != nil || first.session == "" {
		t.Fatalf("%+v", first)
	}
	second := b.ask(t.Context(), question("Сколько денег?", " "+first.text+"\n", "А сейчас?"))
	if second.session != first.session || !strings.Contains(second.text, "1500.00") {
		t.Errorf("not found by its messages: %+v", second)
	}
	if told := server.Requests()[2].Messages; !hasRole(told, openai.RoleTool) {
		t.Error("the model is not reminded of the tools' results")
	}
	byID := question("Точно?")
	byID.SessionID = first.session
	if third := b.ask(t.Context(), byID); third.session != first.session {
		t.Errorf("not found by id: %+v", third)
	}
	if told := server.Requests()[3].Messages; len(told) < 6 {
		t.Errorf("the model is not reminded of the conversation: %d messages", len(told))
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

// Another organization's session does not exist, whoever knows its id or its messages.
func TestConversationsBelongToTheirOrganization(t *testing.T) {
	server := agenttest.Serve(t, agenttest.Say("Здравствуйте."), agenttest.Say("Здравствуйте."))
	db := databasetest.SQLite(t)
	b := benchOver(t, db, remote(t, server), oneAccount, alwaysCash)
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
