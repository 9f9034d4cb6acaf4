package moysklad

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
)

// In a shared ledger, a call holds its in-flight slot with a lease of leaseTime. It renews the lease as long as it
// runs.
const (
	leaseTime    = 15 * time.Second
	renewTime    = 5 * time.Second
	headersValid = time.Second // headers of an answer that began longer ago are ignored
)

// ticket represents an admitted call. Its holder records the outcome in it, and must finally call over or unsent, which
// write the outcome to the ledger. Only an answer that other calls wait for is written earlier.
type ticket struct {
	pace            *pace
	id              int64
	request         uint64 // see [class]
	showsWeight     bool   // the headers of the answer may show the weight of a call
	headersRecorded bool   // these headers have been recorded in the ledger

	answer        time.Time                             // when the answer began; zero if there was none
	limit         int                                   // X-RateLimit-Limit of the answer; negative if missing
	left          int                                   // X-RateLimit-Remaining of the answer; negative if missing
	recordOutcome func(now instant, l *Ledger, c *call) // c is nil if the ledger no longer has the call

	end chan struct{} // closed when the call is over; nil if the call has no lease
}

func (p *pace) ticket(l *Ledger, c *call) *ticket {
	return &ticket{pace: p, id: c.ID, request: c.request, showsWeight: c.Alone && !c.Heavy && !l.WeightKnown}
}

func (p *pace) lease() time.Duration {
	if p.shared {
		return leaseTime
	}
	return 0
}

// arrived records in the ledger that lateArrival has passed since the call was written, so that it counts as arrived.
func (t *ticket) arrived() {
	err := t.pace.change(func(now instant, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil {
			c.Arrived = now
		}
		return c != nil
	})
	if err == nil { // after an error, the call counts as not arrived until its answer begins
		t.pace.wake()
	}
}

// answered records that the answer has begun. limit and remaining are the units in its headers, negative if missing. If
// the headers can show the weight, they are recorded in the ledger at once: other calls wait for the weight, and
// reading the body may take long.
func (t *ticket) answered(limit, remaining int) {
	t.answer, t.limit, t.left = time.Now(), limit, remaining
	if !t.showsWeight {
		return
	}
	err := t.pace.change(func(now instant, l *Ledger) bool {
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

// recordAnswer records in the ledger that the answer to c began some time ago, which is counted back from now.
func (t *ticket) recordAnswer(now instant, l *Ledger, c *call, ago time.Duration) {
	if ago < headersValid {
		l.answered(now.Add(-ago), c, t.limit, t.left)
	} else {
		c.Seen, l.OrdinaryAnswered = now.Add(-ago), l.OrdinaryAnswered || !c.Heavy
	}
}

func (t *ticket) refused(crowded bool, retryAfter time.Duration) {
	t.recordOutcome = func(now instant, l *Ledger, _ *call) { l.refuse(now, crowded, retryAfter) }
}

// failed records an error answer other than a refusal.
func (t *ticket) failed() {
	t.recordOutcome = func(now instant, l *Ledger, c *call) {
		l.Failed.add(now, t.request)
		l.accepted(c)
	}
}

// succeeded records an answer that is no error.
func (t *ticket) succeeded() {
	t.recordOutcome = func(_ instant, l *Ledger, c *call) { l.accepted(c) }
}

// over records the outcome in the ledger and frees the call's slot.
func (t *ticket) over() {
	// The age is computed before the change, because the database reads the time now before f runs. If f computed the
	// age, the answer would be recorded as too old, and the next call could go too early.
	ago := time.Since(t.answer)
	t.finish(func(now instant, l *Ledger) bool {
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

// unsent removes from the ledger a call that was admitted but not sent.
func (t *ticket) unsent() {
	t.finish(func(_ instant, l *Ledger) bool {
		l.unsent(t.id)
		return true
	})
}

// finish makes the last change of the ledger for this call.
func (t *ticket) finish(f func(now instant, l *Ledger) bool) {
	if t.end != nil {
		close(t.end)
	}
	if err := t.pace.change(f); err != nil {
		t.pace.log.Error("record the end of a call; its lease will end it", "account", t.pace.account, "error", err)
	}
	t.pace.wake()
}

// keep renews the call's lease until the call is over. If it cannot be renewed, another process may use the slot, so
// the call must end: the returned context is then cancelled with the cause [ErrPaceUnavailable]. The caller must call
// release at the end.
func (t *ticket) keep(ctx context.Context) (kept context.Context, release func()) {
	if t.pace.lease() == 0 {
		return ctx, func() {}
	}
	kept, lose := context.WithCancelCause(ctx)
	t.end = make(chan struct{})
	go func() {
		if caught.Logged(t.pace.log, "renewing a call's lease", func() { t.renew(func() { lose(ErrPaceUnavailable) }) }) {
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
		err := t.pace.change(func(now instant, l *Ledger) bool {
			l.prune(now)
			c := l.find(t.id)
			if known = c != nil; known {
				c.Lease = now.Add(leaseTime)
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

// change calls f to change the account's ledger. It first sets the limits of this process in the ledger.
func (p *pace) change(f func(now instant, l *Ledger) bool) error {
	ctx := context.Background()
	if p.shared { // a ledger in memory needs no time limit
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, changeTime)
		defer cancel()
	}
	return p.ledger.Change(ctx, func(now time.Time, l *Ledger) bool {
		l.limits = p.limits
		return f(instantOf(now), l)
	})
}
