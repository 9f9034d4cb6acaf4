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
	Archived    bool    `json:"archived,omitempty" jsonschema_description:"taken out of the range"`
}

type negativeStockTotals struct {
	Positions int   `json:"positions"`
	Products  int   `json:"products"`
	Units     Units `json:"units" jsonschema_description:"sum of the negative units"`

	ArchivedPositions int `json:"archived_positions" jsonschema_description:"of positions: archived products"`
}

// negativeStock makes the calls that README.md lists and explains.
func negativeStock(ctx context.Context, run *Run, args negativeStockArguments) (negativeStockResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return negativeStockResult{}, err
	}
	builder := negativeStockBuilder{warehouse: warehouse, rows: topRows[negativePosition]{limit: args.Limit, compare: byUnits}}
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) {
		builder.physical, err = run.CurrentStock(inner, moysklad.PhysicalStock)
		return err
	})
	group.Go(func() (err error) { builder.archived, err = run.archivedStock(inner, nil); return err })
	group.Go(func() (err error) { builder.stores, err = run.allStores(inner); return err })
	if err := group.Wait(); err != nil {
		return negativeStockResult{}, err
	}
	builder.addAll()
	return builder.result(ctx, run)
}

// negativeStockBuilder collects the negative balances of one warehouse, or of all if it is nil, and sums them. It only
// counts balances that the upstream is recalculating.
type negativeStockBuilder struct {
	warehouse *moysklad.Store
	physical  *moysklad.CurrentStock
	archived  *archivedStock
	stores    []moysklad.Store

	rows          topRows[negativePosition]
	units         decimal.Decimal
	products      map[string]bool
	archivedCount int
	recalculating int
}

func (n *negativeStockBuilder) addAll() {
	n.products = map[string]bool{}
	for id := range n.physical.Products() {
		for balance := range n.physical.Of(id) {
			switch {
			case n.archived.contains(id) || !n.covers(balance.StoreID):
			case balance.Recalculating:
				n.recalculating++
			case balance.Value.Sign() < 0:
				n.add(negativePosition{
					id: id, storeID: balance.StoreID, units: balance.Value, everywhere: UnitsInStock(n.physical, id, nil),
				})
			}
		}
	}
	for store, cards := range n.archived.byWarehouse {
		for id, card := range cards {
			if n.covers(store) && card.Units().IsNegative() {
				n.add(negativePosition{id: id, storeID: store, units: card.Units(), everywhere: new(n.archived.unitsOf(id)), archived: &card})
			}
		}
	}
}

func (n *negativeStockBuilder) covers(storeID string) bool {
	return storeID != "" && (n.warehouse == nil || storeID == n.warehouse.ID)
}

func (n *negativeStockBuilder) add(p negativePosition) {
	n.rows.add(p)
	n.units = n.units.Add(p.units)
	n.products[p.id] = true
	if p.archived != nil {
		n.archivedCount++
	}
}

func (n *negativeStockBuilder) result(ctx context.Context, run *Run) (negativeStockResult, error) {
	listed, list := n.rows.list(run)
	var unnamed []string
	for _, p := range listed {
		if p.archived == nil {
			unnamed = append(unnamed, p.id)
		}
	}
	names, err := run.goodNames(ctx, unnamed)
	if err != nil {
		return negativeStockResult{}, err
	}
	run.NoteRecalculating(n.recalculating)
	return negativeStockResult{
		Rows:   convert(listed, func(p negativePosition) negativeStockRow { return p.row(names, n.stores) }),
		List:   list,
		Totals: negativeStockTotals{n.rows.count, len(n.products), UnitsOf(n.units), n.archivedCount},
	}, nil
}

type negativePosition struct {
	id, storeID string
	units       decimal.Decimal
	everywhere  *decimal.Decimal // units in all warehouses; nil while the upstream recalculates them
	archived    *archivedCard
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
	if p.archived != nil {
		row.Name, row.Code, row.Archived = &p.archived.Name, p.archived.Code, true
	} else if name, found := names[p.id]; found {
		row.Name, row.Code = &name.Name, name.Code
	}
	return row
}
