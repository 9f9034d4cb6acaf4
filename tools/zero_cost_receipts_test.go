package tools

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestZeroCostReceiptsMatchBooks(t *testing.T) {
	for _, days := range []int{365, 120} {
		inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
			s.discountAll(t)
			got, _ := ask[zeroCostReceiptsResult](s, "zero_cost_receipts", fmt.Sprintf(`{"days": %d, "limit": 1000}`, days))
			since := time.Date(2026, 11, 21, 0, 0, 0, 0, moysklad.Moscow).AddDate(0, 0, 1-days)
			var want []string
			documents, checked, entered := map[string]bool{}, 0, 0
			for _, kind := range []sandbox.Kind{sandbox.Supply, sandbox.Enter} {
				for _, d := range s.Books().Documents[kind] {
					if !d.Posted() || d.Moment.Before(since) {
						continue
					}
					checked++
					for _, p := range d.Positions {
						if p.Price == 0 || p.Discount == 100 {
							want = append(want, d.ID+" "+p.Item.ID+" "+p.Quantity.Quantity().String())
							documents[d.ID] = true
							if kind == sandbox.Enter {
								entered++
							}
						}
					}
				}
			}
			var rows []string
			for _, row := range got.Rows {
				rows = append(rows, row.DocumentID+" "+row.ProductID+" "+row.Units.String())
			}
			slices.Sort(rows)
			slices.Sort(want)
			if days == 365 && entered == 0 || !slices.Equal(rows, want) || got.Totals.Documents != len(documents) ||
				got.Totals.Lines != len(want) || got.Totals.DocumentsChecked != checked {
				t.Errorf("%d lines, %+v; the books have %d lines in %d of %d documents", len(rows), got.Totals, len(want), len(documents), checked)
			}
		})
	}
}

// discountAll sets a discount of 100 % on one line of a recent receipt.
func (s *shop) discountAll(t *testing.T) {
	t.Helper()
	supplies := s.Books().Documents[sandbox.Supply]
	for _, d := range slices.Backward(supplies) {
		if d.Posted() && d.Positions[0].Price != 0 {
			d.Positions[0].Discount = 100
			return
		}
	}
	t.Fatal("the books have no receipt")
}

// If the role does not see cost, entries have no prices. They must not be reported as free.
func TestHiddenPricesDoNotCountAsZero(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost}, func(t *testing.T, s *shop) {
		got, result := ask[zeroCostReceiptsResult](s, "zero_cost_receipts", `{}`)
		if len(got.Rows) != 0 || got.Totals.CostVisible || got.Totals.DocumentsChecked != 0 {
			t.Errorf("%+v", got)
		}
		result.mustNote(t, CostUnknown)
	})
}

// A missing price is not a price of 0, whatever the role may see.
//
// Source: md/changelog, 2021-04-28: without the right to see cost, entries have neither sum nor prices.
func TestMissingPriceIsNotZero(t *testing.T) {
	price := func(kopecks int64) *moysklad.Kopecks {
		return &moysklad.Kopecks{Decimal: moysklad.Qty(kopecks).Decimal}
	}
	whole := moysklad.Qty(100)
	found := zeroCostBuilder{rows: topRows[zeroCostLine]{limit: 9, compare: byMoment}, documents: map[string]bool{},
		products: map[string]bool{}}
	found.add("enter", moysklad.Document{ID: "1", Positions: &moysklad.Positions[moysklad.Position]{Rows: []moysklad.Position{
		{Price: nil}, {Price: price(5)}, {Price: price(0)}, {Price: nil, Discount: whole}, {Price: price(5), Discount: whole},
	}}})
	if found.rows.count != 3 || found.hiddenPrices != 1 {
		t.Errorf("%d lines without cost, %d unknown; want 3 and 1", found.rows.count, found.hiddenPrices)
	}
}
