package truth

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Reconciliation is the result of the tool reconcile_shipments.
type Reconciliation struct {
	Matched             int          `json:"matched"`
	NotShipped          []TradeRow   `json:"not_shipped"`
	ShippedPartly       []TradeRow   `json:"shipped_partly"`
	ShippedWithoutOrder []TradeRow   `json:"shipped_without_order"`
	AmountDiffers       []TradeRow   `json:"amount_differs"`
	CancelledButShipped []TradeRow   `json:"cancelled_but_shipped"`
	DuplicateNumbers    []TradeRow   `json:"duplicate_order_numbers"`
	Classes             []TradeClass `json:"classes"`
	Totals              TradeTotals  `json:"totals"`
}

// TradeRow is an order with its shipments, or a shipment without an order.
type TradeRow struct {
	OrderID     *string          `json:"order_id"`
	OrderNumber *string          `json:"order_number"`
	State       *string          `json:"state"`
	OrderSum    *decimal.Decimal `json:"order_sum"`
	ShipmentIDs []string         `json:"shipment_ids"`
	ShippedSum  *decimal.Decimal `json:"shipped_sum"`
	Difference  *decimal.Decimal `json:"difference"`
}

// TradeSums has the numbers of documents and their sums.
type TradeSums struct {
	Orders       int              `json:"orders"`
	OrdersSum    *decimal.Decimal `json:"orders_sum"`
	Shipments    int              `json:"shipments"`
	ShipmentsSum *decimal.Decimal `json:"shipments_sum"`
	Difference   *decimal.Decimal `json:"difference"`
}

// TradeClass has the sums of one class.
type TradeClass struct {
	Class string `json:"class"`
	TradeSums
	Rows int `json:"rows"`
}

// TradeTotals has the sums of the period's documents, and of the documents outside the period that belong to them.
type TradeTotals struct {
	TradeSums
	OutsideOrders       int              `json:"outside_orders"`
	OutsideOrdersSum    *decimal.Decimal `json:"outside_orders_sum"`
	OutsideShipments    int              `json:"outside_shipments"`
	OutsideShipmentsSum *decimal.Decimal `json:"outside_shipments_sum"`
}

// trade is an order with its shipments. order is nil for a shipment without an order.
type trade struct {
	order     *sandbox.Document
	shipments []*sandbox.Document
}

// marketplaceNumber returns the marketplace's number from one field of a document.
func marketplaceNumber(d *sandbox.Document, place sandbox.Numbering) string {
	text := map[sandbox.Numbering]string{
		sandbox.NumberInName: d.Name, sandbox.NumberInCode: d.External, sandbox.NumberInAttribute: d.Number,
	}[place]
	return strings.ToLower(strings.TrimSpace(text))
}

// Reconciliation compares the orders and shipments of a period, for one channel, or for all if channel is nil. places
// are the fields in which it looks for duplicates of a marketplace's number. A shipment without a link counts as a
// shipment without an order; the generated books have no shipment that could be matched by number.
func (t *Truth) Reconciliation(p Period, graceDays int, channel *sandbox.SalesChannel, places ...sandbox.Numbering) Reconciliation {
	trades := t.trades(p, channel)
	duplicates := duplicated(trades, places)
	var answer Reconciliation
	sums := map[string]*tradeTally{}
	inside, outside := &tradeTally{}, &tradeTally{}
	for _, group := range trades {
		class := group.class(duplicates, t.now.AddDate(0, 0, -graceDays))
		sum := entry(sums, class)
		sum.rows++
		for d := range group.documents {
			sum.add(d)
			if p.Has(d.Moment) {
				inside.add(d)
			} else {
				outside.add(d)
			}
		}
		if list := answer.list(class); list != nil {
			*list = append(*list, group.row())
		}
	}
	for _, class := range []string{
		"matched", "in_flight", "cancelled", "not_shipped", "shipped_partly", "shipped_without_order", "amount_differs",
		"cancelled_but_shipped", "duplicate_order_numbers",
	} {
		sum := entry(sums, class)
		answer.Classes = append(answer.Classes, TradeClass{class, sum.sums(), sum.rows})
	}
	answer.Matched = sums["matched"].orders
	answer.Totals = TradeTotals{inside.sums(), outside.orders, money(outside.ordered), outside.shipments, money(outside.shipped)}
	return answer
}

// trades returns the trades that have a document in the period and a document of the channel.
func (t *Truth) trades(p Period, channel *sandbox.SalesChannel) []trade {
	var all []trade
	ordered := map[*sandbox.Document]bool{}
	for _, order := range t.books.Documents[sandbox.CustomerOrder] {
		if !posted(order) {
			continue
		}
		group := trade{order: order}
		for _, demand := range order.Followers {
			if posted(demand) {
				group.shipments = append(group.shipments, demand)
				ordered[demand] = true
			}
		}
		all = append(all, group)
	}
	for _, demand := range t.books.Documents[sandbox.Demand] {
		if posted(demand) && !ordered[demand] {
			all = append(all, trade{shipments: []*sandbox.Document{demand}})
		}
	}
	return slices.DeleteFunc(all, func(group trade) bool {
		touches, ofChannel := false, channel == nil
		for d := range group.documents {
			touches = touches || p.Has(d.Moment)
			ofChannel = ofChannel || d.Channel == channel
		}
		return !touches || !ofChannel
	})
}

