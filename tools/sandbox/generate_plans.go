package sandbox

// fate is what the generator makes of an item, so that every rule about stock has its case in any account.
type fate int

const (
	noFate       fate = iota // a product with variants, a bundle or a service
	seller                   // bought and sold all the time
	soldOut                  // the same, and nothing left
	negative                 // sold once more than there was
	dead                     // bought long ago; no sale since, nor any other outflow
	turnsByMove              // the same, but moved between warehouses lately
	turnsByLoss              // the same, but written off or used up in part lately
	oldSeller                // one old purchase that still sells
	fresh                    // bought just now
	neverMoved               // known by name only
	reserved                 // in stock, all of it promised
	costless                 // received at a price of zero
	halfCostless             // one receipt of two at a price of zero
	entered                  // entered as an opening balance without a cost
	deadCostless             // dead, and its cost unknown
	archivedDead             // dead, and archived with stock
)

// cycle of fates: half sell, each other fate comes at least once in fifty.
var fates = func() []fate {
	others := []fate{
		soldOut, dead, oldSeller, neverMoved, reserved, costless, dead, negative, turnsByMove, fresh, dead, soldOut,
		turnsByLoss, halfCostless, dead, oldSeller, entered, fresh, neverMoved, dead, deadCostless, oldSeller, archivedDead, dead,
	}
	all := make([]fate, 0, 50)
	for _, other := range others {
		all = append(all, seller, other)
	}
	return append(all, seller, seller)
}()

// fate of the next item that can lie in a warehouse.
func (m *maker) fate() fate {
	m.leaves++
	return fates[(m.leaves-1)%len(fates)]
}

// delivery is goods that came into the main warehouse; days count back from today.
type delivery struct {
	item     *Item
	day      int
	quantity Units
	costless bool
	entered  bool // by an opening balance rather than from a supplier
}

// shift is goods that went from one warehouse to another, or out when to is nil.
type shift struct {
	item     *Item
	day      int
	from, to *Store
	quantity Units
}

// sale is goods that a customer took at a warehouse.
type sale struct {
	item     *Item
	day      int
	store    *Store
	quantity Units
}

// planItems decides what happened to each item over the last year.
func (m *maker) planItems() {
	for _, item := range m.books.Assortment {
		if item.fate != noFate && item.fate != neverMoved {
			m.plan(item)
		}
	}
	for _, item := range m.books.Assortment {
		if item.Kind == kindBundle {
			m.planBundle(item)
		}
	}
}

func (m *maker) plan(item *Item) {
	switch item.fate {
	case seller, reserved:
		m.sells(item, m.between(2, 14))
	case costless, halfCostless:
		m.sells(item, m.between(1, 8))
	case soldOut:
		m.sells(item, 0)
	case negative:
		m.sells(item, 0)
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

// sells is a series of purchases that sell off, each to the last piece but for what is left of the last one.
func (m *maker) sells(item *Item, left int) {
	day := m.between(200, 390)
	cycles := m.perItem(4)
	length := (day - 3) / cycles
	for range cycles - 1 {
		m.cycle(item, day, day-length+1, m.perItem(3), 0)
		day -= length
	}
	m.cycle(item, day, 2, m.perItem(3), left)
}

// planDead is one old purchase, a few sales soon after it, and silence since: except for what the fate says.
func (m *maker) planDead(item *Item) {
	first := m.between(190, 390)
	before := len(m.sold)
	m.cycle(item, first, max(130, first-60), m.IntN(3), m.between(6, 40))
	if item.fate == archivedDead {
		item.Archived = true
	}
	if item.fate != turnsByMove && item.fate != turnsByLoss {
		return
	}
	quantity := m.quantity(item)
	m.bought = append(m.bought, delivery{item: item, day: first, quantity: 3 * quantity})
	m.sold = m.sold[:before] // what was sold stays instead, so that there is stock at the main warehouse
	shift := shift{item: item, day: m.between(5, 60), from: m.books.Stores[mainStore], quantity: quantity}
	if item.fate == turnsByMove && len(m.books.Stores) > 1 {
		shift.to = m.books.Stores[1+m.IntN(len(m.books.Stores)-1)]
		m.moved = append(m.moved, shift)
		return
	}
	m.gone = append(m.gone, shift)
}

// cycle buys goods, spreads them over warehouses and sells them there from one day to another; left pieces stay.
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
	costless := item.fate == costless || item.fate == deadCostless || item.fate == halfCostless && from < 150
	m.bought = append(m.bought, delivery{item, day, total, costless, item.fate == entered})
	for n, quantity := range byStore {
		if n != mainStore && quantity > 0 {
			m.moved = append(m.moved, shift{item, max(1, from-m.between(1, 2)), m.books.Stores[mainStore], m.books.Stores[n], quantity})
		}
	}
}

// deliveryDay is the last day up to the one asked for on which the item's supplier delivered: every supplier has its
// rhythm, some come often, some a few times a year.
func (m *maker) deliveryDay(item *Item, day int) int {
	supplier := m.supplierOf(item)
	rhythm := 7 + int(hash(supplier.ID)%29)
	if hash(supplier.ID)%4 == 0 {
		rhythm = 90
	}
	return min(day+(rhythm-day%rhythm)%rhythm, historyDays)
}

// supplierOf is who delivers an item, also where its card names nobody.
func (m *maker) supplierOf(item *Item) *Counterparty {
	if supplier := item.Origin().Supplier; supplier != nil {
		return supplier
	}
	suppliers := m.books.suppliers()
	return suppliers[int(hash(item.ID)%uint64(len(suppliers)))]
}

// planBundle sells a bundle a few times, and buys its components for that.
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

// anyStore prefers the warehouses that sell most.
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

// quantity is what one customer takes: pieces, or steps of 200 g.
func (m *maker) quantity(item *Item) Units {
	if item.Weighed {
		return Units(200 * m.between(1, 15))
	}
	if m.chance(10) {
		return Pieces(int64(m.between(4, 10)))
	}
	return Pieces(int64(m.between(1, 3)))
}

// perItem thins what happens to an item out in large accounts, which have more goods but not as many more documents.
func (m *maker) perItem(n int) int {
	if m.config.Products > 5000 {
		return max(1, n/2)
	}
	return n
}
