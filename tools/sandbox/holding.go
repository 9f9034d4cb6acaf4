package sandbox

import "time"

// Holding is what lies of one item in one warehouse, or is reserved and expected without one when Store is nil. Layers
// are the receipts that are left, oldest first; together they are Stock, unless it is negative.
type Holding struct {
	Store     *Store
	Stock     Units
	Reserve   Units
	InTransit Units
	Layers    []Layer
	debts     []debt
}

// Layer is what is left of one receipt. A move carries layers to the other warehouse with their cost and age.
type Layer struct {
	Document *Document // that brought it into this warehouse
	Received time.Time // into the account
	Left     Units
	Unit     Amount // cost of one unit; 0 is unknown
}

// debt is goods sold before they were received: the next receipt pays for them.
type debt struct {
	position *Position
	part     int // of a bundle's line, or -1
	quantity Units
}

// Available is what the upstream calls quantity: stock − reserve + in transit.
func (h *Holding) Available() Units { return h.Stock - h.Reserve + h.InTransit }

// Cost is what the stock cost; 0 for no stock or unknown costs.
func (h *Holding) Cost() Amount {
	var sum Amount
	for _, layer := range h.Layers {
		sum += layer.Left.times(layer.Unit)
	}
	return sum
}

// Holdings are the warehouses that an item has ever moved through or is expected at; none for a never-moved item.
func (b *Books) Holdings(item *Item) []Holding { return b.ledger.of(item) }

// Holding is an item's state at one warehouse; nil is the state without a warehouse.
func (b *Books) Holding(item *Item, store *Store) Holding {
	for _, holding := range b.ledger.of(item) {
		if holding.Store == store {
			return holding
		}
	}
	return Holding{Store: store}
}

// repay gives received goods to the sales that were made without stock and returns what is left of them.
func (h *Holding) repay(quantity Units, unit Amount, assign bool) Units {
	for len(h.debts) > 0 && quantity > 0 {
		first := &h.debts[0]
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
			h.debts = h.debts[1:]
		}
	}
	return quantity
}

// consume removes the oldest layers up to a quantity and returns them, and how much was missing.
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

// Days is the average age of the layers, weighted by quantity, in whole days.
func (h *Holding) Days(now time.Time) int64 {
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
