package tools

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// truthCases lists the questions whose answers are compared with package truth, and what each of them is for. The books
// must have an example of everything that a question is for; the comparison of each tool says what it understands. "cut"
// means that the limit leaves out rows; without a limit, a question asks for as many rows as it may. "edges" means that
// there are sales in the first and the last minute of the period, and in the minutes around it. The warehouse "each"
// stands for one question about every warehouse, at least one of which must have the example.
var truthCases = []truthCase{
	{"stock", `{}`, "negative, without cost, archived, reserved, in transit, no warehouse"},
	{"stock", `{"limit": 5}`, "cut, negative, without cost"},
	{"stock", `{"warehouse": "each"}`, "negative, without cost, archived, reserved, in transit"},

	{"negative_stock", `{}`, "negative, elsewhere"},
	{"negative_stock", `{"limit": 1}`, "cut"},
	{"negative_stock", `{"warehouse": "each"}`, "negative, elsewhere"},

	{"out_of_stock", `{}`, "negative, in transit, sold, minimum"},
	{"out_of_stock", `{"limit": 1}`, "cut, in transit, sold"},
	{"out_of_stock", `{"warehouse": "second", "window_days": 30}`, "sold, not sold, never there"},

	{"below_minimum", `{}`, "out of stock, minimum of a warehouse, minimum of all, not set, no supplier, transferable"},
	{"below_minimum", `{"limit": 3}`, "cut"},
	{"below_minimum", `{"warehouse": "each"}`, "out of stock, minimum of a warehouse, not set, set for all, no supplier"},

	{"shortage_by_supplier", `{}`, "suppliers, no supplier, no price, on order, minimum of a warehouse, minimum of all"},
	{"shortage_by_supplier", `{"limit": 3}`, "cut, suppliers, no price"},
	{"shortage_by_supplier", `{"warehouse": "each"}`, "suppliers, no supplier, minimum of a warehouse"},

	{"dead_stock", `{}`, "dead, turns outside sales, without cost, archived"},
	{"dead_stock", `{"limit": 2}`, "cut, dead, turns outside sales"},
	{"dead_stock", `{"warehouse": "each"}`, "dead, turns outside sales, without cost"},
	{"dead_stock", `{"warehouse": "second", "min_days": 30, "sales_window_days": 200}`, "dead"},

	{"margin", `{"from": "2026-08-10", "to": "2026-11-10"}`, "without cost, services, returns, bundles, partly covered"},
	{"margin", `{"from": "2026-10-01", "to": "2026-10-31"}`, "edges, without cost, services, returns"},
	{"margin", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 3}`, "cut, without cost"},
	{"margin", `{"from": "2026-08-10", "to": "2026-11-10", "group_by": "variant"}`, "without cost, services, returns, bundles"},
	{"margin", `{"from": "2026-08-01", "to": "2026-10-31", "group_by": "variant"}`, "without cost, services, returns, bundles"},
	{"margin", `{"from": "2026-08-10", "to": "2026-11-10", "group_by": "channel"}`, "without cost, returns, channels, no channel, covered together"},
	{"margin", `{"from": "2026-10-01", "to": "2026-10-31", "group_by": "channel"}`, "edges, without cost, channels, no channel"},

	{"turnover", `{"from": "2026-08-10", "to": "2026-11-10"}`, "without cost, returns, idle"},
	{"turnover", `{"from": "2026-08-10", "to": "2026-11-10", "warehouse": "second"}`, "returns, idle"},
	{"turnover", `{"from": "2026-10-01", "to": "2026-10-31"}`, "edges, without cost, returns, idle"},
	{"turnover", `{"from": "2026-10-01", "to": "2026-10-31", "limit": 3}`, "cut, without cost"},
	{"turnover", `{"from": "2026-10-01", "to": "2026-10-31", "warehouse": "each"}`, "edges, without cost, returns, idle"},

	{"money_position", `{}`, "other currency, debtors, creditors"},

	{"cash_runway", `{}`, "other currency, own transfers, burning"},
	{"cash_runway", `{"months": 1}`, "other currency, own transfers, cash positive"},
	{"cash_runway", `{"months": 12}`, "other currency, own transfers"},

	{"reconcile_shipments", `{"from": "2026-10-12", "to": "2026-11-19"}`, "every class"},
	{"reconcile_shipments", `{"from": "2026-10-12", "to": "2026-11-19", "limit": 1}`, "every class, cut"},
	{"reconcile_shipments", `{"from": "2026-09-01", "to": "2026-11-21", "number_in": "attribute:Номер заказа маркетплейса"}`, "matched"},
	{"reconcile_shipments", `{"from": "2026-10-12", "to": "2026-11-19", "channel": "each"}`, "duplicates, matched"},
	{"reconcile_shipments", `{"from": "2026-09-01", "to": "2026-11-21", "channel": "each"}`, "duplicates, matched"},
	{"reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "grace_days": 60}`, "edges, matched, outside"},

	{"overdue_orders", `{}`, "no status, status, partly shipped"},
	{"overdue_orders", `{"limit": 2}`, "cut, no status"},
	{"overdue_orders", `{"as_of": "2026-11-14"}`, "status"},

	{"zero_cost_receipts", `{}`, "receipts, entries"},
	{"zero_cost_receipts", `{"limit": 2}`, "cut"},
	{"zero_cost_receipts", `{"days": 120}`, "receipts, older"},

	{"slow_movers", `{}`, "slow, without cost, new, not sold"},
	{"slow_movers", `{"limit": 2}`, "cut, new, not sold"},
	{"slow_movers", `{"warehouse": "second"}`, "slow, not sold"},
	{"slow_movers", `{"window_days": 30, "min_cover_days": 60}`, "slow, new, not sold"},

	{"reorder_points", `{}`, "to order, nothing to order, censored, lead times"},
	{"reorder_points", `{"limit": 2}`, "cut, to order"},
	{"reorder_points", `{"lead_time_days": 14, "service_level": 0.9}`, "to order, nothing to order"},
	{"reorder_points", `{"window_days": 84, "warehouse": "second"}`, "to order, censored"},
	{"reorder_points", `{"window_days": 100, "cover_days": 30}`, "to order, censored, lead times"},
	{"reorder_points", `{"lead_time_days": 3.5, "cover_days": 7}`, "to order, nothing to order"},
	{"reorder_points", `{"cover_days": 14, "warehouse": "each"}`, "to order, lead times"},

	{"abc_xyz", `{}`, "A, B, C, Z, archived, sold out, no stock"},
	{"abc_xyz", `{"x_percent": 50, "y_percent": 100}`, "A, B, C, Z, new"},
	{"abc_xyz", `{"x_percent": 50, "y_percent": 100, "limit": 3}`, "cut, A, B, C"},
	{"abc_xyz", `{"x_percent": 50, "y_percent": 100, "metric": "profit"}`, "A, B, C, Z, without cost, cost partly known"},
	{"abc_xyz", `{"window_days": 28, "metric": "profit"}`, "A, B, C, returned"},
	{"abc_xyz", `{"window_days": 84, "x_percent": 60, "y_percent": 120}`, "A, B, C, Y, Z"},
	{"abc_xyz", `{"window_days": 84, "x_percent": 60, "y_percent": 120, "metric": "profit"}`, "A, B, C, Z, without cost"},
	{"abc_xyz", `{"window_days": 84, "x_percent": 95, "y_percent": 190}`, "A, B, C, X, Y, Z"},
	{"abc_xyz", `{"window_days": 70, "x_percent": 200, "y_percent": 300}`, "A, B, C, X, Y"},
	{"abc_xyz", `{"window_days": 84, "x_percent": 60, "y_percent": 120, "warehouse": "second"}`, "A, B, C"},
}

