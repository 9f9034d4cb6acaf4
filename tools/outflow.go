package tools

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// nonSaleDocuments lists the kinds of documents that take goods out of a warehouse without a sale.
var nonSaleDocuments = []string{"move", "loss", "processing", "productionstagecompletion", "purchasereturn"}

// bundleOutflow is the kind of outflow for goods sold as parts of bundles. Sales documents shipped these units, but the
// profit report counts the sale for the bundle, while the turnover report counts the goods in it.
const bundleOutflow = "bundle"

// goodOutflows is the outflow of goods in a window, by the id of the good. Goods without movement have no entry.
type goodOutflows struct {
	mu   sync.Mutex
	byID map[string]*goodOutflow
}

type goodOutflow struct {
	gross, net compactDecimal // sales of the good itself, before and after deducting returns
	shipped    compactDecimal // units shipped by sales documents, including those in bundles
	other      []outflow
}

// readGoodOutflows reads sales and other outflow, with one list for each kind of document. The turnover report for all
// kinds of documents together cannot be used: it mixes sales with the rest, and omits moves unless a warehouse is
// given.
func (run *Run) readGoodOutflows(ctx context.Context, from, to time.Time, warehouse *moysklad.Store) (*goodOutflows, error) {
	store := atWarehouse(moysklad.Filter{}, warehouse)
	run.readAt(to)
	outflows := &goodOutflows{byID: map[string]*goodOutflow{}}
	group, ctx := caught.WithContext(ctx)
	group.Go(func() error {
		for row, err := range run.Client.Profit(ctx, "byvariant", from, to, moysklad.Query{Filter: store}) {
			if err != nil {
				return err
			}
			net := row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
			outflows.update(row.Assortment.ID(), func(o *goodOutflow) { o.gross, o.net = compactOf(row.SellQuantity.Decimal), compactOf(net) })
		}
		return nil
	})
	for _, document := range []string{"demand", "retaildemand"} {
		group.Go(func() error {
			return run.readOutflow(ctx, from, to, document, store, func(id string, out decimal.Decimal) {
				outflows.update(id, func(o *goodOutflow) { o.shipped = o.shipped.plus(out) })
			})
		})
	}
	for _, document := range nonSaleDocuments {
		group.Go(func() error {
			return run.readOutflow(ctx, from, to, document, store, func(id string, out decimal.Decimal) {
				outflows.update(id, func(o *goodOutflow) { o.other = append(o.other, outflow{document, UnitsOf(out)}) })
			})
		})
	}
	return outflows, group.Wait()
}

func (o *goodOutflows) update(id string, change func(*goodOutflow)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	change(entryOf(o.byID, id))
}

// readOutflow calls each for every good that documents of one kind took out.
func (run *Run) readOutflow(
	ctx context.Context, from, to time.Time, document string, store moysklad.Filter, each func(id string, out decimal.Decimal),
) error {
	query := moysklad.Query{
		Filter: store.Is("type", document).Is("withoutturnover", "false").WithArchived(),
		Params: map[string]string{"groupBy": "variant"},
	}
	for row, err := range run.Client.Turnover(ctx, from, to, query) {
		if err != nil {
			return err
		}
		if row.Outcome.Quantity.IsPositive() {
			each(row.Assortment.ID(), row.Outcome.Quantity.Decimal)
		}
	}
	return nil
}

// of returns the outflow of a good. It is zero if the good had no movement.
func (o *goodOutflows) of(id string) goodOutflow {
	if one := o.byID[id]; one != nil {
		return *one
	}
	return goodOutflow{}
}

// otherThanSales returns the outflow other than the good's own sales, in display order.
func (o goodOutflow) otherThanSales() []outflow {
	list := []outflow{}
	if inBundles := o.shipped.decimal().Sub(o.gross.decimal()); inBundles.IsPositive() {
		list = append(list, outflow{bundleOutflow, UnitsOf(inBundles)})
	}
	for _, document := range nonSaleDocuments {
		if i := slices.IndexFunc(o.other, func(one outflow) bool { return one.Document == document }); i >= 0 {
			list = append(list, o.other[i])
		}
	}
	return list
}
