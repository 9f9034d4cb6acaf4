package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Call is one request, also a refused one.
type Call struct {
	At       time.Time // of arrival
	Method   string
	Path     string // without the base
	Query    url.Values
	Status   int // 0 if the connection was cut
	Code     int // of the limiter's refusal: 1049 or 1073
	Units    int
	InFlight int // with this one
}

// Stock reports whether the call was for a stock report.
func (c Call) Stock() bool { return strings.HasPrefix(c.Path, "/report/stock/") }

// Calls are all requests so far, in the order of their arrival.
type Calls []Call

// Log returns all requests so far.
func (s *Sandbox) Log() Calls {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	calls := slices.Clone(s.faults.calls)
	slices.SortStableFunc(calls, func(a, b Call) int { return a.At.Compare(b.At) })
	return calls
}

// ForgetLog empties the log.
func (s *Sandbox) ForgetLog() {
	s.faults.mu.Lock()
	defer s.faults.mu.Unlock()
	s.faults.calls = nil
}

// MaxCalls returns the largest number of calls that arrived within any period of that length.
func (c Calls) MaxCalls(length time.Duration) int {
	most, first := 0, 0
	for i := range c {
		for c[i].At.Sub(c[first].At) >= length {
			first++
		}
		most = max(most, i-first+1)
	}
	return most
}

// MaxStockCalls is [Calls.MaxCalls] for stock reports alone.
func (c Calls) MaxStockCalls(length time.Duration) int {
	return slices.DeleteFunc(slices.Clone(c), func(call Call) bool { return !call.Stock() }).MaxCalls(length)
}

// MaxInFlight returns the largest number of calls that were handled at the same time.
func (c Calls) MaxInFlight() int {
	most := 0
	for _, call := range c {
		most = max(most, call.InFlight)
	}
	return most
}

// Refusals returns the number of calls that got 429.
func (c Calls) Refusals() int {
	count := 0
	for _, call := range c {
		if call.Status == http.StatusTooManyRequests {
			count++
		}
	}
	return count
}

// To returns the calls with a method and a path prefix. An empty method means any.
func (c Calls) To(method, path string) Calls {
	return slices.DeleteFunc(slices.Clone(c), func(call Call) bool {
		return method != "" && call.Method != method || !strings.HasPrefix(call.Path, path)
	})
}
