package tools

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// What lies where and what it cost follows from the generator's documents, to the kopeck, at every warehouse.
func TestStockMatchesBooks(t *testing.T) {
	eachSeed(t, sandbox.Config{}, func(t *testing.T, s *shop) {
		got, result := ask[stockResult](s, "stock", `{"limit": 1000}`)
		want := stockOf(s.Books())
		if len(got.Warehouses) != len(want) {
			t.Errorf("%d warehouses, want %d", len(got.Warehouses), len(want))
		}
		var all bookStock
		for _, w := range got.Warehouses {
			expect := want[w.Name]
			if expect == nil {
				t.Fatalf("warehouse %q holds nothing", w.Name)
			}
			if w.Positions != expect.positions || w.Units.String() != expect.units.Quantity().String() || text(w.Money) != amountOf(expect.cost) ||
				w.PositionsWithoutCost != expect.withoutCost || w.NegativePositions != expect.negative {
				t.Errorf("%s: %+v\nwant %+v", w.Name, w, *expect)
			}
			all.cost += expect.cost
			all.negative += expect.negative
		}
		if text(got.Totals.Money) != amountOf(all.cost) {
			t.Errorf("money %s, want %s", text(got.Totals.Money), amountOf(all.cost))
		}
		if all.negative > 0 {
			result.mustNote(t, NegativeStock)
		}
		result.mustNote(t, CostUnknown)
		checkStockRows(t, s.Books(), got)
	})
}

// checkStockRows holds every listed row against its holding.
func checkStockRows(t *testing.T, b *sandbox.Books, got stockResult) {
	t.Helper()
	for _, row := range got.Rows {
		var store *sandbox.Store
		if row.Warehouse != nil {
			store = b.Store(*row.Warehouse)
		}
		item := b.Item(row.ProductID)
		h := b.Holding(item, store)
		if row.Name != item.Name || row.Units.String() != h.Stock.Quantity().String() || row.Reserved.String() != h.Reserve.Quantity().String() ||
			row.InTransit.String() != h.InTransit.Quantity().String() || row.Available.String() != h.Available().Quantity().String() {
			t.Errorf("%+v\nwant %+v", row, h)
		}
		if want := h.Cost(); want != 0 && h.Stock > 0 && text(row.Money) != amountOf(want) {
			t.Errorf("%s: money %s, want %s", row.Name, text(row.Money), amountOf(want))
		}
		if known := h.Cost() != 0 && h.Stock > 0; known != (row.UnitCost != nil) || known != (row.CostBasis != nil) {
			t.Errorf("%s: unit cost %v by %v of a holding that cost %s", row.Name, text(row.UnitCost), row.CostBasis, amountOf(h.Cost()))
		}
	}
}

// One product at one warehouse is found by any of its names, with what is reserved and expected there, and nothing else
// is taken for it.
func TestStockOfOneProductAtOneWarehouse(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 4, Tame: true})
	item := stockedProduct(s.Books())
	store := s.Books().Holdings(item)[0].Store
	for _, query := range []string{item.Code, item.Barcodes[0].Value, item.Name} {
		arguments := marshal(t, map[string]any{"query": query, "warehouse": store.Name})
		got, _ := ask[stockResult](s, "stock", arguments)
		checkStockRows(t, s.Books(), got)
		found := false
		for _, row := range got.Rows {
			found = found || row.ProductID == item.ID
			if row.Warehouse == nil || *row.Warehouse != store.Name {
				t.Errorf("%s: a row of warehouse %v", query, row.WarehouseID)
			}
		}
		if !found || !got.Matched {
			t.Errorf("%s: %s is not among %d rows", query, item.Name, len(got.Rows))
		}
	}
}

// A query that nothing contains never becomes the whole stock, whether the upstream searched or ignored the search.
func TestUnmatchedQueryReturnsNoStock(t *testing.T) {
	t.Parallel()
	for ignored, note := range map[bool]NoteCode{false: "", true: SearchNotApplied} {
		s := openShop(t, sandbox.Config{Seed: 5, Switches: sandbox.Switches{SearchIgnored: ignored}})
		got, result := ask[stockResult](s, "stock", `{"query": "синхрофазотрон"}`)
		if got.Matched || len(got.Rows) > 0 || got.Totals != nil {
			t.Errorf("ignored %v: matched %v, %d rows, totals %+v: not found is not 0 units", ignored, got.Matched, len(got.Rows), got.Totals)
		}
		if note != "" {
			result.mustNote(t, note)
		}
	}
}

// Archived goods that still lie somewhere are in the stock and marked, in the whole as at their warehouse and by their own
// name, with their amount.
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
		t.Fatalf("no archived goods in the stock: %+v", whole.Totals)
	}
	for _, arguments := range []map[string]any{{"query": archived.Code}, {"query": archived.Name, "warehouse": *archived.Warehouse}} {
		got, _ := ask[stockResult](s, "stock", marshal(t, arguments))
		if !got.Matched || len(got.Rows) == 0 || got.Rows[0].ProductID != archived.ProductID || !got.Rows[0].Archived || text(got.Rows[0].Money) != text(archived.Money) {
			t.Errorf("%v: %+v, want %+v", arguments, got.Rows, *archived)
		}
	}
}

// A product that never moved is listed with 0 units when asked for, at the warehouse that was asked for.
func TestQueriedProductWithoutMovementIsListedWithZero(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 6, Tame: true})
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
	t.Fatal("the generator made no item that never moved")
}

