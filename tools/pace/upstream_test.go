package pace_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// arrival is a call as the upstream sees it.
type arrival struct {
	at, done     time.Time
	stock, heavy bool
}

// upstream is a simulated upstream. Each request is delayed before the upstream counts it, and each answer is delayed
// too. It counts in sliding windows, as the vendor documents them.
type upstream struct {
	weight  int           // units of an ordinary call
	slowest time.Duration // the longest delay of the request, of the processing, and of the answer
	refuse  time.Duration // if not 0, every call is refused with this Retry-After

	mu       sync.Mutex
	arrivals []*arrival
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.hold()
	path := r.URL.Path
	a := &arrival{at: time.Now(), stock: strings.Contains(path, "/report/stock/"), heavy: strings.HasSuffix(path, "/report/stock/all")}
	u.mu.Lock()
	u.arrivals = append(u.arrivals, a)
	left := 45 - u.unitsLocked(a.at)
	refuse := u.refuse
	u.mu.Unlock()
	u.hold()
	u.mu.Lock()
	a.done = time.Now()
	u.mu.Unlock()
	u.hold()
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-RateLimit-Limit", "45")
	w.Header().Set("X-RateLimit-Remaining", fmt.Sprint(left))
	if refuse > 0 {
		w.Header().Set("X-Lognex-Retry-After", fmt.Sprint(refuse.Milliseconds()))
		w.WriteHeader(http.StatusTooManyRequests)
	}
	_, _ = io.WriteString(w, `{"errors":[{"error":"too many","code":1049}]}`)
}

func (u *upstream) hold() { time.Sleep(rand.N(u.slowest + 1)) }

// unitsLocked returns the units in the window that ends at t.
func (u *upstream) unitsLocked(t time.Time) (sum int) {
	for _, a := range u.arrivals {
		if a.at.After(t) || t.Sub(a.at) >= 3*time.Second {
			continue
		}
		if a.heavy {
			sum += 5
		} else {
			sum += u.weight
		}
	}
	return sum
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.arrivals)
}

// check compares the fullest window of each kind with the account's limits.
func (u *upstream) check(t *testing.T) {
	t.Helper()
	u.mu.Lock()
	defer u.mu.Unlock()
	slices.SortFunc(u.arrivals, func(a, b *arrival) int { return a.at.Compare(b.at) })
	var most struct{ calls, stock, inFlight, units int }
	for i, last := range u.arrivals {
		calls, stock, inFlight := 0, 0, 0
		for _, a := range u.arrivals[:i+1] {
			if last.at.Sub(a.at) < time.Second {
				calls++
				if a.stock {
					stock++
				}
			}
			if a.done.IsZero() || a.done.After(last.at) {
				inFlight++
			}
		}
		most.calls, most.stock = max(most.calls, calls), max(most.stock, stock)
		most.inFlight, most.units = max(most.inFlight, inFlight), max(most.units, u.unitsLocked(last.at))
	}
	t.Logf("%d calls; at most %+v", len(u.arrivals), most)
	if most.calls > 6 || most.stock > 2 || most.inFlight > 4 || most.units > 45 {
		t.Errorf("a window at the upstream held too much: %+v", most)
	}
}
