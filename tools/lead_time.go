package tools

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"
)

// minReceipts is the number of receipts needed to compute the deviation of a lead time.
const minReceipts = 5

// supplierReceipt is the first receipt for an order to a supplier: how many days after the order it came, and the units
// received.
type supplierReceipt struct {
	days  float64
	units decimal.Decimal
}

// leadTime is the time that a supplier takes to deliver, in days.
type leadTime struct {
	days     float64 // median, weighted by units because large deliveries matter most for stock
	sd       float64 // standard deviation; 0 if there are fewer than [minReceipts] receipts
	receipts int
}

// leadTimeOf computes the lead time from a supplier's receipts. It returns false if there are no receipts.
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

// weightedMedian returns the number of days within which half of the units arrived. receipts must be sorted by days. If
// exactly half of the units had arrived after some receipt, the result is the mean of its days and those of the next
// receipt.
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
