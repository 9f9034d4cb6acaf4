package tools

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// orderClass is the outcome of the reconciliation for an order with its shipments, or for a shipment without an order.
// Each document is in exactly one class, so the sums of all classes add up to the sums of all orders and all shipments.
type orderClass string

const (
	matchedOrder     orderClass = "matched"
	notShipped       orderClass = "not_shipped"
	inFlight         orderClass = "in_flight" // not shipped yet, but the order is recent
	shippedPartly    orderClass = "shipped_partly"
	withoutOrder     orderClass = "shipped_without_order"
	amountDiffers    orderClass = "amount_differs"
	cancelledShipped orderClass = "cancelled_but_shipped"
	cancelledOrder   orderClass = "cancelled" // cancelled and not shipped
	duplicateNumber  orderClass = "duplicate_order_numbers"
)

// numberField is the field of a document that has the marketplace's number, or [byLink].
type numberField string

// tradeDocument has the data of an order or shipment that reconciliation needs. Sum is in hundredths of the account's
// currency.
type tradeDocument struct {
	id, number    string
	moment        time.Time
	sum           decimal.Decimal
	channel       string // id of the sales channel; "" means none
	state         string
	cancelled     bool
	numbers       map[numberField]string // the marketplace's number in each field, normalized
	links         []string               // ids of linked documents: for an order its shipments, for a shipment its order
	outsidePeriod bool                   // the document is outside the period; it may be linked with one inside
}

func (d *tradeDocument) unlinked() bool { return len(d.links) == 0 }

// tradeGroup is an order with its shipments, or a single shipment without an order.
type tradeGroup struct {
	order     *tradeDocument
	shipments []*tradeDocument
	matchedBy numberField // how the shipments were matched; empty if there are none
	class     orderClass
}

func (g *tradeGroup) shippedSum() decimal.Decimal {
	sum := decimal.Zero
	for _, s := range g.shipments {
		sum = sum.Add(s.sum)
	}
	return sum
}

func (g *tradeGroup) orderSum() decimal.Decimal {
	if g.order == nil {
		return decimal.Zero
	}
	return g.order.sum
}

// sumsDiffer compares sums rounded to whole hundredths, because sums converted from other currencies have more digits.
func (g *tradeGroup) sumsDiffer() bool { return !g.orderSum().Round(0).Equal(g.shippedSum().Round(0)) }

// byLink means that order and shipment were matched by a link, which may be set on either of them.
const byLink numberField = "link"

// groupTrade puts each document into exactly one group. A shipment belongs to the order that it is linked with. A
// shipment without a link belongs to the order with the same number. The fields are compared in their order, and the
// first one that matches decides. Numbers are compared only within a channel, but a shipment without a channel matches
// orders of any channel, and an order without one matches shipments of any, if only one channel has the number. A shipment
// never matches by number if the order has linked shipments or is from a later day.
func groupTrade(orders, shipments []*tradeDocument, fields []numberField) []*tradeGroup {
	groups := make([]*tradeGroup, 0, len(orders))
	byID := make(map[string]*tradeGroup, len(orders))
	ownerOf := map[string]*tradeGroup{} // by shipment id: the group of the order that links to the shipment
	for _, o := range orders {
		g := &tradeGroup{order: o}
		groups, byID[o.id] = append(groups, g), g
		for _, id := range o.links {
			ownerOf[id] = g
		}
	}
	var unlinked []*tradeDocument
	for _, s := range shipments {
		g := ownerOf[s.id]
		if len(s.links) > 0 && byID[s.links[0]] != nil {
			g = byID[s.links[0]]
		}
		if g == nil {
			unlinked = append(unlinked, s)
			continue
		}
		g.shipments, g.matchedBy = append(g.shipments, s), byLink
	}
	numbers := newNumberIndex(groups, unlinked, fields)
	for _, s := range unlinked {
		if g, by := numbers.find(s); g != nil {
			g.shipments, g.matchedBy = append(g.shipments, s), by
			continue
		}
		groups = append(groups, &tradeGroup{shipments: []*tradeDocument{s}})
	}
	return groups
}

// numberIndex finds orders by the marketplace's number.
type numberIndex struct {
	fields   []numberField
	byNumber map[numberField]map[string]sameNumber
}

// sameNumber has the orders with a number, and the channels of the shipments with it.
type sameNumber struct {
	orders   []*tradeGroup
	channels []string
}

func newNumberIndex(groups []*tradeGroup, shipments []*tradeDocument, fields []numberField) numberIndex {
	n := numberIndex{fields, map[numberField]map[string]sameNumber{}}
	for _, field := range fields {
		byNumber := map[string]sameNumber{}
		for _, g := range groups {
			if key := g.order.numbers[field]; key != "" && g.matchedBy != byLink {
				same := byNumber[key]
				same.orders = append(same.orders, g)
				byNumber[key] = same
			}
		}
		for _, s := range shipments {
			same, found := byNumber[s.numbers[field]]
			if found && s.channel != "" && !slices.Contains(same.channels, s.channel) {
				same.channels = append(same.channels, s.channel)
				byNumber[s.numbers[field]] = same
			}
		}
		n.byNumber[field] = byNumber
	}
	return n
}

