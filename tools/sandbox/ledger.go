package sandbox

import (
	"cmp"
	"slices"
	"time"
)

// ledger is the stock after a series of posted documents. Costs are first in, first out in each warehouse.
type ledger struct {
	holdings [][]Holding // by Item.n; one for each warehouse where the item has been or where orders expect it
	journal  []*Document // documents that move goods, sorted by moment
	assign   bool        // whether to write costs into the lines of the documents
}

func (l *ledger) of(item *Item) []Holding {
	if item.n >= len(l.holdings) {
		return nil
	}
	return l.holdings[item.n]
}

// in returns the holding in one warehouse. It is zero if the item has never been there.
func (l *ledger) in(item *Item, store *Store) Holding {
	for _, holding := range l.of(item) {
		if holding.Store == store {
			return holding
		}
	}
	return Holding{Store: store}
}

// recompute updates the ledger and the costs in the documents.
func (b *Books) recompute() {
	b.ledger = b.replay(b.goodsDocuments(), time.Time{}, true)
}

// at returns the ledger as of an earlier time.
func (b *Books) at(moment time.Time) *ledger { return b.replay(b.ledger.journal, moment, false) }

// replay computes the ledger from the documents up to a time. If until is zero, it uses all documents.
func (b *Books) replay(journal []*Document, until time.Time, assign bool) *ledger {
	l := &ledger{holdings: make([][]Holding, len(b.Assortment)), journal: journal, assign: assign}
	for _, document := range journal {
		if !until.IsZero() && document.Moment.After(until) {
			break
		}
		l.apply(document)
	}
	for _, order := range b.Documents[CustomerOrder] {
		l.addHeld(order, until, func(h *Holding, held Units) { h.Reserve += held })
	}
	for _, order := range b.Documents[PurchaseOrder] {
		l.addHeld(order, until, func(h *Holding, held Units) { h.InTransit += held })
	}
	return l
}

