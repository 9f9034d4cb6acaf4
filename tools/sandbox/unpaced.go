package sandbox

import (
	"context"
	"sync"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Unpaced are ledgers for callers of an account that is Unlimited, where the pace is not what matters: their clock
// leaps past the pace's windows before every change, so that no call waits for an earlier one's. The bound of calls in
// flight holds.
type Unpaced struct{}

// Of is an account's ledger in memory.
func (Unpaced) Of(string) moysklad.Changer { return &leaping{now: time.Now()} }

// Shared says that no other process changes them.
func (Unpaced) Shared() bool { return false }

// leaping is a ledger whose clock leaps.
type leaping struct {
	mu     sync.Mutex
	now    time.Time
	ledger moysklad.Ledger
}

// Change lets the clock leap, and hands f the ledger.
func (l *leaping) Change(_ context.Context, f func(time.Time, *moysklad.Ledger) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(2 * window)
	f(l.now, &l.ledger)
	return nil
}
