package keys_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestAKeyIsRecognizedForWhatItWasMadeFor(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Chat, keys.ReadData, keys.Chat}})
		if !regexp.MustCompile(`^sk-org-[0-9A-Za-z]{61}$`).MatchString(secret) || secret[:19] != k.Prefix {
			t.Errorf("key %q with prefix %q", secret, k.Prefix)
		}
		want := keys.Caller{KeyID: k.ID, OrganizationID: o.org, Scopes: []keys.Scope{keys.Chat, keys.ReadData}}
		if diff := cmp.Diff(want, o.accepted(secret)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAKeysRecordIsTheContracts(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		made, secret := o.key(keys.NewKey{ExpiresInDays: new(7)})
		want := fmt.Sprintf(`{"id":%q,"name":"till","prefix":%q,"scopes":["write:tools"],"state":"active",`+
			`"created_at":"2026-11-02T09:30:00.123456Z","expires_at":"2026-11-09T09:30:00.123456Z","expires_in_days":7,`+
			`"last_used_at":null,"created_by":"command line"}`, made.ID, secret[:19])
		found, err := o.Key(t.Context(), o.org, made.ID)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []keys.Key{made, found} {
			got, err := json.Marshal(k)
			if err != nil || string(got) != want {
				t.Errorf("got  %s (%v)\nwant %s", got, err, want)
			}
		}
	})
}

func TestTheSecretIsNowhereInTheDatabase(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		var row string
		if err := db.QueryRowContext(t.Context(), `SELECT CAST(public_id || name || scopes || created_by AS TEXT) || ' ' ||
			(SELECT max(details) FROM audit) FROM keys`).Scan(&row); err != nil {
			t.Fatal(err)
		}
		var digest []byte
		if err := db.QueryRowContext(t.Context(), `SELECT digest FROM keys`).Scan(&digest); err != nil {
			t.Fatal(err)
		}
		if len(digest) != 32 || strings.Contains(row+string(digest), secret[19:62]) {
			t.Errorf("digest of %d bytes, row %s", len(digest), row)
		}
	})
}

func TestAMalformedKeyDoesNotReachTheDatabase(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	_, secret := o.key(keys.NewKey{})
	o.db.Close()
	for name, text := range map[string]string{
		"empty":           "",
		"a word":          "secret",
		"mistyped":        strings.Replace(secret, secret[30:31], other(secret[30]), 1),
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
			t.Errorf("with the database away a good key got the verdict %v", err)
		}
	}
}

func other(c byte) string {
	if c == 'x' {
		return "y"
	}
	return "x"
}

func TestOnlyWhoHoldsTheSecretLearnsThatItIsExpiredOrRevoked(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		expired, expiredSecret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		revoked, revokedSecret := o.key(keys.NewKey{})
		both, bothSecret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		for _, k := range []keys.Key{revoked, both} {
			if _, err := o.RevokeKey(t.Context(), o.admin, o.org, k.ID); err != nil {
				t.Fatal(err)
			}
		}
		o.clock.pass(24*time.Hour - time.Microsecond)
		o.accepted(expiredSecret)
		o.clock.pass(time.Microsecond)
		o.refused(expiredSecret, keys.ErrExpired)
		o.refused(revokedSecret, keys.ErrRevoked)
		o.refused(bothSecret, keys.ErrRevoked)
		for _, k := range []keys.Key{expired, revoked} {
			o.refused(keys.WithOtherSecret(k.Prefix), keys.ErrUnknown)
		}
		o.refused(keys.WithOtherSecret("sk-org-000000000000"), keys.ErrUnknown)
	})
}

func TestAKeyInsertedByWhoOnlyHasTheDatabaseIsUnknown(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		_, secret := o.key(keys.NewKey{})
		elsewhere := keys.NewStore(db, keys.NewMasterKey(), o.clock.now)
		if _, err := elsewhere.Verify(t.Context(), secret); !errors.Is(err, keys.ErrUnknown) {
			t.Errorf("accepted under another master key: %v", err)
		}
	})
}

func TestWhatAKeyCannotBeIsNamedAllAtOnce(t *testing.T) {
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
			"scopes must be of " + scopes + `, got "root"; scopes must be of ` + scopes + `, got "admin "`},
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
	if k.ExpiresInDays != 90 || !k.ExpiresAt.Equal(o.clock.passed(90*24*time.Hour).Truncate(time.Microsecond)) {
		t.Errorf("without a wish a key lives %d days, until %v", k.ExpiresInDays, k.ExpiresAt)
	}
}

func TestARevocationCountsAtOnceOnEveryReplica(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		other := o.replica()
		if _, err := other.Verify(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if _, err := o.RevokeKey(t.Context(), o.admin, o.org, k.ID); err != nil {
			t.Fatal(err)
		}
		o.refused(secret, keys.ErrRevoked)
		if _, err := other.Verify(t.Context(), secret); !errors.Is(err, keys.ErrRevoked) {
			t.Errorf("the other replica says %v", err)
		}
	})
}

func TestRevokingTwiceEvenAtOnceGivesTheSameAnswerAndOneRecord(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		answers := make([]keys.Key, 8)
		var revokers errgroup.Group
		for i := range answers {
			revokers.Go(func() (err error) {
				answers[i], err = o.replica().RevokeKey(t.Context(), o.admin, o.org, k.ID)
				return err
			})
		}
		if err := revokers.Wait(); err != nil {
			t.Fatal(err)
		}
		want := k
		want.State = keys.Revoked
		for _, answer := range answers {
			if diff := cmp.Diff(want, answer); diff != "" {
				t.Error(diff)
			}
		}
		if got := o.actions(); got != "organization.created key.created key.revoked" {
			t.Errorf("audit: %s", got)
		}
	})
}

