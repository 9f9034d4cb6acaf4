package moysklad

import "time"

// Times for measuring the weight of a call, which depends on the kind of token.
const (
	safeWeight   = 4                                   // the highest weight that the vendor has announced (for user tokens from 2026-12-01)
	measureWait  = time.Second                         // how long other calls wait for the answer of the call that shows the weight
	roomInterval = time.Minute                         // while the weight is unknown, ordinary calls are held back this often
	roomTime     = budgetWindow + 500*time.Millisecond // and for this time, so that one of them is alone in the budget
	usageMemory  = 10 * time.Second                    // how long calls are kept, to compare them with the units that an answer reports
)

// waitForMeasurement returns when an ordinary call may go without disturbing the measurement of the weight. All
// ordinary calls wait until the first one has been answered. If the weight is still unknown then, they are also held
// back once a minute until one of them can be alone in its window. Without that, no call would ever be alone under
// constant load, and safeWeight would apply to a light token forever.
func (l *Ledger) waitForMeasurement(now instant, k class, answers instant) instant {
	if k.Heavy {
		return now
	}
	for _, c := range l.Calls {
		if !l.OrdinaryAnswered && !c.Heavy && c.Seen.IsZero() {
			return max(now, min(c.endBy(answers), c.Sent.Add(measureWait)))
		}
	}
	until, making := l.makingRoom(now)
	if !making {
		return now
	}
	at := now
	for _, c := range l.Calls {
		if !c.Heavy {
			at = max(at, c.seenBy(answers).Add(budgetWindow))
		}
	}
	return min(at, until)
}

// makingRoom reports whether ordinary calls are held back now so that one of them can be alone, and until when at most.
// The limit exists because a slow answer must not hold up the account.
func (l *Ledger) makingRoom(now instant) (until instant, making bool) {
	if l.WeightKnown || l.WeightLostAt.IsZero() {
		return 0, false
	}
	unknown := now.Sub(l.WeightLostAt)
	into := unknown % roomInterval
	return now.Add(roomTime - into), unknown >= roomInterval && into < roomTime
}

// forgetWeight marks the weight as unknown.
func (l *Ledger) forgetWeight(now instant) {
	l.Weight, l.WeightKnown, l.WeightLostAt = safeWeight, false, now
}

// answered records that the answer to c has begun, and learns from its headers. limit and remaining are in units,
// negative if missing.
//
// If c is the only ordinary call in the budget, it shows the weight: all other calls cost five units, so the weight is
// the remainder of the used units divided by five. The difference in X-RateLimit-Remaining between two calls would not
// show it, because in between units become free by an undocumented rule.
//
// If more units were used than the ledger has recorded, the upstream has raised the weight or somebody else is calling.
// Then the missing units are added, and safeWeight applies until a call is alone again.
func (l *Ledger) answered(now instant, c *call, limit, remaining int) {
	c.Seen, l.OrdinaryAnswered = now, l.OrdinaryAnswered || !c.Heavy
	l.prune(now)
	lone := c.Alone && !c.Heavy && l.ordinary(c.Sent) == 1
	if limit <= 0 || remaining < 0 {
		l.WeightKnown = l.WeightKnown || lone // the upstream reports no units
		return
	}
	l.Capacity = max(min(limit, budget), heavyUnits)
	if now.Sub(c.Sent) > usageMemory {
		return
	}
	used, known, began := limit-remaining, 0, c.Sent.Add(-budgetWindow)
	for _, other := range l.Calls {
		if other.seenAfter(began) {
			known += other.Units
		}
	}
	if used > known {
		l.forgetWeight(now)
		l.Calls = append(l.Calls, &call{Units: used - known, Sent: now, Seen: now, Done: now})
		return
	}
	if !lone {
		return
	}
	if weight := used % heavyUnits; weight > 0 {
		l.Weight, c.Units, l.WeightKnown = weight, weight, true
	}
}

// ordinary returns the number of ordinary calls that can count in a window that ends at the given time or later.
func (l *Ledger) ordinary(then instant) (n int) {
	began := then.Add(-budgetWindow)
	for _, c := range l.Calls {
		if !c.Heavy && c.seenAfter(began) {
			n++
		}
	}
	return n
}

func (l *Ledger) unitsOf(k class) int {
	if k.Heavy {
		return heavyUnits
	}
	return l.ordinaryUnits()
}

func (l *Ledger) ordinaryUnits() int {
	if l.Weight == 0 {
		return safeWeight
	}
	return l.Weight
}

// units returns the number of units allowed in a budgetWindow.
func (l *Ledger) units() int {
	if l.Capacity == 0 {
		return budget
	}
	return l.Capacity
}
