package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// tradeReading reads what one reconciliation compares: the posted orders and shipments of a period, and the documents
// outside of it that they are linked with.
type tradeReader struct {
	call            *Call
	from, to        time.Time
	channel         *moysklad.SalesChannel // nil for all
	attribute       string                 // name of the attribute that carries the marketplace's number; often empty
	cancelledStates map[string]bool        // ids of order statuses that mean "cancelled"

	orders, shipments []*tradeDocument
	seen              map[string]bool // ids of the documents that are read or were asked for
	unread            int             // of these, those that did not come
}

// read costs a call for each thousand orders and each thousand shipments of the period (twice that number of lists when
// one channel is asked for: its documents, and those without a channel, which it may own by link or number), and one for
// each eighty documents outside of the period that a link leads to. Shipments are read some days beyond the period, in
// which the orders of its last days leave.
func (r *tradeReader) read(ctx context.Context, beyond time.Time) error {
	if err := r.readPeriod(ctx, "customerorder", r.to, &r.orders); err != nil {
		return err
	}
	if err := r.readPeriod(ctx, "demand", beyond, &r.shipments); err != nil {
		return err
	}
	ofPeriod := slices.DeleteFunc(slices.Clone(r.shipments), func(s *tradeDocument) bool { return s.outside })
	if err := r.readLinked(ctx, "customerorder", ofPeriod, &r.orders); err != nil {
		return err
	}
	return r.readLinked(ctx, "demand", r.orders, &r.shipments)
}

// period reads the posted documents of one kind. With a channel there are two lists, since what repeated "=" mean when
// one of them is empty is not documented.
func (r *tradeReader) readPeriod(ctx context.Context, kind string, to time.Time, into *[]*tradeDocument) error {
	all := moysklad.Filter{}.
		Where("moment", ">=", moysklad.FormatMoment(r.from)).
		Where("moment", "<=", moysklad.FormatMoment(to)).
		Is("applicable", "true")
	filters := []moysklad.Filter{all}
	if r.channel != nil {
		filters = []moysklad.Filter{all.Is("salesChannel", moysklad.Href("saleschannel", r.channel.ID)), all.Is("salesChannel", "")}
	}
	for _, filter := range filters {
		for d, err := range r.call.Client.Summed(ctx, kind, moysklad.Query{Filter: filter, Order: "id"}) {
			if err != nil {
				return err
			}
			document := r.newDocument(d)
			document.outside = d.Moment.After(r.to)
			r.seen[d.ID] = true
			*into = append(*into, document)
		}
	}
	return nil
}

// linked reads the documents of one kind that others link to and that are not of the period, eighty a call. Drafts of
// shipments are left out: nothing has left yet. What does not come is deleted, or the role may not see it: the upstream
// does not say so.
func (r *tradeReader) readLinked(ctx context.Context, kind string, others []*tradeDocument, into *[]*tradeDocument) error {
	var missing []string
	for _, other := range others {
		for _, id := range other.links {
			if !r.seen[id] {
				r.seen[id] = true
				missing = append(missing, id)
			}
		}
	}
	came := 0
	for chunk := range slices.Chunk(missing, maxIDsPerFilter) {
		for d, err := range r.call.Client.Summed(ctx, kind, moysklad.Query{Filter: anyOf("id", chunk), Order: "id"}) {
			if err != nil {
				return err
			}
			came++
			if kind == "demand" && !d.Applicable {
				continue
			}
			document := r.newDocument(d)
			document.outside = true
			*into = append(*into, document)
		}
	}
	r.unread += len(missing) - came
	return nil
}

// compact keeps what reconciliation needs of a document.
func (r *tradeReader) newDocument(d moysklad.Document) *tradeDocument {
	document := &tradeDocument{
		id: d.ID, number: d.Name, moment: d.Moment.In(moysklad.Moscow), sum: inOwnCurrency(*d.Sum, d.Rate),
		channel: d.SalesChannel.ID(),
		keys:    map[numberField]string{nameField: normalizeNumber(d.Name), externalCodeField: normalizeNumber(d.ExternalCode)},
	}
	if d.State != nil {
		document.state = d.State.Meta.ID()
		document.cancelled = r.cancelledStates[document.state]
	}
	for _, demand := range d.Demands {
		document.links = append(document.links, demand.Meta.ID())
	}
	if d.CustomerOrder != nil {
		document.links = append(document.links, d.CustomerOrder.ID())
	}
	if r.attribute != "" {
		document.keys[attributeField] = normalizeNumber(attributeText(d.Attributes, r.attribute))
	}
	return document
}

