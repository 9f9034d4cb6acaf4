package keys

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/encoded"
)

// AuditRecord says who did what to which object, and when.
type AuditRecord struct {
	ID      string          `json:"id"` // the record's position in the organization's audit: 1, 2, 3 …
	At      time.Time       `json:"at"`
	Actor   string          `json:"actor"`   // the id of a key, or "command line"
	Action  string          `json:"action"`  // such as key.revoked
	Object  string          `json:"object"`  // the id of the changed object
	Details json.RawMessage `json:"details"` // what changed, without secrets
	Hash    string          `json:"hash"`    // of this record and the previous hash
}

// BrokenAuditError reports an audit that was changed outside Kopeck.
type BrokenAuditError struct {
	OrganizationID string
	Position       int64 // of the first wrong record
	Problem        string
}

func (e *BrokenAuditError) Error() string {
	return fmt.Sprintf("audit of organization %s: record %d %s", e.OrganizationID, e.Position, e.Problem)
}

// auditRow is a record as it is stored and hashed.
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

// hashAfter returns the hash that links the row to the previous one: the SHA-256 of the previous hash followed by the row
// as JSON. Reordering the fields would change it.
func (r auditRow) hashAfter(previous []byte) []byte {
	sum := sha256.Sum256(slices.Concat(previous, encoded.JSON(r)))
	return sum[:]
}

// auditEnd is what an organization's row stores about its last audit record.
type auditEnd struct {
	length int64
	hash   []byte
	mac    []byte // as stored
}

// auditEndMAC computes the MAC of an audit's end. A new audit has an empty hash, which the database returns as nil. JSON
// encodes the two differently, so nil is turned into an empty slice.
func (s *Store) auditEndMAC(orgID string, end auditEnd) []byte {
	return s.mac("audit", struct {
		OrganizationID string `json:"organization_id"`
		Length         int64  `json:"length"`
		Hash           []byte `json:"hash"`
	}{orgID, end.length, append([]byte{}, end.hash...)})
}

// auditEndIntact reports whether the end of the audit has a valid MAC.
func (s *Store) auditEndIntact(orgID string, end auditEnd) bool {
	return hmac.Equal(end.mac, s.auditEndMAC(orgID, end))
}

// lockAudit reads the end of an organization's audit and locks it until the transaction ends: on PostgreSQL the update
// locks the row, and on SQLite only one transaction can write.
func lockAudit(ctx context.Context, tx *sql.Tx, orgID string) (auditEnd, error) {
	var end auditEnd
	err := tx.QueryRowContext(ctx, `
		UPDATE organizations SET audit_length = audit_length WHERE id = $1 RETURNING audit_length, audit_hash, audit_mac`, orgID).
		Scan(&end.length, &end.hash, &end.mac)
	return end, AsNotFound(err, "organization", orgID)
}

// RecordAudit appends a record to an organization's audit. Call it in the transaction of the change, so that both are
// stored or neither is. It encodes details as JSON and redacts secrets in them. Until the transaction ends, no other one
// can append to this audit.
//
// RecordAudit also works on an audit that was changed outside Kopeck, because keys must stay revocable. That audit stays
// broken.
func (s *Store) RecordAudit(
	ctx context.Context, tx *sql.Tx, by Caller, orgID string, at time.Time, action, object string, details any,
) error {
	end, err := lockAudit(ctx, tx, orgID)
	if err != nil {
		return err
	}
	intact := s.auditEndIntact(orgID, end)
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
	next := auditEnd{row.Position, row.hash, nil}
	if intact {
		next.mac = s.auditEndMAC(orgID, next)
	}
	return writeAuditEnd(ctx, tx, orgID, next)
}

func writeAuditEnd(ctx context.Context, tx *sql.Tx, orgID string, end auditEnd) error {
	_, err := tx.ExecContext(ctx, `UPDATE organizations SET audit_length = $1, audit_hash = $2, audit_mac = $3 WHERE id = $4`,
		end.length, end.hash, end.mac, orgID)
	if err != nil {
		return fmt.Errorf("append to the audit: %w", err)
	}
	return nil
}

const selectAudit = `SELECT organization_id, position, created_at, actor, action, object, details, hash FROM audit `

// Audit lists the audit records of an organization.
func (s *Store) Audit(ctx context.Context, orgID string, page database.Page) (records []AuditRecord, next string, err error) {
	rows, next, err := database.ReadPage(ctx, s.db, page, "the audit", scanAudit,
		func(r auditRow) database.RowKey { return database.RowKey{Number: r.Position} },
		selectAudit+`WHERE organization_id = $4 AND position < $1 AND $2 = '' ORDER BY position DESC LIMIT $3`, orgID)
	if err != nil {
		return nil, "", err
	}
	records = make([]AuditRecord, len(rows))
	for i, r := range rows {
		records[i] = AuditRecord{strconv.FormatInt(r.Position, 10), database.Moment(r.At), r.Actor, r.Action, r.Object,
			json.RawMessage(r.Details), hex.EncodeToString(r.hash)}
	}
	return records, next, nil
}

func scanAudit(row database.Row) (r auditRow, err error) {
	err = row.Scan(&r.OrganizationID, &r.Position, &r.At, &r.Actor, &r.Action, &r.Object, &r.Details, &r.hash)
	return r, err
}
