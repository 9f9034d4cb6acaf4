package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// stockCard is the stock report's row of a product or variant, over all warehouses or in one.
type stockCard struct {
	ID, Name, Code    string
	units, cost, days compactDecimal // cost in hundredths; 0 means unknown
	aged              bool           // days are known
}

// Units returns the physical stock.
func (s stockCard) Units() decimal.Decimal { return s.units.decimal() }

// UnitCost returns the average FIFO cost of a unit in hundredths, or nil if it is unknown.
func (s stockCard) UnitCost() *moysklad.Kopecks {
	return knownCost(&moysklad.Kopecks{Decimal: s.cost.decimal()})
}

// Days returns the average age of the stock in days. It returns nil if the age is unknown.
func (s stockCard) Days() *decimal.Decimal {
	if !s.aged {
		return nil
	}
	return new(s.days.decimal())
}

// goodRef identifies a product or variant whose card has not been read.
type goodRef struct {
	id, kind    string
	hasVariants bool
}

func goodID(good goodRef) string { return good.id }

// stockCards has the rows of the report, sorted by product id, because a map would take more memory.
type stockCards []*stockCard

// get returns the row of a good. It returns nil if the report does not have the good.
func (s stockCards) get(id string) *stockCard {
	i, found := slices.BinarySearchFunc(s, id, func(card *stockCard, id string) int { return strings.Compare(card.ID, id) })
	if !found {
		return nil
	}
	return s[i]
}

func (s stockCards) bytes() int { return len(s) * 250 }

// stockList is the stock report: goods with positive stock, and archived goods whose stock is not 0.
type stockList struct {
	cards    stockCards
	archived archivedCards
}

func (l *stockList) bytes() int { return l.cards.bytes() + l.archived.bytes() }

// stockList makes one heavy call for each thousand goods. It recognizes archived goods in the same way as
// [Run.readAllWarehouseCosts].
func (run *Run) stockList(ctx context.Context, warehouse *moysklad.Store) (*stockList, error) {
	filter := atWarehouse(moysklad.Filter{}.WithArchived().Is("stockMode", "nonEmpty"), warehouse)
	name := cacheNameAt("stock list", warehouse)
	return readCached(ctx, run, name, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*stockList, error) {
		short := &Run{Account: run.Account}
		physical, err := short.CurrentStock(ctx, moysklad.PhysicalStock)
		if err != nil {
			return nil, err
		}
		list := &stockList{archived: archivedCards{}}
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
			if err != nil {
				return nil, err
			}
			switch id := row.Meta.ID(); {
			case !hasFigures(physical, id):
				list.archived[id] = newArchivedCard(row)
			case row.Stock.IsPositive():
				list.cards = append(list.cards, new(newStockCard(row)))
			}
		}
		if len(list.archived) > 0 {
			changes, err := physicalChangesSince(ctx, up, short.asOf)
			if err != nil {
				return nil, err
			}
			list.removeArrived(changes)
		}
		sortRows(list.cards, func(a, b *stockCard) int { return strings.Compare(a.ID, b.ID) })
		return list, nil
	})
}

// removeArrived moves goods that were received after the short report was read from the archived goods to the cards.
func (l *stockList) removeArrived(changes *moysklad.CurrentStock) {
	for id, card := range l.archived {
		if hasFigures(changes, id) {
			delete(l.archived, id)
			if card.Units().IsPositive() {
				l.cards = append(l.cards, &card.stockCard)
			}
		}
	}
}

func newStockCard(row moysklad.StockRow) stockCard {
	card := stockCard{
		ID: row.Meta.ID(), Name: row.Name, Code: row.Code,
		units: compactOf(row.Stock.Decimal), cost: compactOf(zeroIfNil(row.Cost)),
	}
	joinTexts(&card.ID, &card.Name, &card.Code)
	if card.aged = row.StockDays != nil; card.aged {
		card.days = compactOf(row.StockDays.Decimal)
	}
	return card
}
