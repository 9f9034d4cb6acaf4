package tools

import (
	"fmt"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// bookOwnSales returns net revenue and net cost in hundredths for each item that was sold by itself. A bundle counts as
// one item; its components do not count.
func bookOwnSales(b *sandbox.Books, days int) (revenue, cost map[string]decimal.Decimal) {
	revenue, cost = map[string]decimal.Decimal{}, map[string]decimal.Decimal{}
	to := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow)
	from := to.AddDate(0, 0, -days)
	for kind, sign := range saleSigns {
		for _, d := range b.Documents[kind] {
			if !d.Posted() || d.Moment.Before(from) || !d.Moment.Before(to) {
				continue
			}
			for _, p := range d.Positions {
				revenue[p.Item.ID] = revenue[p.Item.ID].Add(p.Sum().Kopecks().Mul(decimal.NewFromInt(sign)))
				cost[p.Item.ID] = cost[p.Item.ID].Add(p.Cost.Kopecks().Mul(decimal.NewFromInt(sign)))
			}
		}
	}
	return revenue, cost
}

func TestABCXYZMatchesBooks(t *testing.T) {
	for seed, metric := range map[int64]string{1: "revenue", 2: "profit"} {
		inShop(t, sandbox.Config{Seed: seed}, func(t *testing.T, s *shop) {
			got, _ := ask[abcXYZResult](s, "abc_xyz", fmt.Sprintf(`{"window_days": 84, "metric": %q, "x_percent": 60, "y_percent": 120, "limit": 1000}`, metric))
			values, costs := bookOwnSales(s.Books(), 84)
			whole := decimal.Zero
			for id := range values {
				if metric == "profit" {
					if !costs[id].IsPositive() {
						delete(values, id)
						continue
					}
					values[id] = values[id].Sub(costs[id])
				}
				whole = whole.Add(decimal.Max(values[id], decimal.Zero))
			}
			if len(got.Rows) != len(values) || len(values) == 0 || text(got.Totals.Value) != moneyOf(whole).String() {
				t.Fatalf("%d rows for %s, the books have %d for %s", len(got.Rows), text(got.Totals.Value), len(values), moneyOf(whole))
			}
			compareABC(t, s.Books(), got, values, whole)
			compareCells(t, got)
		})
	}
}

// compareABC computes the classes again from the order of the rows.
func compareABC(t *testing.T, b *sandbox.Books, got abcXYZResult, values map[string]decimal.Decimal, whole decimal.Decimal) {
	t.Helper()
	demands := bookDemands(b, 84, nil)
	before := decimal.Zero
	last := values[got.Rows[0].ProductID]
	for _, row := range got.Rows {
		value := values[row.ProductID]
		if value.GreaterThan(last) {
			t.Errorf("%s is listed after a smaller value", row.Name)
		}
		last = value
		share := before.Div(whole).InexactFloat64()
		class := "C"
		switch {
		case !value.IsPositive():
		case share < .8:
			class = "A"
		case share < .95:
			class = "B"
		}
		before = before.Add(decimal.Max(value, decimal.Zero))
		if row.ABC != class || text(row.Value) != moneyOf(value).String() {
			t.Errorf("%s: %s for %s; the books have %s for %s", row.Name, row.ABC, text(row.Value), class, moneyOf(value))
		}
		if demand := demands[row.ProductID]; demand != nil {
			if xyz := xyzClass(demand.allSeries, 60, 120); row.XYZ != xyz || row.Weeks != demand.allSeries.periods {
				t.Errorf("%s: %s in %d weeks; the books have %s in %d", row.Name, row.XYZ, row.Weeks, xyz, demand.allSeries.periods)
			}
		}
	}
}

func compareCells(t *testing.T, got abcXYZResult) {
	t.Helper()
	products, value, share := 0, decimal.Zero, decimal.Zero
	for _, cell := range got.Cells {
		products += cell.Products
		value = value.Add(cell.Value.Decimal())
		share = share.Add(cell.SharePercent.Decimal())
	}
	if products != got.Totals.Products || !value.Equal(got.Totals.Value.Decimal()) ||
		share.Sub(decimal.NewFromInt(100)).Abs().GreaterThan(decimal.NewFromFloat(.1)) {
		t.Errorf("cells have %d products, %s, %s %%; all have %d, %s", products, value, share, got.Totals.Products, text(got.Totals.Value))
	}
}

// Stock must be null, not 0, while the upstream recalculates it.
func TestRecalculatedStockIsNullInABCXYZ(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 6, Products: 100, Switches: sandbox.Switches{Recalculating: 12}}, func(t *testing.T, s *shop) {
		lying, err := (&Call{Account: s.account}).CurrentStock(t.Context(), moysklad.PhysicalStock)
		if err != nil {
			t.Fatal(err)
		}
		got, result := ask[abcXYZResult](s, "abc_xyz", `{"limit": 1000}`)
		counting := 0
		for _, row := range got.Rows {
			unknown := !row.Archived && UnitsInStock(lying, row.ProductID, nil) == nil
			if unknown {
				counting++
			}
			if (row.StockUnits == nil) != unknown || unknown && row.StockMoney != nil {
				t.Errorf("%s: %v units for %v, being recalculated: %v", row.Name, row.StockUnits, row.StockMoney, unknown)
			}
		}
		if counting == 0 {
			t.Error("no product with sales is being recalculated")
		}
		result.mustNote(t, StockRecalculating)
	})
}

func TestCellArgumentFiltersRows(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		got, _ := ask[abcXYZResult](s, "abc_xyz", `{"cell": "CZ", "limit": 1000}`)
		for _, row := range got.Rows {
			if row.ABC+row.XYZ != "CZ" {
				t.Errorf("%s is %s%s", row.Name, row.ABC, row.XYZ)
			}
		}
		for _, cell := range got.Cells {
			if cell.Cell == "CZ" && cell.Products != len(got.Rows) {
				t.Errorf("%d rows of %d", len(got.Rows), cell.Products)
			}
		}
	})
}

func TestProfitMetricRequiresTheRightToSeeCost(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost}, func(t *testing.T, s *shop) {
		s.mustRefuse("abc_xyz", `{"metric": "profit"}`)
		s.mustRefuse("abc_xyz", `{"x_percent": 50, "y_percent": 20}`)
	})
}

// A product without stock has stock money of 0 even if its cost is unknown.
func TestSoldOutProductHasZeroStockMoney(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	got, _ := ask[abcXYZResult](s, "abc_xyz", `{"limit": 1000}`)
	gone := 0
	for _, row := range got.Rows {
		if row.StockUnits != nil && row.StockUnits.String() == "0" {
			gone++
			if text(row.StockMoney) != "0.00" {
				t.Errorf("%s: 0 units are worth %s", row.Name, text(row.StockMoney))
			}
		}
	}
	if gone == 0 {
		t.Error("every sold product is in stock, so nothing was tested")
	}
}