// goodsDocuments returns the posted documents that move goods, sorted by moment.
func (b *Books) goodsDocuments() []*Document {
	var all []*Document
	for _, kind := range documentKinds {
		if !kind.isInflow() && !kind.isOutflow() && kind != Move {
			continue
		}
		for _, document := range b.Documents[kind] {
			if document.Posted() {
				all = append(all, document)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *Document) int {
		return cmp.Or(a.Moment.Compare(b.Moment), cmp.Compare(a.ID, b.ID))
	})
	return all
}

func (l *ledger) apply(document *Document) {
	for i := range document.Positions {
		position := &document.Positions[i]
		switch {
		case document.Kind == Move:
			l.move(document, position)
		case document.Kind.isInflow():
			l.receive(document, position)
		default:
			l.ship(document, position)
		}
	}
}

// receive adds the goods of a line. If a bundle is returned, it adds the components.
func (l *ledger) receive(document *Document, position *Position) {
	if position.Item.Stocked() {
		cost := l.receiveItem(document, position.Item, position.Quantity, document.unitCost(position))
		if l.assign {
			position.Cost = cost
		}
		return
	}
	var whole Amount
	parts := make([]Part, 0, len(position.Item.Components))
	for i, component := range position.Item.Components {
		quantity := Units(mulDiv(int64(component.Quantity), int64(position.Quantity), 1000))
		cost := l.receiveItem(document, component.Item, quantity, document.partCost(position, i))
		parts = append(parts, Part{Item: component.Item, Quantity: quantity, Cost: cost})
		whole += cost
	}
	if l.assign {
		position.Cost, position.Parts = whole, parts
	}
}

// receiveItem covers shortfalls and adds a layer with the quantity that is left. It returns the cost of the whole
// quantity.
func (l *ledger) receiveItem(document *Document, item *Item, quantity Units, unit Amount) (cost Amount) {
	holding := l.holding(item, document.Store)
	holding.Stock += quantity
	if left := holding.cover(quantity, unit, l.assign); left > 0 {
		holding.Layers = append(holding.Layers, Layer{Document: document, Received: document.Moment, Left: left, Unit: unit})
	}
	return quantity.times(unit)
}

// unitCost returns the cost of a received unit. This is its price or, for a return, its cost when it was sold.
func (d *Document) unitCost(position *Position) Amount {
	if !d.Kind.isReturn() {
		price := Amount(mulDiv(int64(position.Price), int64(100-position.Discount), 100))
		return d.inOwnCurrency(price)
	}
	if sold := d.soldLine(position.Item); sold != nil {
		return returnedCost(sold.Cost, sold.Quantity)
	}
	return 0
}

// partCost returns the cost of a unit of a component in a returned bundle, as it was when the bundle was sold.
func (d *Document) partCost(position *Position, part int) Amount {
	if sold := d.soldLine(position.Item); sold != nil && part < len(sold.Parts) {
		return returnedCost(sold.Parts[part].Cost, sold.Parts[part].Quantity)
	}
	return 0
}

// soldLine returns the line of the sale to which a return refers. It returns nil if there is none; the cost is then
// unknown.
func (d *Document) soldLine(item *Item) *Position {
	if d.Order == nil || !d.Kind.isReturn() {
		return nil
	}
	for i := range d.Order.Positions {
		if line := &d.Order.Positions[i]; line.Item == item && line.Quantity != 0 {
			return line
		}
	}
	return nil
}

// returnedCost returns the cost of a returned unit, rounded down to a multiple of 0.2 kopeck.
func returnedCost(cost Amount, quantity Units) Amount {
	return Amount(mulDiv(int64(cost), 1000, int64(quantity))) / 200 * 200
}

// ship removes the goods of a line. For a bundle, it removes the components.
func (l *ledger) ship(document *Document, position *Position) {
	if l.assign {
		position.Cost = 0
		position.Parts = nil
	}
	if position.Item.Stocked() {
		cost := l.shipItem(document.Store, position.Item, position.Quantity, position, -1)
		if l.assign {
			position.Cost = cost
		}
		return
	}
	parts := make([]Part, 0, len(position.Item.Components))
	for i, component := range position.Item.Components {
		quantity := Units(mulDiv(int64(component.Quantity), int64(position.Quantity), 1000))
		cost := l.shipItem(document.Store, component.Item, quantity, position, i)
		parts = append(parts, Part{Item: component.Item, Quantity: quantity, Cost: cost})
		if l.assign {
			position.Cost += cost
		}
	}
	if l.assign && len(parts) > 0 {
		position.Parts = parts
	}
}

// shipItem takes a quantity from the oldest layers and returns its cost. If the quantity is more than the stock, the
// rest becomes a shortfall of the line.
func (l *ledger) shipItem(store *Store, item *Item, quantity Units, position *Position, part int) Amount {
	holding := l.holding(item, store)
	holding.Stock -= quantity
	taken, missing := holding.consume(quantity)
	if missing > 0 {
		holding.shortfalls = append(holding.shortfalls, shortfall{position: position, part: part, quantity: missing})
	}
	var cost Amount
	for _, layer := range taken {
		cost += layer.Left.times(layer.Unit)
	}
	return cost
}

// move moves layers to the other warehouse, with their cost and age. Goods beyond the stock arrive with a cost of 0.
func (l *ledger) move(document *Document, position *Position) {
	source := l.holding(position.Item, document.Store)
	source.Stock -= position.Quantity
	taken, missing := source.consume(position.Quantity)
	if missing > 0 {
		source.shortfalls = append(source.shortfalls, shortfall{position: &Position{}, part: -1, quantity: missing})
		taken = append(taken, Layer{Received: document.Moment, Left: missing})
	}
	target := l.holding(position.Item, document.Target)
	target.Stock += position.Quantity
	var cost Amount
	for _, layer := range taken {
		cost += layer.Left.times(layer.Unit)
		layer.Left = target.cover(layer.Left, layer.Unit, l.assign)
		layer.Document = document
		if layer.Left > 0 {
			target.Layers = append(target.Layers, layer)
		}
	}
	if l.assign {
		position.Cost = cost
	}
}

// addHeld calls add for each line of an order that still reserves or expects goods.
func (l *ledger) addHeld(order *Document, until time.Time, add func(*Holding, Units)) {
	if !order.Posted() || !until.IsZero() && order.Moment.After(until) {
		return
	}
	for i := range order.Positions {
		position := &order.Positions[i]
		if position.Held == 0 || !position.Item.Stocked() {
			continue
		}
		if held := min(position.Held, position.Quantity-order.shippedOf(i)); held > 0 {
			add(l.holding(position.Item, order.Store), held)
		}
	}
}

// holding returns the holding of an item in a warehouse, so that it can be changed. If there is none, it adds one.
func (l *ledger) holding(item *Item, store *Store) *Holding {
	holdings := l.holdings[item.n]
	for i := range holdings {
		if holdings[i].Store == store {
			return &holdings[i]
		}
	}
	l.holdings[item.n] = append(holdings, Holding{Store: store})
	return &l.holdings[item.n][len(holdings)]
}
