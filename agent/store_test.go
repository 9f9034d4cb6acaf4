package agent

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

// tickingClock returns a clock whose times all differ.
func tickingClock() func() time.Time {
	var mu sync.Mutex
	now := testTime
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

// A stored session is complete and in order, and only its organization can read it.
func TestSessionsAreStoredPerOrganization(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		store := NewStore(db, tickingClock())
		ours := organization(t, db, "org-1")
		organization(t, db, "org-2")
		session, turn, err := store.create(t.Context(), ours, "Сколько денег?", nil)
		must(t, err)
		messages := []Message{
			{Role: openai.RoleUser, Content: "Сколько\x00 денег?"},
			{Role: openai.RoleAssistant, ToolCalls: []openai.ToolCall{{ID: "c", Type: "function", Function: openai.FunctionCall{Name: "stock", Arguments: `{"a":1}`}}}},
			{Role: openai.RoleTool, ToolCallID: "c", Content: "{}"},
			{Role: openai.RoleAssistant, Content: "Ноль", Results: []json.RawMessage{json.RawMessage(`{"cash":1.10}`)}},
		}
		must(t, turn.save(t.Context(), "key-org-1", place{}, messages))
		must(t, store.setAccount(t.Context(), "org-1", session.ID, "con-1", "acc-1"))
		stored, _, err := store.Messages(t.Context(), "org-1", session.ID, database.Page{Limit: 100})
		must(t, err)
		messages[0].Content = "Сколько денег?" // PostgreSQL texts cannot contain U+0000
		for i := range stored {
			if stored[i].CreatedAt.IsZero() {
				t.Error("a message has no time")
			}
			stored[i].CreatedAt = time.Time{}
		}
		if diff := cmp.Diff(messages, stored, cmp.AllowUnexported(Message{})); diff != "" {
			t.Errorf("messages (-want +got):\n%s", diff)
		}
		for id, expires := range map[string]time.Time{"waiting": testTime.Add(time.Hour), "expired": testTime} {
			_, err := db.ExecContext(t.Context(), `INSERT INTO drafts (id, organization_id, connection_id, account_id, session_id, key_id,
				kind, code, payload, sync_id, digest, state, created_at, expires_at) VALUES ($1, 'org-1', '', '', $2, '', '', '', '', '', '', 'draft', 0, $3)`,
				id, session.ID, expires.UnixMicro())
			must(t, err)
		}
		found, err := store.Get(t.Context(), "org-1", session.ID)
		if err != nil || found.ID != session.ID || found.MessageCount != 4 || found.PendingDrafts != 1 || *found.ConnectionID != "con-1" || *found.AccountID != "acc-1" {
			t.Errorf("found %+v, %v", found, err)
		}
		for name, attempt := range map[string]func() error{
			"Get": func() error { _, err := store.Get(t.Context(), "org-2", session.ID); return err },
			"Messages": func() error {
				_, _, err := store.Messages(t.Context(), "org-2", session.ID, database.Page{Limit: 100})
				return err
			},
			"Delete": func() error { return store.Delete(t.Context(), "org-2", session.ID) },
		} {
			if err := attempt(); !errors.Is(err, ErrNotFound) {
				t.Errorf("%s for another organization: %v, want ErrNotFound", name, err)
			}
		}
		must(t, store.Delete(t.Context(), "org-1", session.ID))
		var left int
		if err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM messages`).Scan(&left); err != nil || left != 0 {
			t.Errorf("%d messages are left of a deleted session, %v", left, err)
		}
	})
}

// Pages are newest first and together contain each session once.
func TestSessionsAreListedInPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		store := NewStore(db, clock) // all sessions have the same time
		ours := organization(t, db, "org-1")
		organization(t, db, "org-2")
		want := map[string]bool{}
		for i := range 7 {
			session, _, err := store.create(t.Context(), ours, fmt.Sprint(i), nil)
			must(t, err)
			want[session.ID] = true
		}
		var titles []string
		for cursor := ""; ; {
			page, next, err := store.List(t.Context(), "org-1", database.Page{Limit: 3, Cursor: cursor})
			must(t, err)
			for _, s := range page {
				delete(want, s.ID)
				titles = append(titles, s.Title)
			}
			if cursor = next; cursor == "" {
				break
			}
		}
		if got := strings.Join(titles, ""); got != "6543210" || len(want) > 0 {
			t.Errorf("listed %s, never listed %v", got, want)
		}
		if page, _, err := store.List(t.Context(), "org-2", database.Page{Limit: 3}); err != nil || len(page) != 0 {
			t.Errorf("another organization sees %v, %v", page, err)
		}
		var wrong *database.CursorError
		if _, _, err := store.List(t.Context(), "org-1", database.Page{Limit: 3, Cursor: "yesterday"}); !errors.As(err, &wrong) {
			t.Errorf("got %v, want a *database.CursorError", err)
		}
	})
}
