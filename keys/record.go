package keys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/encoded"
)

// record is an API key as stored. Its MAC covers every exported field.
type record struct {
	ID             string `json:"id"`
	OrganizationID string `json:"organization_id"`
	PublicID       string `json:"public_id"`
	SecretHash     []byte `json:"digest"` // HMAC-SHA-256; the column's name is digest
	Name           string `json:"name"`
	Scopes         string `json:"scopes"`
	Operator       int    `json:"operator"`
	CreatedAt      int64  `json:"created_at"`
	CreatedBy      string `json:"created_by"`
	ExpiresAt      int64  `json:"expires_at"`
	ExpiresInDays  int    `json:"expires_in_days"`
	RevokedAt      *int64 `json:"revoked_at"`

	lastUsed sql.Null[int64]
	mac      []byte
}

const selectRecord = `SELECT id, organization_id, public_id, digest, name, scopes, operator, created_at, created_by, expires_at,
	expires_in_days, revoked_at, last_used_at, mac FROM keys `

func scanRecord(row database.Row) (r record, err error) {
	err = row.Scan(&r.ID, &r.OrganizationID, &r.PublicID, &r.SecretHash, &r.Name, &r.Scopes, &r.Operator, &r.CreatedAt, &r.CreatedBy,
		&r.ExpiresAt, &r.ExpiresInDays, &r.RevokedAt, &r.lastUsed, &r.mac)
	return r, err
}

// mac returns the MAC of a record. It covers the kind, so that a record of one kind cannot be passed off as another.
func (s *Store) mac(kind string, fields any) []byte {
	m := hmac.New(sha256.New, s.recordKey)
	m.Write([]byte(kind))
	m.Write([]byte{0})
	m.Write(encoded.JSON(fields))
	return m.Sum(nil)
}

func (s *Store) macOf(r record) []byte { return s.mac("key", r) }

// stateOf returns the state of a key. It checks the MAC first, because the other fields of an altered record cannot be
// trusted.
func (s *Store) stateOf(r record) KeyState {
	switch {
	case !hmac.Equal(r.mac, s.macOf(r)):
		return Altered
	case r.RevokedAt != nil:
		return Revoked
	case !s.sharedNow().Before(database.Moment(r.ExpiresAt)):
		return Expired
	default:
		return Active
	}
}

// callerFor returns the caller of the key, or the reason why the key is refused.
func (s *Store) callerFor(r record) (Caller, error) {
	if err := s.stateOf(r).asError(r.ID); err != nil {
		return Caller{}, err
	}
	return Caller{
		KeyID: r.ID, OrganizationID: r.OrganizationID, Operator: r.Operator != 0,
		Scopes: splitScopes(r.Scopes), ExpiresAt: database.Moment(r.ExpiresAt),
	}, nil
}

// writeKeyEnd stores the key's expiry and revocation.
func (s *Store) writeKeyEnd(ctx context.Context, tx *sql.Tx, r record) error {
	_, err := tx.ExecContext(ctx, `UPDATE keys SET expires_at = $1, revoked_at = $2, mac = $3 WHERE organization_id = $4 AND id = $5`,
		r.ExpiresAt, r.RevokedAt, s.macOf(r), r.OrganizationID, r.ID)
	return err
}

// keyFromRecord returns the public part of the record.
func (s *Store) keyFromRecord(r record) Key {
	return Key{
		ID: r.ID, Name: r.Name, Prefix: prefix + r.PublicID, Scopes: splitScopes(r.Scopes), State: s.stateOf(r),
		CreatedAt: database.Moment(r.CreatedAt), ExpiresAt: database.Moment(r.ExpiresAt), ExpiresInDays: r.ExpiresInDays,
		LastUsedAt: database.OptionalMoment(r.lastUsed), CreatedBy: r.CreatedBy, Operator: r.Operator != 0,
	}
}
