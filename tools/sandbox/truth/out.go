package truth

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// OutOfStock is the result of the tool out_of_stock.
type OutOfStock struct {
	Rows   []OutRow  `json:"rows"`
	Totals OutTotals `json:"totals"`
}

// OutRow is a product that is out of stock.
type OutRow struct {
	ProductID string           `json:"product_id"`
	Name      string           `json:"name"`
	Units     decimal.Decimal  `json:"units"`
	Reserved  decimal.Decimal  `json:"reserved"`
	InTransit decimal.Decimal  `json:"in_transit"`
	Available decimal.Decimal  `json:"available"`
	Minimum   *decimal.Decimal `json:"minimum"`
	SoldUnits decimal.Decimal  `json:"sold_units"`
	Supplier  *string          `json:"supplier"`
}

// OutTotals has the totals of all rows.
type OutTotals struct {
	Positions     int `json:"positions"`
	Negative      int `json:"negative"`
	InTransit     int `json:"in_transit"`
	Sold          int `json:"sold"`
	NeverThere    int `json:"never_there"`
	Recalculating int `json:"recalculating"`
}

// OutOfStock returns the products that were in stock before but are in no warehouse any more, or not in the given one.
func (t *Truth) OutOfStock(window int, only *sandbox.Store) OutOfStock {
	var answer OutOfStock
	histories := t.histories(window, window, only)
	for _, item := range t.books.Assortment {
		if !stocked(item) || !inRange(item) || len(item.Variants) > 0 {
			continue
		}
		var all shelf
		wasThere, isThere := false, false
		for store, s := range t.shelves[item] {
			if only == nil || store == only {
				wasThere = wasThere || store != nil
				isThere = isThere || s.units.IsPositive()
				all.add(s)
			}
		}
		switch {
		case !wasThere:
			answer.Totals.NeverThere++
		case t.view.Unknown[item]:
			answer.Totals.Recalculating++
		case !isThere:
			answer.add(t.outRow(item, all, histories[item].sold(), only))
		}
	}
	return answer
}

func (t *Truth) outRow(item *sandbox.Item, s shelf, sold decimal.Decimal, only *sandbox.Store) OutRow {
	row := OutRow{
		ProductID: item.ID, Name: item.Name, Units: s.units, Reserved: s.reserved, InTransit: s.inTransit,
		Available: s.available(), SoldUnits: sold,
	}
	_, row.Supplier = supplier(item)
	for _, at := range t.minimumsIn(minimumOf(item), only) {
		if at.store != nil && at.store.Archived {
			continue
		}
		if row.Minimum == nil {
			row.Minimum = &decimal.Decimal{}
		}
		row.Minimum = new(row.Minimum.Add(at.quantity))
	}
	return row
}

func (o *OutOfStock) add(row OutRow) {
	o.Rows = append(o.Rows, row)
	o.Totals.Positions++
	if row.Units.IsNegative() {
		o.Totals.Negative++
	}
	if row.InTransit.IsPositive() {
		o.Totals.InTransit++
	}
	if row.SoldUnits.IsPositive() {
		o.Totals.Sold++
	}
}
