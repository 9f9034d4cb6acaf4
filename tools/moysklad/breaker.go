package moysklad

import (
	"slices"
	"time"
)

// When a breaker opens, and for how long.
const (
	maxRefusals  = 5           // of status 429 in failureSpan; 4 more may be in flight; 200 lock the account
	maxFailures  = 100         // errors of any kind in failureSpan; 200 identical ones lock the account
	failureSpan  = time.Minute // the period over which both are counted
	breakerPause = time.Minute // how long nothing is sent after that
)

// breaker stops an account's calls before the upstream locks the account. After too many strikes within failureSpan
// nothing is sent for breakerPause, then one call at a time until one succeeds. Only the vendor's support can unlock an
// account.
//
// Source: md/_restrictions.md, automatic switching-off: 200 refusals, or 200 identical failing requests, a minute.
type breaker struct {
	strikes []moment // within the last failureSpan
	tripped bool
	until   moment // nothing is sent before this
}

func (b *breaker) strike(now moment, limit int) {
	b.strikes = slices.DeleteFunc(b.strikes, func(t moment) bool { return !t.After(now.Add(-failureSpan)) })
	b.strikes = append(b.strikes, now)
	if b.tripped || len(b.strikes) >= limit {
		b.tripped, b.until = true, now.Add(breakerPause)
	}
}

// reset closes the breaker after a call that succeeded and was sent after the pause.
func (b *breaker) reset(sent moment) {
	if b.tripped && !sent.Before(b.until) {
		b.tripped, b.strikes = false, nil
	}
}
