package moysklad

import "time"

// Limits after refusals and failures.
const (
	raiseInterval = time.Minute  // after each such time without a 1073, one more call in flight is allowed
	longestHold   = time.Minute  // maximum for a Retry-After
	refusalHold   = budgetWindow // for a 429 without Retry-After
)

// restraint holds the additional restrictions of an account that the upstream's answers cause.
type restraint struct {
	hold      instant // nothing is sent before this
	lowered   int     // by how many refusals with code 1073 have lowered the limit of calls in flight
	loweredAt instant
	refused   breaker // counts answers with status 429
	failed    breaker // counts all errors
}

// refuse records an answer with status 429. retryAfter is zero if the answer has none. crowded means that too many
// calls were in flight (code 1073), rather than too many units used.
func (l *Ledger) refuse(now instant, crowded bool, retryAfter time.Duration) {
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

// fail records an error answer, whatever its status.
func (l *Ledger) fail(now instant) { l.failed.strike(now, maxFailures) }

// succeed records a successful answer. It can close the breakers.
func (l *Ledger) succeed(c *call) {
	l.refused.reset(c.sent)
	l.failed.reset(c.sent)
}

// pausedUntil returns when the breakers admit the next call. If it is not after now, they are closed.
func (r *restraint) pausedUntil() instant { return max(r.refused.until, r.failed.until) }

// parallel returns how many calls may be in flight: one after a pause of the breaker, and fewer than configured for
// some minutes after a refusal with code 1073.
func (l *Ledger) parallel(now instant) int {
	if l.refused.tripped || l.failed.tripped {
		return 1
	}
	back := min(int(now.Sub(l.loweredAt)/raiseInterval), l.lowered)
	return max(l.inFlight-l.lowered+back, 1)
}
