package moysklad

import "time"

// Reactions to refusals and failures.
const (
	raiseInterval = time.Minute  // after this long without a 1073, one more call in flight is allowed
	longestHold   = time.Minute  // maximum for any Retry-After
	refusalHold   = budgetWindow // for a 429 without Retry-After
)

// restraint restricts an account further because of the upstream's answers.
type restraint struct {
	hold      moment // nothing is sent before this
	lowered   int    // by how much 1073 has lowered the limit of calls in flight
	loweredAt moment
	refused   breaker // counts 429
	failed    breaker // counts all errors
}

// refuse records an answer 429. retryAfter is zero if the answer has none. crowded means that the refusal is about
// calls in flight (1073), not about units.
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
	l.forgetWeight(now)
}

// fail records an error answer of any kind.
func (l *Ledger) fail(now moment) { l.failed.strike(now, maxFailures) }

// succeed records a successful answer: the upstream serves the account again.
func (l *Ledger) succeed(c *call) {
	l.refused.reset(c.sent)
	l.failed.reset(c.sent)
}

// pausedUntil returns when the breaker admits the next call. It is not after now if the breaker is closed.
func (r *restraint) pausedUntil() moment { return max(r.refused.until, r.failed.until) }

// parallel returns how many calls may be in flight: one after a pause, fewer than configured for some minutes after a
// 1073.
func (l *Ledger) parallel(now moment) int {
	if l.refused.tripped || l.failed.tripped {
		return 1
	}
	back := min(int(now.Sub(l.loweredAt)/raiseInterval), l.lowered)
	return max(l.inFlight-l.lowered+back, 1)
}
