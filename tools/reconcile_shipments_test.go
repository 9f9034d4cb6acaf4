package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Orders are often shipped in another month. They must be matched, but the totals of the period count only its own
// documents.
func TestTotalsCountOnlyDocumentsOfThePeriod(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Products: 1000}, func(t *testing.T, s *shop) {
		got, result := ask[reconcileShipmentsResult](s, "reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 1000}`)
		var orders, shipments int
		var ordersSum, shippedSum sandbox.Amount
		during := func(d *sandbox.Document) bool {
			return d.Posted() && !d.Moment.Before(october[0]) && !d.Moment.After(october[1])
		}
		for _, o := range s.Books().Documents[sandbox.CustomerOrder] {
			if during(o) {
				orders, ordersSum = orders+1, ordersSum+o.Sum
			}
		}
		for _, d := range s.Books().Documents[sandbox.Demand] {
			if during(d) {
				shipments, shippedSum = shipments+1, shippedSum+d.Sum
			}
		}
		if got.Totals.Orders != orders || got.Totals.Shipments != shipments || text(got.Totals.OrdersSum) != amountOf(ordersSum) ||
			text(got.Totals.ShipmentsSum) != amountOf(shippedSum) {
			t.Errorf("totals %+v; the books have %d orders for %s, %d shipments for %s", got.Totals, orders, amountOf(ordersSum), shipments,
				amountOf(shippedSum))
		}
		if got.Totals.OutsideOrders == 0 || got.Totals.OutsideShipments == 0 {
			t.Fatal("the books have no order shipped in another month")
		}
		var classes tradeSums
		ordersLeft, shippedLeft := got.Totals.OrdersSum.Decimal().Add(got.Totals.OutsideOrdersSum.Decimal()),
			got.Totals.ShipmentsSum.Decimal().Add(got.Totals.OutsideShipmentsSum.Decimal())
		for _, class := range got.Classes {
			classes.Orders, classes.Shipments = classes.Orders+class.Orders, classes.Shipments+class.Shipments
			ordersLeft, shippedLeft = ordersLeft.Sub(class.OrdersSum.Decimal()), shippedLeft.Sub(class.ShipmentsSum.Decimal())
		}
		if classes.Orders != orders+got.Totals.OutsideOrders || classes.Shipments != shipments+got.Totals.OutsideShipments ||
			!ordersLeft.IsZero() || !shippedLeft.IsZero() {
			t.Errorf("classes have %+v, totals %+v; %s and %s are left", classes, got.Totals, ordersLeft, shippedLeft)
		}
		result.mustNote(t, NoStatusIncluded)
	})
}

func TestReconciliationErrorsNameTheValue(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Amazon"}`)
		if !strings.Contains(wrong.Error(), "Amazon") || !slices.Contains(wrong.Candidates(), "Ozon") {
			t.Errorf("%v, candidates %v", wrong, wrong.Candidates())
		}
		if wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "number_in": "comment"}`); !strings.Contains(wrong.Error(), "attribute:NAME") {
			t.Error(wrong)
		}
	})
}

// A shipment that is not posted does not count as shipped, even if it is linked to the order.
func TestDraftShipmentsDoNotCount(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		var order *sandbox.Document
		for _, o := range s.Books().Documents[sandbox.CustomerOrder] {
			settled := o.State == nil || o.State.Type != "Unsuccessful"
			if o.Posted() && settled && len(o.Followers) == 1 && o.Followers[0].Posted() && !o.Moment.Before(october[0]) &&
				o.Moment.Before(october[1]) {
				order = o
			}
		}
		if order == nil {
			t.Fatal("the books have no shipped order")
		}
		order.Followers[0].Applicable = false
		got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 1000}`)
		if !slices.ContainsFunc(got.NotShipped, func(r tradeRow) bool { return *r.OrderID == order.ID }) {
			t.Errorf("order %s is not among %d orders that were not shipped", order.Name, len(got.NotShipped))
		}
	})
}
