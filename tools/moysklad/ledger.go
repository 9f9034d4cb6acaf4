package moysklad

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// The upstream's own limits for one user or solution.
//
// Source: md/_restrictions.md, as of 2026-08-07.
const (
	budget       = 45              // units in any budgetWindow
	budgetWindow = 3 * time.Second // X-Lognex-Retry-TimeInterval
	heavyUnits   = 5               // units of report/stock/all and of report/stock/bystore, for every token
)

// Limits of this client.
const (
	second      = time.Second
	lateArrival = 500 * time.Millisecond // a call counts as arrived this long after it was written or given up
	farFuture   = time.Hour              // later than any window; stands for "only after an answer"
)

// limits are the configured limits: calls per second, stock reports per second, and calls in flight.
type limits struct{ rate, stockRate, inFlight int }

// class determines which limits apply to a call.
type class struct {
	Stock bool `json:"stock,omitempty"` // report/stock/*: StockRate applies too
	Heavy bool `json:"heavy,omitempty"` // costs heavyUnits
	write bool // goes before other waiting calls in the queue; no limit depends on it

	request uint64 // a hash that is equal for identical requests, in every process
}

// call is one request in a [Ledger]. The upstream counts its units at an unknown time between Sent and Seen. The ledger
// therefore counts them from Sent until one window after Seen. So no window at the upstream holds more units than the
// ledger allowed, even if the network delays several requests and delivers them together.
//
// The limits per second are not the upstream's but a promise of Kopeck. The upstream may work on a stock report for
// seconds before it answers. So for these limits a call counts until one second after it arrived: at Seen, or at
// Arrived if that is earlier.
type call struct {
	class
	ID    int64   `json:"id"`
	Units int     `json:"units"`
	Alone bool    `json:"alone,omitempty"` // no other ordinary call counted against the budget when it was sent
	Sent  instant `json:"sent"`
	Seen  instant `json:"seen,omitempty"`  // when its answer began; zero until then
	Done  instant `json:"done,omitempty"`  // when its answer was read to the end; zero until then
	Lease instant `json:"lease,omitempty"` // it counts as done at this time even if nobody reports its end; zero means no lease

	Arrived instant `json:"arrived,omitempty"` // lateArrival after it was written; zero until then
}

// Ledger records which calls an account was sent recently, and decides when the next one may be sent. It takes the time
// as an argument and never waits. The zero value is an account without history. A ledger is kept in memory, or several
// processes share it as JSON; see [Ledgers].
type Ledger struct {
	limits // this process's settings; not part of the JSON
	history
}

// history is the part of a ledger that processes share as JSON. During an upgrade, two versions of the program share it, so
// fields may be added, but their names in JSON and their meaning must not change.
type history struct {
	Calls    []*call `json:"calls,omitempty"` // in order of sending; prune removes old ones
	LastID   int64   `json:"last_id,omitempty"`
	Capacity int     `json:"capacity,omitempty"` // units allowed in a budgetWindow, as last reported by the upstream; 0 means budget

	Joined string `json:"joined,omitempty"` // the account whose ledger has taken over this one, which admits no more calls; empty if there is none

	Weight           int     `json:"weight,omitempty"`  // units of an ordinary call; 0 means safeWeight
	OrdinaryAnswered bool    `json:"heard,omitempty"`   // an ordinary call was answered, so other calls need not wait for the weight
	WeightKnown      bool    `json:"learned,omitempty"` // Weight was measured
	WeightLostAt     instant `json:"doubted,omitempty"` // when the weight last became unknown; zero before the first call

	restraint
}

// MarshalJSON encodes the ledger without the settings of this process.
func (l *Ledger) MarshalJSON() ([]byte, error) { return json.Marshal(&l.history) }

// UnmarshalJSON decodes the output of [Ledger.MarshalJSON].
func (l *Ledger) UnmarshalJSON(written []byte) error {
	*l = Ledger{}
	if err := json.Unmarshal(written, &l.history); err != nil {
		return fmt.Errorf("read a ledger: %w", err)
	}
	return nil
}