type truthCase struct{ tool, arguments, examples string }

// question is one question about an account.
type question struct {
	tool, arguments string // as the tool gets them
	asked
	store   *sandbox.Store
	channel *sandbox.SalesChannel
}

// asked has the arguments of a question. What is absent has the default that the tools' descriptions promise.
type asked struct {
	From            string  `json:"from"`
	To              string  `json:"to"`
	AsOf            string  `json:"as_of"`
	Warehouse       string  `json:"warehouse"`
	Channel         string  `json:"channel"`
	NumberIn        string  `json:"number_in"`
	GroupBy         string  `json:"group_by"`
	Metric          string  `json:"metric"`
	Limit           int     `json:"limit"`
	WindowDays      int     `json:"window_days"`
	MinDays         int     `json:"min_days"`
	SalesWindowDays int     `json:"sales_window_days"`
	MinCoverDays    int     `json:"min_cover_days"`
	GraceDays       int     `json:"grace_days"`
	Days            int     `json:"days"`
	Months          int     `json:"months"`
	CoverDays       int     `json:"cover_days"`
	ServiceLevel    float64 `json:"service_level"`

	XPercent     decimal.Decimal  `json:"x_percent"`
	YPercent     decimal.Decimal  `json:"y_percent"`
	LeadTimeDays *decimal.Decimal `json:"lead_time_days"`
}

