package keys_test

import (
	"database/sql"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

var operator = keys.Caller{KeyID: "command line", Scopes: []keys.Scope{keys.Admin}, Operator: true}

// office is a store with one organization and its admin.
type office struct {
	*keys.Store
	t      *testing.T
	db     *sql.DB
	clock  *clocktest.Clock
	master keys.MasterKey
	org    string
	admin  keys.Caller
}

func newOffice(t *testing.T, db *sql.DB) *office {
	t.Helper()
	o := &office{t: t, db: db, master: keystest.MasterKey(), clock: clocktest.At(time.Date(2026, 11, 2, 9, 30, 0, 123456000, time.UTC))}
	o.Store = o.replica()
	o.org, o.admin = o.tenant("Horns & Hooves")
	return o
}

// replica returns another store on the same database.
func (o *office) replica() *keys.Store { return keys.NewStore(o.db, o.master, o.clock.Now) }

// tenant creates an organization and an admin of it.
func (o *office) tenant(name string) (orgID string, admin keys.Caller) {
	o.t.Helper()
	org, err := o.CreateOrganization(o.t.Context(), operator, name)
	must(o.t, err)
	return org.ID, keys.Caller{KeyID: "admin of " + name, OrganizationID: org.ID, Scopes: []keys.Scope{keys.Admin}}
}

func (o *office) key(wanted keys.NewKey) (keys.Key, string) {
	o.t.Helper()
	if wanted.Name == "" {
		wanted.Name = "till"
	}
	k, secret, err := o.CreateKey(o.t.Context(), operator, o.org, wanted)
	must(o.t, err)
	return k, secret.Reveal()
}

// listed returns a key of the organization as its list shows it.
func (o *office) listed(id string) keys.Key {
	o.t.Helper()
	list, _, err := o.Keys(o.t.Context(), o.org, database.Page{})
	must(o.t, err)
	i := slices.IndexFunc(list, func(k keys.Key) bool { return k.ID == id })
	if i < 0 {
		o.t.Fatalf("key %s is not listed", id)
	}
	return list[i]
}

func (o *office) refused(secret string, want error) {
	o.t.Helper()
	if _, err := o.Verify(o.t.Context(), secret); !errors.Is(err, want) {
		o.t.Errorf("Verify: %v, want %v", err, want)
	}
}

func (o *office) accepted(secret string) keys.Caller {
	o.t.Helper()
	c, err := o.Verify(o.t.Context(), secret)
	if err != nil {
		o.t.Errorf("Verify: %v", err)
	}
	return c
}

// wantInvalid checks that err is an check.InvalidError with this text.
func wantInvalid(t *testing.T, err error, problem string) {
	t.Helper()
	var invalid *check.InvalidError
	if !errors.As(err, &invalid) || invalid.Error() != problem {
		t.Errorf("got %v, want an check.InvalidError: %s", err, problem)
	}
}

func TestPagesCoverAListNewestFirst(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		var made []string
		for i := range 5 {
			if i%2 == 0 { // some have the same creation time
				o.clock.Advance(time.Second)
			}
			k, _ := o.key(keys.NewKey{})
			made = append(made, k.ID)
		}
		var seen []string
		page := database.Page{Limit: 2}
		for parts := 1; ; parts++ {
			part, next, err := o.Keys(t.Context(), o.org, page)
			must(t, err)
			for _, k := range part {
				seen = append(seen, k.ID)
			}
			if page.Cursor = next; next == "" {
				if parts != 3 {
					t.Errorf("%d pages of 2, want 3", parts)
				}
				break
			}
		}
		slices.Reverse(made)
		if !slices.Equal(seen, made) {
			t.Errorf("listed %v, created %v", seen, made)
		}
	})
}

func TestInvalidPageIsRefused(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	lists := func(page database.Page) (errs []error) {
		_, _, ofKeys := o.Keys(t.Context(), o.org, page)
		_, _, ofOrganizations := o.Organizations(t.Context(), page)
		_, _, ofConnections := o.Connections(t.Context(), o.org, page)
		_, _, ofAudit := o.Audit(t.Context(), o.org, page)
		return []error{ofKeys, ofOrganizations, ofConnections, ofAudit}
	}
	for limit, problem := range map[int]string{-1: "limit must be 1 to 100, got -1", 101: "limit must be 1 to 100, got 101"} {
		for _, err := range lists(database.Page{Limit: limit}) {
			wantInvalid(t, err, problem)
		}
	}
	for _, cursor := range []string{"@", "Zm9v"} {
		for _, err := range lists(database.Page{Cursor: cursor}) {
			if wrong, is := errors.AsType[*database.CursorError](err); !is || wrong.Cursor != cursor {
				t.Errorf("cursor %q: %v", cursor, err)
			}
		}
	}
}

