package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// A product in a warehouse is found by code, barcode and name. The rows have its reserved and ordered units, and none
// are of other warehouses.
func TestProductIsFoundAtOneWarehouse(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 4, WithoutAttacks: true})
	item := stockedProduct(s.Books())
	store := s.Books().Holdings(item)[0].Store
	for _, query := range []string{item.Code, item.Barcodes[0].Value, item.Name} {
		arguments := marshal(t, map[string]any{"query": query, "warehouse": store.Name})
		got, _ := ask[stockResult](s, "stock", arguments)
		found := false
		for _, row := range got.Rows {
			if row.ProductID == item.ID {
				h := s.Books().Holding(item, store)
				found = row.Units.String() == h.Stock.Quantity().String() && row.Reserved.String() == h.Reserve.Quantity().String() &&
					row.InTransit.String() == h.InTransit.Quantity().String() && text(row.Money) == amountOf(h.Cost())
			}
			if row.Warehouse == nil || *row.Warehouse != store.Name {
				t.Errorf("%s: a row of warehouse %v", query, row.WarehouseID)
			}
		}
		if !found || !got.Matched {
			t.Errorf("%s: %s is not right among %+v", query, item.Name, got.Rows)
		}
	}
}

// A query without a match must never return the whole stock, even if the upstream ignores the query.
func TestUnmatchedQueryReturnsNoStock(t *testing.T) {
	t.Parallel()
	for ignored, note := range map[bool]NoteCode{false: "", true: SearchNotApplied} {
		s := openShop(t, sandbox.Config{Seed: 5, Switches: sandbox.Switches{SearchIgnored: ignored}})
		got, result := ask[stockResult](s, "stock", `{"query": "синхрофазотрон"}`)
		if got.Matched || len(got.Rows) > 0 || got.Totals != nil {
			t.Errorf("ignored %v: matched %v, %d rows, totals %+v; want no match and no totals of 0 units", ignored, got.Matched, len(got.Rows), got.Totals)
		}
		if note != "" {
			result.mustNote(t, note)
		}
	}
}

// Archived goods with stock are listed and marked: in the list of all goods, in their warehouse, and when searched by
// code or name.
func TestArchivedGoodsAreInStock(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 2})
	whole, result := ask[stockResult](s, "stock", `{"limit": 1000}`)
	result.mustNote(t, ArchivedIncluded)
	var archived *stockRow
	for i, row := range whole.Rows {
		if row.Archived != s.Books().Item(row.ProductID).Archived {
			t.Errorf("%s: archived %v", row.Name, row.Archived)
		}
		if row.Archived && archived == nil {
			archived = &whole.Rows[i]
		}
	}
	if archived == nil || whole.Totals.ArchivedPositions == 0 || whole.Totals.ArchivedMoney == nil {
		t.Fatalf("no archived goods in stock: %+v", whole.Totals)
	}
	for _, arguments := range []map[string]any{{"query": archived.Code}, {"query": archived.Name, "warehouse": *archived.Warehouse}} {
		got, _ := ask[stockResult](s, "stock", marshal(t, arguments))
		if !got.Matched || len(got.Rows) == 0 || got.Rows[0].ProductID != archived.ProductID || !got.Rows[0].Archived ||
			text(got.Rows[0].Money) != text(archived.Money) {
			t.Errorf("%v: %+v, want %+v", arguments, got.Rows, *archived)
		}
	}
}

// A product that has never moved is listed with 0 units in the requested warehouse.
func TestQueriedProductWithoutMovementIsListedWithZero(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 6, WithoutAttacks: true})
	b := s.Books()
	for _, item := range b.Assortment {
		if item.Stocked() && len(item.Variants) == 0 && len(b.Holdings(item)) == 0 && !item.Archived {
			got, _ := ask[stockResult](s, "stock", marshal(t, map[string]any{"query": item.Barcodes[0].Value, "warehouse": b.Stores[0].Name}))
			if len(got.Rows) != 1 || got.Rows[0].Units.String() != "0" || *got.Rows[0].Warehouse != b.Stores[0].Name || got.Rows[0].UnitCost != nil {
				t.Errorf("%s: %+v", item.Name, got.Rows)
			}
			return
		}
	}
	t.Fatal("the books have no item that has never moved")
}