// documents iterates over the order and its shipments.
func (o trade) documents(yield func(*sandbox.Document) bool) {
	if o.order != nil && !yield(o.order) {
		return
	}
	for _, s := range o.shipments {
		if !yield(s) {
			return
		}
	}
}

// duplicated returns the orders that have the same number as another order of their channel. Cancelled orders without
// shipments do not count. Names need to be unique only within a year.
func duplicated(trades []trade, places []sandbox.Numbering) map[*sandbox.Document]bool {
	type key struct {
		place   sandbox.Numbering
		channel *sandbox.SalesChannel
		number  string
		year    int
	}
	holders := map[key][]*sandbox.Document{}
	for _, group := range trades {
		if group.order == nil || cancelled(group.order) && len(group.shipments) == 0 {
			continue
		}
		for _, place := range places {
			k := key{place: place, channel: group.order.Channel, number: marketplaceNumber(group.order, place)}
			if place == sandbox.NumberInName {
				k.year = group.order.Moment.Year()
			}
			if k.number != "" {
				holders[k] = append(holders[k], group.order)
			}
		}
	}
	found := map[*sandbox.Document]bool{}
	for _, orders := range holders {
		for _, order := range orders {
			found[order] = found[order] || len(orders) > 1
		}
	}
	return found
}

func cancelled(order *sandbox.Document) bool {
	return order.State != nil && order.State.Type == "Unsuccessful"
}

func (o trade) class(duplicates map[*sandbox.Document]bool, inFlightSince time.Time) string {
	switch {
	case o.order == nil:
		return "shipped_without_order"
	case duplicates[o.order]:
		return "duplicate_order_numbers"
	case cancelled(o.order) && len(o.shipments) > 0:
		return "cancelled_but_shipped"
	case cancelled(o.order):
		return "cancelled"
	case len(o.shipments) == 0 && o.order.Moment.After(inFlightSince):
		return "in_flight"
	case len(o.shipments) == 0:
		return "not_shipped"
	case o.ordered().Round(0).Equal(o.shipped().Round(0)):
		return "matched"
	case o.underShipped():
		return "shipped_partly"
	}
	return "amount_differs"
}

func (o trade) ordered() decimal.Decimal {
	if o.order == nil {
		return decimal.Zero
	}
	return inOwnCurrency(o.order, amount(o.order.Sum))
}

func (o trade) shipped() decimal.Decimal {
	var sum decimal.Decimal
	for _, s := range o.shipments {
		sum = sum.Add(inOwnCurrency(s, amount(s.Sum)))
	}
	return sum
}

// underShipped reports whether fewer units of some item were shipped than ordered.
func (o trade) underShipped() bool {
	open := map[*sandbox.Item]sandbox.Units{}
	for n := range o.order.Positions {
		open[o.order.Positions[n].Item] += o.order.Positions[n].Quantity
	}
	for _, s := range o.shipments {
		for n := range s.Positions {
			open[s.Positions[n].Item] -= s.Positions[n].Quantity
		}
	}
	for _, units := range open {
		if units > 0 {
			return true
		}
	}
	return false
}

func (o trade) row() TradeRow {
	row := TradeRow{ShipmentIDs: []string{}, Difference: money(o.shipped().Sub(o.ordered()))}
	if o.order != nil {
		row.OrderID, row.OrderNumber, row.OrderSum = &o.order.ID, &o.order.Name, money(o.ordered())
		if o.order.State != nil {
			row.State = &o.order.State.Name
		}
	}
	for _, s := range o.shipments {
		row.ShipmentIDs = append(row.ShipmentIDs, s.ID)
	}
	slices.SortFunc(row.ShipmentIDs, cmp.Compare[string])
	if len(o.shipments) > 0 {
		row.ShippedSum = money(o.shipped())
	}
	return row
}

func (r *Reconciliation) list(class string) *[]TradeRow {
	return map[string]*[]TradeRow{
		"not_shipped": &r.NotShipped, "shipped_partly": &r.ShippedPartly, "shipped_without_order": &r.ShippedWithoutOrder,
		"amount_differs": &r.AmountDiffers, "cancelled_but_shipped": &r.CancelledButShipped, "duplicate_order_numbers": &r.DuplicateNumbers,
	}[class]
}

// tradeTally counts documents and adds up their sums.
type tradeTally struct {
	rows, orders, shipments int
	ordered, shipped        decimal.Decimal
}

func (t *tradeTally) add(d *sandbox.Document) {
	if d.Kind == sandbox.CustomerOrder {
		t.orders++
		t.ordered = t.ordered.Add(inOwnCurrency(d, amount(d.Sum)))
		return
	}
	t.shipments++
	t.shipped = t.shipped.Add(inOwnCurrency(d, amount(d.Sum)))
}

func (t *tradeTally) sums() TradeSums {
	return TradeSums{t.orders, money(t.ordered), t.shipments, money(t.shipped), money(t.shipped.Sub(t.ordered))}
}
