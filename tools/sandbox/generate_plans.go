package sandbox

// scenario is what happens to an item. With all scenarios, every account has a case for each rule about stock.
type scenario int

const (
	noScenario   scenario = iota // a product with variants, a bundle or a service
	seller                       // bought and sold regularly
	soldOut                      // like seller, but no stock is left
	negative                     // like seller, but more was once sold than was in stock
	dead                         // bought long ago; no recent sale or other outflow
	turnsByMove                  // like dead, but some units were recently moved to another warehouse
	turnsByLoss                  // like dead, but some units were recently written off or used up
	oldSeller                    // bought once, long ago, and still sold
	fresh                        // bought recently
	neverMoved                   // not in any document
	reserved                     // in stock, but all units are reserved
	costless                     // received at a price of zero
	halfCostless                 // partly received at a price of zero
	entered                      // entered as an opening balance without a cost
	deadCostless                 // dead, with unknown cost
	archivedDead                 // dead, archived with stock
)

// scenarios are repeated in this order. Half of the items are sellers, and each other scenario occurs at least once in
// fifty.
var scenarios = func() []scenario {
	others := []scenario{
		soldOut, dead, oldSeller, neverMoved, reserved, costless, dead, negative, turnsByMove, fresh, dead, soldOut,
		turnsByLoss, halfCostless, dead, oldSeller, entered, fresh, neverMoved, dead, deadCostless, oldSeller, archivedDead, dead,
	}
	all := make([]scenario, 0, 50)
	for _, other := range others {
		all = append(all, seller, other)
	}
	return append(all, seller, seller)
}()

// nextScenario returns the scenario of the next item that can be in stock.
func (g *generator) nextScenario() scenario {
	g.scenarioCount++
	return scenarios[(g.scenarioCount-1)%len(scenarios)]
}

// delivery is goods received at the main warehouse. A day is given as the number of days before today.
type delivery struct {
	item     *Item
	day      int
	quantity Units
	costless bool
	entered  bool // an opening balance rather than a delivery from a supplier
}

// transfer is goods moved from one warehouse to another. If to is nil, they are removed from stock.
type transfer struct {
	item     *Item
	day      int
	from, to *Store
	quantity Units
}

// sale is goods sold from a warehouse.
type sale struct {
	item     *Item
	day      int
	store    *Store
	quantity Units
}

// planItems decides what has happened to each item in the last year.
func (g *generator) planItems() {
	for _, item := range g.books.Assortment {
		if item.scenario != noScenario && item.scenario != neverMoved {
			g.planItem(item)
		}
	}
	for _, item := range g.books.Assortment {
		if item.Kind == kindBundle {
			g.planBundle(item)
		}
	}
}

func (g *generator) planItem(item *Item) {
	switch item.scenario {
	case seller, reserved:
		g.planSales(item, g.between(2, 14))
	case costless, halfCostless:
		g.planSales(item, g.between(1, 8))
	case soldOut:
		g.planSales(item, 0)
	case negative:
		g.planSales(item, 0)
		g.sold = append(g.sold, sale{item, g.between(2, 9), g.anyStore(), g.quantity(item)})
	case oldSeller:
		g.cycle(item, g.between(200, 390), 2, g.perItem(8), g.between(3, 30))
	case fresh:
		g.cycle(item, g.between(4, 20), 2, 0, g.between(2, 20))
	case entered:
		g.cycle(item, g.between(100, 380), 30, g.perItem(3), g.between(1, 12))
	default:
		g.planDead(item)
	}
}

// planSales plans a series of purchases that are all sold, except for the given number of units of the last one.
func (g *generator) planSales(item *Item, left int) {
	day := g.between(200, 390)
	cycles := g.perItem(4)
	length := (day - 3) / cycles
	for range cycles - 1 {
		g.cycle(item, day, day-length+1, g.perItem(3), 0)
		day -= length
	}
	g.cycle(item, day, 2, g.perItem(3), left)
}

