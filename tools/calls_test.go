package tools

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// callCost is a question in the table of README.md, with the calls that it makes.
type callCost struct {
	workerQuestion
	cold, afterChange string
}

// callCosts reads the table of README.md.
func callCosts(t *testing.T) []callCost {
	t.Helper()
	page, err := os.ReadFile("README.md")
	must(t, err)
	var costs []callCost
	for line := range strings.Lines(string(page)) {
		question, isRow := strings.CutPrefix(line, "| `")
		if !isRow {
			continue
		}
		question, rest, _ := strings.Cut(question, "` | ")
		cells := strings.Split(rest, " | ")
		if len(cells) != 3 {
			t.Fatalf("the row of %s has %d cells besides the question, want 3", question, len(cells))
		}
		tool, arguments, _ := strings.Cut(question, " ")
		costs = append(costs, callCost{workerQuestion{Tool: tool, Arguments: arguments}, cells[0], cells[1]})
	}
	return costs
}

// Each question must make the calls that README.md lists. If the question is repeated, it must make
// none. After a change, it must make only the calls whose data may differ.
func TestEveryToolMakesTheFewestCalls(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Products: 1100, Warehouses: 3}, func(t *testing.T, s *shop) {
		books := s.Books()
		good := books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool {
			return i.Kind == "product" && len(i.Variants) == 0 && !i.Archived && len(books.Holdings(i)) > 0
		})]
		change := func() {
			s.advance(2 * time.Minute)
			receive(t, s, good)
			s.ForgetLog()
		}
		costs := callCosts(t)
		for _, tool := range All() {
			if !slices.ContainsFunc(costs, func(q callCost) bool { return q.Tool == tool.Name }) {
				t.Errorf("README.md does not say which calls %s makes", tool.Name)
			}
		}
		for i, q := range costs {
			if testing.Short() && i%6 != 0 { // only some, because the race detector is slow here
				continue
			}
			s.account.Cache = NewCache(s.clock).For(s.account.ID, "role")
			for _, when := range []struct {
				name, want string
				before     func()
			}{{"first", q.cold, func() {}}, {"again", "", func() {}}, {"after a change", q.afterChange, change}} {
				when.before()
				if _, err := s.call(q.Tool, cmp.Or(q.Arguments, "{}")); err != nil {
					t.Fatalf("%s: %v", q.Tool, err)
				}
				if got := takeCalls(s); got != when.want {
					t.Errorf("%s %s, %s: %s\nwant %s", q.Tool, q.Arguments, when.name, got, when.want)
				}
			}
		}
	})
}

var identifier = regexp.MustCompile(`[0-9a-f-]{36}`)

// takeCalls counts the calls since it was last called, by path. Short reports that read only changes count as
// "changes".
func takeCalls(s *shop) string {
	counts := map[string]int{}
	for _, call := range s.Log() {
		path := identifier.ReplaceAllString(strings.TrimPrefix(strings.TrimPrefix(call.Path, "/"), "entity/"), "*")
		if call.Query.Has("changedSince") {
			path = "changes"
		}
		counts[path]++
	}
	s.ForgetLog()
	var parts []string
	for _, path := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf("%d %s", counts[path], path))
	}
	return strings.Join(parts, ", ")
}

// After a change, each figure takes one call. The time of that call becomes as_of.
func TestStockChangeCostsOneCallPerFigure(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Products: 60}, func(t *testing.T, s *shop) {
		books := s.Books()
		item := books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool {
			return i.Stocked() && len(i.Variants) == 0 && !i.Archived && len(books.Holdings(i)) > 0
		})]
		readBalance := func() (Balance, time.Time) {
			c := &Run{Account: s.account}
			balances, err := c.balances(t.Context())
			must(t, err)
			return balanceAt(books.Stores[0].ID, balances.of(item.ID)), c.asOf
		}
		before, _ := readBalance()
		s.ForgetLog()
		s.advance(10 * time.Minute)
		order := fmt.Sprintf(`{"organization":%s,"agent":%s,"store":%s,"positions":[{"quantity":50,"assortment":%s}]}`,
			linkTo("organization", books.Organizations[0].ID), linkTo("counterparty", books.Counterparties[0].ID),
			linkTo("store", books.Stores[0].ID), linkTo(string(item.Kind), item.ID))
		post(t, s, "/entity/purchaseorder", order)
		s.ForgetLog()
		after, asOf := readBalance()
		if expected := after.InTransit.Sub(before.InTransit); expected.IntPart() != 50 || !after.Units.Equal(before.Units) {
			t.Errorf("%+v, then %+v; want 50 more in transit", before, after)
		}
		if calls := takeCalls(s); calls != "3 changes" || !asOf.Equal(s.clock()) {
			t.Errorf("calls %s, as of %s", calls, asOf)
		}
		s.advance(maxChangesAge)
		if readBalance(); takeCalls(s) != "3 report/stock/bystore/current" {
			t.Error("after an hour not everything was read again")
		}
	})
}

// linkTo returns a link for a request body.
func linkTo(kind, id string) string {
	return fmt.Sprintf(`{"meta":{"href":%q,"type":%q,"mediaType":"application/json"}}`, moysklad.Href(kind, id), kind)
}

// receive creates a receipt of five units of a product in the first warehouse.
func receive(t *testing.T, s *shop, product *sandbox.Item) {
	t.Helper()
	books := s.Books()
	post(t, s, "/entity/enter", fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":5,"price":700,"assortment":%s}]}`,
		linkTo("organization", books.Organizations[0].ID), linkTo("store", books.Stores[0].ID), linkTo("product", product.ID)))
}

// post creates documents directly in the simulated account. They do not count for the rate limit, because the client
// under test does not know of them.
func post(t *testing.T, s *shop, path, body string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer " + s.Token()}, "Accept-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	answer := httptest.NewRecorder()
	if s.SeparatelyLimitedHandler().ServeHTTP(answer, request); answer.Code != http.StatusOK {
		t.Fatalf("%s: %d", path, answer.Code)
	}
}
