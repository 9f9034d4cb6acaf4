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

// minimum is how many units of a good should be in stock. It has one of three shapes: one minimum for the sum of all
// warehouses, the same minimum for each warehouse, or separate minimums for some warehouses. The zero value means "not
// set", which is different from a minimum of 0.
type minimum struct {
	shape    string         // one of moysklad's constants, such as moysklad.MinimumSum; "" means not set
	quantity compactDecimal // for the first two shapes
	byStore  []storeMinimum
}

type storeMinimum struct {
	store    unique.Handle[string] // warehouse id; all goods share one string
	quantity compactDecimal
}

// sum returns the minimum for the sum of all warehouses, and whether there is one.
func (m minimum) sum() (decimal.Decimal, bool) {
	return m.quantity.decimal(), m.shape == moysklad.MinimumSum
}

// at returns the minimum of one warehouse, and whether there is one. A minimum for the sum does not count.
func (m minimum) at(storeID string) (decimal.Decimal, bool) {
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

// minimums has the minimums of all goods. It knows which ones variants inherit from their products.
type minimums struct {
	goods    *Goods
	expanded map[string]*cardMinimum // by good id: minimums that the list of cards did not have
}

// cardMinimum is the minimum on a card, before a variant inherits that of its product.
type cardMinimum struct {
	minimum
	inherited bool // the card is of a variant that uses its product's minimum
}

// of returns the minimum of a good.
func (m *minimums) of(good *Good) minimum {
	card := m.onCard(good)
	if good.ParentID != "" && (card == nil || card.inherited) {
		parent := m.goods.get(good.ParentID)
		if parent == nil {
			return minimum{}
		}
		card = m.onCard(parent)
	}
	if card == nil {
		return minimum{}
	}
	return card.minimum
}

func (m *minimums) onCard(good *Good) *cardMinimum {
	if minimum, expanded := m.expanded[good.ID]; expanded {
		return minimum
	}
	return good.minimum
}

func (m *minimums) bytes() int {
	bytes := len(m.expanded) * 200
	for _, one := range m.expanded {
		bytes += len(one.byStore) * 32
	}
	return bytes
}

// minimums reads the minimums. Separate minimums for warehouses need an expanded list of a hundred goods in one
// call; it is read only for goods that have such minimums. The documentation does not say whether lists of a thousand
// rows include minimums. So if no card has one, the cards are read again, a hundred in one call.
func (run *Run) minimums(ctx context.Context, goods *Goods) (*minimums, error) {
	return readCached(ctx, run, "minimums", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*minimums, error) {
		reader := minimumReader{up: up, expanded: map[string]*cardMinimum{}}
		group, ctx := caught.WithContext(ctx)
		group.SetLimit(maxConcurrentReports)
		for kind, filter := range goods.unreadMinimums() {
			group.Go(func() error { return reader.readExpanded(ctx, kind, filter) })
		}
		err := group.Wait()
		return &minimums{goods: goods, expanded: reader.expanded}, err
	})
}

// unreadMinimums yields kinds of goods and filters for the goods whose minimums are missing or incomplete.
func (g *Goods) unreadMinimums() iter.Seq2[string, moysklad.Filter] {
	return func(yield func(string, moysklad.Filter) bool) {
		if !g.minimumsListed {
			_ = yield("product", nil) && yield("variant", nil)
			return
		}
		for kind, ids := range g.idsWithWarehouseMinimums() {
			for chunk := range slices.Chunk(ids, MaxIDsPerFilter) {
				if !yield(kind, moysklad.Filter{}.Is("id", chunk...)) {
					return
				}
			}
		}
	}
}

// idsWithWarehouseMinimums returns, by kind, the ids of goods with separate minimums for warehouses that have not
// been read yet.
func (g *Goods) idsWithWarehouseMinimums() map[string][]string {
	ids := map[string][]string{}
	for _, good := range g.cards {
		if m := good.minimum; m != nil && m.shape == moysklad.MinimumVaried && !m.inherited {
			ids[good.Kind()] = append(ids[good.Kind()], good.ID)
		}
	}
	return ids
}

// minimumReader collects the minimums from lists that are read concurrently.
type minimumReader struct {
	up *moysklad.Client

	mu       sync.Mutex
	expanded map[string]*cardMinimum
}

// readExpanded reads cards with their separate minimums for warehouses, a hundred in one call.
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

// inheritedMinimum is the minimum of all variants that use their product's.
var inheritedMinimum = &cardMinimum{inherited: true}

// newCardMinimum treats a minimum without quantities as "not set". An explicit 0 is a minimum; only negative stock
// is below it.
func newCardMinimum(from *moysklad.MinimumStock) *cardMinimum {
	if from.Inherited {
		return inheritedMinimum
	}
	result := &cardMinimum{}
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
