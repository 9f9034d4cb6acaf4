package sandbox

import (
	"context"
	"sync"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Unpaced is a [moysklad.Ledgers] with which calls do not wait. It is for an account that is Unlimited. Before each
// change of a ledger, its clock jumps past all windows of the pace. The limit on calls in flight still holds.
type Unpaced struct{}

// Of returns a new ledger in memory.
func (Unpaced) Of(string) moysklad.Changer { return &jumping{now: time.Now()} }

// Shared returns false, because no other process changes the ledgers.
func (Unpaced) Shared() bool { return false }

// jumping is a ledger whose clock jumps ahead before each change.
type jumping struct {
	mu     sync.Mutex
	now    time.Time
	ledger moysklad.Ledger
}

// Change advances the clock past the windows of the pace, and then calls f.
func (l *jumping) Change(_ context.Context, f func(time.Time, *moysklad.Ledger) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(2 * window)
	f(l.now, &l.ledger)
	return nil
}
