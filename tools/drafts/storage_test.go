package drafts_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

func TestDraftIsRefusedWhenStorageIsFull(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		s.store.Storage = keys.NewStorageQuota(db, 10<<10)
		from := drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: "a"}
		add := func() error {
			_, err := s.store.Add(t.Context(), from, drafts.Transfer, drafts.Content{Preview: drafts.Preview{Summary: strings.Repeat("x", 4<<10)}})
			return err
		}
		var full *keys.StorageFullError
		for i, want := range []bool{true, true, false} {
			if err := add(); errors.As(err, &full) == want {
				t.Errorf("draft %d: %v", i+1, err)
			}
		}
	})
}
