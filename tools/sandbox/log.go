package sandbox

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Call is one request. It may have been refused.
type Call struct {
	At       time.Time // time of arrival
	Method   string
	Path     string // without the base path
	Query    url.Values
	Status   int // 0 if the connection was closed without an answer
	Code     int // error code if the limiter refused the call: 1049 or 1073
	Units    int
	InFlight int // number of calls in flight, including this one
}

// Stock reports whether the call was for a stock report.
func (c Call) Stock() bool { return strings.HasPrefix(c.Path, "/report/stock/") }

// Calls is a list of requests in the order of their arrival.
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

// MaxCalls returns the largest number of calls that arrived within any period of the given length.
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

// MaxStockCalls is like [Calls.MaxCalls], but counts only stock reports.
func (c Calls) MaxStockCalls(length time.Duration) int {
	return slices.DeleteFunc(slices.Clone(c), func(call Call) bool { return !call.Stock() }).MaxCalls(length)
}

// MaxInFlight returns the largest number of calls that were in flight at the same time.
func (c Calls) MaxInFlight() int {
	most := 0
	for _, call := range c {
		most = max(most, call.InFlight)
	}
	return most
}

// Refusals returns the number of calls that were answered with status 429.
func (c Calls) Refusals() int {
	count := 0
	for _, call := range c {
		if call.Status == http.StatusTooManyRequests {
			count++
		}
	}
	return count
}

// To returns the calls with the given method and path prefix. An empty method means any.
func (c Calls) To(method, path string) Calls {
	return slices.DeleteFunc(slices.Clone(c), func(call Call) bool {
		return method != "" && call.Method != method || !strings.HasPrefix(call.Path, path)
	})
}
