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

// AuditHead is the end of an organization's audit at some moment. Keep Signed outside the database. Comparing it with the
// audit later reveals that the last records were removed or that an old backup was restored. The database alone cannot
// reveal this.
type AuditHead struct {
	OrganizationID string    `json:"organization_id"`
	Length         int64     `json:"length"`
	At             time.Time `json:"at"`
	Signed         string    `json:"signed"` // the fields above, the last record's hash and a MAC
}

const headVersion = "v1"

// AuditHeads returns the head of every intact audit, and the ids of the organizations whose audit has no valid end.
func (s *Store) AuditHeads(ctx context.Context) (heads []AuditHead, broken []string, err error) {
	type kept struct {
		id  string
		end auditEnd
	}
	all, err := database.Rows(ctx, s.db, func(row database.Row) (k kept, err error) {
		return k, row.Scan(&k.id, &k.end.length, &k.end.hash, &k.end.mac)
	}, `SELECT id, audit_length, audit_hash, audit_mac FROM organizations ORDER BY id`)
	if err != nil {
		return nil, nil, fmt.Errorf("list the audits: %w", err)
	}
	now := database.Moment(s.now().UnixMicro())
	for _, k := range all {
		if s.auditEndIntact(k.id, k.end) {
			heads = append(heads, AuditHead{k.id, k.end.length, now, s.signAuditHead(k.id, k.end, now.UnixMicro())})
		} else {
			broken = append(broken, k.id)
		}
	}
	return heads, broken, nil
}

func (s *Store) signAuditHead(orgID string, end auditEnd, at int64) string {
	fields := []string{
		headVersion,
		orgID,
		strconv.FormatInt(end.length, 10),
		strconv.FormatInt(at, 10),
		base64.RawURLEncoding.EncodeToString(end.hash),
	}
	return strings.Join(append(fields, base64.RawURLEncoding.EncodeToString(s.mac("head", fields))), ".")
}

// CheckAuditHead compares the audit with a head that was signed earlier. It returns a [*BrokenAuditError] if the record at
// the head's position is missing or differs. Earlier records are checked by [Store.VerifyAudit].
func (s *Store) CheckAuditHead(ctx context.Context, signed string) error {
	fields := strings.Split(signed, ".")
	if len(fields) != 6 || fields[0] != headVersion {
		return errors.New("not a signed head of an audit: it must read v1.ORGANIZATION.LENGTH.TIME.HASH.MAC")
	}
	mac, _ := base64.RawURLEncoding.DecodeString(fields[5])
	if !hmac.Equal(mac, s.mac("head", fields[:5])) {
		return errors.New("the signed head was made with another master key, or is incomplete")
	}
	orgID := fields[1]
	length, _ := strconv.ParseInt(fields[2], 10, 64) // the MAC is valid, so the fields parse
	hash, _ := base64.RawURLEncoding.DecodeString(fields[4])
	var current []byte
	err := s.db.QueryRowContext(ctx, `SELECT hash FROM audit WHERE organization_id = $1 AND position = $2`, orgID, length).Scan(&current)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return &BrokenAuditError{orgID, length, "is missing: the audit was cut off, or an old backup of the database was restored"}
	case err != nil:
		return fmt.Errorf("read the audit: %w", err)
	case !hmac.Equal(current, hash):
		return &BrokenAuditError{orgID, length, "is not the one in the signed head"}
	}
	return nil
}

// ClaimAuditHead marks the head as sent to the organization's webhooks. It returns false if this head or a later one was
// already marked.
func (s *Store) ClaimAuditHead(ctx context.Context, tx *sql.Tx, h AuditHead) (bool, error) {
	marked, err := database.Changed(tx.ExecContext(
		ctx, `UPDATE organizations SET audit_told = $1 WHERE id = $2 AND coalesce(audit_told, 0) < $1`, h.Length, h.OrganizationID,
	))
	if err != nil {
		return false, fmt.Errorf("mark the audit head as sent: %w", err)
	}
	return marked, nil
}
