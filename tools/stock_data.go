package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// stockData is what the result of the stock tool is computed from.
type stockData struct {
	run       *Run
	warehouse *moysklad.Store // nil means all

	stores   []moysklad.Store
	goods    []goodRef // nil means all
	balances *stockBalances
	archived *archivedStock
	costs    *warehouseCosts
}

// readAll reads the stock of all goods. If the role sees cost, the archived goods come from the same lists as the
// costs.
func (d *stockData) readAll(ctx context.Context) error {
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { d.stores, err = d.run.allStores(inner); return err })
	group.Go(func() (err error) { d.balances, err = d.run.balances(inner); return err })
	if !d.run.Rights.Cost {
		group.Go(func() (err error) { d.archived, err = d.run.archivedStock(inner, d.warehouse); return err })
	}
	err := group.Wait()
	if err != nil {
		return err
	}
	d.costs, err = d.run.readWarehouseCosts(ctx, d.balances, d.warehouse, nil)
	if err == nil && d.run.Rights.Cost {
		d.archived = d.costs.archived.inWarehouse(d.warehouse)
	}
	return err
}

// readMatches reads the stock of the goods that match a query. It reads archived stock only if the query may match an
// archived good.
func (d *stockData) readMatches(ctx context.Context, query string, result *stockResult) error {
	var found, archived searchResult
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { d.stores, err = d.run.allStores(inner); return err })
	group.Go(func() (err error) { found, err = d.run.searchAssortment(inner, query); return err })
	group.Go(func() (err error) { archived, err = d.run.searchArchived(inner, query); return err })
	err := group.Wait()
	if err != nil {
		return err
	}
	if d.goods, err = d.run.stockedGoods(ctx, found, &archived, result); err != nil {
		return err
	}
	d.archived = &archivedStock{}
	if len(archived.rows) > 0 || archived.searchIgnored {
		all, err := d.run.archivedStock(ctx, d.warehouse)
		if err != nil {
			return err
		}
		d.archived = all.matching(query, archived)
	}
	all := slices.Concat(found.rows, archived.rows)
	result.Matched = len(all)+len(d.archived.total) > 0
	d.run.noteSearch(searchResult{rows: all, searchIgnored: found.searchIgnored && !result.Matched}, query)
	if d.balances, err = d.run.readBalancesOf(ctx, d.goods); err != nil {
		return err
	}
	d.costs, err = d.run.readWarehouseCosts(ctx, d.balances, d.warehouse, d.goods)
	return err
}

// nothingStocked reports whether none of the goods that match can have stock.
func (d *stockData) nothingStocked() bool { return len(d.goods)+len(d.archived.total) == 0 }

// stockedGoods returns the goods among found that can have stock. For products with variants, it adds the variants. It
// moves archived goods to archived, and bundles and services to result.NotStocked.
func (run *Run) stockedGoods(ctx context.Context, found searchResult, archived *searchResult, result *stockResult) ([]goodRef, error) {
	goods, parents := []goodRef{}, []string{}
	for _, row := range found.rows {
		switch {
		case row.Product != nil && row.Product.Archived:
			archived.rows = append(archived.rows, row)
		case row.Meta.Type == "product", row.Meta.Type == "variant":
			goods = append(goods, goodRef{row.ID, row.Meta.Type, row.VariantsCount > 0})
			if row.VariantsCount > 0 {
				parents = append(parents, row.ID)
			}
		default:
			result.NotStocked = append(result.NotStocked, row.Name)
		}
	}
	for chunk := range slices.Chunk(parents, MaxIDsPerFilter) {
		variants := moysklad.Query{Filter: moysklad.Filter{}.Is("productid", chunk...).WithArchived(), Order: "id"}
		for row, err := range run.Client.Variants(ctx, variants) {
			switch {
			case err != nil:
				return nil, err
			case row.Archived:
				archived.rows = append(archived.rows, row)
			case !found.has(row.ID):
				goods = append(goods, goodRef{row.ID, "variant", false})
			}
		}
	}
	return goods, nil
}

// readBalancesOf reads the balances of the given goods. It reads the balances of all goods if none or many are given, or
// if all balances are cached.
func (run *Run) readBalancesOf(ctx context.Context, only []goodRef) (*stockBalances, error) {
	if only != nil && len(only) == 0 {
		return &stockBalances{}, nil
	}
	if only == nil || len(only) > MaxIDsPerFilter || run.Cache.has(currentStockOf(moysklad.PhysicalStock), maxFigureAge) {
		return run.balances(ctx)
	}
	ids := convert(only, goodID)
	name := "balances of " + strings.Join(ids, " ")
	return readCached(ctx, run, name, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*stockBalances, error) {
		return readBalances(ctx, func(ctx context.Context, figure moysklad.StockType) (*moysklad.CurrentStock, error) {
			return readCurrent(ctx, up, figure, moysklad.Query{Filter: moysklad.Filter{}.Is("assortmentId", ids...)})
		})
	})
}

// missingNames reads the names of listed goods that costs does not have, such as goods that are being recalculated.
func (run *Run) missingNames(ctx context.Context, costs *warehouseCosts, lines []stockLine) (map[string]goodName, error) {
	var missing []string
	for _, line := range lines {
		if _, _, ok := costs.name(line.id); !ok && line.archived == nil {
			missing = append(missing, line.id)
		}
	}
	return run.goodNames(ctx, missing)
}
