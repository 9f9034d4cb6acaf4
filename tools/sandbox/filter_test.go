package sandbox_test

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Each filter must select the same documents as the corresponding Go function.
func TestDocumentsAreFiltered(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 4, Products: 200, Unlimited: true})
	b := a.Books()
	const base = "https://api.moysklad.ru/api/remap/1.2/entity/"
	orders := b.Documents[sandbox.CustomerOrder]
	cancelled, delivered := b.States[sandbox.CustomerOrder][4], b.States[sandbox.CustomerOrder][3]
	stateLink := func(s *sandbox.State) string { return base + "customerorder/metadata/states/" + s.ID }
	ozon := b.Channels[0]
	first := orders[0]
	for filter, want := range map[string]func(*sandbox.Document) bool{
		"state=" + stateLink(cancelled): func(d *sandbox.Document) bool { return d.State == cancelled },
		"state=" + stateLink(cancelled) + ";state=" + stateLink(delivered): func(d *sandbox.Document) bool {
			return d.State == cancelled || d.State == delivered
		},
		"state!=" + stateLink(cancelled): func(d *sandbox.Document) bool { return d.State != nil && d.State != cancelled },
		"state!=" + stateLink(cancelled) + ";state!=" + stateLink(delivered): func(d *sandbox.Document) bool {
			return d.State != nil && d.State != cancelled && d.State != delivered
		},
		"state=":             func(d *sandbox.Document) bool { return d.State == nil },
		"state!=":            func(d *sandbox.Document) bool { return d.State != nil },
		"state.name=Отменён": func(d *sandbox.Document) bool { return d.State == cancelled },
		"salesChannel=" + base + "saleschannel/" + ozon.ID: func(d *sandbox.Document) bool { return d.Channel == ozon },
		"salesChannel=" + base + "saleschannel/" + ozon.ID + ";state=": func(d *sandbox.Document) bool {
			return d.Channel == ozon && d.State == nil
		},
		"sum>100000;sum>900000": func(d *sandbox.Document) bool { return d.Sum > sandbox.Kop(100000) }, // the second does not count
		"sum>=100000;sum<=900000": func(d *sandbox.Document) bool {
			return d.Sum >= sandbox.Kop(100000) && d.Sum <= sandbox.Kop(900000)
		},
		"moment>=2026-11-01 00:00:00":               func(d *sandbox.Document) bool { return d.Moment.Format("2006-01-02") >= "2026-11-01" },
		"moment<2026-11-01 00:00":                   func(d *sandbox.Document) bool { return d.Moment.Format("2006-01-02") < "2026-11-01" },
		"applicable=false":                          func(d *sandbox.Document) bool { return !d.Applicable },
		"store=":                                    func(d *sandbox.Document) bool { return d.Store == nil },
		"store=" + base + "store/" + b.Stores[0].ID: func(d *sandbox.Document) bool { return d.Store == b.Stores[0] },
		"name=" + first.Name:                        func(d *sandbox.Document) bool { return d.Name == first.Name },
		"name=" + first.Name + `\;x`:                func(*sandbox.Document) bool { return false },
		"agent=" + base + "counterparty/00000000-0000-11ee-8a80-000000000000": func(*sandbox.Document) bool { return false },
		"assortment=" + href(first.Positions[0].Item): func(d *sandbox.Document) bool {
			for _, line := range d.Positions {
				if line.Item == first.Positions[0].Item {
					return true
				}
			}
			return false
		},
	} {
		t.Run(filter, func(t *testing.T) {
			wanted := 0
			for _, order := range orders {
				if order.Deleted.IsZero() && want(order) {
					wanted++
				}
			}
			if got := get[list[row]](a, "/entity/customerorder?filter="+url.QueryEscape(filter)).Meta.Size; got != wanted {
				t.Errorf("%d orders, want %d", got, wanted)
			}
		})
	}
}

func TestInvalidFiltersAreRefused(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 20, Unlimited: true})
	for _, refused := range []struct {
		kind, filter string
		code         int
	}{
		{"demand", "customerOrder=https://api.moysklad.ru/api/remap/1.2/entity/customerorder/1", 1034},
		{"demand", "payedSum>0", 1034},
		{"purchaseorder", "waitSum>0", 1034},
		{"customerorder", "sum=1;sum>2", 1030},
		{"customerorder", "name>5", 1035},
		{"customerorder", "moment>yesterday", 1014},
		{"customerorder", "moment>2026-11-01", 1014}, // a date alone is not documented
		{"customerorder", "state=https://evil.example/api/remap/1.2/entity/state/1", 1059},
		{"customerorder", "just words", 1014},
		{"move", "targetStore=https://api.moysklad.ru/api/remap/1.2/entity/store/1", 1034},
	} {
		answer := a.send(http.MethodGet, "/entity/"+refused.kind+"?filter="+url.QueryEscape(refused.filter), "", nil)
		if answer.errorCode() != refused.code {
			t.Errorf("%s %q: %d with code %d, want code %d", refused.kind, refused.filter, answer.StatusCode, answer.errorCode(), refused.code)
		}
	}
}

