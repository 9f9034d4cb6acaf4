package moysklad

import (
	"slices"
	"time"
)

// The breaker opens after maxRefusals answers with status 429, or maxFailures errors of any kind, within failureSpan. The
// upstream locks the account after 200 such answers; 4 more calls may be in flight when the breaker opens.
const (
	maxRefusals  = 5
	maxFailures  = 100
	failureSpan  = time.Minute
	breakerPause = time.Minute // while the breaker is open, nothing is sent for this time
)

// breaker stops an account's calls before the upstream locks the account, because only the vendor's support can unlock
// it. After too many errors (strikes) within failureSpan it opens: nothing is sent for breakerPause. After that, one
// call at a time is sent until one succeeds.
//
// Source: md/_restrictions.md, automatic switching-off: 200 refusals, or 200 identical failing requests, a minute.
type breaker struct {
	strikes []instant // times of the errors within the last failureSpan
	tripped bool      // from when it opens until a call succeeds
	until   instant   // nothing is sent before this time
}

func (b *breaker) strike(now instant, limit int) {
	b.strikes = slices.DeleteFunc(b.strikes, func(t instant) bool { return !t.After(now.Add(-failureSpan)) })
	b.strikes = append(b.strikes, now)
	if b.tripped || len(b.strikes) >= limit {
		b.tripped, b.until = true, now.Add(breakerPause)
	}
}

// reset closes the breaker after a successful call, if the call was sent after the pause.
func (b *breaker) reset(sent instant) {
	if b.tripped && !sent.Before(b.until) {
		b.tripped, b.strikes = false, nil
	}
}