// inAttribute is the one attribute that the caller named.
const attributeField numberField = "attribute"

// attributeText is a string or number attribute's value; empty where the document has none of that name.
func attributeText(attributes []moysklad.Attribute, name string) string {
	for _, a := range attributes {
		if bilingual.Fold(a.Name) != bilingual.Fold(name) {
			continue
		}
		var text string
		if json.Unmarshal(a.Value, &text) == nil {
			return text
		}
		return strings.Trim(string(a.Value), `"`)
	}
	return ""
}

// ofChannel drops the groups that are the channel's in no part: documents without a channel are read only because they
// may belong to it.
func (r *tradeReader) keepChannel(groups []*tradeGroup) []*tradeGroup {
	if r.channel == nil {
		return groups
	}
	return slices.DeleteFunc(groups, func(g *tradeGroup) bool {
		if g.order != nil && g.order.channel == r.channel.ID {
			return false
		}
		return !slices.ContainsFunc(g.shipments, func(s *tradeDocument) bool { return s.channel == r.channel.ID })
	})
}

// touchingPeriod drops the groups without a document of the period: shipments of the days beyond it that fit no order.
func keepPeriod(groups []*tradeGroup) []*tradeGroup {
	inside := func(d *tradeDocument) bool { return !d.outside }
	return slices.DeleteFunc(groups, func(g *tradeGroup) bool {
		return (g.order == nil || g.order.outside) && !slices.ContainsFunc(g.shipments, inside)
	})
}

// unshipped reads the lines of the documents of groups whose sums differ, eighty a call, and gives those in
// which fewer units of some product left than were ordered. Lines are compared by product, since the upstream's own
// counter of shipped units knows linked shipments only.
func (r *tradeReader) findUnshipped(ctx context.Context, groups []*tradeGroup) (map[*tradeGroup]bool, error) {
	owner := map[string]*tradeGroup{}
	var orders, shipments []string
	for _, g := range groups {
		if g.order == nil || len(g.shipments) == 0 || !g.differs() {
			continue
		}
		owner[g.order.id] = g
		orders = append(orders, g.order.id)
		for _, s := range g.shipments {
			owner[s.id] = g
			shipments = append(shipments, s.id)
		}
	}
	unshipped := map[*tradeGroup]quantities{}
	for kind, ids := range map[string][]string{"customerorder": orders, "demand": shipments} {
		for chunk := range slices.Chunk(ids, maxIDsPerFilter) {
			query := moysklad.Query{Filter: anyOf("id", chunk), Order: "id", Expand: []string{"positions"}}
			for d, err := range r.call.Client.Documents(ctx, kind, query) {
				if err != nil {
					return nil, err
				}
				unshipped[owner[d.ID]] = unshipped[owner[d.ID]].plus(d, kind == "demand")
			}
		}
	}
	missing := map[*tradeGroup]bool{}
	for g, units := range unshipped {
		missing[g] = units.anyPositive()
	}
	return missing, nil
}

// quantities are units by product: what an order asks for less what its shipments carry.
type quantities map[string]decimal.Decimal

func (q quantities) plus(d moysklad.Document, negative bool) quantities {
	if q == nil {
		q = quantities{}
	}
	if d.Positions == nil {
		return q
	}
	for _, line := range d.Positions.Rows {
		units := line.Quantity.Decimal
		if negative {
			units = units.Neg()
		}
		q[line.Assortment.ID()] = q[line.Assortment.ID()].Add(units)
	}
	return q
}

func (q quantities) anyPositive() bool {
	for _, units := range q {
		if units.IsPositive() {
			return true
		}
	}
	return false
}

// salesChannel finds the channel that an argument names by id or name; nil for none.
func (c *Call) salesChannel(ctx context.Context, argument, name string) (*moysklad.SalesChannel, error) {
	if strings.TrimSpace(name) == "" {
		return nil, nil
	}
	channels, err := c.SalesChannels(ctx)
	if err != nil {
		return nil, err
	}
	return matchOne(argument, name, aSalesChannel, channels, func(s moysklad.SalesChannel) (id, name string) { return s.ID, s.Name })
}
