package tools

import (
	"context"
	"sync"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// otherOutflow are the documents that take goods out of a warehouse without selling them.
var otherOutflow = []string{"move", "loss", "processing", "productionstagecompletion", "purchasereturn"}

// soldInBundles is how outflow is named that sales documents caused and the product's own sales do not explain: the
// profit report counts a bundle, turnover the goods in it.
const soldInBundles = "bundle"

// readOutflow fills in what was sold and what went out in other ways, one list for each kind of document. Turnover
// without a document type would not do: it mixes sales with the rest, and leaves moves out unless a warehouse is named.
func (c *Call) readOutflow(ctx context.Context, goods map[string]*oldGood, from, to time.Time, warehouse *moysklad.Store) error {
	var store moysklad.Filter
	if warehouse != nil {
		store = store.Is("store", moysklad.Href("store", warehouse.ID))
	}
	c.ReadAt(to)
	shipped := map[string]decimal.Decimal{}
	var mu sync.Mutex
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		return c.readSold(ctx, goods, from, to, store)
	})
	for _, document := range append([]string{"demand", "retaildemand"}, otherOutflow...) {
		group.Go(func() error {
			return c.readTurnover(ctx, from, to, store.Is("type", document).Is("withoutturnover", "false"), func(id string, out decimal.Decimal) {
				good := goods[id]
				if good == nil || !out.IsPositive() {
					return
				}
				mu.Lock()
				defer mu.Unlock()
				if document == "demand" || document == "retaildemand" {
					shipped[id] = shipped[id].Add(out)
				} else {
					good.out[document] = good.out[document].Add(out)
				}
			})
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for id, units := range shipped {
		goods[id].explain(units)
	}
	return nil
}

// explain takes what sales documents shipped beyond the good's own sales as sold in bundles.
func (g *oldGood) explain(shipped decimal.Decimal) {
	if inBundles := shipped.Sub(g.gross); inBundles.IsPositive() {
		g.out[soldInBundles] = inBundles
	}
}

func (c *Call) readSold(ctx context.Context, goods map[string]*oldGood, from, to time.Time, store moysklad.Filter) error {
	for row, err := range c.Client.Profit(ctx, "byvariant", from, to, moysklad.Query{Filter: store}) {
		if err != nil {
			return err
		}
		if good := goods[row.Assortment.Meta.ID()]; good != nil {
			good.gross = row.SellQuantity.Decimal
			good.sold = row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
		}
	}
	return nil
}

func (c *Call) readTurnover(ctx context.Context, from, to time.Time, filter moysklad.Filter, each func(id string, out decimal.Decimal)) error {
	query := moysklad.Query{Filter: filter, Params: map[string]string{"groupBy": "variant"}}
	for row, err := range c.Client.Turnover(ctx, from, to, query) {
		if err != nil {
			return err
		}
		each(row.Assortment.Meta.ID(), row.Outcome.Quantity.Decimal)
	}
	return nil
}

// moved is everything that went out in other ways than the product's own sales.
func (g *oldGood) moved() decimal.Decimal {
	var sum decimal.Decimal
	for _, units := range g.out {
		sum = sum.Add(units)
	}
	return sum
}

func (g *oldGood) outflow() []outflow {
	list := []outflow{}
	for _, document := range append([]string{soldInBundles}, otherOutflow...) {
		if units, ok := g.out[document]; ok {
			list = append(list, outflow{document, unitsOf(units)})
		}
	}
	return list
}
