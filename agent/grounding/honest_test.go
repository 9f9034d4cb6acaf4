package grounding

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// questions are calls of every tool that reads, with the arguments that need saying.
var questions = []struct{ tool, arguments string }{
	{"search_products", `{"query":"а"}`}, {"stock", `{}`}, {"below_minimum", `{}`}, {"dead_stock", `{}`},
	{"margin", `{"from":"2026-10-01","to":"2026-10-31"}`}, {"margin", `{"from":"2026-10-01","to":"2026-10-31","group_by":"channel"}`},
	{"turnover", `{"from":"2026-10-01","to":"2026-10-31"}`}, {"reconcile_shipments", `{"from":"2026-10-01","to":"2026-10-31"}`},
	{"overdue_orders", `{}`}, {"shortage_by_supplier", `{}`}, {"reorder_points", `{}`}, {"money_position", `{}`},
	{"abc_xyz", `{}`}, {"slow_movers", `{}`}, {"negative_stock", `{}`}, {"out_of_stock", `{}`}, {"cash_runway", `{}`}, {"zero_cost_receipts", `{}`},
}

// shops are the simulated accounts of these tests, asked once.
var shops = map[string]func() ([]*tools.Result, error){}

func init() {
	for name, config := range map[string]sandbox.Config{
		"1": {Seed: 1, Products: 150}, "2": {Seed: 2, Products: 150}, "3": {Seed: 3, Products: 150},
		"no cost": {Seed: 2, Products: 150, Role: sandbox.NoCost},
	} {
		shops[name] = sync.OnceValues(func() ([]*tools.Result, error) { return ask(config) })
	}
}

// some are the shops that a test looks at: all of them, or with -short, which goes with the race detector, the first.
func some(shops ...string) []string {
	if testing.Short() {
		return shops[:1]
	}
	return shops
}

func answered(t *testing.T, shop string) []*tools.Result {
	t.Helper()
	results, err := shops[shop]()
	if err != nil {
		t.Fatal(err)
	}
	return results
}

// ask runs every question, each on a simulated account of its own so that none waits for the others' pace. The names
// are as hostile as the sandbox makes them.
func ask(config sandbox.Config) ([]*tools.Result, error) {
	results := make([]*tools.Result, len(questions))
	var group errgroup.Group
	for i, q := range questions {
		group.Go(func() (err error) {
			results[i], err = askOne(config, q.tool, q.arguments)
			return err
		})
	}
	return results, group.Wait()
}

func askOne(config sandbox.Config, name, arguments string) (*tools.Result, error) {
	clock := func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, moysklad.Moscow) }
	config.Now, config.UnitWeight = clock, 1
	shop := sandbox.New(config)
	server := httptest.NewServer(shop.Handler())
	defer server.Close()
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2"})
	if err != nil {
		return nil, err
	}
	id := shop.Books().AccountID
	account := &tools.Account{
		ID: id, ConnectionID: "connection", Name: "shop", Now: clock,
		Rights: tools.Rights{Cost: config.Role != sandbox.NoCost, Money: true},
		Client: pool.Client(id, moysklad.Token(shop.Token())),
		Books:  tools.NewLibrary(clock).Books(id, "sight"),
	}
	tool, _ := tools.Find(name)
	result, err := tool.Execute(context.Background(), account, json.RawMessage(arguments))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

func TestTheRenderingOfRealResultsPassesTheCheckInBothLanguages(t *testing.T) {
	for _, shop := range some("no cost", "1", "2", "3") {
		t.Run("shop "+shop, func(t *testing.T) {
			t.Parallel()
			for _, result := range answered(t, shop) {
				for _, lang := range []string{"ru", "en"} {
					check := New(Evidence{Lang: lang})
					check.Add(result)
					answer := render.Result(lang, result)
					released, problems := check.Text(answer)
					for _, p := range problems[:min(len(problems), 5)] {
						t.Errorf("%s in %s: %q: %s", result.Tool, lang, p.Text, p.Reason)
					}
					if missing := check.MissingNotes(answer); missing != "" {
						t.Errorf("%s in %s lacks %q", result.Tool, lang, missing)
					}
					if len(problems) == 0 && released != answer {
						t.Errorf("%s in %s: the check changed\n%s", result.Tool, lang, difference(answer, released))
					}
				}
			}
		})
	}
}

// difference is the first line in which two texts differ, of both.
func difference(a, b string) string {
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return x[i] + "\n" + y[i]
		}
	}
	return "their length"
}
