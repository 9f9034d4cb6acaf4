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

// StockCards reads the stock report, five units for each thousand products: over one warehouse or, for nil, over all; of
// some goods or, for none, of all.
func (c *Call) StockCards(ctx context.Context, warehouse *moysklad.Store, only []goodID) (StockCards, error) {
	filter := moysklad.Filter{}.Is("stockMode", "all").Is("quantityMode", "all")
	if warehouse != nil {
		filter = filter.Is("store", moysklad.Href("store", warehouse.ID))
	}
	return remembered(ctx, c, stockCardsOf(warehouse, only), FreshFigures, func(ctx context.Context, up *moysklad.Client) (StockCards, error) {
		cards := StockCards{}
		for _, some := range byKind(filter, only) {
			if err := cards.read(ctx, up, some); err != nil {
				return nil, err
			}
		}
		return cards, nil
	})
}

// stockCardsOf names the reading.
func stockCardsOf(warehouse *moysklad.Store, only []goodID) string {
	what := "stock cards"
	if warehouse != nil {
		what += " at " + warehouse.ID
	}
	if only != nil {
		what += " of " + strings.Join(idsOf(only), " ")
	}
	return what
}

func (s StockCards) read(ctx context.Context, up *moysklad.Client, filter moysklad.Filter) error {
	for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
		if err != nil {
			return err
		}
		s[row.Meta.ID()] = newStockCard(row)
	}
	return nil
}

func newStockCard(row moysklad.StockRow) StockCard {
	card := StockCard{Name: row.Name, Code: row.Code, Article: row.Article, Units: row.Stock.Decimal, UnitCost: knownCost(row.Cost)}
	if row.StockDays != nil {
		card.Days = &row.StockDays.Decimal
	}
	return card
}
