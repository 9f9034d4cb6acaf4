package sandbox_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

func total(b *sandbox.Books, item *sandbox.Item) (h sandbox.Holding, cost sandbox.Amount) {
	for _, holding := range b.Holdings(item) {
		h.Stock += holding.Stock
		h.Reserve += holding.Reserve
		h.InTransit += holding.InTransit
		cost += holding.Cost()
	}
	return h, cost
}

func all(filter string) string { return url.QueryEscape(filter) }

func TestStockAllSumsTheWarehouses(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	b := a.Books()
	rows := get[list[moysklad.StockRow]](a, "/report/stock/all?filter="+all("stockMode=all;quantityMode=all")).Rows
	expected := 0
	for _, item := range b.Assortment {
		if item.Stocked() && len(item.Variants) == 0 && !item.Archived && !item.Origin().Archived {
			expected++
		}
	}
	if len(rows) != expected {
		t.Errorf("%d rows, want %d, including rows of 0 and goods that have never moved", len(rows), expected)
	}
	for _, row := range rows {
		item := b.Item(row.Meta.ID())
		h, cost := total(b, item)
		if !row.Stock.Equal(h.Stock.Quantity().Decimal) || !row.Reserve.Equal(h.Reserve.Quantity().Decimal) ||
			!row.Quantity.Equal(h.Available().Quantity().Decimal) {
			t.Errorf("%s: %v, %v reserved, %v available; want %v", item.Name, row.Stock, row.Reserve, row.Quantity, h)
		}
		if h.Stock <= 0 {
			if !row.Cost.IsZero() {
				t.Errorf("%s: a price of %v without stock", item.Name, row.Cost)
			}
			continue
		}
		off := row.Cost.Mul(row.Stock.Decimal).Sub(cost.Kopecks().Decimal).Abs()
		if off.GreaterThan(decimal.New(1, -4)) {
			t.Errorf("%s: price × stock differs by %v from %v", item.Name, off, cost.Kopecks())
		}
	}
}

// storeStock is a row of report/stock/bystore. It identifies the product only by a link.
type storeStock struct {
	Meta   moysklad.Meta     `json:"meta"`
	Stores []json.RawMessage `json:"stockByStore"`
}

func TestStockReportsHaveTheirDefaults(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	b := a.Books()
	shown := map[string]bool{}
	for _, row := range get[list[moysklad.StockRow]](a, "/report/stock/all").Rows {
		shown[row.Meta.ID()] = true
	}
	inStock := map[string]bool{}
	for _, row := range get[list[storeStock]](a, "/report/stock/bystore").Rows {
		inStock[row.Meta.ID()] = true
		if len(row.Stores) != len(b.Stores) {
			t.Fatalf("a row has %d warehouses, want all %d", len(row.Stores), len(b.Stores))
		}
	}
	hidden := 0
	for _, item := range b.Assortment {
		if !item.Stocked() || len(item.Variants) > 0 || item.Archived {
			continue
		}
		h, _ := total(b, item)
		if shown[item.ID] != (h.Available() != 0) || inStock[item.ID] != (h.Stock != 0) {
			t.Errorf("%s: stock %v, available %v, shown %v and %v", item.Name, h.Stock, h.Available(), shown[item.ID], inStock[item.ID])
		}
		if h.Stock > 0 && h.Available() == 0 {
			hidden++
		}
	}
	if hidden == 0 {
		t.Error("no item is fully reserved, so nothing was hidden")
	}
	// stockMode and search are ignored if they are not inside the filter.
	if got := get[list[row]](a, "/report/stock/all?stockMode=all&search=nothing").Meta.Size; got != len(shown) {
		t.Errorf("%d rows, want %d", got, len(shown))
	}
}

