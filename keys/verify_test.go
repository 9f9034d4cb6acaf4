package keys_test

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/keys/keystest"
	"github.com/kopeck/kopeck/schemas/clocktest"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestVerifyReturnsTheCaller(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Chat, keys.ReadData, keys.Chat}})
		if !regexp.MustCompile(`^sk-org-[0-9A-Za-z]{61}$`).MatchString(secret) || secret[:19] != k.Prefix {
			t.Errorf("key %q with prefix %q", secret, k.Prefix)
		}
		want := keys.Caller{KeyID: k.ID, OrganizationID: o.org, Scopes: []keys.Scope{keys.Chat, keys.ReadData}, ExpiresAt: k.ExpiresAt}
		if diff := cmp.Diff(want, o.accepted(secret)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDatabaseHoldsNoSecret(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		var row string
		if err := db.QueryRowContext(t.Context(), `SELECT CAST(public_id || name || scopes || created_by AS TEXT) || ' ' ||
			(SELECT max(details) FROM audit) FROM keys`).Scan(&row); err != nil {
			t.Fatal(err)
		}
		var digest []byte
		must(t, db.QueryRowContext(t.Context(), `SELECT digest FROM keys`).Scan(&digest))
		if len(digest) != 32 || strings.Contains(row+string(digest), secret[19:62]) {
			t.Errorf("hash of %d bytes, row %s", len(digest), row)
		}
	})
}

func TestMalformedKeyDoesNotReachTheDatabase(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	_, secret := o.key(keys.NewKey{})
	o.db.Close()
	for name, text := range map[string]string{
		"empty":           "",
		"a word":          "secret",
		"mistyped":        strings.Replace(secret, secret[30:31], differentCharacter(secret[30]), 1),
		"cut off":         secret[:67],
		"doubled":         secret + secret,
		"with a newline":  secret + "\n",
		"foreign prefix":  "sk-live" + secret[7:],
		"not ASCII":       secret[:66] + "я",
		"SQL":             "sk-org-' OR 1=1 --",
		"checksum undone": secret[:62] + "000000",
	} {
		t.Run(name, func(t *testing.T) { o.refused(text, keys.ErrMalformed) })
	}
	_, err := o.Verify(t.Context(), secret)
	for _, verdict := range []error{keys.ErrMalformed, keys.ErrUnknown, keys.ErrExpired, keys.ErrRevoked} {
		if err == nil || errors.Is(err, verdict) {
			t.Errorf("without the database, a valid key is refused with %v", err)
		}
	}
}

func differentCharacter(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}

func TestOnlyTheHolderLearnsThatAKeyIsExpiredOrRevoked(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		expired, expiredSecret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		revoked, revokedSecret := o.key(keys.NewKey{})
		both, bothSecret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		for _, k := range []keys.Key{revoked, both} {
			_, err := o.RevokeKey(t.Context(), o.admin, o.org, k.ID, false)
			must(t, err)
		}
		o.clock.Advance(24*time.Hour - time.Microsecond)
		o.accepted(expiredSecret)
		o.clock.Advance(time.Microsecond)
		o.refused(expiredSecret, keys.ErrExpired)
		o.refused(revokedSecret, keys.ErrRevoked)
		o.refused(bothSecret, keys.ErrRevoked)
		for _, k := range []keys.Key{expired, revoked} {
			o.refused(keys.WithOtherSecret(k.Prefix), keys.ErrUnknown)
		}
		o.refused(keys.WithOtherSecret("sk-org-000000000000"), keys.ErrUnknown)
	})
}