// Each report has its own filters and operators.
//
// Source: md/reports/_report_stock.md, _report_pnl.md, _report_turnover.md, _report_by_operations.md.
func TestReportsAreFiltered(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Products: 60, Unlimited: true})
	link := func(kind string) string { return moysklad.Href(kind, "00000000-0000-11ee-8a80-000000000000") }
	product, variant, folder, store := link("product"), link("variant"), link("productfolder"), link("store")
	for _, report := range []struct {
		path, filter string
		code         int
	}{
		{"stock/all", "search!~чайник", 0},
		{"stock/all", "store!=" + store, 0},
		{"stock/all", "product=" + product + ";variant=" + variant, 0},
		{"stock/all", "product=" + product + ";variant!=" + variant, 1035},
		{"stock/all", "store>" + store, 1035},
		{"stock/all", "archived!=true", 1035},
		{"stock/all", "name=чайник", 1034},
		{"stock/all", "stockStore=" + store, 1034},
		{"stock/all", "product=https://evil.example/api/remap/1.2/entity/product/1", 1059},
		{"stock/bystore", "store=" + store + ";stockMode=all", 0},
		{"stock/bystore", "product=" + product + ";product=" + product, 0},
		{"stock/bystore", "product=" + product + ";variant=" + variant, 1034},
		{"stock/bystore", "store!=" + store, 1035},
		{"stock/bystore", "archived=true", 1034},
		{"stock/bystore", "quantityMode=all", 1034},
		{"stock/bystore/current", "storeId!=00000000-0000-11ee-8a80-000000000000", 1035},
		{"stock/bystore/current", "store=" + store, 1034},
		{"byoperations/stock", "assortment=" + product, 0},
		{"byoperations/stock", "assortment=" + product + ";assortment=" + variant, 3000},
		{"byoperations/stock", "store=" + store, 3000},
		{"profit/byvariant", "product!=" + variant, 0},
		{"profit/byvariant", "variant=" + variant, 1034},
		{"profit/byvariant", "agent=" + link("counterparty"), 1034},
		{"profit/byvariant", "store!=" + store, 1035},
		{"profit/byvariant", "product=" + product + ";productFolder=" + folder, 1034},
		{"profit/byvariant", "entityType=supply", 1014},
		{"profit/byvariant", "entityType=demand;entityType=retaildemand", 1030},
		{"profit/bysaleschannel", "retailStore=" + store, 1034},
		{"counterparty", "averageReceipt>=1;returnsCount=0;updated>2020-01-01 00:00:00;counterparty.companyType=legal", 0},
		{"counterparty", "counterparty=" + link("counterparty"), 1034},
		{"turnover/all", "variant=" + variant, 0},
		{"turnover/all", "product!=" + product, 1035},
		{"turnover/all", "productFolder=" + folder, 1034},
		{"turnover/all", "type=demand;type=move", 1030},
	} {
		answer := a.send(http.MethodGet, "/report/"+report.path+"?filter="+url.QueryEscape(report.filter), "", nil)
		if code := answer.errorCode(); code != report.code || (code == 0) != (answer.StatusCode == http.StatusOK) {
			t.Errorf("%s %q: %d with code %d, want code %d", report.path, report.filter, answer.StatusCode, code, report.code)
		}
	}
}

// Whether "!=" keeps rows with an empty field is not documented, so there is a switch.
func TestNotEqualDropsEmptyUnlessTheSwitchIsSet(t *testing.T) {
	for keeps, config := range map[bool]sandbox.Config{
		false: {Seed: 1}, true: {Seed: 1, Switches: sandbox.Switches{NotEqualKeepsEmpty: true}},
	} {
		config.Unlimited = true
		a := open(t, config)
		state := a.Books().States[sandbox.CustomerOrder][4]
		filter := url.QueryEscape("state!=https://api.moysklad.ru/api/remap/1.2/entity/customerorder/metadata/states/" + state.ID)
		type order struct {
			State *struct{} `json:"state"`
		}
		empty := 0
		for _, order := range get[list[order]](a, "/entity/customerorder?filter="+filter).Rows {
			if order.State == nil {
				empty++
			}
		}
		if (empty > 0) != keeps {
			t.Errorf("NotEqualKeepsEmpty %v: %d orders without a state", keeps, empty)
		}
	}
}
