package keys_test

import (
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
)

func TestRevocationIsImmediateHereAndWithinASecondElsewhere(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		other := o.replica()
		o.accepted(secret)
		_, err := other.Verify(t.Context(), secret)
		must(t, err)
		o.clock.Advance(900 * time.Millisecond) // the second begins with the look-up, not with the last use
		o.accepted(secret)
		_, err = other.Verify(t.Context(), secret)
		must(t, err)
		_, err = o.RevokeKey(t.Context(), o.admin, o.org, k.ID, false)
		must(t, err)
		o.refused(secret, keys.ErrRevoked)
		o.clock.Advance(100 * time.Millisecond)
		if _, err := other.Verify(t.Context(), secret); !errors.Is(err, keys.ErrRevoked) {
			t.Errorf("on the other replica: %v", err)
		}
	})
}

// Changes made by hand in the tables are not counted, so only the key cache's lifetime of five seconds limits how late they
// take effect. Connections are cached for longer.
func TestUncountedChangeTakesEffectAfterFiveSeconds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{})
		o.accepted(secret)
		_, err := o.CallerForKey(t.Context(), o.org, k.ID)
		must(t, err)
		databasetest.Exec(t, db, `UPDATE keys SET revoked_at = $1 WHERE id = $2`, o.clock.Now().UnixMicro(), k.ID)
		o.clock.Advance(5 * time.Second)
		o.refused(secret, keys.ErrAltered)
		if _, err := o.CallerForKey(t.Context(), o.org, k.ID); !errors.Is(err, keys.ErrAltered) {
			t.Errorf("CallerForKey: %v", err)
		}
	})
}

// A request that was authorized before its key was revoked changes nothing afterwards.
func TestCallerWithARevokedKeyChangesNothing(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Admin}})
		by := o.accepted(secret)
		_, err := o.replica().RevokeKey(t.Context(), operator, o.org, k.ID, false)
		must(t, err)
		if _, _, err := o.CreateKey(t.Context(), by, o.org, keys.NewKey{Name: "backdoor", Scopes: by.Scopes}); !errors.Is(err, keys.ErrRevoked) {
			t.Errorf("create a key: %v", err)
		}
		if got := o.actions(); got != "organization.created key.created key.revoked" {
			t.Errorf("audit: %s", got)
		}
	})
}

func TestRevokeIsIdempotent(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, _ := o.key(keys.NewKey{})
		answers := make([]keys.Key, 8)
		var revokers errgroup.Group
		for i := range answers {
			revokers.Go(func() (err error) {
				answers[i], err = o.replica().RevokeKey(t.Context(), o.admin, o.org, k.ID, false)
				return err
			})
		}
		must(t, revokers.Wait())
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

func TestLastAdminKeyCannotBeRevoked(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		ctx := t.Context()
		admin := keys.NewKey{Scopes: []keys.Scope{keys.Chat, keys.Admin}}
		last, _ := o.key(admin)
		spent, _ := o.key(keys.NewKey{Scopes: admin.Scopes, ExpiresInDays: new(1)})
		o.key(keys.NewKey{Scopes: admin.Scopes, Operator: true})
		chat, _ := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Chat}})
		o.clock.Advance(25 * time.Hour)

		_, err := o.RevokeKey(ctx, o.admin, o.org, last.ID, false)
		wantInvalid(t, err, fmt.Sprintf("key_id must not be the organization's last valid admin key, got %q; with force it is revoked all the same", last.ID))
		for _, k := range []keys.Key{spent, chat} {
			if _, err := o.RevokeKey(ctx, o.admin, o.org, k.ID, false); err != nil {
				t.Errorf("revoke a key that is not a valid admin key: %v", err)
			}
		}
		next, _ := o.key(admin)
		if _, err := o.RevokeKey(ctx, o.admin, o.org, last.ID, false); err != nil {
			t.Errorf("revoke one of two admin keys: %v", err)
		}
		if _, err := o.RevokeKey(ctx, operator, o.org, next.ID, false); err != nil {
			t.Errorf("an operator revokes the last admin key: %v", err)
		}
	})
}