// Without the right to see cost, purchase prices stand in and it is said; without these nothing does, and it is not 0.
func TestStockWithoutCostRight(t *testing.T) {
	t.Parallel()
	for _, shown := range []bool{true, false} {
		for _, zero := range []bool{true, false} {
			s := openShop(t, sandbox.Config{Seed: 7, Role: sandbox.NoCost, Switches: sandbox.Switches{BuyPriceShown: shown, HiddenCostZero: zero}})
			got, result := ask[stockResult](s, "stock", `{"limit": 1000}`)
			priced := 0
			for _, row := range got.Rows {
				if row.UnitCost == nil {
					continue
				}
				priced++
				item := s.Books().Item(row.ProductID).Origin()
				if !item.BuyCurrency.Default {
					continue
				}
				if want := amountOf(item.BuyPrice); text(row.UnitCost) != want || *row.CostBasis != PurchasePrice {
					t.Errorf("%s: %s by %s, want %s", row.Name, text(row.UnitCost), *row.CostBasis, want)
				}
			}
			if shown {
				result.mustNote(t, PurchasePriceBasis)
			} else {
				result.mustNote(t, CostUnknown)
				result.mustNotNote(t, PurchasePriceBasis)
			}
			if shown != (priced > 0) || shown != (got.Totals.Money != nil) {
				t.Errorf("prices shown: %v; %d rows have a cost, money is %s", shown, priced, text(got.Totals.Money))
			}
		}
	}
}

// What the upstream is recalculating is unknown: said, and in no sum.
func TestStockLeavesOutRecalculatedGoods(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 8, Switches: sandbox.Switches{Recalculating: 3}})
	got, result := ask[stockResult](s, "stock", `{"limit": 1000}`)
	result.mustNote(t, StockRecalculating)
	checkStockRows(t, s.Books(), got)
}

// Reserves and expectations of orders without a warehouse have a row of their own and count in no warehouse. Nothing lies there,
// which is worth 0 whether or not the cost is known.
func TestOrdersWithoutWarehouseGetTheirOwnRow(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	got, _ := ask[stockResult](s, "stock", `{"limit": 1000}`)
	for _, row := range got.Rows {
		if row.Warehouse == nil {
			if row.Units.String() != "0" || text(row.Money) != "0.00" {
				t.Errorf("%s: %s units worth %s lie nowhere", row.Name, row.Units, text(row.Money))
			}
			return
		}
	}
	t.Error("no row without a warehouse")
}

func TestUnknownWarehouseErrorListsWarehouses(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	_, err := s.call("stock", `{"warehouse": "Луна"}`)
	var wrong *ArgumentError
	if !errors.As(err, &wrong) || len(wrong.Candidates()) == 0 || !strings.Contains(wrong.Error(), "Луна") || !strings.Contains(wrong.Error(), s.Books().Stores[0].Name) {
		t.Errorf("error %v", err)
	}
}

// stocked is a product without variants that lies in a warehouse.
func stockedProduct(b *sandbox.Books) *sandbox.Item {
	for _, item := range b.Assortment {
		if holdings := b.Holdings(item); item.Stocked() && item.Parent == nil && len(holdings) > 1 && holdings[0].Stock > 0 && holdings[0].Store != nil {
			return item
		}
	}
	return nil
}

type bookStock struct {
	positions, withoutCost, negative int
	units                            sandbox.Units
	cost                             sandbox.Amount
}

// stockOf counts the holdings of each warehouse; of archived goods, where something lies.
func stockOf(b *sandbox.Books) map[string]*bookStock {
	stores := map[string]*bookStock{}
	for _, item := range b.Assortment {
		for _, holding := range b.Holdings(item) {
			if holding.Store == nil || holding.Store.Archived || item.Archived && holding.Stock == 0 || (holding.Stock == 0 && holding.Reserve == 0 && holding.InTransit == 0) {
				continue
			}
			store := stores[holding.Store.Name]
			if store == nil {
				store = &bookStock{}
				stores[holding.Store.Name] = store
			}
			store.units += holding.Stock
			if holding.Stock != 0 {
				store.positions++
			}
			switch cost := holding.Cost(); {
			case holding.Stock < 0:
				store.negative++
			case holding.Stock > 0 && cost == 0:
				store.withoutCost++
			case holding.Stock > 0:
				store.cost += cost
			}
		}
	}
	return stores
}

// However many goods are asked for by name, no request is longer than the upstream takes.
func TestFilterOfManyGoodsIsSplit(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Products: 300}, func(t *testing.T, s *shop) {
		var goods []goodRef
		for _, item := range s.Books().Assortment {
			if item.Stocked() && len(item.Variants) == 0 && !item.Archived && len(goods) < maxIDsPerFilter {
				goods = append(goods, goodRef{item.ID, string(item.Kind), false})
			}
		}
		call := &Call{Account: s.account}
		balances, err := call.Balances(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		costs, err := call.readWarehouseCosts(t.Context(), balances, nil, goods)
		if err != nil {
			t.Fatal(err)
		}
		for _, good := range goods {
			if _, _, named := costs.name(good.id); !named && len(balances.warehousesHolding([]goodRef{good})) > 0 {
				t.Errorf("nothing is known of %s", good.id)
			}
		}
	})
}

// untouched is a product that never moved.
func neverMoved(books *sandbox.Books) *sandbox.Item {
	return books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool {
		return i.Kind == "product" && len(i.Variants) == 0 && !i.Archived && len(books.Holdings(i)) == 0
	})]
}

// What was shipped from a warehouse where it did not lie is short there and over elsewhere: both are told, though they add
// up to nothing and the product is archived.
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
			t.Errorf("%v: %v lies there, want %v", arguments, units, want)
		}
	}
}

// A word can mean more products with variants than one filter has room for.
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
		goods, err := (&Call{Account: s.account}).stockedGoods(t.Context(), found, &archived, &stockResult{})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(goods) + len(archived.rows) - len(found.rows); got != variants || variants == 0 {
			t.Errorf("%d variants were found, want %d", got, variants)
		}
	})
}
