package keys

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// CallerOf is whom a key that was verified earlier stands for now, acting on an organization. The error wraps
// [ErrRevoked] or [ErrExpired], [ErrNotFound] if there is no such key, or [ErrDenied] if it is another organization's. What
// was right is remembered as by [Store.Verify].
func (s *Store) CallerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	now := s.now()
	c, err := s.standing.get(ctx, owned{orgID, keyID}, now, func(ctx context.Context) (Caller, error) { return s.callerOf(ctx, orgID, keyID) })
	return c.unexpired(now, err)
}

func (s *Store) callerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	c := Caller{KeyID: keyID}
	var owner, scopes string
	var operator int
	var expires int64
	var revoked sql.Null[int64]
	err := s.reading.QueryRowContext(ctx, `SELECT organization_id, scopes, operator, expires_at, revoked_at FROM keys WHERE id = $1`, keyID).
		Scan(&owner, &scopes, &operator, &expires, &revoked)
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key: %w", missing(err, "key", keyID))
	}
	if err := stateOf(revoked.Valid, moment(expires), s.now()).refusal(); err != nil {
		return Caller{}, err
	}
	c.OrganizationID, c.Operator, c.Scopes, c.ExpiresAt = orgID, operator != 0, splitScopes(scopes), moment(expires)
	if !c.Operator && owner != orgID {
		return Caller{}, ErrDenied
	}
	return c, nil
}

// CheckStill makes sure, within a transaction that [RecordAudit] has written to, that a caller's key has not been revoked
// meanwhile: the error wraps [ErrRevoked] or [ErrExpired]. A revocation writes to the same audit, so either the
// transaction comes before it or it fails; only that of an operator's key may be at another organization's, and cross it.
// Who has no key, such as the command line, passes.
func CheckStill(ctx context.Context, tx *sql.Tx, by Caller, now time.Time) error {
	var expires int64
	var revoked sql.Null[int64]
	err := tx.QueryRowContext(ctx, `SELECT expires_at, revoked_at FROM keys WHERE id = $1`, by.KeyID).Scan(&expires, &revoked)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up the key again: %w", err)
	}
	return stateOf(revoked.Valid, moment(expires), now).refusal()
}
