package tools

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// otherOutflow are the documents that take goods out of a warehouse without selling them.
var otherOutflow = []string{"move", "loss", "processing", "productionstagecompletion", "purchasereturn"}

// soldInBundles is how outflow is named that sales documents caused and the product's own sales do not explain: the
// profit report counts a bundle, turnover the goods in it.
const soldInBundles = "bundle"

// outflows are what went out of every good in a window, by the good's id. Only what moved is in it.
type outflows struct {
	mu   sync.Mutex
	byID map[string]*outgoing
}

// outgoing is what went out of one good.
type outgoing struct {
	gross, net sum // sold by itself, without and with returns deducted
	shipped    sum // by sales documents, in bundles too
	other      []outflow
}

// outflow reads what was sold and what went out in other ways, one list for each kind of document. Turnover without a
// document type would not do: it mixes sales with the rest, and leaves moves out unless a warehouse is named.
func (c *Call) outflow(ctx context.Context, from, to time.Time, warehouse *moysklad.Store) (*outflows, error) {
	var store moysklad.Filter
	if warehouse != nil {
		store = store.Is("store", moysklad.Href("store", warehouse.ID))
	}
	c.ReadAt(to)
	read := &outflows{byID: map[string]*outgoing{}}
	group, ctx := caught.WithContext(ctx)
	group.Go(func() error {
		for row, err := range c.Client.Profit(ctx, "byvariant", from, to, moysklad.Query{Filter: store}) {
			if err != nil {
				return err
			}
			net := row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
			read.add(row.Assortment.ID(), func(o *outgoing) { o.gross, o.net = sumOf(row.SellQuantity.Decimal), sumOf(net) })
		}
		return nil
	})
	for _, document := range []string{"demand", "retaildemand"} {
		group.Go(func() error {
			return c.readOut(ctx, from, to, document, store, func(id string, out decimal.Decimal) {
				read.add(id, func(o *outgoing) { o.shipped = o.shipped.plus(out) })
			})
		})
	}
	for _, document := range otherOutflow {
		group.Go(func() error {
			return c.readOut(ctx, from, to, document, store, func(id string, out decimal.Decimal) {
				read.add(id, func(o *outgoing) { o.other = append(o.other, outflow{document, unitsOf(out)}) })
			})
		})
	}
	return read, group.Wait()
}

func (o *outflows) add(id string, change func(*outgoing)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	one := o.byID[id]
	if one == nil {
		one = &outgoing{}
		o.byID[strings.Clone(id)] = one // without the link that it is a part of
	}
	change(one)
}

// readOut gives the goods that documents of one kind took out.
func (c *Call) readOut(
	ctx context.Context, from, to time.Time, document string, store moysklad.Filter, each func(id string, out decimal.Decimal),
) error {
	query := moysklad.Query{
		Filter: store.Is("type", document).Is("withoutturnover", "false").Is("archived", "true").Is("archived", "false"),
		Params: map[string]string{"groupBy": "variant"},
	}
	for row, err := range c.Client.Turnover(ctx, from, to, query) {
		if err != nil {
			return err
		}
		if row.Outcome.Quantity.IsPositive() {
			each(row.Assortment.ID(), row.Outcome.Quantity.Decimal)
		}
	}
	return nil
}

// of is what went out of a good; nothing of one that did not move.
func (o *outflows) of(id string) outgoing {
	if one := o.byID[id]; one != nil {
		return *one
	}
	return outgoing{}
}

// otherwise is what went out in other ways than by the product's own sales, in the order of the answer.
func (o outgoing) otherwise() []outflow {
	list := []outflow{}
	if inBundles := o.shipped.decimal().Sub(o.gross.decimal()); inBundles.IsPositive() {
		list = append(list, outflow{soldInBundles, unitsOf(inBundles)})
	}
	for _, document := range otherOutflow {
		if i := slices.IndexFunc(o.other, func(one outflow) bool { return one.Document == document }); i >= 0 {
			list = append(list, o.other[i])
		}
	}
	return list
}