// A replica whose clock is wrong neither accepts a key for longer nor creates one that lives longer.
func TestKeysExpireByTheSharedClock(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		for _, wrong := range []time.Duration{-time.Hour, time.Hour} {
			clock := clocktest.At(o.clock.Now().Add(wrong))
			replica := keys.NewStore(o.db, o.master, clock.Now)
			replica.Clock = func(context.Context) (time.Time, error) { return o.clock.Now(), nil }
			k, secret, err := replica.CreateKey(t.Context(), operator, o.org, keys.NewKey{Name: "till", ExpiresInDays: new(1)})
			must(t, err)
			if lives := k.ExpiresAt.Sub(o.clock.Now()); lives != 24*time.Hour {
				t.Errorf("clock wrong by %s: the new key lives for %s", wrong, lives)
			}
			o.clock.Advance(24*time.Hour - time.Minute)
			clock.Advance(24*time.Hour - time.Minute)
			_, err = replica.Verify(t.Context(), secret.Reveal())
			must(t, err)
			o.clock.Advance(time.Minute)
			clock.Advance(time.Minute)
			if _, err = replica.Verify(t.Context(), secret.Reveal()); !errors.Is(err, keys.ErrExpired) {
				t.Errorf("clock wrong by %s: %v", wrong, err)
			}
			if _, err := replica.CallerForKey(t.Context(), o.org, k.ID); !errors.Is(err, keys.ErrExpired) {
				t.Errorf("clock wrong by %s: CallerForKey: %v", wrong, err)
			}
		}
	})
}

func TestKeyInsertedWithoutMasterKeyIsUnknown(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		elsewhere := keys.NewStore(db, keystest.MasterKey(), o.clock.Now)
		if _, err := elsewhere.Verify(t.Context(), secret); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("accepted under another master key: %v", err)
		}
	})
}

func TestLastUseIsWrittenAtShutdownAndNeverMovesBack(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		late := o.replica()
		_, err := late.Verify(t.Context(), secret)
		must(t, err)
		o.clock.Advance(time.Minute)
		o.accepted(secret)
		used := o.clock.Now()
		if k := o.listed(k.ID); k.LastUsedAt != nil {
			t.Errorf("already written during the request: %v", k.LastUsedAt)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for _, s := range []*keys.Store{o.Store, late} {
			s.Run(ended, func(err error) { t.Error(err) })
			if k := o.listed(k.ID); k.LastUsedAt == nil || !k.LastUsedAt.Equal(used) {
				t.Errorf("last used %v, want %v", k.LastUsedAt, used)
			}
		}
	})
}

func TestLastUseIsWrittenEveryThirtySeconds(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t, openIn(t, folder))
		k, secret := o.key(keys.NewKey{})
		o.accepted(secret)
		go o.Run(t.Context(), func(err error) { t.Error(err) })
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if k := o.listed(k.ID); k.LastUsedAt == nil {
			t.Error("no last use after 31 s")
		}
	})
}

// A replica that loses the database, or waits too long for it, cannot know which keys are revoked.
func TestNoKeyIsAcceptedWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	db := databasetest.Postgres(t)
	o := newOffice(t, db)
	k, secret := o.key(keys.NewKey{})
	o.accepted(secret)
	tx, err := db.BeginTx(t.Context(), nil)
	must(t, err)
	defer tx.Rollback()
	databasetest.Exec(t, tx, `LOCK TABLE keys, key_changes IN ACCESS EXCLUSIVE MODE`)
	o.accepted(secret) // verified less than a second before the database is lost
	o.clock.Advance(time.Second)
	begun := time.Now()
	_, verified := o.Verify(t.Context(), secret)
	_, again := o.CallerForKey(t.Context(), o.org, k.ID)
	if took := time.Since(begun); verified == nil || again == nil || took > 15*time.Second {
		t.Errorf("after %s: %v and %v, want two errors within a few seconds each", took, verified, again)
	}
	for _, verdict := range []error{keys.ErrMalformed, keys.ErrUnknown, keys.ErrExpired, keys.ErrRevoked} {
		if errors.Is(verified, verdict) || errors.Is(again, verdict) {
			t.Errorf("an unreachable database counts as %v", verdict)
		}
	}
}
