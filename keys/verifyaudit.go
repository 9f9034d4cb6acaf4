package keys

import (
	"bytes"
	"context"
	"fmt"
)

// VerifyAudit recomputes the chain of every organization. A record that was changed, removed or put in gives a
// [*BrokenAuditError] with the first that is wrong; records cut off at the end are missed too.
func (s *Store) VerifyAudit(ctx context.Context) error {
	ids, err := list(ctx, s.db, func(row scanner) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM organizations ORDER BY id`)
	if err != nil {
		return fmt.Errorf("list organizations: %w", err)
	}
	for _, id := range ids {
		if err := s.verifyChain(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// verifyChain reads an audit together with its recorded end by one statement, which sees one moment even while others append.
func (s *Store) verifyChain(ctx context.Context, orgID string) error {
	rows, err := s.db.QueryContext(ctx, `
		SELECT o.audit_length, o.audit_hash,
			a.organization_id, a.position, a.created_at, a.actor, a.action, a.object, a.details, a.hash
		FROM organizations o JOIN audit a ON a.organization_id = o.id
		WHERE o.id = $1 ORDER BY a.position`, orgID)
	if err != nil {
		return fmt.Errorf("read the audit: %w", err)
	}
	defer rows.Close()
	var recorded, computed chainEnd
	for rows.Next() {
		row, err := scanAudit(behind{rows, []any{&recorded.length, &recorded.hash}})
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
	return nil
}

// behind scans columns that come after others of the same row.
type behind struct {
	row   scanner
	first []any
}

func (b behind) Scan(rest ...any) error { return b.row.Scan(append(b.first, rest...)...) }
