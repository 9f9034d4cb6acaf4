package tools

import (
	"context"
	"strings"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// balancesOf reads what lies where: of some goods only those, unless everything is at hand.
func (c *Call) balancesOf(ctx context.Context, only []goodID) (*Balances, error) {
	if only != nil && len(only) == 0 {
		return &Balances{}, nil
	}
	if only == nil || len(only) > namedAtOnce || c.Books.has(currentStockOf(moysklad.PhysicalStock), FreshFigures) {
		return c.Balances(ctx)
	}
	ids := idsOf(only)
	what := "balances of " + strings.Join(ids, " ")
	return remembered(ctx, c, what, FreshFigures, func(ctx context.Context, up *moysklad.Client) (*Balances, error) {
		return balancesBy(ctx, func(ctx context.Context, figure moysklad.StockType) (*moysklad.CurrentStock, error) {
			return readCurrent(ctx, up, figure, moysklad.Query{Filter: anyOf("assortmentId", ids)})
		})
	})
}

// namesMissingFrom finds what listed goods are called that the reports do not carry, such as ones that are being
// recalculated.
func (c *Call) namesMissingFrom(ctx context.Context, costs *worth, lines []stockLine) (map[string]goodName, error) {
	var missing []string
	for _, line := range lines {
		if _, _, ok := costs.name(line.id); !ok && line.archived == nil {
			missing = append(missing, line.id)
		}
	}
	return c.goodNames(ctx, missing)
}
