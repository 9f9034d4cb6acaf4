package limits

import (
	"context"
	"sync"
	"time"

	"github.com/kopeck/kopeck/proxy/spend"
)

const (
	// partOfRest is which part of what is left a replica takes at once. The number of writes grows with the logarithm of a limit.
	partOfRest = 32
	// memoryOfUse is over about how many requests their use is averaged.
	memoryOfUse = 8
	// askAgain is how long nothing is asked for where nothing was left: others may have given back meanwhile.
	askAgain = time.Second
)

// counter is this process's share of one limit in its present period.
type counter struct {
	ref    ref
	asking chan struct{} // held by the one that asks the database

	mu      sync.Mutex
	since   time.Time // when the period began
	granted spend.Sum // taken of the limit for requests here
	used    spend.Sum // by requests that have ended
	held    spend.Sum // for requests under way
	open    int       // requests under way
	usual   spend.Sum // what a request has used lately
	most    spend.Sum // the limit as it was when it was last asked for
	rest    spend.Sum // what nobody had taken then
	empty   time.Time // until then nothing is asked for
	latest  time.Time // use
}

func newCounter(r ref) *counter { return &counter{ref: r, asking: make(chan struct{}, 1)} }

// guess is what a request looks like using of a limit: at least, and while nothing is known of such requests.
type guess struct{ least, first spend.Sum }

// hold is what is held for one request.
type hold struct {
	rule    *Rule
	counter *counter
	since   time.Time
	amount  spend.Sum
}

// turnLocked begins a new period, in which nothing is used. Requests under way are counted in the period in which they end.
func (c *counter) turnLocked(since time.Time) {
	if since.After(c.since) {
		c.since, c.granted, c.used, c.held, c.rest, c.empty = since, spend.Sum{}, spend.Sum{}, spend.Sum{}, spend.Sum{}, time.Time{}
	}
}

// takeLocked holds as much as a request is expected to use, if there is that much.
func (c *counter) takeLocked(r *Rule, expected spend.Sum) (hold, bool) {
	if c.granted.Less(c.used.Plus(c.held).Plus(expected)) {
		return hold{}, false
	}
	return c.holdLocked(r, expected), true
}

func (c *counter) holdLocked(r *Rule, amount spend.Sum) hold {
	c.held = c.held.Plus(amount)
	c.open++
	return hold{r, c, c.since, amount}
}

// expectedLocked is what a request that looks like so much is going to use.
func (c *counter) expectedLocked(looks guess) spend.Sum {
	if c.usual == (spend.Sum{}) {
		return looks.first
	}
	if looks.least.Less(c.usual) {
		return c.usual
	}
	return looks.least
}

// settle counts what a request has used in the place of what was held for it.
func (h hold) settle(used spend.Sum, now time.Time) {
	c := h.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turnLocked(h.rule.Period.began(now))
	if h.since.Equal(c.since) {
		c.held = c.held.Minus(h.amount)
	}
	c.open--
	c.used, c.latest = c.used.Plus(used), now
	if c.usual == (spend.Sum{}) {
		c.usual = used
		return
	}
	c.usual = c.usual.Minus(c.usual.Share(memoryOfUse)).Plus(used.Share(memoryOfUse))
}

// drop gives back what was held for a request that was not made.
func (h hold) drop() {
	c := h.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if h.since.Equal(c.since) {
		c.held = c.held.Minus(h.amount)
	}
	c.open--
}

// admit holds a request's part of the limit, or says that there is none. looks is what it is likely to use.
func (b *Book) admit(ctx context.Context, c *counter, r *Rule, looks guess) (hold, error) {
	if h, done, err := c.now(r, looks, b.now()); done {
		return h, err
	}
	select {
	case c.asking <- struct{}{}:
		defer func() { <-c.asking }()
	case <-ctx.Done():
		return hold{}, context.Cause(ctx)
	}
	now := b.now()
	if h, done, err := c.now(r, looks, now); done { // another has asked meanwhile
		return h, err
	}
	if err := b.ask(ctx, c, r, looks, now); err != nil {
		return hold{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lastLocked(r, looks, now)
}

// now decides without the database, if it can.
func (c *counter) now(r *Rule, looks guess, now time.Time) (h hold, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turnLocked(r.Period.began(now))
	c.latest = now
	if r.Most != c.most { // never asked for, or changed since: what is granted does not hold
		return hold{}, false, nil
	}
	if h, done = c.takeLocked(r, c.expectedLocked(looks)); done {
		return h, true, nil
	}
	if now.Before(c.empty) {
		h, err = c.lastLocked(r, looks, now)
		return h, true, err
	}
	return hold{}, false, nil
}

// lastLocked decides when no more is to be had: the request that crosses the limit is let through, if something is left.
func (c *counter) lastLocked(r *Rule, looks guess, now time.Time) (hold, error) {
	if h, done := c.takeLocked(r, c.expectedLocked(looks)); done {
		return h, nil
	}
	if r.Measure != Requests && c.used.Plus(c.held).Less(c.granted) {
		return c.holdLocked(r, c.expectedLocked(looks)), nil
	}
	return hold{}, c.exceededLocked(r, now)
}

func (c *counter) exceededLocked(r *Rule, now time.Time) error {
	e := &ExceededError{Rule: *r, Wait: r.Period.left(now)}
	if e.Taken = r.Measure != Requests && c.open > 0 && c.used.Less(c.granted); e.Taken && (e.Wait == 0 || e.Wait > askAgain) {
		e.Wait = askAgain
	}
	return e
}

// left is what is left of a limit, as far as this process knows.
func (c *counter) left() spend.Sum {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.rest.Plus(c.granted).Minus(c.used).Minus(c.held)
	if left.Units < 0 {
		return spend.Sum{}
	}
	return left
}
