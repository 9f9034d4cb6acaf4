package moysklad

import (
	"fmt"
	"testing"
	"time"
)

// If there are many accounts, the paces and ledgers of accounts that have not been called for an hour are dropped.
func TestUsedPaceKeepsItsLedger(t *testing.T) {
	pool, err := NewPool(Config{})
	must(t, err)
	noon := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
	idle, used, waited := pool.paceOf("idle", noon), pool.paceOf("used", noon), pool.paceOf("waited for", noon)
	waited.waiting = []*waiter{{}}
	pool.paceOf("used", noon.Add(keptIdle/2))
	later := noon.Add(keptIdle + time.Second)
	for n := len(pool.paces); n <= fewPaces; n++ {
		pool.paceOf(fmt.Sprint(n), later)
	}
	for name, kept := range map[string]*pace{"used": used, "waited for": waited} {
		if pool.paceOf(name, later) != kept {
			t.Errorf("the pace that is %s was dropped", name)
		}
	}
	if pool.paceOf("idle", later) == idle {
		t.Error("an idle pace is kept")
	}
	if len(pool.paces) != fewPaces+1 {
		t.Errorf("%d paces are kept", len(pool.paces))
	}
}
