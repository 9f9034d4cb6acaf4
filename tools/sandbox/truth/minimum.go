package truth

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// BelowMinimum is the result of the tool below_minimum, without the transfers that it proposes.
type BelowMinimum struct {
	Rows   []BelowRow  `json:"rows"`
	Totals BelowTotals `json:"totals"`
	NotSet int         `json:"not_set"`

	SetForAll *int `json:"set_for_all"` // nil for all warehouses
}

// BelowRow is a product below its minimum in a warehouse. If it has no warehouse, the minimum is for all warehouses
// together.
type BelowRow struct {
	ProductID   string          `json:"product_id"`
	Name        string          `json:"name"`
	Code        string          `json:"code"`
	WarehouseID *string         `json:"warehouse_id"`
	Warehouse   *string         `json:"warehouse"`
	Units       decimal.Decimal `json:"units"`
	Reserved    decimal.Decimal `json:"reserved"`
	InTransit   decimal.Decimal `json:"in_transit"`
	Available   decimal.Decimal `json:"available"`
	Minimum     decimal.Decimal `json:"minimum"`
	Shortage    decimal.Decimal `json:"shortage"`
	SupplierID  *string         `json:"supplier_id"`
	Supplier    *string         `json:"supplier"`

	item *sandbox.Item
}

// BelowTotals has the totals of all rows.
type BelowTotals struct {
	Positions     int `json:"positions"`
	Products      int `json:"products"`
	Compared      int `json:"compared"`
	OutOfStock    int `json:"out_of_stock"`
	Recalculating int `json:"recalculating"`
}

// BelowMinimum compares each minimum with the stock, in one warehouse, or in all if nil is given.
func (t *Truth) BelowMinimum(only *sandbox.Store) BelowMinimum {
	var answer BelowMinimum
	if only != nil {
		answer.SetForAll = new(0)
	}
	products := map[*sandbox.Item]bool{}
	for _, item := range t.books.Assortment {
		if !stocked(item) || !inRange(item) || len(item.Variants) > 0 {
			continue
		}
		minimum := minimumOf(item)
		places := t.minimumsIn(minimum, only)
		switch {
		case len(places) > 0:
		case minimum.Type == sandbox.MinimumSum:
			*answer.SetForAll++
		default:
			answer.NotSet++
		}
		for _, at := range places {
			if t.recalculating(item, at.store) {
				answer.Totals.Recalculating++
				continue
			}
			answer.Totals.Compared++
			row := t.belowRow(item, at)
			if !row.Shortage.IsPositive() {
				continue
			}
			answer.Rows = append(answer.Rows, row)
			answer.Totals.Positions++
			products[item] = true
			if !row.Units.IsPositive() {
				answer.Totals.OutOfStock++
			}
		}
	}
	answer.Totals.Products = len(products)
	return answer
}

// minimumOf returns the minimum of the item. If a variant inherits it, it returns that of its product.
func minimumOf(i *sandbox.Item) sandbox.Minimum {
	if i.Parent != nil && !i.OwnMinimum {
		return i.Parent.Minimum
	}
	return i.Minimum
}

// recalculating reports whether the upstream is recalculating the item's stock in a warehouse, or in any warehouse if
// store is nil. The upstream recalculates it only in warehouses where the item has been.
func (t *Truth) recalculating(item *sandbox.Item, store *sandbox.Store) bool {
	if !t.view.Unknown[item] {
		return false
	}
	return store == nil || t.shelves[item][store] != nil
}

// storeMinimum is the minimum of one warehouse. If store is nil, it is the minimum of all warehouses together.
type storeMinimum struct {
	store    *sandbox.Store
	quantity decimal.Decimal
}

func (t *Truth) minimumsIn(m sandbox.Minimum, only *sandbox.Store) []storeMinimum {
	var places []storeMinimum
	switch m.Type {
	case sandbox.MinimumSum:
		if only == nil {
			places = append(places, storeMinimum{nil, units(m.Quantity)})
		}
	case sandbox.MinimumSame:
		for _, store := range t.books.Stores {
			if only == nil || store == only {
				places = append(places, storeMinimum{store, units(m.Quantity)})
			}
		}
	case sandbox.MinimumVaried:
		for _, minimum := range m.ByStore {
			if only == nil || minimum.Store == only {
				places = append(places, storeMinimum{minimum.Store, units(minimum.Quantity)})
			}
		}
	}
	return places
}

func (t *Truth) belowRow(item *sandbox.Item, at storeMinimum) BelowRow {
	row := BelowRow{ProductID: item.ID, Name: item.Name, Code: item.Code, Minimum: at.quantity, item: item}
	row.SupplierID, row.Supplier = supplier(item)
	if at.store != nil {
		row.WarehouseID, row.Warehouse = &at.store.ID, &at.store.Name
	}
	var all shelf
	for store, s := range t.shelves[item] {
		if at.store == nil || at.store == store {
			all.add(s)
		}
	}
	row.Units, row.Reserved, row.InTransit, row.Available = all.units, all.reserved, all.inTransit, all.available()
	row.Shortage = row.Minimum.Sub(row.Units)
	return row
}

// Transferable returns how many units of an item can be moved from warehouses above their minimum to warehouses below
// theirs. It is limited by what is needed, and by what the warehouses have above their own minimum.
func (t *Truth) Transferable(itemID string) decimal.Decimal {
	item := t.books.Item(itemID)
	var needed, free decimal.Decimal
	for _, at := range t.minimumsIn(minimumOf(item), nil) {
		s := t.shelves[item][at.store]
		if at.store == nil || t.recalculating(item, at.store) {
			continue
		}
		if s == nil {
			s = &shelf{}
		}
		needed = needed.Add(decimal.Max(decimal.Zero, at.quantity.Sub(s.units)))
		free = free.Add(decimal.Max(decimal.Zero, s.units.Sub(s.reserved).Sub(at.quantity)))
	}
	return decimal.Min(needed, free)
}
