package tools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestNegativeStockMatchesBooks(t *testing.T) {
	for _, seed := range []int64{1, 2, 3} {
		inShop(t, sandbox.Config{Seed: seed}, func(t *testing.T, s *shop) {
			got, _ := ask[negativeStockResult](s, "negative_stock", `{"limit": 1000}`)
			want, sum := map[string]decimal.Decimal{}, decimal.Zero
			elsewhere := map[string]decimal.Decimal{}
			for _, item := range s.Books().Assortment {
				for _, h := range s.Books().Holdings(item) {
					if h.Store != nil && h.Stock < 0 {
						want[item.ID+h.Store.ID] = h.Stock.Quantity().Decimal
						sum = sum.Add(h.Stock.Quantity().Decimal)
					}
					if h.Store != nil {
						elsewhere[item.ID] = elsewhere[item.ID].Add(h.Stock.Quantity().Decimal)
					}
				}
			}
			if len(want) == 0 || len(got.Rows) != len(want) || !got.Totals.Units.Decimal().Equal(sum) {
				t.Fatalf("%d positions, %s units; the books have %d, %s", len(got.Rows), got.Totals.Units, len(want), sum)
			}
			for _, row := range got.Rows {
				units := want[row.ProductID+row.WarehouseID]
				if !row.Units.Decimal().Equal(units) || !row.Elsewhere.Decimal().Equal(elsewhere[row.ProductID].Sub(units)) {
					t.Errorf("%+v, the books have %s", row, units)
				}
			}
		})
	}
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
