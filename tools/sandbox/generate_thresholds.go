package sandbox

// thresholds gives more than half of the products a minimum of some type, depending on their stock. Most are above it. Some
// are below it with positive, zero or negative stock.
func (m *maker) thresholds() {
	n := 0
	for _, item := range m.books.Assortment {
		if item.Kind != kindProduct {
			continue
		}
		if n++; n%2 == 0 && item.scenario != negative && item.scenario != soldOut {
			continue
		}
		item.Minimum = m.minimum(item, n/2)
		for i, variant := range item.Variants {
			if i%2 == 1 {
				variant.Own, variant.Minimum = true, m.minimum(variant, n/2+i)
			}
		}
	}
}

// minimum draws a minimum of one of the three types.
func (m *maker) minimum(item *Item, shape int) Minimum {
	var total Units
	for _, holding := range m.books.Holdings(item) {
		total += holding.Stock
	}
	switch shape % 5 {
	case 0:
		return Minimum{Type: MinimumSum, Quantity: m.minimumNear(total)}
	case 1:
		return Minimum{Type: MinimumSame, Quantity: m.minimumNear(total / Units(len(m.books.Stores)))}
	default:
		minimum := Minimum{Type: MinimumVaried}
		for _, store := range m.books.Stores {
			if store.n == mainStore || m.chance(45) {
				minimum.ByStore = append(minimum.ByStore, StoreMinimum{store, m.minimumNear(m.books.Holding(item, store).Stock)})
			}
		}
		return minimum
	}
}

// minimumNear draws a minimum near a stock, in whole pieces: above it in three cases of ten.
func (m *maker) minimumNear(stock Units) Units {
	pieces := max(0, int64(stock/1000))
	if m.chance(30) {
		return Pieces(pieces + int64(m.between(1, 8)))
	}
	return Pieces(pieces * int64(m.between(20, 90)) / 100)
}
