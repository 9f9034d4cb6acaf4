package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Balance is what there is of one product in one warehouse. Units lie there, negative when more was shipped than
// received; Reserved is promised to customers, InTransit ordered and not received. StoreID is empty for reserves and
// expectations of orders that name no warehouse; Units is 0 there.
type Balance struct {
	StoreID                    string
	Units, Reserved, InTransit decimal.Decimal
	Recalculating              bool // the upstream is counting: the figures are not known
}

// Available is the inventory position: units − reserved + in transit, what the upstream calls quantity.
func (b Balance) Available() decimal.Decimal { return b.Units.Sub(b.Reserved).Add(b.InTransit) }

// Balances is the stock of the whole account at one moment.
type Balances struct {
	byProduct map[string][]Balance
	lines     int
}

// Of are the warehouses in which the product has or had something, in the order of their ids; none for what never
// moved.
func (b *Balances) Of(productID string) []Balance { return b.byProduct[productID] }

// In is the product's balance in one warehouse: zero where it never was.
func (b *Balances) In(productID, storeID string) Balance {
	for _, balance := range b.byProduct[productID] {
		if balance.StoreID == storeID {
			return balance
		}
	}
	return Balance{StoreID: storeID}
}

// All gives every product with its balances, in no order.
func (b *Balances) All() map[string][]Balance { return b.byProduct }

// Recalculating is how many products the upstream is counting right now.
func (b *Balances) Recalculating() int {
	n := 0
	for _, balances := range b.byProduct {
		if slices.ContainsFunc(balances, func(x Balance) bool { return x.Recalculating }) {
			n++
		}
	}
	return n
}

func (b *Balances) bytes() int { return len(b.byProduct)*120 + b.lines*160 }

// Balances reads the stock per warehouse: three light calls for the whole account, whatever its size, where the report
// by warehouse would cost five units for each thousand products.
func (c *Call) Balances(ctx context.Context) (*Balances, error) {
	return remembered(ctx, c, "balances", FreshFigures, func(ctx context.Context, up *moysklad.Client) (*Balances, error) {
		return readBalances(ctx, up, nil)
	})
}

// readBalances asks for null rather than nothing where the upstream is counting, so that unknown is not taken for 0.
func readBalances(ctx context.Context, up *moysklad.Client, filter moysklad.Filter) (*Balances, error) {
	b := &Balances{byProduct: map[string][]Balance{}}
	for _, figure := range []moysklad.StockType{moysklad.PhysicalStock, moysklad.ReservedStock, moysklad.InTransitStock} {
		query := moysklad.Query{Filter: filter, Params: map[string]string{"withRecalculate": "true"}}
		for row, err := range up.CurrentStock(ctx, figure, query) {
			if err != nil {
				return nil, err
			}
			b.add(figure, row)
		}
	}
	for id, balances := range b.byProduct {
		slices.SortFunc(balances, func(x, y Balance) int { return strings.Compare(x.StoreID, y.StoreID) })
		b.lines += len(balances)
		b.byProduct[id] = slices.Clip(balances)
	}
	return b, nil
}

func (b *Balances) add(figure moysklad.StockType, row moysklad.CurrentStock) {
	balances := b.byProduct[row.AssortmentID]
	i := slices.IndexFunc(balances, func(x Balance) bool { return x.StoreID == row.StoreID })
	if i < 0 {
		balances = append(balances, Balance{StoreID: row.StoreID})
		b.byProduct[row.AssortmentID] = balances
		i = len(balances) - 1
	}
	balance := &balances[i]
	switch {
	case row.Value == nil:
		balance.Recalculating = true
	case figure == moysklad.PhysicalStock:
		balance.Units = row.Value.Decimal
	case figure == moysklad.ReservedStock:
		balance.Reserved = row.Value.Decimal
	case figure == moysklad.InTransitStock:
		balance.InTransit = row.Value.Decimal
	}
}
