package moysklad

import (
	"cmp"
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
)

// Bounds of the pace's own making.
const (
	second      = time.Second
	lateArrival = 500 * time.Millisecond // a call has arrived this long after it was written or given up, answered or not
	someday     = time.Hour              // "not before an answer comes": later than any window
)

// limits are the settings, each for any second or moment.
type limits struct{ rate, stockRate, inFlight int }

// class is what a call counts as.
type class struct {
	stock bool // report/stock/*: StockRate applies
	heavy bool // weighs heavyUnits
	write bool // goes before others that wait; all the same to the ledger
}

// call is one request in a [Ledger]. The upstream counted it at some moment from sent to seen, which only it knows, so
// for the units it counts from when it was let go until a whole window after its answer began: however the network bunches
// requests, no window at the upstream holds more than the ledger let through, which it would refuse.
//
// A stock report may be worked at for seconds before its answer begins. The limits for any second are not the upstream's
// but what our users promise it, so there a call is over a second after it has arrived at the latest: as its answer began,
// or lateArrival after it was written, whatever came first.
type call struct {
	class
	alone bool // no other call of the token's weight could be in the budget when it was sent
	id    int64
	units int
	sent  moment
	seen  moment // when its answer began; zero until then
	done  moment // when its answer was read to the end; zero until then
	lease moment // when it counts as done if nobody says so; zero is never

	arrived moment // lateArrival after it was written; zero until that has passed
}

// Ledger is what one account has been sent lately and what may be sent next. It is pure: time is handed in, and nothing
// here waits. The zero value is an account that nothing is known of. A process keeps it in memory, or several share it:
// see [Ledgers]. As text it is JSON.
type Ledger struct {
	limits // this process's settings; not part of the text

	calls    []*call // in order of sending, none older than prune tells
	lastID   int64
	capacity int // units a budgetWindow may hold, as the upstream last said; 0 is budget

	weight  int    // units of an ordinary call; 0 is safeWeight
	heard   bool   // an ordinary call was answered, which tells the weight if anything does
	learned bool   // and it told
	doubted moment // when the weight last became unknown; zero if no call has been sent yet

	restraint
}

// next is the earliest moment, not before now, at which a call of class k may be sent, and the earliest that it could
// be if stock reports were not limited. Calls without an answer are taken to be answered at the moment answers, or when
// their lease ends.
func (l *Ledger) next(now moment, k class, answers moment) (at, butForStock moment) {
	one := func(*call) int { return 1 }
	arrived := func(c *call) moment { return c.arrivedBy(answers) }

	butForStock = max(
		now,
		l.hold,
		l.room(now, second, l.rate, 1, one, arrived),
		l.room(
			now, budgetWindow, l.units(), l.unitsOf(k), func(c *call) int { return c.units }, func(c *call) moment { return c.seenBy(answers) },
		),
		l.room(now, 0, l.parallel(now), 1, one, func(c *call) moment { return c.doneBy(answers) }),
		l.lone(now, k, answers),
	)
	if !k.stock {
		return butForStock, butForStock
	}
	ofStock := func(c *call) int {
		if c.stock {
			return 1
		}
		return 0
	}
	return max(butForStock, l.room(now, second, l.stockRate, 1, ofStock, arrived)), butForStock
}

// overBy is when c is over if nobody says so: at the moment answers, or when its lease ends. What it has yet to leave its mark
// on, it leaves then.
func (c *call) overBy(answers moment) moment {
	if !c.lease.IsZero() && c.lease.Before(answers) {
		return c.lease
	}
	return answers
}

func (c *call) seenBy(answers moment) moment { return orWhen(c.seen, c.overBy(answers)) }

func (c *call) doneBy(answers moment) moment { return orWhen(c.done, c.overBy(answers)) }

func (c *call) arrivedBy(answers moment) moment {
	seen := c.seenBy(answers)
	return min(orWhen(c.arrived, seen), seen)
}

