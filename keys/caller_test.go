package keys

import (
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestCallerIsRefusedOnceItsKeyIsRefused(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		now := time.Now()
		s := NewStore(db, MasterKey{raw: [masterKeyLength]byte{1}}, func() time.Time { return now })
		by := Caller{KeyID: "test", Operator: true}
		ours, err := s.CreateOrganization(t.Context(), by, "Ours")
		if err != nil {
			t.Fatal(err)
		}
		days := 1
		var made []Key
		for range 3 {
			k, _, err := s.CreateKey(t.Context(), by, ours.ID, NewKey{Name: "k", Scopes: []Scope{Chat}, ExpiresInDays: &days})
			if err != nil {
				t.Fatal(err)
			}
			made = append(made, k)
		}
		valid, revoked := made[0].ID, made[1].ID
		if _, err := s.RevokeKey(t.Context(), by, ours.ID, revoked, false); err != nil {
			t.Fatal(err)
		}
		c, err := s.CallerForKey(t.Context(), ours.ID, valid)
		if err != nil || c.KeyID != valid || c.OrganizationID != ours.ID || !c.Can(Chat) || c.Can(Admin) || c.Operator {
			t.Errorf("valid: %+v, %v", c, err)
		}
		if _, err := s.CallerForKey(t.Context(), ours.ID, revoked); !errors.Is(err, ErrRevoked) {
			t.Errorf("revoked: %v", err)
		}
		if _, err := s.CallerForKey(t.Context(), "another", valid); !errors.Is(err, ErrDenied) {
			t.Errorf("for another organization: %v", err)
		}
		if _, err := s.CallerForKey(t.Context(), ours.ID, "none"); !errors.Is(err, ErrNotFound) {
			t.Errorf("unknown key: %v", err)
		}
		now = now.AddDate(0, 0, 2)
		if _, err := s.CallerForKey(t.Context(), ours.ID, valid); !errors.Is(err, ErrExpired) {
			t.Errorf("expired: %v", err)
		}
	})
}
