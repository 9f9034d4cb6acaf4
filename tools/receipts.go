package tools

import (
	"context"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// leadTimeDays is the period from which lead times are computed: a year, so that it includes each season once.
const leadTimeDays = 365

// leadTimes has the lead time of each supplier, by id. A supplier without receipts for its orders has no entry.
type leadTimes map[string]leadTime

func (l leadTimes) bytes() int { return len(l) * 120 }

// leadTimes measures, for each supplier, the days from an order to its first receipt in the last year. It makes one
// call for each thousand orders and one for each hundred receipts. It reads the lines of the receipts, because the
// counter of received units in the order has no date.
func (run *Run) leadTimes(ctx context.Context) (leadTimes, error) {
	return readCached(ctx, run, "lead times", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (leadTimes, error) {
		since := moysklad.Filter{}.Where("moment", ">=", moysklad.FormatMoment(startOfDay(run.Now()).AddDate(0, 0, -leadTimeDays)))
		ordered := map[string]time.Time{} // by order id
		for order, err := range up.Documents(ctx, "purchaseorder", moysklad.Query{Filter: since, Order: "id"}) {
			if err != nil {
				return nil, err
			}
			ordered[order.ID] = order.Moment.Time
		}
		first := map[string]firstReceipt{} // by order id
		query := moysklad.Query{Filter: since.Is("applicable", "true"), Order: "id", Expand: []string{"positions"}}
		for supply, err := range up.Documents(ctx, "supply", query) {
			if err != nil {
				return nil, err
			}
			earlier, seen := first[supply.PurchaseOrder.ID()]
			if supply.PurchaseOrder != nil && (!seen || supply.Moment.Before(earlier.moment)) {
				first[supply.PurchaseOrder.ID()] = firstReceipt{supply.Agent.ID(), supply.Moment.Time, unitsIn(supply)}
			}
		}
		return newLeadTimes(ordered, first), nil
	})
}

func inDays(d time.Duration) decimal.Decimal {
	return decimal.NewFromInt(int64(d)).DivRound(decimal.NewFromInt(int64(24*time.Hour)), 12)
}

type firstReceipt struct {
	supplierID string
	moment     time.Time
	units      decimal.Decimal
}

func unitsIn(d moysklad.Document) decimal.Decimal {
	sum := decimal.Zero
	if d.Positions != nil {
		for _, line := range d.Positions.Rows {
			sum = sum.Add(line.Quantity.Decimal)
		}
	}
	return sum
}

// newLeadTimes ignores orders from before the period and receipts that are dated before their order.
func newLeadTimes(ordered map[string]time.Time, first map[string]firstReceipt) leadTimes {
	history := map[string][]supplierReceipt{}
	for order, receipt := range first {
		at, known := ordered[order]
		if !known || receipt.moment.Before(at) {
			continue
		}
		history[receipt.supplierID] = append(history[receipt.supplierID], supplierReceipt{inDays(receipt.moment.Sub(at)), receipt.units})
	}
	times := leadTimes{}
	for supplier, receipts := range history {
		times[supplier], _ = leadTimeOf(receipts)
	}
	return times
}
