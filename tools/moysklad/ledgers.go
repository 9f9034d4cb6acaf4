package moysklad

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrPaceUnavailable: the database that holds the account's ledger did not answer. The call was not sent, or was
// cancelled.
var ErrPaceUnavailable = errors.New("the account's pace cannot be kept")

// Ledgers keeps the [Ledger] of each account. All processes that call an account must use the same ledger, or together
// they call it too often. If there are several, they need a shared implementation, such as package pace.
type Ledgers interface {
	// Of returns an account's ledger. The ledger of a new account is empty. A [Pool] calls Of once for all calls to the
	// account.
	Of(account string) Changer
	// Shared reports whether other processes change the ledgers too. A call then holds its in-flight slot with a lease,
	// so that the slots of a dead process become free.
	Shared() bool
}

// Changer changes one account's ledger.
type Changer interface {
	// Change calls f with the ledger and the current time. All times in the ledger must come from the same clock. If f
	// returns true, the ledger is stored. If somebody else changes the ledger between reading and storing, f is called
	// again with the new one, and only its last call counts. After an error it is unknown whether the change was stored.
	Change(ctx context.Context, f func(now time.Time, l *Ledger) (changed bool)) error
}

// inMemory keeps ledgers in memory, for a process that alone calls its accounts. A ledger lives as long as its
// account's pace. What an earlier process has sent is unknown, so no call is sent for the time hold.
type inMemory struct {
	began time.Time
	hold  time.Duration
}

func (m inMemory) Of(string) Changer {
	l := &ownLedger{began: m.began}
	if m.hold > 0 {
		l.restraint.Hold = instantOf(m.began).Add(m.hold)
	}
	return l
}

func (inMemory) Shared() bool { return false }

type ownLedger struct {
	began time.Time

	mu sync.Mutex
	Ledger
	pruning bool // a timer is set to call prune
}

// now returns a time that is not affected when the machine's clock is set. It is needed because [instant] and JSON drop
// the monotonic part of a time.Time.
func (l *ownLedger) now() time.Time { return l.began.Add(time.Since(l.began)) }

func (l *ownLedger) Change(_ context.Context, f func(time.Time, *Ledger) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.now(), &l.Ledger)
	if !l.pruning && len(l.Calls) > 0 {
		l.pruning = true
		time.AfterFunc(pruneAfter, l.prune)
	}
	return nil
}

// pruneAfter is the time until a ledger is pruned; it is longer than any window.
const pruneAfter = 10 * time.Second

// prune removes calls that no longer count in any window, to free their memory: most accounts are idle most of the
// time.
func (l *ownLedger) prune() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pruning = !l.idle(instantOf(l.now())); l.pruning {
		time.AfterFunc(pruneAfter, l.prune)
		return
	}
	l.Calls = nil
}
