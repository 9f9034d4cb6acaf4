package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// CostBasis says what a cost rests on.
type CostBasis string

// The bases of cost.
const (
	FIFO          CostBasis = "fifo"           // what was paid for these units, by the upstream's own costing
	PurchasePrice CostBasis = "purchase_price" // the card's price, where the role does not see cost
)

// valuation knows the names of goods and what a unit of each costs: from the stock report, or for a role that does not
// see cost from the cards' purchase prices.
type averageCosts struct {
	cards  StockCards
	goods  *Goods
	priced bool // some card has a purchase price
}

// valuation reads costs and names: of one warehouse, where the report's average may be of that warehouse alone, or of all
// for nil.
func (c *Call) readAverageCosts(ctx context.Context, warehouse *moysklad.Store) (*averageCosts, error) {
	if !c.Rights.Cost {
		goods, err := c.Goods(ctx)
		if err != nil {
			return nil, err
		}
		return &averageCosts{goods: goods, priced: goods.anyPrice()}, nil
	}
	cards, err := c.StockCards(ctx, warehouse)
	return &averageCosts{cards: cards}, err
}

func (g *Goods) anyPrice() bool {
	return slices.ContainsFunc(g.cards, func(card *Good) bool { return card.PurchasePrice() != nil })
}

// cost of a unit in hundredths with its basis; nil when unknown.
func (v *averageCosts) cost(id string) (*moysklad.Kopecks, *CostBasis) {
	cost, basis := (*moysklad.Kopecks)(nil), FIFO
	if v.goods == nil {
		cost = v.cards[id].UnitCost()
	} else if card := v.goods.Get(id); card != nil {
		cost, basis = card.PurchasePrice(), PurchasePrice
	}
	if cost == nil {
		return nil, nil
	}
	return cost, &basis
}

// name and code of a good; false for one that the reports do not carry, such as an archived one.
func (v *averageCosts) name(id string) (name, code string, ok bool) {
	if v.goods != nil {
		if card := v.goods.Get(id); card != nil {
			return card.Name, card.Code, true
		}
		return "", "", false
	}
	card, ok := v.cards[id]
	return card.Name, card.Code, ok
}

// note says what the costs rest on and for how many positions there is none.
func (v *averageCosts) note(c *Call, withoutCost int) {
	if v.goods != nil {
		if !v.priced {
			c.Note(CostUnknown, nil)
			return
		}
		c.Note(PurchasePriceBasis, nil)
	}
	if withoutCost > 0 {
		c.Note(CostUnknown, map[string]string{"positions": fmt.Sprint(withoutCost)})
	}
}
