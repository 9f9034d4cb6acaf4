package tools

import (
	"context"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// StockCard is what the stock report says of a product or variant over all warehouses.
type StockCard struct {
	Name, Code        string
	units, cost, days sum  // cost in hundredths; 0 is not known
	aged              bool // days are known
}

// Units are what lies there.
func (s StockCard) Units() decimal.Decimal { return s.units.decimal() }

// UnitCost is the average FIFO cost of a unit in hundredths; nil when it is not known.
func (s StockCard) UnitCost() *moysklad.Kopecks {
	return knownCost(&moysklad.Kopecks{Decimal: s.cost.decimal()})
}

// Days is the average age of what lies there; nil when it is not known.
func (s StockCard) Days() *decimal.Decimal {
	if !s.aged {
		return nil
	}
	days := s.days.decimal()
	return &days
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

func (s StockCards) bytes() int { return len(s) * 330 }

// StockCards reads the stock report of what lies there, five units for each thousand products, over one warehouse or, for
// nil, over all.
func (c *Call) StockCards(ctx context.Context, warehouse *moysklad.Store) (StockCards, error) {
	filter, what := moysklad.Filter{}.Is("stockMode", "positiveOnly"), "stock cards"
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
	card := StockCard{Name: row.Name, Code: row.Code, units: sumOf(row.Stock.Decimal), cost: sumOf(amount(row.Cost))}
	if card.aged = row.StockDays != nil; card.aged {
		card.days = sumOf(row.StockDays.Decimal)
	}
	return card
}
