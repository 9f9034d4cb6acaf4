package sandbox

import (
	"cmp"
	"slices"
)

// purchases turns deliveries into purchase orders and receipts, one of each for a supplier and day.
func (m *maker) purchases() {
	groups := map[*Counterparty][]delivery{}
	var opening []delivery
	for _, delivery := range m.bought {
		if delivery.entered {
			opening = append(opening, delivery)
			continue
		}
		supplier := m.supplierOf(delivery.item)
		groups[supplier] = append(groups[supplier], delivery)
	}
	m.bought = nil
	for _, supplier := range m.books.suppliers() {
		deliveries := groups[supplier]
		slices.SortStableFunc(deliveries, func(a, b delivery) int { return cmp.Compare(b.day, a.day) })
		for _, day := range chunkBy(deliveries, func(a, b delivery) bool { return a.day == b.day && a.costless == b.costless }) {
			for part := range slices.Chunk(day, 200) {
				m.purchase(supplier, part)
			}
		}
		m.openPurchaseOrders(supplier, groups[supplier])
	}
	m.openingBalances(opening)
}

// chunkBy splits a slice between neighbours that differ.
func chunkBy[T any](all []T, same func(a, b T) bool) [][]T {
	var chunks [][]T
	start := 0
	for i := range all {
		if i > start && !same(all[i-1], all[i]) {
			chunks = append(chunks, all[start:i])
			start = i
		}
	}
	if start < len(all) {
		chunks = append(chunks, all[start:])
	}
	return chunks
}

// purchase generates an order and its receipt, sometimes in two parts, or a receipt without an order.
func (m *maker) purchase(supplier *Counterparty, deliveries []delivery) {
	day := deliveries[0].day
	lines := make([]Position, len(deliveries))
	for i, delivery := range deliveries {
		lines[i] = Position{Item: delivery.item, Quantity: delivery.quantity, Price: m.cost(delivery.item, supplier.Currency)}
		if delivery.costless {
			lines[i].Price = 0
		}
	}
	var order *Document
	if m.chance(88) {
		lead := max(1, supplier.LeadDays+m.between(-2, 3))
		order = m.document(PurchaseOrder, m.at(day+lead, m.between(10, 17), m.IntN(60)))
		order.Agent, order.Store, order.Currency = supplier, m.books.Stores[mainStore], supplier.Currency
		order.Planned = m.at(day+lead-supplier.LeadDays, 12, 0)
		order.State = m.books.state(PurchaseOrder, "Получен")
		order.Positions = slices.Clone(lines)
		for i := range order.Positions {
			order.Positions[i].Held = order.Positions[i].Quantity
		}
		order.total()
	}
	half := len(lines)
	if order != nil && len(lines) > 1 && m.chance(15) {
		half = len(lines) / 2
		m.receipt(order, supplier, day+2, lines[half:])
	}
	m.receipt(order, supplier, day, lines[:half])
}

func (m *maker) receipt(order *Document, supplier *Counterparty, day int, lines []Position) {
	supply := m.document(Supply, m.at(day, 8, m.IntN(60)))
	supply.Agent, supply.Store, supply.Currency, supply.Order = supplier, m.books.Stores[mainStore], supplier.Currency, order
	supply.Positions = lines
	supply.total()
	if order != nil {
		order.Followers = append(order.Followers, supply)
	}
}

// cost draws the price that a supplier asks for an item: about its purchase price.
func (m *maker) cost(item *Item, currency *Currency) Amount {
	card := item.Origin()
	own := Amount(mulDiv(int64(card.BuyPrice), card.BuyCurrency.Rate, 1000))
	if own == 0 {
		own = card.prices()[0].Value / 2
	}
	own = own * Amount(m.between(92, 112)) / 100
	switch {
	case !currency.Default && (item.Weighed || card.Weighed):
		return max(Kop(5), Amount(mulDiv(int64(own), 1000, currency.Rate))/5000*5000) // whole kopecks at any of the rates
	case !currency.Default:
		return max(Kop(1), Amount(mulDiv(int64(own), 1000, currency.Rate))/1000*1000)
	case item.Weighed || card.Weighed:
		return own / 1000 * 1000
	default:
		return own / 200 * 200
	}
}

