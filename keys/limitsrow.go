package keys

import (
	"context"
	"crypto/hmac"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kopeck/kopeck/keys/redact"
	"github.com/kopeck/kopeck/schemas/database"
)

// limitsRow is the stored form of the limits of a key or an organization. Its MAC covers every exported field. The audit
// also has the limits that were set last. Comparing the two reveals a removed row, or an old one that was put back.
type limitsRow struct {
	Subject        string `json:"subject"`
	OrganizationID string `json:"organization_id"`
	CountedAs      string `json:"counted_as"`
	Limits         string `json:"limits"` // JSON; empty if the row is missing

	mac         []byte
	lastAudited string // JSON; empty if the audit has no record
}

// Conditions that select rows by subject.
const (
	twoSubjects          = `IN ($1, $2)`
	organizationSubjects = `IN (SELECT id FROM keys WHERE organization_id = $1 UNION SELECT CAST($1 AS TEXT))`
	allSubjects          = `IS NOT NULL`
)

// readLimitsRows reads rows and audit in one statement. With two statements, limits could be set in between.
func readLimitsRows(ctx context.Context, q rowQuerier, which string, values ...any) ([]limitsRow, error) {
	return database.Rows(ctx, q, func(row database.Row) (b limitsRow, err error) {
		return b, row.Scan(&b.Subject, &b.OrganizationID, &b.CountedAs, &b.Limits, &b.mac, &b.lastAudited)
	}, `
		SELECT coalesce(l.subject, s.object), coalesce(l.organization_id, ''), coalesce(l.counted_as, ''), coalesce(l.limits, ''), l.mac,
			coalesce(s.details, '')
		FROM (SELECT * FROM model_limits WHERE subject `+which+`) l
		FULL JOIN (SELECT object, details FROM audit a WHERE action = 'limits.set' AND object `+which+` AND position = (
			SELECT max(position) FROM audit b WHERE b.action = 'limits.set' AND b.object = a.object)) s ON s.object = l.subject
		ORDER BY 1`, values...)
}

// checkLimitsRow returns an error that wraps [ErrLimitsAltered] if the row was changed outside Kopeck.
func (s *Store) checkLimitsRow(b limitsRow) error {
	if !hmac.Equal(b.mac, s.mac("limits", b)) || redact.Text(b.Limits) != b.lastAudited {
		return fmt.Errorf("limits of %s: %w", b.Subject, ErrLimitsAltered)
	}
	return nil
}

// subjectLimits returns the limits of two subjects, leaving out one that never had any.
func (s *Store) subjectLimits(ctx context.Context, q rowQuerier, one, other string) ([]SubjectLimits, error) {
	rows, err := readLimitsRows(ctx, q, twoSubjects, one, other)
	if err != nil {
		return nil, err
	}
	found := make([]SubjectLimits, len(rows))
	for i, b := range rows {
		if err := s.checkLimitsRow(b); err != nil {
			return nil, err
		}
		found[i] = SubjectLimits{CountedAs: b.CountedAs, Organization: b.Subject == b.OrganizationID}
		if err := json.Unmarshal([]byte(b.Limits), &found[i].Limits); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// writeLimits replaces the limits of b.Subject. The caller must audit the change.
func (s *Store) writeLimits(ctx context.Context, tx *sql.Tx, b limitsRow, l Limits) error {
	text, err := json.Marshal(l)
	if err != nil {
		return fmt.Errorf("encode the limits: %w", err)
	}
	b.Limits = string(text)
	_, err = tx.ExecContext(ctx, `
		INSERT INTO model_limits (subject, organization_id, counted_as, limits, mac) VALUES ($1, $2, $3, $4, $5)
		ON CONFLICT (subject) DO UPDATE SET organization_id = excluded.organization_id, counted_as = excluded.counted_as,
			limits = excluded.limits, mac = excluded.mac`, b.Subject, b.OrganizationID, b.CountedAs, b.Limits, s.mac("limits", b))
	return err
}

// copyLimits gives a key's successor the same limits. Its requests count together with those of the old key.
func (s *Store) copyLimits(ctx context.Context, tx *sql.Tx, by Caller, orgID, from, to string) error {
	rows, err := readLimitsRows(ctx, tx, twoSubjects, from, from)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := s.checkLimitsRow(rows[0]); err != nil {
		return err
	}
	return s.rewriteLimits(ctx, tx, by, limitsRow{Subject: to, OrganizationID: orgID, CountedAs: rows[0].CountedAs, Limits: rows[0].Limits})
}

// rewriteLimits writes b with a new MAC and audits its limits. Empty b.Limits mean no limits.
func (s *Store) rewriteLimits(ctx context.Context, tx *sql.Tx, by Caller, b limitsRow) error {
	var l Limits
	if b.Limits != "" {
		if err := json.Unmarshal([]byte(b.Limits), &l); err != nil {
			return fmt.Errorf("limits of %s: %w", b.Subject, err)
		}
	}
	if err := s.writeLimits(ctx, tx, b, l); err != nil {
		return err
	}
	return s.RecordAudit(ctx, tx, by, b.OrganizationID, s.now(), "limits.set", b.Subject, l)
}

// acceptLimits accepts the limits of an organization and its keys, whatever their content. It returns how many were
// altered.
func (s *Store) acceptLimits(ctx context.Context, tx *sql.Tx, orgID string) (n int, err error) {
	rows, err := readLimitsRows(ctx, tx, organizationSubjects, orgID)
	if err != nil {
		return 0, err
	}
	for _, b := range rows {
		if s.checkLimitsRow(b) == nil {
			continue
		}
		n++
		b.OrganizationID = orgID
		if b.CountedAs == "" {
			b.CountedAs = b.Subject
		}
		if err := s.rewriteLimits(ctx, tx, Caller{KeyID: "service"}, b); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// VerifyLimits checks all limits. The error wraps [ErrLimitsAltered] and names every key or organization whose limits were
// changed outside Kopeck.
func (s *Store) VerifyLimits(ctx context.Context) error {
	rows, err := readLimitsRows(ctx, s.db, allSubjects)
	if err != nil {
		return fmt.Errorf("list the limits: %w", err)
	}
	var wrong []error
	for _, b := range rows {
		wrong = append(wrong, s.checkLimitsRow(b))
	}
	return errors.Join(wrong...)
}
