package tools

import (
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

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
