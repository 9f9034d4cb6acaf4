package sandbox

import "time"

// Holding is the stock of one item in one warehouse. If Store is nil, it has what orders without a warehouse reserve or
// expect. Layers lists the remains of receipts, oldest first. They add up to Stock, unless Stock is negative.
type Holding struct {
	Store      *Store
	Stock      Units
	Reserve    Units
	InTransit  Units
	Layers     []Layer
	shortfalls []shortfall
}

// Layer is what remains of one receipt. If goods are moved, their layers keep their cost and age.
type Layer struct {
	Document *Document // the document that brought it to this warehouse
	Received time.Time // when the account received it
	Left     Units
	Unit     Amount // cost of one unit; 0 means unknown
}

// shortfall is a quantity that was sold before it was received. The next receipt covers it.
type shortfall struct {
	position *Position
	part     int // index of the component in a line with a bundle, or -1
	quantity Units
}

// Available returns what the upstream calls quantity: stock − reserve + in transit.
func (h *Holding) Available() Units { return h.Stock - h.Reserve + h.InTransit }

// add adds the figures and layers of another holding.
func (h *Holding) add(other Holding) {
	h.Stock += other.Stock
	h.Reserve += other.Reserve
	h.InTransit += other.InTransit
	h.Layers = append(h.Layers, other.Layers...)
}

// Cost returns the cost of the stock. It is 0 if there is no stock or the cost is unknown.
func (h *Holding) Cost() Amount {
	var sum Amount
	for _, layer := range h.Layers {
		sum += layer.Left.times(layer.Unit)
	}
	return sum
}

// Holdings returns the stock of an item in each warehouse where it has ever been or where orders reserve or expect it.
func (b *Books) Holdings(item *Item) []Holding { return b.ledger.of(item) }

// Holding returns the stock of an item in one warehouse. If store is nil, it returns what orders without a warehouse
// reserve or expect.
func (b *Books) Holding(item *Item, store *Store) Holding { return b.ledger.in(item, store) }

// cover uses received goods for earlier shortfalls. It returns the quantity that is left. If assign is true, it adds
// the cost to the lines of the sales that had the shortfalls.
func (h *Holding) cover(quantity Units, unit Amount, assign bool) Units {
	for len(h.shortfalls) > 0 && quantity > 0 {
		first := &h.shortfalls[0]
		paid := min(first.quantity, quantity)
		if assign {
			cost := paid.times(unit)
			first.position.Cost += cost
			if first.part >= 0 {
				first.position.Parts[first.part].Cost += cost
			}
		}
		quantity -= paid
		if first.quantity -= paid; first.quantity == 0 {
			h.shortfalls = h.shortfalls[1:]
		}
	}
	return quantity
}

// consume takes a quantity from the oldest layers. It returns what it took from each, and the quantity that was
// missing.
func (h *Holding) consume(quantity Units) (taken []Layer, missing Units) {
	for len(h.Layers) > 0 && quantity > 0 {
		first := &h.Layers[0]
		part := *first
		part.Left = min(first.Left, quantity)
		taken = append(taken, part)
		quantity -= part.Left
		if first.Left -= part.Left; first.Left == 0 {
			h.Layers = h.Layers[1:]
		}
	}
	return taken, quantity
}

// days returns the average age of the layers in whole days, weighted by quantity.
func (h *Holding) days(now time.Time) int64 {
	var weighted float64
	var quantity Units
	for _, layer := range h.Layers {
		weighted += now.Sub(layer.Received).Hours() / 24 * float64(layer.Left)
		quantity += layer.Left
	}
	if quantity == 0 {
		return 0
	}
	return int64(weighted / float64(quantity))
}
