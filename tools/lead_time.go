package tools

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"
)

// minReceipts is the number of receipts from which the deviation of a lead time is computed.
const minReceipts = 5

// supplierReceipt is the first receipt for an order to a supplier: days since the order, and units received.
type supplierReceipt struct {
	days  float64
	units decimal.Decimal
}

// leadTime is a supplier's lead time in days.
type leadTime struct {
	days     float64 // median weighted by units, because large deliveries matter most for stock
	sd       float64 // standard deviation; 0 for fewer than [minReceipts] receipts
	receipts int
}

// leadTimeOf computes the lead time from a supplier's receipts. It returns false if there are none.
func leadTimeOf(receipts []supplierReceipt) (leadTime, bool) {
	if len(receipts) == 0 {
		return leadTime{}, false
	}
	slices.SortFunc(receipts, func(a, b supplierReceipt) int { return cmp.Compare(a.days, b.days) })
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

// weightedMedian returns the days within which half of the units arrived. Receipts must be sorted by days. If exactly
// half arrived by one receipt, the result is the mean of its days and the next receipt's.
func weightedMedian(receipts []supplierReceipt) float64 {
	total := decimal.Zero
	for _, r := range receipts {
		total = total.Add(r.units)
	}
	received := decimal.Zero
	for i, r := range receipts {
		received = received.Add(r.units)
		switch received.Add(received).Cmp(total) {
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
