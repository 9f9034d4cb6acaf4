package keys

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// CallerOf is whom a key that was verified earlier stands for now, acting on an organization. The error wraps
// [ErrRevoked], [ErrExpired] or [ErrAltered], [ErrNotFound] if there is no such key, or [ErrDenied] if it is another organization's. What
// was right is remembered as by [Store.Verify].
func (s *Store) CallerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	now := s.now()
	c, err := s.standing.get(ctx, owned{orgID, keyID}, now, func(ctx context.Context) (Caller, error) { return s.callerOf(ctx, orgID, keyID) })
	return c.unexpired(now, err)
}

func (s *Store) callerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	r, err := scanRecord(s.reading.QueryRowContext(ctx, selectRecord+`WHERE id = $1`, keyID))
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key: %w", missing(err, "key", keyID))
	}
	c, err := s.callerBehind(r)
	if err != nil {
		return Caller{}, err
	}
	if !c.Operator && c.OrganizationID != orgID {
		return Caller{}, ErrDenied
	}
	c.OrganizationID = orgID
	return c, nil
}

// CheckStill makes sure, within a transaction that [Store.RecordAudit] has written to, that a caller's key has not been revoked
// meanwhile: the error wraps [ErrRevoked], [ErrExpired] or [ErrAltered]. A revocation writes to the same audit, so either the
// transaction comes before it or it fails; only that of an operator's key may be at another organization's, and cross it.
// A caller without a key, such as the command line, passes.
func (s *Store) CheckStill(ctx context.Context, tx *sql.Tx, by Caller) error {
	r, err := scanRecord(tx.QueryRowContext(ctx, selectRecord+`WHERE id = $1`, by.KeyID))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up the key again: %w", err)
	}
	_, err = s.callerBehind(r)
	return err
}
