package sandbox

// minimums gives a minimum of some kind to more than half of the products, depending on their stock. Most products
// are above their minimum. Some are below it, with positive, zero or negative stock.
func (g *generator) minimums() {
	n := 0
	for _, item := range g.books.Assortment {
		if item.Kind != kindProduct {
			continue
		}
		if n++; n%2 == 0 && item.scenario != negative && item.scenario != soldOut {
			continue
		}
		item.Minimum = g.minimum(item, n/2)
		for i, variant := range item.Variants {
			if i%2 == 1 {
				variant.OwnMinimum, variant.Minimum = true, g.minimum(variant, n/2+i)
			}
		}
	}
}

// minimum generates a minimum of one of the three kinds.
func (g *generator) minimum(item *Item, shape int) Minimum {
	var total Units
	for _, holding := range g.books.Holdings(item) {
		total += holding.Stock
	}
	switch shape % 5 {
	case 0:
		return Minimum{Type: MinimumSum, Quantity: g.minimumNear(total)}
	case 1:
		return Minimum{Type: MinimumSame, Quantity: g.minimumNear(total / Units(len(g.books.Stores)))}
	default:
		minimum := Minimum{Type: MinimumVaried}
		for _, store := range g.books.Stores {
			if store.n == mainStore || g.chance(45) {
				minimum.ByStore = append(minimum.ByStore, StoreMinimum{store, g.minimumNear(g.books.Holding(item, store).Stock)})
			}
		}
		return minimum
	}
}

// minimumNear chooses a minimum near the given stock, in whole pieces. In three of ten cases it is above the stock.
func (g *generator) minimumNear(stock Units) Units {
	pieces := max(0, int64(stock/1000))
	if g.chance(30) {
		return Pieces(pieces + int64(g.between(1, 8)))
	}
	return Pieces(pieces * int64(g.between(20, 90)) / 100)
}
