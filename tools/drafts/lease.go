package drafts

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/kopeck/kopeck/keys"
	"github.com/kopeck/kopeck/schemas/database"
)

// A lease decides which replica carries out a draft. Its times come from the clock that all replicas share. If that clock
// is set back, times too far in the future are ignored, and a write that was sent in the future counts as sent now.

func (s *Store) sharedTime(ctx context.Context) (time.Time, error) {
	if s.Clock == nil {
		return s.now(), nil
	}
	return s.Clock(ctx)
}

// confirm marks a draft as confirmed. It returns errUnchanged if the draft is no longer open or has another digest.
func (s *Store) confirm(ctx context.Context, who keys.Caller, d Draft) error {
	at, err := s.sharedTime(ctx)
	if err != nil {
		return err
	}
	return s.change(ctx, who, "draft.confirmed", d, func(tx *sql.Tx) error {
		return requireOneRow(tx.ExecContext(ctx, `UPDATE drafts
			SET state = $1, confirmed_at = $2, confirmed_by = $3, next_attempt_at = 0
			WHERE organization_id = $4 AND id = $5 AND digest = $6 AND state = $7 AND expires_at > $8`,
			Confirmed, at.UnixMicro(), who.KeyID, who.OrganizationID, d.ID, d.Digest, Drafted, s.now().UnixMicro()))
	})
}

// attemptDue selects confirmed drafts whose next attempt is due, and leaseFree those whose lease is free. $1 is Confirmed
// and $2 is the current time. $3 and $4 are the latest plausible times for the next attempt and for the end of the lease.
const (
	attemptDue = `state = $1 AND (next_attempt_at <= $2 OR next_attempt_at > $3)`
	leaseFree  = `(lease_until <= $2 OR lease_until > $4)`
)

func dueArguments(now time.Time, length time.Duration) []any {
	return []any{Confirmed, now.UnixMicro(), now.Add(maxBackoff).UnixMicro(), now.Add(length).UnixMicro()}
}

// dueDraft is a draft for which an attempt is due.
type dueDraft struct{ id, accountID string }

// due returns drafts for which an attempt is due. Those that have been due longest come first. It returns only as many
// drafts of an account as may be attempted in addition to those that are leased, so that a long queue of one account does
// not hide the drafts of others.
func (s *Store) due(ctx context.Context, length time.Duration) ([]dueDraft, error) {
	now, err := s.sharedTime(ctx)
	if err != nil {
		return nil, err
	}
	scan := func(row database.Row) (d dueDraft, err error) { return d, row.Scan(&d.id, &d.accountID) }
	return database.Rows(ctx, s.db, scan, fmt.Sprintf(`
		SELECT id, account_id FROM (
			SELECT id, account_id, next_attempt_at, lease_until,
				row_number() OVER (PARTITION BY account_id ORDER BY CASE WHEN %[2]s THEN 1 ELSE 0 END, next_attempt_at) AS place
			FROM drafts WHERE %[1]s) AS ready
		WHERE place <= %[3]d AND %[2]s ORDER BY next_attempt_at LIMIT %[4]d`, attemptDue, leaseFree, attemptsPerAccount, attemptsAtOnce),
		dueArguments(now, length)...)
}

// leasedDraft is a confirmed draft whose lease this replica has taken. fence is the number of the lease; it increases
// with each lease of the draft. Only the holder of the latest lease can change the row.
type leasedDraft struct {
	Draft
	fence int64
	sent  time.Time // when the last write with an unknown outcome was sent; zero if there is none

	leased      time.Time // when the lease was taken, by the shared clock
	leasedLocal time.Time // the same by this process's clock, from which only the time that passes is taken
}

// now returns the time of the shared clock, if that has not been set since the lease was taken.
func (h leasedDraft) now() time.Time { return h.leased.Add(time.Since(h.leasedLocal)) }

