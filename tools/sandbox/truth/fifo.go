package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// movement is goods that a line of a document brought to a warehouse or, negative, took from it, and what they cost in
// hundredths of the account's currency, with the same sign.
type movement struct {
	document    *sandbox.Document
	item        *sandbox.Item
	store       *sandbox.Store
	units, cost decimal.Decimal
}

// line is the n-th line of a document.
type line struct {
	document *sandbox.Document
	n        int
}

// shelf is what lies of one item in one warehouse; nothing lies where the store is nil, there are only promises.
type shelf struct {
	units, reserved, inTransit decimal.Decimal

	layers []layer     // oldest first
	owing  []*movement // shipments that took more than there was
	lack   []decimal.Decimal
}

// layer is what is left of a receipt. A transfer carries it on with its age and cost.
type layer struct {
	since       time.Time
	units, unit decimal.Decimal
}

var inflows = []sandbox.Kind{sandbox.Supply, sandbox.Enter, sandbox.SalesReturn, sandbox.RetailSalesReturn}

var outflows = []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand, sandbox.Loss, sandbox.Processing, sandbox.PurchaseReturn}

// replay runs every posted document that moves goods, in the order of their moments.
func (t *Truth) replay() {
	var journal []*sandbox.Document
	for _, kind := range slices.Concat(inflows, outflows, []sandbox.Kind{sandbox.Move}) {
		for _, document := range t.books.Documents[kind] {
			if posted(document) {
				journal = append(journal, document)
			}
		}
	}
	slices.SortFunc(journal, func(a, b *sandbox.Document) int {
		return cmp.Or(a.Moment.Compare(b.Moment), cmp.Compare(a.ID, b.ID))
	})
	for _, document := range journal {
		for n := range document.Positions {
			at := line{document, n}
			for item, quantity := range contents(&document.Positions[n]) {
				switch {
				case document.Kind == sandbox.Move:
					t.carry(at, item, quantity)
				case slices.Contains(inflows, document.Kind):
					t.bring(at, document.Store, item, quantity, t.unitCost(at, item))
				default:
					t.take(at, document.Store, item, quantity)
				}
			}
		}
	}
}

// contents are the goods of a line: a bundle's are its components, a service has none.
func contents(p *sandbox.Position) map[*sandbox.Item]decimal.Decimal {
	goods := map[*sandbox.Item]decimal.Decimal{}
	if stocked(p.Item) {
		goods[p.Item] = units(p.Quantity)
	}
	for _, component := range p.Item.Components {
		goods[component.Item] = goods[component.Item].Add(units(component.Quantity).Mul(units(p.Quantity)))
	}
	return goods
}

func (t *Truth) shelf(item *sandbox.Item, store *sandbox.Store) *shelf {
	if t.shelves[item] == nil {
		t.shelves[item] = map[*sandbox.Store]*shelf{}
	}
	if t.shelves[item][store] == nil {
		t.shelves[item][store] = &shelf{}
	}
	return t.shelves[item][store]
}

func (t *Truth) move(at line, store *sandbox.Store, item *sandbox.Item, quantity, cost decimal.Decimal) *movement {
	m := &movement{document: at.document, item: item, store: store, units: quantity, cost: cost}
	t.movements = append(t.movements, m)
	t.lines[at] = append(t.lines[at], m)
	return m
}

// bring adds a layer, after giving shipments that were waiting for goods what they lack.
func (t *Truth) bring(at line, store *sandbox.Store, item *sandbox.Item, quantity, unit decimal.Decimal) {
	t.move(at, store, item, quantity, quantity.Mul(unit))
	t.put(store, item, layer{at.document.Moment, quantity, unit})
}

func (t *Truth) put(store *sandbox.Store, item *sandbox.Item, l layer) {
	s := t.shelf(item, store)
	s.units = s.units.Add(l.units)
	for len(s.owing) > 0 && l.units.IsPositive() {
		given := decimal.Min(s.lack[0], l.units)
		s.owing[0].cost = s.owing[0].cost.Sub(given.Mul(l.unit))
		s.lack[0], l.units = s.lack[0].Sub(given), l.units.Sub(given)
		if s.lack[0].IsZero() {
			s.owing, s.lack = s.owing[1:], s.lack[1:]
		}
	}
	if l.units.IsPositive() {
		s.layers = append(s.layers, l)
	}
}

