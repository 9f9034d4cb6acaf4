package tools

import (
	"context"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

type stockArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	Query     string `json:"query,omitempty" jsonschema_description:"words of a name, a code, an article or a barcode; the whole stock if absent"`
	RowLimit
}

type stockResult struct {
	Matched bool       `json:"matched" jsonschema_description:"false: no product contains the query, not even an archived one"`
	Rows    []stockRow `json:"rows"`
	List
	Warehouses []stockWarehouse `json:"warehouses"`
	Totals     *stockTotals     `json:"totals" jsonschema_description:"null: nothing that has a stock fits the query"`
	NotStocked []string         `json:"not_stocked" jsonschema_description:"bundles and services that contain the query: they have no stock of their own"`
}

type stockRow struct {
	ProductID   string     `json:"product_id"`
	Name        string     `json:"name"`
	Code        string     `json:"code"`
	WarehouseID *string    `json:"warehouse_id"`
	Warehouse   *string    `json:"warehouse" jsonschema_description:"null: reserves and expectations of orders that name no warehouse, or what lies in one that this connection does not see"`
	Units       Units      `json:"units" jsonschema_description:"what lies there; negative when more was shipped than received"`
	Reserved    Units      `json:"reserved"`
	InTransit   Units      `json:"in_transit"`
	Available   Units      `json:"available" jsonschema_description:"units - reserved + in_transit"`
	UnitCost    *Money     `json:"unit_cost" jsonschema_description:"null: unknown, not 0"`
	Money       *Money     `json:"money" jsonschema_description:"units at cost, 0 where nothing lies; null: cost unknown or negative stock"`
	CostBasis   *costBasis `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`
	Archived    bool       `json:"archived,omitempty" jsonschema_description:"taken out of the range, and still there"`
}

// stockSums has the totals of one warehouse or of all warehouses.
type stockSums struct {
	Positions            int    `json:"positions" jsonschema_description:"products with units other than 0, counted in each warehouse"`
	Units                Units  `json:"units"`
	Money                *Money `json:"money" jsonschema_description:"at cost, of positive stock with known cost; null: nothing has a known cost"`
	PositionsWithoutCost int    `json:"positions_without_cost" jsonschema_description:"positive stock whose cost is unknown: not in money"`
	NegativePositions    int    `json:"negative_positions" jsonschema_description:"positions below 0: in units, not in money"`
}

type stockWarehouse struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	stockSums
	Archived bool `json:"archived,omitempty" jsonschema_description:"no longer in use, and goods lie there"`
}

type stockTotals struct {
	stockSums
	Reserved  Units `json:"reserved"`
	InTransit Units `json:"in_transit"`
	Available Units `json:"available"`

	ArchivedPositions int    `json:"archived_positions" jsonschema_description:"of positions: archived products"`
	ArchivedMoney     *Money `json:"archived_money" jsonschema_description:"of money: archived products; null: nothing of them has a known cost"`
}

// stock makes the calls that README.md lists and explains.
func stock(ctx context.Context, run *Run, args stockArguments) (stockResult, error) {
	result := stockResult{Matched: true, Rows: []stockRow{}, Warehouses: []stockWarehouse{}, NotStocked: []string{}}
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return result, err
	}
	data := stockData{run: run, warehouse: warehouse}
	if bilingual.Fold(args.Query) == "" {
		err = data.readAll(ctx)
	} else if err = data.readMatches(ctx, args.Query, &result); err == nil && data.nothingStocked() {
		return result, nil
	}
	if err != nil {
		return result, err
	}
	builder := newStockBuilder(data.stores, warehouse, data.goods != nil, args.Limit, data.costs)
	if data.goods == nil {
		for id, lines := range data.balances.all() {
			if !data.archived.contains(id) {
				builder.add(id, lines)
			}
		}
	}
	for _, good := range data.goods {
		if lines := data.balances.of(good.id); !good.hasVariants || len(lines) > 0 {
			builder.add(good.id, lines)
		}
	}
	builder.addArchived(data.archived)
	return result, builder.fill(ctx, run, &result)
}
