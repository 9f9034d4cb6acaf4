package keys

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// RevokeKey refuses the key from the moment it returns, on every replica. Revoking again gives the same answer. Only an
// operator may revoke an operator's key. The last valid admin key, after which nobody in the organization could make
// another, is revoked by an operator, or by force.
func (s *Store) RevokeKey(ctx context.Context, by Caller, orgID, keyID string, force bool) (Key, error) {
	var k Key
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		r, err := changeable(ctx, tx, by, orgID, keyID)
		if err != nil {
			return event{}, err
		}
		if k = s.shown(r); k.State == Revoked {
			return event{}, nil
		}
		if !by.Operator && !force {
			if err := s.checkAdminRemains(ctx, tx, orgID, k); err != nil {
				return event{}, err
			}
		}
		k.State = Revoked
		r.RevokedAt = new(s.now().UnixMicro())
		return event{"key.revoked", keyID, map[string]any{"name": k.Name}}, s.end(ctx, tx, r)
	})
	if err != nil {
		return Key{}, fmt.Errorf("revoke the key: %w", err)
	}
	return k, nil
}

// RevokeOwnKey is [Store.RevokeKey] for the key that asks: whoever finds a key can make it useless.
func (s *Store) RevokeOwnKey(ctx context.Context, by Caller, force bool) (Key, error) {
	var home string
	err := s.db.QueryRowContext(ctx, `SELECT organization_id FROM keys WHERE id = $1`, by.KeyID).Scan(&home)
	if err != nil {
		return Key{}, fmt.Errorf("revoke the key: %w", missing(err, "key", by.KeyID))
	}
	return s.RevokeKey(ctx, by, home, by.KeyID, force)
}

// changeable finds a key that the caller may revoke or rotate. An operator's key is not an organization's to touch:
// its admins could otherwise give themselves a successor that belongs to all.
func changeable(ctx context.Context, tx *sql.Tx, by Caller, orgID, keyID string) (record, error) {
	r, err := ownRecord(ctx, tx, orgID, keyID)
	if err == nil && r.Operator != 0 && !by.Operator {
		return record{}, ErrDenied
	}
	return r, err
}

func (s *Store) checkAdminRemains(ctx context.Context, tx *sql.Tx, orgID string, leaving Key) error {
	if leaving.State != Active || !slices.Contains(leaving.Scopes, Admin) {
		return nil
	}
	var others int
	err := tx.QueryRowContext(ctx, `
		SELECT count(*) FROM keys
		WHERE organization_id = $1 AND id <> $2 AND operator = 0 AND revoked_at IS NULL AND expires_at > $3
			AND ' ' || scopes || ' ' LIKE '% admin %'`,
		orgID, leaving.ID, s.now().UnixMicro()).Scan(&others)
	if err == nil && others == 0 {
		return invalid(
			"key_id", fmt.Sprintf("must not be the organization's last valid admin key, got %q; with force it is revoked all the same", leaving.ID),
		)
	}
	return err
}

// maxOverlap is how long a key may live beside its successor.
const maxOverlap = 7 * 24 * time.Hour

// RotateKey makes a successor with the same name, scopes and lifetime. The old key goes on for the overlap, 0 to 7 days,
// unless it expires before that.
func (s *Store) RotateKey(ctx context.Context, by Caller, orgID, keyID string, overlap time.Duration) (Key, Secret, error) {
	if overlap < 0 || overlap > maxOverlap {
		return Key{}, Secret{}, invalid("overlap_seconds",
			fmt.Sprintf("must be 0 to %d, got %d", int(maxOverlap.Seconds()), int64(overlap.Seconds())))
	}
	var successor Key
	var secret Secret
	err := s.change(ctx, by, orgID, func(tx *sql.Tx) (event, error) {
		r, err := changeable(ctx, tx, by, orgID, keyID)
		if err != nil {
			return event{}, err
		}
		old := s.shown(r)
		if old.State != Active {
			return event{}, invalid("key_id", fmt.Sprintf("must be an active key's, got one that is %s", old.State))
		}
		r.ExpiresAt = min(r.ExpiresAt, s.now().Add(overlap).UnixMicro())
		if err := s.end(ctx, tx, r); err != nil {
			return event{}, err
		}
		successor, secret, err = s.insertKey(ctx, tx, by, orgID,
			NewKey{old.Name, old.Scopes, &old.ExpiresInDays, old.Operator})
		if err != nil {
			return event{}, err
		}
		err = s.passLimits(ctx, tx, by, orgID, old.ID, successor.ID)
		return event{"key.rotated", keyID, map[string]any{"successor": successor.ID, "expires_at": database.Moment(r.ExpiresAt)}}, err
	})
	if err != nil {
		return Key{}, Secret{}, fmt.Errorf("rotate the key: %w", err)
	}
	return successor, secret, nil
}
