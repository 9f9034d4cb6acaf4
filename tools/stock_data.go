package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// stockReading is what a question about the stock needs.
type stockData struct {
	call      *Call
	warehouse *moysklad.Store // nil is all

	stores   []moysklad.Store
	goods    []goodRef // nil is everything
	balances *Balances
	archived *archivedStock
	costs    *warehouseCosts
}

// everything finds what is archived beside the costs, in the same lists, if the role sees costs.
func (r *stockData) readAll(ctx context.Context) error {
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { r.stores, err = r.call.EveryStore(inner); return err })
	group.Go(func() (err error) { r.balances, err = r.call.Balances(inner); return err })
	if !r.call.Rights.Cost {
		group.Go(func() (err error) { r.archived, err = r.call.archivedStock(inner, r.warehouse); return err })
	}
	err := group.Wait()
	if err != nil {
		return err
	}
	r.costs, err = r.call.readWarehouseCosts(ctx, r.balances, r.warehouse, nil)
	if err == nil && r.call.Rights.Cost {
		r.archived = r.costs.archived.inWarehouse(r.warehouse)
	}
	return err
}

// named reads what a query means. The stock of archived goods is looked at where the query means one.
func (r *stockData) readMatches(ctx context.Context, query string, result *stockResult) error {
	var found, archived searchResult
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { r.stores, err = r.call.EveryStore(inner); return err })
	group.Go(func() (err error) { found, err = r.call.searchAssortment(inner, query); return err })
	group.Go(func() (err error) { archived, err = r.call.searchArchived(inner, query); return err })
	err := group.Wait()
	if err != nil {
		return err
	}
	if r.goods, err = r.call.stockedGoods(ctx, found, &archived, result); err != nil {
		return err
	}
	r.archived = &archivedStock{}
	if len(archived.rows) > 0 || archived.incomplete {
		all, err := r.call.archivedStock(ctx, r.warehouse)
		if err != nil {
			return err
		}
		r.archived = all.matching(query, archived)
	}
	result.Matched = len(found.rows)+len(r.archived.total) > 0
	if !result.Matched {
		r.call.noteSearch(found, query)
	}
	if r.balances, err = r.call.readBalancesOf(ctx, r.goods); err != nil {
		return err
	}
	r.costs, err = r.call.readWarehouseCosts(ctx, r.balances, r.warehouse, r.goods)
	return err
}

// nothing reports whether nothing that has a stock is asked about.
func (r *stockData) nothingStocked() bool { return len(r.goods)+len(r.archived.total) == 0 }

// stocked are the goods of hits that have a stock: variants for a product that has them. What turns out to be archived is put
// with what is.
func (c *Call) stockedGoods(ctx context.Context, found searchResult, archived *searchResult, result *stockResult) ([]goodRef, error) {
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
	for some := range slices.Chunk(parents, maxIDsPerFilter) {
		variants := moysklad.Query{Filter: anyOf("productid", some).Is("archived", "true").Is("archived", "false"), Order: "id"}
		for row, err := range c.Client.Variants(ctx, variants) {
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

// balancesOf reads what lies where: of some goods only those, unless everything is at hand.
func (c *Call) readBalancesOf(ctx context.Context, only []goodRef) (*Balances, error) {
	if only != nil && len(only) == 0 {
		return &Balances{}, nil
	}
	if only == nil || len(only) > maxIDsPerFilter || c.Books.has(currentStockOf(moysklad.PhysicalStock), maxFigureAge) {
		return c.Balances(ctx)
	}
	ids := idsOf(only)
	what := "balances of " + strings.Join(ids, " ")
	return readCached(ctx, c, what, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*Balances, error) {
		return readBalances(ctx, func(ctx context.Context, figure moysklad.StockType) (*moysklad.CurrentStock, error) {
			return readCurrent(ctx, up, figure, moysklad.Query{Filter: anyOf("assortmentId", ids)})
		})
	})
}

// namesMissingFrom finds what listed goods are called that the reports do not carry, such as ones that are being
// recalculated.
func (c *Call) missingNames(ctx context.Context, costs *warehouseCosts, lines []stockLine) (map[string]goodName, error) {
	var missing []string
	for _, line := range lines {
		if _, _, ok := costs.name(line.id); !ok && line.archived == nil {
			missing = append(missing, line.id)
		}
	}
	return c.goodNames(ctx, missing)
}
