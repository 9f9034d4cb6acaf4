package moysklad

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
)

func (r StockRow) key() string      { return r.Meta.ID() }
func (r StoreStockRow) key() string { return r.Meta.ID() }
func (StockLayer) key() string      { return "" } // a document may have left several layers

// StockAll reads report/stock/all with stockMode=all;quantityMode=all unless the filter says otherwise: by default the
// upstream hides whatever has nothing available.
func (c *Client) StockAll(ctx context.Context, q Query) iter.Seq2[StockRow, error] {
	q.Filter = q.Filter.orElse("stockMode", "all").orElse("quantityMode", "all")
	return rows[StockRow](ctx, c, request{path: "report/stock/all"}, q, 0)
}

// StockByStore reads report/stock/bystore with stockMode=all unless the filter says otherwise.
func (c *Client) StockByStore(ctx context.Context, q Query) iter.Seq2[StoreStockRow, error] {
	q.Filter = q.Filter.orElse("stockMode", "all")
	return rows[StoreStockRow](ctx, c, request{path: "report/stock/bystore"}, q, 0)
}

// StockLayers reads report/byoperations/stock for one product or variant.
func (c *Client) StockLayers(ctx context.Context, assortment Meta) iter.Seq2[StockLayer, error] {
	q := Query{Filter: Filter{}.Is("assortment", Href(assortment.Type, assortment.ID()))}
	return rows[StockLayer](ctx, c, request{path: "report/byoperations/stock"}, q, 0)
}

// CurrentStock reads report/stock/bystore/current: one cheap call for the whole account, zeros included. Items that the
// upstream recalculates are missing unless q.Params asks withRecalculate=true, which gives them a nil Value. Rows have
// no order.
func (c *Client) CurrentStock(ctx context.Context, figure StockType, q Query) iter.Seq2[CurrentStock, error] {
	q.Params = maps.Clone(q.Params)
	if q.Params == nil {
		q.Params = map[string]string{}
	}
	q.Params["stockType"], q.Params["include"] = string(figure), "zeroLines"
	r := request{path: "report/stock/bystore/current", query: q.values()}
	return func(yield func(CurrentStock, error) bool) {
		var all []CurrentStock
		err := c.read(ctx, r, func(res *http.Response) (err error) {
			if err = mustBeJSON(res); err == nil {
				all, err = decodeCurrent(json.NewDecoder(res.Body), figure)
			}
			return err
		})
		if err != nil {
			yield(CurrentStock{}, err)
			return
		}
		for _, row := range all {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// decodeCurrent reads the whole report before any of it is used, since a broken answer is asked for again. A large account
// has millions of rows: the ids in them are kept once.
func decodeCurrent(decoder *json.Decoder, figure StockType) (all []CurrentStock, err error) {
	ids := map[string]string{}
	once := func(id string) string {
		if _, known := ids[id]; !known {
			ids[id] = id
		}
		return ids[id]
	}
	err = decodeEach(decoder, func(row currentRow) error {
		current, err := row.of(figure)
		current.AssortmentID, current.StoreID = once(current.AssortmentID), once(current.StoreID)
		all = append(all, current)
		return err
	})
	return all, err
}

// currentRow is a row of a short report, whose figure stands under the name of the stockType that was asked for.
type currentRow struct {
	AssortmentID string          `json:"assortmentId"`
	StoreID      string          `json:"storeId"` // null for orders without a store
	Stock        json.RawMessage `json:"stock"`
	FreeStock    json.RawMessage `json:"freeStock"`
	Quantity     json.RawMessage `json:"quantity"`
	Reserve      json.RawMessage `json:"reserve"`
	InTransit    json.RawMessage `json:"inTransit"`
}

func (r currentRow) of(figure StockType) (CurrentStock, error) {
	row := CurrentStock{AssortmentID: r.AssortmentID, StoreID: r.StoreID}
	raw := map[StockType]json.RawMessage{
		PhysicalStock: r.Stock, FreeStock: r.FreeStock, AvailableStock: r.Quantity, ReservedStock: r.Reserve, InTransitStock: r.InTransit,
	}[figure]
	if raw == nil {
		return row, fmt.Errorf("report/stock/bystore/current: %w: %s came without its %s", ErrIncomplete, r.AssortmentID, figure)
	}
	if err := json.Unmarshal(raw, &row.Value); err != nil {
		return row, fmt.Errorf("report/stock/bystore/current: %w: %s of %s: %w", ErrIncomplete, figure, r.AssortmentID, err)
	}
	return row, nil
}
