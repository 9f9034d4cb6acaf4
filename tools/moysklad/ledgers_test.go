package moysklad

import (
	"testing"
	"testing/synctest"
	"time"
)

// Of ten thousand accounts most are idle: what they keep is what has been learned of them, and no timer runs for it.
func TestAnIdleAccountKeepsNoCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newInMemory()
		change := func(account string, f func(now moment, l *Ledger)) {
			if err := m.Change(t.Context(), account, func(now time.Time, l *Ledger) bool {
				f(momentOf(now), l)
				return true
			}); err != nil {
				t.Fatal(err)
			}
		}
		var sent *call
		change("account", func(now moment, l *Ledger) {
			sent = l.send(now, class{}, 0)
			l.weight, l.learned = 1, true
		})
		change("token", func(now moment, l *Ledger) {
			l.finished(now, l.send(now, class{}, 0))
			l.settled = true
		})
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if l := m.ledgers["account"]; len(l.calls) != 1 || m.ledgers["token"] != nil {
			t.Errorf("with a call in flight: %d calls, and the settled token's ledger is %v", len(l.calls), m.ledgers["token"])
		}
		change("account", func(now moment, l *Ledger) { l.finished(now, sent) })
		time.Sleep(2 * pruneAfter)
		synctest.Wait()
		if l := m.ledgers["account"]; l.calls != nil || l.weight != 1 || m.pruning {
			t.Errorf("idle: %d calls, weight %d, a timer runs: %v", len(l.calls), l.weight, m.pruning)
		}
	})
}
