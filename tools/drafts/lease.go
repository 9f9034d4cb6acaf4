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

// A lease decides which replica creates a document. The replicas' own clocks stamp it. A wrong clock costs time, or a second attempt,
// which finds the first one's document. A stamp further ahead than any replica would write is ignored.

// confirm turns a draft into a confirmed one if it still is what was shown; errUnchanged if it is not, for whatever
// reason.
func (s *Store) confirm(ctx context.Context, who keys.Caller, d Draft) error {
	now := s.now().UnixMicro()
	return s.change(ctx, who, "draft.confirmed", d, func(tx *sql.Tx) error {
		return only(tx.ExecContext(ctx, `UPDATE drafts
			SET state = $1, confirmed_at = $2, confirmed_by = $3, next_attempt_at = 0
			WHERE organization_id = $4 AND id = $5 AND digest = $6 AND state = $7 AND expires_at > $2`,
			Confirmed, now, who.KeyID, who.OrganizationID, d.ID, d.Digest, Drafted))
	})
}

// attemptable picks confirmed drafts whose next attempt's time has come and that nobody holds; $1 is Confirmed, $2 now, $3
// and $4 the latest that a next attempt and a lease can be from now.
const attemptable = `state = $1 AND (next_attempt_at <= $2 OR next_attempt_at > $3) AND (lease_until <= $2 OR lease_until > $4)`

func attemptableAt(now time.Time, length time.Duration) []any {
	return []any{Confirmed, now.UnixMicro(), now.Add(longestWait).UnixMicro(), now.Add(length).UnixMicro()}
}

// due are the drafts to attempt now, those that wait longest first.
func (s *Store) due(ctx context.Context, length time.Duration) ([]string, error) {
	return database.Rows(ctx, s.db, func(row database.Row) (id string, err error) { return id, row.Scan(&id) },
		`SELECT id FROM drafts WHERE `+attemptable+` ORDER BY next_attempt_at LIMIT 20`, attemptableAt(s.now(), length)...)
}

// held is a confirmed draft under a lease. Each lease of a draft has a higher fence than the one before, and only the
// highest may change anything.
type held struct {
	Draft
	fence int64
	sent  time.Time // when a write left whose outcome is not known; zero if there is none
}

// lease takes a confirmed draft for a while; errUnchanged if it is settled, someone else holds it or its next attempt is
// not due.
func (s *Store) lease(ctx context.Context, id string, length time.Duration) (held, error) {
	now := s.now()
	var h held
	var sent int64
	row := s.db.QueryRowContext(ctx, `UPDATE drafts SET lease_until = $4, fence = fence + 1
		WHERE `+attemptable+` AND id = $5 RETURNING `+columns+`, fence, sent_at`, append(attemptableAt(now, length), id)...)
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

// renew holds on to a lease; errUnchanged if someone else has it by now.
func (s *Store) renew(ctx context.Context, h held, length time.Duration) error {
	return only(s.db.ExecContext(ctx, `UPDATE drafts SET lease_until = $1 WHERE id = $2 AND fence = $3 AND state = $4`,
		s.now().Add(length).UnixMicro(), h.ID, h.fence, Confirmed))
}

// sending notes, just before, that a write leaves; errUnchanged, and it must not, if someone else has the lease by now.
func (s *Store) sending(ctx context.Context, h *held) error {
	now := s.now()
	err := only(s.db.ExecContext(ctx, `UPDATE drafts SET sent_at = $1 WHERE id = $2 AND fence = $3 AND state = $4`,
		now.UnixMicro(), h.ID, h.fence, Confirmed))
	if err == nil {
		h.sent = now
	}
	return err
}

// release gives a lease back, with what is known of writes, and says when the draft is to be tried again.
func (s *Store) release(ctx context.Context, h held, after time.Duration) error {
	sent := int64(0)
	if !h.sent.IsZero() {
		sent = h.sent.UnixMicro()
	}
	_, err := s.db.ExecContext(ctx, `UPDATE drafts SET lease_until = 0, next_attempt_at = $1, sent_at = $2
		WHERE id = $3 AND fence = $4`, s.now().Add(after).UnixMicro(), sent, h.ID, h.fence)
	return err
}

// Wake has what is confirmed for a connection tried again at once: the upstream takes its token again.
func (s *Store) Wake(ctx context.Context, organizationID, connectionID string) error {
	_, err := s.db.ExecContext(ctx, `UPDATE drafts SET next_attempt_at = 0
		WHERE organization_id = $1 AND connection_id = $2 AND state = $3`, organizationID, connectionID, Confirmed)
	if err != nil {
		return fmt.Errorf("wake the connection's drafts: %w", err)
	}
	return nil
}

// settle records what became of a confirmed draft, if the lease is still the last one.
func (s *Store) settle(ctx context.Context, h held) error {
	document, failure := nullJSON(h.Document), nullJSON(h.Failure)
	return s.change(ctx, service, "draft."+string(h.State), h.Draft, func(tx *sql.Tx) error {
		return only(tx.ExecContext(ctx, `UPDATE drafts
			SET state = $1, document = $2, failure = $3, settled_at = $4, lease_until = 0
			WHERE id = $5 AND fence = $6 AND state = $7`,
			h.State, document, failure, s.now().UnixMicro(), h.ID, h.fence, Confirmed))
	})
}

// errUnchanged: the row was not in the state that the change needs.
var errUnchanged = errors.New("not in that state")

func only(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 1 {
		return err
	}
	return errUnchanged
}
