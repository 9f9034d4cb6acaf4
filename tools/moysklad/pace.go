package moysklad

import (
	"slices"
	"time"
)

// The upstream's own limits for one user or solution.
//
// Source: md/_restrictions.md, as of 2026-08-07.
const (
	budget       = 45              // units that any budgetWindow may hold
	budgetWindow = 3 * time.Second // X-Lognex-Retry-TimeInterval
	heavyUnits   = 5               // of report/stock/all and report/stock/bystore, whatever the token
	safeWeight   = 4               // of any other call: the most that the upstream announces (user tokens from 2026-12-01)
)

// Bounds of the pace's own making.
const (
	second       = time.Second
	loneWait     = time.Second            // how long others wait for the call that tells the weight
	lateArrival  = 500 * time.Millisecond // an unanswered call may still arrive this long after it was given up
	calm         = time.Minute            // without a 1073 for so long, one more call in flight is tried
	longestHold  = time.Minute            // whatever a Retry-After says
	refusalHold  = budgetWindow           // when a 429 says nothing
	someday      = time.Hour              // "not before an answer comes": later than any window
	maxRefusals  = 5                      // 429 within a minute; 4 more may be in flight, of 200 that lock an account out
	maxFailures  = 100                    // errors of any kind within a minute, of 200 identical ones
	failureSpan  = time.Minute            // what both are counted over
	breakerPause = time.Minute            // how long nothing is sent then
)

// class is what a call counts as.
type class struct {
	stock bool // report/stock/*: StockRate applies
	heavy bool // weighs heavyUnits
}

// call is one request in a [ledger]. The upstream counted it at some moment from sent to seen, which only it knows, so
// it counts from when it was sent until a whole window after its answer began: however the network bunches requests, no
// window at the upstream holds more than the ledger let through.
type call struct {
	class
	units int
	alone bool // no other call of the token's weight could be in the budget when it was sent
	sent  time.Time
	seen  time.Time // when its answer began; zero until then
	done  time.Time // when its answer was read to the end; zero until then
}

// ledger is what one account has been sent lately and what may be sent next. It is pure: time is handed in, and nothing
// here waits. Its zero value is not usable; see [newLedger].
type ledger struct {
	rate, stockRate, inFlight int // the settings, each for any second or moment

	calls    []*call // not older than any window, in order of sending
	capacity int     // units a budgetWindow may hold, as the upstream last said
	weight   int     // units of an ordinary call
	heard    bool    // an ordinary call was answered, which tells the weight if anything does

	hold    time.Time // nothing is sent before
	lowered time.Time // when a 1073 last lowered the calls in flight
	floor   int       // how many it left
	refused breaker   // 429
	failed  breaker   // any error
}

func newLedger(rate, stockRate, inFlight int) *ledger {
	return &ledger{
		rate: rate, stockRate: stockRate, inFlight: inFlight, floor: inFlight,
		capacity: budget, weight: safeWeight,
		refused: breaker{limit: maxRefusals}, failed: breaker{limit: maxFailures},
	}
}

// next is the earliest moment, not before now, at which a call of class k may be sent, and the earliest that it could
// be if stock reports were not limited. Calls without an answer are taken to be answered at the moment answers.
func (l *ledger) next(now time.Time, k class, answers time.Time) (at, butForStock time.Time) {
	seen := func(c *call) time.Time { return orWhen(c.seen, answers) }
	done := func(c *call) time.Time { return orWhen(c.done, answers) }
	one := func(*call) int { return 1 }

	butForStock = latest(now, l.hold,
		l.room(now, second, l.rate, 1, one, seen),
		l.room(now, budgetWindow, l.capacity, l.unitsOf(k), func(c *call) int { return c.units }, seen),
		l.room(now, 0, l.parallel(now), 1, one, done),
		l.lone(now, k, answers))
	if !k.stock {
		return butForStock, butForStock
	}
	ofStock := func(c *call) int {
		if c.stock {
			return 1
		}
		return 0
	}
	return latest(butForStock, l.room(now, second, l.stockRate, 1, ofStock, seen)), butForStock
}

// soonest is a moment before which a call with so many of its kind ahead cannot be sent, however fast answers come.
func (l *ledger) soonest(now time.Time, k class, ahead int) time.Time {
	at, _ := l.next(now, k, now)
	if k.stock {
		return at.Add(time.Duration(ahead/l.stockRate) * second)
	}
	wait := time.Duration(ahead/l.rate) * second
	if l.heard {
		wait = max(wait, time.Duration(ahead/(l.capacity/l.weight))*budgetWindow)
	}
	return at.Add(wait)
}

// room is when the calls that left their mark less than window ago (mark says when) leave need free of size.
func (l *ledger) room(now time.Time, window time.Duration, size, need int, weigh func(*call) int, mark func(*call) time.Time) time.Time {
	type leaving struct {
		at    time.Time
		units int
	}
	var counted []leaving
	for _, c := range l.calls {
		if at, units := mark(c).Add(window), weigh(c); units > 0 && at.After(now) {
			counted = append(counted, leaving{at, units})
			size -= units
		}
	}
	if need <= size {
		return now
	}
	slices.SortFunc(counted, func(a, b leaving) int { return a.at.Compare(b.at) })
	for _, c := range counted {
		if size += c.units; need <= size {
			return c.at
		}
	}
	return now.Add(someday)
}

