package limits

import (
	"context"
	"sync"
	"time"

	"github.com/kopeck/kopeck/proxy/spend"
)

const (
	// shareDivisor: a replica reserves one 32nd of the remaining limit at a time, so the number of writes grows only with the
	// logarithm of the limit.
	shareDivisor = 32
	// averageWindow is roughly how many recent requests the average use covers.
	averageWindow = 8
	// retryAfter is how long a replica waits before it asks again for a share of a used-up limit. Meanwhile others may have
	// returned a part of theirs.
	retryAfter = time.Second
)

// counter is this process's share of one limit in the current period.
type counter struct {
	ref    limitRef
	dbLock chan struct{} // held by the goroutine that uses the database

	mu             sync.Mutex
	periodStart    time.Time // when the period began
	share          spend.Sum // what is reserved for this process
	unused         spend.Sum // the part of share that was not used when it was last written
	used           spend.Sum // by requests that have ended
	held           spend.Sum // reserved for requests underway
	underway       int       // number of requests underway
	average        spend.Sum // recent use per request
	knownMax       spend.Sum // the limit when this process last reserved a share
	unclaimed      spend.Sum // what was not reserved by any replica at that time
	exhaustedUntil time.Time // no new share is requested before this time
	lastUsed       time.Time
}

func newCounter(r limitRef) *counter { return &counter{ref: r, dbLock: make(chan struct{}, 1)} }

// ruleEstimate is an [Estimate] in the units of one rule.
type ruleEstimate struct{ minimum, byDefault spend.Sum }

// reservation is the part of a limit that is reserved for one request.
type reservation struct {
	rule        *Rule
	counter     *counter
	periodStart time.Time
	amount      spend.Sum
}

// startPeriodLocked starts a new period if since is later than the start of the current one. A request counts in the period
// in which it ends.
func (c *counter) startPeriodLocked(since time.Time) {
	if since.After(c.periodStart) {
		c.periodStart, c.exhaustedUntil = since, time.Time{}
		c.share, c.unused, c.used, c.held, c.unclaimed = spend.Sum{}, spend.Sum{}, spend.Sum{}, spend.Sum{}, spend.Sum{}
	}
}

// tryHoldLocked reserves the expected use of a request if this process's share is large enough.
func (c *counter) tryHoldLocked(r *Rule, expected spend.Sum) (reservation, bool) {
	if c.share.Less(c.used.Plus(c.held).Plus(expected)) {
		return reservation{}, false
	}
	return c.holdLocked(r, expected), true
}

func (c *counter) holdLocked(r *Rule, amount spend.Sum) reservation {
	c.held = c.held.Plus(amount)
	c.underway++
	return reservation{r, c, c.periodStart, amount}
}

// expectedLocked returns the expected use of a request: the recent average, but at least the estimate's minimum.
func (c *counter) expectedLocked(estimate ruleEstimate) spend.Sum {
	if c.average == (spend.Sum{}) {
		return estimate.byDefault
	}
	if estimate.minimum.Less(c.average) {
		return c.average
	}
	return estimate.minimum
}

// settle replaces the reservation by what the request has actually used.
func (r reservation) settle(used spend.Sum, now time.Time) {
	c := r.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startPeriodLocked(r.rule.Period.start(now))
	if r.periodStart.Equal(c.periodStart) {
		c.held = c.held.Minus(r.amount)
	}
	c.underway--
	c.used, c.lastUsed = c.used.Plus(used), now
	if c.average == (spend.Sum{}) {
		c.average = used
		return
	}
	c.average = c.average.Minus(c.average.DividedBy(averageWindow)).Plus(used.DividedBy(averageWindow))
}

// cancel releases the reservation of a request that was not sent.
func (r reservation) cancel() {
	c := r.counter
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.periodStart.Equal(c.periodStart) {
		c.held = c.held.Minus(r.amount)
	}
	c.underway--
}

// hold reserves a part of the limit for a request, or returns an [*ExceededError].
func (l *Limiter) hold(ctx context.Context, c *counter, r *Rule, estimate ruleEstimate) (reservation, error) {
	if h, done, err := c.tryLocal(r, estimate, l.now()); done {
		return h, err
	}
	select {
	case c.dbLock <- struct{}{}:
		defer func() { <-c.dbLock }()
	case <-ctx.Done():
		return reservation{}, context.Cause(ctx)
	}
	now := l.now()
	if h, done, err := c.tryLocal(r, estimate, now); done { // meanwhile another goroutine has reserved a larger share
		return h, err
	}
	if err := l.takeShare(ctx, c, r, estimate, now); err != nil {
		return reservation{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.holdOrRefuseLocked(r, estimate, now)
}

// tryLocal decides about a request without the database. done is false if it cannot.
func (c *counter) tryLocal(r *Rule, estimate ruleEstimate, now time.Time) (h reservation, done bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.startPeriodLocked(r.Period.start(now))
	c.lastUsed = now
	if r.Max != c.knownMax { // first use, or the limit has changed, so the share is not valid
		return reservation{}, false, nil
	}
	if h, done = c.tryHoldLocked(r, c.expectedLocked(estimate)); done {
		return h, true, nil
	}
	if now.Before(c.exhaustedUntil) {
		h, err = c.holdOrRefuseLocked(r, estimate, now)
		return h, true, err
	}
	return reservation{}, false, nil
}

// holdOrRefuseLocked decides about a request when the share cannot be increased. As long as anything is left, the request
// is admitted, even if it exceeds the limit.
func (c *counter) holdOrRefuseLocked(r *Rule, estimate ruleEstimate, now time.Time) (reservation, error) {
	if h, done := c.tryHoldLocked(r, c.expectedLocked(estimate)); done {
		return h, nil
	}
	if r.Measure != Requests && c.used.Plus(c.held).Less(c.share) {
		return c.holdLocked(r, c.expectedLocked(estimate)), nil
	}
	return reservation{}, c.exceededLocked(r, now)
}

func (c *counter) exceededLocked(r *Rule, now time.Time) error {
	e := &ExceededError{Rule: *r, Wait: r.Period.remaining(now)}
	if e.Pending = r.Measure != Requests && c.underway > 0 && c.used.Less(c.share); e.Pending && (e.Wait == 0 || e.Wait > retryAfter) {
		e.Wait = retryAfter
	}
	return e
}

// left returns what is left of a limit as far as this process knows.
func (c *counter) left() spend.Sum {
	c.mu.Lock()
	defer c.mu.Unlock()
	left := c.unclaimed.Plus(c.share).Minus(c.used).Minus(c.held)
	if left.Units < 0 {
		return spend.Sum{}
	}
	return left
}
