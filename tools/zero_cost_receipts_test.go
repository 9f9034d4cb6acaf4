package tools

import (
	"slices"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// A line with a discount of 100 % was received for free too.
func TestFullDiscountCountsAsZeroCost(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1}, func(t *testing.T, s *shop) {
		before := truth.Of(s.Books(), s.clock(), truth.View{}).ZeroCostReceipts(365).Totals.Lines
		s.discountAll(t)
		after := truth.Of(s.Books(), s.clock(), truth.View{})
		if lines := after.ZeroCostReceipts(365).Totals.Lines; lines != before+1 {
			t.Fatalf("the books have %d lines without cost, want %d", lines, before+1)
		}
		s.newTruthCheck(t, after).check("zero_cost_receipts")
	})
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
	found.add("enter", moysklad.Document{ID: "1", Positions: &moysklad.NestedList[moysklad.Position]{Rows: []moysklad.Position{
		{Price: nil}, {Price: price(5)}, {Price: price(0)}, {Price: nil, Discount: whole}, {Price: price(5), Discount: whole},
	}}})
	if found.rows.count != 3 || found.hiddenPrices != 1 {
		t.Errorf("%d lines without cost, %d unknown; want 3 and 1", found.rows.count, found.hiddenPrices)
	}
}
