package tools

import (
	"context"
	"fmt"
)

type belowMinimumArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	RowLimit
}

type belowMinimumResult struct {
	Rows []belowMinimumRow `json:"rows"`
	List
	Totals    belowMinimumTotals `json:"totals"`
	NotSet    int                `json:"not_set" jsonschema_description:"products without a minimum, in the warehouse if one is given: not compared, and not a minimum of 0"`
	SetForAll *int               `json:"set_for_all" jsonschema_description:"products left out because their minimum is for the sum over all warehouses; null without a warehouse: they are compared"`
}

type belowMinimumRow struct {
	ProductID    string         `json:"product_id"`
	Name         string         `json:"name"`
	Code         string         `json:"code"`
	WarehouseID  *string        `json:"warehouse_id" jsonschema_description:"null: the minimum is for the sum over all warehouses"`
	Warehouse    *string        `json:"warehouse"`
	Units        Units          `json:"units" jsonschema_description:"what lies there; can be 0 or negative"`
	Reserved     Units          `json:"reserved"`
	InTransit    Units          `json:"in_transit" jsonschema_description:"ordered and not received"`
	Available    Units          `json:"available" jsonschema_description:"units - reserved + in_transit"`
	Minimum      Units          `json:"minimum"`
	Shortage     Units          `json:"shortage" jsonschema_description:"minimum - units"`
	SupplierID   *string        `json:"supplier_id"`
	Supplier     *string        `json:"supplier"`
	Transferable []transferable `json:"transferable" jsonschema_description:"what other warehouses could give without going below their own minimum; no unit is offered twice"`
}

type transferable struct {
	WarehouseID string `json:"warehouse_id"`
	Warehouse   string `json:"warehouse"`
	Units       Units  `json:"units"`
}

type belowMinimumTotals struct {
	Positions     int `json:"positions" jsonschema_description:"positions below their minimum"`
	Products      int `json:"products" jsonschema_description:"different products among them"`
	Compared      int `json:"compared" jsonschema_description:"positions that have a minimum"`
	OutOfStock    int `json:"out_of_stock" jsonschema_description:"positions below their minimum with 0 or fewer units"`
	Recalculating int `json:"recalculating" jsonschema_description:"positions left out because the upstream is recalculating them"`
}

// belowMinimum makes the calls that README.md lists and explains.
func belowMinimum(ctx context.Context, run *Run, args belowMinimumArguments) (belowMinimumResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return belowMinimumResult{}, err
	}
	shortages, err := run.Shortages(ctx, warehouse)
	if err != nil {
		return belowMinimumResult{}, err
	}
	rows := topRows[Shortage]{limit: args.Limit, compare: byShortage}
	var totals belowMinimumTotals
	products := map[string]bool{}
	for shortage := range shortages.All() {
		rows.add(shortage)
		products[shortage.Good.ID] = true
		if !shortage.Balance.Units.IsPositive() {
			totals.OutOfStock++
		}
	}
	totals.Positions, totals.Products = rows.count, len(products)
	totals.Compared, totals.Recalculating = shortages.Compared, shortages.Recalculating
	listed, list := rows.list(run)
	suppliers, err := run.CounterpartyNames(ctx, convert(listed, func(s Shortage) string { return s.Good.SupplierID }))
	if err != nil {
		return belowMinimumResult{}, err
	}
	run.noteShortages(shortages)
	rowOf := func(s Shortage) belowMinimumRow { return newBelowMinimumRow(s, suppliers, shortages.surplus(s)) }
	result := belowMinimumResult{Rows: convert(listed, rowOf), List: list, Totals: totals, NotSet: shortages.NotSet}
	if warehouse != nil {
		result.SetForAll = &shortages.SetForAll
	}
	return result, nil
}

// noteShortages adds notes that say what was compared. Every tool that uses minimums calls it.
func (run *Run) noteShortages(s *Shortages) {
	values := map[string]string{"compared": fmt.Sprint(s.Compared), "not_set": fmt.Sprint(s.NotSet)}
	if s.SetForAll > 0 {
		values["set_for_all"] = fmt.Sprint(s.SetForAll)
	}
	run.Note(MinimumsByWarehouse, values)
	run.NoteRecalculating(s.Recalculating)
}

func newBelowMinimumRow(s Shortage, suppliers map[string]string, free []Surplus) belowMinimumRow {
	row := belowMinimumRow{
		ProductID:    s.Good.ID,
		Name:         s.Good.Name,
		Code:         s.Good.Code,
		Units:        UnitsOf(s.Balance.Units),
		Reserved:     UnitsOf(s.Balance.Reserved),
		InTransit:    UnitsOf(s.Balance.InTransit),
		Available:    UnitsOf(s.Balance.Available()),
		Minimum:      UnitsOf(s.Minimum),
		Shortage:     UnitsOf(s.Units()),
		SupplierID:   nilIfEmpty(s.Good.SupplierID),
		Supplier:     nilIfEmpty(suppliers[s.Good.SupplierID]),
		Transferable: []transferable{},
	}
	if s.Store != nil {
		row.WarehouseID, row.Warehouse = &s.Store.ID, &s.Store.Name
	}
	for _, surplus := range free {
		row.Transferable = append(row.Transferable, transferable{surplus.Store.ID, surplus.Store.Name, UnitsOf(surplus.Units)})
	}
	return row
}
