package tools

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// StockCard is what the stock report says of a product or variant over all warehouses. UnitCost is the average FIFO cost
// of a unit in hundredths, nil when it is not known: the upstream's 0. Days is the average age of what lies there, nil
// when absent.
type StockCard struct {
	Name, Code, Article string
	Units               decimal.Decimal
	UnitCost            *moysklad.Kopecks
	Days                *decimal.Decimal
}

// goodID is a product or variant, before its card is known.
type goodID struct {
	id, kind    string
	hasVariants bool
}

func idsOf(goods []goodID) []string {
	ids := make([]string, len(goods))
	for i, good := range goods {
		ids[i] = good.id
	}
	return ids
}

// StockCards are the report's rows by product id.
type StockCards map[string]StockCard

func (s StockCards) bytes() int { return len(s) * 420 }

// StockCards reads the stock report, five units for each thousand products, over one warehouse or, for nil, over all.
func (c *Call) StockCards(ctx context.Context, warehouse *moysklad.Store) (StockCards, error) {
	filter, what := moysklad.Filter{}, "stock cards"
	if warehouse != nil {
		filter = filter.Is("store", moysklad.Href("store", warehouse.ID))
		what += " at " + warehouse.ID
	}
	return remembered(ctx, c, what, FreshFigures, func(ctx context.Context, up *moysklad.Client) (StockCards, error) {
		cards := StockCards{}
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
			if err != nil {
				return nil, err
			}
			cards[strings.Clone(row.Meta.ID())] = newStockCard(row) // without the link that the id is a part of
		}
		return cards, nil
	})
}

func newStockCard(row moysklad.StockRow) StockCard {
	card := StockCard{Name: row.Name, Code: row.Code, Article: row.Article, Units: row.Stock.Decimal, UnitCost: knownCost(row.Cost)}
	if row.StockDays != nil {
		card.Days = &row.StockDays.Decimal
	}
	return card
}
