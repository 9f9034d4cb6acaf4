package moysklad

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"
)

// pace holds back the calls to one account until its [ledger] lets them go, first come, first served; only a stock
// report that waits for its own limit is overtaken, by what is no stock report. It may be used by many goroutines.
//
// A pace that several processes share needs no more than this: [pace.enter] before a call, and on the [ticket] what came of it.
type pace struct {
	mu      sync.Mutex
	ledger  *ledger
	waiting []*waiter // in order of arrival
	alarm   *time.Timer

	handed time.Time // when the pool last gave it out; guarded by the pool's mutex
}

// waiter is a call that waits. go receives its ticket, or the error for which it will not be sent.
type waiter struct {
	class
	deadline time.Time // zero if there is none
	admitted chan admission
}

type admission struct {
	ticket *ticket
	err    error
}

func newPace(rate, stockRate, parallel int) *pace {
	return &pace{ledger: newLedger(rate, stockRate, parallel)}
}

// enter returns when the call may be sent at once. The error wraps [ErrTimeout] when ctx's deadline passes meanwhile, or
// is certain to; [ErrUnavailable] when the breaker is open; or is ctx's own when it was cancelled.
func (p *pace) enter(ctx context.Context, k class) (*ticket, error) {
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	w := &waiter{class: k, admitted: make(chan admission, 1)}
	w.deadline, _ = ctx.Deadline()

	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	p.admitLocked()
	p.mu.Unlock()

	select {
	case a := <-w.admitted:
		return a.ticket, a.err
	case <-ctx.Done():
		p.leave(w)
		return nil, ended(ctx.Err())
	}
}

// leave takes a caller out who waits no longer.
func (p *pace) leave(w *waiter) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case a := <-w.admitted:
		if a.ticket != nil {
			p.ledger.unsent(a.ticket.call)
		}
	default:
		p.waiting = slices.DeleteFunc(p.waiting, func(other *waiter) bool { return other == w })
	}
	p.admitLocked()
}

// admitLocked lets go who may go now, sends away who cannot be served in time, and sets the alarm for the next.
func (p *pace) admitLocked() {
	now := time.Now()
	if until := p.ledger.pausedUntil(); until.After(now) {
		p.refuseAllLocked(fmt.Errorf("%w: it refused too many calls; to keep the account from being locked out no call is sent until %s",
			ErrUnavailable, until.UTC().Format(time.RFC3339)))
		return
	}
	never := now.Add(someday)
	alarm, stockWaits := never, false
	for i := 0; i < len(p.waiting); {
		w := p.waiting[i]
		if w.stock && stockWaits {
			i++
			continue
		}
		at, butForStock := p.ledger.next(now, w.class, never)
		switch {
		case !at.After(now):
			w.admitted <- admission{ticket: &ticket{pace: p, call: p.ledger.send(now, w.class)}}
			p.waiting = slices.Delete(p.waiting, i, i+1)
			continue
		case butForStock.After(now):
			alarm = earliest(alarm, at)
			i = len(p.waiting)
		default:
			alarm, stockWaits = earliest(alarm, at), true
			i++
		}
	}
	p.sendAwayLocked(now)
	p.setAlarmLocked(now, alarm)
}

// sendAwayLocked refuses at once whoever could not be served in time even if every answer came at once.
func (p *pace) sendAwayLocked(now time.Time) {
	var ahead struct{ stock, other int }
	p.waiting = slices.DeleteFunc(p.waiting, func(w *waiter) bool {
		line := &ahead.other
		if w.stock {
			line = &ahead.stock
		}
		if !w.deadline.IsZero() {
			if at := p.ledger.soonest(now, w.class, *line); at.After(w.deadline) {
				w.admitted <- admission{err: fmt.Errorf("%w: the account's pace leaves no room for %s",
					ErrTimeout, at.Sub(now).Round(time.Millisecond))}
				return true
			}
		}
		*line++
		return false
	})
}

func (p *pace) refuseAllLocked(err error) {
	for _, w := range p.waiting {
		w.admitted <- admission{err: err}
	}
	p.waiting = nil
}

func (p *pace) setAlarmLocked(now, at time.Time) {
	if p.alarm != nil {
		p.alarm.Stop()
	}
	if len(p.waiting) == 0 || !at.Before(now.Add(someday)) {
		return // an answer will wake whoever waits
	}
	p.alarm = time.AfterFunc(at.Sub(now), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.admitLocked()
	})
}

// absorb enters what another pace has sent lately, as calls that are over.
func (p *pace) absorb(other *pace, now time.Time) {
	other.mu.Lock()
	lately := slices.Clone(other.ledger.calls)
	for i, c := range lately {
		lately[i] = &call{class: c.class, units: c.units, sent: c.sent, seen: orWhen(c.seen, now), done: orWhen(c.done, now)}
	}
	other.mu.Unlock()

	p.mu.Lock()
	defer p.mu.Unlock()
	p.ledger.calls = append(p.ledger.calls, lately...)
}

// idle says whether nothing waits, is in flight or counts any more.
func (p *pace) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) == 0 && p.ledger.idle(time.Now())
}

// ticket is a call that was let go. Its holder tells the pace what came of it, and in the end, always, that it is over.
type ticket struct {
	pace *pace
	call *call
}

func (t *ticket) answered(limit, remaining int) {
	t.tell(func(now time.Time, l *ledger) { l.answered(now, t.call, limit, remaining) })
}

func (t *ticket) refused(crowded bool, retryAfter time.Duration) {
	t.tell(func(now time.Time, l *ledger) { l.refuse(now, crowded, retryAfter) })
}

func (t *ticket) failed() { t.tell(func(now time.Time, l *ledger) { l.fail(now) }) }

func (t *ticket) succeeded() { t.tell(func(_ time.Time, l *ledger) { l.succeed(t.call) }) }

func (t *ticket) over() { t.tell(func(now time.Time, l *ledger) { l.finished(now, t.call) }) }

func (t *ticket) tell(what func(now time.Time, l *ledger)) {
	t.pace.mu.Lock()
	defer t.pace.mu.Unlock()
	what(time.Now(), t.pace.ledger)
	t.pace.admitLocked()
}

// ended is a context's end in the words of this package.
func ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return err
}
