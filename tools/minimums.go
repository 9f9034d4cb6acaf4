package tools

import (
	"context"
	"iter"
	"slices"
	"sync"
	"unique"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// Minimum is a good's threshold: for the sum over all warehouses, the same for each warehouse, or one for each of
// some warehouses. The zero value means "not set", which is not a threshold of 0.
type Minimum struct {
	shape    string         // one of moysklad's types; empty: not set
	quantity compactDecimal // of the first two shapes
	byStore  []storeMinimum
}

type storeMinimum struct {
	store    unique.Handle[string] // warehouse id, stored once for all goods
	quantity compactDecimal
}

// IsSet reports whether there is any threshold.
func (m Minimum) IsSet() bool {
	return m.shape == moysklad.MinimumSum || m.shape == moysklad.MinimumSame || len(m.byStore) > 0
}

// Sum returns the threshold for the sum over all warehouses, and whether there is one.
func (m Minimum) Sum() (decimal.Decimal, bool) {
	return m.quantity.decimal(), m.shape == moysklad.MinimumSum
}

// At returns the threshold of one warehouse, and whether there is one. A threshold for the sum does not count.
func (m Minimum) At(storeID string) (decimal.Decimal, bool) {
	if m.shape == moysklad.MinimumSame {
		return m.quantity.decimal(), true
	}
	for _, one := range m.byStore {
		if one.store.Value() == storeID {
			return one.quantity.decimal(), true
		}
	}
	return decimal.Decimal{}, false
}

// Minimums holds the thresholds of all goods. It resolves those that variants inherit.
type Minimums struct {
	goods    *Goods
	expanded map[string]*cardMinimum // by id: thresholds missing from the list of cards
}

// cardMinimum is the threshold on a card, before inheritance.
type cardMinimum struct {
	Minimum
	inherited bool // a variant that uses its product's threshold
}

// Of returns the good's threshold.
func (m *Minimums) Of(good *Good) Minimum {
	minimum := m.onCard(good)
	if good.ParentID != "" && (minimum == nil || minimum.inherited) {
		parent := m.goods.Get(good.ParentID)
		if parent == nil {
			return Minimum{}
		}
		minimum = m.onCard(parent)
	}
	if minimum == nil {
		return Minimum{}
	}
	return minimum.Minimum
}

func (m *Minimums) onCard(good *Good) *cardMinimum {
	if minimum, expanded := m.expanded[good.ID]; expanded {
		return minimum
	}
	return good.minimum
}

func (m *Minimums) bytes() int {
	bytes := len(m.expanded) * 200
	for _, one := range m.expanded {
		bytes += len(one.byStore) * 32
	}
	return bytes
}

// Minimums reads the thresholds. Thresholds per warehouse need an expanded list, a hundred goods a call, which is
// read only for goods that have them. The documentation does not say whether lists of a thousand include thresholds:
// if no card has one, the cards are read again by the hundred.
func (c *Call) Minimums(ctx context.Context, goods *Goods) (*Minimums, error) {
	return readCached(ctx, c, "minimums", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*Minimums, error) {
		reader := minimumReader{up: up, expanded: map[string]*cardMinimum{}}
		group, ctx := caught.WithContext(ctx)
		group.SetLimit(maxConcurrentReports)
		for kind, filter := range goods.unreadMinimums() {
			group.Go(func() error { return reader.readExpanded(ctx, kind, filter) })
		}
		err := group.Wait()
		return &Minimums{goods: goods, expanded: reader.expanded}, err
	})
}

// unreadMinimums yields filters, by kind, for the goods whose thresholds are missing or incomplete.
func (g *Goods) unreadMinimums() iter.Seq2[string, moysklad.Filter] {
	return func(yield func(string, moysklad.Filter) bool) {
		if !g.minimumsListed {
			_ = yield("product", nil) && yield("variant", nil)
			return
		}
		for kind, ids := range g.idsWithWarehouseMinimums() {
			for chunk := range slices.Chunk(ids, maxIDsPerFilter) {
				if !yield(kind, anyOf("id", chunk)) {
					return
				}
			}
		}
	}
}

// idsWithWarehouseMinimums returns the ids, by kind, of goods with thresholds per warehouse that are not read yet.
func (g *Goods) idsWithWarehouseMinimums() map[string][]string {
	ids := map[string][]string{}
	for _, good := range g.cards {
		if m := good.minimum; m != nil && m.shape == moysklad.MinimumVaried && !m.inherited {
			ids[good.Kind()] = append(ids[good.Kind()], good.ID)
		}
	}
	return ids
}

// minimumReader collects thresholds from lists that are read concurrently.
type minimumReader struct {
	up *moysklad.Client

	mu       sync.Mutex
	expanded map[string]*cardMinimum
}

// readExpanded reads cards by the hundred with thresholds per warehouse.
func (r *minimumReader) readExpanded(ctx context.Context, kind string, filter moysklad.Filter) error {
	query := moysklad.Query{
		Filter: filter, Order: "id",
		Fields: "minimumStock", Expand: []string{"minimumStock.storebalances"},
	}
	rows := r.up.Products
	if kind == "variant" {
		rows = r.up.Variants
	}
	for row, err := range rows(ctx, query) {
		if err != nil {
			return err
		}
		if row.MinimumStock != nil {
			minimum := newCardMinimum(row.MinimumStock)
			r.mu.Lock()
			r.expanded[row.ID] = minimum
			r.mu.Unlock()
		}
	}
	return nil
}

// newCardMinimum treats a threshold without quantities as "not set". An explicit 0 is a threshold: only negative
// stock is below it.
func newCardMinimum(from *moysklad.MinimumStock) *cardMinimum {
	result := &cardMinimum{inherited: from.Inherited}
	switch from.Type {
	case moysklad.MinimumSum, moysklad.MinimumSame:
		if from.Quantity != nil {
			result.shape, result.quantity = from.Type, compactOf(from.Quantity.Decimal)
		}
	case moysklad.MinimumVaried:
		result.shape = from.Type
		if from.StoreBalances == nil {
			break
		}
		result.byStore = make([]storeMinimum, len(from.StoreBalances.Rows))
		for i, row := range from.StoreBalances.Rows {
			result.byStore[i] = storeMinimum{unique.Make(row.Store.Meta.ID()), compactOf(row.Quantity.Decimal)}
		}
	}
	return result
}