func TestTheLastValidAdminKeyStays(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		ctx := t.Context()
		admin := keys.NewKey{Scopes: []keys.Scope{keys.Chat, keys.Admin}}
		last, _ := o.key(admin)
		spent, _ := o.key(keys.NewKey{Scopes: admin.Scopes, ExpiresInDays: new(1)})
		o.key(keys.NewKey{Scopes: admin.Scopes, Operator: true})
		chat, _ := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Chat}})
		o.clock.pass(25 * time.Hour)

		_, err := o.RevokeKey(ctx, o.admin, o.org, last.ID)
		wantInvalid(t, err, fmt.Sprintf("key_id must not be the organization's last valid admin key, got %q", last.ID))
		for _, k := range []keys.Key{spent, chat} {
			if _, err := o.RevokeKey(ctx, o.admin, o.org, k.ID); err != nil {
				t.Errorf("revoke a key that is no valid admin key: %v", err)
			}
		}
		next, _ := o.key(admin)
		if _, err := o.RevokeKey(ctx, o.admin, o.org, last.ID); err != nil {
			t.Errorf("revoke an admin key beside another: %v", err)
		}
		if _, err := o.RevokeKey(ctx, operator, o.org, next.ID); err != nil {
			t.Errorf("an operator revokes the last admin key: %v", err)
		}
	})
}

func TestOfTwoAdminKeysRevokedAtOnceOneStays(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		var last [2]keys.Key
		for i := range last {
			last[i], _ = o.key(keys.NewKey{Scopes: []keys.Scope{keys.Admin}})
		}
		var refused [2]error
		var revokers sync.WaitGroup
		for i, k := range last {
			revokers.Go(func() { _, refused[i] = o.replica().RevokeKey(t.Context(), o.admin, o.org, k.ID) })
		}
		revokers.Wait()
		if (refused[0] == nil) == (refused[1] == nil) {
			t.Errorf("revoking the last two at once gave %v and %v, want one refused", refused[0], refused[1])
		}
	})
}

func TestARotatedKeyWorksUntilTheOverlapEndsAndItsSuccessorAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		old, oldSecret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.ReadData, keys.Chat}, ExpiresInDays: new(30)})
		o.clock.pass(10 * 24 * time.Hour)
		successor, secret, err := o.RotateKey(t.Context(), o.admin, o.org, old.ID, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		if successor.ID == old.ID || successor.Name != old.Name || successor.ExpiresInDays != 30 || successor.CreatedBy != o.admin.KeyID {
			t.Errorf("the successor is %+v", successor)
		}
		if diff := cmp.Diff(old.Scopes, o.accepted(secret.Reveal()).Scopes); diff != "" {
			t.Error(diff)
		}
		o.clock.pass(time.Hour - time.Microsecond)
		o.accepted(oldSecret)
		o.clock.pass(time.Microsecond)
		o.refused(oldSecret, keys.ErrExpired)
		o.accepted(secret.Reveal())
	})
}

func TestRotationNeverLengthensTheOldKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		old, secret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		if _, _, err := o.RotateKey(t.Context(), o.admin, o.org, old.ID, 7*24*time.Hour); err != nil {
			t.Fatal(err)
		}
		o.clock.pass(24 * time.Hour)
		o.refused(secret, keys.ErrExpired)
		_, _, err := o.RotateKey(t.Context(), o.admin, o.org, old.ID, 0)
		wantInvalid(t, err, "key_id must be an active key's, got one that is expired")
	})
}

func TestAnOverlapOutOfBoundsIsNamed(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	k, _ := o.key(keys.NewKey{})
	for _, overlap := range []time.Duration{-time.Second, 604801 * time.Second} {
		_, _, err := o.RotateKey(t.Context(), o.admin, o.org, k.ID, overlap)
		wantInvalid(t, err, fmt.Sprintf("overlap_seconds must be 0 to 604800, got %d", int(overlap.Seconds())))
	}
}

func TestAnOrganizationsAdminCannotBecomeAnOperator(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{Operator: true})
		if c := o.accepted(secret); !c.Operator || c.OrganizationID != "" {
			t.Errorf("an operator's key gives %+v", c)
		}
		ctx := t.Context()
		_, _, create := o.CreateKey(ctx, o.admin, o.org, keys.NewKey{Name: "x", Operator: true})
		_, _, rotate := o.RotateKey(ctx, o.admin, o.org, k.ID, 0)
		_, revoke := o.RevokeKey(ctx, o.admin, o.org, k.ID)
		for name, err := range map[string]error{"create": create, "rotate": rotate, "revoke": revoke} {
			if !errors.Is(err, keys.ErrDenied) {
				t.Errorf("%s an operator's key: %v, want ErrDenied", name, err)
			}
		}
	})
}

func TestLastUseIsWrittenAtTheEndAndNeverMovesBack(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		late := o.replica()
		if _, err := late.Verify(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		o.clock.pass(time.Minute)
		o.accepted(secret)
		used := o.clock.t
		if k, _ := o.Key(t.Context(), o.org, k.ID); k.LastUsedAt != nil {
			t.Errorf("written in the request's path: %v", k.LastUsedAt)
		}
		ended, end := context.WithCancel(t.Context())
		end()
		for _, s := range []*keys.Store{o.Store, late} {
			if err := s.Run(ended); err != nil {
				t.Fatal(err)
			}
			if k, _ := o.Key(t.Context(), o.org, k.ID); k.LastUsedAt == nil || !k.LastUsedAt.Equal(used) {
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
		go o.Run(t.Context())
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if k, err := o.Key(t.Context(), o.org, k.ID); err != nil || k.LastUsedAt == nil {
			t.Errorf("after 31 s last used is %v (%v)", k.LastUsedAt, err)
		}
	})
}
