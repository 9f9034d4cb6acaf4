package keys

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/schemas/database"
)

// RevokeKey revokes a key. This replica refuses it at once, the others within a second. Revoking a revoked key returns the
// same result.
//
// Only an operator may revoke an operator's key. The last valid admin key of an organization can only be revoked by an
// operator or with force, because nobody in the organization could create another.
func (s *Store) RevokeKey(ctx context.Context, by Caller, orgID, keyID string, force bool) (Key, error) {
	var k Key
	err := s.changeAndAudit(ctx, by, orgID, "revoke the key", func(tx *sql.Tx) (auditEvent, error) {
		r, err := changeableRecord(ctx, tx, by, orgID, keyID)
		if err != nil {
			return auditEvent{}, err
		}
		if k = s.keyFromRecord(r); k.State == Revoked {
			return auditEvent{}, nil
		}
		if !by.Operator && !force {
			if err := s.checkAdminRemains(ctx, tx, orgID, k); err != nil {
				return auditEvent{}, err
			}
		}
		k.State = Revoked
		r.RevokedAt = new(s.now().UnixMicro())
		return auditEvent{"key.revoked", keyID, map[string]any{"name": k.Name}}, s.writeKeyEnd(ctx, tx, r)
	})
	return k, err
}

// RevokeOwnKey is [Store.RevokeKey] for the caller's own key. It needs no scope, so that anyone who finds a leaked key can
// disable it.
func (s *Store) RevokeOwnKey(ctx context.Context, by Caller, force bool) (Key, error) {
	var home string
	err := s.db.QueryRowContext(ctx, `SELECT organization_id FROM keys WHERE id = $1`, by.KeyID).Scan(&home)
	if err != nil {
		return Key{}, fmt.Errorf("revoke the key: %w", AsNotFound(err, "key", by.KeyID))
	}
	return s.RevokeKey(ctx, by, home, by.KeyID, force)
}

// changeableRecord returns a key that the caller may revoke or rotate. An organization's admin may not change an operator's
// key: by rotating it, the admin would gain access to all organizations.
func changeableRecord(ctx context.Context, tx *sql.Tx, by Caller, orgID, keyID string) (record, error) {
	r, err := organizationRecord(ctx, tx, orgID, keyID)
	if err == nil && r.Operator != 0 && !by.Operator {
		return record{}, ErrDenied
	}
	return r, err
}

func (s *Store) checkAdminRemains(ctx context.Context, tx *sql.Tx, orgID string, k Key) error {
	if k.State != Active || !slices.Contains(k.Scopes, Admin) {
		return nil
	}
	var others int
	err := tx.QueryRowContext(ctx, `
		SELECT count(*) FROM keys
		WHERE organization_id = $1 AND id <> $2 AND operator = 0 AND revoked_at IS NULL AND expires_at > $3
			AND ' ' || scopes || ' ' LIKE '% admin %'`,
		orgID, k.ID, s.sharedNow().UnixMicro()).Scan(&others)
	if err == nil && others == 0 {
		return check.Invalid(lastAdmin.At("key_id", check.Name(k.ID)))
	}
	return err
}

// maxOverlap is the longest time that a rotated key may stay valid.
const maxOverlap = 7 * 24 * time.Hour

// RotateKey creates a successor with the same name, scopes and lifetime. The old key stays valid for the overlap (0 to 7
// days), or until it expires, if that is earlier.
func (s *Store) RotateKey(ctx context.Context, by Caller, orgID, keyID string, overlap time.Duration) (Key, Secret, error) {
	if overlap < 0 || overlap > maxOverlap {
		return Key{}, Secret{}, check.Invalid(check.Within.At("overlap_seconds", 0, int(maxOverlap.Seconds())).WithValue(int64(overlap.Seconds())))
	}
	var successor Key
	var secret Secret
	err := s.changeAndAudit(ctx, by, orgID, "rotate the key", func(tx *sql.Tx) (auditEvent, error) {
		r, err := changeableRecord(ctx, tx, by, orgID, keyID)
		if err != nil {
			return auditEvent{}, err
		}
		old := s.keyFromRecord(r)
		if old.State != Active {
			return auditEvent{}, check.Invalid(inactive.At("key_id", states[old.State]))
		}
		r.ExpiresAt = min(r.ExpiresAt, s.sharedNow().Add(overlap).UnixMicro())
		if err := s.writeKeyEnd(ctx, tx, r); err != nil {
			return auditEvent{}, err
		}
		successor, secret, err = s.insertKey(ctx, tx, by, orgID,
			NewKey{old.Name, old.Scopes, &old.ExpiresInDays, old.Operator})
		if err != nil {
			return auditEvent{}, err
		}
		err = s.copyLimits(ctx, tx, by, orgID, old.ID, successor.ID)
		return auditEvent{"key.rotated", keyID, map[string]any{"successor": successor.ID, "expires_at": database.Moment(r.ExpiresAt)}}, err
	})
	if err != nil {
		return Key{}, Secret{}, err
	}
	return successor, secret, nil
}
