package agent

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
)

// Turns of one session run one at a time on all replicas, because each must know the previous answer. A running turn has a
// lease in the session's row, set by the replica's clock and renewed while the turn lasts. Each lease has a higher fence
// than the one before, and messages are saved only under the highest. So a replica with a wrong clock, or one that was
// suspended, at most loses its own answer from the session.

// ErrSessionBusy is returned if a turn cannot be taken in time, or if another turn took over while it was suspended.
var ErrSessionBusy = errors.New("another turn of the session is running")

// Defaults of [Store], and timings of turns.
const (
	turnLease    = 15 * time.Second
	turnPatience = 20 * time.Second
	turnPoll     = 100 * time.Millisecond // how often a waiting turn tries again
	releaseTime  = 5 * time.Second        // limit for releasing a turn
)

// turn is the right to add messages to a session.
type turn struct {
	store                     *Store
	organizationID, sessionID string
	fence                     int64
	released                  bool // set by save
}

func (s *Store) lease() time.Duration { return cmp.Or(s.Lease, turnLease) }

// takeTurn waits for the session's turn. The error wraps [ErrNotFound] or [ErrSessionBusy].
func (s *Store) takeTurn(ctx context.Context, organizationID, id string) (*turn, error) {
	patience := time.NewTimer(cmp.Or(s.Patience, turnPatience))
	defer patience.Stop()
	look := time.NewTicker(turnPoll)
	defer look.Stop()
	for {
		t, err := s.tryTurn(ctx, organizationID, id)
		if err != nil || t != nil {
			return t, err
		}
		select {
		case <-look.C:
		case <-patience.C:
			return nil, fmt.Errorf("session %q: %w", id, ErrSessionBusy)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryTurn takes the turn if it is free; otherwise it returns nil. A lease that ends later than any replica would set it
// is ignored, since it comes from a wrong clock.
func (s *Store) tryTurn(ctx context.Context, organizationID, id string) (*turn, error) {
	now := s.now()
	t := &turn{store: s, organizationID: organizationID, sessionID: id}
	err := s.db.QueryRowContext(ctx, `UPDATE sessions SET turn_until = $1, turn_fence = turn_fence + 1
		WHERE organization_id = $2 AND id = $3 AND (turn_until <= $4 OR turn_until > $5) RETURNING turn_fence`,
		now.Add(s.lease()).UnixMicro(), organizationID, id, now.UnixMicro(), now.Add(2*s.lease()).UnixMicro()).Scan(&t.fence)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = s.Get(ctx, organizationID, id) // the session may not exist
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("take the session's turn: %w", err)
	}
	return t, nil
}

// hold renews the turn until the returned function is called, which releases it. The context is cancelled if the turn
// is lost.
func (t *turn) hold(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	every := t.store.lease() / 3
	var renewing sync.Mutex // so that a released turn is not renewed
	renewing.Lock()
	defer renewing.Unlock()
	var again *time.Timer
	again = time.AfterFunc(every, func() {
		renewing.Lock()
		defer renewing.Unlock()
		if ctx.Err() != nil {
			return
		}
		if err := t.renew(ctx); errors.Is(err, ErrSessionBusy) {
			cancel(err)
			return
		} // after other errors the next renewal may succeed, and the fence decides in the end
		again.Reset(every)
	})
	return ctx, func() {
		cancel(nil)
		again.Stop()
		renewing.Lock()
		defer renewing.Unlock()
		t.release(ctx)
	}
}

func (t *turn) renew(ctx context.Context) error {
	return t.requireOne(t.store.db.ExecContext(ctx, `UPDATE sessions SET turn_until = $1
		WHERE organization_id = $2 AND id = $3 AND turn_fence = $4`,
		t.store.now().Add(t.store.lease()).UnixMicro(), t.organizationID, t.sessionID, t.fence))
}

// release ends the turn. If that fails, the lease runs out.
func (t *turn) release(ctx context.Context) {
	if t.released {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_, _ = t.store.db.ExecContext(ctx, `UPDATE sessions SET turn_until = 0
		WHERE organization_id = $1 AND id = $2 AND turn_fence = $3 AND turn_until > 0`, t.organizationID, t.sessionID, t.fence)
}

// requireOne returns an error if a statement changed no row: another replica has the turn, or the session was deleted.
func (t *turn) requireOne(result sql.Result, err error) error {
	if changed, err := database.Changed(result, err); err != nil || changed {
		return err
	}
	return fmt.Errorf("lost the turn of session %q: %w", t.sessionID, ErrSessionBusy)
}

// turnError returns the loss of the turn in place of the errors that it causes.
func turnError(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrSessionBusy) {
		return cause
	}
	return err
}

// RunningTurns counts an organization's running turns on all replicas.
func (s *Store) RunningTurns(ctx context.Context, organizationID string) (n int, err error) {
	now := s.now()
	err = s.db.QueryRowContext(ctx, `SELECT count(*) FROM sessions
		WHERE organization_id = $1 AND turn_until > 0 AND turn_until > $2 AND turn_until <= $3`,
		organizationID, now.UnixMicro(), now.Add(2*s.lease()).UnixMicro()).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count running turns: %w", err)
	}
	return n, nil
}
