package keys

import (
	"context"
	"database/sql"
	"fmt"
)

// CallerOf is whom a key that was verified earlier stands for now, acting on an organization. The error wraps
// [ErrRevoked] or [ErrExpired], [ErrNotFound] if there is no such key, or [ErrDenied] if it is another organization's.
func (s *Store) CallerOf(ctx context.Context, orgID, keyID string) (Caller, error) {
	c := Caller{KeyID: keyID}
	var owner, scopes string
	var operator int
	var expires int64
	var revoked sql.Null[int64]
	err := s.db.QueryRowContext(ctx, `SELECT organization_id, scopes, operator, expires_at, revoked_at FROM keys WHERE id = $1`, keyID).
		Scan(&owner, &scopes, &operator, &expires, &revoked)
	if err != nil {
		return Caller{}, fmt.Errorf("look up the key: %w", missing(err, "key", keyID))
	}
	switch stateOf(revoked.Valid, moment(expires), s.now()) {
	case Revoked:
		return Caller{}, ErrRevoked
	case Expired:
		return Caller{}, ErrExpired
	}
	c.OrganizationID, c.Operator, c.Scopes = orgID, operator != 0, splitScopes(scopes)
	if !c.Operator && owner != orgID {
		return Caller{}, ErrDenied
	}
	return c, nil
}
