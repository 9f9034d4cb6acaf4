package moysklad

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrPaceUnavailable: the database that holds the account's ledger did not answer. The call was not sent, or was ended early.
var ErrPaceUnavailable = errors.New("the account's pace cannot be kept")

// Ledgers keeps the [Ledger] of each account. Everybody who calls an account must share one, or the account is called
// too often. Processes that call the same accounts need a shared implementation, such as package pace.
type Ledgers interface {
	// Of returns an account's ledger, a zero one if it is new. A [Pool] calls it once for all calls to the account.
	Of(account string) Changer
	// Shared reports whether other processes change the ledgers too. Calls then hold their place only with a lease, so
	// that the places of a dead process become free.
	Shared() bool
}

// Changer changes one account's ledger.
type Changer interface {
	// Change calls f with the ledger and the time, by the one clock of all its moments. If f returns true, the ledger is
	// stored. Changes by others cannot come in between: f may run several times, and only its last run counts. After an
	// error it is unknown whether the change was stored.
	Change(ctx context.Context, f func(now time.Time, l *Ledger) (changed bool)) error
}

// inMemory keeps ledgers for a process that is the only one to call its accounts. A ledger lives as long as its pace.
type inMemory struct{ began time.Time }

func (m inMemory) Of(string) Changer { return &ownLedger{began: m.began} }

func (inMemory) Shared() bool { return false }

// ownLedger is a ledger in memory.
type ownLedger struct {
	began time.Time

	mu sync.Mutex
	Ledger
	pruning bool // a timer runs until no call counts in a window any more
}

// now returns a time that advances evenly even when the machine's clock is set. [moment] and JSON drop the monotonic
// part of a time.Time.
func (l *ownLedger) now() time.Time { return l.began.Add(time.Since(l.began)) }

func (l *ownLedger) Change(_ context.Context, f func(time.Time, *Ledger) bool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.now(), &l.Ledger)
	if !l.pruning && len(l.calls) > 0 {
		l.pruning = true
		time.AfterFunc(pruneAfter, l.prune)
	}
	return nil
}

// pruneAfter is the pause before a ledger is pruned, longer than any window.
const pruneAfter = 10 * time.Second

// prune frees the memory of calls that no longer count in any window, since most accounts are idle most of the time.
func (l *ownLedger) prune() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pruning = !l.idle(momentOf(l.now())); l.pruning {
		time.AfterFunc(pruneAfter, l.prune)
		return
	}
	l.calls = nil
}
