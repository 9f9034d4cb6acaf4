package moysklad

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"time"
)

// StockRow is a row of report/stock/all: one product or variant, with the sums of all warehouses that match the filter.
// Quantity is what the upstream calls available: stock − reserve + in transit. Cost is the average unit cost; 0 or nil
// means unknown.
//
// Source: md/reports/_report_stock.md.
type StockRow struct {
	Meta      Meta      `json:"meta"` // there is no id field; use Meta.ID
	Name      string    `json:"name"`
	Code      string    `json:"code"`
	Article   string    `json:"article"`
	Stock     Quantity  `json:"stock"`
	Reserve   Quantity  `json:"reserve"`
	InTransit Quantity  `json:"inTransit"`
	Quantity  Quantity  `json:"quantity"`
	Cost      *Kopecks  `json:"price"`
	StockDays *Quantity `json:"stockDays"` // average days in the warehouse
}

// StockType selects the figure of a short stock report.
type StockType string

// The figures of the short stock reports.
const (
	PhysicalStock  StockType = "stock"
	ReservedStock  StockType = "reserve"
	InTransitStock StockType = "inTransit"
)

// ProfitRow is a row of report/profit/by…; either Assortment or SalesChannel is set. Amounts are in the account's
// currency. The upstream's margin and salesMargin are not decoded, because they are misleading: with cost 0 they are 0
// and 100 %.
//
// Source: md/reports/_report_pnl.md.
type ProfitRow struct {
	Assortment     *AssortmentRef `json:"assortment"`
	SalesChannel   *Ref           `json:"salesChannel"`
	SellQuantity   Quantity       `json:"sellQuantity"`
	SellSum        Kopecks        `json:"sellSum"`
	SellCostSum    *Kopecks       `json:"sellCostSum"`
	ReturnQuantity Quantity       `json:"returnQuantity"`
	ReturnSum      Kopecks        `json:"returnSum"`
	ReturnCostSum  *Kopecks       `json:"returnCostSum"`
}

// AssortmentRef is a link to a product or variant in a row of a report.
type AssortmentRef struct {
	Meta Meta   `json:"meta"`
	Name string `json:"name"`
	Code string `json:"code"`
}

// ID returns the product's identifier. It is empty if the row has no product.
func (a *AssortmentRef) ID() string {
	if a == nil {
		return ""
	}
	return a.Meta.ID()
}

// TurnoverRow shows how the stock of a product changed over a period. Sums are at cost.
//
// Source: md/reports/_report_turnover.md.
type TurnoverRow struct {
	Assortment AssortmentRef `json:"assortment"`
	Opening    Movement      `json:"onPeriodStart"`
	Closing    Movement      `json:"onPeriodEnd"`
	Income     Movement      `json:"income"`
	Outcome    Movement      `json:"outcome"`
}

// Movement is a quantity of goods and their cost.
type Movement struct {
	Quantity Quantity `json:"quantity"`
	Sum      *Kopecks `json:"sum"`
}

// StockLayer is a row of report/byoperations/stock: the part of a product's stock that came from one document. The cost
// fields are nil if the role may not see cost.
type StockLayer struct {
	Stock       Quantity `json:"stock"`
	CostPerUnit *Kopecks `json:"costPerUnit"`
	SumCost     *Kopecks `json:"sumCost"`
}

// CashBalance is a row of report/money/byaccount. Account is nil for the organization's cash desk. Balance is in the
// currency of the bank account, which the row does not name.
//
// Source: md/reports/_report_money.md.
type CashBalance struct {
	Account      *Ref    `json:"account"`
	Organization Ref     `json:"organization"`
	Balance      Kopecks `json:"balance"`
}

// CounterpartyRow is a row of report/counterparty. If Balance is negative, the counterparty owes us that amount; if it
// is positive, we owe it to them.
//
// Source: md/reports/_report_counterparty.md, from its example.
type CounterpartyRow struct {
	Counterparty struct {
		Meta Meta   `json:"meta"`
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"counterparty"`
	DemandsSum Kopecks `json:"demandsSum"`
	Balance    Kopecks `json:"balance"`
}

func (r StockRow) key() string { return r.Meta.ID() }

func (r ProfitRow) key() string {
	if r.Assortment != nil {
		return r.Assortment.ID()
	}
	return r.SalesChannel.ID()
}

func (r TurnoverRow) key() string     { return r.Assortment.ID() }
func (r CounterpartyRow) key() string { return r.ID() }

// ID returns the identifier of the counterparty.
func (r CounterpartyRow) ID() string { return cmp.Or(r.Counterparty.ID, r.Counterparty.Meta.ID()) }

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

// Profit reads report/profit/by…; by is byproduct, byvariant or bysaleschannel.
func (c *Client) Profit(ctx context.Context, by string, from, to time.Time, q Query) iter.Seq2[ProfitRow, error] {
	return rows[ProfitRow](ctx, c, request{path: join("report/profit", by)}, q.between(from, to))
}

// Turnover reads report/turnover/all.
func (c *Client) Turnover(ctx context.Context, from, to time.Time, q Query) iter.Seq2[TurnoverRow, error] {
	return rows[TurnoverRow](ctx, c, request{path: "report/turnover/all"}, q.between(from, to))
}

// between sets the period. It always sends both ends, because the upstream substitutes a default for a missing one.
func (q Query) between(from, to time.Time) Query {
	params := map[string]string{"momentFrom": FormatMoment(from), "momentTo": FormatMoment(to)}
	maps.Copy(params, q.Params)
	q.Params = params
	return q
}

// MoneyByAccount reads report/money/byaccount, which is not divided into pages and reports no size.
func (c *Client) MoneyByAccount(ctx context.Context) ([]CashBalance, error) {
	p, err := readPage[CashBalance](ctx, c, request{path: "report/money/byaccount"})
	return p.Rows, err
}

// CounterpartyBalances reads report/counterparty.
func (c *Client) CounterpartyBalances(ctx context.Context, q Query) iter.Seq2[CounterpartyRow, error] {
	return rows[CounterpartyRow](ctx, c, request{path: "report/counterparty"}, q)
}

// CounterpartyBalancesOf reads report/counterparty for the given counterparties, at most [MaxCounterparties] in one call.
// Unlike [Client.CounterpartyBalances], it includes archived ones. It is a POST, because the list may be long, but it
// writes nothing. If a counterparty is missing, the error wraps [ErrPermission].
func (c *Client) CounterpartyBalancesOf(ctx context.Context, ids []string) ([]CounterpartyRow, error) {
	asked := make([]any, len(ids))
	for i, id := range ids {
		meta := map[string]string{"href": Href("counterparty", id), "type": "counterparty", "mediaType": "application/json"}
		asked[i] = map[string]any{"counterparty": map[string]any{"meta": meta}}
	}
	body, err := json.Marshal(map[string]any{"counterparties": asked})
	if err != nil {
		return nil, fmt.Errorf("write the list of counterparties: %w", err)
	}
	p, err := readPage[CounterpartyRow](ctx, c, request{method: http.MethodPost, path: "report/counterparty", body: body})
	if err == nil && len(p.Rows) != len(ids) {
		err = fmt.Errorf("report/counterparty: %w: %d rows for %d counterparties", ErrPermission, len(p.Rows), len(ids))
	}
	return p.Rows, err
}

// MaxCounterparties is how many counterparties one call can ask for: the upstream accepts no longer array.
//
// Source: md/_restrictions.md.
const MaxCounterparties = 1000
