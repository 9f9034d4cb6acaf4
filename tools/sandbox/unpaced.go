package sandbox

import (
	"context"
	"sync"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Unpaced keeps pace ledgers that never make calls wait, for an account that is Unlimited. Their clock jumps past the
// pace's windows before every change. The limit of calls in flight still holds.
type Unpaced struct{}

// Of returns a new ledger in memory.
func (Unpaced) Of(string) moysklad.Changer { return &jumping{now: time.Now()} }

// Shared returns false, because no other process changes the ledgers.
func (Unpaced) Shared() bool { return false }

// jumping is a ledger whose clock jumps.
type jumping struct {
	mu     sync.Mutex
	now    time.Time
	ledger moysklad.Ledger
}

// Change advances the clock past the pace's windows and calls f.
func (l *jumping) Change(_ context.Context, f func(time.Time, *moysklad.Ledger) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now = l.now.Add(2 * window)
	f(l.now, &l.ledger)
	return nil
}
