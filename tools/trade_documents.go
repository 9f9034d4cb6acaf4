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

// tradeReader reads the documents for a reconciliation: the posted orders and shipments of a period, and documents
// outside of the period that are linked with them.
type tradeReader struct {
	run             *Run
	from, to        time.Time
	earlierDays     int                    // how many days before from an order may be shipped in the period
	channel         *moysklad.SalesChannel // nil means all
	attribute       string                 // name of the attribute with the marketplace's number; may be empty
	cancelledStates map[string]bool        // ids of order statuses that mean "cancelled"

	orders, shipments []*tradeDocument
	seen              map[string]bool // ids of documents that were read or requested
	unreadLinks       int             // requested documents that the upstream did not return
}

// read makes one call for each thousand orders and each thousand shipments of the period, and one for each eighty
// linked documents outside of it. If a channel is given, there are three lists for each: the documents of the channel,
// those without a channel, which may belong to it by link or number, and those changed meanwhile. Shipments are read until
// beyond, because orders from the end of the period are shipped after it.
func (r *tradeReader) read(ctx context.Context, beyond time.Time) error {
	always := func(*tradeDocument) bool { return true }
	if err := r.readPosted(ctx, "customerorder", r.from, r.to, always, &r.orders); err != nil {
		return err
	}
	if err := r.readPosted(ctx, "demand", r.from, beyond, always, &r.shipments); err != nil {
		return err
	}
	ofPeriod := slices.DeleteFunc(slices.Clone(r.shipments), func(s *tradeDocument) bool { return s.outsidePeriod })
	if err := r.readLinked(ctx, "customerorder", ofPeriod, &r.orders); err != nil {
		return err
	}
	if err := r.readLinked(ctx, "demand", r.orders, &r.shipments); err != nil {
		return err
	}
	if slices.ContainsFunc(ofPeriod, (*tradeDocument).unlinked) {
		return r.readEarlier(ctx)
	}
	return nil
}

// readEarlier reads the documents before the period that have no link, because a shipment of the period without a link
// may belong to an earlier order by its number, as may earlier shipments.
func (r *tradeReader) readEarlier(ctx context.Context) error {
	isNew := func(d *tradeDocument) bool { return d.unlinked() && !r.seen[d.id] }
	since, until := r.from.AddDate(0, 0, -r.earlierDays), r.from.Add(-time.Second)
	if err := r.readPosted(ctx, "customerorder", since, until, isNew, &r.orders); err != nil {
		return err
	}
	return r.readPosted(ctx, "demand", since, until, isNew, &r.shipments)
}

// readPosted reads the posted documents of one kind that keep accepts. If a channel is given, it reads two lists,
// because it is not documented what several "=" conditions on one field mean if one of the values is empty.
func (r *tradeReader) readPosted(
	ctx context.Context, kind string, from, to time.Time, keep func(*tradeDocument) bool, into *[]*tradeDocument,
) error {
	all := postedBetween(from, to)
	filters := []moysklad.Filter{all}
	if r.channel != nil {
		filters = []moysklad.Filter{all.Is("salesChannel", moysklad.Href("saleschannel", r.channel.ID)), all.Is("salesChannel", "")}
	}
	documents, err := readSplit(ctx, r.run, kind, all, filters, func(d moysklad.Document) (*tradeDocument, bool, error) {
		document := r.newDocument(d)
		document.outsidePeriod = d.Moment.Before(r.from) || d.Moment.After(r.to)
		return document, keep(document) && (r.channel == nil || document.channel == "" || document.channel == r.channel.ID), nil
	})
	for _, document := range documents {
		r.seen[document.id] = true
	}
	*into = append(*into, documents...)
	return err
}

// readLinked reads the documents of one kind to which others link and that have not been read yet, eighty in one call.
// It leaves out those that are not posted: a shipment of such an order is one without an order. The upstream silently
// omits documents that are deleted or hidden from the role.
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
	received := 0
	for chunk := range slices.Chunk(missing, MaxIDsPerFilter) {
		for d, err := range r.run.Client.DocumentsWithSum(ctx, kind, moysklad.Query{Filter: moysklad.Filter{}.Is("id", chunk...), Order: "id"}) {
			if err != nil {
				return err
			}
			received++
			if !d.Applicable {
				continue
			}
			document := r.newDocument(d)
			document.outsidePeriod = true
			*into = append(*into, document)
		}
	}
	r.unreadLinks += len(missing) - received
	return nil
}

// newDocument keeps the parts of a document that reconciliation needs.
func (r *tradeReader) newDocument(d moysklad.Document) *tradeDocument {
	document := &tradeDocument{
		id: d.ID, number: d.Name, moment: d.Moment.In(moysklad.Moscow), sum: inOwnCurrency(*d.Sum, d.Rate),
		channel: d.SalesChannel.ID(),
		numbers: map[numberField]string{nameField: normalizeNumber(d.Name), externalCodeField: normalizeNumber(d.ExternalCode)},
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
		document.numbers[attributeField] = normalizeNumber(attributeText(d.Attributes, r.attribute))
	}
	return document
}

// attributeField is the attribute that the caller has named.
const attributeField numberField = "attribute"

// attributeText returns the value of a string or number attribute. It returns "" if the document has no such attribute.
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

// keepChannel returns the groups with at least one document of the channel. Documents without a channel were read only
// because they may belong to it.
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

// keepPeriod returns the groups with at least one document of the period. It drops later shipments that match no order,
// for example.
func keepPeriod(groups []*tradeGroup) []*tradeGroup {
	inside := func(d *tradeDocument) bool { return !d.outsidePeriod }
	return slices.DeleteFunc(groups, func(g *tradeGroup) bool {
		return (g.order == nil || g.order.outsidePeriod) && !slices.ContainsFunc(g.shipments, inside)
	})
}

// findUnshipped returns the groups in which fewer units of some product were shipped than ordered. For groups whose
// sums differ, it reads the lines of all documents, eighty documents in one call. It compares the lines by product,
// because the upstream's own counter of shipped units covers only linked shipments.
func (r *tradeReader) findUnshipped(ctx context.Context, groups []*tradeGroup) (map[*tradeGroup]bool, error) {
	owner := map[string]*tradeGroup{}
	var orders, shipments []string
	for _, g := range groups {
		if g.order == nil || len(g.shipments) == 0 || !g.sumsDiffer() {
			continue
		}
		owner[g.order.id] = g
		orders = append(orders, g.order.id)
		for _, s := range g.shipments {
			owner[s.id] = g
			shipments = append(shipments, s.id)
		}
	}
	remaining := map[*tradeGroup]quantities{}
	for kind, ids := range map[string][]string{"customerorder": orders, "demand": shipments} {
		for chunk := range slices.Chunk(ids, MaxIDsPerFilter) {
			query := moysklad.Query{Filter: moysklad.Filter{}.Is("id", chunk...), Order: "id", Expand: []string{"positions"}}
			for d, err := range r.run.Client.Documents(ctx, kind, query) {
				if err != nil {
					return nil, err
				}
				remaining[owner[d.ID]] = remaining[owner[d.ID]].plus(d, kind == "demand")
			}
		}
	}
	unshippedGroups := map[*tradeGroup]bool{}
	for g, units := range remaining {
		unshippedGroups[g] = units.anyPositive()
	}
	return unshippedGroups, nil
}

// quantities has, for each product, the units ordered minus the units shipped.
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
