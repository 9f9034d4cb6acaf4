package tools

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestSlowMoversMatchBooks(t *testing.T) {
	for seed, idleHidden := range map[int64]bool{1: false, 2: true, 3: false} {
		inShop(t, sandbox.Config{Seed: seed, Switches: sandbox.Switches{IdleTurnoverHidden: idleHidden}}, func(t *testing.T, s *shop) {
			got, result := ask[slowMoversResult](s, "slow_movers", `{"limit": 1000}`)
			to := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow)
			from := to.AddDate(0, 0, -90)
			moved, sold := bookTurnover(s.Books(), from, to.Add(-time.Second), nil), bookUnitsSold(s.Books(), from, to.Add(-time.Second), nil)
			money, withoutCost, want := decimal.Zero, 0, map[string]decimal.Decimal{}
			newProducts, withoutSales := 0, 0
			for _, item := range s.Books().Assortment {
				units, cost := decimal.Zero, decimal.Zero
				for _, h := range s.Books().Holdings(item) {
					units, cost = units.Add(h.Stock.Quantity().Decimal), cost.Add(h.Cost().Kopecks().Decimal)
				}
				switch line := moved[item.ID]; {
				case !units.IsPositive():
				case line == nil || !line.openingUnits.IsPositive():
					newProducts++
				case !sold[item.ID].IsPositive():
					withoutSales++
				case units.Mul(decimal.NewFromInt(90)).GreaterThan(sold[item.ID].Mul(decimal.NewFromInt(180))):
					want[item.ID] = units.Mul(decimal.NewFromInt(90)).Div(sold[item.ID])
					if cost.IsZero() {
						withoutCost++
					}
					money = money.Add(cost)
				}
			}
			if len(want) == 0 || len(got.Rows) != len(want) || got.Totals.NewProducts != newProducts || got.Totals.WithoutSales != withoutSales ||
				got.Totals.PositionsWithoutCost != withoutCost {
				t.Fatalf("%d rows, %+v; the books have %d, new %d, without sales %d, without cost %d", len(got.Rows), got.Totals, len(want), newProducts,
					withoutSales, withoutCost)
			}
			if got.Totals.Money.Decimal().Sub(moneyOf(money).Decimal()).Abs().GreaterThan(decimal.NewFromFloat(.01)) {
				t.Errorf("money %s, the books have %s", text(got.Totals.Money), moneyOf(money))
			}
			for _, row := range got.Rows {
				if cover := want[row.ProductID]; !row.DaysOfCover.Decimal().Equal(cover.Round(1)) ||
					!row.SoldUnits.Decimal().Equal(sold[row.ProductID]) {
					t.Errorf("%s: %s days, the books have %s", row.Name, row.DaysOfCover, cover)
				}
			}
			if withoutCost > 0 {
				result.mustNote(t, CostUnknown)
			}
			if result.UpstreamCalls > 12 {
				t.Errorf("%d calls", result.UpstreamCalls)
			}
		})
	}
}
