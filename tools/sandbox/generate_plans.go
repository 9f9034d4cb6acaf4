package sandbox

// scenario is what happens to an item. The scenarios make sure that every account has a case for each rule about stock.
type scenario int

const (
	noScenario   scenario = iota // a product with variants, a bundle or a service
	seller                       // bought and sold all the time
	soldOut                      // the same, with no stock left
	negative                     // the same, sold once more than was in stock
	dead                         // bought long ago; no recent sale or other outflow
	turnsByMove                  // the same, but some recently moved to another warehouse
	turnsByLoss                  // the same, but some recently written off or used up
	oldSeller                    // one old purchase that still sells
	fresh                        // bought recently
	neverMoved                   // in no document
	reserved                     // in stock and fully reserved
	costless                     // received at a price of zero
	halfCostless                 // partly received at a price of zero
	entered                      // entered as an opening balance without a cost
	deadCostless                 // dead, with unknown cost
	archivedDead                 // dead, archived with stock
)

// scenarios repeat in this order: half of them are sellers, and each other scenario comes at least once in fifty.
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
func (m *maker) nextScenario() scenario {
	m.scenarioCount++
	return scenarios[(m.scenarioCount-1)%len(scenarios)]
}

// delivery is goods received at the main warehouse. Days count back from today.
type delivery struct {
	item     *Item
	day      int
	quantity Units
	costless bool
	entered  bool // as an opening balance, not from a supplier
}

// transfer is goods moved from one warehouse to another, or removed from stock if to is nil.
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

// planItems decides what happened to each item in the last year.
func (m *maker) planItems() {
	for _, item := range m.books.Assortment {
		if item.scenario != noScenario && item.scenario != neverMoved {
			m.planItem(item)
		}
	}
	for _, item := range m.books.Assortment {
		if item.Kind == kindBundle {
			m.planBundle(item)
		}
	}
}

func (m *maker) planItem(item *Item) {
	switch item.scenario {
	case seller, reserved:
		m.planSales(item, m.between(2, 14))
	case costless, halfCostless:
		m.planSales(item, m.between(1, 8))
	case soldOut:
		m.planSales(item, 0)
	case negative:
		m.planSales(item, 0)
		m.sold = append(m.sold, sale{item, m.between(2, 9), m.anyStore(), m.quantity(item)})
	case oldSeller:
		m.cycle(item, m.between(200, 390), 2, m.perItem(8), m.between(3, 30))
	case fresh:
		m.cycle(item, m.between(4, 20), 2, 0, m.between(2, 20))
	case entered:
		m.cycle(item, m.between(100, 380), 30, m.perItem(3), m.between(1, 12))
	default:
		m.planDead(item)
	}
}

// planSales plans a series of purchases that are sold completely, except for the units left of the last one.
func (m *maker) planSales(item *Item, left int) {
	day := m.between(200, 390)
	cycles := m.perItem(4)
	length := (day - 3) / cycles
	for range cycles - 1 {
		m.cycle(item, day, day-length+1, m.perItem(3), 0)
		day -= length
	}
	m.cycle(item, day, 2, m.perItem(3), left)
}

// planDead plans one old purchase with a few sales soon after it, and then only what the scenario says.
func (m *maker) planDead(item *Item) {
	first := m.between(190, 390)
	before := len(m.sold)
	m.cycle(item, first, max(130, first-60), m.IntN(3), m.between(6, 40))
	if item.scenario == archivedDead {
		item.Archived = true
	}
	if item.scenario != turnsByMove && item.scenario != turnsByLoss {
		return
	}
	quantity := m.quantity(item)
	m.bought = append(m.bought, delivery{item: item, day: first, quantity: 3 * quantity})
	m.sold = m.sold[:before] // drop the sales, so that there is stock at the main warehouse
	shift := transfer{item: item, day: m.between(5, 60), from: m.books.Stores[mainStore], quantity: quantity}
	if item.scenario == turnsByMove && len(m.books.Stores) > 1 {
		shift.to = m.books.Stores[1+m.IntN(len(m.books.Stores)-1)]
		m.moved = append(m.moved, shift)
		return
	}
	m.removed = append(m.removed, shift)
}

