package keys

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// CallerForKey returns the caller of a key that was verified earlier, with the key's current scopes, acting for orgID. The
// error wraps [ErrRevoked], [ErrExpired] or [ErrAltered] if the key is now refused, [ErrNotFound] if it does not exist, and
// [ErrDenied] if it belongs to another organization. Results are cached like those of [Store.Verify].
func (s *Store) CallerForKey(ctx context.Context, orgID, keyID string) (Caller, error) {
	c, err := s.callersByID.get(ctx, objectRef{orgID, keyID}, s.now(), func(ctx context.Context) (Caller, error) {
		return s.lookUpCaller(ctx, orgID, keyID)
	})
	return c.unexpired(s.sharedNow(), err)
}

func (s *Store) lookUpCaller(ctx context.Context, orgID, keyID string) (Caller, error) {
	r, err := scanRecord(s.readDB.QueryRowContext(ctx, selectRecord+`WHERE id = $1`, keyID))
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key: %w", AsNotFound(err, "key", keyID))
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

// CheckKeyStillValid checks that the caller's key is still accepted. The error wraps [ErrRevoked], [ErrExpired] or
// [ErrAltered]. A caller without a key, such as the command line, passes.
//
// Call it in a transaction that has already locked the organization's audit, for example with [Store.RecordAudit].
// Revoking a key locks the same audit, so a simultaneous revocation waits for this transaction or makes it fail. This does
// not hold for an operator's key, whose revocation may go to another organization's audit.
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
