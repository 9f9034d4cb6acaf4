package tools

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

type bookSupplierGroup struct {
	lines, withoutPrice int
	units, money        decimal.Decimal
}

// bookShortages sums the shortages in the books by supplier id.
func bookShortages(b *sandbox.Books, only *sandbox.Store) map[string]*bookSupplierGroup {
	groups := map[string]*bookSupplierGroup{}
	for _, item := range b.Assortment {
		if !item.Stocked() || len(item.Variants) > 0 || item.Archived {
			continue
		}
		for _, missing := range bookShortagesOf(b, item, only) {
			supplier := ""
			if s := item.Origin().Supplier; s != nil {
				supplier = s.ID
			}
			g := groups[supplier]
			if g == nil {
				g = &bookSupplierGroup{}
				groups[supplier] = g
			}
			g.lines++
			g.units = g.units.Add(missing)
			card := item.Origin()
			if card.BuyPrice == 0 {
				g.withoutPrice++
				continue
			}
			rate := decimal.New(card.BuyCurrency.Rate, -3)
			g.money = g.money.Add(missing.Mul(card.BuyPrice.Kopecks().Mul(rate)))
		}
	}
	return groups
}

// bookShortagesOf returns the shortage of an item for each of its thresholds. A threshold of 0 counts as a threshold.
func bookShortagesOf(b *sandbox.Books, item *sandbox.Item, only *sandbox.Store) []decimal.Decimal {
	var missing []decimal.Decimal
	test := func(threshold, stock sandbox.Units) {
		if stock < threshold {
			missing = append(missing, (threshold - stock).Quantity().Decimal)
		}
	}
	minimum := item.Threshold()
	if minimum.Type == sandbox.MinimumSum && only == nil {
		var stock sandbox.Units
		for _, h := range b.Holdings(item) {
			stock += h.Stock
		}
		test(minimum.Quantity, stock)
	}
	for _, store := range b.Stores {
		if threshold, set := minimum.At(store); set && !store.Archived && (only == nil || store == only) {
			test(threshold, b.Holding(item, store).Stock)
		}
	}
	return missing
}

func TestShortagesBySupplierMatchBooks(t *testing.T) {
	for _, seed := range []int64{1, 2, 3} {
		inShop(t, sandbox.Config{Seed: seed}, func(t *testing.T, s *shop) {
			got, result := ask[shortageBySupplierResult](s, "shortage_by_supplier", `{"limit": 1000}`)
			compareShortages(t, got, bookShortages(s.Books(), nil))
			result.mustNote(t, MinimumsByWarehouse)
			store := s.Books().Stores[1]
			got, _ = ask[shortageBySupplierResult](s, "shortage_by_supplier", `{"limit": 1000, "warehouse": "`+store.Name+`"}`)
			compareShortages(t, got, bookShortages(s.Books(), store))
		})
	}
}

func compareShortages(t *testing.T, got shortageBySupplierResult, want map[string]*bookSupplierGroup) {
	t.Helper()
	if len(want) == 0 || len(got.Suppliers) != len(want) {
		t.Fatalf("%d groups, the books have %d", len(got.Suppliers), len(want))
	}
	for i, group := range got.Suppliers {
		id := ""
		if group.SupplierID != nil {
			id = *group.SupplierID
		} else if i != len(got.Suppliers)-1 {
			t.Error("the group without a supplier is not the last")
		}
		book := want[id]
		if book == nil {
			t.Errorf("supplier %s has no shortage in the books", id)
			continue
		}
		units := decimal.Zero
		for _, line := range group.Lines {
			units = units.Add(line.Shortage.Decimal())
		}
		money := "null"
		if book.withoutPrice < book.lines {
			money = moneyOf(book.money).String()
		}
		if len(group.Lines) != book.lines || group.LinesWithoutPrice != book.withoutPrice || !units.Equal(book.units) ||
			text(group.Money) != money {
			t.Errorf("%s: %d lines, %d without price, %s units, %s; the books have %+v", id, len(group.Lines), group.LinesWithoutPrice, units,
				text(group.Money), book)
		}
	}
}

func TestShortagesWithoutPricesHaveNullMoney(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost}, func(t *testing.T, s *shop) {
		got, result := ask[shortageBySupplierResult](s, "shortage_by_supplier", `{"limit": 2}`)
		lines := 0
		for _, group := range got.Suppliers {
			lines += len(group.Lines)
			if group.Money != nil {
				t.Errorf("money %s", text(group.Money))
			}
		}
		if got.Totals.Money != nil || lines != 2 || !got.Truncated || got.Totals.Positions != got.TotalRows {
			t.Errorf("%d lines, %+v", lines, got.Totals)
		}
		result.mustNote(t, CostUnknown, Truncated)
	})
}
