package tools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type reconcileShipmentsArguments struct {
	Period
	Channel   string `json:"channel,omitempty" jsonschema_description:"a sales channel's name or id; all if absent"`
	NumberIn  string `json:"number_in,omitempty" jsonschema_description:"where the marketplace's number is: name, external_code or attribute:NAME; external code, then name, if absent. Links come first"`
	GraceDays int    `json:"grace_days,omitempty" jsonschema:"minimum=0,maximum=60,default=3" jsonschema_description:"days in which a new order need not be shipped yet"`
	RowLimit
}

type reconcileShipmentsResult struct {
	From                Day          `json:"from" jsonschema:"format=date-time"`
	To                  Day          `json:"to" jsonschema:"format=date-time"`
	GraceDays           WholeDays    `json:"grace_days" jsonschema_description:"days in which a new order need not be shipped yet"`
	Channel             *string      `json:"channel" jsonschema_description:"the one that was asked for; null: all orders and shipments"`
	Matched             int          `json:"matched" jsonschema_description:"orders shipped for exactly their sum"`
	NotShipped          []tradeRow   `json:"not_shipped"`
	ShippedPartly       []tradeRow   `json:"shipped_partly"`
	ShippedWithoutOrder []tradeRow   `json:"shipped_without_order"`
	AmountDiffers       []tradeRow   `json:"amount_differs" jsonschema_description:"all units shipped, for another sum"`
	CancelledButShipped []tradeRow   `json:"cancelled_but_shipped"`
	DuplicateNumbers    []tradeRow   `json:"duplicate_order_numbers"`
	Classes             []tradeClass `json:"classes" jsonschema_description:"every document is in exactly one class; in_flight: not shipped yet and younger than grace_days; cancelled: cancelled and not shipped"`
	Totals              tradeTotals  `json:"totals"`
}

type tradeRow struct {
	OrderID         *string    `json:"order_id"`
	OrderNumber     *string    `json:"order_number"`
	OrderMoment     *time.Time `json:"order_moment"`
	State           *string    `json:"state" jsonschema_description:"of the order; null: it has none"`
	OrderSum        *Money     `json:"order_sum"`
	ShipmentNumbers []string   `json:"shipment_numbers"`
	ShipmentIDs     []string   `json:"shipment_ids"`
	ShippedSum      *Money     `json:"shipped_sum" jsonschema_description:"null: no shipment"`
	Difference      *Money     `json:"difference" jsonschema_description:"shipped - ordered"`
	MatchedBy       *string    `json:"matched_by" jsonschema_description:"how the shipments were found: link, external_code, name or attribute"`
}

// tradeSums has the numbers of documents and their sums in the account's currency.
type tradeSums struct {
	Orders       int    `json:"orders"`
	OrdersSum    *Money `json:"orders_sum"`
	Shipments    int    `json:"shipments"`
	ShipmentsSum *Money `json:"shipments_sum"`
	Difference   *Money `json:"difference" jsonschema_description:"shipments_sum - orders_sum"`
}

type tradeClass struct {
	Class orderClass `json:"class"`
	tradeSums
	Rows   int `json:"rows" jsonschema_description:"orders, and shipments without an order"`
	Listed int `json:"listed" jsonschema_description:"rows that are listed"`
}

type tradeTotals struct {
	tradeSums
	OutsideOrders       int    `json:"outside_orders" jsonschema_description:"orders of other days that shipments of the period belong to; in the classes, not in orders"`
	OutsideOrdersSum    *Money `json:"outside_orders_sum"`
	OutsideShipments    int    `json:"outside_shipments" jsonschema_description:"shipments of other days that belong to orders of the period; in the classes, not in shipments"`
	OutsideShipmentsSum *Money `json:"outside_shipments_sum"`
}

// usualEarlierDays is how many days before the period orders are looked for that were shipped in it. More grace days make
// it more.
const usualEarlierDays = 30

// reconcileShipments makes the calls that README.md lists and explains.
func reconcileShipments(ctx context.Context, run *Run, args reconcileShipmentsArguments) (reconcileShipmentsResult, error) {
	var none reconcileShipmentsResult
	fields, attribute, err := numberFields(args.NumberIn)
	if err != nil {
		return none, err
	}
	from, to, err := args.Within(run.Now())
	if err != nil {
		return none, err
	}
	channel, err := run.salesChannel(ctx, "channel", args.Channel)
	if err != nil {
		return none, err
	}
	run.readAt(run.Now())
	states, err := run.Client.States(ctx, "customerorder")
	if err != nil {
		return none, err
	}
	reader := &tradeReader{
		run: run, from: from, to: to, channel: channel, attribute: attribute, cancelledStates: cancelledStates(states),
		seen: map[string]bool{}, earlierDays: max(args.GraceDays, usualEarlierDays),
	}
	if err := reader.read(ctx, to.AddDate(0, 0, args.GraceDays)); err != nil {
		return none, err
	}
	if reader.unreadLinks > 0 {
		run.Note(LinkedUnread, map[string]string{"count": fmt.Sprint(reader.unreadLinks)})
	}
	groups := reader.keepChannel(keepPeriod(groupTrade(reader.orders, reader.shipments, fields)))
	unshipped, err := reader.findUnshipped(ctx, groups)
	if err != nil {
		return none, err
	}
	inFlightSince := run.Now().AddDate(0, 0, -args.GraceDays)
	classifyTrade(groups, fields, inFlightSince, func(g *tradeGroup) bool { return unshipped[g] })
	run.noteNoStatus(groups)
	result := newReconciliation(run, groups, states, args.Limit)
	result.From, result.To, result.GraceDays = dayOf(from), dayOf(to), WholeDays(args.GraceDays)
	if channel != nil {
		result.Channel = &channel.Name
	}
	return result, nil
}

