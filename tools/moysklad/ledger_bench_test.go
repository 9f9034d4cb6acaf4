package moysklad

import (
	"testing"
	"time"
)

// BenchmarkLedger measures what the ledger adds to one call. There are 2,000 accounts, called in turn, about four times
// a second each.
func BenchmarkLedger(b *testing.B) {
	ledgers := make([]Ledger, 2000)
	now := start
	for i := range ledgers {
		ledgers[i] = Ledger{limits: limits{rate: ceilingRate, stockRate: ceilingStockRate, inFlight: defaultParallel}, weight: 1, ordinaryAnswered: true, weightKnown: true, weightLostAt: now}
	}
	const pause = time.Second / 4 / 2000
	turn := 0
	b.ReportAllocs()
	for b.Loop() {
		l := &ledgers[turn%len(ledgers)]
		turn++
		now = now.Add(pause)
		if at, _ := l.next(now, class{}, now.Add(farFuture)); at.After(now) {
			b.Fatal("the call has to wait")
		}
		id := l.send(now, class{}, 0).id
		c := l.find(id)
		l.answered(now, c, budget, budget-1)
		l.accepted(c)
		l.finished(now, c)
	}
}
