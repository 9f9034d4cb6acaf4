package moysklad

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"
)

// ErrNoPace is wrapped by the error of a call that was not sent because its account's pace could not be kept: where the
// ledgers are, in a database, does not answer.
var ErrNoPace = errors.New("the account's pace cannot be kept")

// Ledgers keeps the [Ledger] of each account. Everybody who calls an account must use the same one, or it is called too
// often; several processes therefore need one outside of them.
type Ledgers interface {
	// Change hands f the account's ledger, the zero one if it is new, and the time by the clock of all its moments. What f
	// leaves is kept if f says that it changed anything, and nobody else's change comes between: f may run several times, and
	// only its last run counts. An error means that it is not known whether a change was kept.
	Change(ctx context.Context, account string, f func(now time.Time, l *Ledger) (changed bool)) error
	// Shared says whether other processes change the ledgers too. A call that was let go then holds its place on a lease
	// only, so that the places of a process that died come back.
	Shared() bool
}

// inMemory are the ledgers of a process that alone calls its accounts.
type inMemory struct {
	began time.Time

	mu      sync.Mutex
	ledgers map[string]*usedLedger // :: account → ledger
	sweep   int                    // how many ledgers make it worth looking for idle ones
	pruning bool                   // a timer runs; it ends with the last ledger that has calls
}

type usedLedger struct {
	Ledger
	last time.Time // when it was last asked for
}

func newInMemory() *inMemory {
	return &inMemory{began: time.Now(), ledgers: map[string]*usedLedger{}, sweep: fewPaces}
}

// now goes on evenly, also when the machine's clock is set: as text or [moment] a time.Time shows only what that says.
func (m *inMemory) now() time.Time { return m.began.Add(time.Since(m.began)) }

func (m *inMemory) Shared() bool { return false }

func (m *inMemory) Change(_ context.Context, account string, f func(time.Time, *Ledger) bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	l, known := m.ledgers[account]
	if !known {
		m.forgetLocked(now)
		l = &usedLedger{}
		m.ledgers[account] = l
	}
	l.last = now
	f(now, &l.Ledger)
	if !m.pruning && len(l.calls) > 0 {
		m.pruning = true
		time.AfterFunc(pruneAfter, m.prune)
	}
	return nil
}

// pruneAfter is how long after a call its ledger is looked at: longer than any window.
const pruneAfter = 10 * time.Second

// prune lets go of the memory of calls that no window holds any more, and of ledgers that nobody asks for any more: most
// accounts are idle most of the time.
func (m *inMemory) prune() {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.now()
	m.pruning = false
	for account, l := range m.ledgers {
		switch {
		case !l.idle(momentOf(now)):
			m.pruning = true
		case l.settled:
			delete(m.ledgers, account)
		default:
			l.calls = nil
		}
	}
	if m.pruning {
		time.AfterFunc(pruneAfter, m.prune)
	}
}

// forgetLocked drops what is known of accounts that have not been called for an hour, when there are many.
func (m *inMemory) forgetLocked(now time.Time) {
	if len(m.ledgers) < m.sweep {
		return
	}
	maps.DeleteFunc(m.ledgers, func(_ string, l *usedLedger) bool { return now.Sub(l.last) > keptIdle && l.idle(momentOf(now)) })
	m.sweep = max(fewPaces, 2*len(m.ledgers))
}
