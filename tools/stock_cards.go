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
	units, cost, days compactDecimal // cost in hundredths; 0 is not known
	aged              bool           // days are known
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
type goodRef struct {
	id, kind    string
	hasVariants bool
}

func idsOf(goods []goodRef) []string {
	ids := make([]string, len(goods))
	for i, good := range goods {
		ids[i] = good.id
	}
	return ids
}

// StockCards are the report's rows by product id.
type StockCards map[string]StockCard

func (s StockCards) bytes() int { return len(s) * 330 }

// StockCards reads the stock report of what lies there, archived goods left out, over one warehouse or, for nil, over all.
func (c *Call) StockCards(ctx context.Context, warehouse *moysklad.Store) (StockCards, error) {
	list, err := c.stockList(ctx, warehouse)
	if err != nil {
		return nil, err
	}
	return list.cards, nil
}

// stockList is the stock report: what lies there of the range, and what is archived and not 0.
type stockList struct {
	cards    StockCards
	archived archivedCards
}

func (l *stockList) bytes() int { return l.cards.bytes() + l.archived.bytes() }

// stockList reads a heavy call for each thousand goods, and tells what is archived as [Call.worthOfAll] does.
func (c *Call) stockList(ctx context.Context, warehouse *moysklad.Store) (*stockList, error) {
	filter, what := moysklad.Filter{}.Is("archived", "true").Is("archived", "false").Is("stockMode", "nonEmpty"), "stock list"
	if warehouse != nil {
		filter = filter.Is("store", moysklad.Href("store", warehouse.ID))
		what += " at " + warehouse.ID
	}
	return readCached(ctx, c, what, maxFigureAge, func(ctx context.Context, up *moysklad.Client) (*stockList, error) {
		short := &Call{Account: c.Account}
		lying, err := short.CurrentStock(ctx, moysklad.PhysicalStock)
		if err != nil {
			return nil, err
		}
		list := &stockList{StockCards{}, archivedCards{}}
		for row, err := range up.StockAll(ctx, moysklad.Query{Filter: filter, Order: "name"}) {
			if err != nil {
				return nil, err
			}
			id := strings.Clone(row.Meta.ID()) // without the link that it is a part of
			switch {
			case !hasFigure(lying, id):
				list.archived[id] = newArchivedCard(row)
			case row.Stock.IsPositive():
				list.cards[id] = newStockCard(row)
			}
		}
		if len(list.archived) == 0 {
			return list, nil
		}
		changes, err := physicalChangesSince(ctx, up, short.asOf)
		list.removeArrived(changes)
		return list, err
	})
}

// takeIn puts back what is not archived: it has come in since the short report was read.
func (l *stockList) removeArrived(changes *moysklad.CurrentStock) {
	for id, card := range l.archived {
		if hasFigure(changes, id) {
			delete(l.archived, id)
			if card.Units().IsPositive() {
				l.cards[id] = card.StockCard
			}
		}
	}
}

func newStockCard(row moysklad.StockRow) StockCard {
	card := StockCard{Name: row.Name, Code: row.Code, units: compactOf(row.Stock.Decimal), cost: compactOf(zeroIfNil(row.Cost))}
	if card.aged = row.StockDays != nil; card.aged {
		card.days = compactOf(row.StockDays.Decimal)
	}
	return card
}
