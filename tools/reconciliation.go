package tools

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// orderClass is what reconciliation finds about an order with its shipments, or about a shipment without an order. Each
// document is in exactly one class, so the classes' sums add up to the sums of all orders and of all shipments.
type orderClass string

const (
	matchedOrder     orderClass = "matched"
	notShipped       orderClass = "not_shipped"
	inFlight         orderClass = "in_flight" // not shipped yet, and young enough
	shippedPartly    orderClass = "shipped_partly"
	withoutOrder     orderClass = "shipped_without_order"
	amountDiffers    orderClass = "amount_differs"
	cancelledShipped orderClass = "cancelled_but_shipped"
	cancelledOrder   orderClass = "cancelled" // and not shipped, as it should be
	duplicateNumber  orderClass = "duplicate_order_numbers"
)

// place is where a document carries the marketplace's number.
type numberField string

// tradeDocument is what reconciliation keeps of an order or a shipment. Sum is in hundredths of the account's currency.
type tradeDocument struct {
	id, number string
	moment     time.Time
	sum        decimal.Decimal
	channel    string // id; empty when the document names none
	state      string
	cancelled  bool
	keys       map[numberField]string // the marketplace's number, as it is compared
	links      []string               // of an order its shipments, of a shipment its order
	outside    bool                   // not of the period: read because a document of the period is linked to it
}

// tradeGroup is an order with its shipments, or one shipment without an order.
type tradeGroup struct {
	order     *tradeDocument
	shipments []*tradeDocument
	matchedBy numberField // how the shipments were found; empty without any
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

// differs compares as the books show sums, in whole hundredths: sums of documents in other currencies are products.
func (g *tradeGroup) differs() bool { return !g.orderSum().Round(0).Equal(g.shippedSum().Round(0)) }

// linkedBy is how a shipment is found that names its order, or that the order names.
const byLink numberField = "link"

// groupTrade puts every document into exactly one group. A shipment belongs to the order that it is linked with; one
// without a link to the order that carries its number, by the first of places that has one. A number fits only within a
// channel (a shipment that names none fits any), only an order that has no linked shipments, and only a shipment that is
// not of an earlier day than the order.
func groupTrade(orders, shipments []*tradeDocument, fields []numberField) []*tradeGroup {
	groups := make([]*tradeGroup, 0, len(orders))
	byID := make(map[string]*tradeGroup, len(orders))
	ownerOf := map[string]*tradeGroup{} // :: shipment id → the order that names it
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
	numbers := newNumberIndex(groups, fields)
	for _, s := range unlinked {
		if g, by := numbers.find(s); g != nil {
			g.shipments, g.matchedBy = append(g.shipments, s), by
			continue
		}
		groups = append(groups, &tradeGroup{shipments: []*tradeDocument{s}})
	}
	return groups
}

// numbers finds orders by the marketplace's number.
type numberIndex struct {
	fields   []numberField
	byNumber map[numberField]map[string][]*tradeGroup
}

func newNumberIndex(groups []*tradeGroup, fields []numberField) numberIndex {
	n := numberIndex{fields, map[numberField]map[string][]*tradeGroup{}}
	for _, p := range fields {
		n.byNumber[p] = map[string][]*tradeGroup{}
		for _, g := range groups {
			if key := g.order.keys[p]; key != "" && g.matchedBy != byLink {
				n.byNumber[p][key] = append(n.byNumber[p][key], g)
			}
		}
	}
	return n
}

// find gives the order of a shipment, and the place whose number said so. Of several orders with one number the earliest
// that is not cancelled is taken: they are duplicates, and the shipment is shown with them. A shipment that names an
// order which is not there is not given to another.
func (n numberIndex) find(s *tradeDocument) (*tradeGroup, numberField) {
	if len(s.links) > 0 {
		return nil, ""
	}
	for _, p := range n.fields {
		key := s.keys[p]
		if key == "" || p == nameField && len(n.fields) > 1 && isAutoNumber(key) {
			continue
		}
		var fits []*tradeGroup
		for _, g := range n.byNumber[p][key] {
			if (s.channel == "" || s.channel == g.order.channel) && !endOfDay(s.moment).Before(g.order.moment) {
				fits = append(fits, g)
			}
		}
		if len(fits) > 0 && sameChannel(fits) {
			return slices.MinFunc(fits, byPreference), p
		}
	}
	return nil, ""
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

// ownNumbering recognizes the numbers that the upstream gives to documents by itself. Orders and shipments are counted
// apart, so order 00012 and shipment 00012 have nothing to do with each other unless the caller says that the number is
// the marketplace's.
func isAutoNumber(number string) bool {
	return len(number) <= 6 && strings.Trim(number, "0123456789") == ""
}

// sameChannel tells duplicates of a number from chance: two marketplaces may well use the same number.
func sameChannel(groups []*tradeGroup) bool {
	for _, g := range groups {
		if g.order.channel != groups[0].order.channel {
			return false
		}
	}
	return true
}

// classifyTrade gives every group its class. Orders younger than flying may still be on their way. A group whose sums
// differ is shippedPartly where missing says that units of the order have not left, else amountDiffers; missing is asked
// of no other group.
func classifyTrade(groups []*tradeGroup, fields []numberField, inFlightSince time.Time, missing func(*tradeGroup) bool) {
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
		case !g.differs():
			g.class = matchedOrder
		case missing(g):
			g.class = shippedPartly
		default:
			g.class = amountDiffers
		}
	}
}

// duplicateNumbers are the ids of orders that share a number with another order of their channel. Cancelled orders that
// were not shipped do not count: marketplaces send an order again after cancelling it. Names restart with the year, so
// in that place only orders of one year are duplicates.
func duplicateNumbers(groups []*tradeGroup, fields []numberField) map[string]bool {
	type number struct {
		place         numberField
		channel, text string
		year          int
	}
	first := map[number]string{}
	found := map[string]bool{}
	for _, g := range groups {
		if g.order == nil || g.order.cancelled && len(g.shipments) == 0 {
			continue
		}
		for _, p := range fields {
			n := number{place: p, channel: g.order.channel, text: g.order.keys[p]}
			if n.text == "" {
				continue
			}
			if p == nameField {
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

// The places that every document has.
const (
	nameField         numberField = "name"
	externalCodeField numberField = "external_code"
)

// comparableNumber is a number without the differences that people and systems make in writing it.
func normalizeNumber(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

// tally counts documents and adds up their sums.
type tally struct {
	orders, shipments     int
	ordersSum, shippedSum decimal.Decimal
}

func (t *tally) addOrder(o *tradeDocument) {
	t.orders++
	t.ordersSum = t.ordersSum.Add(o.sum)
}

func (t *tally) addShipment(s *tradeDocument) {
	t.shipments++
	t.shippedSum = t.shippedSum.Add(s.sum)
}

func (t *tally) addGroup(g *tradeGroup) {
	if g.order != nil {
		t.addOrder(g.order)
	}
	for _, s := range g.shipments {
		t.addShipment(s)
	}
}

// byDifference puts the largest differences first.
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