// Cards need neither sale prices nor, for a variant, a code that begins with that of its product.
func TestCardsMayHaveOnlyWhatIsRequired(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, JustOpened: true, Unlimited: true})
	b := a.Books()
	product := decode[row](t, a.write(http.MethodPost, "/entity/product", `{"name":"Ladle","code":"00017","article":"L"}`))
	variant := decode[row](t, a.write(http.MethodPost, "/entity/variant", fmt.Sprintf(
		`{"code":"7","product":%s,"characteristics":[{"name":"Size","value":"S"}]}`, ref("product", product.ID))))
	decode[row](t, a.write(http.MethodPost, "/entity/enter", fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":5,"assortment":%s}]}`,
		ref("organization", b.Organizations[0].ID), ref("store", b.Stores[0].ID), ref("variant", variant.ID))))
	type stockPrice struct {
		Meta      moysklad.Meta
		SalePrice float64
	}
	for _, order := range []string{"", "?order=salePrice"} {
		rows := get[list[stockPrice]](a, "/report/stock/all"+order).Rows
		if len(rows) != 1 || rows[0].Meta.ID() != variant.ID || rows[0].SalePrice != 0 {
			t.Errorf("rows %+v", rows)
		}
	}
}

func TestStockReportsAreFiltered(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 2, Unlimited: true})
	b := a.Books()
	store := b.Stores[2]
	stockAll := func(filter string) []moysklad.StockRow {
		t.Helper()
		return get[list[moysklad.StockRow]](a, "/report/stock/all?filter="+all(filter)).Rows
	}
	rows := stockAll("quantityMode=all;stockMode=positiveOnly;store=" + moysklad.Href("store", store.ID))
	for _, row := range rows {
		if h := b.Holding(b.Item(row.Meta.ID()), store); !row.Stock.Equal(h.Stock.Quantity().Decimal) || h.Stock <= 0 {
			t.Errorf("%s: %v, want %v", row.Name, row.Stock, h.Stock)
		}
	}
	if len(rows) == 0 {
		t.Error("no row for the warehouse")
	}
	for _, row := range stockAll("stockMode=negativeOnly") {
		if !row.Stock.IsNegative() {
			t.Errorf("%s has %v", row.Name, row.Stock)
		}
	}
	for _, row := range stockAll("stockMode=underMinimum;quantityMode=all") {
		if b.Item(row.Meta.ID()).EffectiveMinimum().Type == sandbox.MinimumNone {
			t.Errorf("%s has no minimum", row.Name)
		}
	}
	start := stockAll("quantityMode=all;moment=2024-01-01 00:00:00")
	if slices.ContainsFunc(start, func(r moysklad.StockRow) bool { return !r.Stock.IsZero() }) {
		t.Error("there was stock before the first document")
	}
	lastNight, now := stockAll("quantityMode=all;moment=2026-11-20 23:59:59"), stockAll("quantityMode=all")
	if !slices.EqualFunc(lastNight, now, func(x, y moysklad.StockRow) bool { return x.Stock.Equal(y.Stock.Decimal) }) {
		t.Error("the stock of last night differs from today's, although nothing has happened since")
	}
}

// Each report has its own fields for sorting. Several of them can be combined.
//
// Source: md/reports/_report_stock.md.
func TestStockReportsAreSorted(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 2, Unlimited: true})
	rows := get[list[moysklad.StockRow]](a, "/report/stock/all?order=stock,desc;name&filter="+all("quantityMode=all")).Rows
	if len(rows) < 10 || !slices.IsSortedFunc(rows, func(x, y moysklad.StockRow) int {
		return cmp.Or(y.Stock.Cmp(x.Stock.Decimal), strings.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)))
	}) {
		t.Error("not sorted by stock in descending order, then by name")
	}
	for path, code := range map[string]int{
		"all?order=productCode;minimumBalance,desc;salePrice": 0, "all?order=stockOnAllStores": 1042, "all?order=name,down": 1063,
		"bystore?order=stockOnAllStores,desc;code": 0, "bystore?order=stock": 1042,
	} {
		if answer := a.send(http.MethodGet, "/report/stock/"+path, "", nil); answer.errorCode() != code {
			t.Errorf("%s: %d with code %d, want %d", path, answer.StatusCode, answer.errorCode(), code)
		}
	}
}

