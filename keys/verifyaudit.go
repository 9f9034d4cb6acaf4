package keys

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/schemas/database"
)

// VerifyAudit recomputes the hash chain of every organization. It returns a [*BrokenAuditError] with the first record that
// was changed, removed or inserted. It also detects missing records at the end, but not that a whole old backup was
// restored; for that see [Store.CheckAuditHead].
func (s *Store) VerifyAudit(ctx context.Context) error {
	ids, err := s.organizationIDs(ctx, s.db)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := s.verifyOrganizationAudit(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// verifyOrganizationAudit reads an audit and its stored end in one statement, so that they match even while records are
// appended.
func (s *Store) verifyOrganizationAudit(ctx context.Context, orgID string) error {
	rows, err := s.db.QueryContext(ctx, `
		SELECT o.audit_length, o.audit_hash, o.audit_mac,
			a.organization_id, a.position, a.created_at, a.actor, a.action, a.object, a.details, a.hash
		FROM organizations o JOIN audit a ON a.organization_id = o.id
		WHERE o.id = $1 ORDER BY a.position`, orgID)
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	defer rows.Close()
	var recorded, computed auditEnd
	for rows.Next() {
		row, err := scanAudit(prefixedRow{rows, []any{&recorded.length, &recorded.hash, &recorded.mac}})
		if err != nil {
			return fmt.Errorf("read the audit: %w", err)
		}
		computed.length++
		if row.Position != computed.length {
			return &BrokenAuditError{orgID, computed.length, "is missing"}
		}
		computed.hash = row.hashAfter(computed.hash)
		if !bytes.Equal(row.hash, computed.hash) {
			return &BrokenAuditError{orgID, computed.length, "was changed"}
		}
	}
	if err := rows.Err(); err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	if computed.length < max(recorded.length, 1) {
		return &BrokenAuditError{orgID, computed.length + 1, "is missing"}
	}
	if computed.length > recorded.length || !bytes.Equal(computed.hash, recorded.hash) {
		return &BrokenAuditError{orgID, computed.length, "is not what the audit ended with"}
	}
	rows.Close()
	if !s.auditEndIntact(orgID, recorded) {
		return &BrokenAuditError{orgID, computed.length, "ends an audit that was cut or changed outside Kopeck"}
	}
	return nil
}

// prefixedRow is a row with additional columns in front, which it scans into first.
type prefixedRow struct {
	row   database.Row
	first []any
}

func (r prefixedRow) Scan(rest ...any) error { return r.row.Scan(append(r.first, rest...)...) }

// VerifyKeys checks every key. The error wraps [ErrAltered] and names every key whose record was changed outside Kopeck. It
// also names every key that is valid although the audit records its revocation.
func (s *Store) VerifyKeys(ctx context.Context) error {
	all, err := database.Rows(ctx, s.db, scanRecord, selectRecord+`ORDER BY id`)
	if err != nil {
		return fmt.Errorf("list keys: %w", err)
	}
	revoked, err := database.Rows(ctx, s.db, func(row database.Row) (id string, err error) { return id, row.Scan(&id) }, `
		SELECT k.id FROM keys k JOIN audit a ON a.organization_id = k.organization_id AND a.object = k.id
		WHERE a.action = 'key.revoked' AND k.revoked_at IS NULL`)
	if err != nil {
		return fmt.Errorf("list revoked keys: %w", err)
	}
	var wrong []error
	for _, r := range all {
		if s.stateOf(r) == Altered || slices.Contains(revoked, r.ID) {
			wrong = append(wrong, Altered.asError(r.ID))
		}
	}
	return errors.Join(wrong...)
}