// next returns the earliest time, not before now, at which a call of class k may be sent, and the earliest time without
// the limit on stock reports. answers is the time at which calls in flight are assumed to be answered, unless their
// lease ends earlier.
func (l *Ledger) next(now instant, k class, answers instant) (at, withoutStockLimit instant) {
	one := func(*call) int { return 1 }
	arrived := func(c *call) instant { return c.arrivedBy(answers) }

	withoutStockLimit = max(
		now,
		l.Hold,
		l.whenFree(now, second, l.rate, 1, one, arrived),
		l.whenFree(
			now, budgetWindow, l.units(), l.unitsOf(k), func(c *call) int { return c.Units }, func(c *call) instant { return c.seenBy(answers) },
		),
		l.whenFree(now, 0, l.parallel(now), 1, one, func(c *call) instant { return c.doneBy(answers) }),
		l.waitForMeasurement(now, k, answers),
	)
	if !k.Stock {
		return withoutStockLimit, withoutStockLimit
	}
	ofStock := func(c *call) int {
		if c.Stock {
			return 1
		}
		return 0
	}
	return max(withoutStockLimit, l.whenFree(now, second, l.stockRate, 1, ofStock, arrived)), withoutStockLimit
}

// endBy returns when c is assumed to end if nobody reports its end: at the time answers or when its lease ends, whichever
// is earlier.
func (c *call) endBy(answers instant) instant {
	if !c.Lease.IsZero() && c.Lease.Before(answers) {
		return c.Lease
	}
	return answers
}

func (c *call) seenBy(answers instant) instant { return orIfZero(c.Seen, c.endBy(answers)) }

func (c *call) doneBy(answers instant) instant { return orIfZero(c.Done, c.endBy(answers)) }

func (c *call) arrivedBy(answers instant) instant {
	seen := c.seenBy(answers)
	return min(orIfZero(c.Arrived, seen), seen)
}

// soonest returns a lower bound for when a call can be sent, however fast answers come. ahead is the number of calls of
// the same kind before it.
func (l *Ledger) soonest(now instant, k class, ahead int) instant {
	at, _ := l.next(now, k, now)
	if k.Stock {
		return at.Add(time.Duration(ahead/l.stockRate) * second)
	}
	wait := time.Duration(ahead/l.rate) * second
	if l.OrdinaryAnswered {
		wait = max(wait, time.Duration(ahead/(l.units()/l.ordinaryUnits()))*budgetWindow)
	}
	return at.Add(wait)
}

// whenFree returns the time at which need units of a limit are free. size is the whole limit. weigh returns the units of
// a call. The call counts against the limit for the duration window, from the time that mark returns.
func (l *Ledger) whenFree(now instant, window time.Duration, size, need int, weigh func(*call) int, mark func(*call) instant) instant {
	began := now.Add(-window)
	for _, c := range l.Calls {
		if mark(c).After(began) {
			size -= weigh(c)
		}
	}
	if need <= size {
		return now
	}
	type leaving struct {
		at    instant
		units int
	}
	var counted []leaving
	for _, c := range l.Calls {
		if at, units := mark(c).Add(window), weigh(c); units > 0 && at.After(now) {
			counted = append(counted, leaving{at, units})
		}
	}
	slices.SortFunc(counted, func(a, b leaving) int { return cmp.Compare(a.at, b.at) })
	for _, c := range counted {
		if size += c.units; need <= size {
			return c.at
		}
	}
	return now.Add(farFuture)
}

