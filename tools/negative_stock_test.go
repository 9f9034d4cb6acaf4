package tools

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/kopeck/kopeck/tools/sandbox"
)

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
