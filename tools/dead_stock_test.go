package tools

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// Archived goods can still move. The turnover report lists them only on request.
func TestArchivedGoodsGetTurnsOutsideSales(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	archived := 0
	for _, row := range truth.Of(s.Books(), s.clock(), truth.View{}).DeadStock(90, 90, nil).Rows {
		if row.Verdict == string(turnsOutsideSales) {
			s.Books().Item(row.ProductID).Archived = true
			archived++
		}
	}
	if archived == 0 {
		t.Error("no goods turn outside sales, so nothing was tested")
	}
	s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("dead_stock")
}

// Goods that are promised to customers in full are not dead. Of other goods, the row shows what is promised.
func TestReservedGoodsAreNotDead(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	books := s.Books()
	rows := truth.Of(books, s.clock(), truth.View{}).DeadStock(90, 90, nil).Rows
	order := books.Documents[sandbox.CustomerOrder][slices.IndexFunc(books.Documents[sandbox.CustomerOrder], (*sandbox.Document).Posted)]
	for i, row := range rows {
		units := sandbox.Units(row.Units.Shift(3).IntPart())
		if i%2 == 1 {
			units = min(units, sandbox.Pieces(1))
		}
		order.Positions = append(order.Positions, sandbox.Position{Item: books.Item(row.ProductID), Quantity: units, Held: units})
	}
	receive(t, s, stockedProduct(books)) // recomputes stock
	reserved := truth.Of(books, s.clock(), truth.View{})
	if n := reserved.DeadStock(90, 90, nil).Totals.ReservedPositions; n == 0 || n == len(rows) {
		t.Errorf("%d of %d goods are reserved in full, so little was tested", n, len(rows))
	}
	s.newTruthCheck(t, reserved).check("dead_stock")
}

// A good that was sold two days ago is not dead, even if as much came back of an earlier sale.
func TestReturnsDoNotMakeGoodsDead(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, JustOpened: true})
	selling, idle := s.newProduct(t, "Ladle"), s.newProduct(t, "Sieve")
	for _, product := range []*sandbox.Item{selling, idle} {
		s.record(t, "enter", 300, product, 20)
		s.record(t, "demand", 200, product, 5)
		s.record(t, "salesreturn", 1, product, 5)
	}
	s.record(t, "demand", 2, selling, 5)
	got, _ := ask[deadStockResult](s, "dead_stock", `{}`)
	if len(got.Rows) != 1 || got.Rows[0].ProductID != idle.ID || got.Rows[0].SoldUnits.String() != "-5" {
		t.Errorf("rows %+v", got.Rows)
	}
	s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("dead_stock")
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
