package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Stock must be null, not 0, while the upstream recalculates it and for goods that have none of their own.
func TestRecalculatedStockIsNullInABCXYZ(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 6, Products: 100, Switches: sandbox.Switches{Recalculating: 12}}, func(t *testing.T, s *shop) {
		lying, err := (&Run{Account: s.account}).CurrentStock(t.Context(), moysklad.PhysicalStock)
		must(t, err)
		got, result := ask[abcXYZResult](s, "abc_xyz", `{"limit": 1000}`)
		counting := 0
		for _, row := range got.Rows {
			unknown := !row.Archived && UnitsInStock(lying, row.ProductID, nil) == nil
			none := !s.Books().Item(row.ProductID).Stocked() // a bundle or service
			if unknown {
				counting++
			}
			if null := unknown || none; (row.StockUnits == nil) != null || null && row.StockMoney != nil {
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
