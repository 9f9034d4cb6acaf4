package keys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
)

// AuditRecord is who did what to which object, and when.
type AuditRecord struct {
	ID      string          `json:"id"` // the record's position in the organization's audit: 1, 2, 3 …
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`   // the id of a key, or "command line"
	Action  string          `json:"action"`  // such as key.revoked
	Object  string          `json:"object"`  // the id of what it was done to
	Details json.RawMessage `json:"details"` // what changed, without secrets
	Hash    string          `json:"hash"`    // over this record and the hash before it
}

// BrokenAuditError is an audit that is not as it was written.
type BrokenAuditError struct {
	OrganizationID string
	Position       int64 // of the first record that is wrong
	Problem        string
}

func (e *BrokenAuditError) Error() string {
	return fmt.Sprintf("audit of organization %s: record %d %s", e.OrganizationID, e.Position, e.Problem)
}

// auditRow is a record as it is kept and hashed.
type auditRow struct {
	OrganizationID string `json:"organization_id"`
	Position       int64  `json:"position"`
	At             int64  `json:"at"` // microseconds since 1970
	Actor          string `json:"actor"`
	Action         string `json:"action"`
	Object         string `json:"object"`
	Details        string `json:"details"`
	hash           []byte
}

// hashAfter is SHA-256 over the hash before and the row as JSON in the order of the fields above.
func (r auditRow) hashAfter(previous []byte) []byte {
	canonical, err := json.Marshal(r)
	if err != nil {
		panic("keys: " + err.Error()) // texts and numbers always encode
	}
	sum := sha256.Sum256(append(previous[:len(previous):len(previous)], canonical...))
	return sum[:]
}

// chainEnd is where an organization's audit ends.
type chainEnd struct {
	length int64
	hash   []byte
	mac    []byte // as kept
}

// macOfEnd is the MAC that belongs to an end. Engines read the empty hash of a new audit back as nil, which JSON tells from it.
func (s *Store) macOfEnd(orgID string, end chainEnd) []byte {
	return s.mac("audit", struct {
		OrganizationID string `json:"organization_id"`
		Length         int64  `json:"length"`
		Hash           []byte `json:"hash"`
	}{orgID, end.length, append([]byte{}, end.hash...)})
}

// isEnd reports whether an audit ends as this program left it.
func (s *Store) isEnd(orgID string, end chainEnd) bool {
	return hmac.Equal(end.mac, s.macOfEnd(orgID, end))
}

// lockChain reads the end of an organization's audit and holds it until the transaction ends: on PostgreSQL the update
// locks the row, on SQLite the transaction alone may write.
func lockChain(ctx context.Context, tx *sql.Tx, orgID string) (chainEnd, error) {
	var end chainEnd
	err := tx.QueryRowContext(ctx, `
		UPDATE organizations SET audit_length = audit_length WHERE id = $1 RETURNING audit_length, audit_hash, audit_mac`, orgID).
		Scan(&end.length, &end.hash, &end.mac)
	return end, missing(err, "organization", orgID)
}

// RecordAudit appends a record in the transaction of the change that it tells of: both are there or neither. Details
// become JSON; secrets in them are redacted. Until the transaction ends no other can append to the organization's audit.
//
// An audit whose end was changed outside of this program is appended to and stays broken: keys can still be revoked.
func (s *Store) RecordAudit(
	ctx context.Context, tx *sql.Tx, by Caller, orgID string, at time.Time, action, object string, details any,
) error {
	end, err := lockChain(ctx, tx, orgID)
	if err != nil {
		return err
	}
	whole := s.isEnd(orgID, end)
	text, err := json.Marshal(details)
	if err != nil {
		return fmt.Errorf("encode the audit's details: %w", err)
	}
	row := auditRow{orgID, end.length + 1, at.UnixMicro(), by.KeyID, action, redact.Text(object), redact.Text(string(text)), nil}
	row.hash = row.hashAfter(end.hash)
	if _, err := tx.ExecContext(ctx, `
		INSERT INTO audit (organization_id, position, created_at, actor, action, object, details, hash)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
		orgID, row.Position, row.At, row.Actor, row.Action, row.Object, row.Details, row.hash); err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	next := chainEnd{row.Position, row.hash, nil}
	if whole {
		next.mac = s.macOfEnd(orgID, next)
	}
	return setEnd(ctx, tx, orgID, next)
}

func setEnd(ctx context.Context, tx *sql.Tx, orgID string, end chainEnd) error {
	_, err := tx.ExecContext(ctx, `UPDATE organizations SET audit_length = $1, audit_hash = $2, audit_mac = $3 WHERE id = $4`,
		end.length, end.hash, end.mac, orgID)
	if err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	return nil
}

const selectAudit = `SELECT organization_id, position, created_at, actor, action, object, details, hash FROM audit `

// Audit lists what was done in an organization.
func (s *Store) Audit(ctx context.Context, orgID string, page Page) (shown []AuditRecord, next string, err error) {
	limit, before, err := page.Read()
	if err != nil {
		return nil, "", err
	}
	rows, err := database.Rows(ctx, s.db, scanAudit, selectAudit+`
		WHERE organization_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`, orgID, before.Number, limit+1)
	if err != nil {
		return nil, "", fmt.Errorf("list the audit: %w", err)
	}
	rows, next = database.Cut(rows, limit, func(r auditRow) database.Mark { return database.Mark{Number: r.Position} })
	shown = make([]AuditRecord, len(rows))
	for i, r := range rows {
		shown[i] = AuditRecord{strconv.FormatInt(r.Position, 10), database.Moment(r.At), r.Actor, r.Action, r.Object,
			json.RawMessage(r.Details), hex.EncodeToString(r.hash)}
	}
	return shown, next, nil
}

func scanAudit(row database.Row) (r auditRow, err error) {
	err = row.Scan(&r.OrganizationID, &r.Position, &r.At, &r.Actor, &r.Action, &r.Object, &r.Details, &r.hash)
	return r, err
}