type currentRow struct {
	Assortment string             `json:"assortmentId"`
	Store      *string            `json:"storeId"`
	Stock      *moysklad.Quantity `json:"stock"`
	Reserve    *moysklad.Quantity `json:"reserve"`
}

func TestShortReportsAreArraysWithoutZeros(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	b := a.Books()
	rows := get[[]currentRow](a, "/report/stock/bystore/current")
	withZeros := get[[]currentRow](a, "/report/stock/bystore/current?include=zeroLines")
	if len(withZeros) <= len(rows) {
		t.Error("rows of 0 are missing")
	}
	seen := map[string]bool{}
	for _, row := range withZeros {
		seen[row.Assortment] = true
		if row.Store == nil {
			t.Error("physical stock without a warehouse")
		}
	}
	for _, row := range rows {
		if row.Stock.IsZero() {
			t.Error("a row of 0 is shown")
		}
	}
	for _, item := range b.Assortment {
		moved := slices.ContainsFunc(b.Holdings(item), func(h sandbox.Holding) bool { return h.Store != nil })
		if seen[item.ID] != (moved && !item.Archived) {
			t.Errorf("%s: in the report %v, moved %v", item.Name, seen[item.ID], moved)
		}
	}
	nowhere := 0
	for _, row := range get[[]currentRow](a, "/report/stock/bystore/current?stockType=reserve") {
		if row.Reserve == nil {
			t.Fatal("the key is not the stock type")
		}
		if row.Store == nil {
			nowhere++
		}
	}
	if nowhere == 0 {
		t.Error("no reserve without a warehouse")
	}
	item, store := a.stockedItem(), b.Stores[0]
	ids := fmt.Sprintf("&filter=assortmentId=%s&filter=storeId=%s", item.ID, store.ID)
	narrow := get[[]currentRow](a, "/report/stock/bystore/current?include=zeroLines"+ids)
	if len(narrow) > 1 || len(narrow) == 1 && (narrow[0].Assortment != item.ID || *narrow[0].Store != store.ID) {
		t.Errorf("the filter by ids gives %+v", narrow)
	}
	refused := a.send(http.MethodGet, "/report/stock/all/current?filter=assortmentId="+all(href(item)), "", nil)
	if refused.StatusCode != http.StatusBadRequest {
		t.Errorf("a link instead of an id: %d", refused.StatusCode)
	}
}

func TestItemsBeingRecalculatedAreMissingOrNull(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true, Switches: sandbox.Switches{Recalculating: 3}})
	nulls := map[string]bool{}
	for _, row := range get[[]currentRow](a, "/report/stock/bystore/current?withRecalculate=true&include=zeroLines") {
		if row.Stock == nil {
			nulls[row.Assortment] = true
		}
	}
	if len(nulls) != 3 {
		t.Errorf("%d items are null, want 3", len(nulls))
	}
	for _, row := range get[[]currentRow](a, "/report/stock/bystore/current?include=zeroLines") {
		if nulls[row.Assortment] {
			t.Error("an item that is being recalculated is shown")
		}
	}
	for _, row := range get[list[moysklad.StockRow]](a, "/report/stock/all?filter="+all("quantityMode=all")).Rows {
		if nulls[row.Meta.ID()] {
			t.Error("stock/all shows an item that is being recalculated")
		}
	}
}

func TestChangedSinceShowsWhatWasWritten(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	const since = "/report/stock/all/current?changedSince=2026-11-21%2011:59:00"
	if rows := get[[]currentRow](a, since); len(rows) != 0 {
		t.Errorf("%d items changed before anything was written", len(rows))
	}
	decode[moysklad.Document](t, a.write(http.MethodPost, "/entity/purchaseorder", a.order("")))
	if rows := get[[]currentRow](a, since); len(rows) != 1 || rows[0].Assortment != a.stockedItem().ID {
		t.Errorf("changed: %+v", rows)
	}
}