func TestLastAdminKeyCanBeRevokedByForceOrItself(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		admin, adminSecret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Admin}})
		_, chatSecret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.Chat}})
		if _, err := o.RevokeOwnKey(t.Context(), o.accepted(chatSecret), false); err != nil {
			t.Errorf("a key with only the scope chat: %v", err)
		}
		o.refused(chatSecret, keys.ErrRevoked)
		if _, err := o.RevokeOwnKey(t.Context(), o.accepted(adminSecret), false); err == nil {
			t.Error("the last admin key was revoked without force")
		}
		if _, err := o.RevokeKey(t.Context(), o.accepted(adminSecret), o.org, admin.ID, true); err != nil {
			t.Errorf("by force: %v", err)
		}
		o.refused(adminSecret, keys.ErrRevoked)
	})
}

func TestConcurrentRevocationsLeaveAnAdminKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		var last [2]keys.Key
		for i := range last {
			last[i], _ = o.key(keys.NewKey{Scopes: []keys.Scope{keys.Admin}})
		}
		var refused [2]error
		var revokers sync.WaitGroup
		for i, k := range last {
			revokers.Go(func() { _, refused[i] = o.replica().RevokeKey(t.Context(), o.admin, o.org, k.ID, false) })
		}
		revokers.Wait()
		if (refused[0] == nil) == (refused[1] == nil) {
			t.Errorf("revoking the last two admin keys at once: %v and %v, want one refused", refused[0], refused[1])
		}
	})
}

func TestRotatedKeyWorksUntilOverlapEnds(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		old, oldSecret := o.key(keys.NewKey{Scopes: []keys.Scope{keys.ReadData, keys.Chat}, ExpiresInDays: new(30)})
		o.clock.Advance(10 * 24 * time.Hour)
		successor, secret, err := o.RotateKey(t.Context(), o.admin, o.org, old.ID, time.Hour)
		must(t, err)
		if successor.ID == old.ID || successor.Name != old.Name || successor.ExpiresInDays != 30 || successor.CreatedBy != o.admin.KeyID {
			t.Errorf("the successor is %+v", successor)
		}
		if diff := cmp.Diff(old.Scopes, o.accepted(secret.Reveal()).Scopes); diff != "" {
			t.Error(diff)
		}
		o.clock.Advance(time.Hour - time.Microsecond)
		o.accepted(oldSecret)
		o.clock.Advance(time.Microsecond)
		o.refused(oldSecret, keys.ErrExpired)
		o.accepted(secret.Reveal())
	})
}

func TestRotationNeverExtendsTheOldKey(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		old, secret := o.key(keys.NewKey{ExpiresInDays: new(1)})
		_, _, err := o.RotateKey(t.Context(), o.admin, o.org, old.ID, 7*24*time.Hour)
		must(t, err)
		o.clock.Advance(24 * time.Hour)
		o.refused(secret, keys.ErrExpired)
		_, _, err = o.RotateKey(t.Context(), o.admin, o.org, old.ID, 0)
		wantInvalid(t, err, "key_id must be an active key's, got one that is expired")
	})
}

func TestInvalidOverlapIsRefused(t *testing.T) {
	o := newOffice(t, databasetest.SQLite(t))
	k, _ := o.key(keys.NewKey{})
	for _, overlap := range []time.Duration{-time.Second, 604801 * time.Second} {
		_, _, err := o.RotateKey(t.Context(), o.admin, o.org, k.ID, overlap)
		wantInvalid(t, err, fmt.Sprintf("overlap_seconds must be 0 to 604800, got %d", int(overlap.Seconds())))
	}
}

func TestAdminCannotBecomeOperator(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *sql.DB) {
		o := newOffice(t, db)
		k, secret := o.key(keys.NewKey{Operator: true})
		if c := o.accepted(secret); !c.Operator || c.OrganizationID != "" {
			t.Errorf("an operator's key gives %+v", c)
		}
		ctx := t.Context()
		_, _, create := o.CreateKey(ctx, o.admin, o.org, keys.NewKey{Name: "x", Operator: true})
		_, _, rotate := o.RotateKey(ctx, o.admin, o.org, k.ID, 0)
		_, revoke := o.RevokeKey(ctx, o.admin, o.org, k.ID, false)
		for name, err := range map[string]error{"create": create, "rotate": rotate, "revoke": revoke} {
			if !errors.Is(err, keys.ErrDenied) {
				t.Errorf("%s an operator's key: %v, want ErrDenied", name, err)
			}
		}
	})
}
