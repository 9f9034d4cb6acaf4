package moysklad

import (
	"slices"
	"time"
)

// The breaker opens after maxRefusals answers with status 429 within failureSpan. A request that has failed maxFailures
// times within failureSpan is not sent again until the first of these failures is older. The upstream locks the account
// after 200 of either kind; 4 more calls may be in flight when a limit is reached.
const (
	maxRefusals  = 5
	maxFailures  = 100
	failureSpan  = time.Minute
	breakerPause = time.Minute // while the breaker is open, nothing is sent for this time
)

// breaker stops an account's calls before the upstream locks the account, because only the vendor's support can unlock
// it. After too many refusals (strikes) within failureSpan it opens: nothing is sent for breakerPause. After that, one
// call at a time is sent until one is not refused.
//
// Source: md/_restrictions.md, automatic switching-off: 200 refusals a minute.
type breaker struct {
	Strikes []instant `json:"strikes,omitempty"` // times of the refusals within the last failureSpan
	Tripped bool      `json:"tripped,omitempty"` // from when it opens until a call is not refused
	Until   instant   `json:"until,omitempty"`   // nothing is sent before this time
}

func (b *breaker) strike(now instant) {
	b.Strikes = slices.DeleteFunc(b.Strikes, func(t instant) bool { return !t.After(now.Add(-failureSpan)) })
	b.Strikes = append(b.Strikes, now)
	if b.Tripped || len(b.Strikes) >= maxRefusals {
		b.Tripped, b.Until = true, now.Add(breakerPause)
	}
}

// reset closes the breaker after a call that was not refused, if the call was sent after the pause.
func (b *breaker) reset(sent instant) {
	if b.Tripped && !sent.Before(b.Until) {
		b.Tripped, b.Strikes = false, nil
	}
}

// failures are the error answers within the last failureSpan, other than refusals. They are counted for each request,
// because the upstream minds only identical ones: a caller who asks for many things that do not exist does no harm.
//
// Source: md/_restrictions.md, automatic switching-off: 200 identical failing requests a minute.
type failures []failure

type failure struct {
	Request uint64  `json:"request"` // see [class]
	At      instant `json:"at"`
}

func (f *failures) add(now instant, request uint64) {
	*f = slices.DeleteFunc(*f, func(x failure) bool { return !x.At.After(now.Add(-failureSpan)) })
	*f = append(*f, failure{request, now})
}

// stoppedUntil returns the time before which the request must not be sent again. It is zero if the request has failed
// rarely.
func (f failures) stoppedUntil(request uint64) instant {
	left := maxFailures
	for _, x := range slices.Backward(f) {
		if x.Request != request {
			continue
		}
		if left--; left == 0 {
			return x.At.Add(failureSpan)
		}
	}
	return 0
}
