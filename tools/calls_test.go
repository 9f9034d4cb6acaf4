package tools

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// callCosts lists, for at least one question to each tool, which calls it makes. The account has 1,100 products, which
// take two pages, and three warehouses. cold lists the calls with an empty cache. afterChange lists the calls two
// minutes later, after the stock has changed; by then cached figures have expired, but names have not. Where no
// arguments are given, the tool's defaults apply.
var callCosts = []callCost{
	{workerQuestion{Tool: "stock"},
		"1 changes, 1 currency, 3 report/stock/all, 3 report/stock/bystore/current, 1 store",
		"4 changes, 3 report/stock/all"},
	{workerQuestion{Tool: "negative_stock"},
		"1 assortment, 1 currency, 1 report/stock/bystore/current, 1 store",
		"1 changes"},
	{workerQuestion{Tool: "out_of_stock"},
		"1 bundle, 1 counterparty, 1 currency, 7 product, 1 report/profit/byvariant, " +
			"3 report/stock/bystore/current, 2 report/turnover/all, 1 store, 2 variant",
		"3 changes"},
	{workerQuestion{Tool: "below_minimum"},
		"1 counterparty, 1 currency, 7 product, 1 report/stock/all, 3 report/stock/bystore/current, 1 store, " +
			"2 variant",
		"3 changes, 1 report/stock/all"},
	{workerQuestion{Tool: "shortage_by_supplier"},
		"1 counterparty, 1 currency, 7 product, 1 report/stock/all, 3 report/stock/bystore/current, 1 store, " +
			"2 variant",
		"3 changes, 1 report/stock/all"},
	{workerQuestion{Tool: "dead_stock"},
		"1 changes, 1 currency, 1 report/profit/byvariant, 5 report/stock/all, 1 report/stock/bystore/current, " +
			"7 report/turnover/all, 1 store",
		"2 changes, 1 report/profit/byvariant, 5 report/stock/all, 7 report/turnover/all"},
	{workerQuestion{Tool: "slow_movers"},
		"1 bundle, 1 changes, 1 currency, 1 report/profit/byvariant, 2 report/stock/all, " +
			"1 report/stock/bystore/current, 2 report/turnover/all",
		"2 changes, 2 report/stock/all"},
	{workerQuestion{Tool: "abc_xyz"},
		"1 bundle, 1 changes, 1 currency, 13 report/profit/byvariant, 2 report/stock/all, " +
			"1 report/stock/bystore/current, 13 report/turnover/all",
		"2 changes, 2 report/stock/all"},
	{workerQuestion{Tool: "reorder_points"},
		"1 bundle, 1 counterparty, 1 currency, 2 product, 1 purchaseorder, 13 report/profit/byvariant, " +
			"3 report/stock/bystore/current, 13 report/turnover/all, 6 supply, 1 variant",
		"3 changes"},
	{workerQuestion{Tool: "margin", Arguments: "{" + period90 + "}"},
		"1 assortment, 1 currency, 1 report/profit/byvariant, 1 variant",
		"1 report/profit/byvariant"},
	{workerQuestion{Tool: "margin", Arguments: "{" + period90 + `,"group_by":"channel"}`},
		"1 currency, 1 report/profit/bysaleschannel, 4 report/profit/byvariant",
		"1 report/profit/bysaleschannel, 4 report/profit/byvariant"},
	{workerQuestion{Tool: "turnover", Arguments: "{" + period90 + "}"},
		"1 currency, 2 report/turnover/all",
		"2 report/turnover/all"},
	{workerQuestion{Tool: "money_position"},
		"1 currency, 2 organization/*/accounts, 1 report/counterparty, 1 report/money/byaccount",
		"1 report/counterparty, 1 report/money/byaccount"},
	{workerQuestion{Tool: "cash_runway"},
		"1 cashin, 1 cashout, 1 currency, 2 organization/*/accounts, 1 paymentin, 1 paymentout, 1 prepayment, " +
			"1 prepaymentreturn, 1 report/money/byaccount, 1 retaildemand, 1 retailsalesreturn",
		"1 cashin, 1 cashout, 1 paymentin, 1 paymentout, 1 prepayment, 1 prepaymentreturn, " +
			"1 report/money/byaccount, 1 retaildemand, 1 retailsalesreturn"},
	{workerQuestion{Tool: "overdue_orders"},
		"1 counterparty, 1 currency, 2 customerorder, 1 customerorder/metadata",
		"2 customerorder, 1 customerorder/metadata"},
	{workerQuestion{Tool: "zero_cost_receipts"},
		"1 assortment, 1 counterparty, 1 currency, 1 enter, 1 store, 6 supply",
		"1 enter, 6 supply"},
	{workerQuestion{Tool: "search_products", Arguments: `{"query":"термопот"}`},
		"1 assortment, 1 counterparty, 1 currency",
		"1 assortment"},
	{workerQuestion{Tool: "reconcile_shipments", Arguments: `{"from":"2026-10-12","to":"2026-11-19"}`},
		"1 currency, 3 customerorder, 1 customerorder/metadata, 2 demand",
		"3 customerorder, 1 customerorder/metadata, 2 demand"},
	{workerQuestion{Tool: "stock", Arguments: `{"query":"термопот"}`},
		"2 assortment, 1 currency, 6 report/stock/all, 3 report/stock/bystore/current, 1 store",
		"2 assortment, 6 report/stock/all, 3 report/stock/bystore/current"},
}

type callCost struct {
	workerQuestion
	cold, afterChange string
}

// Each question must make the calls that the comment on its tool states. If the question is repeated, it must make
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
		for _, tool := range All() {
			if !slices.ContainsFunc(callCosts, func(q callCost) bool { return q.Tool == tool.Name }) {
				t.Errorf("callCosts has no question for %s", tool.Name)
			}
		}
		for i, q := range callCosts {
			if testing.Short() && i%6 != 0 { // only some, because the race detector is slow here
				continue
			}
			s.account.Books = NewLibrary(s.clock).Books(s.account.ID, "role")
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
			c := &Call{Account: s.account}
			balances, err := c.Balances(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return balanceAt(books.Stores[0].ID, balances.Of(item.ID)), c.asOf
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

// post creates documents directly in the simulated account.
func post(t *testing.T, s *shop, path, body string) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	request.Header = http.Header{"Authorization": {"Bearer " + s.Token()}, "Accept-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
	answer := httptest.NewRecorder()
	if s.Handler().ServeHTTP(answer, request); answer.Code != http.StatusOK {
		t.Fatalf("%s: %d", path, answer.Code)
	}
}
