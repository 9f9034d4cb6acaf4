package tools

import (
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// Archived goods below zero are listed and marked, in whichever warehouse they are.
func TestArchivedGoodsBelowZeroAreListed(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	before := truth.Of(s.Books(), s.clock(), truth.View{}).NegativeStock(nil)
	for _, row := range before.Rows[:len(before.Rows)/2] {
		s.Books().Item(row.ProductID).Archived = true
	}
	after := truth.Of(s.Books(), s.clock(), truth.View{})
	if archived := after.NegativeStock(nil).Totals.ArchivedPositions; archived == 0 || archived == len(before.Rows) {
		t.Errorf("%d of %d positions are archived, so little was tested", archived, len(before.Rows))
	}
	s.newTruthCheck(t, after).check("negative_stock")
}

// While the upstream recalculates the stock in other warehouses, it is unknown, not 0.
func TestElsewhereIsNullWhileRecalculating(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shop{t: t}
		config := sandbox.Config{Seed: 1, Products: 5, Now: s.clock}
		s.Sandbox = sandbox.New(config)
		stores := s.Books().Stores
		counting := func(w http.ResponseWriter, r *http.Request) {
			if !strings.HasSuffix(r.URL.Path, "/bystore/current") {
				s.Handler().ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json;charset=utf-8")
			const row = `{"assortmentId":%q,"storeId":%q,"stock":%s}`
			fmt.Fprintf(w, `[`+row+`,`+row+`]`, s.Books().Assortment[0].ID, stores[0].ID, "-2", s.Books().Assortment[0].ID, stores[1].ID, "null")
		}
		s.account = s.newAccount(pipedPool(t, http.HandlerFunc(counting), nil), config)
		got, result := ask[negativeStockResult](s, "negative_stock", `{}`)
		if len(got.Rows) != 1 || got.Rows[0].Units.String() != "-2" || got.Rows[0].Elsewhere != nil {
			t.Errorf("got %+v", got.Rows)
		}
		result.mustNote(t, StockRecalculating)
	})
}

// A wrong minus in one warehouse hides as many units in others. Goods that lie in some warehouse must not be called out of
// stock, and reports with sums over all warehouses have a note.
func TestMinusInOneWarehouseIsNoted(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 100})
	books := s.Books()
	item := stockedProduct(books)
	var lying string
	var empty *sandbox.Store
	for _, store := range books.Stores {
		if books.Holding(item, store).Stock <= 0 {
			empty = store
		}
	}
	stock, _ := ask[stockResult](s, "stock", marshal(t, map[string]any{"query": item.Name}))
	for _, row := range stock.Rows {
		if row.ProductID == item.ID {
			lying = stock.Totals.Units.String()
		}
	}
	post(t, s, "/entity/loss", fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":%s,"price":0,"assortment":%s}]}`,
		linkTo("organization", books.Organizations[0].ID), linkTo("store", empty.ID), lying, linkTo("product", item.ID)))
	s.advance(2 * maxFigureAge)
	for _, row := range truth.Of(books, s.clock(), truth.View{}).OutOfStock(90, nil).Rows {
		if row.ProductID == item.ID {
			t.Errorf("%s is out of stock, though a warehouse has it", row.Name)
		}
	}
	s.newTruthCheck(t, truth.Of(books, s.clock(), truth.View{})).check("out_of_stock")
	products, minus := 0, sandbox.Units(0)
	for _, item := range books.Assortment {
		own, lies := sandbox.Units(0), false
		for _, h := range books.Holdings(item) {
			own, lies = own-min(h.Stock, 0), lies || h.Stock > 0
		}
		if own > 0 && lies && !item.Archived {
			products, minus = products+1, minus+own
		}
	}
	want := map[string]string{"products": fmt.Sprint(products), "minus_units": decimal.New(int64(minus), -3).String()}
	for _, tool := range []string{"dead_stock", "slow_movers"} {
		result, err := s.call(tool, "{}")
		must(t, err)
		if note := result.note(StockNetted); note == nil || !maps.Equal(note.Values, want) {
			t.Errorf("%s: note %+v, want %v", tool, note, want)
		}
		result, err = s.call(tool, marshal(t, map[string]any{"warehouse": empty.ID}))
		must(t, err)
		result.mustNotNote(t, StockNetted)
	}
}
