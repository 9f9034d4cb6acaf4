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
		kept := inMemory{time.Now()}.Of("account").(*ownLedger)
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
			l.weight, l.weightKnown = 1, true
		})
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if len(kept.calls) != 1 || !kept.pruning {
			t.Errorf("with a call in flight: %d calls, a timer runs: %v", len(kept.calls), kept.pruning)
		}
		change(func(now instant, l *Ledger) { l.finished(now, sent) })
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if kept.calls != nil || kept.weight != 1 || kept.pruning {
			t.Errorf("idle: %d calls, weight %d, a timer runs: %v", len(kept.calls), kept.weight, kept.pruning)
		}
	})
}
