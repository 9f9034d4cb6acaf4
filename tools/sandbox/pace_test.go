package sandbox_test

import (
	"fmt"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Fifty callers use clients of one account at the same time. The log of the sandbox shows the calls as the upstream
// receives them.
func TestFiftyCallersStayWithinEveryLimit(t *testing.T) {
	for _, weight := range []int{1, 3, 4} {
		t.Run(fmt.Sprint("weight ", weight), func(t *testing.T) {
			t.Parallel()
			upstream := sandbox.New(sandbox.Config{Products: 20, UnitWeight: weight, Latency: 60 * time.Millisecond})
			server := httptest.NewServer(upstream.Handler())
			defer server.Close()
			pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2"})
			must(t, err)
			begun := time.Now()
			var group sync.WaitGroup
			for caller := range 50 {
				client := pool.Client("account", moysklad.Token(upstream.Token()))
				group.Go(func() {
					if err := ask(t, client, caller); err != nil {
						t.Errorf("caller %d: %v", caller, err)
					}
				})
			}
			group.Wait()

			log := upstream.Log()
			if len(log) < 75 {
				t.Errorf("only %d calls arrived", len(log))
			}
			if got := log.MaxCalls(time.Second); got > 6 {
				t.Errorf("%d calls within a second, want at most 6", got)
			}
			if got := log.MaxStockCalls(time.Second); got > 2 {
				t.Errorf("%d stock reports within a second, want at most 2", got)
			}
			if got := log.MaxInFlight(); got > 4 {
				t.Errorf("%d calls in flight, want at most 4", got)
			}
			if got := log.Refusals(); got > 0 {
				t.Errorf("%d calls were refused, want none", got)
			}
			t.Logf("%d calls in %s: at most %d and %d stock reports within a second, %d in flight",
				len(log), time.Since(begun).Round(time.Millisecond), log.MaxCalls(time.Second), log.MaxStockCalls(time.Second), log.MaxInFlight())
		})
	}
}

// ask makes the calls of one question: a heavy report, and a cheap report or a list; every other caller makes one more
// list call.
func ask(t *testing.T, c *moysklad.Client, caller int) error {
	var err error
	switch caller % 5 {
	case 0:
		for _, e := range c.StockAll(t.Context(), moysklad.Query{}) {
			err = e
		}
	case 1:
		_, err = c.CurrentStock(t.Context(), moysklad.PhysicalStock, moysklad.Query{})
	default:
		for _, e := range c.Products(t.Context(), moysklad.Query{}) {
			err = e
		}
	}
	if err == nil && caller%2 == 0 {
		_, err = c.Stores(t.Context())
	}
	return err
}
