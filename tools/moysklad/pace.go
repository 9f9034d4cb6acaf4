package moysklad

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Times for changing and polling a ledger.
const (
	changeTime = 2 * time.Second       // limit for one change of a ledger
	pollTime   = 50 * time.Millisecond // between checks of a shared ledger, which other processes may have changed
)

// patience is the number of stock reports that may go before another waiting call. Reports go first because they have
// the lowest limit: a tool that needs many of them has to wait for that limit anyway, and should not have to wait for
// other calls as well.
const patience = 2

// pace holds back this process's calls to one account until its [Ledger] admits them. Waiting calls go in this order:
// writes, so that little time passes between a read and the write based on it; then stock reports; then other calls.
// Within each kind they go in order of arrival. There are two exceptions. If reports wait only for the limit on
// reports, other calls overtake them. After [patience] reports, one other call goes first. Processes that share a
// ledger each have their own queue, and the order between the queues is not defined. A pace is safe for concurrent use.
type pace struct {
	ledger  Changer
	shared  bool // other processes change the ledger too
	account string
	limits  limits
	log     *slog.Logger

	mu      sync.Mutex
	waiting []*waiter // in order of arrival
	reports int       // stock reports admitted since a call of the last kind (neither report nor write)
	serving bool      // a goroutine serves the queue; it ends when no call waits

	woken  chan struct{} // holds one element if the queue must be checked again; nil until a call has waited
	handed time.Time     // when the pool last returned this pace; guarded by the pool's mutex
}

// waiter is a waiting call. admitted receives its ticket, or the reason why it is not sent.
type waiter struct {
	class
	deadline time.Time // zero if there is none
	admitted chan admission
}

type admission struct {
	ticket *ticket
	err    error
}

func newPace(ledgers Ledgers, account string, limits limits, log *slog.Logger) *pace {
	return &pace{ledger: ledgers.Of(account), shared: ledgers.Shared(), account: account, limits: limits, log: log}
}

// enter waits until the call may be sent. The error wraps [ErrTimeout] if ctx's deadline passes or is sure to pass
// before the call can be sent, [ErrUnavailable] if the breaker is open or the same request has failed too often, or
// [ErrPaceUnavailable] if the ledger cannot be changed. If ctx was cancelled, it is ctx's error.
func (p *pace) enter(ctx context.Context, k class) (*ticket, error) {
	if err := ctx.Err(); err != nil {
		return nil, contextError(err)
	}
	if t := p.tryEnter(k); t != nil {
		return t, nil
	}
	w := &waiter{class: k, admitted: make(chan admission, 1)}
	w.deadline, _ = ctx.Deadline()

	p.mu.Lock()
	p.waiting = append(p.waiting, w)
	if !p.serving {
		p.serving = true
		if p.woken == nil {
			p.woken = make(chan struct{}, 1)
		}
		go p.serve()
	}
	p.mu.Unlock()
	p.wake()

	select {
	case a := <-w.admitted:
		return a.ticket, a.err
	case <-ctx.Done():
		p.leave(w)
		return nil, contextError(ctx.Err())
	}
}

// tryEnter admits a call at once if no other call waits and the ledger allows it. It returns nil if the call has to
// wait. It also returns nil if the ledger is shared, because reading it can take longer than the caller's deadline.
func (p *pace) tryEnter(k class) (t *ticket) {
	if p.shared {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 {
		return nil
	}
	err := p.change(func(now instant, l *Ledger) bool {
		if l.Joined != "" || l.stopped(now, k) != nil {
			return false
		}
		if at, _ := l.next(now, k, now.Add(farFuture)); at.After(now) {
			return false
		}
		t = p.ticket(l, l.send(now, k, 0))
		return true
	})
	if err != nil {
		return nil // enter will return the error
	}
	return t
}

// leave removes a caller that has stopped waiting.
func (p *pace) leave(w *waiter) {
	p.mu.Lock()
	waited := p.removeLocked(w)
	p.mu.Unlock()
	if !waited {
		if a := <-w.admitted; a.ticket != nil {
			a.ticket.unsent()
		}
	}
	p.wake()
}

// removeLocked removes w from the queue. It returns false if w was not in the queue.
func (p *pace) removeLocked(w *waiter) bool {
	i := slices.Index(p.waiting, w)
	if i < 0 {
		return false
	}
	p.waiting = slices.Delete(p.waiting, i, i+1)
	return true
}

func (p *pace) wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.woken <- struct{}{}:
	default: // no call waits, or the queue is about to be checked anyway
	}
}

// serve admits waiting calls as the ledger allows, until no call waits.
func (p *pace) serve() {
	for {
		p.mu.Lock()
		line := p.queueLocked()
		p.serving = len(line) > 0
		p.mu.Unlock()
		if len(line) == 0 {
			return
		}
		again := p.deliver(p.check(line))
		alarm := time.NewTimer(again)
		select {
		case <-p.woken:
		case <-alarm.C:
		}
		alarm.Stop()
	}
}

