package moysklad

import (
	"fmt"
	"time"
)

// Limits after refusals and failures.
const (
	raiseInterval = time.Minute  // after each such time without a 1073, one more call in flight is allowed
	longestHold   = time.Minute  // maximum for a Retry-After
	refusalHold   = budgetWindow // for a 429 without Retry-After
)

// restraint holds the additional restrictions of an account that the upstream's answers cause.
type restraint struct {
	Hold      instant  `json:"hold,omitempty"`    // nothing is sent before this
	Lowered   int      `json:"lowered,omitempty"` // by how many refusals with code 1073 have lowered the limit of calls in flight
	LoweredAt instant  `json:"lowered_at,omitempty"`
	Refused   breaker  `json:"refused,omitzero"` // counts answers with status 429
	Failed    failures `json:"failures,omitempty"`
}

// refuse records an answer with status 429. retryAfter is zero if the answer has none. crowded means that too many
// calls were in flight (code 1073), rather than too many units used.
func (l *Ledger) refuse(now instant, crowded bool, retryAfter time.Duration) {
	l.Refused.strike(now)
	if crowded {
		l.Lowered, l.LoweredAt = l.inFlight-max(l.parallel(now)-1, 1), now
		l.Hold = max(l.Hold, now.Add(min(retryAfter, longestHold)))
		return
	}
	if retryAfter <= 0 {
		retryAfter = refusalHold
	}
	l.Hold = max(l.Hold, now.Add(min(retryAfter, longestHold)))
	l.forgetWeight(now)
}

// accepted records an answer to c that was not a refusal, whatever else it says. It can close the breaker. c is nil if the
// ledger no longer has the call.
func (l *Ledger) accepted(c *call) {
	if c != nil {
		l.Refused.reset(c.Sent)
	}
}

// stopped returns why a call must not be sent now, so that the upstream does not lock the account, or nil.
func (r *restraint) stopped(now instant, k class) error {
	if until := r.Refused.Until; until.After(now) {
		return fmt.Errorf("%w: it refused too many calls; no call is sent until %s, so that it does not lock the account",
			ErrUnavailable, until.Time().UTC().Format(time.RFC3339))
	}
	if until := r.Failed.stoppedUntil(k.request); until.After(now) {
		return fmt.Errorf("%w: this request has failed %d times within a minute; it is not sent until %s, so that the upstream does not lock the account",
			ErrUnavailable, maxFailures, until.Time().UTC().Format(time.RFC3339))
	}
	return nil
}

// parallel returns how many calls may be in flight: one after a pause of the breaker, and fewer than configured for
// some minutes after a refusal with code 1073.
func (l *Ledger) parallel(now instant) int {
	if l.Refused.Tripped {
		return 1
	}
	back := min(int(now.Sub(l.LoweredAt)/raiseInterval), l.Lowered)
	return max(l.inFlight-l.Lowered+back, 1)
}
