package grounding_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/agent/grounding"
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
	{"abc_xyz", `{}`}, {"slow_movers", `{}`}, {"negative_stock", `{}`}, {"cash_runway", `{}`}, {"zero_cost_receipts", `{}`},
	{"calculate", `{"expression":"2 * 12"}`},
}

// answered runs every question, each on a simulated account of its own so that none waits for the others' pace. The names
// are as hostile as the sandbox makes them.
func answered(t testing.TB, config sandbox.Config) []*tools.Result {
	t.Helper()
	results := make([]*tools.Result, len(questions))
	var group errgroup.Group
	for i, q := range questions {
		group.Go(func() (err error) {
			results[i], err = answer(t, config, q.tool, q.arguments)
			return err
		})
	}
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	return results
}

func answer(t testing.TB, config sandbox.Config, name, arguments string) (*tools.Result, error) {
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
	result, err := tool.Execute(t.Context(), account, json.RawMessage(arguments))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return result, nil
}

func TestTheRenderingOfRealResultsPassesTheCheckInBothLanguages(t *testing.T) {
	for name, config := range map[string]sandbox.Config{
		"full sight": {Seed: 1, Products: 400},
		"no cost":    {Seed: 2, Products: 150, Role: sandbox.NoCost},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, result := range answered(t, config) {
				if result.Tool == "calculate" {
					continue // what it is of is in no result
				}
				for _, lang := range []string{"ru", "en"} {
					check := grounding.New(grounding.Evidence{Lang: lang})
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
