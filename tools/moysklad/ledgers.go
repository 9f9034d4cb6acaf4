package moysklad

import (
	"context"
	"errors"
	"sync"
	"time"
)

// ErrNoPace is wrapped by the error of a call that was not sent because its account's pace could not be kept: where the
// ledgers are, in a database, does not answer.
var ErrNoPace = errors.New("the account's pace cannot be kept")

// Ledgers keeps the [Ledger] of each account. Everybody who calls an account must use the same one, or it is called too
// often; several processes therefore need one outside of them.
type Ledgers interface {
	// Of is an account's ledger, the zero one if it is new. A [Pool] asks for it once for all calls to the account.
	Of(account string) Changer
	// Shared says whether other processes change the ledgers too. A call that was let go then holds its place on a lease
	// only, so that the places of a process that died come back.
	Shared() bool
}

// Changer changes one account's ledger where it is kept.
type Changer interface {
	// Change hands f the ledger and the time by the clock of all its moments. What f leaves is kept if f says that it changed
	// anything, and nobody else's change comes between: f may run several times, and only its last run counts. An error
	// means that it is not known whether a change was kept.
	Change(ctx context.Context, f func(now time.Time, l *Ledger) (changed bool)) error
}

// inMemory are the ledgers of a process that alone calls its accounts. Each lives as long as the pace that asked for it.
type inMemory struct{ began time.Time }

func (m inMemory) Of(string) Changer { return &ownLedger{began: m.began} }

func (inMemory) Shared() bool { return false }

// ownLedger is a ledger in memory.
type ownLedger struct {
	began time.Time

	mu sync.Mutex
	Ledger
	pruning bool // a timer runs; it ends with the last call that a window holds
}

// now goes on evenly, also when the machine's clock is set: as text or [moment] a time.Time shows only what that says.
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

// pruneAfter is how long after a call its ledger is looked at: longer than any window.
const pruneAfter = 10 * time.Second

// prune lets go of the memory of calls when no window holds any more: most accounts are idle most of the time.
func (l *ownLedger) prune() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pruning = !l.idle(momentOf(l.now())); l.pruning {
		time.AfterFunc(pruneAfter, l.prune)
		return
	}
	l.calls = nil
}
