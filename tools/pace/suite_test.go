package pace_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/kopeck/kopeck/schemas/database"
	"github.com/kopeck/kopeck/schemas/database/databasetest"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/pace"
)

// replicas starts one or more processes that call the same upstream, and returns their pools.
type replicas func(t *testing.T, upstream http.Handler) []*moysklad.Pool

// each runs a test twice: with one process that keeps the pace in memory, and with three processes that share it.
func each(t *testing.T, f func(t *testing.T, start replicas)) {
	t.Helper()
	t.Parallel() // the tests mostly wait
	t.Run("one process", func(t *testing.T) {
		t.Parallel()
		f(t, func(t *testing.T, upstream http.Handler) []*moysklad.Pool {
			return []*moysklad.Pool{pool(t, upstream, nil)}
		})
	})
	t.Run("three replicas", func(t *testing.T) {
		t.Parallel()
		url := databasetest.PostgresURL(t)
		f(t, func(t *testing.T, upstream http.Handler) (pools []*moysklad.Pool) {
			for range 3 {
				pools = append(pools, pool(t, upstream, pace.New(connect(t, url).DB)))
			}
			return pools
		})
	})
}

func connect(t testing.TB, url string) *database.DB {
	t.Helper()
	db, err := database.Open(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func pool(t testing.TB, upstream http.Handler, ledgers moysklad.Ledgers) *moysklad.Pool {
	t.Helper()
	server := httptest.NewServer(upstream)
	t.Cleanup(server.Close)
	p, err := moysklad.NewPool(moysklad.Config{URL: server.URL, Ledgers: ledgers})
	must(t, err)
	return p
}

const token = moysklad.Token("5f0c2a7be1d94a6f8b3c7d1e9a2b4c6d8e0f1a2b")

// call makes one call to an account.
func call(ctx context.Context, p *moysklad.Pool, path string) error {
	_, err := p.Client("account", token).Object(ctx, path, nil)
	return err
}

// The test delays the network at random and makes concurrent calls on all replicas. No window at the upstream may hold
// more than 6 calls or 2 stock reports in a second, 45 units in 3 s, or 4 calls in flight.
func TestNoWindowAtTheUpstreamIsEverExceeded(t *testing.T) {
	t.Parallel()
	for name, slowest := range map[string]time.Duration{"quick answers": 5 * time.Millisecond, "slow answers": 400 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, start replicas) {
				u := &upstream{weight: 3, slowest: slowest}
				pools := start(t, u)
				paths := []string{"entity/product", "entity/demand", "report/stock/all", "report/stock/bystore/current", "entity/store"}
				ctx, enough := context.WithCancel(t.Context())
				defer enough()
				var asking sync.WaitGroup
				for n := range 30 {
					asking.Go(func() {
						for ctx.Err() == nil {
							if err := call(ctx, pools[n%len(pools)], paths[n%len(paths)]); err != nil && ctx.Err() == nil {
								t.Error(err)
							}
							if u.count() >= 25 {
								enough()
							}
						}
					})
				}
				asking.Wait()
				u.check(t)
			})
		})
	}
}

func TestRefusalPausesTheAccountOnAllReplicas(t *testing.T) {
	each(t, func(t *testing.T, start replicas) {
		const refuse = 5 * time.Second
		u := &upstream{weight: 1, refuse: refuse}
		pools := start(t, u)
		short, cancel := context.WithTimeout(t.Context(), refuse-time.Second) // a call with less time is refused at once
		defer cancel()
		if err := call(short, pools[0], "entity/product"); err == nil {
			t.Fatal("a refused call went well")
		}
		if u.count() != 1 {
			t.Fatalf("%d calls went out before the refusal was over, want 1", u.count())
		}
		u.mu.Lock()
		refused := u.arrivals[0].done
		u.refuse = 0
		u.mu.Unlock()
		must(t, call(t.Context(), pools[len(pools)-1], "entity/product"))
		if waited := u.arrivals[1].at.Sub(refused); waited < refuse {
			t.Errorf("another call went out %s after the refusal, which asked for %s", waited, refuse)
		}
	})
}

// After 200 refusals in a minute, the upstream locks an account out.
func TestCallsStopWhenTheUpstreamRefusesEverything(t *testing.T) {
	each(t, func(t *testing.T, start replicas) {
		u := &upstream{weight: 1, refuse: time.Millisecond}
		pools := start(t, u)
		var asking sync.WaitGroup
		for n := range 60 {
			asking.Go(func() {
				if err := call(t.Context(), pools[n%len(pools)], "entity/product"); !errors.Is(err, moysklad.ErrUnavailable) {
					t.Errorf("got %v, want ErrUnavailable", err)
				}
			})
		}
		asking.Wait()
		if most := 9; u.count() > most {
			t.Errorf("%d calls were refused within a minute, want at most %d", u.count(), most)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