// take ships the oldest layers. What is lacking costs nothing until it arrives.
func (t *Truth) take(at line, store *sandbox.Store, item *sandbox.Item, quantity decimal.Decimal) (*movement, []layer) {
	s := t.shelf(item, store)
	s.units = s.units.Sub(quantity)
	m := t.move(at, store, item, quantity.Neg(), decimal.Zero)
	var taken []layer
	for len(s.layers) > 0 && quantity.IsPositive() {
		l := s.layers[0]
		l.units = decimal.Min(l.units, quantity)
		taken = append(taken, l)
		m.cost = m.cost.Sub(l.units.Mul(l.unit))
		quantity = quantity.Sub(l.units)
		if s.layers[0].units = s.layers[0].units.Sub(l.units); s.layers[0].units.IsZero() {
			s.layers = s.layers[1:]
		}
	}
	if quantity.IsPositive() {
		s.owing, s.lack = append(s.owing, m), append(s.lack, quantity)
	}
	return m, taken
}

// carry takes layers from one warehouse to another; what was not there arrives as new goods of unknown cost.
func (t *Truth) carry(at line, item *sandbox.Item, quantity decimal.Decimal) {
	out, taken := t.take(at, at.document.Store, item, quantity)
	for _, l := range taken {
		quantity = quantity.Sub(l.units)
	}
	if quantity.IsPositive() {
		taken = append(taken, layer{since: at.document.Moment, units: quantity})
	}
	t.move(at, at.document.Target, item, out.units.Neg(), out.cost.Neg())
	for _, l := range taken {
		t.put(at.document.Target, item, l)
	}
}

// unitCost of what a line brings: its price, or for goods that come back what they cost when they were sold.
func (t *Truth) unitCost(at line, item *sandbox.Item) decimal.Decimal {
	d, position := at.document, &at.document.Positions[at.n]
	if d.Kind == sandbox.Supply || d.Kind == sandbox.Enter {
		percent := decimal.NewFromInt(int64(100 - position.Discount)).Shift(-2)
		return own(d, amount(position.Price).Mul(percent))
	}
	if d.Order == nil {
		return decimal.Zero
	}
	for n := range d.Order.Positions {
		if d.Order.Positions[n].Item != position.Item {
			continue
		}
		for _, sold := range t.lines[line{d.Order, n}] {
			if sold.item == item && !sold.units.IsZero() {
				return downToFifth(sold.cost.DivRound(sold.units, 20))
			}
		}
	}
	return decimal.Zero
}

// downToFifth cuts a cost to a multiple of 0.2 kopeck. Thousandths are as fine as the upstream's costs are.
func downToFifth(cost decimal.Decimal) decimal.Decimal {
	return cost.Round(3).Mul(decimal.NewFromInt(5)).Truncate(0).DivRound(decimal.NewFromInt(5), 1)
}

// promise adds what open orders reserve and expect, less what has been shipped or received for them.
func (t *Truth) promise() {
	t.each(sandbox.CustomerOrder, func(s *shelf, held decimal.Decimal) { s.reserved = s.reserved.Add(held) })
	t.each(sandbox.PurchaseOrder, func(s *shelf, held decimal.Decimal) { s.inTransit = s.inTransit.Add(held) })
}

func (t *Truth) each(kind sandbox.Kind, add func(*shelf, decimal.Decimal)) {
	for _, order := range t.books.Documents[kind] {
		if !posted(order) {
			continue
		}
		came := map[*sandbox.Item]decimal.Decimal{}
		for _, follower := range order.Followers {
			for n := range follower.Positions {
				if p := &follower.Positions[n]; posted(follower) {
					came[p.Item] = came[p.Item].Add(units(p.Quantity))
				}
			}
		}
		for n := range order.Positions {
			p := &order.Positions[n]
			fulfilled := decimal.Min(came[p.Item], units(p.Quantity))
			came[p.Item] = came[p.Item].Sub(fulfilled)
			held := decimal.Min(units(p.Held), units(p.Quantity).Sub(fulfilled))
			if held.IsPositive() && stocked(p.Item) {
				add(t.shelf(p.Item, order.Store), held)
			}
		}
	}
}
