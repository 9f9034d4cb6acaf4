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

// boundary is the limits of a key or an organization as they are kept. Its MAC covers every exported field. The audit has
// what was set last, so that neither an earlier row nor none can stand for it.
type boundary struct {
	Subject        string `json:"subject"`
	OrganizationID string `json:"organization_id"`
	CountedAs      string `json:"counted_as"`
	Limits         string `json:"limits"` // JSON; empty if the row is missing

	mac     []byte
	audited string // JSON; empty if the audit has nothing
}

// Some boundaries.
const (
	ofTwo          = `IN ($1, $2)`
	ofOrganization = `IN (SELECT id FROM keys WHERE organization_id = $1 UNION SELECT CAST($1 AS TEXT))`
	ofAll          = `IS NOT NULL`
)

// boundaries reads rows and audit by one statement: between two of them limits could be set.
func boundaries(ctx context.Context, q querier, which string, values ...any) ([]boundary, error) {
	return database.Rows(ctx, q, func(row database.Row) (b boundary, err error) {
		return b, row.Scan(&b.Subject, &b.OrganizationID, &b.CountedAs, &b.Limits, &b.mac, &b.audited)
	}, `
		SELECT coalesce(l.subject, s.object), coalesce(l.organization_id, ''), coalesce(l.counted_as, ''), coalesce(l.limits, ''), l.mac,
			coalesce(s.details, '')
		FROM (SELECT * FROM model_limits WHERE subject `+which+`) l
		FULL JOIN (SELECT object, details FROM audit a WHERE action = 'limits.set' AND object `+which+` AND position = (
			SELECT max(position) FROM audit b WHERE b.action = 'limits.set' AND b.object = a.object)) s ON s.object = l.subject
		ORDER BY 1`, values...)
}

// check returns an error that wraps [ErrLimitsAltered] if the limits are not those that this program wrote last.
func (s *Store) check(b boundary) error {
	if !hmac.Equal(b.mac, s.mac("limits", b)) || redact.Text(b.Limits) != b.audited {
		return fmt.Errorf("limits of %s: %w", b.Subject, ErrLimitsAltered)
	}
	return nil
}

// bounded are the limits of two subjects, of those that were ever bounded.
func (s *Store) bounded(ctx context.Context, q querier, one, other string) ([]Bounded, error) {
	rows, err := boundaries(ctx, q, ofTwo, one, other)
	if err != nil {
		return nil, err
	}
	found := make([]Bounded, len(rows))
	for i, b := range rows {
		if err := s.check(b); err != nil {
			return nil, err
		}
		found[i] = Bounded{CountedAs: b.CountedAs, Organization: b.Subject == b.OrganizationID}
		if err := json.Unmarshal([]byte(b.Limits), &found[i].Limits); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// writeLimits puts limits in the place of those that b's subject had. The caller audits them.
func (s *Store) writeLimits(ctx context.Context, tx *sql.Tx, b boundary, l Limits) error {
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

// passLimits gives a key's successor the same limits, and what is left of them.
func (s *Store) passLimits(ctx context.Context, tx *sql.Tx, by Caller, orgID, from, to string) error {
	rows, err := boundaries(ctx, tx, ofTwo, from, from)
	if err != nil || len(rows) == 0 {
		return err
	}
	if err := s.check(rows[0]); err != nil {
		return err
	}
	return s.accept(ctx, tx, by, boundary{Subject: to, OrganizationID: orgID, CountedAs: rows[0].CountedAs, Limits: rows[0].Limits})
}

// accept writes and audits limits as b has them. A missing row is no limits.
func (s *Store) accept(ctx context.Context, tx *sql.Tx, by Caller, b boundary) error {
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

// sealLimits accepts the limits of an organization and its keys as they stand, and counts those that were not right.
func (s *Store) sealLimits(ctx context.Context, tx *sql.Tx, orgID string) (n int, err error) {
	rows, err := boundaries(ctx, tx, ofOrganization, orgID)
	if err != nil {
		return 0, err
	}
	for _, b := range rows {
		if s.check(b) == nil {
			continue
		}
		n++
		b.OrganizationID = orgID
		if b.CountedAs == "" {
			b.CountedAs = b.Subject
		}
		if err := s.accept(ctx, tx, Caller{KeyID: "service"}, b); err != nil {
			return 0, err
		}
	}
	return n, nil
}

// VerifyLimits looks at all limits: the error wraps [ErrLimitsAltered] and names whose are not as this program wrote them.
func (s *Store) VerifyLimits(ctx context.Context) error {
	rows, err := boundaries(ctx, s.db, ofAll)
	if err != nil {
		return fmt.Errorf("list the limits: %w", err)
	}
	var wrong []error
	for _, b := range rows {
		wrong = append(wrong, s.check(b))
	}
	return errors.Join(wrong...)
}