// mostRows is the largest limit that a question may have.
const mostRows = 1000

func (q question) String() string { return q.tool + " " + q.arguments }

func (q question) period() truth.Period { return truth.Days(q.From, q.To) }

// questions returns the questions of a case.
func (h truthCheck) questions(c truthCase) []question {
	h.t.Helper()
	q := question{tool: c.tool, asked: asked{
		GroupBy: "product", Metric: "revenue", Limit: mostRows, WindowDays: 90, MinDays: 90, SalesWindowDays: 90, MinCoverDays: 180,
		GraceDays: 3, Days: 365, Months: 3, XPercent: decimal.NewFromInt(10), YPercent: decimal.NewFromInt(25), ServiceLevel: .95,
	}}
	decoder := json.NewDecoder(strings.NewReader(c.arguments))
	decoder.DisallowUnknownFields()
	arguments := map[string]any{}
	if err := decoder.Decode(&q.asked); err != nil {
		h.t.Fatalf("%s %s: %v", c.tool, c.arguments, err)
	}
	if err := json.Unmarshal([]byte(c.arguments), &arguments); err != nil {
		h.t.Fatalf("%s %s: %v", c.tool, c.arguments, err)
	}
	if tool, _ := Find(c.tool); tool.Takes("limit") {
		arguments["limit"] = q.Limit
	}
	var all []question
	add := func(one question, change map[string]any) {
		own := maps.Clone(arguments)
		maps.Copy(own, change)
		one.arguments = marshal(h.t, own)
		all = append(all, one)
	}
	switch {
	case q.Warehouse == "each":
		for _, q.store = range h.books.Stores {
			add(q, map[string]any{"warehouse": q.store.ID})
		}
	case q.Warehouse == "second":
		q.store = h.books.Stores[1]
		add(q, map[string]any{"warehouse": q.store.Name})
	case q.Channel == "each":
		for _, q.channel = range h.books.Channels {
			q.NumberIn = numberArguments[q.channel.Numbering]
			add(q, map[string]any{"channel": q.channel.Name, "number_in": q.NumberIn})
		}
	default:
		add(q, nil)
	}
	return all
}

// numberArguments are the values of number_in for the fields that can have the number of a marketplace.
var numberArguments = map[sandbox.Numbering]string{
	sandbox.NumberInName: "name", sandbox.NumberInCode: "external_code", sandbox.NumberInAttribute: "attribute:Номер заказа маркетплейса",
}

// examples says of which things the books have an example, as far as one question is concerned.
type examples map[string]bool

