package moysklad_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// catalogue answers with pages of n products. A page has at most serverLimit rows, whatever the request asks for.
func catalogue(n, serverLimit int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		var rows []string
		for i := offset; i < min(n, offset+min(limit, serverLimit)); i++ {
			rows = append(rows, fmt.Sprintf(`{"id":"p%d","name":"Товар %d"}`, i, i))
		}
		fmt.Fprint(w, list(n, limit, offset, rows...))
	}
}

func TestListsAreReadToTheEnd(t *testing.T) {
	for _, test := range []struct {
		name           string
		n, serverLimit int
		query          moysklad.Query
		calls          int
		limit          string
	}{
		{"nothing", 0, 1000, moysklad.Query{}, 1, "1000"},
		{"one page", 1000, 1000, moysklad.Query{}, 1, "1000"},
		{"three pages", 2417, 1000, moysklad.Query{}, 3, "1000"},
		{"short pages in the middle", 2417, 700, moysklad.Query{}, 4, "1000"},
		{"expanded", 250, 1000, moysklad.Query{Expand: []string{"supplier"}}, 3, "100"},
		{"expanded, with a limit at which expand is ignored", 250, 1000, moysklad.Query{Expand: []string{"supplier"}, Limit: 1000}, 3, "100"},
		{"a smaller limit", 250, 1000, moysklad.Query{Limit: 50}, 6, "50"},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, c := serve(t, catalogue(test.n, test.serverLimit))
			products, err := collect(c.Products(t.Context(), test.query))
			if err != nil || len(products) != test.n || len(u.requests()) != test.calls {
				t.Fatalf("%d rows in %d calls, %v; want %d in %d", len(products), len(u.requests()), err, test.n, test.calls)
			}
			for i, p := range products {
				if p.ID != fmt.Sprint("p", i) {
					t.Fatalf("row %d is %s", i, p.ID)
				}
			}
			for _, r := range u.requests() {
				if q := r.URL.Query(); q.Get("limit") != test.limit || q.Get("order") != "id" {
					t.Errorf("query %v, want limit %s and order id", q, test.limit)
				}
			}
		})
	}
}

// defective is a row type that panics when any row but the first is decoded.
type defective struct{}

func (*defective) UnmarshalJSON(text []byte) error {
	if !strings.Contains(string(text), `"p0"`) {
		panic("a defect")
	}
	return nil
}

// Pages are fetched ahead in separate goroutines, where the caller cannot recover a panic.
func TestPanicInAPageFetchedAheadIsAnErrorWithItsStack(t *testing.T) {
	_, c := serve(t, catalogue(2, 1))
	_, err := collect(moysklad.List[defective](t.Context(), c, "product", moysklad.Query{}))
	var defect *caught.Defect
	if !errors.As(err, &defect) || defect.Panic != "a defect" || !strings.Contains(string(defect.Stack), "UnmarshalJSON") || strings.Contains(err.Error(), "goroutine") {
		t.Errorf("%v, %+v", err, defect)
	}
}

func TestASampleStopsEarly(t *testing.T) {
	u, c := serve(t, catalogue(5000, 1000))
	products, err := collect(c.Products(t.Context(), moysklad.Query{Expand: []string{"supplier"}, Max: 150}))
	if err != nil || len(products) != 150 || len(u.requests()) != 2 {
		t.Errorf("%d rows in %d calls, %v; want 150 in 2", len(products), len(u.requests()), err)
	}
	for range c.Products(t.Context(), moysklad.Query{}) {
		break
	}
	if len(u.requests()) != 3 {
		t.Errorf("%d calls after the iteration was stopped", len(u.requests())-2)
	}
}

func TestIncompleteListIsAnError(t *testing.T) {
	row := func(id string) string { return `{"id":"` + id + `"}` }
	for _, test := range []struct {
		name  string
		pages []string
	}{
		{"shrank between pages", []string{list(3, 2, 0, row("a"), row("b")), list(2, 2, 2)}},
		{"ended early", []string{list(3, 2, 0, row("a"), row("b")), list(3, 2, 2)}},
		{"first page empty", []string{list(3, 2, 0)}},
		{"a row came twice", []string{list(4, 2, 0, row("a"), row("b")), list(4, 2, 2, row("b"), row("c"))}},
		{"more rows than the size says", []string{list(1, 2, 0, row("a"), row("b"))}},
		{"no size", []string{`{"meta":{"href":"x"},"rows":[{"id":"a"}]}`}},
		{"no meta", []string{`{"rows":[{"id":"a"}]}`}},
		{"no rows", []string{`{"meta":{"size":2}}`}},
		{"no rows, with a size of 0", []string{`{"meta":{"size":0}}`}},
		{"nothing", []string{`{}`}},
		{"errors with status 200", []string{`{"errors":[{"error":"x"}]}`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var answers []http.HandlerFunc
			for _, p := range test.pages {
				answers = append(answers, says(200, p))
			}
			_, c := serve(t, first(answers...))
			if _, err := collect(c.Products(t.Context(), moysklad.Query{Limit: 2})); !errors.Is(err, moysklad.ErrIncomplete) {
				t.Errorf("%v, want ErrIncomplete", err)
			}
		})
	}
}