// find returns the order of a shipment, and the field with the number that matched. If several orders have the number,
// they are duplicates and are shown together; find returns the earliest that is not cancelled. If the shipment has a
// link, its order was not read, and find returns nil.
func (n numberIndex) find(s *tradeDocument) (*tradeGroup, numberField) {
	if !s.unlinked() {
		return nil, ""
	}
	for _, field := range n.fields {
		key := s.numbers[field]
		if key == "" || field == nameField && len(n.fields) > 1 && isAutoNumber(key) {
			continue
		}
		if fits := n.byNumber[field][key].fitting(s); len(fits) > 0 && sameChannel(fits) {
			return slices.MinFunc(fits, byPreference), field
		}
	}
	return nil, ""
}

// fitting returns the orders that the shipment can belong to: those of its own channel, if there are any.
func (n sameNumber) fitting(s *tradeDocument) []*tradeGroup {
	var own, others []*tradeGroup
	for _, g := range n.orders {
		switch channel := g.order.channel; {
		case endOfDay(s.moment).Before(g.order.moment):
		case channel == s.channel && channel != "":
			own = append(own, g)
		case s.channel == "", channel == "" && len(n.channels) == 1:
			others = append(others, g)
		}
	}
	if len(own) > 0 {
		return own
	}
	return others
}

func byPreference(a, b *tradeGroup) int {
	last := func(cancelled bool) int {
		if cancelled {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(last(a.order.cancelled), last(b.order.cancelled)), a.order.moment.Compare(b.order.moment),
		strings.Compare(a.order.id, b.order.id),
	)
}

// isAutoNumber reports whether the upstream itself may have assigned the number. The upstream numbers orders and
// shipments separately, so order 00012 and shipment 00012 are unrelated, unless the caller says that the document's
// name has the marketplace's number.
func isAutoNumber(number string) bool {
	return len(number) <= 6 && strings.Trim(number, "0123456789") == ""
}

// sameChannel reports whether all orders are of one channel. Two marketplaces can use the same number by chance.
func sameChannel(groups []*tradeGroup) bool {
	for _, g := range groups {
		if g.order.channel != groups[0].order.channel {
			return false
		}
	}
	return true
}

// classifyTrade sets the class of each group. An order after inFlightSince is not late even if it has not been shipped.
// If the sums of a group differ, classifyTrade calls hasUnshipped, which reports whether units of the order were not
// shipped. If so, the class is shippedPartly, otherwise amountDiffers.
func classifyTrade(groups []*tradeGroup, fields []numberField, inFlightSince time.Time, hasUnshipped func(*tradeGroup) bool) {
	duplicates := duplicateNumbers(groups, fields)
	for _, g := range groups {
		switch {
		case g.order == nil:
			g.class = withoutOrder
		case duplicates[g.order.id]:
			g.class = duplicateNumber
		case g.order.cancelled && len(g.shipments) > 0:
			g.class = cancelledShipped
		case g.order.cancelled:
			g.class = cancelledOrder
		case len(g.shipments) == 0 && g.order.moment.After(inFlightSince):
			g.class = inFlight
		case len(g.shipments) == 0:
			g.class = notShipped
		case !g.sumsDiffer():
			g.class = matchedOrder
		case hasUnshipped(g):
			g.class = shippedPartly
		default:
			g.class = amountDiffers
		}
	}
}

// duplicateNumbers returns the ids of orders that have the same number as another order of their channel. Cancelled
// orders without shipments do not count, because marketplaces repeat an order after cancelling it. The upstream
// restarts its numbering each year, so document names are compared only within a year.
func duplicateNumbers(groups []*tradeGroup, fields []numberField) map[string]bool {
	type number struct {
		field         numberField
		channel, text string
		year          int
	}
	first := map[number]string{}
	found := map[string]bool{}
	for _, g := range groups {
		if g.order == nil || g.order.cancelled && len(g.shipments) == 0 {
			continue
		}
		for _, field := range fields {
			n := number{field: field, channel: g.order.channel, text: g.order.numbers[field]}
			if n.text == "" {
				continue
			}
			if field == nameField {
				n.year = g.order.moment.Year()
			}
			if other, seen := first[n]; seen {
				found[other], found[g.order.id] = true, true
				continue
			}
			first[n] = g.order.id
		}
	}
	return found
}

// The fields that every document has.
const (
	nameField         numberField = "name"
	externalCodeField numberField = "external_code"
)

// normalizeNumber converts to lower case and removes spaces at both ends.
func normalizeNumber(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// tradeTally counts documents and adds up their sums.
type tradeTally struct {
	orders, shipments     int
	ordersSum, shippedSum decimal.Decimal
}

func (t *tradeTally) addOrder(o *tradeDocument) {
	t.orders++
	t.ordersSum = t.ordersSum.Add(o.sum)
}

func (t *tradeTally) addShipment(s *tradeDocument) {
	t.shipments++
	t.shippedSum = t.shippedSum.Add(s.sum)
}

func (t *tradeTally) addGroup(g *tradeGroup) {
	if g.order != nil {
		t.addOrder(g.order)
	}
	for _, s := range g.shipments {
		t.addShipment(s)
	}
}

// byDifference sorts by difference, largest first.
func byDifference(a, b *tradeGroup) int {
	difference := func(g *tradeGroup) decimal.Decimal { return g.shippedSum().Sub(g.orderSum()).Abs() }
	first := func(g *tradeGroup) *tradeDocument {
		if g.order != nil {
			return g.order
		}
		return g.shipments[0]
	}
	return cmp.Or(difference(b).Cmp(difference(a)), first(a).moment.Compare(first(b).moment), strings.Compare(first(a).id, first(b).id))
}
