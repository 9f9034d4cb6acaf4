package tools

import (
	"fmt"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// A lead time argument applies to every product, without a deviation. No receipts are read.
func TestLeadTimeArgumentAppliesToAllProducts(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		got, result := ask[reorderPointsResult](s, "reorder_points", `{"lead_time_days": 14, "service_level": 0.99, "limit": 1000}`)
		for _, row := range got.Rows {
			if *row.LeadTimeBasis != "argument" || row.LeadTimeDays.Decimal().String() != "14" {
				t.Errorf("%s: %v days from %s", row.Name, row.LeadTimeDays, *row.LeadTimeBasis)
			}
		}
		result.mustNotNote(t, LeadTimeUnknown)
		for _, call := range s.Log() {
			if call.Path == "/api/remap/1.2/entity/supply" {
				t.Error("receipts were read although the lead time was given")
			}
		}
	})
}

// Units on order are part of the inventory position. Four sevenths of a unit are sold a day, so that the orders are
// whole units only if nothing is rounded on the way.
func TestOrdersRaisePositionToReorderPointAndCover(t *testing.T) {
	lead := &leadTime{days: decimal.NewFromInt(14)}
	need := func(balance Balance, coverDays int) string {
		n := reorderNeed{
			good: &Good{}, demand: &productDemand{}, rate: salesRate{decimal.NewFromInt(32), 56}, class: shortHistoryDemand, leadTime: lead,
			balance: balance,
		}
		n.computePoint(demandSeries{}, .95)
		n.computeOrder(coverDays)
		return n.order.String()
	}
	units := decimal.NewFromInt
	for _, c := range []struct {
		name      string
		balance   Balance
		coverDays int
		want      string
	}{
		{"below the reorder point of 12", Balance{Units: units(8)}, 0, "4"},
		{"with the sales of 21 days", Balance{Units: units(8)}, 21, "16"},
		{"at the reorder point", Balance{Units: units(12)}, 0, "0"},
		{"at the reorder point, with the sales of 7 days", Balance{Units: units(12)}, 7, "4"},
		{"enough in transit", Balance{Units: units(4), InTransit: units(9)}, 7, "0"},
		{"partly reserved", Balance{Units: units(18), Reserved: units(10)}, 0, "4"},
		{"rounded up to whole units", Balance{Units: units(8), InTransit: decimal.RequireFromString("3.5")}, 0, "1"},
		{"negative stock", Balance{Units: units(-3)}, 0, "15"},
	} {
		if got := need(c.balance, c.coverDays); got != c.want {
			t.Errorf("%s: order %s, want %s", c.name, got, c.want)
		}
	}
}

func TestQueriedProductsAreListedEvenIfUnsold(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, WithoutAttacks: true}, func(t *testing.T, s *shop) {
		sold := map[string]bool{}
		for _, row := range truth.Of(s.Books(), s.clock(), truth.View{}).ReorderPoints(90, .95, nil, 0, nil).Rows {
			sold[row.ProductID] = true
		}
		var unsold *sandbox.Item
		for _, item := range s.Books().Assortment {
			if item.Stocked() && len(item.Variants) == 0 && !item.Archived && !sold[item.ID] {
				unsold = item
			}
		}
		got, _ := ask[reorderPointsResult](s, "reorder_points", fmt.Sprintf(`{"query": %q, "lead_time_days": 14}`, unsold.Code))
		if len(got.Rows) != 1 || got.Rows[0].ProductID != unsold.ID || got.Rows[0].DemandClass != noDemand ||
			!got.Rows[0].OrderUnits.Decimal().IsZero() {
			t.Errorf("%+v", got.Rows)
		}
	})
}
