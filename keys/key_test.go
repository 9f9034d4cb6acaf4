package keys_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestKeyMatchesContract(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		made, secret := o.key(keys.NewKey{ExpiresInDays: new(7)})
		want := fmt.Sprintf(`{"id":%q,"name":"till","prefix":%q,"scopes":["write:tools"],"state":"active",`+
			`"created_at":"2026-11-02T09:30:00.123456Z","expires_at":"2026-11-09T09:30:00.123456Z","expires_in_days":7,`+
			`"last_used_at":null,"created_by":"command line"}`, made.ID, secret[:19])
		for _, k := range []keys.Key{made, o.listed(made.ID)} {
			got, err := json.Marshal(k)
			if err != nil || string(got) != want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, want)
			}
		}
	})
}

func TestAllProblemsOfANewKeyAreReported(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	const scopes = "read:tools write:tools read:data chat connector:gateway admin"
	for _, c := range []struct {
		wanted  keys.NewKey
		problem string
	}{
		{keys.NewKey{Name: "x", ExpiresInDays: new(0)}, "expires_in_days must be 1 to 365, got 0"},
		{keys.NewKey{Name: "x", ExpiresInDays: new(366)}, "expires_in_days must be 1 to 365, got 366"},
		{keys.NewKey{Name: "x", ExpiresInDays: new(-5)}, "expires_in_days must be 1 to 365, got -5"},
		{keys.NewKey{Name: "x", Scopes: []keys.Scope{"chat", "root", "admin "}},
			"scopes must be one of " + scopes + `, got "root"; scopes must be one of ` + scopes + `, got "admin "`},
		{keys.NewKey{Name: "", ExpiresInDays: new(400)},
			"name must be 1 to 200 characters, got 0; expires_in_days must be 1 to 365, got 400"},
		{keys.NewKey{Name: strings.Repeat("я", 201)}, "name must be 1 to 200 characters, got 201"},
		{keys.NewKey{Name: "a\x00b"}, `name must be without control characters, got "a\x00b"`},
		{keys.NewKey{Name: "a\xffb"}, `name must be UTF-8 text, got "a\xffb"`},
	} {
		_, _, err := o.CreateKey(t.Context(), o.admin, o.org, c.wanted)
		wantInvalid(t, err, c.problem)
	}
	for _, days := range []int{1, 365} {
		o.key(keys.NewKey{ExpiresInDays: &days})
	}
	k, _ := o.key(keys.NewKey{Name: strings.Repeat("я", 200)})
	if k.ExpiresInDays != 90 || !k.ExpiresAt.Equal(o.clock.Now().Add(90*24*time.Hour).Truncate(time.Microsecond)) {
		t.Errorf("by default the key expires after %d days, at %v", k.ExpiresInDays, k.ExpiresAt)
	}
}