// An expanded page shows at most 1000 positions of an order (formerly 100). If there are more, all must be read from the
// order's list of positions.
func TestNestedPositionsAreCompleted(t *testing.T) {
	position := func(i int) string {
		return fmt.Sprintf(`{"id":"pos%d","quantity":1.0,"price":%d.0,"assortment":{"meta":{"href":"%s/entity/product/g%d","type":"product"},"name":"Товар"}}`,
			i, 100*i, moysklad.CanonicalURL, i)
	}
	some := func(from, to int) string {
		var rows []string
		for i := from; i < to; i++ {
			rows = append(rows, position(i))
		}
		return strings.Join(rows, ",")
	}
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/entity/demand/d1/positions" {
			offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
			fmt.Fprint(w, list(250, 100, offset, some(offset, min(offset+100, 250))))
			return
		}
		fmt.Fprint(w, list(1, 100, 0, `{"id":"d1","moment":"2026-08-04 09:10:00.000","positions":{"meta":{"size":250,"limit":100,"offset":0},"rows":[`+some(0, 100)+`]}}`))
	})
	docs, err := collect(c.Documents(t.Context(), "demand", moysklad.Query{Expand: []string{"agent", "positions.assortment"}}))
	if err != nil || len(docs) != 1 || len(docs[0].Positions.Rows) != 250 || docs[0].Positions.Rows[249].ID != "pos249" {
		t.Fatalf("%v, %d documents", err, len(docs))
	}
	asked := u.requests()
	if q := asked[1].URL.Query(); len(asked) != 4 || q.Get("expand") != "assortment" || q.Get("offset") != "0" || q.Get("limit") != "100" {
		t.Errorf("%d calls, the second with %v", len(asked), asked[1].URL.Query())
	}
	if _, err := collect(c.Documents(t.Context(), "demand", moysklad.Query{Expand: []string{"agent"}})); err != nil || len(u.requests()) != 5 {
		t.Errorf("positions were read that the query did not expand: %d calls, %v", len(u.requests())-4, err)
	}
}

// A page shows only the first components of a bundle. All must be read from the bundle's list of components.
func TestComponentsOfBundlesAreCompleted(t *testing.T) {
	component := func(id string) string {
		return `{"quantity":2.0,"assortment":{"meta":{"href":"` + moysklad.Href("product", id) + `","type":"product"}}}`
	}
	u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/entity/bundle/b1/components" {
			fmt.Fprint(w, list(3, 1000, 0, component("g1"), component("g2"), component("g3")))
			return
		}
		fmt.Fprint(w, list(1, 100, 0, `{"meta":{"href":"x/b1","type":"bundle"},"id":"b1","components":{"meta":{"size":3},"rows":[`+component("g1")+`]}}`))
	})
	bundles, err := collect(c.Bundles(t.Context(), moysklad.Query{Expand: []string{"components"}}))
	if err != nil || len(bundles) != 1 || len(bundles[0].Components.Rows) != 3 || len(u.requests()) != 2 {
		t.Errorf("%+v after %d calls, %v", bundles, len(u.requests()), err)
	}
}

func TestPositionsThatChangeWhileTheyAreReadAreAnError(t *testing.T) {
	for name, rest := range map[string]string{
		"came twice": list(3, 1000, 0, `{"id":"a","quantity":1}`, `{"id":"b","quantity":1}`, `{"id":"b","quantity":1}`),
		"grew":       list(4, 1000, 0, `{"id":"a","quantity":1}`, `{"id":"b","quantity":1}`, `{"id":"c","quantity":1}`, `{"id":"d","quantity":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			_, c := serve(t, first(says(200, list(1, 100, 0,
				`{"id":"d1","moment":"2026-08-04 09:10:00.000","positions":{"meta":{"size":3},"rows":[{"id":"a","quantity":1}]}}`)), says(200, rest)))
			if _, err := collect(c.Documents(t.Context(), "move", moysklad.Query{Expand: []string{"positions"}})); !errors.Is(err, moysklad.ErrIncomplete) {
				t.Errorf("%v, want ErrIncomplete", err)
			}
		})
	}
}

func TestMinimumsOfAllStoresAreRead(t *testing.T) {
	balance := func(store string) string {
		return `{"id":"b-` + store + `","quantity":6.0,"store":{"meta":{"href":"` + moysklad.Href("store", store) + `?x=1","type":"store"}}}`
	}
	for _, key := range []string{"storebalances", "storeBalances"} {
		t.Run(key, func(t *testing.T) {
			u, c := serve(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/entity/product/g1/storebalances" {
					fmt.Fprint(w, list(2, 1000, 0, balance("s1"), balance("s2")))
					return
				}
				fmt.Fprint(w, list(1, 100, 0, `{"meta":{"href":"x/g1","type":"product"},"id":"g1","minimumStock":{"type":"WAREHOUSE_VARIED","`+key+
					`":{"meta":{"size":2,"limit":1,"offset":0},"rows":[`+balance("s1")+`]}}}`))
			})
			products, err := collect(c.Products(t.Context(), moysklad.Query{Expand: []string{"minimumStock.storebalances"}}))
			if err != nil || len(products) != 1 {
				t.Fatalf("%d products, %v", len(products), err)
			}
			balances := products[0].MinimumStock.StoreBalances
			if len(balances.Rows) != 2 || balances.Rows[1].Store.ID() != "s2" || len(u.requests()) != 2 {
				t.Errorf("%+v after %d calls", balances, len(u.requests()))
			}
		})
	}
}