// send records a call that is sent now. If lease is not 0, the call ends after that time at the latest.
func (l *Ledger) send(now instant, k class, lease time.Duration) *call {
	l.prune(now)
	l.LastID++
	c := &call{class: k, ID: l.LastID, Units: l.unitsOf(k), Alone: l.ordinary(now) == 0, Sent: now}
	if lease > 0 {
		c.Lease = now.Add(lease)
	}
	if l.WeightLostAt.IsZero() {
		l.WeightLostAt = now
	}
	if _, making := l.makingRoom(now); making && c.Alone && !k.Heavy {
		l.OrdinaryAnswered = false // other calls wait for its answer
	}
	l.Calls = append(l.Calls, c)
	return c
}

// unsent removes a call that was not sent after all.
func (l *Ledger) unsent(id int64) {
	l.Calls = slices.DeleteFunc(l.Calls, func(c *call) bool { return c.ID == id })
}

// find returns the call with an id. It returns nil if the call has ended or the ledger was lost.
func (l *Ledger) find(id int64) *call {
	for _, c := range slices.Backward(l.Calls) { // most look-ups are for recent calls
		if c.ID == id && c.Done.IsZero() {
			return c
		}
	}
	return nil
}

// finished records that the answer to c was read to the end, or that the call was given up. If the call has had no
// answer, it may still arrive at the upstream later.
func (l *Ledger) finished(now instant, c *call) {
	if c.Seen.IsZero() {
		now = now.Add(lateArrival)
		c.Seen = now
	}
	c.Done = now
}

// prune ends calls whose lease has ended, and removes calls that are no longer needed. A call is needed while it counts
// in the current window. It is also needed while it may count in the window of a call in flight, because the answer to
// that call will report the units used when it arrived.
func (l *Ledger) prune(now instant) {
	since := now
	for _, c := range l.Calls {
		if c.Done.IsZero() && !c.Lease.IsZero() && !c.Lease.After(now) {
			c.Seen, c.Done = orIfZero(c.Seen, c.Lease), c.Lease
		}
		if c.Done.IsZero() {
			since = max(now.Add(-usageMemory), min(since, c.Sent))
		}
	}
	began := since.Add(-budgetWindow)
	l.Calls = slices.DeleteFunc(l.Calls, func(c *call) bool { return !c.seenAfter(began) && !c.Done.IsZero() && !c.Done.After(now) })
}

// seenAfter reports whether the call may count in a window that begins at the given time or later.
func (c *call) seenAfter(then instant) bool { return c.Seen.IsZero() || c.Seen.After(then) }

// absorb adds the recent calls of another ledger, as ended calls, and what the upstream reported about that ledger's
// limits.
func (l *Ledger) absorb(now instant, other *Ledger) {
	for _, c := range other.Calls {
		l.Calls = append(l.Calls, &call{
			class: c.class, Units: c.Units, Sent: c.Sent, Seen: orIfZero(c.Seen, now), Done: orIfZero(c.Done, now), Arrived: c.Arrived,
		})
	}
	if other.WeightKnown && !l.WeightKnown {
		l.Weight, l.OrdinaryAnswered, l.WeightKnown = other.Weight, true, true
	}
	l.Hold = max(l.Hold, other.Hold)
}

// idle reports whether no call is in flight or counts in any window.
func (l *Ledger) idle(now instant) bool {
	l.prune(now)
	return len(l.Calls) == 0
}

func orIfZero(t, unset instant) instant {
	if t.IsZero() {
		return unset
	}
	return t
}

// Shift adds d to every time in the ledger. It is used after the clock was set.
func (l *Ledger) Shift(d time.Duration) {
	move := func(t *instant) {
		if !t.IsZero() {
			*t = t.Add(d)
		}
	}
	for _, c := range l.Calls {
		for _, t := range []*instant{&c.Sent, &c.Seen, &c.Done, &c.Lease, &c.Arrived} {
			move(t)
		}
	}
	move(&l.Refused.Until)
	for i := range l.Refused.Strikes {
		move(&l.Refused.Strikes[i])
	}
	for i := range l.Failed {
		move(&l.Failed[i].At)
	}
	for _, t := range []*instant{&l.WeightLostAt, &l.Hold, &l.LoweredAt} {
		move(t)
	}
}
