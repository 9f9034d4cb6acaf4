package moysklad

import (
	"testing"
	"testing/synctest"
	"time"
)

// There are ten thousand accounts, and most are idle. An idle one must keep only what was learned about it, and no
// timer.
func TestAnIdleAccountKeepsNoCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		kept := inMemory{began: time.Now()}.Of("account").(*ownLedger)
		change := func(f func(now instant, l *Ledger)) {
			if err := kept.Change(t.Context(), func(now time.Time, l *Ledger) bool {
				f(instantOf(now), l)
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
		var sent *call
		change(func(now instant, l *Ledger) {
			sent = l.send(now, class{}, 0)
			l.Weight, l.WeightKnown = 1, true
		})
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if len(kept.Calls) != 1 || !kept.pruning {
			t.Errorf("with a call in flight: %d calls, a timer runs: %v", len(kept.Calls), kept.pruning)
		}
		change(func(now instant, l *Ledger) { l.finished(now, sent) })
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if kept.Calls != nil || kept.Weight != 1 || kept.pruning {
			t.Errorf("idle: %d calls, weight %d, a timer runs: %v", len(kept.Calls), kept.Weight, kept.pruning)
		}
	})
}

// What the process before it has sent may still count, so a restarted process sends nothing for one window.
func TestRestartedProcessWaitsForOneWindow(t *testing.T) {
	for restarted, want := range map[bool]time.Duration{false: 0, true: lateArrival + budgetWindow} {
		p, err := NewPool(Config{Restarted: restarted})
		if err != nil {
			t.Fatal(err)
		}
		began := instantOf(p.ledgers.(inMemory).began)
		err = p.ledgers.Of("account").Change(t.Context(), func(_ time.Time, l *Ledger) bool {
			l.limits = p.limits
			if at, _ := l.next(began, class{}, began.Add(farFuture)); at.Sub(began) != want {
				t.Errorf("restarted %v: the first call is sent after %v, want %v", restarted, at.Sub(began), want)
			}
			return false
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
