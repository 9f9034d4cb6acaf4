package render_test

import (
	"cmp"
	"encoding/json"
	"flag"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

var update = flag.Bool("update", false, "write how results are shown now into testdata: read the difference")

// shown has the arguments of those results that [TestResultsAreShownAsInTheirFiles] must not make with a limit alone.
var shown = map[string]string{
	"search_products":     `{"query": "чайник", "limit": 3}`,
	"margin":              `{"from": "2026-10-01", "to": "2026-10-31", "limit": 3}`,
	"turnover":            `{"from": "2026-10-01", "to": "2026-10-31", "limit": 3}`,
	"reconcile_shipments": `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Ozon", "limit": 3}`,
	"money_position":      `{}`,
	"cash_runway":         `{}`,
}

// testdata has a file for each report: how its result is shown to a person, in both languages.
func TestResultsAreShownAsInTheirFiles(t *testing.T) {
	now := func() time.Time { return time.Date(2026, 11, 22, 19, 55, 0, 0, time.UTC) }
	shop := sandbox.New(sandbox.Config{Seed: 1, Now: now, Unlimited: true})
	server := httptest.NewServer(shop.Handler())
	defer server.Close()
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	if err != nil {
		t.Fatal(err)
	}
	id := shop.Books().AccountID
	account := &tools.Account{
		ID: id, Now: now, Rights: tools.Rights{Cost: true, Money: true},
		Client: pool.Client(id, moysklad.Token(shop.Token())), Cache: tools.NewCache(now).For(id, "full"),
	}
	for _, tool := range tools.All() {
		result, err := tool.Execute(t.Context(), account, json.RawMessage(cmp.Or(shown[tool.Name], `{"limit": 3}`)))
		if err != nil {
			t.Fatal(tool.Name, err)
		}
		got := render.Result("ru", result) + "\n---\n\n" + render.Result("en", result)
		file := filepath.Join("testdata", tool.Name+".md")
		if *update {
			if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if want, err := os.ReadFile(file); err != nil || string(want) != got {
			t.Errorf("%s: %v\ngot\n%s\nwant\n%s\nIf this is right: go test ./agent/render -update", tool.Name, err, got, want)
		}
	}
}
