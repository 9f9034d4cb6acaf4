package tools

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestReconciliationErrorsNameTheValue(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Amazon"}`)
		if !strings.Contains(wrong.Error(), "Amazon") || !slices.Contains(wrong.Choices(), "Ozon") {
			t.Errorf("%v, candidates %v", wrong, wrong.Choices())
		}
		if wrong := s.mustRefuse("reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "number_in": "comment"}`); !strings.Contains(wrong.Error(), "attribute:NAME") {
			t.Error(wrong)
		}
	})
}

// An order from before the period is found by its number, as one of the period is, with all that was shipped of it.
// Without a link to follow, it must be read with the others.
func TestOrdersBeforeThePeriodMatchByNumber(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	books := s.Books()
	linked := slices.IndexFunc(books.Documents[sandbox.Demand], func(d *sandbox.Document) bool {
		o := d.Order
		return o != nil && o.Kind == sandbox.CustomerOrder && d.Posted() && o.Posted() && len(o.Followers) == 1 && d.Channel != nil &&
			d.Sum == o.Sum && d.Moment.Sub(o.Moment) > 24*time.Hour && (o.State == nil || o.State.Type != "Unsuccessful")
	})
	shipment := books.Documents[sandbox.Demand][linked]
	order := shipment.Order
	shipment.Order, order.Followers = nil, nil
	order.External, shipment.External = "OZ-777-1", "OZ-777-1"
	day := shipment.Moment.Format(time.DateOnly)
	for _, channel := range []string{"", shipment.Channel.Name} {
		got, _ := ask[reconcileShipmentsResult](s, "reconcile_shipments", marshal(t, map[string]any{"from": day, "to": day, "channel": channel, "limit": 1000}))
		for _, row := range got.ShippedWithoutOrder {
			if slices.Contains(row.ShipmentIDs, shipment.ID) {
				t.Errorf("channel %q: the shipment is one without an order", channel)
			}
		}
		if got.Totals.OutsideOrders == 0 || got.Matched == 0 {
			t.Errorf("channel %q: %d match, %d orders are of other days", channel, got.Matched, got.Totals.OutsideOrders)
		}
	}
}
