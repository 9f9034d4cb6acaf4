package tools

import (
	"context"

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

// StockCards are the report's rows by product id.
type StockCards map[string]StockCard

func (s StockCards) bytes() int { return len(s) * 420 }

// StockCards reads the stock report, five units for each thousand products, over the given warehouse or, for an empty
// id, over all.
func (c *Call) StockCards(ctx context.Context, storeID string) (StockCards, error) {
	filter := moysklad.Filter{}.Is("stockMode", "all").Is("quantityMode", "all")
	if storeID != "" {
		filter = filter.Is("store", moysklad.Href("store", storeID))
	}
	return remembered(ctx, c, "stock cards "+storeID, FreshFigures, func(ctx context.Context, up *moysklad.Client) (StockCards, error) {
		return readStockCards(ctx, up, filter)
	})
}

func readStockCards(ctx context.Context, up *moysklad.Client, filter moysklad.Filter) (StockCards, error) {
	cards := StockCards{}
	for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
		if err != nil {
			return nil, err
		}
		card := StockCard{Name: row.Name, Code: row.Code, Article: row.Article, Units: row.Stock.Decimal}
		if row.Cost != nil && row.Cost.IsPositive() {
			card.UnitCost = row.Cost
		}
		if row.StockDays != nil {
			card.Days = &row.StockDays.Decimal
		}
		cards[row.Meta.ID()] = card
	}
	return cards, nil
}
