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

// Bounds of waiting.
const (
	changeTime = 2 * time.Second       // for one change of a ledger
	pollTime   = 50 * time.Millisecond // between looks at a shared ledger whose calls in flight are other processes'
)

// patience is how many stock reports may go before another call that waits. They may go least often, so whoever needs many of
// them waits for them in the end: they are not to wait for others too.
const patience = 2

// pace holds back this process's calls to one account until its [Ledger] lets them go: writes first, so that little time
// passes since what they overwrite was read; then stock reports as they came, other calls as they came, and of both stock
// reports first, but for those that wait for their own limit, or when patience is over. Where several processes share the
// ledger, each has a line of its own, and those at the heads of the lines take what comes free in no order. It may be
// used by many goroutines.
type pace struct {
	ledger  Changer
	shared  bool // other processes change the ledger too
	account string
	limits  limits
	log     *slog.Logger

	mu      sync.Mutex
	waiting []*waiter // in order of arrival
	reports int       // of stock that have gone since another call went
	serving bool      // a goroutine serves the line; it ends with the last who waits

	woken  chan struct{} // holds one: something changed that may let the next go; nil until someone has waited
	handed time.Time     // when the pool last gave it out; guarded by the pool's mutex
}

// waiter is a call that waits. admitted receives its ticket, or the error for which it will not be sent.
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

// enter returns when the call may be sent at once. The error wraps [ErrTimeout] when ctx's deadline passes meanwhile, or
// is certain to; [ErrUnavailable] when the breaker is open; [ErrNoPace] when the ledger cannot be had; or is ctx's own
// when it was cancelled.
func (p *pace) enter(ctx context.Context, k class) (*ticket, error) {
	if err := ctx.Err(); err != nil {
		return nil, ended(err)
	}
	if t := p.pass(k); t != nil {
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
		return nil, ended(ctx.Err())
	}
}

// pass lets a call go without a line when nobody waits and there is room for it. It gives nil when the call has to wait,
// or the ledger is elsewhere: asking for that takes longer than some callers stay.
func (p *pace) pass(k class) (t *ticket) {
	if p.shared {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.waiting) > 0 {
		return nil
	}
	err := p.change(func(now moment, l *Ledger) bool {
		if l.pausedUntil().After(now) {
			return false
		}
		if at, _ := l.next(now, k, now.Add(someday)); at.After(now) {
			return false
		}
		t = p.ticket(l, l.send(now, k, 0))
		return true
	})
	if err != nil {
		return nil // the line will tell
	}
	return t
}

// leave takes a caller out who waits no longer.
func (p *pace) leave(w *waiter) {
	p.mu.Lock()
	waited := p.takeLocked(w)
	p.mu.Unlock()
	if !waited {
		if a := <-w.admitted; a.ticket != nil {
			a.ticket.unsent()
		}
	}
	p.wake()
}

// takeLocked removes w from the line; false if it is no longer in it.
func (p *pace) takeLocked(w *waiter) bool {
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
	default: // nobody waits, or it is known already
	}
}

// serve lets those who wait go, as the ledger allows, until nobody waits.
func (p *pace) serve() {
	for {
		p.mu.Lock()
		line := p.lineLocked()
		p.serving = len(line) > 0
		p.mu.Unlock()
		if len(line) == 0 {
			return
		}
		again := p.deliver(p.look(line))
		alarm := time.NewTimer(again)
		select {
		case <-p.woken:
		case <-alarm.C:
		}
		alarm.Stop()
	}
}

// lineLocked is the order in which those who wait may go.
func (p *pace) lineLocked() []*waiter {
	var writes, reports, others []*waiter
	for _, w := range p.waiting {
		switch {
		case w.write:
			writes = append(writes, w)
		case w.stock:
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

// round is what one look at the ledger has decided.
type round struct {
	admitted []decision
	again    time.Duration // until another look makes sense, unless something happens before
}

type decision struct {
	*waiter
	admission
}

// look decides about those in the line.
func (p *pace) look(line []*waiter) (r round) {
	err := p.change(func(now moment, l *Ledger) bool {
		r = p.admit(now, l, line)
		return slices.ContainsFunc(r.admitted, func(d decision) bool { return d.ticket != nil })
	})
	if err != nil {
		p.log.Error("keep the pace", "account", p.account, "error", err)
		return refuseAll(line, fmt.Errorf("%w: %w", ErrNoPace, err))
	}
	return r
}

func refuseAll(line []*waiter, err error) (r round) {
	for _, w := range line {
		r.admitted = append(r.admitted, decision{w, admission{err: err}})
	}
	return r
}

// deliver tells those in the line what was decided, and gives back when to look again.
func (p *pace) deliver(r round) time.Duration {
	var late []*ticket // of callers who have left meanwhile
	p.mu.Lock()
	for _, d := range r.admitted {
		if p.takeLocked(d.waiter) {
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
	case d.ticket == nil, d.write: // sent away, or in nobody's turn
	case d.stock:
		p.reports++
	default:
		p.reports = 0
	}
}

// admit lets the waiters go that may go now, refuses those that cannot be served in time, and says when the next may go.
func (p *pace) admit(now moment, l *Ledger, line []*waiter) (r round) {
	if until := l.pausedUntil(); until.After(now) {
		return refuseAll(line, fmt.Errorf("%w: it refused too many calls; to keep the account from being locked out no call is sent until %s",
			ErrUnavailable, until.Time().UTC().Format(time.RFC3339)))
	}
	never := now.Add(someday)
	alarm, stockWaits := never, false
	var behind []*waiter
	for i, w := range line {
		if w.stock && stockWaits {
			behind = append(behind, w)
			continue
		}
		at, butForStock := l.next(now, w.class, never)
		if !at.After(now) {
			r.admitted = append(r.admitted, decision{w, admission{ticket: p.ticket(l, l.send(now, w.class, p.lease()))}})
			continue
		}
		alarm = min(alarm, p.lookAgain(now, l, w.class, at))
		if butForStock.After(now) {
			behind = append(behind, line[i:]...)
			break
		}
		behind, stockWaits = append(behind, w), true
	}
	r.admitted = append(r.admitted, sendAway(now, l, behind)...)
	r.again = alarm.Sub(now)
	return r
}

// lookAgain is when a call that may go at a certain time should be looked at again. Other processes' answers are not
// heard here: whoever waits for one looks again and again.
func (p *pace) lookAgain(now moment, l *Ledger, k class, at moment) moment {
	if !p.shared {
		return at
	}
	soonest, _ := l.next(now, k, now)
	poll := now.Add(pollTime + rand.N(pollTime))
	return min(at, max(soonest, poll))
}

// sendAway refuses at once whoever could not be served in time even if every answer came at once.
func sendAway(now moment, l *Ledger, behind []*waiter) (away []decision) {
	var ahead struct{ stock, other int }
	for _, w := range behind {
		line := &ahead.other
		if w.stock {
			line = &ahead.stock
		}
		if !w.deadline.IsZero() {
			if wait := l.soonest(now, w.class, *line).Sub(now); wait > time.Until(w.deadline) {
				away = append(away, decision{w, admission{err: fmt.Errorf("%w: the account's pace leaves no room for %s",
					ErrTimeout, wait.Round(time.Millisecond))}})
				continue
			}
		}
		*line++
	}
	return away
}

// idle says whether nobody waits.
func (p *pace) idle() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.waiting) == 0
}

// ended is a context's end in the words of this package.
func ended(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("%w: %w", ErrTimeout, err)
	}
	return err
}
