package tools

import (
	"context"
	"fmt"
	"slices"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// costBasis is the source of a cost.
type costBasis string

// The possible sources of a cost.
const (
	fifoCost          costBasis = "fifo"           // what was paid for these units, by the upstream's FIFO costing
	purchasePriceCost costBasis = "purchase_price" // the purchase price of the product, if the role does not see cost
)

// averageCosts has the name and the unit cost of each good. They come from the stock report. If the role does not see
// cost, they come from the products and their purchase prices.
type averageCosts struct {
	cards  stockCards
	goods  *Goods
	priced bool // some product has a purchase price
}

// readAverageCosts reads costs and names in one warehouse, or in all if warehouse is nil. If the report is filtered by
// a warehouse, its average costs may be those of that warehouse alone.
func (run *Run) readAverageCosts(ctx context.Context, warehouse *moysklad.Store) (*averageCosts, error) {
	if !run.Rights.Cost {
		goods, err := run.goodsWithArchived(ctx)
		if err != nil {
			return nil, err
		}
		return &averageCosts{goods: goods, priced: goods.anyPrice()}, nil
	}
	list, err := run.stockList(ctx, warehouse)
	if err != nil {
		return nil, err
	}
	return &averageCosts{cards: list.cards}, nil
}

func (g *Goods) anyPrice() bool {
	return slices.ContainsFunc(g.cards, func(card *Good) bool { return card.PurchasePrice() != nil })
}

// cost returns the cost of a unit in hundredths and its basis. Both are nil if the cost is unknown.
func (a *averageCosts) cost(id string) (*moysklad.Kopecks, *costBasis) {
	cost, basis := (*moysklad.Kopecks)(nil), fifoCost
	if a.goods == nil {
		if card := a.cards.get(id); card != nil {
			cost = card.UnitCost()
		}
	} else if card := a.goods.get(id); card != nil {
		cost, basis = card.PurchasePrice(), purchasePriceCost
	}
	if cost == nil {
		return nil, nil
	}
	return cost, &basis
}

// archivedCost is [averageCosts.cost] for an archived good.
func (a *averageCosts) archivedCost(id string, card archivedCard) (*moysklad.Kopecks, *costBasis) {
	if a.goods != nil {
		return a.cost(id)
	}
	cost := card.UnitCost()
	if cost == nil {
		return nil, nil
	}
	return cost, new(fifoCost)
}

// name returns the name and code of a good. ok is false if the report does not have the good, for example because it is
// archived.
func (a *averageCosts) name(id string) (name, code string, ok bool) {
	if a.goods != nil {
		if card := a.goods.get(id); card != nil {
			return card.Name, card.Code, true
		}
		return "", "", false
	}
	if card := a.cards.get(id); card != nil {
		return card.Name, card.Code, true
	}
	return "", "", false
}

// addNotes adds notes that say what the costs are based on and how many positions have none.
func (a *averageCosts) addNotes(run *Run, withoutCost int) {
	if a.goods != nil {
		if !a.priced {
			run.Note(CostUnknown, nil)
			return
		}
		run.Note(PurchasePriceBasis, nil)
	}
	if withoutCost > 0 {
		run.Note(CostUnknown, map[string]string{"positions": fmt.Sprint(withoutCost)})
	}
}
