package keys

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// CallerForKey returns the caller of a key that was verified earlier, with the key's current scopes, for an organization. The
// error wraps [ErrRevoked], [ErrExpired] or [ErrAltered], [ErrNotFound] if there is no such key, or [ErrDenied] if the key
// belongs to another organization. Results are cached as by [Store.Verify].
func (s *Store) CallerForKey(ctx context.Context, orgID, keyID string) (Caller, error) {
	now := s.now()
	c, err := s.callersByID.get(ctx, objectRef{orgID, keyID}, now, func(ctx context.Context) (Caller, error) {
		return s.lookUpCaller(ctx, orgID, keyID)
	})
	return c.unexpired(now, err)
}

func (s *Store) lookUpCaller(ctx context.Context, orgID, keyID string) (Caller, error) {
	r, err := scanRecord(s.readDB.QueryRowContext(ctx, selectRecord+`WHERE id = $1`, keyID))
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key: %w", notFoundError(err, "key", keyID))
	}
	c, err := s.callerFor(r)
	if err != nil {
		return Caller{}, err
	}
	if !c.Operator && c.OrganizationID != orgID {
		return Caller{}, ErrDenied
	}
	c.OrganizationID = orgID
	return c, nil
}

// CheckKeyStillValid checks that the caller's key has not been revoked in the meantime. Call it in a transaction in
// which [Store.RecordAudit] has written. The error wraps [ErrRevoked], [ErrExpired] or [ErrAltered]. A revocation
// writes to the same audit, so it either waits for this transaction or makes it fail. Only the revocation of an
// operator's key can be in another organization's audit; it is not ordered with this transaction. A caller without a
// key, such as the command line, passes.
func (s *Store) CheckKeyStillValid(ctx context.Context, tx *sql.Tx, by Caller) error {
	r, err := scanRecord(tx.QueryRowContext(ctx, selectRecord+`WHERE id = $1`, by.KeyID))
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up the key again: %w", err)
	}
	_, err = s.callerFor(r)
	return err
}