// queueLocked returns the waiting calls in the order in which they should go.
func (p *pace) queueLocked() []*waiter {
	var writes, reports, others []*waiter
	for _, w := range p.waiting {
		switch {
		case w.write:
			writes = append(writes, w)
		case w.Stock:
			reports = append(reports, w)
		default:
			others = append(others, w)
		}
	}
	if p.reports >= patience && len(others) > 0 {
		return slices.Concat(writes, others[:1], reports, others[1:])
	}
	return slices.Concat(writes, reports, others)
}

// round is the result of one check of the ledger.
type round struct {
	admitted []decision
	again    time.Duration // time until the next check, unless the pace is woken before
}

type decision struct {
	*waiter
	admission
}

// check decides which calls of the queue may go.
func (p *pace) check(line []*waiter) (r round) {
	err := p.change(func(now instant, l *Ledger) bool {
		r = p.admit(now, l, line)
		return slices.ContainsFunc(r.admitted, func(d decision) bool { return d.ticket != nil })
	})
	if err != nil {
		p.log.Error("keep the pace", "account", p.account, "error", err)
		return refuseAll(line, fmt.Errorf("%w: %w", ErrPaceUnavailable, err))
	}
	return r
}

func refuseAll(line []*waiter, err error) (r round) {
	for _, w := range line {
		r.admitted = append(r.admitted, decision{w, admission{err: err}})
	}
	return r
}

// deliver passes the decisions to the waiting callers. It returns the time until the next check.
func (p *pace) deliver(r round) time.Duration {
	var late []*ticket // tickets of callers that have stopped waiting
	p.mu.Lock()
	for _, d := range r.admitted {
		if p.removeLocked(d.waiter) {
			p.countLocked(d)
			d.admitted <- d.admission
		} else if d.ticket != nil {
			late = append(late, d.ticket)
		}
	}
	p.mu.Unlock()
	for _, t := range late {
		t.unsent()
	}
	return r.again
}

func (p *pace) countLocked(d decision) {
	switch {
	case d.ticket == nil, d.write: // refused calls and writes do not count
	case d.Stock:
		p.reports++
	default:
		p.reports = 0
	}
}

// admit admits the calls that may go now and refuses those that cannot be served in time.
func (p *pace) admit(now instant, l *Ledger, line []*waiter) (r round) {
	if l.Joined != "" {
		return refuseAll(line, joinedError{l.Joined})
	}
	never := now.Add(farFuture)
	alarm, stockWaits := never, false
	var behind []*waiter
	for i, w := range line {
		if err := l.stopped(now, w.class); err != nil {
			r.admitted = append(r.admitted, decision{w, admission{err: err}})
			alarm = now // no answer to this call will wake the pace
			continue
		}
		if w.Stock && stockWaits {
			behind = append(behind, w)
			continue
		}
		at, withoutStockLimit := l.next(now, w.class, never)
		if !at.After(now) {
			r.admitted = append(r.admitted, decision{w, admission{ticket: p.ticket(l, l.send(now, w.class, p.lease()))}})
			continue
		}
		alarm = min(alarm, p.nextCheck(now, l, w.class, at))
		if withoutStockLimit.After(now) {
			behind = append(behind, line[i:]...)
			break
		}
		behind, stockWaits = append(behind, w), true
	}
	r.admitted = append(r.admitted, refuseLate(now, l, behind)...)
	r.again = alarm.Sub(now)
	return r
}

// nextCheck returns when to check a call again; at is when it can go. Answers to the calls of other processes do
// not wake this pace, so with a shared ledger it polls.
func (p *pace) nextCheck(now instant, l *Ledger, k class, at instant) instant {
	if !p.shared {
		return at
	}
	soonest, _ := l.next(now, k, now)
	poll := now.Add(pollTime + rand.N(pollTime))
	return min(at, max(soonest, poll))
}

// refuseLate refuses calls that would miss their deadline even if every call in flight were answered at once.
func refuseLate(now instant, l *Ledger, behind []*waiter) (refused []decision) {
	var ahead struct{ stock, other int }
	for _, w := range behind {
		line := &ahead.other
		if w.Stock {
			line = &ahead.stock
		}
		if !w.deadline.IsZero() {
			if wait := l.soonest(now, w.class, *line).Sub(now); wait > time.Until(w.deadline) {
				refused = append(refused, decision{w, admission{err: fmt.Errorf("%w: the account's rate limit allows the call only in %s",
					ErrTimeout, wait.Round(time.Millisecond))}})
				continue
			}
		}
		*line++
	}
	return refused
}

// idle reports whether no call waits.
func (p *pace) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) == 0
}

// contextError converts the error of an ended context to an error of this package.
func contextError(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return err
}