func TestUnknownWarehouseErrorListsWarehouses(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	_, err := s.call("stock", `{"warehouse": "Луна"}`)
	var wrong *check.InvalidError
	if !errors.As(err, &wrong) || len(wrong.Choices()) == 0 || !strings.Contains(wrong.Error(), "Луна") ||
		!strings.Contains(wrong.Error(), s.Books().Stores[0].Name) {
		t.Errorf("error %v", err)
	}
}

// stockedProduct returns a product without variants that is in stock in some warehouse.
func stockedProduct(b *sandbox.Books) *sandbox.Item {
	for _, item := range b.Assortment {
		if holdings := b.Holdings(item); item.Stocked() && item.Parent == nil && len(holdings) > 1 && holdings[0].Stock > 0 &&
			holdings[0].Store != nil {
			return item
		}
	}
	return nil
}

// No request may be longer than the upstream accepts, even if it is for many goods.
func TestFilterOfManyGoodsIsSplit(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Products: 300}, func(t *testing.T, s *shop) {
		var goods []goodRef
		for _, item := range s.Books().Assortment {
			if item.Stocked() && len(item.Variants) == 0 && !item.Archived && len(goods) < MaxIDsPerFilter {
				goods = append(goods, goodRef{item.ID, string(item.Kind), false})
			}
		}
		call := &Run{Account: s.account}
		balances, err := call.balances(t.Context())
		must(t, err)
		costs, err := call.readWarehouseCosts(t.Context(), balances, nil, goods)
		must(t, err)
		for _, good := range goods {
			if _, _, named := costs.name(good.id); !named && len(balances.warehousesHolding([]goodRef{good})) > 0 {
				t.Errorf("%s has no costs", good.id)
			}
		}
	})
}

// neverMoved returns a product that has never moved.
func neverMoved(books *sandbox.Books) *sandbox.Item {
	return books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool {
		return i.Kind == "product" && len(i.Variants) == 0 && !i.Archived && len(books.Holdings(i)) == 0
	})]
}

// An archived product has a surplus in one warehouse and an equal shortage in another. It must be listed in both.
func TestArchivedGoodsAreCountedPerWarehouse(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 60})
	books := s.Books()
	item := neverMoved(books)
	for n, kind := range []string{"enter", "loss"} {
		post(t, s, "/entity/"+kind, fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":5,"assortment":%s}]}`,
			linkTo("organization", books.Organizations[0].ID), linkTo("store", books.Stores[n].ID), linkTo("product", item.ID)))
	}
	post(t, s, "/entity/product", fmt.Sprintf(`[{"id":%q,"archived":true}]`, item.ID))
	want := map[string]string{books.Stores[0].ID: "5", books.Stores[1].ID: "-5"}
	for _, arguments := range []map[string]any{{"query": item.Name}, {"query": item.Code}, {"limit": 1000}} {
		got, _ := ask[stockResult](s, "stock", marshal(t, arguments))
		units := map[string]string{}
		for _, row := range got.Rows {
			if row.ProductID == item.ID && row.Archived {
				units[*row.WarehouseID] = row.Units.String()
			}
		}
		if !maps.Equal(units, want) {
			t.Errorf("%v: units by warehouse %v, want %v", arguments, units, want)
		}
	}
}

// A query can match more products with variants than fit into one filter.
func TestVariantsOfHundredsOfProductsAreFound(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 1, Products: 40}, func(t *testing.T, s *shop) {
		var found searchResult
		for range 200 {
			found.rows = append(found.rows, moysklad.Product{ID: uuid.NewString(), Meta: moysklad.Meta{Type: "product"}, VariantsCount: 1})
		}
		variants := 0
		for _, item := range s.Books().Assortment {
			if len(item.Variants) > 0 {
				variants += len(item.Variants)
				found.rows = append(found.rows, moysklad.Product{ID: item.ID, Meta: moysklad.Meta{Type: "product"}, VariantsCount: len(item.Variants)})
			}
		}
		var archived searchResult
		goods, err := (&Run{Account: s.account}).stockedGoods(t.Context(), found, &archived, &stockResult{})
		must(t, err)
		if got := len(goods) + len(archived.rows) - len(found.rows); got != variants || variants == 0 {
			t.Errorf("%d variants were found, want %d", got, variants)
		}
	})
}
