package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// movement is the units that a line of a document brought into a warehouse, and their cost in hundredths of the
// account's currency. Both are negative if the line took goods out.
type movement struct {
	document    *sandbox.Document
	item        *sandbox.Item
	store       *sandbox.Store
	units, cost decimal.Decimal
}

// line identifies the n-th line of a document.
type line struct {
	document *sandbox.Document
	n        int
}

// shelf is the stock of one item in one warehouse. If it has no warehouse, it has only what orders reserve and expect.
type shelf struct {
	units, reserved, inTransit decimal.Decimal

	layers     []layer // oldest first
	shortfalls []shortfall
}

// shortfall is the number of units that a shipment took beyond the stock.
type shortfall struct {
	shipment *movement
	units    decimal.Decimal
}

// layer is what remains of a receipt. If goods are transferred, the layer keeps its age and cost.
type layer struct {
	since       time.Time
	units, unit decimal.Decimal
}

var inflows = []sandbox.Kind{sandbox.Supply, sandbox.Enter, sandbox.SalesReturn, sandbox.RetailSalesReturn}

var outflows = []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand, sandbox.Loss, sandbox.Processing, sandbox.PurchaseReturn}

// replay applies all posted documents that move goods, in the order of their time.
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
					t.transfer(at, item, quantity)
				case slices.Contains(inflows, document.Kind):
					t.receive(at, document.Store, item, quantity, t.unitCost(at, item))
				default:
					t.ship(at, document.Store, item, quantity)
				}
			}
		}
	}
}

// contents returns the goods of a line. For a bundle it returns the components, for a service nothing.
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
	return entry(t.shelves[item], store)
}

// add adds the units and layers of another shelf.
func (s *shelf) add(other *shelf) {
	s.units, s.reserved, s.inTransit = s.units.Add(other.units), s.reserved.Add(other.reserved), s.inTransit.Add(other.inTransit)
	s.layers = append(s.layers, other.layers...)
}

// available returns what is left after all reserved units are shipped and all expected units are received.
func (s *shelf) available() decimal.Decimal { return s.units.Sub(s.reserved).Add(s.inTransit) }

func (t *Truth) move(at line, store *sandbox.Store, item *sandbox.Item, quantity, cost decimal.Decimal) *movement {
	m := &movement{document: at.document, item: item, store: store, units: quantity, cost: cost}
	t.movements = append(t.movements, m)
	t.lines[at] = append(t.lines[at], m)
	return m
}

// receive adds goods at a cost per unit.
func (t *Truth) receive(at line, store *sandbox.Store, item *sandbox.Item, quantity, unit decimal.Decimal) {
	t.move(at, store, item, quantity, quantity.Mul(unit))
	t.addLayer(store, item, layer{at.document.Moment, quantity, unit})
}

// addLayer covers earlier shortfalls from a layer, and adds what is left of it.
func (t *Truth) addLayer(store *sandbox.Store, item *sandbox.Item, l layer) {
	s := t.shelf(item, store)
	s.units = s.units.Add(l.units)
	for len(s.shortfalls) > 0 && l.units.IsPositive() {
		first := &s.shortfalls[0]
		covered := decimal.Min(first.units, l.units)
		first.shipment.cost = first.shipment.cost.Sub(covered.Mul(l.unit))
		first.units, l.units = first.units.Sub(covered), l.units.Sub(covered)
		if first.units.IsZero() {
			s.shortfalls = s.shortfalls[1:]
		}
	}
	if l.units.IsPositive() {
		s.layers = append(s.layers, l)
	}
}

// ship removes units from the oldest layers. Units beyond the stock have no cost until they are received.
func (t *Truth) ship(at line, store *sandbox.Store, item *sandbox.Item, quantity decimal.Decimal) (*movement, []layer) {
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
		s.shortfalls = append(s.shortfalls, shortfall{m, quantity})
	}
	return m, taken
}

// transfer moves layers from one warehouse to another. Units beyond the stock arrive as new goods with an unknown cost.
func (t *Truth) transfer(at line, item *sandbox.Item, quantity decimal.Decimal) {
	out, taken := t.ship(at, at.document.Store, item, quantity)
	for _, l := range taken {
		quantity = quantity.Sub(l.units)
	}
	if quantity.IsPositive() {
		taken = append(taken, layer{since: at.document.Moment, units: quantity})
	}
	t.move(at, at.document.Target, item, out.units.Neg(), out.cost.Neg())
	for _, l := range taken {
		t.addLayer(at.document.Target, item, l)
	}
}

// unitCost returns the cost of a unit that a line brings in. This is its price or, for a return, its cost when it was
// sold.
func (t *Truth) unitCost(at line, item *sandbox.Item) decimal.Decimal {
	d, position := at.document, &at.document.Positions[at.n]
	if d.Kind == sandbox.Supply || d.Kind == sandbox.Enter {
		percent := decimal.NewFromInt(int64(100 - position.Discount)).Shift(-2)
		return inOwnCurrency(d, amount(position.Price).Mul(percent))
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

// downToFifth rounds a cost down to a multiple of 0.2 kopeck. Before that, it rounds to thousandths, the precision of
// costs in the simulation.
func downToFifth(cost decimal.Decimal) decimal.Decimal {
	return cost.Round(3).Mul(decimal.NewFromInt(5)).Truncate(0).DivRound(decimal.NewFromInt(5), 1)
}

// addOrders adds what orders reserve and expect, minus what has been shipped or received for them.
func (t *Truth) addOrders() {
	t.addHeld(sandbox.CustomerOrder, func(s *shelf, held decimal.Decimal) { s.reserved = s.reserved.Add(held) })
	t.addHeld(sandbox.PurchaseOrder, func(s *shelf, held decimal.Decimal) { s.inTransit = s.inTransit.Add(held) })
}

// addHeld calls add for each line of an order that still reserves or expects goods.
func (t *Truth) addHeld(kind sandbox.Kind, add func(*shelf, decimal.Decimal)) {
	for _, order := range t.books.Documents[kind] {
		if !posted(order) {
			continue
		}
		done := map[*sandbox.Item]decimal.Decimal{}
		for _, follower := range order.Followers {
			for n := range follower.Positions {
				if p := &follower.Positions[n]; posted(follower) {
					done[p.Item] = done[p.Item].Add(units(p.Quantity))
				}
			}
		}
		for n := range order.Positions {
			p := &order.Positions[n]
			fulfilled := decimal.Min(done[p.Item], units(p.Quantity))
			done[p.Item] = done[p.Item].Sub(fulfilled)
			held := decimal.Min(units(p.Held), units(p.Quantity).Sub(fulfilled))
			if held.IsPositive() && stocked(p.Item) {
				add(t.shelf(p.Item, order.Store), held)
			}
		}
	}
}
