package moysklad

import (
	"slices"
	"time"
)

// When a breaker opens, and for how long.
const (
	maxRefusals  = 5           // 429 within a minute; 4 more may be in flight, of 200 that lock an account out
	maxFailures  = 100         // errors of any kind within a minute, of 200 identical ones
	failureSpan  = time.Minute // what both are counted over
	breakerPause = time.Minute // how long nothing is sent then
)

// breaker stops an account's calls before the upstream locks the account out: after so many strikes within a minute
// nothing is sent for a minute, then one call at a time until one succeeds. A locked account is opened again by the
// vendor's support only.
//
// Source: md/_restrictions.md, automatic switching-off: 200 refusals, or 200 identical failing requests, a minute.
type breaker struct {
	strikes []moment // of the last failureSpan
	tripped bool
	until   moment // nothing is sent before
}

func (b *breaker) strike(now moment, limit int) {
	b.strikes = slices.DeleteFunc(b.strikes, func(t moment) bool { return !t.After(now.Add(-failureSpan)) })
	b.strikes = append(b.strikes, now)
	if b.tripped || len(b.strikes) >= limit {
		b.tripped, b.until = true, now.Add(breakerPause)
	}
}

// mend closes the breaker after a call sent at that time went well, unless it was sent before the pause.
func (b *breaker) mend(sent moment) {
	if b.tripped && !sent.Before(b.until) {
		b.tripped, b.strikes = false, nil
	}
}