// cycle buys goods on a day, moves them to warehouses and sells them there until another day, except for the units left.
func (m *maker) cycle(item *Item, from, to, sales, left int) {
	byStore := make([]Units, len(m.books.Stores))
	for range sales {
		store := m.anyStore()
		quantity := m.quantity(item)
		byStore[store.n] += quantity
		m.sold = append(m.sold, sale{item, m.between(to, max(to, from-4)), store, quantity})
	}
	for left > 0 {
		part := m.between(1, left)
		if item.Weighed {
			byStore[m.anyStore().n] += Units(part) * 200 * 3
		} else {
			byStore[m.anyStore().n] += Pieces(int64(part))
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
	day := m.deliveryDay(item, from)
	costless := item.scenario == costless || item.scenario == deadCostless || item.scenario == halfCostless && from < 150
	m.bought = append(m.bought, delivery{item, day, total, costless, item.scenario == entered})
	for n, quantity := range byStore {
		if n != mainStore && quantity > 0 {
			m.moved = append(m.moved, transfer{item, max(1, from-m.between(1, 2)), m.books.Stores[mainStore], m.books.Stores[n], quantity})
		}
	}
}

// deliveryDay returns the last day, not after the given one, on which the item's supplier delivered. Suppliers deliver
// at regular intervals, some every week, some a few times a year.
func (m *maker) deliveryDay(item *Item, day int) int {
	supplier := m.supplierOf(item)
	rhythm := 7 + int(hash(supplier.ID)%29)
	if hash(supplier.ID)%4 == 0 {
		rhythm = 90
	}
	return min(day+(rhythm-day%rhythm)%rhythm, historyDays)
}

// supplierOf returns the supplier of an item, even if its card names none.
func (m *maker) supplierOf(item *Item) *Counterparty {
	if supplier := item.Origin().Supplier; supplier != nil {
		return supplier
	}
	suppliers := m.books.suppliers()
	return suppliers[int(hash(item.ID)%uint64(len(suppliers)))]
}

// planBundle plans a few sales of a bundle and the purchases of its components.
func (m *maker) planBundle(bundle *Item) {
	for range m.between(1, 6) {
		day := m.between(3, 200)
		for _, component := range bundle.Components {
			m.bought = append(
				m.bought, delivery{item: component.Item, day: m.deliveryDay(component.Item, day+6), quantity: component.Quantity},
			)
		}
		m.sold = append(m.sold, sale{bundle, day, m.books.Stores[mainStore], Pieces(1)})
	}
}

// anyStore draws a warehouse, more often one of those that sell most.
func (m *maker) anyStore() *Store {
	stores := m.books.Stores
	n := []int{
		mainStore, mainStore, mainStore, mainStore, showroom, showroom, ozonStore, ozonStore, ozonStore, wildberriesStore, wildberriesStore,
	}[m.IntN(11)]
	if len(stores) > 4 && m.chance(30) {
		n = 4 + m.IntN(len(stores)-4)
	}
	return stores[min(n, len(stores)-1)]
}

// quantity draws how much one customer buys: pieces, or a multiple of 200 g.
func (m *maker) quantity(item *Item) Units {
	if item.Weighed {
		return Units(200 * m.between(1, 15))
	}
	if m.chance(10) {
		return Pieces(int64(m.between(4, 10)))
	}
	return Pieces(int64(m.between(1, 3)))
}

// perItem halves a number of events for large accounts, which have more goods but not as many documents per item.
func (m *maker) perItem(n int) int {
	if m.config.Products > 5000 {
		return max(1, n/2)
	}
	return n
}
