package tools

import (
	"context"
	"slices"
	"unique"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Minimum is a good's threshold: for the sum over all warehouses, the same for each of them, or one for each that has
// one. The zero value is "not set", which is not a threshold of 0.
type Minimum struct {
	shape    string // one of moysklad's, empty for "not set"
	quantity sum    // of the first two shapes
	byStore  []storeMinimum
}

type storeMinimum struct {
	store    unique.Handle[string] // its id; the same few for all goods
	quantity sum
}

// IsSet reports whether there is any threshold.
func (m Minimum) IsSet() bool { return m.shape != "" }

// Sum is the threshold for all warehouses together and whether it is that.
func (m Minimum) Sum() (decimal.Decimal, bool) {
	return m.quantity.decimal(), m.shape == moysklad.MinimumSum
}

// At is the threshold of one warehouse and whether there is one; a threshold for the sum is none of a single warehouse.
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

// Minimums are the thresholds that are set, variants' inherited ones included, by the good's id.
type Minimums struct {
	byID map[string]Minimum
}

// Of is the good's threshold.
func (m *Minimums) Of(id string) Minimum { return m.byID[id] }

func (m *Minimums) bytes() int {
	bytes := len(m.byID) * 120
	for _, one := range m.byID {
		bytes += len(one.byStore) * 32
	}
	return bytes
}

// statedMinimums are what cards say, before variants inherit.
type statedMinimums map[string]statedMinimum

type statedMinimum struct {
	Minimum
	inherited bool // of a variant: its product's applies
}

func (s statedMinimums) add(id string, m *moysklad.MinimumStock) {
	if m != nil {
		s[id] = statedMinimum{newMinimum(m), m.Inherited}
	}
}

// Minimums reads the thresholds. Those per warehouse come only with an expanded list, a hundred goods a call, so they
// are asked for the goods that have them. Whether the upstream honours the field in lists of a thousand is not
// documented: when no card of the account came with one, the cards are read again by the hundred.
func (c *Call) Minimums(ctx context.Context, goods *Goods) (*Minimums, error) {
	return remembered(ctx, c, "minimums", FreshCardFile, func(ctx context.Context, up *moysklad.Client) (*Minimums, error) {
		own := statedMinimums{}
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
func expandVaried(ctx context.Context, up *moysklad.Client, goods *Goods) (statedMinimums, error) {
	own := statedMinimums{}
	varied := map[string][]string{}
	for good := range goods.All() {
		if good.minimum == nil {
			continue
		}
		own.add(good.ID, good.minimum)
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
func readExpanded(ctx context.Context, up *moysklad.Client, kinds map[string]moysklad.Filter, into statedMinimums) error {
	for kind, filter := range kinds {
		query := moysklad.Query{
			Filter: filter, Order: "id",
			Fields: "minimumStock", Expand: []string{"minimumStock.storebalances"},
		}
		rows := up.Products
		if kind == "variant" {
			rows = up.Variants
		}
		for row, err := range rows(ctx, query) {
			if err != nil {
				return err
			}
			into.add(row.ID, row.MinimumStock)
		}
	}
	return nil
}

// resolveMinimums lets variants inherit, and leaves out what has no threshold. A threshold of 0 that is stated is one:
// only negative stock is below it.
func resolveMinimums(goods *Goods, own statedMinimums) *Minimums {
	resolved := &Minimums{byID: map[string]Minimum{}}
	for good := range goods.All() {
		stated, known := own[good.ID]
		if good.ParentID != "" && (!known || stated.inherited) {
			stated = own[good.ParentID]
		}
		if stated.IsSet() {
			resolved.byID[good.ID] = stated.Minimum
		}
	}
	return resolved
}

// newMinimum takes a shape without its figures for "not set".
func newMinimum(stated *moysklad.MinimumStock) Minimum {
	switch stated.Type {
	case moysklad.MinimumSum, moysklad.MinimumSame:
		if stated.Quantity != nil {
			return Minimum{shape: stated.Type, quantity: sumOf(stated.Quantity.Decimal)}
		}
	case moysklad.MinimumVaried:
		if stated.StoreBalances == nil || len(stated.StoreBalances.Rows) == 0 {
			break
		}
		minimum := Minimum{shape: stated.Type, byStore: make([]storeMinimum, len(stated.StoreBalances.Rows))}
		for i, row := range stated.StoreBalances.Rows {
			minimum.byStore[i] = storeMinimum{unique.Make(row.Store.Meta.ID()), sumOf(row.Quantity.Decimal)}
		}
		return minimum
	}
	return Minimum{}
}