// numberFields returns the fields that may have the marketplace's number, in order of precedence. attribute is the name
// of the attribute that the argument names, if any.
func numberFields(argument string) (fields []numberField, attribute string, err error) {
	name, isAttribute := strings.CutPrefix(argument, "attribute:")
	switch {
	case argument == "":
		return []numberField{externalCodeField, nameField}, "", nil
	case argument == string(nameField), argument == string(externalCodeField):
		return []numberField{numberField(argument)}, "", nil
	case isAttribute && bilingual.Fold(name) != "":
		return []numberField{attributeField}, name, nil
	}
	return nil, "", check.Invalid(wrongNumberField.At("number_in").WithValue(argument))
}

// cancelledStates returns the ids of the statuses that end an order without success.
func cancelledStates(states []moysklad.State) map[string]bool {
	ids := map[string]bool{}
	for _, s := range states {
		if s.Type == "Unsuccessful" {
			ids[s.ID] = true
		}
	}
	return ids
}

// noteNoStatus adds a note if there are orders without a status. They count as not cancelled.
func (run *Run) noteNoStatus(groups []*tradeGroup) {
	count := 0
	for _, g := range groups {
		if g.order != nil && g.order.state == "" {
			count++
		}
	}
	if count > 0 {
		run.Note(NoStatusIncluded, map[string]string{"count": fmt.Sprint(count)})
	}
}

// orderClasses lists all classes in display order. The result lists no rows for the first three.
var orderClasses = []orderClass{
	matchedOrder, inFlight, cancelledOrder,
	notShipped, shippedPartly, withoutOrder, amountDiffers, cancelledShipped, duplicateNumber,
}

func newReconciliation(run *Run, groups []*tradeGroup, states []moysklad.State, limit int) reconcileShipmentsResult {
	stateNames := namesOfStates(states)
	sums := map[orderClass]*tradeTally{}
	counts := map[orderClass]int{}
	lists := map[orderClass]*topRows[*tradeGroup]{}
	for _, class := range orderClasses {
		sums[class], lists[class] = &tradeTally{}, &topRows[*tradeGroup]{limit: limit, compare: byDifference}
	}
	for _, g := range groups {
		sums[g.class].addGroup(g)
		counts[g.class]++
		lists[g.class].add(g)
	}
	result := reconcileShipmentsResult{Matched: sums[matchedOrder].orders, Totals: newTradeTotals(groups)}
	shown, total := 0, 0
	for _, class := range orderClasses {
		one := tradeClass{Class: class, tradeSums: sums[class].result(), Rows: counts[class]}
		if into := result.rowsOf(class); into != nil {
			*into = sortedTradeRows(lists[class], stateNames)
			one.Listed = len(*into)
			shown, total = shown+one.Listed, total+one.Rows
		}
		result.Classes = append(result.Classes, one)
	}
	run.listOf(shown, total) // adds the note; each class says how many of its rows are listed
	return result
}

// rowsOf returns the list for the rows of a class. It returns nil if the result lists no rows for the class.
func (r *reconcileShipmentsResult) rowsOf(class orderClass) *[]tradeRow {
	return map[orderClass]*[]tradeRow{
		notShipped:       &r.NotShipped,
		shippedPartly:    &r.ShippedPartly,
		withoutOrder:     &r.ShippedWithoutOrder,
		amountDiffers:    &r.AmountDiffers,
		cancelledShipped: &r.CancelledButShipped,
		duplicateNumber:  &r.DuplicateNumbers,
	}[class]
}

func (t *tradeTally) result() tradeSums {
	return tradeSums{t.orders, MoneyOf(t.ordersSum), t.shipments, MoneyOf(t.shippedSum), MoneyOf(t.shippedSum.Sub(t.ordersSum))}
}

// newTradeTotals counts documents of the period separately from documents outside it that are linked with them.
func newTradeTotals(groups []*tradeGroup) tradeTotals {
	var inside, outside tradeTally
	of := map[bool]*tradeTally{false: &inside, true: &outside}
	for _, g := range groups {
		if g.order != nil {
			of[g.order.outsidePeriod].addOrder(g.order)
		}
		for _, s := range g.shipments {
			of[s.outsidePeriod].addShipment(s)
		}
	}
	return tradeTotals{
		tradeSums:           inside.result(),
		OutsideOrders:       outside.orders,
		OutsideOrdersSum:    MoneyOf(outside.ordersSum),
		OutsideShipments:    outside.shipments,
		OutsideShipmentsSum: MoneyOf(outside.shippedSum),
	}
}

func sortedTradeRows(list *topRows[*tradeGroup], stateNames map[string]string) []tradeRow {
	list.sortAndCut()
	return convert(list.rows, func(g *tradeGroup) tradeRow { return newTradeRow(g, stateNames) })
}

func newTradeRow(g *tradeGroup, stateNames map[string]string) tradeRow {
	row := tradeRow{
		ShipmentNumbers: convert(g.shipments, func(s *tradeDocument) string { return s.number }),
		ShipmentIDs:     convert(g.shipments, func(s *tradeDocument) string { return s.id }),
		Difference:      MoneyOf(g.shippedSum().Sub(g.orderSum())),
		MatchedBy:       nilIfEmpty(string(g.matchedBy)),
	}
	if o := g.order; o != nil {
		row.OrderID, row.OrderNumber, row.OrderMoment = &o.id, &o.number, new(o.moment.UTC())
		row.State, row.OrderSum = nilIfEmpty(stateNames[o.state]), MoneyOf(o.sum)
	}
	if len(g.shipments) > 0 {
		row.ShippedSum = MoneyOf(g.shippedSum())
	}
	return row
}
