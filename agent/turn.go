package agent

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"
)

// Turns of one session come one after another, on whichever replicas: each must know what the one before has said. Who has
// the turn holds a lease of the session's row, stamped by the replica's own clock and renewed while the turn lasts. A clock
// that goes wrong, or a replica that sleeps, costs at most its own record: each lease has a higher fence than the one
// before, and messages are kept under the highest only.

// ErrSessionBusy tells that a session's turn was not to be had: another one takes longer than anybody waits, or went on
// while this one was held up.
var ErrSessionBusy = errors.New("another turn of the session is running")

// Bounds of turns, where [Store] does not say otherwise.
const (
	turnLease    = 15 * time.Second
	turnPatience = 20 * time.Second
	turnLook     = 100 * time.Millisecond // how often those who wait look
	releaseTime  = 5 * time.Second        // for giving a turn back
)

// turn is the right to add to a session.
type turn struct {
	store                     *Store
	organizationID, sessionID string
	fence                     int64
	over                      bool // it has ended with what it added
}

func (s *Store) lease() time.Duration { return cmp.Or(s.Lease, turnLease) }

// takeTurn waits for the turns before. The error wraps [ErrNotFound] or [ErrSessionBusy], or is a [*keys.FullError].
func (s *Store) takeTurn(ctx context.Context, organizationID, id string) (*turn, error) {
	if err := s.Storage.Check(ctx, organizationID); err != nil {
		return nil, err
	}
	patience := time.NewTimer(cmp.Or(s.Patience, turnPatience))
	defer patience.Stop()
	look := time.NewTicker(turnLook)
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

// tryTurn takes the turn if nobody has it; nil if somebody has. A lease further ahead than any replica would write, its
// clock a little wrong or not, is not believed.
func (s *Store) tryTurn(ctx context.Context, organizationID, id string) (*turn, error) {
	now := s.now()
	t := &turn{store: s, organizationID: organizationID, sessionID: id}
	err := s.db.QueryRowContext(ctx, `UPDATE sessions SET turn_until = $1, turn_fence = turn_fence + 1
		WHERE organization_id = $2 AND id = $3 AND (turn_until <= $4 OR turn_until > $5) RETURNING turn_fence`,
		now.Add(s.lease()).UnixMicro(), organizationID, id, now.UnixMicro(), now.Add(2*s.lease()).UnixMicro()).Scan(&t.fence)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		_, err = s.Get(ctx, organizationID, id) // it may not be there at all
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("take the session's turn: %w", err)
	}
	return t, nil
}

// hold renews the turn until the returned function is called, which gives it back. The context ends when the turn is lost.
func (t *turn) hold(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	every := t.store.lease() / 3
	var renewing sync.Mutex // so that nothing is renewed that has been given back
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
		} // any other error: the next may succeed, and the fence decides in the end
		again.Reset(every)
	})
	return ctx, func() {
		cancel(nil)
		again.Stop()
		renewing.Lock()
		defer renewing.Unlock()
		t.leave(ctx)
	}
}

func (t *turn) renew(ctx context.Context) error {
	return t.only(t.store.change(ctx, `UPDATE sessions SET turn_until = $1
		WHERE organization_id = $2 AND id = $3 AND turn_fence = $4`,
		t.store.now().Add(t.store.lease()).UnixMicro(), t.organizationID, t.sessionID, t.fence))
}

// leave gives the turn back. Where that fails, the lease ends by itself.
func (t *turn) leave(ctx context.Context) {
	if t.over {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTime)
	defer cancel()
	_, _ = t.store.change(ctx, `UPDATE sessions SET turn_until = 0
		WHERE organization_id = $1 AND id = $2 AND turn_fence = $3 AND turn_until > 0`, t.organizationID, t.sessionID, t.fence)
}

// only makes a lost turn of a change that found nothing to change: another has the turn, or the session was deleted.
func (t *turn) only(rows int64, err error) error {
	if err != nil || rows == 1 {
		return err
	}
	return fmt.Errorf("session %q has moved on: %w", t.sessionID, ErrSessionBusy)
}

// lost is the error with which a run ends: that its turn was lost, if it was, for then all other errors come of that.
func lost(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); errors.Is(cause, ErrSessionBusy) {
		return cause
	}
	return err
}
