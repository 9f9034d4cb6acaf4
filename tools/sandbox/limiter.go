package sandbox

import (
	"sync"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// The upstream's limits: units in a window of time, and calls in flight of one user.
const (
	budget      = 45
	window      = 3 * time.Second
	maxParallel = 5
	stockUnits  = 5 // cost of report/stock/all and report/stock/bystore with any token
)

// weightOn returns how many units an ordinary request with a user's token costs on a given day.
//
// Source: md/notifications/rate-limits.md.
func weightOn(day time.Time) int {
	raised := []time.Time{
		time.Date(2026, 5, 12, 0, 0, 0, 0, moysklad.Moscow), time.Date(2026, 9, 1, 0, 0, 0, 0, moysklad.Moscow),
		time.Date(2026, 12, 1, 0, 0, 0, 0, moysklad.Moscow),
	}
	weight := 1
	for _, since := range raised {
		if !day.Before(since) {
			weight++
		}
	}
	return weight
}

// limiter counts the units of the last three seconds. Its window slides, so it is a little stricter than the upstream,
// which uses fixed windows.
type limiter struct {
	unlimited bool

	mu       sync.Mutex // guards the fields below
	spent    []spending // oldest first
	inFlight int
}

type spending struct {
	at    time.Time
	units int
}

// verdict is the limiter's decision about a call.
type verdict struct {
	code      int // 0 for an admitted call, otherwise the error code 1049 or 1073
	remaining int
	reset     time.Duration // time until the window is empty
	retry     time.Duration // time until the call would be admitted
	inFlight  int
}

func newLimiter(unlimited bool) *limiter { return &limiter{unlimited: unlimited} }

// enter decides whether to admit a call. leave must be called at the end of an admitted call.
func (l *limiter) enter(now time.Time, units int) verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.unlimited {
		l.inFlight++
		return verdict{remaining: budget, inFlight: l.inFlight}
	}
	for len(l.spent) > 0 && now.Sub(l.spent[0].at) >= window {
		l.spent = l.spent[1:]
	}
	used := 0
	for _, spending := range l.spent {
		used += spending.units
	}
	v := verdict{remaining: budget - used, inFlight: l.inFlight + 1}
	if len(l.spent) > 0 {
		v.reset = window - now.Sub(l.spent[len(l.spent)-1].at)
	}
	switch {
	case used+units > budget:
		v.code = 1049
		v.retry = l.retryLocked(now, used+units-budget)
	case l.inFlight >= maxParallel:
		v.code = 1073
	default:
		l.spent = append(l.spent, spending{now, units})
		l.inFlight++
		v.remaining -= units
		v.reset = window
	}
	return v
}

// retryLocked returns the time until the given number of units has left the window.
func (l *limiter) retryLocked(now time.Time, excess int) time.Duration {
	for _, spending := range l.spent {
		if excess -= spending.units; excess <= 0 {
			return window - now.Sub(spending.at)
		}
	}
	return window
}

func (l *limiter) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight--
}
