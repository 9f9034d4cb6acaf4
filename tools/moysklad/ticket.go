package moysklad

import (
	"context"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
)

// A call's place in a shared ledger is its own for leaseTime, and is renewed as long as the call lasts.
const (
	leaseTime = 15 * time.Second
	renewTime = 5 * time.Second
	newsTime  = time.Second // an answer's headers tell of the account's state for so long
)

// ticket is a call that was let go. Its holder says what came of it, and in the end, always, that it is over; the ledger
// hears of all of it then, at once, and only of what others wait for before.
type ticket struct {
	pace    *pace
	id      int64
	teaches bool // the answer's headers may tell the weight
	told    bool // the ledger has heard of them

	answer  time.Time // when the answer began; zero without one
	limit   int       // units that it told of; negative if it did not
	left    int
	verdict func(now moment, l *Ledger, c *call) // c is nil when the ledger does not know the call any more

	end chan struct{} // closed when it is over; nil if nobody waits for that
}

func (p *pace) ticket(l *Ledger, c *call) *ticket {
	return &ticket{pace: p, id: c.id, teaches: c.alone && !c.heavy && !l.learned}
}

func (p *pace) lease() time.Duration {
	if p.shared {
		return leaseTime
	}
	return 0
}

// arrived tells the ledger that lateArrival has passed since the call was written.
func (t *ticket) arrived() {
	err := t.pace.change(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil {
			l.arrived(now, c)
		}
		return c != nil
	})
	if err == nil { // else it counts until its answer is over
		t.pace.wake()
	}
}

// answered notes that the answer has begun, and the units that its headers tell of, negative if they do not. Others wait
// for what tells the weight, and its body may be long: that the ledger hears at once.
func (t *ticket) answered(limit, remaining int) {
	t.answer, t.limit, t.left = time.Now(), limit, remaining
	if !t.teaches {
		return
	}
	err := t.pace.change(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil {
			t.heard(now, l, c, 0)
		}
		return c != nil
	})
	if t.told = err == nil; t.told {
		t.pace.wake()
	}
}

// heard tells the ledger of an answer that began some time ago.
func (t *ticket) heard(now moment, l *Ledger, c *call, ago time.Duration) {
	if ago < newsTime {
		l.answered(now.Add(-ago), c, t.limit, t.left)
	} else {
		c.seen, l.heard = now.Add(-ago), l.heard || !c.heavy
	}
}

func (t *ticket) refused(crowded bool, retryAfter time.Duration) {
	t.verdict = func(now moment, l *Ledger, _ *call) { l.refuse(now, crowded, retryAfter) }
}

func (t *ticket) failed() {
	t.verdict = func(now moment, l *Ledger, _ *call) { l.fail(now) }
}

func (t *ticket) succeeded() {
	t.verdict = func(_ moment, l *Ledger, c *call) {
		if c != nil {
			l.succeed(c)
		}
	}
}

// over tells the ledger all that is known of the call, which holds no place from now on.
func (t *ticket) over() {
	// Measured before the ledger is asked for: now may be a while old when it gets here, and an answer that is taken to be
	// older than it is lets the next call go too soon.
	ago := time.Since(t.answer)
	t.tell(func(now moment, l *Ledger) bool {
		c := l.find(t.id)
		if c != nil && !t.answer.IsZero() && !t.told {
			t.heard(now, l, c, ago)
		}
		if t.verdict != nil {
			t.verdict(now, l, c)
		}
		if c != nil {
			l.finished(now, c)
		}
		return true
	})
}

// unsent takes the call back, which did not go out after all.
func (t *ticket) unsent() {
	t.tell(func(_ moment, l *Ledger) bool {
		l.unsent(t.id)
		return true
	})
}

// tell says the last word of the call.
func (t *ticket) tell(f func(now moment, l *Ledger) bool) {
	if t.end != nil {
		close(t.end)
	}
	if err := t.pace.change(f); err != nil {
		t.pace.log.Error("tell the pace of a call; its lease will end it", "account", t.pace.account, "error", err)
	}
	t.pace.wake()
}

// keep renews the call's place until it is over. The context that it gives ends with ctx, and with the cause [ErrNoPace]
// when the place could not be kept: another process may take it then, so the call has to end. Call release in the end.
func (t *ticket) keep(ctx context.Context) (kept context.Context, release func()) {
	if t.pace.lease() == 0 {
		return ctx, func() {}
	}
	kept, lose := context.WithCancelCause(ctx)
	t.end = make(chan struct{})
	go func() {
		if caught.Logged(t.pace.log, "renewing a call's place", func() { t.renew(func() { lose(ErrNoPace) }) }) {
			lose(ErrNoPace)
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

// change hands f the account's ledger with this process's limits.
func (p *pace) change(f func(now moment, l *Ledger) bool) error {
	ctx := context.Background()
	if p.shared { // else there is nothing to wait for
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, changeTime)
		defer cancel()
	}
	return p.ledger.Change(ctx, func(now time.Time, l *Ledger) bool {
		l.limits = p.limits
		return f(momentOf(now), l)
	})
}
