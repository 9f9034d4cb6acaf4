package tools

import (
	"math"
	"slices"

	"github.com/shopspring/decimal"
)

// minReceipts is the number of receipts needed to compute the deviation of a lead time.
const minReceipts = 5

// supplierReceipt is the first receipt for an order to a supplier: how many days after the order it came, and the units
// received.
type supplierReceipt struct {
	days, units decimal.Decimal
}

// leadTime is the time that a supplier takes to deliver, in days.
type leadTime struct {
	days     decimal.Decimal // median, weighted by units because large deliveries matter most for stock
	sd       float64         // standard deviation; 0 if there are fewer than [minReceipts] receipts
	receipts int
}

// leadTimeOf computes the lead time from a supplier's receipts. It returns false if there are no receipts.
func leadTimeOf(receipts []supplierReceipt) (leadTime, bool) {
	if len(receipts) == 0 {
		return leadTime{}, false
	}
	slices.SortFunc(receipts, func(a, b supplierReceipt) int { return a.days.Cmp(b.days) })
	l := leadTime{days: weightedMedian(receipts), receipts: len(receipts)}
	if len(receipts) >= minReceipts {
		var sum, squares decimal.Decimal
		for _, r := range receipts {
			sum, squares = sum.Add(r.days), squares.Add(r.days.Mul(r.days))
		}
		l.sd = math.Sqrt(variance(len(receipts), sum, squares))
	}
	return l, true
}

// weightedMedian returns the number of days within which half of the units arrived. receipts must be sorted by days. If
// exactly half of the units had arrived after some receipt, the result is the mean of its days and those of the next
// receipt.
func weightedMedian(receipts []supplierReceipt) decimal.Decimal {
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
				return decimal.Avg(r.days, receipts[i+1].days)
			}
			return r.days
		case 1:
			return r.days
		}
	}
	return receipts[len(receipts)-1].days
}
