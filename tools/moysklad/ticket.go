package moysklad

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
)

// In a shared ledger a call has its place for leaseTime, and renews it as long as it runs.
const (
	leaseTime    = 15 * time.Second
	renewTime    = 5 * time.Second
	headersValid = time.Second // how long an answer's headers describe the account's state
)

// ticket is an admitted call. Its holder records the outcome and must finally call over or unsent, which changes the ledger.
// Only answers that other calls wait for are recorded before that.
type ticket struct {
	pace            *pace
	id              int64
	showsWeight     bool // the answer's headers may show the weight
	headersRecorded bool // the ledger has these headers

	answer        time.Time // when the answer began; zero if there was none
	limit         int       // units in the headers; negative if missing
	left          int
	recordOutcome func(now moment, l *Ledger, c *call) // c is nil if the ledger no longer has the call

	end chan struct{} // closed when the call is over; nil if nobody waits for that
}

func (p *pace) ticket(l *Ledger, c *call) *ticket {
	return &ticket{pace: p, id: c.id, showsWeight: c.alone && !c.heavy && !l.weightKnown}
}

func (p *pace) lease() time.Duration {
	if p.shared {
		return leaseTime
	}
	return 0
}

// arrived records in the ledger that the call counts as arrived: lateArrival has passed since it was written.
func (t *ticket) arrived() {
	err := t.pace.change(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil {
			l.arrived(now, c)
		}
		return c != nil
	})
	if err == nil { // otherwise the call counts until its answer begins
		t.pace.wake()
	}
}

// answered records that the answer has begun, with the units in its headers, negative if missing. If they can show the
// weight, the ledger learns it at once: other calls wait for it, and the body may be long.
func (t *ticket) answered(limit, remaining int) {
	t.answer, t.limit, t.left = time.Now(), limit, remaining
	if !t.showsWeight {
		return
	}
	err := t.pace.change(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil {
			t.recordAnswer(now, l, c, 0)
		}
		return c != nil
	})
	if t.headersRecorded = err == nil; t.headersRecorded {
		t.pace.wake()
	}
}

// recordAnswer records in the ledger an answer that began some time ago.
func (t *ticket) recordAnswer(now moment, l *Ledger, c *call, ago time.Duration) {
	if ago < headersValid {
		l.answered(now.Add(-ago), c, t.limit, t.left)
	} else {
		c.seen, l.ordinaryAnswered = now.Add(-ago), l.ordinaryAnswered || !c.heavy
	}
}

func (t *ticket) refused(crowded bool, retryAfter time.Duration) {
	t.recordOutcome = func(now moment, l *Ledger, _ *call) { l.refuse(now, crowded, retryAfter) }
}

func (t *ticket) failed() {
	t.recordOutcome = func(now moment, l *Ledger, _ *call) { l.fail(now) }
}

func (t *ticket) succeeded() {
	t.recordOutcome = func(_ moment, l *Ledger, c *call) {
		if c != nil {
			l.succeed(c)
		}
	}
}

// over records the outcome in the ledger and gives up the call's place.
func (t *ticket) over() {
	// The age of the answer is measured before the change. When f runs, now can be some time old, and an answer recorded as too
	// old would let the next call go too early.
	ago := time.Since(t.answer)
	t.finish(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil && !t.answer.IsZero() && !t.headersRecorded {
			t.recordAnswer(now, l, c, ago)
		}
		if t.recordOutcome != nil {
			t.recordOutcome(now, l, c)
		}
		if c != nil {
			l.finished(now, c)
		}
		return true
	})
}

// unsent takes back a call that was not sent after all.
func (t *ticket) unsent() {
	t.finish(func(_ moment, l *Ledger) bool {
		l.unsent(t.id)
		return true
	})
}

// finish makes the call's last change to the ledger.
func (t *ticket) finish(f func(now moment, l *Ledger) bool) {
	if t.end != nil {
		close(t.end)
	}
	if err := t.pace.change(f); err != nil {
		t.pace.log.Error("record the end of a call; its lease will end it", "account", t.pace.account, "error", err)
	}
	t.pace.wake()
}

// keep renews the call's lease until it is over. If that fails, the returned context ends with the cause [ErrPaceUnavailable]:
// another process may take the place, so the call must end. Call release at the end.
func (t *ticket) keep(ctx context.Context) (kept context.Context, release func()) {
	if t.pace.lease() == 0 {
		return ctx, func() {}
	}
	kept, lose := context.WithCancelCause(ctx)
	t.end = make(chan struct{})
	go func() {
		if caught.Logged(t.pace.log, "renewing a call's place", func() { t.renew(func() { lose(ErrPaceUnavailable) }) }) {
			lose(ErrPaceUnavailable)
		}
	}()
	return kept, func() { lose(nil) }
}

func (t *ticket) renew(lost func()) {
	kept := time.Now()
	next := time.NewTicker(renewTime)
	defer next.Stop()
	for {
		select {
		case <-t.end:
			return
		case <-next.C:
		}
		begun, known := time.Now(), true
		err := t.pace.change(func(now moment, l *Ledger) bool {
			l.prune(now)
			c := l.find(t.id)
			if known = c != nil; known {
				c.lease = now.Add(leaseTime)
			}
			return known
		})
		switch {
		case err == nil && known:
			kept = begun
		case !known, time.Since(kept)+renewTime > leaseTime:
			lost()
			return
		}
	}
}

// change changes the account's ledger, with this process's limits.
func (p *pace) change(f func(now moment, l *Ledger) bool) error {
	ctx := context.Background()
	if p.shared { // otherwise there is nothing to wait for
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, changeTime)
		defer cancel()
	}
	return p.ledger.Change(ctx, func(now time.Time, l *Ledger) bool {
		l.limits = p.limits
		return f(momentOf(now), l)
	})
}
