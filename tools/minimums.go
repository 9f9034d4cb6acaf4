package tools

import (
	"context"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Minimum is a good's threshold: for the sum over all warehouses, the same for each of them, or one for each that has
// one. The zero value is "not set", which is not a threshold of 0.
type Minimum struct {
	Sum     *decimal.Decimal
	Each    *decimal.Decimal
	ByStore map[string]decimal.Decimal // by the warehouse's id
}

// IsSet reports whether there is any threshold.
func (m Minimum) IsSet() bool { return m.Sum != nil || m.Each != nil || len(m.ByStore) > 0 }

// At is the threshold of one warehouse and whether there is one; a threshold for the sum is none of a single warehouse.
func (m Minimum) At(storeID string) (decimal.Decimal, bool) {
	if m.Each != nil {
		return *m.Each, true
	}
	quantity, ok := m.ByStore[storeID]
	return quantity, ok
}

// Minimums are the thresholds that are set, variants' inherited ones included, by the good's id.
type Minimums struct {
	byID map[string]Minimum
}

// Of is the good's threshold.
func (m *Minimums) Of(id string) Minimum { return m.byID[id] }

func (m *Minimums) bytes() int { return len(m.byID) * 400 }

// Minimums reads the thresholds. Those per warehouse come only with an expanded list, a hundred goods a call, so they
// are asked for the goods that have them. Whether the upstream honours the field in lists of a thousand is not
// documented: when no card of the account came with one, the cards are read again by the hundred.
func (c *Call) Minimums(ctx context.Context, goods *Goods) (*Minimums, error) {
	return remembered(ctx, c, "minimums", FreshCardFile, func(ctx context.Context, up *moysklad.Client) (*Minimums, error) {
		own := map[string]*moysklad.MinimumStock{}
		var err error
		if goods.minimumsListed {
			own, err = expandVaried(ctx, up, goods)
		} else {
			err = readExpanded(ctx, up, map[string]moysklad.Filter{"product": nil, "variant": nil}, own)
		}
		if err != nil {
			return nil, err
		}
		return resolveMinimums(goods, own), nil
	})
}

// expandVaried gives every listed threshold, those per warehouse with their rows.
func expandVaried(ctx context.Context, up *moysklad.Client, goods *Goods) (map[string]*moysklad.MinimumStock, error) {
	own := map[string]*moysklad.MinimumStock{}
	varied := map[string][]string{}
	for good := range goods.All() {
		if good.minimum == nil {
			continue
		}
		own[good.ID] = good.minimum
		if good.minimum.Type == moysklad.MinimumVaried && !good.minimum.Inherited {
			varied[good.kind()] = append(varied[good.kind()], good.ID)
		}
	}
	for kind, ids := range varied {
		for chunk := range slices.Chunk(ids, namedAtOnce) {
			if err := readExpanded(ctx, up, map[string]moysklad.Filter{kind: anyOf("id", chunk)}, own); err != nil {
				return nil, err
			}
		}
	}
	return own, nil
}

func anyOf(field string, values []string) moysklad.Filter {
	var filter moysklad.Filter
	for _, value := range values {
		filter = filter.Is(field, value)
	}
	return filter
}

// readExpanded reads the cards of some kinds by the hundred, with thresholds and their rows.
func readExpanded(ctx context.Context, up *moysklad.Client, kinds map[string]moysklad.Filter, into map[string]*moysklad.MinimumStock) error {
	for kind, filter := range kinds {
		query := moysklad.Query{
			Filter: filter, Order: "id",
			Fields: "minimumStock", Expand: []string{"minimumStock.storebalances"}, Limit: 100,
		}
		rows := up.Products
		if kind == "variant" {
			rows = up.Variants
		}
		for row, err := range rows(ctx, query) {
			if err != nil {
				return err
			}
			if row.MinimumStock != nil {
				into[row.ID] = row.MinimumStock
			}
		}
	}
	return nil
}

// resolveMinimums lets variants inherit, and leaves out what has no threshold. A threshold of 0 that is stated is one:
// only negative stock is below it.
func resolveMinimums(goods *Goods, own map[string]*moysklad.MinimumStock) *Minimums {
	resolved := &Minimums{byID: map[string]Minimum{}}
	for good := range goods.All() {
		stated := own[good.ID]
		if good.ParentID != "" && (stated == nil || stated.Inherited) {
			stated = own[good.ParentID]
		}
		if minimum := newMinimum(stated); minimum.IsSet() {
			resolved.byID[good.ID] = minimum
		}
	}
	return resolved
}

func newMinimum(stated *moysklad.MinimumStock) Minimum {
	if stated == nil {
		return Minimum{}
	}
	minimum := Minimum{}
	switch stated.Type {
	case moysklad.MinimumSum:
		minimum.Sum = exact(stated.Quantity)
	case moysklad.MinimumSame:
		minimum.Each = exact(stated.Quantity)
	case moysklad.MinimumVaried:
		if stated.StoreBalances == nil {
			return minimum
		}
		minimum.ByStore = map[string]decimal.Decimal{}
		for _, row := range stated.StoreBalances.Rows {
			minimum.ByStore[row.Store.ID()] = row.Quantity.Decimal
		}
	}
	return minimum
}

func exact(q *moysklad.Quantity) *decimal.Decimal {
	if q == nil {
		return nil
	}
	return &q.Decimal
}