// soonest is a moment before which a call with so many of its kind ahead cannot be sent, however fast answers come.
func (l *Ledger) soonest(now moment, k class, ahead int) moment {
	at, _ := l.next(now, k, now)
	if k.stock {
		return at.Add(time.Duration(ahead/l.stockRate) * second)
	}
	wait := time.Duration(ahead/l.rate) * second
	if l.heard {
		wait = max(wait, time.Duration(ahead/(l.units()/l.ordinaryUnits()))*budgetWindow)
	}
	return at.Add(wait)
}

// room is when the calls that left their mark less than window ago (mark says when) leave need free of size.
func (l *Ledger) room(now moment, window time.Duration, size, need int, weigh func(*call) int, mark func(*call) moment) moment {
	began := now.Add(-window)
	for _, c := range l.calls {
		if mark(c).After(began) {
			size -= weigh(c)
		}
	}
	if need <= size {
		return now
	}
	type leaving struct {
		at    moment
		units int
	}
	var counted []leaving
	for _, c := range l.calls {
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
	return now.Add(someday)
}

// send enters a call that goes out now. With a lease it is over when that ends, though nobody may have said so.
func (l *Ledger) send(now moment, k class, lease time.Duration) *call {
	l.prune(now)
	l.lastID++
	c := &call{class: k, id: l.lastID, units: l.unitsOf(k), alone: l.ordinary(now) == 0, sent: now}
	if lease > 0 {
		c.lease = now.Add(lease)
	}
	if l.doubted.IsZero() {
		l.doubted = now
	}
	if _, making := l.makingRoom(now); making && c.alone && !k.heavy {
		l.heard = false // others wait for it
	}
	l.calls = append(l.calls, c)
	return c
}

// unsent takes back a call that did not go out after all.
func (l *Ledger) unsent(id int64) {
	l.calls = slices.DeleteFunc(l.calls, func(c *call) bool { return c.id == id })
}

// find is the call that was sent under an id; nil when its lease has ended, or the ledger was lost.
func (l *Ledger) find(id int64) *call {
	for _, c := range slices.Backward(l.calls) { // the last are asked for most
		if c.id == id && c.done.IsZero() {
			return c
		}
	}
	return nil
}

// arrived notes that lateArrival has passed since c was written.
func (l *Ledger) arrived(now moment, c *call) { c.arrived = now }

// finished notes that the answer to c was read to the end, or given up. Without an answer the call may arrive late.
func (l *Ledger) finished(now moment, c *call) {
	if c.seen.IsZero() {
		now = now.Add(lateArrival)
		c.seen = now
	}
	c.done = now
}

// prune ends calls whose lease has ended, and forgets those that no window can hold any more: now, or when a call arrived
// whose answer has yet to tell how much was used up then.
func (l *Ledger) prune(now moment) {
	since := now
	for _, c := range l.calls {
		if c.done.IsZero() && !c.lease.IsZero() && !c.lease.After(now) {
			c.seen, c.done = orWhen(c.seen, c.lease), c.lease
		}
		if c.done.IsZero() {
			since = max(now.Add(-recalled), min(since, c.sent))
		}
	}
	began := since.Add(-budgetWindow)
	l.calls = slices.DeleteFunc(l.calls, func(c *call) bool { return !c.seenAfter(began) && !c.done.IsZero() && !c.done.After(now) })
}

// seenAfter says whether a window that began at a moment, or later, may hold the call.
func (c *call) seenAfter(then moment) bool { return c.seen.IsZero() || c.seen.After(then) }

// absorb takes over another ledger's recent calls, as ended ones, and what the upstream said about its limits.
func (l *Ledger) absorb(now moment, other *Ledger) {
	for _, c := range other.calls {
		l.calls = append(l.calls, &call{
			class: c.class, units: c.units, sent: c.sent, seen: orWhen(c.seen, now), done: orWhen(c.done, now), arrived: c.arrived,
		})
	}
	if other.learned && !l.learned {
		l.weight, l.heard, l.learned = other.weight, true, true
	}
	l.hold = max(l.hold, other.hold)
}

// idle says whether nothing is in flight and no window holds anything.
func (l *Ledger) idle(now moment) bool {
	l.prune(now)
	return len(l.calls) == 0
}

func orWhen(t, unset moment) moment {
	if t.IsZero() {
		return unset
	}
	return t
}
