package drafts_test

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/drafts"
)

// A tool takes seconds to prepare a draft. In that time its key may be revoked or expire.
func TestRevokedKeyCannotAddConfirmOrCancel(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		shell := keys.Caller{KeyID: "command line", Scopes: []keys.Scope{keys.Admin}, Operator: true}
		s := open(t, db, time.Now)
		made, _, err := s.keys.CreateKey(t.Context(), shell, s.who.OrganizationID, keys.NewKey{Name: "k", Scopes: []keys.Scope{keys.WriteTools}})
		must(t, err)
		from := drafts.Owner{Who: keys.Caller{KeyID: made.ID, OrganizationID: s.who.OrganizationID}, ConnectionID: s.connection, AccountID: "a"}
		before, err := s.store.Add(t.Context(), from, drafts.Transfer, drafts.Content{})
		must(t, err)
		if _, err := s.keys.RevokeKey(t.Context(), shell, s.who.OrganizationID, made.ID, false); err != nil {
			t.Fatal(err)
		}
		_, added := s.store.Add(t.Context(), from, drafts.Transfer, drafts.Content{})
		_, confirmed := s.creator.Confirm(t.Context(), from.Who, before.ID, before.Digest)
		_, cancelled := s.store.Cancel(t.Context(), from.Who, before.ID)
		for what, err := range map[string]error{"add": added, "confirm": confirmed, "cancel": cancelled} {
			if !errors.Is(err, keys.ErrRevoked) {
				t.Errorf("%s: %v, want ErrRevoked", what, err)
			}
		}
		all, _, err := s.store.List(t.Context(), s.who.OrganizationID, database.Page{})
		if err != nil || len(all) != 1 || all[0].State != drafts.Drafted {
			t.Errorf("the drafts are %+v (%v), want the one draft unchanged", all, err)
		}
	})
}

func TestDraftsAreListedInPages(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		s := open(t, db, time.Now)
		var want []string
		for range 5 {
			d, err := s.store.Add(t.Context(), drafts.Owner{Who: s.who, ConnectionID: s.connection, AccountID: "a"}, drafts.Transfer, drafts.Content{})
			must(t, err)
			want = append([]string{d.ID}, want...) // newest first
		}
		var listed []string
		for page := (database.Page{Limit: 2}); ; {
			found, next, err := s.store.List(t.Context(), s.who.OrganizationID, page)
			must(t, err)
			for _, d := range found {
				listed = append(listed, d.ID)
			}
			if page.Cursor = next; next == "" {
				break
			}
		}
		if !slices.Equal(listed, want) {
			t.Errorf("listed %v, want %v", listed, want)
		}
	})
}
