package tools

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// worthOfAll reads what all goods cost in one warehouse or, for nil, in all, and what lies there of archived ones: a heavy call
// for each thousand goods in a warehouse. These lists do not say what is archived, but the short reports leave it out. Where
// there is such, one light call tells it from what has come in since they were read.
func (c *Call) readAllWarehouseCosts(ctx context.Context, only *moysklad.Store) (*warehouseCosts, error) {
	what := allWarehouseCosts
	if only != nil {
		what += " at " + only.ID
	}
	return readCached(ctx, c, what, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*warehouseCosts, error) {
		short := &Call{Account: c.Account}
		balances, err := short.Balances(ctx)
		if err != nil {
			return nil, err
		}
		stores, err := c.Stores(ctx)
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

// lyingSince reads what lies there now of all that has changed since then.
func physicalChangesSince(ctx context.Context, up *moysklad.Client, then time.Time) (*moysklad.CurrentStock, error) {
	changes, err := readCurrent(ctx, up, moysklad.PhysicalStock, changedSince(then))
	if errors.Is(err, moysklad.ErrRejected) {
		return readCurrent(ctx, up, moysklad.PhysicalStock, moysklad.Query{})
	}
	return changes, err
}

// worthReading sorts rows while they stream in from several lists.
type warehouseCostReader struct {
	mu       sync.Mutex
	balances *Balances
	*warehouseCosts
}

// newWorthReading is of one warehouse or, for nil, of those that are known and those where something lies.
func newWarehouseCostReader(balances *Balances, known []moysklad.Store, only *moysklad.Store) *warehouseCostReader {
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
			filter := moysklad.Filter{}.Is(
				"store", moysklad.Href("store", store),
			).Is(
				"archived", "true",
			).Is(
				"archived", "false",
			).Is(
				"stockMode", "nonEmpty",
			)
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

// take puts a row where it belongs as far as the short reports tell.
func (r *warehouseCostReader) addRow(store int, row moysklad.StockRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := row.Meta.ID()
	if r.byID[id] == nil && !r.balances.hasFigure(id) {
		card := newArchivedCard(row)
		id = strings.Clone(id) // without the link that it is a part of
		r.archived.total[id], r.archived.byWarehouse[r.stores[store]][id] = card, card
		return
	}
	cost := row.Cost
	if !row.Stock.IsPositive() {
		cost = nil
	}
	r.add(store, id, row.Name, row.Code, cost)
}

// takeIn puts back what is not archived: it has come in since the short reports were read.
func (r *warehouseCostReader) removeArrived(changes *moysklad.CurrentStock) {
	for id := range r.archived.total {
		if !hasFigure(changes, id) {
			continue
		}
		delete(r.archived.total, id)
		for i, store := range r.stores {
			if card, here := r.archived.byWarehouse[store][id]; here {
				delete(r.archived.byWarehouse[store], id)
				r.add(i, id, card.Name, card.Code, card.UnitCost())
			}
		}
	}
}

// show reports whether something is known of a product, or being counted, in some warehouse: nothing is of archived ones.
func (b *Balances) hasFigure(id string) bool {
	return hasFigure(b.units, id) || hasFigure(b.reserved, id) || hasFigure(b.inTransit, id)
}

func hasFigure(report *moysklad.CurrentStock, id string) bool {
	for row := range report.Of(id) {
		if row.Recalculating || row.Count.Sign() != 0 {
			return true
		}
	}
	return false
}
