package moysklad

import "time"

// Bounds of what follows refusals and failures.
const (
	calm        = time.Minute  // without a 1073 for so long, one more call in flight is tried
	longestHold = time.Minute  // whatever a Retry-After says
	refusalHold = budgetWindow // when a 429 says nothing
)

// restraint is what an account is held to beyond its limits because of what the upstream has answered.
type restraint struct {
	hold      moment // nothing is sent before
	lowered   int    // by how many calls in flight 1073 has lowered the limit
	loweredAt moment
	refused   breaker // 429
	failed    breaker // any error
}

// refuse notes an answer 429: retryAfter is what it asks for, zero if it asks for nothing, and crowded says that it
// is about calls in flight (1073), not about units.
func (l *Ledger) refuse(now moment, crowded bool, retryAfter time.Duration) {
	l.fail(now)
	l.refused.strike(now, maxRefusals)
	if crowded {
		l.lowered, l.loweredAt = l.inFlight-max(l.parallel(now)-1, 1), now
		l.hold = max(l.hold, now.Add(min(retryAfter, longestHold)))
		return
	}
	if retryAfter <= 0 {
		retryAfter = refusalHold
	}
	l.hold = max(l.hold, now.Add(min(retryAfter, longestHold)))
	l.doubt(now)
}

// fail notes an answer that is an error of any kind.
func (l *Ledger) fail(now moment) { l.failed.strike(now, maxFailures) }

// succeed notes an answer that is none: the upstream serves the account again.
func (l *Ledger) succeed(c *call) {
	l.refused.mend(c.sent)
	l.failed.mend(c.sent)
}

// pausedUntil is when the breaker lets the next call through; not after now when it is closed.
func (r *restraint) pausedUntil() moment { return max(r.refused.until, r.failed.until) }

// parallel is how many calls may be in flight: one after a pause, fewer for some minutes after a 1073.
func (l *Ledger) parallel(now moment) int {
	if l.refused.tripped || l.failed.tripped {
		return 1
	}
	back := min(int(now.Sub(l.loweredAt)/calm), l.lowered)
	return max(l.inFlight-l.lowered+back, 1)
}
