package tools

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Verdicts and money must match the simulated documents.
func TestDeadStockMatchesBooks(t *testing.T) {
	eachSeed(t, sandbox.Config{}, func(t *testing.T, s *shop) {
		got, result := ask[deadStockResult](s, "dead_stock", `{"limit": 1000}`)
		want := bookDeadStock(s.Books(), 90, 90, nil)
		compareDeadStock(t, got, want)
		if got.Totals.PositionsWithoutCost > 0 {
			result.mustNote(t, CostUnknown)
		}
		verdicts := map[Verdict]int{}
		for _, row := range got.Rows {
			verdicts[row.Verdict]++
		}
		if verdicts[Dead] == 0 || verdicts[TurnsOutsideSales] == 0 {
			t.Errorf("want both verdicts, got %v", verdicts)
		}
	})
}

// For one warehouse, the age, sales and outflow must be those of that warehouse only.
func TestDeadStockOfOneWarehouseCountsOnlyThere(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	for _, store := range s.Books().Stores {
		if store.Archived {
			continue
		}
		got, _ := ask[deadStockResult](s, "dead_stock", marshal(t, map[string]any{"warehouse": store.Name, "limit": 1000}))
		compareDeadStock(t, got, bookDeadStock(s.Books(), 90, 90, store))
	}
}

// Archived goods can still move. The turnover report lists them only on request.
func TestArchivedGoodsGetTurnsOutsideSales(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	want, archived := bookDeadStock(s.Books(), 90, 90, nil), 0
	for _, item := range s.Books().Assortment {
		if strings.HasPrefix(want[item.ID], string(TurnsOutsideSales)) {
			item.Archived = true
			archived++
		}
	}
	got, _ := ask[deadStockResult](s, "dead_stock", `{"limit": 1000}`)
	compareDeadStock(t, got, want)
	if archived == 0 || got.Totals.ArchivedPositions < archived {
		t.Errorf("%d goods are archived, %d of them are listed", archived, got.Totals.ArchivedPositions)
	}
}

func compareDeadStock(t *testing.T, got deadStockResult, want map[string]string) {
	t.Helper()
	for _, row := range got.Rows {
		have := fmt.Sprint(row.Verdict, " ", row.DaysInWarehouse, " days, ", row.Units, " units, sold ", row.SoldUnits, ", moved ",
			row.MovedUnits, ", ", text(row.FrozenMoney))
		if have != want[row.ProductID] {
			t.Errorf("%s: %s\nwant %s", row.Name, have, want[row.ProductID])
		}
		delete(want, row.ProductID)
	}
	for id, missing := range want {
		t.Errorf("missing %s: %s", id, missing)
	}
}

// bookDeadStock computes the expected result from the items' layers and the documents in the window.
func bookDeadStock(b *sandbox.Books, minDays int64, windowDays int, only *sandbox.Store) map[string]string {
	sold, other := bookOutflow(b, windowDays, only)
	dead := map[string]string{}
	for _, item := range b.Assortment {
		if !item.Stocked() {
			continue
		}
		var total sandbox.Holding
		for _, holding := range b.Holdings(item) {
			if only == nil || holding.Store == only {
				total.Stock += holding.Stock
				total.Layers = append(total.Layers, holding.Layers...)
			}
		}
		if total.Stock <= 0 || total.Days(b.Now) < minDays || sold[item] > 0 {
			continue
		}
		verdict := Dead
		if other[item] > 0 {
			verdict = TurnsOutsideSales
		}
		money := "null"
		if cost := total.Cost(); cost > 0 {
			money = amountOf(cost)
		}
		dead[item.ID] = fmt.Sprint(verdict, " ", total.Days(b.Now), " days, ", total.Stock.Quantity(), " units, sold ", sold[item].Quantity(),
			", moved ", other[item].Quantity(), ", ", money)
	}
	return dead
}

// bookOutflow returns net sales and other outflow. Units that a sold bundle consumes count as other outflow.
func bookOutflow(b *sandbox.Books, windowDays int, only *sandbox.Store) (sold, other map[*sandbox.Item]sandbox.Units) {
	from := b.Now.AddDate(0, 0, -windowDays)
	sold, other = map[*sandbox.Item]sandbox.Units{}, map[*sandbox.Item]sandbox.Units{}
	for kind, documents := range b.Documents {
		for _, document := range documents {
			if !document.Posted() || document.Moment.Before(from) || only != nil && document.Store != only {
				continue
			}
			for i := range document.Positions {
				line := &document.Positions[i]
				switch kind {
				case sandbox.Demand, sandbox.RetailDemand:
					sold[line.Item] += line.Quantity
					for _, part := range line.Parts {
						other[part.Item] += part.Quantity
					}
				case sandbox.SalesReturn, sandbox.RetailSalesReturn:
					sold[line.Item] -= line.Quantity
				case sandbox.Move, sandbox.Loss, sandbox.Processing, sandbox.PurchaseReturn:
					other[line.Item] += line.Quantity
				}
			}
		}
	}
	return sold, other
}

// Without the right to see cost, money is computed from purchase prices, with a note, or it is unknown.
func TestDeadStockWithoutCostRightUsesPurchasePrices(t *testing.T) {
	t.Parallel()
	for _, shown := range []bool{true, false} {
		s := openShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost, Switches: sandbox.Switches{BuyPriceShown: shown}})
		got, result := ask[deadStockResult](s, "dead_stock", `{}`)
		if shown != (got.Totals.DeadMoney != nil) {
			t.Errorf("prices shown: %v, dead money: %s", shown, text(got.Totals.DeadMoney))
		}
		if shown {
			result.mustNote(t, PurchasePriceBasis)
		} else {
			result.mustNote(t, CostUnknown)
		}
	}
}

// Goods that were shipped only in bundles are not dead. Goods that were shipped and returned count as shipped.
func TestGoodsSoldInBundlesAreNotDead(t *testing.T) {
	for _, c := range []struct {
		shipped, gross, net int64
		want                string
	}{{5, 0, 0, "[{bundle 5}]"}, {5, 3, 3, "[{bundle 2}]"}, {3, 3, 0, "[]"}, {0, 0, 0, "[]"}} {
		good := goodOutflow{shipped: compactDecimal{}.plus(decimal.NewFromInt(c.shipped)), gross: compactOf(decimal.NewFromInt(c.gross)),
			net: compactOf(decimal.NewFromInt(c.net))}
		if got := fmt.Sprint(good.otherThanSales()); got != c.want {
			t.Errorf("shipped %d, sold %d: %s, want %s", c.shipped, c.gross, got, c.want)
		}
	}
}

// The profit report can have a row without a product. Such a row is ignored.
func TestSaleWithoutProductIsIgnored(t *testing.T) {
	t.Parallel()
	nameless := func(asked *url.URL, answer map[string]any) {
		if rows, _ := answer["rows"].([]any); strings.HasSuffix(asked.Path, "/profit/byvariant") && len(rows) > 0 {
			delete(rows[0].(map[string]any), "assortment")
		}
	}
	inShopThrough(t, sandbox.Config{Seed: 1, Products: 40}, nameless, func(t *testing.T, s *shop) {
		if _, err := s.call("dead_stock", `{}`); err != nil {
			t.Error(err)
		}
	})
}
