package tools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

//go:embed negative_stock.md
var negativeStockText string

func newNegativeStock() Tool { return Define("negative_stock", Read, negativeStockText, negativeStock) }

type negativeStockArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"name or id of one warehouse; all of them if absent"`
	RowLimit
}

type negativeStockResult struct {
	Rows []negativeStockRow `json:"rows"`
	List
	Totals negativeStockTotals `json:"totals"`
}

type negativeStockRow struct {
	ProductID   string  `json:"product_id"`
	Name        *string `json:"name" jsonschema_description:"null: an archived or hidden product"`
	Code        string  `json:"code"`
	WarehouseID string  `json:"warehouse_id"`
	Warehouse   *string `json:"warehouse" jsonschema_description:"null: an archived or hidden warehouse"`
	Units       Units   `json:"units" jsonschema_description:"below 0: more was shipped than was received"`
	Elsewhere   Units   `json:"elsewhere" jsonschema_description:"what lies in other warehouses: a transfer may not have been entered"`
}

type negativeStockTotals struct {
	Positions int   `json:"positions"`
	Products  int   `json:"products"`
	Units     Units `json:"units" jsonschema_description:"sum of the negative units"`
}

// negativeStock costs the three light calls that the stock of all warehouses takes, and one for each thousand cards, for
// names; both are shared with other questions.
func negativeStock(ctx context.Context, c *Call, args negativeStockArguments) (negativeStockResult, error) {
	warehouse, err := c.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return negativeStockResult{}, err
	}
	var goods *Goods
	var balances *Balances
	var stores []moysklad.Store
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) { goods, err = c.Goods(inner); return err })
	group.Go(func() (err error) { balances, err = c.Balances(inner); return err })
	group.Go(func() (err error) { stores, err = c.Stores(inner); return err })
	if err := group.Wait(); err != nil {
		return negativeStockResult{}, err
	}
	rows := top[negativePosition]{limit: args.Limit, before: mostNegative}
	sum, products, recalculating := decimal.Zero, map[string]bool{}, 0
	for id, everywhere := range balances.All() {
		for _, balance := range everywhere {
			switch {
			case warehouse != nil && balance.StoreID != warehouse.ID || balance.StoreID == "":
			case balance.Recalculating:
				recalculating++
			case balance.Units.IsNegative():
				rows.add(negativePosition{id, balance, total(everywhere).Units.Sub(balance.Units)})
				sum = sum.Add(balance.Units)
				products[id] = true
			}
		}
	}
	if recalculating > 0 {
		c.Note(StockRecalculating, map[string]string{"count": fmt.Sprint(recalculating)})
	}
	listed, list := rows.list(c)
	result := negativeStockResult{
		Rows: make([]negativeStockRow, len(listed)), List: list,
		Totals: negativeStockTotals{rows.seen, len(products), unitsOf(sum)},
	}
	for i, position := range listed {
		result.Rows[i] = position.row(goods, stores)
	}
	return result, nil
}

type negativePosition struct {
	id        string
	balance   Balance
	elsewhere decimal.Decimal
}

func mostNegative(a, b negativePosition) int {
	return cmp.Or(a.balance.Units.Cmp(b.balance.Units), cmp.Compare(a.id, b.id), cmp.Compare(a.balance.StoreID, b.balance.StoreID))
}

func (p negativePosition) row(goods *Goods, stores []moysklad.Store) negativeStockRow {
	row := negativeStockRow{
		ProductID: p.id, WarehouseID: p.balance.StoreID,
		Units: unitsOf(p.balance.Units), Elsewhere: unitsOf(p.elsewhere),
	}
	if good := goods.Get(p.id); good != nil {
		row.Name, row.Code = &good.Name, good.Code
	}
	if i := slices.IndexFunc(stores, func(s moysklad.Store) bool { return s.ID == p.balance.StoreID }); i >= 0 {
		row.Warehouse = &stores[i].Name
	}
	return row
}
