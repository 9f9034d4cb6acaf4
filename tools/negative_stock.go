package tools

import (
	"cmp"
	"context"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type negativeStockArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	RowLimit
}

type negativeStockResult struct {
	Rows []negativeStockRow `json:"rows"`
	List
	Totals negativeStockTotals `json:"totals"`
}

type negativeStockRow struct {
	ProductID   string  `json:"product_id"`
	Name        *string `json:"name" jsonschema_description:"null: a hidden product"`
	Code        string  `json:"code"`
	WarehouseID string  `json:"warehouse_id"`
	Warehouse   *string `json:"warehouse" jsonschema_description:"null: a hidden warehouse"`
	Units       Units   `json:"units" jsonschema_description:"below 0: more was shipped than was received"`
	Elsewhere   *Units  `json:"elsewhere" jsonschema_description:"what lies in other warehouses: a transfer may not have been entered; null while the upstream recalculates it"`
}

type negativeStockTotals struct {
	Positions int   `json:"positions"`
	Products  int   `json:"products"`
	Units     Units `json:"units" jsonschema_description:"sum of the negative units"`
}

// negativeStock makes the calls that README.md lists and explains.
func negativeStock(ctx context.Context, run *Run, args negativeStockArguments) (negativeStockResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return negativeStockResult{}, err
	}
	var physical *moysklad.CurrentStock
	var stores []moysklad.Store
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { physical, err = run.CurrentStock(inner, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { stores, err = run.allStores(inner); return err })
	if err := group.Wait(); err != nil {
		return negativeStockResult{}, err
	}
	rows := topRows[negativePosition]{limit: args.Limit, compare: byUnits}
	totals, recalculating := addNegative(&rows, physical, warehouse)
	noteRecalculating(run, recalculating)
	listed, list := rows.list(run)
	names, err := run.goodNames(ctx, convert(listed, func(p negativePosition) string { return p.id }))
	if err != nil {
		return negativeStockResult{}, err
	}
	rowOf := func(p negativePosition) negativeStockRow { return p.row(names, stores) }
	return negativeStockResult{Rows: convert(listed, rowOf), List: list, Totals: totals}, nil
}

// addNegative adds to rows the negative balances of one warehouse, or of all if it is nil. It only counts balances that
// the upstream is recalculating.
func addNegative(
	rows *topRows[negativePosition], physical *moysklad.CurrentStock, warehouse *moysklad.Store,
) (totals negativeStockTotals, recalculating int) {
	sum, products := decimal.Zero, map[string]bool{}
	for id := range physical.Products() {
		for balance := range physical.Of(id) {
			switch {
			case warehouse != nil && balance.StoreID != warehouse.ID || balance.StoreID == "":
			case balance.Recalculating:
				recalculating++
			case balance.Value.Sign() < 0:
				units := balance.Value
				rows.add(negativePosition{id, balance.StoreID, units, UnitsInStock(physical, id, nil)})
				sum = sum.Add(units)
				products[id] = true
			}
		}
	}
	return negativeStockTotals{rows.count, len(products), UnitsOf(sum)}, recalculating
}

type negativePosition struct {
	id, storeID string
	units       decimal.Decimal
	everywhere  *decimal.Decimal // units in all warehouses; nil while the upstream recalculates them
}

func byUnits(a, b negativePosition) int {
	return cmp.Or(a.units.Cmp(b.units), cmp.Compare(a.id, b.id), cmp.Compare(a.storeID, b.storeID))
}

func (p negativePosition) row(names map[string]goodName, stores []moysklad.Store) negativeStockRow {
	row := negativeStockRow{
		ProductID: p.id, WarehouseID: p.storeID, Warehouse: storeName(stores, p.storeID), Units: UnitsOf(p.units),
	}
	if p.everywhere != nil {
		row.Elsewhere = new(UnitsOf(p.everywhere.Sub(p.units)))
	}
	if name, found := names[p.id]; found {
		row.Name, row.Code = &name.Name, name.Code
	}
	return row
}