// lone keeps ordinary calls back while the first of them is out: its answer tells the weight.
func (l *ledger) lone(now time.Time, k class, answers time.Time) time.Time {
	if l.heard || k.heavy {
		return now
	}
	for _, c := range l.calls {
		if !c.heavy && c.seen.IsZero() {
			return latest(now, earliest(answers, c.sent.Add(loneWait)))
		}
	}
	return now
}

// send enters a call that goes out now.
func (l *ledger) send(now time.Time, k class) *call {
	l.prune(now)
	c := &call{class: k, units: l.unitsOf(k), alone: l.ordinary() == 0, sent: now}
	l.calls = append(l.calls, c)
	return c
}

// unsent takes back a call that did not go out after all.
func (l *ledger) unsent(c *call) {
	l.calls = slices.DeleteFunc(l.calls, func(other *call) bool { return other == c })
}

// answered notes that the answer to c has begun, and learns from its headers: limit and remaining are units, negative
// if the upstream did not say.
//
// A call that is the only ordinary one in the budget tells the weight: the others weigh five each, however many of them
// are counted already, so the weight is what is left over of the units used up. Changes of X-RateLimit-Remaining between
// any two calls are no measure: units come back meanwhile, by a rule that is not documented. When more is used up than
// this ledger knows of, the upstream has raised the weight or someone else is calling: what is missing is entered, and
// the safe weight holds until a call is alone again.
func (l *ledger) answered(now time.Time, c *call, limit, remaining int) {
	c.seen, l.heard = now, l.heard || !c.heavy
	if limit <= 0 || remaining < 0 {
		return
	}
	l.prune(now)
	l.capacity = max(min(limit, budget), heavyUnits)
	used, known := limit-remaining, 0
	for _, other := range l.calls {
		known += other.units
	}
	if used > known {
		l.weight = safeWeight
		l.calls = append(l.calls, &call{units: used - known, sent: now, seen: now, done: now})
		return
	}
	if weight := used % heavyUnits; weight > 0 && c.alone && !c.heavy && l.ordinary() == 1 {
		l.weight, c.units = weight, weight
	}
}

// ordinary is how many calls of the token's weight a window may hold.
func (l *ledger) ordinary() (n int) {
	for _, c := range l.calls {
		if !c.heavy {
			n++
		}
	}
	return n
}

// finished notes that the answer to c was read to the end, or given up. Without an answer the call may arrive late.
func (l *ledger) finished(now time.Time, c *call) {
	if c.seen.IsZero() {
		now = now.Add(lateArrival)
		c.seen = now
	}
	c.done = now
}

// refuse notes an answer 429: retryAfter is what it asks for, zero if it asks for nothing, and crowded says that it
// is about calls in flight (1073), not about units.
func (l *ledger) refuse(now time.Time, crowded bool, retryAfter time.Duration) {
	l.fail(now)
	l.refused.strike(now)
	if crowded {
		l.floor, l.lowered = max(l.parallel(now)-1, 1), now
		l.hold = latest(l.hold, now.Add(min(retryAfter, longestHold)))
		return
	}
	if retryAfter <= 0 {
		retryAfter = refusalHold
	}
	l.hold = latest(l.hold, now.Add(min(retryAfter, longestHold)))
	l.weight = safeWeight
}

// fail notes an answer that is an error of any kind.
func (l *ledger) fail(now time.Time) { l.failed.strike(now) }

// succeed notes an answer that is none: the upstream serves the account again.
func (l *ledger) succeed(c *call) {
	l.refused.mend(c.sent)
	l.failed.mend(c.sent)
}

// pausedUntil is when the breaker lets the next call through; not after now when it is closed.
func (l *ledger) pausedUntil() time.Time { return latest(l.refused.until, l.failed.until) }

// parallel is how many calls may be in flight: one after a pause, fewer for some minutes after a 1073.
func (l *ledger) parallel(now time.Time) int {
	if l.refused.tripped || l.failed.tripped {
		return 1
	}
	return min(l.inFlight, l.floor+int(now.Sub(l.lowered)/calm))
}

func (l *ledger) unitsOf(k class) int {
	if k.heavy {
		return heavyUnits
	}
	return l.weight
}

// prune forgets calls that no window can hold any more.
func (l *ledger) prune(now time.Time) {
	l.calls = slices.DeleteFunc(l.calls, func(c *call) bool {
		return !c.done.IsZero() && !c.done.After(now) && !c.seen.Add(budgetWindow).After(now)
	})
}

// idle says whether nothing is in flight and no window holds anything.
func (l *ledger) idle(now time.Time) bool {
	l.prune(now)
	return len(l.calls) == 0
}

func orWhen(t, unset time.Time) time.Time {
	if t.IsZero() {
		return unset
	}
	return t
}

func latest(first time.Time, rest ...time.Time) time.Time {
	for _, t := range rest {
		if t.After(first) {
			first = t
		}
	}
	return first
}

func earliest(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
