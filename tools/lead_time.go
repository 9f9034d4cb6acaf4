package tools

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"
)

// leastReceipts is how many receipts show how much a supplier's lead time varies.
const minReceipts = 5

// receipt is one order of a supplier as it was fulfilled: days from the order to its first receipt, and the units that
// came with that receipt.
type receipt struct {
	days  float64
	units decimal.Decimal
}

// leadTime is what a supplier's history tells.
type leadTime struct {
	days     float64 // median weighted by units: large deliveries are what stock waits for
	sd       float64 // 0 while there are fewer than [leastReceipts]
	receipts int
}

// leadTimeOf is the lead time of one supplier's receipts; false when there are none.
func leadTimeOf(receipts []receipt) (leadTime, bool) {
	if len(receipts) == 0 {
		return leadTime{}, false
	}
	slices.SortFunc(receipts, func(a, b receipt) int { return cmp.Compare(a.days, b.days) })
	l := leadTime{days: weightedMedian(receipts), receipts: len(receipts)}
	if len(receipts) >= minReceipts {
		var sum, squares float64
		for _, r := range receipts {
			sum += r.days
			squares += r.days * r.days
		}
		l.sd = math.Sqrt(variance(len(receipts), sum, squares))
	}
	return l, true
}

// weightedMedian of receipts in order of days: half of the units came within it. Where exactly half came by one receipt,
// it is halfway to the next.
func weightedMedian(receipts []receipt) float64 {
	total := decimal.Zero
	for _, r := range receipts {
		total = total.Add(r.units)
	}
	came := decimal.Zero
	for i, r := range receipts {
		came = came.Add(r.units)
		switch came.Add(came).Cmp(total) {
		case 0:
			if i+1 < len(receipts) {
				return (r.days + receipts[i+1].days) / 2
			}
			return r.days
		case 1:
			return r.days
		}
	}
	return receipts[len(receipts)-1].days
}
