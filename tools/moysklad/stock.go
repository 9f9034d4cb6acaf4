package moysklad

import (
	"context"
	"iter"
)

func (r StockRow) key() string { return r.Meta.ID() }

// StockAll reads report/stock/all. Unless the filter sets them, it adds stockMode=all and quantityMode=all, because by
// default the upstream leaves out rows without available stock.
func (c *Client) StockAll(ctx context.Context, q Query) iter.Seq2[StockRow, error] {
	q.Filter = q.Filter.withDefault("stockMode", "all").withDefault("quantityMode", "all")
	return rows[StockRow](ctx, c, request{path: "report/stock/all"}, q)
}

// StockLayers reads report/byoperations/stock for one product or variant: which documents its stock came from. The rows
// have no key, because a document may have several layers.
func (c *Client) StockLayers(ctx context.Context, assortment Meta) iter.Seq2[StockLayer, error] {
	q := Query{Filter: Filter{}.Is("assortment", Href(assortment.Type, assortment.ID()))}
	return rows[StockLayer](ctx, c, request{path: "report/byoperations/stock"}, q)
}