// check compares the answers to all questions about a tool.
func (h truthCheck) check(tool string) {
	h.t.Helper()
	compare := truths[tool]
	for _, c := range truthCases {
		if c.tool != tool || h.unavailable(c) {
			continue
		}
		found := examples{}
		for _, q := range h.questions(c) {
			for name, has := range compare(h, q) {
				found[name] = found[name] || has
			}
		}
		for name := range strings.SplitSeq(c.examples, ", ") {
			if _, understood := found[name]; !understood {
				h.t.Errorf("%s: the comparison does not know %q, only %v", c.tool, name, slices.Sorted(maps.Keys(found)))
			}
			if h.examplesNeeded && !found[name] {
				h.t.Errorf("%s %s: the books have no example of %q", c.tool, c.arguments, name)
			}
		}
	}
}

// unavailable reports whether the case cannot be compared: the tool shows nothing without the right to see cost, or
// reading each warehouse of the account would take too long.
func (h truthCheck) unavailable(c truthCase) bool {
	needsCost := c.tool == "zero_cost_receipts" || strings.Contains(c.arguments, `"profit"`)
	return needsCost && !h.costsVisible || h.allWarehousesOnly && strings.Contains(c.arguments, `"warehouse"`)
}

// addRareExamples adds to the books what the generator makes seldom or never: sales in the first and last minute of
// periods and windows of truthCases, a free entry, and an archived good that is in stock and was sold.
func (s *shop) addRareExamples(t *testing.T) {
	t.Helper()
	books := s.Books()
	item := stockedProduct(books)
	link := func(kind, id string) json.RawMessage { return json.RawMessage(linkTo(kind, id)) }
	document := func(kind string, at time.Time, price int) {
		body := map[string]any{
			"moment": at.Format(time.DateTime), "organization": link("organization", books.Organizations[0].ID),
			"store":     link("store", books.Stores[0].ID),
			"positions": []any{map[string]any{"quantity": 1, "price": price, "assortment": link(string(item.Kind), item.ID)}},
		}
		if kind == "demand" {
			body["agent"] = link("counterparty", books.Counterparties[0].ID)
		}
		post(t, s, "/entity/"+kind, marshal(t, body))
	}
	for _, day := range []string{"2026-08-23", "2026-08-29", "2026-10-01", "2026-11-01", "2026-11-21"} {
		midnight := truth.Days(day, day).From
		document("demand", midnight.Add(-time.Minute), 12300)
		document("demand", midnight, 12300)
	}
	document("enter", noon.AddDate(0, -1, 0), 0)
	for _, row := range truth.Of(books, s.clock(), truth.View{}).ABCXYZ(90, "revenue", hundred, hundred, nil).Rows {
		if orZero(row.StockUnits).IsPositive() && row.ProductID != item.ID {
			books.Item(row.ProductID).Archived = true
			return
		}
	}
	t.Error("the books have no good that was sold and is in stock")
}

// soldAt reports whether there is a sale in a minute.
func (h truthCheck) soldAt(minute time.Time) bool {
	return h.some(sandbox.Demand, func(d *sandbox.Document) bool { return d.Moment.Equal(minute) })
}

// edges reports whether there are sales in the first and last minute of a period, and in the minutes around it.
func (h truthCheck) edges(p truth.Period) bool {
	end := p.To.Add(time.Second)
	return h.soldAt(p.From.Add(-time.Minute)) && h.soldAt(p.From) && h.soldAt(end.Add(-time.Minute)) && h.soldAt(end)
}

func (h truthCheck) some(kind sandbox.Kind, is func(*sandbox.Document) bool) bool {
	return slices.ContainsFunc(h.books.Documents[kind], func(d *sandbox.Document) bool { return d.Posted() && is(d) })
}

// returned reports whether goods were returned in a period, to one warehouse, or to any if store is nil.
func (h truthCheck) returned(p truth.Period, store *sandbox.Store) bool {
	is := func(d *sandbox.Document) bool {
		return p.Has(d.Moment) && (store == nil || d.Store == store)
	}
	return h.some(sandbox.SalesReturn, is) || h.some(sandbox.RetailSalesReturn, is)
}
