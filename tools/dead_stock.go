package tools

import (
	"context"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type deadStockArguments struct {
	MinDays         int    `json:"min_days,omitempty" jsonschema:"minimum=1,maximum=3650,default=90" jsonschema_description:"average days in the warehouse from which goods count as old"`
	SalesWindowDays int    `json:"sales_window_days,omitempty" jsonschema:"minimum=1,maximum=3650,default=90" jsonschema_description:"days back in which a sale or another outflow is looked for"`
	Warehouse       string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all together if absent"`
	RowLimit
}

type deadStockResult struct {
	MinDays         WholeDays      `json:"min_days" jsonschema_description:"average days in the warehouse from which goods counted as old"`
	SalesWindowDays WholeDays      `json:"sales_window_days" jsonschema_description:"days back in which a sale or another outflow was looked for"`
	Warehouse       *string        `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows            []deadStockRow `json:"rows"`
	List
	Warehouses []deadStockWarehouse `json:"warehouses" jsonschema_description:"where it lies"`
	Totals     deadStockTotals      `json:"totals"`
}

// verdict says whether goods that do not sell leave the warehouse in other ways, such as transfers.
type verdict string

// The possible values of verdict.
const (
	dead              verdict = "dead"                // nothing went out
	turnsOutsideSales verdict = "turns_outside_sales" // moved, written off, consumed, returned to the supplier, or sold in bundles
)

type deadStockRow struct {
	ProductID       string     `json:"product_id"`
	Name            string     `json:"name"`
	Code            string     `json:"code"`
	DaysInWarehouse Days       `json:"days_in_warehouse" jsonschema_description:"average age of what lies there, by the upstream's own count"`
	Units           Units      `json:"units"`
	Reserved        *Units     `json:"reserved" jsonschema_description:"of units: promised to customers; null while the upstream recalculates"`
	InTransit       *Units     `json:"in_transit" jsonschema_description:"ordered and not received; null while the upstream recalculates"`
	FrozenMoney     *Money     `json:"frozen_money" jsonschema_description:"units at cost; null: cost unknown, not 0"`
	CostBasis       *costBasis `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`
	SoldUnits       Units      `json:"sold_units" jsonschema_description:"in the window, returns deducted: 0, or negative when earlier sales came back"`
	MovedUnits      Units      `json:"moved_units" jsonschema_description:"in the window, in other ways than sales"`
	Outflow         []outflow  `json:"outflow" jsonschema_description:"moved_units by document"`
	Verdict         verdict    `json:"verdict" jsonschema:"enum=dead,enum=turns_outside_sales"`
	Archived        bool       `json:"archived,omitempty" jsonschema_description:"taken out of the range, and still there"`
}

type outflow struct {
	Document string `json:"document"`
	Units    Units  `json:"units"`
}

type deadStockWarehouse struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Positions int    `json:"positions" jsonschema_description:"products with either verdict that are in stock here"`
	Units     Units  `json:"units" jsonschema_description:"of these products"`
}

type deadStockTotals struct {
	DeadMoney            *Money `json:"dead_money" jsonschema_description:"of verdict dead, where the cost is known; null: no cost is known"`
	TurningMoney         *Money `json:"turning_money" jsonschema_description:"of verdict turns_outside_sales"`
	Positions            int    `json:"positions"`
	DeadPositions        int    `json:"dead_positions"`
	PositionsWithoutCost int    `json:"positions_without_cost" jsonschema_description:"in no sum of money"`
	ArchivedPositions    int    `json:"archived_positions" jsonschema_description:"of positions: archived products"`
	PositionsWithoutAge  int    `json:"positions_without_age" jsonschema_description:"in stock, with no age known upstream: not judged"`
	ReservedPositions    int    `json:"reserved_positions" jsonschema_description:"left out: old and not sold, and all of it promised to customers"`
}

// deadStock makes the calls that README.md lists and explains.
func deadStock(ctx context.Context, run *Run, args deadStockArguments) (deadStockResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return deadStockResult{}, err
	}
	data, err := run.readDeadStockData(ctx, warehouse, args.SalesWindowDays)
	if err != nil {
		return deadStockResult{}, err
	}
	builder := newDeadStockBuilder(data, args)
	for _, card := range data.cards {
		builder.consider(card, nil)
	}
	for _, card := range data.archived.total {
		builder.consider(&card.stockCard, &card)
	}
	result := builder.result(run)
	result.MinDays, result.SalesWindowDays = WholeDays(args.MinDays), WholeDays(args.SalesWindowDays)
	result.Warehouse = warehouseName(warehouse)
	return result, nil
}

// deadStockData is what the result is computed from: the stock report with and without archived goods, the stock by
// warehouse, the costs, and the outflow in the window.
type deadStockData struct {
	warehouse *moysklad.Store // nil means all
	cards     stockCards
	archived  *archivedStock
	costs     *averageCosts
	balances  *stockBalances
	stores    []moysklad.Store
	outflow   *goodOutflows
}

func (run *Run) readDeadStockData(ctx context.Context, warehouse *moysklad.Store, windowDays int) (*deadStockData, error) {
	d := &deadStockData{warehouse: warehouse}
	to := run.Now()
	group, ctx := caught.WithContext(ctx)
	group.Go(func() error {
		list, err := run.stockList(ctx, warehouse)
		if err == nil {
			d.cards = list.cards
			d.archived, err = run.locateArchived(ctx, list.archived, warehouse)
		}
		return err
	})
	group.Go(func() (err error) { d.costs, err = run.readAverageCosts(ctx, warehouse); return err })
	group.Go(func() (err error) { d.balances, err = run.balances(ctx); return err })
	group.Go(func() (err error) {
		d.outflow, err = run.readGoodOutflows(ctx, to.AddDate(0, 0, -windowDays), to, warehouse)
		return err
	})
	group.Go(func() (err error) {
		if d.stores, err = run.allStores(ctx); err == nil && warehouse != nil {
			d.stores = []moysklad.Store{*warehouse}
		}
		return err
	})
	err := group.Wait()
	return d, err
}
