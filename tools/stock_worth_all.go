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
func (c *Call) worthOfAll(ctx context.Context, only *moysklad.Store) (*worth, error) {
	what := everythingsWorth
	if only != nil {
		what += " at " + only.ID
	}
	return readCached(ctx, c, what, FreshFigures, func(ctx context.Context, up *moysklad.Client) (*worth, error) {
		short := &Call{Account: c.Account}
		balances, err := short.Balances(ctx)
		if err != nil {
			return nil, err
		}
		stores, err := c.Stores(ctx)
		if err != nil {
			return nil, err
		}
		reading := newWorthReading(balances, stores, only)
		if err := reading.read(ctx, up); err != nil || len(reading.archived.whole) == 0 {
			return reading.worth, err
		}
		changes, err := lyingSince(ctx, up, short.asOf)
		if err != nil {
			return nil, err
		}
		reading.takeIn(changes)
		return reading.worth, nil
	})
}

// lyingSince reads what lies there now of all that has changed since then.
func lyingSince(ctx context.Context, up *moysklad.Client, then time.Time) (*moysklad.CurrentStock, error) {
	changes, err := readCurrent(ctx, up, moysklad.PhysicalStock, changedSince(then))
	if errors.Is(err, moysklad.ErrRejected) {
		return readCurrent(ctx, up, moysklad.PhysicalStock, moysklad.Query{})
	}
	return changes, err
}

// worthReading sorts rows while they stream in from several lists.
type worthReading struct {
	mu       sync.Mutex
	balances *Balances
	*worth
}

// newWorthReading is of one warehouse or, for nil, of those that are known and those where something lies.
func newWorthReading(balances *Balances, known []moysklad.Store, only *moysklad.Store) *worthReading {
	stores := balances.holding(nil)
	if only != nil {
		stores, known = nil, []moysklad.Store{*only}
	}
	for _, store := range known {
		stores = append(stores, store.ID)
	}
	slices.Sort(stores)
	r := &worthReading{balances: balances, worth: &worth{
		byID:     map[string]*placedGood{},
		stores:   slices.Compact(stores),
		archived: &archivedStock{whole: archivedCards{}, in: map[string]archivedCards{}},
	}}
	for _, id := range r.stores {
		r.archived.in[id] = archivedCards{}
	}
	return r
}

func (r *worthReading) read(ctx context.Context, up *moysklad.Client) error {
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
				r.take(i, row)
			}
			return nil
		})
	}
	return group.Wait()
}

// take puts a row where it belongs as far as the short reports tell.
func (r *worthReading) take(store int, row moysklad.StockRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	id := row.Meta.ID()
	if r.byID[id] == nil && !r.balances.show(id) {
		card := newArchivedCard(row)
		id = strings.Clone(id) // without the link that it is a part of
		r.archived.whole[id], r.archived.in[r.stores[store]][id] = card, card
		return
	}
	cost := row.Cost
	if !row.Stock.IsPositive() {
		cost = nil
	}
	r.add(store, id, row.Name, row.Code, cost)
}

// takeIn puts back what is not archived: it has come in since the short reports were read.
func (r *worthReading) takeIn(changes *moysklad.CurrentStock) {
	for id := range r.archived.whole {
		if !shows(changes, id) {
			continue
		}
		delete(r.archived.whole, id)
		for i, store := range r.stores {
			if card, here := r.archived.in[store][id]; here {
				delete(r.archived.in[store], id)
				r.add(i, id, card.Name, card.Code, card.UnitCost())
			}
		}
	}
}

// show reports whether something is known of a product, or being counted, in some warehouse: nothing is of archived ones.
func (b *Balances) show(id string) bool {
	return shows(b.units, id) || shows(b.reserved, id) || shows(b.inTransit, id)
}

func shows(report *moysklad.CurrentStock, id string) bool {
	for row := range report.Of(id) {
		if row.Recalculating || row.Count.Sign() != 0 {
			return true
		}
	}
	return false
}