func TestListsSendTheirDefaultParameters(t *testing.T) {
	from, to := moscow("2026-07-01 00:00:00"), moscow("2026-07-31 23:59:59")
	for _, test := range []struct {
		name string
		call func(*testing.T, *moysklad.Client) error
		path string
		want url.Values
	}{
		{"stock/all includes rows without stock", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.StockAll(t.Context(), moysklad.Query{}))
			return err
		}, "/report/stock/all", url.Values{"filter": {"stockMode=all;quantityMode=all"}}},
		{"stock/all with another filter", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.StockAll(t.Context(), moysklad.Query{Filter: moysklad.Filter{}.Is("stockMode", "underMinimum")}))
			return err
		}, "/report/stock/all", url.Values{"filter": {"stockMode=underMinimum;quantityMode=all"}}},
		{"profit sends both ends of the period", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.Profit(t.Context(), "byvariant", from, to, moysklad.Query{}))
			return err
		}, "/report/profit/byvariant", url.Values{"momentFrom": {"2026-07-01 00:00:00"}, "momentTo": {"2026-07-31 23:59:59"}}},
		{"turnover sends both ends of the period, in Moscow time", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.Turnover(t.Context(), from.UTC(), to.UTC(), moysklad.Query{Params: map[string]string{"groupBy": "variant"}}))
			return err
		}, "/report/turnover/all", url.Values{"momentFrom": {"2026-07-01 00:00:00"}, "momentTo": {"2026-07-31 23:59:59"}, "groupBy": {"variant"}}},
		{"a search sends no order, so that rows come by relevance", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.Products(t.Context(), moysklad.Query{Search: "чайник; дрель"}))
			return err
		}, "/entity/product", url.Values{"search": {"чайник; дрель"}}},
		{"stock layers of one product", func(t *testing.T, c *moysklad.Client) error {
			_, err := collect(c.StockLayers(t.Context(), moysklad.Meta{Href: moysklad.Href("product", "1c0a") + "?expand=supplier", Type: "product"}))
			return err
		}, "/report/byoperations/stock", url.Values{"filter": {"assortment=https://api.moysklad.ru/api/remap/1.2/entity/product/1c0a"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			u, c := serve(t, says(200, list(0, 1000, 0)))
			must(t, test.call(t, c))
			r := u.requests()[0]
			got := r.URL.Query()
			got.Del("limit")
			got.Del("offset")
			if r.URL.Path != test.path || got.Encode() != test.want.Encode() || strings.Contains(r.URL.RawQuery, "+") {
				t.Errorf("asked %s?%s, want %s?%s", r.URL.Path, got.Encode(), test.path, test.want.Encode())
			}
		})
	}
}

func TestAssortmentUsesTheBetaEndpoint(t *testing.T) {
	u, c := serve(t, says(200, list(0, 1000, 0)))
	if _, err := collect(c.Assortment(t.Context(), moysklad.Query{})); err != nil {
		t.Fatal(err)
	}
	if got := u.requests()[0].Header.Get("X-Lognex-Remap-Beta-Feature"); got != "assortmentWithoutStock" {
		t.Errorf("beta feature %q", got)
	}
}

func TestTextInAFilterIsEscaped(t *testing.T) {
	for text, want := range map[string]string{
		`Чайник; 1.7 л`:           `name=Чайник\; 1.7 л`,
		`a;archived=true`:         `name=a\;archived=true`,
		`back\slash`:              `name=back\\slash`,
		`\;`:                      `name=\\\;`,
		`100 % + 5 & more = less`: `name=100 % + 5 & more = less`,
	} {
		u, c := serve(t, says(200, list(0, 1000, 0)))
		if _, err := collect(c.Products(t.Context(), moysklad.Query{Filter: moysklad.Filter{}.Is("name", text)})); err != nil {
			t.Fatal(err)
		}
		if got := u.requests()[0].URL.Query().Get("filter"); got != want {
			t.Errorf("%q arrives as %q, want %q", text, got, want)
		}
	}
}

func TestFiltersDoNotShareMemory(t *testing.T) {
	base := moysklad.Filter{}.Is("a", "1")
	one, two := base.Is("b", "2"), base.Is("c", "3")
	if !slices.Equal(one, moysklad.Filter{"a=1", "b=2"}) || !slices.Equal(two, moysklad.Filter{"a=1", "c=3"}) {
		t.Errorf("%v, %v", one, two)
	}
}