func TestLayersAddUpToTheStock(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	item := a.stockedItem()
	h, cost := total(a.Books(), item)
	var stock moysklad.Quantity
	var sum moysklad.Kopecks
	layers := get[list[moysklad.StockLayer]](a, "/report/byoperations/stock?filter=assortment="+all(href(item))).Rows
	for _, layer := range layers {
		stock.Decimal = stock.Add(layer.Stock.Decimal)
		sum.Decimal = sum.Add(layer.SumCost.Decimal)
	}
	if !stock.Equal(h.Stock.Quantity().Decimal) || !sum.Equal(cost.Kopecks().Decimal) {
		t.Errorf("layers of %v at %v, want %v at %v", stock, sum, h.Stock.Quantity(), cost.Kopecks())
	}
}

func TestAssortmentHasANewAndALegacyForm(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, WithoutAttacks: true, Unlimited: true})
	newContract := http.Header{"X-Lognex-Remap-Beta-Feature": {"assortmentWithoutStock"}}
	legacy := get[list[map[string]any]](a, "/entity/assortment?limit=1000")
	kinds := map[string]bool{}
	for _, row := range legacy.Rows {
		kind := row["meta"].(map[string]any)["type"].(string)
		kinds[kind] = true
		_, has := row["stock"]
		if has != (kind == "product" || kind == "variant") {
			t.Fatalf("%s has stock: %v", kind, has)
		}
	}
	if len(kinds) != 4 {
		t.Errorf("listed kinds: %v", kinds)
	}
	item := a.stockedItem()
	search := "/entity/assortment?search=" + all(item.Code)
	narrow := decode[list[map[string]any]](t, a.send(http.MethodGet, search, "", newContract))
	if narrow.Meta.Size == 0 || narrow.Meta.Size == legacy.Meta.Size || narrow.Rows[0]["stock"] != nil {
		t.Errorf("the new form finds %d of %d", narrow.Meta.Size, legacy.Meta.Size)
	}
	if whole := get[list[row]](a, search); whole.Meta.Size != legacy.Meta.Size {
		t.Error("the legacy form does not ignore the search")
	}
	found := get[list[row]](a, "/entity/assortment?filter="+all("search="+item.Code)).Meta.Size
	if found == 0 || found == legacy.Meta.Size {
		t.Errorf("the legacy filter finds %d", found)
	}
	const article = "/entity/assortment?filter=article=x"
	if refused := a.send(http.MethodGet, article, "", newContract); refused.errorCode() != 1034 {
		t.Errorf("filter by article in the new form: %d", refused.StatusCode)
	}
	for expand, code := range map[string]int{"product": 0, "images,components": 0, "supplier": 1089, "product.supplier": 1089} {
		if answer := a.send(http.MethodGet, "/entity/assortment?limit=10&expand="+expand, "", newContract); answer.errorCode() != code {
			t.Errorf("the new form, expanding %s: %d with code %d, want %d", expand, answer.StatusCode, answer.errorCode(), code)
		}
	}
	switches := sandbox.Switches{SearchIgnored: true, BadFilterIgnored: true}
	b := open(t, sandbox.Config{Seed: 1, WithoutAttacks: true, Unlimited: true, Switches: switches})
	for _, path := range []string{search, article} {
		if whole := decode[list[map[string]any]](t, b.send(http.MethodGet, path, "", newContract)); whole.Meta.Size != legacy.Meta.Size {
			t.Errorf("with the switches set, %s finds %d of %d", path, whole.Meta.Size, legacy.Meta.Size)
		}
	}
	for _, row := range get[list[row]](a, "/entity/assortment?groupBy=product").Rows {
		if row.Meta.Type == "variant" {
			t.Fatal("a variant among products")
		}
	}
}
