package moysklad

import "time"

// How the weight is found out.
const (
	safeWeight = 4                                   // the most that the upstream announces (user tokens from 2026-12-01)
	loneWait   = time.Second                         // how long others wait for the call that tells the weight
	doubtful   = time.Minute                         // how often room is made for such a call while the weight is unknown
	roomTime   = budgetWindow + 500*time.Millisecond // for how long
	recalled   = 10 * time.Second                    // so long after a call was sent it is not known any more what was used up then
)

// lone keeps ordinary calls back while one is out that can tell the weight: the first of all, and, each minute that the
// weight stays unknown, one that goes when the windows have no other. Under constant load no call would ever be alone
// otherwise, and a light token would be held to the safe weight for ever.
func (l *Ledger) lone(now moment, k class, answers moment) moment {
	if k.heavy {
		return now
	}
	for _, c := range l.calls {
		if !l.heard && !c.heavy && c.seen.IsZero() {
			return max(now, min(c.overBy(answers), c.sent.Add(loneWait)))
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

// makingRoom says whether ordinary calls are held back now so that one of them can be alone, and until when at most: a
// slow answer must not hold up the account.
func (l *Ledger) makingRoom(now moment) (until moment, making bool) {
	if l.learned || l.doubted.IsZero() {
		return 0, false
	}
	unknown := now.Sub(l.doubted)
	into := unknown % doubtful
	return now.Add(roomTime - into), unknown >= doubtful && into < roomTime
}

// doubt takes the weight to be unknown from now on.
func (l *Ledger) doubt(now moment) {
	l.weight, l.learned, l.doubted = safeWeight, false, now
}

// answered notes that the answer to c has begun, and learns from its headers: limit and remaining are units, negative
// if the upstream did not say.
//
// A call that is the only ordinary one in the budget tells the weight: the others weigh five each, however many of them
// are counted already, so the weight is what is left over of the units used up. Changes of X-RateLimit-Remaining between
// any two calls are no measure: units come back meanwhile, by a rule that is not documented. When more was used up than
// this ledger knows of since c was sent, the upstream has raised the weight or someone else is calling: what is missing is
// entered, and the safe weight holds until a call is alone again.
func (l *Ledger) answered(now moment, c *call, limit, remaining int) {
	c.seen, l.heard = now, l.heard || !c.heavy
	l.prune(now)
	lone := c.alone && !c.heavy && l.ordinary(c.sent) == 1
	if limit <= 0 || remaining < 0 {
		l.learned = l.learned || lone // there is nothing to learn
		return
	}
	l.capacity = max(min(limit, budget), heavyUnits)
	if now.Sub(c.sent) > recalled {
		return
	}
	used, known, began := limit-remaining, 0, c.sent.Add(-budgetWindow)
	for _, other := range l.calls {
		if other.seenAfter(began) {
			known += other.units
		}
	}
	if used > known {
		l.doubt(now)
		l.calls = append(l.calls, &call{units: used - known, sent: now, seen: now, done: now})
		return
	}
	if !lone {
		return
	}
	if weight := used % heavyUnits; weight > 0 {
		l.weight, c.units, l.learned = weight, weight, true
	}
}

// ordinary is how many calls of the token's weight a window may have held at a moment, or later.
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

// units is how many a budgetWindow may hold.
func (l *Ledger) units() int {
	if l.capacity == 0 {
		return budget
	}
	return l.capacity
}
