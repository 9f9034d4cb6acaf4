package truth

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// OverdueOrders is the result of the tool overdue_orders.
type OverdueOrders struct {
	Rows   []OverdueRow  `json:"rows"`
	Totals OverdueTotals `json:"totals"`
}

// OverdueRow is an order after its planned day.
type OverdueRow struct {
	OrderID      string           `json:"order_id"`
	Number       string           `json:"number"`
	Counterparty *string          `json:"counterparty"`
	PlannedAt    time.Time        `json:"planned_at"`
	DaysOverdue  int              `json:"days_overdue"`
	State        *string          `json:"state"`
	Sum          *decimal.Decimal `json:"sum"`
	ShippedSum   *decimal.Decimal `json:"shipped_sum"`
}

// OverdueTotals has the totals of all rows.
type OverdueTotals struct {
	Orders        int              `json:"orders"`
	Sum           *decimal.Decimal `json:"sum"`
	ShippedSum    *decimal.Decimal `json:"shipped_sum"`
	UnshippedSum  *decimal.Decimal `json:"unshipped_sum"`
	WithoutStatus int              `json:"without_status"`
}

// OverdueOrders returns the orders that were planned for a day before that of asOf, in Moscow time, and are neither in
// a final status nor fully shipped.
func (t *Truth) OverdueOrders(asOf time.Time) OverdueOrders {
	today := midnight(asOf)
	var answer OverdueOrders
	var sum, shipped, unshipped decimal.Decimal
	for _, order := range t.books.Documents[sandbox.CustomerOrder] {
		final := order.State != nil && order.State.Type != "Regular"
		if !posted(order) || final || order.Planned.IsZero() || !order.Planned.Before(today) {
			continue
		}
		orderShipped := shippedSum(order)
		if amount(order.Sum).IsPositive() && !orderShipped.LessThan(amount(order.Sum)) {
			continue
		}
		orderSum := inOwnCurrency(order, amount(order.Sum))
		orderShipped = inOwnCurrency(order, orderShipped)
		row := OverdueRow{
			OrderID: order.ID, Number: order.Name, Counterparty: &order.Agent.Name, PlannedAt: order.Planned.UTC(),
			DaysOverdue: int(today.Sub(midnight(order.Planned.In(moysklad.Moscow))) / (24 * time.Hour)),
			Sum:         money(orderSum), ShippedSum: money(orderShipped),
		}
		if order.State == nil {
			answer.Totals.WithoutStatus++
		} else {
			row.State = &order.State.Name
		}
		answer.Rows = append(answer.Rows, row)
		sum, shipped = sum.Add(orderSum), shipped.Add(orderShipped)
		unshipped = unshipped.Add(decimal.Max(decimal.Zero, orderSum.Sub(orderShipped)))
	}
	answer.Totals.Orders = len(answer.Rows)
	answer.Totals.Sum, answer.Totals.ShippedSum, answer.Totals.UnshippedSum = money(sum), money(shipped), money(unshipped)
	return answer
}

// shippedSum returns the sum of the shipments of an order, in the order's currency.
func shippedSum(order *sandbox.Document) decimal.Decimal {
	var sum decimal.Decimal
	for _, demand := range order.Followers {
		if posted(demand) {
			sum = sum.Add(amount(demand.Sum))
		}
	}
	return sum
}