// lease takes the lease of a confirmed draft. It returns errUnchanged if the draft is settled, another replica has the
// lease, or no attempt is due.
func (s *Store) lease(ctx context.Context, id string, length time.Duration) (leasedDraft, error) {
	h := leasedDraft{leasedLocal: time.Now()}
	var err error
	if h.leased, err = s.sharedTime(ctx); err != nil {
		return h, err
	}
	var sent int64
	row := s.db.QueryRowContext(ctx, `UPDATE drafts
		SET lease_until = $4, fence = fence + 1, sent_at = CASE WHEN sent_at > $2 THEN $2 ELSE sent_at END
		WHERE `+attemptDue+` AND `+leaseFree+` AND id = $5 RETURNING `+columns+`, fence, sent_at`, append(dueArguments(h.leased, length), id)...)
	d, err := s.scan(row, &h.fence, &sent)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return h, errUnchanged
	case err != nil:
		return h, fmt.Errorf("take the lease: %w", err)
	}
	h.Draft = d
	if sent > 0 {
		h.sent = time.UnixMicro(sent)
	}
	return h, nil
}

// renew extends a lease. It returns errUnchanged if another replica has taken it.
func (s *Store) renew(ctx context.Context, h leasedDraft, length time.Duration) error {
	return requireOneRow(s.db.ExecContext(ctx, `UPDATE drafts SET lease_until = $1 WHERE id = $2 AND fence = $3 AND state = $4`,
		h.now().Add(length).UnixMicro(), h.ID, h.fence, Confirmed))
}

// recordSending records that a write is about to be sent. It returns errUnchanged if another replica has taken the
// lease; then the write must not be sent.
func (s *Store) recordSending(ctx context.Context, h *leasedDraft) error {
	now := h.now()
	err := requireOneRow(s.db.ExecContext(ctx, `UPDATE drafts SET sent_at = $1 WHERE id = $2 AND fence = $3 AND state = $4`,
		now.UnixMicro(), h.ID, h.fence, Confirmed))
	if err == nil {
		h.sent = now
	}
	return err
}

// release gives up a lease. It records the time of a write that was not answered, and makes the next attempt due after
// the given time.
func (s *Store) release(ctx context.Context, h leasedDraft, after time.Duration) error {
	sent := int64(0)
	if !h.sent.IsZero() {
		sent = h.sent.UnixMicro()
	}
	_, err := s.db.ExecContext(ctx, `UPDATE drafts SET lease_until = 0, next_attempt_at = $1, sent_at = $2
		WHERE id = $3 AND fence = $4`, h.now().Add(after).UnixMicro(), sent, h.ID, h.fence)
	return err
}

// Wake makes an attempt due now for each confirmed draft of a connection. Call it when the upstream accepts the
// connection's token again.
func (s *Store) Wake(ctx context.Context, organizationID, connectionID string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE drafts SET next_attempt_at = 0
		WHERE organization_id = $1 AND connection_id = $2 AND state = $3`, organizationID, connectionID, Confirmed)
	if err != nil {
		return fmt.Errorf("wake the connection's drafts: %w", err)
	}
	return nil
}

// settle records the outcome of a confirmed draft. It returns errUnchanged if another replica has taken the lease.
func (s *Store) settle(ctx context.Context, h leasedDraft) error {
	document, failure := nullJSON(h.Document), nullJSON(h.Failure)
	return s.change(ctx, service, "draft."+string(h.State), h.Draft, func(tx *sql.Tx) error {
		return requireOneRow(tx.ExecContext(ctx, `UPDATE drafts
			SET state = $1, document = $2, failure = $3, settled_at = $4, lease_until = 0
			WHERE id = $5 AND fence = $6 AND state = $7`,
			h.State, document, failure, s.now().UnixMicro(), h.ID, h.fence, Confirmed))
	})
}

// errUnchanged means that no row was changed, because it was not in the required state.
var errUnchanged = errors.New("not in that state")

// requireOneRow returns errUnchanged if a statement changed no row.
func requireOneRow(result sql.Result, err error) error {
	if changed, err := database.Changed(result, err); err != nil || changed {
		return err
	}
	return errUnchanged
}
