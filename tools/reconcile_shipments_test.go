package tools

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// bookClassTotals has the documents of one class in the books, and their sums.
type bookClassTotals struct {
	ids                   []string
	ordersSum, shippedSum sandbox.Amount
}

// bookClasses classifies documents by the links that the generator of the books made, and by the number in each
// channel's field.
func bookClasses(b *sandbox.Books, from, to time.Time, channel *sandbox.SalesChannel, grace int) map[orderClass]*bookClassTotals {
	classes := map[orderClass]*bookClassTotals{}
	inPeriod := func(d *sandbox.Document) bool { return d.Posted() && !d.Moment.Before(from) && !d.Moment.After(to) }
	add := func(class orderClass, order *sandbox.Document, shipments []*sandbox.Document) {
		if classes[class] == nil {
			classes[class] = &bookClassTotals{}
		}
		t := classes[class]
		if order != nil {
			t.ids, t.ordersSum = append(t.ids, order.ID), t.ordersSum+order.Sum
		}
		for _, s := range shipments {
			t.ids, t.shippedSum = append(t.ids, s.ID), t.shippedSum+s.Sum
		}
	}
	var orders []*sandbox.Document
	shipped := map[*sandbox.Document][]*sandbox.Document{}
	for _, o := range b.Documents[sandbox.CustomerOrder] {
		for _, f := range o.Followers {
			if f.Posted() {
				shipped[o] = append(shipped[o], f)
			}
		}
		mine := channel == nil || o.Channel == channel ||
			slices.ContainsFunc(shipped[o], func(s *sandbox.Document) bool { return s.Channel == channel })
		if mine && (inPeriod(o) || slices.ContainsFunc(shipped[o], inPeriod)) {
			orders = append(orders, o)
		}
	}
	numbers := map[string]int{}
	for _, o := range orders {
		if countsAsDuplicate(o, shipped[o]) {
			numbers[bookNumber(o)]++
		}
	}
	for _, o := range orders {
		add(bookClass(o, shipped[o], countsAsDuplicate(o, shipped[o]) && numbers[bookNumber(o)] > 1, noon.AddDate(0, 0, -grace)), o, shipped[o])
	}
	for _, s := range b.Documents[sandbox.Demand] {
		if inPeriod(s) && s.Order == nil && (channel == nil || s.Channel == channel) {
			add(withoutOrder, nil, []*sandbox.Document{s})
		}
	}
	return classes
}

func countsAsDuplicate(o *sandbox.Document, shipments []*sandbox.Document) bool {
	return o.Channel != nil && (len(shipments) > 0 || o.State == nil || o.State.Type != "Unsuccessful")
}

func bookNumber(o *sandbox.Document) string {
	switch {
	case o.Channel == nil:
		return ""
	case o.Channel.Numbering == sandbox.NumberInName:
		return o.Channel.ID + o.Name
	case o.Channel.Numbering == sandbox.NumberInCode:
		return o.Channel.ID + o.External
	}
	return o.Channel.ID + o.Number
}

func bookClass(o *sandbox.Document, shipments []*sandbox.Document, duplicate bool, flying time.Time) orderClass {
	cancelled := o.State != nil && o.State.Type == "Unsuccessful"
	var sum sandbox.Amount
	units := map[*sandbox.Item]sandbox.Units{}
	for _, p := range o.Positions {
		units[p.Item] += p.Quantity
	}
	for _, s := range shipments {
		sum += s.Sum
		for _, p := range s.Positions {
			units[p.Item] -= p.Quantity
		}
	}
	missing := false
	for _, left := range units {
		missing = missing || left > 0
	}
	switch {
	case duplicate:
		return duplicateNumber
	case cancelled && len(shipments) > 0:
		return cancelledShipped
	case cancelled:
		return cancelledOrder
	case len(shipments) == 0 && o.Moment.After(flying):
		return inFlight
	case len(shipments) == 0:
		return notShipped
	case sum == o.Sum:
		return matchedOrder
	case missing:
		return shippedPartly
	}
	return amountDiffers
}

func TestReconciliationMatchesBooks(t *testing.T) {
	seen := map[orderClass]bool{}
	for _, seed := range []int64{1, 2, 3} {
		inShop(t, sandbox.Config{Seed: seed, Products: 400, WithoutAttacks: true}, func(t *testing.T, s *shop) {
			for _, channel := range s.Books().Channels {
				place := map[sandbox.Numbering]string{sandbox.NumberInName: "name", sandbox.NumberInCode: "external_code"}[channel.Numbering]
				if place == "" {
					place = "attribute:" + s.Books().Attributes[sandbox.CustomerOrder][0].Name
				}
				arguments := fmt.Sprintf(`{"from": "2026-09-01", "to": "2026-11-21", "channel": %q, "number_in": %q, "limit": 1000}`, channel.Name,
					place)
				got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", arguments)
				want := bookClasses(s.Books(), time.Date(2026, 9, 1, 0, 0, 0, 0, noon.Location()), endOfDay(noon), channel, 3)
				compareClasses(t, channel.Name, got, want)
				for class := range want {
					seen[class] = true
				}
			}
		})
	}
	for _, class := range orderClasses {
		if !seen[class] {
			t.Errorf("the books have no case of %s", class)
		}
	}
}

func compareClasses(t *testing.T, name string, got reconcileShipmentsResult, want map[orderClass]*bookClassTotals) {
	t.Helper()
	for _, class := range got.Classes {
		book := want[class.Class]
		if book == nil {
			book = &bookClassTotals{}
		}
		if class.Orders+class.Shipments != len(book.ids) || text(class.OrdersSum) != amountOf(book.ordersSum) ||
			text(class.ShipmentsSum) != amountOf(book.shippedSum) {
			t.Errorf("%s, %s: %d orders for %s, %d shipments for %s; the books have %d documents, %s and %s", name, class.Class,
				class.Orders, text(class.OrdersSum), class.Shipments, text(class.ShipmentsSum), len(book.ids), amountOf(book.ordersSum),
				amountOf(book.shippedSum))
		}
		if rows := got.rowsOf(class.Class); rows != nil {
			var ids []string
			for _, row := range *rows {
				if row.OrderID != nil {
					ids = append(ids, *row.OrderID)
				}
				ids = append(ids, row.ShipmentIDs...)
			}
			slices.Sort(ids)
			slices.Sort(book.ids)
			if !slices.Equal(ids, book.ids) {
				t.Errorf("%s, %s: %v, the books have %v", name, class.Class, ids, book.ids)
			}
		}
	}
}

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
