package moysklad

import "time"

// How the weight of a token is measured.
const (
	safeWeight   = 4                                   // the highest announced weight (user tokens from 2026-12-01)
	measureWait  = time.Second                         // how long other calls wait for the call that shows the weight
	roomInterval = time.Minute                         // how often room is made for such a call while the weight is unknown
	roomTime     = budgetWindow + 500*time.Millisecond // how long that room lasts
	usageMemory  = 10 * time.Second                    // how long calls are kept to compare them with the units of an answer
)

// waitForMeasurement returns when an ordinary call may go without disturbing the measurement. Ordinary calls wait for the answer to
// the first one. While the weight stays unknown, they also wait once a minute until one of them can be alone in the
// windows: under constant load no call would ever be alone otherwise, and a light token would stay at the safe weight.
func (l *Ledger) waitForMeasurement(now moment, k class, answers moment) moment {
	if k.heavy {
		return now
	}
	for _, c := range l.calls {
		if !l.ordinaryAnswered && !c.heavy && c.seen.IsZero() {
			return max(now, min(c.endBy(answers), c.sent.Add(measureWait)))
		}
	}
	until, making := l.makingRoom(now)
	if !making {
		return now
	}
	at := now
	for _, c := range l.calls {
		if !c.heavy {
			at = max(at, c.seenBy(answers).Add(budgetWindow))
		}
	}
	return min(at, until)
}

// makingRoom reports whether ordinary calls are held back now so that one of them can be alone, and until when at most:
// a slow answer must not hold up the account.
func (l *Ledger) makingRoom(now moment) (until moment, making bool) {
	if l.weightKnown || l.weightLostAt.IsZero() {
		return 0, false
	}
	unknown := now.Sub(l.weightLostAt)
	into := unknown % roomInterval
	return now.Add(roomTime - into), unknown >= roomInterval && into < roomTime
}

// forgetWeight marks the weight as unknown.
func (l *Ledger) forgetWeight(now moment) {
	l.weight, l.weightKnown, l.weightLostAt = safeWeight, false, now
}

// answered records that the answer to c has begun, and learns from its headers. limit and remaining are in units,
// negative if missing.
//
// If c is the only ordinary call in the budget, it shows the weight: all other calls weigh five, so the weight is the
// remainder of the used units divided by five. The change of X-RateLimit-Remaining between two calls does not show it,
// because units come back in between by an undocumented rule. If more units were used than the ledger has recorded, the
// upstream has raised the weight or someone else is calling. Then the missing units are added, and the safe weight
// applies until a call is alone again.
func (l *Ledger) answered(now moment, c *call, limit, remaining int) {
	c.seen, l.ordinaryAnswered = now, l.ordinaryAnswered || !c.heavy
	l.prune(now)
	lone := c.alone && !c.heavy && l.ordinary(c.sent) == 1
	if limit <= 0 || remaining < 0 {
		l.weightKnown = l.weightKnown || lone // the upstream reports no units
		return
	}
	l.capacity = max(min(limit, budget), heavyUnits)
	if now.Sub(c.sent) > usageMemory {
		return
	}
	used, known, began := limit-remaining, 0, c.sent.Add(-budgetWindow)
	for _, other := range l.calls {
		if other.seenAfter(began) {
			known += other.units
		}
	}
	if used > known {
		l.forgetWeight(now)
		l.calls = append(l.calls, &call{units: used - known, sent: now, seen: now, done: now})
		return
	}
	if !lone {
		return
	}
	if weight := used % heavyUnits; weight > 0 {
		l.weight, c.units, l.weightKnown = weight, weight, true
	}
}

// ordinary returns the number of ordinary calls that a window ending at then or later may hold.
func (l *Ledger) ordinary(then moment) (n int) {
	began := then.Add(-budgetWindow)
	for _, c := range l.calls {
		if !c.heavy && c.seenAfter(began) {
			n++
		}
	}
	return n
}

func (l *Ledger) unitsOf(k class) int {
	if k.heavy {
		return heavyUnits
	}
	return l.ordinaryUnits()
}

func (l *Ledger) ordinaryUnits() int {
	if l.weight == 0 {
		return safeWeight
	}
	return l.weight
}

// units returns the number of units that a budgetWindow may hold.
func (l *Ledger) units() int {
	if l.capacity == 0 {
		return budget
	}
	return l.capacity
}