// planDead plans one old purchase with a few sales soon after it. After that, only what the scenario says happens.
func (g *generator) planDead(item *Item) {
	first := g.between(190, 390)
	before := len(g.sold)
	g.cycle(item, first, max(130, first-60), g.IntN(3), g.between(6, 40))
	if item.scenario == archivedDead {
		item.Archived = true
	}
	if item.scenario != turnsByMove && item.scenario != turnsByLoss {
		return
	}
	quantity := g.quantity(item)
	g.bought = append(g.bought, delivery{item: item, day: first, quantity: 3 * quantity})
	g.sold = g.sold[:before] // removes the planned sales, so that there is stock in the main warehouse
	shift := transfer{item: item, day: g.between(5, 60), from: g.books.Stores[mainStore], quantity: quantity}
	if item.scenario == turnsByMove && len(g.books.Stores) > 1 {
		shift.to = g.books.Stores[1+g.IntN(len(g.books.Stores)-1)]
		g.moved = append(g.moved, shift)
		return
	}
	g.removed = append(g.removed, shift)
}

// cycle buys goods on one day, moves them to the warehouses, and sells them there until another day. left units are not
// sold.
func (g *generator) cycle(item *Item, from, to, sales, left int) {
	byStore := make([]Units, len(g.books.Stores))
	for range sales {
		store := g.anyStore()
		quantity := g.quantity(item)
		byStore[store.n] += quantity
		g.sold = append(g.sold, sale{item, g.between(to, max(to, from-4)), store, quantity})
	}
	for left > 0 {
		part := g.between(1, left)
		if item.Weighed {
			byStore[g.anyStore().n] += Units(part) * 200 * 3
		} else {
			byStore[g.anyStore().n] += Pieces(int64(part))
		}
		left -= part
	}
	var total Units
	for _, quantity := range byStore {
		total += quantity
	}
	if total == 0 {
		return
	}
	day := g.deliveryDay(item, from)
	costless := item.scenario == costless || item.scenario == deadCostless || item.scenario == halfCostless && from < 150
	g.bought = append(g.bought, delivery{item, day, total, costless, item.scenario == entered})
	for n, quantity := range byStore {
		if n != mainStore && quantity > 0 {
			g.moved = append(g.moved, transfer{item, max(1, from-g.between(1, 2)), g.books.Stores[mainStore], g.books.Stores[n], quantity})
		}
	}
}

// deliveryDay returns the last day, not after the given one, on which the item's supplier delivers. Suppliers deliver
// at regular intervals, which differ: from a week to a few months.
func (g *generator) deliveryDay(item *Item, day int) int {
	supplier := g.supplierOf(item)
	rhythm := 7 + int(hash(supplier.ID)%29)
	if hash(supplier.ID)%4 == 0 {
		rhythm = 90
	}
	return min(day+(rhythm-day%rhythm)%rhythm, historyDays)
}

// supplierOf returns the supplier of an item. If the card names none, it chooses one.
func (g *generator) supplierOf(item *Item) *Counterparty {
	if supplier := item.Origin().Supplier; supplier != nil {
		return supplier
	}
	suppliers := g.books.suppliers()
	return suppliers[int(hash(item.ID)%uint64(len(suppliers)))]
}

// planBundle plans a few sales of a bundle, and the purchases of its components.
func (g *generator) planBundle(bundle *Item) {
	for range g.between(1, 6) {
		day := g.between(3, 200)
		for _, component := range bundle.Components {
			g.bought = append(
				g.bought, delivery{item: component.Item, day: g.deliveryDay(component.Item, day+6), quantity: component.Quantity},
			)
		}
		g.sold = append(g.sold, sale{bundle, day, g.books.Stores[mainStore], Pieces(1)})
	}
}

// anyStore chooses a warehouse at random. It chooses those that sell most more often.
func (g *generator) anyStore() *Store {
	stores := g.books.Stores
	n := []int{
		mainStore, mainStore, mainStore, mainStore, showroom, showroom, ozonStore, ozonStore, ozonStore, wildberriesStore, wildberriesStore,
	}[g.IntN(11)]
	if len(stores) > 4 && g.chance(30) {
		n = 4 + g.IntN(len(stores)-4)
	}
	return stores[min(n, len(stores)-1)]
}

// quantity chooses how much one customer buys: pieces, or a multiple of 200 g.
func (g *generator) quantity(item *Item) Units {
	if item.Weighed {
		return Units(200 * g.between(1, 15))
	}
	if g.chance(10) {
		return Pieces(int64(g.between(4, 10)))
	}
	return Pieces(int64(g.between(1, 3)))
}

// perItem halves a number of events if the account is large. Large accounts have more goods, but fewer documents for
// each.
func (g *generator) perItem(n int) int {
	if g.config.Products > 5000 {
		return max(1, n/2)
	}
	return n
}
