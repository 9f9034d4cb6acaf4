package tools

import (
	"context"
	"iter"
	"maps"
	"time"
	"unique"

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
		orders := map[string]*supplierOrder{} // by id
		for order, err := range up.Documents(ctx, "purchaseorder", moysklad.Query{Filter: since, Order: "id"}) {
			if err != nil {
				return nil, err
			}
			orders[order.ID] = &supplierOrder{placed: order.Moment.Time}
		}
		query := moysklad.Query{Filter: since.Is("applicable", "true"), Order: "id", Expand: []string{"positions"}}
		for supply, err := range up.Documents(ctx, "supply", query) {
			if err != nil {
				return nil, err
			}
			if order := orders[supply.PurchaseOrder.ID()]; order != nil { // otherwise the order is from before the period
				order.receive(supply)
			}
		}
		return newLeadTimes(maps.Values(orders)), nil
	})
}

func inDays(d time.Duration) decimal.Decimal {
	return decimal.NewFromInt(int64(d)).DivRound(decimal.NewFromInt(int64(24*time.Hour)), 12)
}

// supplierOrder is an order of the period and its first receipt.
type supplierOrder struct {
	placed     time.Time
	received   time.Time      // zero if there is no receipt
	units      compactDecimal // received
	supplierID string
}

// receive records a receipt unless an earlier one is known.
func (o *supplierOrder) receive(supply moysklad.Document) {
	if o.received.IsZero() || supply.Moment.Before(o.received) {
		o.received, o.units = supply.Moment.Time, compactOf(unitsIn(supply))
		o.supplierID = unique.Make(supply.Agent.ID()).Value() // thousands of orders share one string
	}
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

// newLeadTimes ignores orders without a receipt and receipts that are dated before their order.
func newLeadTimes(orders iter.Seq[*supplierOrder]) leadTimes {
	history := map[string][]supplierReceipt{}
	for order := range orders {
		if order.received.Before(order.placed) {
			continue
		}
		receipt := supplierReceipt{inDays(order.received.Sub(order.placed)), order.units.decimal()}
		history[order.supplierID] = append(history[order.supplierID], receipt)
	}
	times := leadTimes{}
	for supplier, receipts := range history {
		times[supplier], _ = leadTimeOf(receipts)
	}
	return times
}
