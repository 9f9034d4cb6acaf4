package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	validator "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// noon is the time in the simulated accounts when a test begins.
var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, moysklad.Moscow)

// period90 has the arguments for a period that starts and ends inside the simulated history. So the opening and closing
// stock, and returns of earlier sales, affect the figures.
const period90 = `"from":"2026-08-10","to":"2026-11-10"`

// shop is a simulated account behind a real HTTP server, as one connection sees it.
type shop struct {
	*sandbox.Sandbox
	t       *testing.T
	passed  atomic.Int64 // nanoseconds since noon
	account *Account
}

// openShop returns an account without rate limits. The account has the rights that a connection with its role would
// have.
func openShop(t *testing.T, config sandbox.Config) *shop {
	t.Helper()
	return openShopThrough(t, config, nil)
}

// openShopThrough is like [openShop], but calls a function that can change each request before the account receives it.
// The function may be nil.
func openShopThrough(t *testing.T, config sandbox.Config, requests rewriteRequest) *shop {
	t.Helper()
	s := &shop{t: t}
	config.Now, config.Unlimited = s.clock, true
	s.Sandbox = sandbox.New(config)
	server := httptest.NewServer(requests.wrap(s.Handler()))
	t.Cleanup(server.Close)
	pool, err := moysklad.NewPool(moysklad.Config{URL: server.URL + "/api/remap/1.2", Ledgers: sandbox.Unpaced{}})
	must(t, err)
	s.account = s.newAccount(pool, config)
	return s
}

func (s *shop) clock() time.Time { return noon.Add(time.Duration(s.passed.Load())) }

// advance moves the clock forward.
func (s *shop) advance(d time.Duration) { s.passed.Add(int64(d)) }

// eachSeed runs a test on three accounts. With -short it uses only one, because the race detector needs no more.
func eachSeed(t *testing.T, config sandbox.Config, test func(t *testing.T, s *shop)) {
	t.Parallel()
	accounts := int64(3)
	if testing.Short() {
		accounts = 1
	}
	for seed := int64(1); seed <= accounts; seed++ {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			own := config
			own.Seed = seed
			inShop(t, own, test)
		})
	}
}

// newProduct adds a product to the books.
func (s *shop) newProduct(t *testing.T, name string) *sandbox.Item {
	t.Helper()
	post(t, s, "/entity/product", marshal(t, map[string]any{"name": name}))
	return s.Books().Assortment[len(s.Books().Assortment)-1]
}

// record adds a document about a product to the books, in the first warehouse, a number of days ago.
func (s *shop) record(t *testing.T, kind string, daysAgo int, product *sandbox.Item, units int) {
	t.Helper()
	books, at := s.Books(), s.clock().AddDate(0, 0, -daysAgo).In(moysklad.Moscow)
	agent := ""
	if kind != "enter" {
		agent = `"agent":` + linkTo("counterparty", books.Counterparties[0].ID) + ","
	}
	post(t, s, "/entity/"+kind, fmt.Sprintf(`{"moment":%q,%s"organization":%s,"store":%s,"positions":[{"quantity":%d,"price":10000,"assortment":%s}]}`,
		at.Format(time.DateTime), agent, linkTo("organization", books.Organizations[0].ID), linkTo("store", books.Stores[0].ID),
		units, linkTo("product", product.ID)))
}

// call runs a tool and checks that the result conforms to the tool's schema.
func (s *shop) call(tool, arguments string) (*Result, error) {
	s.t.Helper()
	found, ok := Find(tool)
	if !ok {
		s.t.Fatalf("there is no tool %s", tool)
	}
	result, err := found.Execute(s.t.Context(), s.account, json.RawMessage(arguments))
	if err == nil {
		checkSchema(s.t, found, result.Result)
	}
	return result, err
}

// ask is like call, but fails the test if the tool fails. It returns the result in the tool's own type.
func ask[R any](s *shop, tool, arguments string) (R, *Result) {
	s.t.Helper()
	result, err := s.call(tool, arguments)
	if err != nil {
		s.t.Fatalf("%s %s: %v", tool, arguments, err)
	}
	return result.Result.(R), result
}

func checkSchema(t *testing.T, tool Tool, value any) {
	t.Helper()
	schema, err := validator.UnmarshalJSON(bytes.NewReader(tool.Result))
	must(t, err)
	compiler := validator.NewCompiler()
	must(t, compiler.AddResource("tool:///result", schema))
	text, err := json.Marshal(value)
	must(t, err)
	document, err := validator.UnmarshalJSON(bytes.NewReader(text))
	must(t, err)
	if err := compiler.MustCompile("tool:///result").Validate(document); err != nil {
		t.Errorf("%s: the result does not conform to its schema: %v", tool.Name, err)
	}
}

// note returns the note with the given code, or nil.
func (r *Result) note(code NoteCode) *Note {
	for i := range r.Notes {
		if r.Notes[i].Code == code {
			return &r.Notes[i]
		}
	}
	return nil
}

func (r *Result) mustNote(t *testing.T, codes ...NoteCode) {
	t.Helper()
	for _, code := range codes {
		if r.note(code) == nil {
			t.Errorf("%s: no note %s among %v", r.Tool, code, r.Notes)
		}
	}
}

// noteIf checks that the result has the note if needed is true.
func (r *Result) noteIf(t *testing.T, needed bool, code NoteCode) {
	t.Helper()
	if needed {
		r.mustNote(t, code)
	}
}

func (r *Result) mustNotNote(t *testing.T, codes ...NoteCode) {
	t.Helper()
	for _, code := range codes {
		if n := r.note(code); n != nil {
			t.Errorf("%s: note %s without a reason: %s", r.Tool, code, n.Text)
		}
	}
}

// amountOf formats an amount of the simulated books as money.
func amountOf(a sandbox.Amount) string { return MoneyOf(a.Kopecks().Decimal).String() }

// text formats money, or "null".
func text(m *Money) string {
	if m == nil {
		return "null"
	}
	return m.String()
}

func marshal(t *testing.T, arguments any) string {
	t.Helper()
	text, err := json.Marshal(arguments)
	must(t, err)
	return string(text)
}

// rewriteRequest changes requests, to simulate an upstream that interprets them differently. A nil one changes nothing.
type rewriteRequest func(*http.Request)

func (change rewriteRequest) wrap(upstream http.Handler) http.Handler {
	if change == nil {
		return upstream
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		change(r)
		upstream.ServeHTTP(w, r)
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
