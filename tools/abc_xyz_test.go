package tools

import (
	"strconv"
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

// An answer about one cell says how many of its products have no known cost, not how many there are in all cells.
func TestNotesCountTheProductsOfTheCell(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		for i, item := range s.Books().Assortment {
			item.Archived = item.Archived || i%5 == 0
		}
		whole, result := ask[abcXYZResult](s, "abc_xyz", `{"limit": 1000}`)
		result.mustNote(t, CostUnknown, ArchivedIncluded)
		sums := map[NoteCode]int{}
		for _, cell := range whole.Cells {
			got, result := ask[abcXYZResult](s, "abc_xyz", marshal(t, map[string]any{"cell": cell.Cell, "limit": 1000}))
			want := map[NoteCode]int{}
			for _, row := range got.Rows {
				if row.StockUnits != nil && row.StockUnits.Decimal().IsPositive() && row.StockMoney == nil {
					want[CostUnknown]++
				}
				if row.Archived {
					want[ArchivedIncluded]++
				}
			}
			for _, code := range []NoteCode{CostUnknown, ArchivedIncluded} {
				if counted := result.positions(t, code); counted != want[code] {
					t.Errorf("%s: note %s counts %d products, want %d", cell.Cell, code, counted, want[code])
				}
				sums[code] += want[code]
			}
		}
		for code, sum := range sums {
			if counted := result.positions(t, code); counted != sum {
				t.Errorf("note %s counts %d products, but %d in the cells", code, counted, sum)
			}
		}
	})
}

// positions returns the number that a note counts, or 0 without the note.
func (r *Result) positions(t *testing.T, code NoteCode) int {
	t.Helper()
	note := r.note(code)
	if note == nil {
		return 0
	}
	count, err := strconv.Atoi(note.Values["positions"])
	must(t, err)
	return count
}

func TestProfitMetricRequiresTheRightToSeeCost(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost}, func(t *testing.T, s *shop) {
		s.mustRefuse("abc_xyz", `{"metric": "profit"}`)
		s.mustRefuse("abc_xyz", `{"x_percent": 50, "y_percent": 20}`)
	})
}
