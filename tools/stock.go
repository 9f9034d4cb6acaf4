package tools

import (
	"context"
	_ "embed"

	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

//go:embed stock.md
var stockText string

func newStock() Tool { return Define("stock", Read, stockText, stock) }

type stockArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"name or id of one warehouse; all of them if absent"`
	Query     string `json:"query,omitempty" jsonschema_description:"words of a name, a code, an article or a barcode; the whole stock if absent"`
	RowLimit
}

type stockResult struct {
	Matched bool       `json:"matched" jsonschema_description:"false: no product contains the query"`
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
	Warehouse   *string    `json:"warehouse" jsonschema_description:"null: reserves and expectations of orders that name no warehouse"`
	Units       Units      `json:"units" jsonschema_description:"what lies there; negative when more was shipped than received"`
	Reserved    Units      `json:"reserved"`
	InTransit   Units      `json:"in_transit"`
	Available   Units      `json:"available" jsonschema_description:"units - reserved + in_transit"`
	UnitCost    *Money     `json:"unit_cost" jsonschema_description:"null: unknown, not 0"`
	Money       *Money     `json:"money" jsonschema_description:"units at cost; null: cost unknown or negative stock"`
	CostBasis   *CostBasis `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`
	Archived    bool       `json:"archived,omitempty" jsonschema_description:"taken out of the range, and still there"`
}

// stockSums are the figures of a warehouse and of the whole.
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
}

type stockTotals struct {
	stockSums
	Reserved  Units `json:"reserved"`
	InTransit Units `json:"in_transit"`
	Available Units `json:"available"`

	ArchivedPositions int    `json:"archived_positions" jsonschema_description:"of positions: archived products"`
	ArchivedMoney     *Money `json:"archived_money" jsonschema_description:"of money: archived products; null: nothing of them has a known cost"`
}

// stock costs three light calls for what lies, is reserved and is on its way, whatever the account's size. Costs differ
// between warehouses, and no report has them side by side: one heavy call for each thousand goods that lie in a warehouse,
// so from a thousandth of the goods to W times that for W warehouses. What is archived stands in no light report: one
// heavy call for each warehouse. A question about a few goods asks for these alone, and for what is archived with one heavy
// call over all warehouses, and one for each only where that finds some.
func stock(ctx context.Context, c *Call, args stockArguments) (stockResult, error) {
	result := stockResult{Matched: true, Rows: []stockRow{}, Warehouses: []stockWarehouse{}, NotStocked: []string{}}
	warehouse, err := c.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return result, err
	}
	named := folded(args.Query) != ""
	var archived *archivedStock
	var stores []moysklad.Store
	var balances *Balances
	group, inner := errgroup.WithContext(ctx)
	group.Go(func() (err error) { archived, err = c.archivedStock(inner, warehouse, named); return err })
	group.Go(func() (err error) { stores, err = c.Stores(inner); return err })
	if !named {
		group.Go(func() (err error) { balances, err = c.Balances(inner); return err })
	}
	if err := group.Wait(); err != nil {
		return result, err
	}
	var wanted []goodID // nil is everything
	if named {
		archived = archived.containing(args.Query)
		if wanted, err = c.stockedHits(ctx, args.Query, len(archived.whole) > 0, &result); err != nil || len(wanted)+len(archived.whole) == 0 {
			return result, err
		}
		if balances, err = c.balancesOf(ctx, wanted); err != nil {
			return result, err
		}
	}
	costs, err := c.worth(ctx, balances, warehouse, wanted)
	if err != nil {
		return result, err
	}
	count := newStockCount(stores, warehouse, wanted != nil, args.Limit, costs)
	if wanted == nil {
		for id, lines := range balances.All() {
			if !archived.has(id) {
				count.add(id, lines)
			}
		}
	}
	for _, good := range wanted {
		if lines := balances.Of(good.id); !good.hasVariants || len(lines) > 0 {
			count.add(good.id, lines)
		}
	}
	count.addArchived(archived)
	return result, count.finish(ctx, c, &result)
}

// stockedHits finds the goods that a query means: variants for a product that has them. Whether archived goods fit it is
// known already.
func (c *Call) stockedHits(ctx context.Context, query string, archivedFit bool, result *stockResult) ([]goodID, error) {
	found, err := c.find(ctx, query)
	if err != nil {
		return nil, err
	}
	result.Matched = archivedFit || len(found.rows) > 0
	if !result.Matched {
		c.noteSearch(found, query)
	}
	goods, parents := []goodID{}, []string{}
	seen := map[string]bool{}
	for _, row := range found.rows {
		switch row.Meta.Type {
		case "product", "variant":
			goods = append(goods, goodID{row.ID, row.Meta.Type, row.VariantsCount > 0})
			seen[row.ID] = true
			if row.VariantsCount > 0 {
				parents = append(parents, row.ID)
			}
		default:
			result.NotStocked = append(result.NotStocked, row.Name)
		}
	}
	if len(parents) == 0 {
		return goods, nil
	}
	for row, err := range c.Client.Variants(ctx, moysklad.Query{Filter: anyOf("productid", parents)}) {
		if err != nil {
			return nil, err
		}
		if !seen[row.ID] {
			goods = append(goods, goodID{row.ID, "variant", false})
		}
	}
	return goods, nil
}