// openPurchaseOrders generates open orders of a supplier: on time, late, received in part, or without a warehouse.
func (m *maker) openPurchaseOrders(supplier *Counterparty, history []delivery) {
	if len(history) == 0 || !m.chance(60) {
		return
	}
	for range 1 + len(history)/80 {
		sent := m.between(1, supplier.LeadDays+5)
		order := m.document(PurchaseOrder, m.at(sent, 11, m.IntN(60)))
		order.Agent, order.Store, order.Currency = supplier, m.books.Stores[mainStore], supplier.Currency
		order.Planned = m.at(sent-supplier.LeadDays, 12, 0)
		if m.chance(60) {
			order.State = pick(m, m.books.States[PurchaseOrder][:2])
		}
		if m.openOrderCount++; m.openOrderCount%7 == 2 {
			order.Store = nil
		}
		for range m.between(1, 6) {
			item := pick(m, history).item
			if item.Archived {
				continue
			}
			quantity := 10 * m.quantity(item)
			order.Positions = append(
				order.Positions, Position{Item: item, Quantity: quantity, Price: m.cost(item, supplier.Currency), Held: quantity},
			)
		}
		order.total()
		if order.Store != nil && sent > 4 && m.chance(25) && len(order.Positions) > 1 {
			first := order.Positions[0]
			first.Quantity = first.Quantity / 2 / 200 * 200
			if !first.Item.Weighed {
				first.Quantity = first.Quantity / 1000 * 1000
			}
			first.Held = 0
			m.receipt(order, supplier, 2, []Position{first})
		}
	}
}

// openingBalances generates documents that enter the initial stock, without a cost.
func (m *maker) openingBalances(opening []delivery) {
	for part := range slices.Chunk(opening, 100) {
		day := 0
		for _, delivery := range part {
			day = max(day, delivery.day)
		}
		enter := m.document(Enter, m.at(day, 8, 30))
		enter.Store = m.books.Stores[mainStore]
		enter.Description = "Ввод начальных остатков"
		for _, delivery := range part {
			enter.Positions = append(enter.Positions, Position{Item: delivery.item, Quantity: delivery.quantity})
		}
		enter.total()
	}
}

// transfers turns transfers into moves, write-offs and production.
func (m *maker) transfers() {
	byRoute := func(a, b transfer) int {
		return cmp.Or(cmp.Compare(b.day, a.day), cmp.Compare(a.from.n, b.from.n), cmp.Compare(storeOrder(a.to), storeOrder(b.to)))
	}
	same := func(a, b transfer) bool { return byRoute(a, b) == 0 }
	slices.SortStableFunc(m.moved, byRoute)
	for _, route := range chunkBy(m.moved, same) {
		for part := range slices.Chunk(route, 100) {
			move := m.document(Move, m.at(part[0].day, 10, m.IntN(60)))
			move.Store, move.Target = part[0].from, part[0].to
			move.Positions = m.transferLines(part)
			move.total()
		}
	}
	slices.SortStableFunc(m.removed, byRoute)
	for i, route := range chunkBy(m.removed, same) {
		kind := []Kind{Loss, Processing}[i%2]
		document := m.document(kind, m.at(route[0].day, 11, m.IntN(60)))
		document.Store = route[0].from
		document.Positions = m.transferLines(route)
		document.total()
	}
	m.moved, m.removed = nil, nil
}

func (m *maker) transferLines(shifts []transfer) []Position {
	lines := make([]Position, len(shifts))
	for i, shift := range shifts {
		lines[i] = Position{Item: shift.item, Quantity: shift.quantity}
	}
	return lines
}

func storeOrder(store *Store) int {
	if store == nil {
		return -1
	}
	return store.n
}
