package tools

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// readAllWarehouseCosts reads the costs of all goods, and the stock of archived goods, in one warehouse, or in all if
// nil is given. It makes one heavy call for each thousand goods in a warehouse. The lists do not mark archived goods.
// But the short reports omit archived goods, so a good that only the lists have is either archived or was received
// after the short reports were read. If there are such goods, one light call tells which of the two applies.
func (run *Run) readAllWarehouseCosts(ctx context.Context, only *moysklad.Store) (*warehouseCosts, error) {
	name := cacheNameAt(allWarehouseCosts, only)
	return readCached(ctx, run, name, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*warehouseCosts, error) {
		short := &Run{Account: run.Account}
		balances, err := short.balances(ctx)
		if err != nil {
			return nil, err
		}
		stores, err := run.allStores(ctx) // an archived warehouse may have only archived goods
		if err != nil {
			return nil, err
		}
		reader := newWarehouseCostReader(balances, stores, only)
		if err := reader.read(ctx, up); err != nil || len(reader.archived.total) == 0 {
			return reader.warehouseCosts, err
		}
		changes, err := physicalChangesSince(ctx, up, short.asOf)
		if err != nil {
			return nil, err
		}
		reader.removeArrived(changes)
		return reader.warehouseCosts, nil
	})
}

// physicalChangesSince reads the current physical stock of the goods whose stock has changed since the given time.
func physicalChangesSince(ctx context.Context, up *moysklad.Client, then time.Time) (*moysklad.CurrentStock, error) {
	changes, err := readCurrent(ctx, up, moysklad.PhysicalStock, changedSince(then))
	if errors.Is(err, moysklad.ErrRejected) {
		return readCurrent(ctx, up, moysklad.PhysicalStock, moysklad.Query{})
	}
	return changes, err
}

// warehouseCostReader collects rows from lists that are read concurrently.
type warehouseCostReader struct {
	mu       sync.Mutex
	balances *stockBalances
	*warehouseCosts
}

// newWarehouseCostReader returns a reader of one warehouse. If nil is given, it reads the known warehouses and all
// others with stock.
func newWarehouseCostReader(balances *stockBalances, known []moysklad.Store, only *moysklad.Store) *warehouseCostReader {
	stores := balances.warehousesHolding(nil)
	if only != nil {
		stores, known = nil, []moysklad.Store{*only}
	}
	for _, store := range known {
		stores = append(stores, store.ID)
	}
	slices.Sort(stores)
	r := &warehouseCostReader{balances: balances, warehouseCosts: &warehouseCosts{
		byID:     map[string]*goodCosts{},
		stores:   slices.Compact(stores),
		archived: &archivedStock{total: archivedCards{}, byWarehouse: map[string]archivedCards{}},
	}}
	for _, id := range r.stores {
		r.archived.byWarehouse[id] = archivedCards{}
	}
	return r
}

func (r *warehouseCostReader) read(ctx context.Context, up *moysklad.Client) error {
	group, ctx := caught.WithContext(ctx)
	for i, store := range r.stores {
		group.Go(func() error {
			filter := moysklad.Filter{}.Is("store", moysklad.Href("store", store)).WithArchived().Is("stockMode", "nonEmpty")
			for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
				if err != nil {
					return err
				}
				r.addRow(i, row)
			}
			return nil
		})
	}
	return group.Wait()
}

// addRow adds a row to the costs. If the short reports do not have its good, it adds the row to the archived goods
// instead.
func (r *warehouseCostReader) addRow(store int, row moysklad.StockRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := row.Meta.ID()
	if r.byID[id] == nil && !r.balances.hasFigures(id) {
		card := newArchivedCard(row)
		r.archived.total[id], r.archived.byWarehouse[r.stores[store]][id] = card, card
		return
	}
	cost := row.Cost
	if !row.Stock.IsPositive() {
		cost = nil
	}
	r.add(store, id, row.Name, row.Code, cost)
}

// removeArrived moves goods that were received after the short reports were read from the archived goods to the costs.
func (r *warehouseCostReader) removeArrived(changes *moysklad.CurrentStock) {
	for id := range r.archived.total {
		if !hasFigures(changes, id) {
			continue
		}
		delete(r.archived.total, id)
		for i, store := range r.stores {
			if card, found := r.archived.byWarehouse[store][id]; found {
				delete(r.archived.byWarehouse[store], id)
				r.add(i, id, card.Name, card.Code, card.UnitCost())
			}
		}
	}
}

// hasFigures reports whether, in some warehouse, a figure of the product is not 0 or is being recalculated. Archived
// products have no figures in the short reports.
func (b *stockBalances) hasFigures(id string) bool {
	return hasFigures(b.units, id) || hasFigures(b.reserved, id) || hasFigures(b.inTransit, id)
}

func hasFigures(report *moysklad.CurrentStock, id string) bool {
	for row := range report.Of(id) {
		if row.Recalculating || row.Value.Sign() != 0 {
			return true
		}
	}
	return false
}