func TestOrganizationsAreIsolated(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		ctx := t.Context()
		key, _ := o.key(keys.NewKey{})
		connection := o.connect()
		foreign, stranger := o.tenant("Stranger")

		for name, act := range map[string]func() error{
			"create key": func() error { _, _, err := o.CreateKey(ctx, stranger, o.org, keys.NewKey{Name: "x"}); return err },
			"revoke key": func() error { _, err := o.RevokeKey(ctx, stranger, o.org, key.ID, false); return err },
			"rotate key": func() error { _, _, err := o.RotateKey(ctx, stranger, o.org, key.ID, 0); return err },
			"connect":    func() error { _, err := o.AddConnection(ctx, stranger, newConnection(o.org)); return err },
			"delete":     func() error { return o.DeleteConnection(ctx, stranger, o.org, connection.ID) },
			"update": func() error {
				_, err := o.UpdateConnection(ctx, stranger, o.org, connection.ID, keys.NewSecret("t"), keys.Failing, keys.Permissions{})
				return err
			},
			"replace token": func() error {
				_, err := o.ReplaceToken(ctx, stranger, o.org, connection.ID, keys.NewSecret("t"), keys.Permissions{})
				return err
			},
			"found another": func() error { _, err := o.CreateOrganization(ctx, stranger, "x"); return err },
		} {
			if err := act(); !errors.Is(err, keys.ErrDenied) {
				t.Errorf("%s in a foreign organization: %v, want ErrDenied", name, err)
			}
		}
		for name, act := range map[string]func() error{
			"revoke key":     func() error { _, err := o.RevokeKey(ctx, stranger, foreign, key.ID, false); return err },
			"rotate key":     func() error { _, _, err := o.RotateKey(ctx, stranger, foreign, key.ID, 0); return err },
			"see connection": func() error { _, err := o.Connection(ctx, foreign, connection.ID); return err },
			"open token": func() error {
				if _, err := o.UnsealConnection(ctx, o.org, connection.ID); err != nil { // caches it for its owner
					return err
				}
				_, err := o.UnsealConnection(ctx, foreign, connection.ID)
				return err
			},
			"delete": func() error { return o.DeleteConnection(ctx, stranger, foreign, connection.ID) },
			"update": func() error {
				_, err := o.UpdateConnection(ctx, stranger, foreign, connection.ID, keys.NewSecret("t"), keys.Failing, keys.Permissions{})
				return err
			},
			"replace token": func() error {
				_, err := o.ReplaceToken(ctx, stranger, foreign, connection.ID, keys.NewSecret("t"), keys.Permissions{})
				return err
			},
			"nowhere": func() error { _, _, err := o.CreateKey(ctx, operator, "nowhere", keys.NewKey{Name: "x"}); return err },
		} {
			if err := act(); !errors.Is(err, keys.ErrNotFound) {
				t.Errorf("%s of another organization by its id: %v, want ErrNotFound", name, err)
			}
		}
		if shown, _, err := o.Keys(ctx, foreign, database.Page{}); err != nil || len(shown) != 0 {
			t.Errorf("foreign keys listed: %v, %v", shown, err)
		}
		if shown, _, err := o.Connections(ctx, foreign, database.Page{}); err != nil || len(shown) != 0 {
			t.Errorf("foreign connections listed: %v, %v", shown, err)
		}
		if shown, err := o.CachedConnections(ctx, o.org); err != nil || len(shown) != 1 {
			t.Errorf("one's own connections: %v, %v", shown, err)
		}
		if shown, err := o.CachedConnections(ctx, foreign); err != nil || len(shown) != 0 {
			t.Errorf("all foreign connections: %v, %v", shown, err)
		}
		if shown, _, err := o.Audit(ctx, foreign, database.Page{}); err != nil || len(shown) != 1 {
			t.Errorf("audit of a new organization: %v, %v, want only its creation", shown, err)
		}
		if k := o.listed(key.ID); k.State != keys.Active {
			t.Errorf("the key after all attempts: %v", k)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
