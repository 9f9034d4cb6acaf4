package tools

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// warehouseCosts has the names of goods and, for each warehouse with stock of a good, the cost of a unit there. It does
// not use the report's average over all warehouses: costs differ between warehouses, and negative stock in one
// warehouse distorts the average for the others. If the role does not see cost, warehouseCosts has purchase prices
// instead.
type warehouseCosts struct {
	byID     map[string]*goodCosts
	stores   []string       // warehouse ids, sorted
	archived *archivedStock // set only if the costs of all goods were read
	average  *averageCosts  // set instead of the other fields if the role does not see cost
}

type goodCosts struct {
	name, code  string
	byWarehouse []warehouseCost
}

// warehouseCost is the average cost of a unit in one warehouse. store is an index into the sorted warehouses.
type warehouseCost struct {
	store int
	unit  compactDecimal
}

func (w *warehouseCosts) bytes() int {
	bytes := len(w.byID) * 240
	for _, good := range w.byID {
		bytes += cap(good.byWarehouse) * 32
	}
	return bytes + w.archived.bytes()
}

// allWarehouseCosts is the name in the cache of the costs of all goods in all warehouses.
const allWarehouseCosts = "worth of everything"

// readWarehouseCosts reads costs: in one warehouse, or in all if nil is given; of some goods, or of all if goods is nil.
func (run *Run) readWarehouseCosts(
	ctx context.Context, balances *stockBalances, only *moysklad.Store, goods []goodRef,
) (*warehouseCosts, error) {
	if !run.Rights.Cost {
		prices, err := run.readAverageCosts(ctx, nil)
		return &warehouseCosts{average: prices}, err
	}
	if len(goods) > MaxIDsPerFilter {
		goods = nil
	}
	if run.Cache.has(allWarehouseCosts, maxFigureAge) {
		only, goods = nil, nil
	}
	if goods == nil {
		return run.readAllWarehouseCosts(ctx, only)
	}
	stores := balances.warehousesHolding(goods)
	if only != nil {
		stores = slices.DeleteFunc(stores, func(id string) bool { return id != only.ID })
	}
	name := "worth at " + strings.Join(stores, " ") + " of " + strings.Join(convert(goods, goodID), " ")
	return readCached(ctx, run, name, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*warehouseCosts, error) {
		return readWarehouseCosts(ctx, up, stores, goods)
	})
}

// warehousesHolding returns the sorted ids of the warehouses with stock of one of the goods, or with any stock if goods
// is nil.
func (b *stockBalances) warehousesHolding(goods []goodRef) []string {
	ids := b.units.Products()
	if goods != nil {
		ids = slices.Values(convert(goods, goodID))
	}
	held := map[string]bool{}
	for id := range ids {
		for row := range b.units.Of(id) {
			if row.Value.Sign() > 0 {
				held[row.StoreID] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(held))
}

// readWarehouseCosts makes one call for each warehouse and fifty goods.
func readWarehouseCosts(ctx context.Context, up *moysklad.Client, stores []string, goods []goodRef) (*warehouseCosts, error) {
	w := &warehouseCosts{byID: map[string]*goodCosts{}, stores: stores}
	var mu sync.Mutex
	group, ctx := caught.WithContext(ctx)
	for i, store := range stores {
		filter := moysklad.Filter{}.Is("store", moysklad.Href("store", store)).Is("stockMode", "positiveOnly")
		for _, narrowed := range filtersByKind(filter, goods) {
			group.Go(func() error {
				for row, err := range up.StockAll(ctx, moysklad.Query{Filter: narrowed, Order: "name"}) {
					if err != nil {
						return err
					}
					mu.Lock()
					w.add(i, row.Meta.ID(), row.Name, row.Code, row.Cost)
					mu.Unlock()
				}
				return nil
			})
		}
	}
	return w, group.Wait()
}

// maxLinksPerFilter limits the length of a filter: a link takes 125 bytes, and the upstream accepts at most 8 KB for
// all headers.
const maxLinksPerFilter = 50

// filtersByKind restricts a filter to some goods. Products and variants get separate filters, because conditions on
// different fields must all hold.
func filtersByKind(filter moysklad.Filter, goods []goodRef) []moysklad.Filter {
	var filters []moysklad.Filter
	for _, kind := range []string{"product", "variant"} {
		var links []string
		for _, good := range goods {
			if good.kind == kind {
				links = append(links, moysklad.Href(kind, good.id))
			}
		}
		for chunk := range slices.Chunk(links, maxLinksPerFilter) {
			filters = append(filters, filter.Is(kind, chunk...))
		}
	}
	return filters
}

func (w *warehouseCosts) add(store int, id, name, code string, cost *moysklad.Kopecks) {
	good := entryOf(w.byID, id)
	good.name, good.code = name, code
	if cost := knownCost(cost); cost != nil {
		good.byWarehouse = append(good.byWarehouse, warehouseCost{store, compactOf(cost.Decimal)})
	}
}

// knownCost returns nil for 0, because the upstream sends 0 for an unknown cost.
func knownCost(cost *moysklad.Kopecks) *moysklad.Kopecks {
	if cost == nil || !cost.IsPositive() {
		return nil
	}
	return cost
}

// cost returns the cost of a unit in a warehouse, and its basis. Both are nil if the cost is unknown or the warehouse
// has no stock of the good.
func (w *warehouseCosts) cost(id, storeID string) (*moysklad.Kopecks, *costBasis) {
	if w.average != nil {
		return w.average.cost(id)
	}
	good := w.byID[id]
	if good == nil {
		return nil, nil
	}
	store, held := slices.BinarySearch(w.stores, storeID)
	i := slices.IndexFunc(good.byWarehouse, func(c warehouseCost) bool { return c.store == store })
	if !held || i < 0 {
		return nil, nil
	}
	return &moysklad.Kopecks{Decimal: good.byWarehouse[i].unit.decimal()}, new(fifoCost)
}

// name returns the name and code of a good. ok is false if no warehouse has stock of the good.
func (w *warehouseCosts) name(id string) (name, code string, ok bool) {
	if w.average != nil {
		return w.average.name(id)
	}
	good := w.byID[id]
	if good == nil {
		return "", "", false
	}
	return good.name, good.code, true
}

// prices returns the purchase prices. It has none if the role sees cost.
func (w *warehouseCosts) prices() *averageCosts {
	if w.average == nil {
		return &averageCosts{}
	}
	return w.average
}
