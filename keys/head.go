package keys

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Head is where an organization's audit ended at some moment. Kept outside of the database, its signed form shows later
// that records have been cut off or that the database was put back as it was earlier: both leave an audit that is whole.
type Head struct {
	OrganizationID string    `json:"organization_id"`
	Length         int64     `json:"length"`
	At             time.Time `json:"at"`
	Signed         string    `json:"signed"` // all of it, the last record's hash and a MAC
}

const headVersion = "v1"

// Heads gives the head of every audit, and the ids of the organizations whose audit does not end as this program left it.
func (s *Store) Heads(ctx context.Context) (heads []Head, broken []string, err error) {
	type kept struct {
		id  string
		end chainEnd
	}
	all, err := database.Rows(ctx, s.db, func(row database.Row) (k kept, err error) {
		return k, row.Scan(&k.id, &k.end.length, &k.end.hash, &k.end.mac)
	}, `SELECT id, audit_length, audit_hash, audit_mac FROM organizations ORDER BY id`)
	if err != nil {
		return nil, nil, fmt.Errorf("list the audits: %w", err)
	}
	now := database.Moment(s.now().UnixMicro())
	for _, k := range all {
		if s.isEnd(k.id, k.end) {
			heads = append(heads, Head{k.id, k.end.length, now, s.signed(k.id, k.end, now.UnixMicro())})
		} else {
			broken = append(broken, k.id)
		}
	}
	return heads, broken, nil
}

func (s *Store) signed(orgID string, end chainEnd, at int64) string {
	fields := []string{
		headVersion,
		orgID,
		strconv.FormatInt(end.length, 10),
		strconv.FormatInt(at, 10),
		base64.RawURLEncoding.EncodeToString(end.hash),
	}
	return strings.Join(append(fields, base64.RawURLEncoding.EncodeToString(s.mac("head", fields))), ".")
}

// CheckHead compares the audit with a signed head of earlier. A [*BrokenAuditError] says that the head's record is no longer
// there or is another one; the records before it are for [Store.VerifyAudit] to check.
func (s *Store) CheckHead(ctx context.Context, signed string) error {
	fields := strings.Split(signed, ".")
	if len(fields) != 6 || fields[0] != headVersion {
		return errors.New("not a signed head of an audit: it must read v1.ORGANIZATION.LENGTH.TIME.HASH.MAC")
	}
	mac, _ := base64.RawURLEncoding.DecodeString(fields[5])
	if !hmac.Equal(mac, s.mac("head", fields[:5])) {
		return errors.New("the signed head is not of this master key, or was not copied whole")
	}
	orgID := fields[1]
	length, _ := strconv.ParseInt(fields[2], 10, 64) // the MAC says that they are ours
	hash, _ := base64.RawURLEncoding.DecodeString(fields[4])
	var now []byte
	err := s.db.QueryRowContext(ctx, `SELECT hash FROM audit WHERE organization_id = $1 AND position = $2`, orgID, length).Scan(&now)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return &BrokenAuditError{orgID, length, "is missing: the audit was cut, or the database was put back as it was earlier"}
	case err != nil:
		return fmt.Errorf("read the audit: %w", err)
	case !hmac.Equal(now, hash):
		return &BrokenAuditError{orgID, length, "is not the one that the signed head is of"}
	}
	return nil
}

// ClaimHead reports whether the head is news for the organization's webhooks, and notes that it was sent.
func (s *Store) ClaimHead(ctx context.Context, tx *sql.Tx, h Head) (bool, error) {
	noted, err := tx.ExecContext(
		ctx, `UPDATE organizations SET audit_told = $1 WHERE id = $2 AND coalesce(audit_told, 0) < $1`, h.Length, h.OrganizationID,
	)
	if err != nil {
		return false, fmt.Errorf("note that the audit's head was sent: %w", err)
	}
	n, err := noted.RowsAffected()
	return n == 1, err
}
