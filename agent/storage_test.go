package agent

import (
	"database/sql"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/schemas/openai"
)

func TestOrganizationStoresUpToItsQuota(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		const most = 20 << 10
		store := NewStore(db, time.Now)
		store.Storage = keys.NewStorageQuota(db, most)
		ours, others := organization(t, db, "org-1"), organization(t, db, "org-2")
		session, turn, err := store.create(t.Context(), ours, "?", nil)
		must(t, err)
		texts := func(bytes int) []Message {
			return []Message{{Role: openai.RoleUser, Content: "?"}, {Role: openai.RoleAssistant, Content: "!",
				Results: []json.RawMessage{json.RawMessage(`"` + strings.Repeat("ж", bytes/2) + `"`)}}}
		}
		room := func(want bool, why string) {
			t.Helper()
			var full *keys.StorageFullError
			err := store.Storage.Check(t.Context(), "org-1")
			if (err == nil) != want || err != nil && (!errors.As(err, &full) || full.StoredBytes < most || full.StoredBytes > most*5/4 || full.LimitBytes != most) {
				t.Errorf("%s: %v", why, err)
			}
			if _, err := store.Create(t.Context(), ours); errors.As(err, &full) == want {
				t.Errorf("%s, a new session: %v", why, err)
			}
		}
		must(t, turn.save(t.Context(), ours.KeyID, place{}, texts(11<<10)))
		room(true, "after 11 KiB of an answer's results")
		must(t, store.SaveResponse(t.Context(), "org-1", "resp_1", session.ID, json.RawMessage(`"`+strings.Repeat("x", 9<<10)+`"`), nil))
		room(false, "after 9 KiB more of a response")
		if _, err := store.Create(t.Context(), others); err != nil {
			t.Errorf("another organization: %v", err)
		}
		must(t, store.DeleteResponse(t.Context(), "org-1", "resp_1"))
		room(true, "after the response was deleted")
		branch, turn, err := store.create(t.Context(), ours, "?", nil)
		must(t, err)
		must(t, turn.save(t.Context(), ours.KeyID, place{session.ID, 2}, texts(2)))
		room(false, "after a conversation began with a copy of 11 KiB")
		must(t, store.Delete(t.Context(), "org-1", branch.ID))
		room(true, "after that was deleted")
	})
}
