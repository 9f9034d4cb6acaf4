package sandbox

import (
	"cmp"
	"slices"
)

// purchases converts deliveries to purchase orders and receipts, one of each for a supplier and day.
func (g *generator) purchases() {
	groups := map[*Counterparty][]delivery{}
	var opening []delivery
	for _, delivery := range g.bought {
		if delivery.entered {
			opening = append(opening, delivery)
			continue
		}
		supplier := g.supplierOf(delivery.item)
		groups[supplier] = append(groups[supplier], delivery)
	}
	g.bought = nil
	for _, supplier := range g.books.suppliers() {
		deliveries := groups[supplier]
		slices.SortStableFunc(deliveries, func(a, b delivery) int { return cmp.Compare(b.day, a.day) })
		for _, day := range chunkBy(deliveries, func(a, b delivery) bool { return a.day == b.day && a.costless == b.costless }) {
			for part := range slices.Chunk(day, 200) {
				g.purchase(supplier, part)
			}
		}
		g.openPurchaseOrders(supplier, groups[supplier])
	}
	g.openingBalances(opening)
}

// chunkBy splits a slice wherever two neighbours are not the same.
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
func (g *generator) purchase(supplier *Counterparty, deliveries []delivery) {
	day := deliveries[0].day
	lines := make([]Position, len(deliveries))
	for i, delivery := range deliveries {
		lines[i] = Position{Item: delivery.item, Quantity: delivery.quantity, Price: g.cost(delivery.item, supplier.Currency)}
		if delivery.costless {
			lines[i].Price = 0
		}
	}
	var order *Document
	if g.chance(88) {
		lead := max(1, supplier.LeadDays+g.between(-2, 3))
		order = g.document(PurchaseOrder, g.at(day+lead, g.between(10, 17), g.IntN(60)))
		order.Agent, order.Store, order.Currency = supplier, g.books.Stores[mainStore], supplier.Currency
		order.Planned = g.at(day+lead-supplier.LeadDays, 12, 0)
		order.State = g.books.state(PurchaseOrder, "Получен")
		order.Positions = slices.Clone(lines)
		for i := range order.Positions {
			order.Positions[i].Held = order.Positions[i].Quantity
		}
		order.total()
	}
	half := len(lines)
	if order != nil && len(lines) > 1 && g.chance(15) {
		half = len(lines) / 2
		g.receipt(order, supplier, day+2, lines[half:])
	}
	g.receipt(order, supplier, day, lines[:half])
}

func (g *generator) receipt(order *Document, supplier *Counterparty, day int, lines []Position) {
	supply := g.document(Supply, g.at(day, 8, g.IntN(60)))
	supply.Agent, supply.Store, supply.Currency, supply.Order = supplier, g.books.Stores[mainStore], supplier.Currency, order
	supply.Positions = lines
	supply.total()
	if order != nil {
		order.Followers = append(order.Followers, supply)
	}
}

// cost chooses the price that a supplier asks for an item, near the item's purchase price.
func (g *generator) cost(item *Item, currency *Currency) Amount {
	card := item.Origin()
	own := Amount(mulDiv(int64(card.BuyPrice), card.BuyCurrency.Rate, 1000))
	if own == 0 {
		own = card.prices()[0].Value / 2
	}
	own = own * Amount(g.between(92, 112)) / 100
	switch {
	case !currency.Default && (item.Weighed || card.Weighed):
		// The cost in the account's currency is then in whole kopecks, whichever of the rates applies.
		return max(Kop(5), Amount(mulDiv(int64(own), 1000, currency.Rate))/5000*5000)
	case !currency.Default:
		return max(Kop(1), Amount(mulDiv(int64(own), 1000, currency.Rate))/1000*1000)
	case item.Weighed || card.Weighed:
		return own / 1000 * 1000
	default:
		return own / 200 * 200
	}
}

// openPurchaseOrders generates open orders to a supplier. They are on time, late, partly received or without a
// warehouse.
func (g *generator) openPurchaseOrders(supplier *Counterparty, history []delivery) {
	if len(history) == 0 || !g.chance(60) {
		return
	}
	for range 1 + len(history)/80 {
		sent := g.between(1, supplier.LeadDays+5)
		order := g.document(PurchaseOrder, g.at(sent, 11, g.IntN(60)))
		order.Agent, order.Store, order.Currency = supplier, g.books.Stores[mainStore], supplier.Currency
		order.Planned = g.at(sent-supplier.LeadDays, 12, 0)
		if g.chance(60) {
			order.State = pick(g, g.books.States[PurchaseOrder][:2])
		}
		if g.openOrderCount++; g.openOrderCount%7 == 2 {
			order.Store = nil
		}
		for range g.between(1, 6) {
			item := pick(g, history).item
			if item.Archived {
				continue
			}
			quantity := 10 * g.quantity(item)
			order.Positions = append(
				order.Positions, Position{Item: item, Quantity: quantity, Price: g.cost(item, supplier.Currency), Held: quantity},
			)
		}
		order.total()
		if order.Store != nil && sent > 4 && g.chance(25) && len(order.Positions) > 1 {
			first := order.Positions[0]
			first.Quantity = first.Quantity / 2 / 200 * 200
			if !first.Item.Weighed {
				first.Quantity = first.Quantity / 1000 * 1000
			}
			first.Held = 0
			g.receipt(order, supplier, 2, []Position{first})
		}
	}
}

// openingBalances generates documents that enter the initial stock. The stock has no cost.
func (g *generator) openingBalances(opening []delivery) {
	for part := range slices.Chunk(opening, 100) {
		day := 0
		for _, delivery := range part {
			day = max(day, delivery.day)
		}
		enter := g.document(Enter, g.at(day, 8, 30))
		enter.Store = g.books.Stores[mainStore]
		enter.Description = "Ввод начальных остатков"
		for _, delivery := range part {
			enter.Positions = append(enter.Positions, Position{Item: delivery.item, Quantity: delivery.quantity})
		}
		enter.total()
	}
}

// transfers converts transfers to moves, write-offs and production.
func (g *generator) transfers() {
	byRoute := func(a, b transfer) int {
		return cmp.Or(cmp.Compare(b.day, a.day), cmp.Compare(a.from.n, b.from.n), cmp.Compare(storeOrder(a.to), storeOrder(b.to)))
	}
	same := func(a, b transfer) bool { return byRoute(a, b) == 0 }
	slices.SortStableFunc(g.moved, byRoute)
	for _, route := range chunkBy(g.moved, same) {
		for part := range slices.Chunk(route, 100) {
			move := g.document(Move, g.at(part[0].day, 10, g.IntN(60)))
			move.Store, move.Target = part[0].from, part[0].to
			move.Positions = g.transferLines(part)
			move.total()
		}
	}
	slices.SortStableFunc(g.removed, byRoute)
	for i, route := range chunkBy(g.removed, same) {
		kind := []Kind{Loss, Processing}[i%2]
		document := g.document(kind, g.at(route[0].day, 11, g.IntN(60)))
		document.Store = route[0].from
		document.Positions = g.transferLines(route)
		document.total()
	}
	g.moved, g.removed = nil, nil
}

func (g *generator) transferLines(shifts []transfer) []Position {
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
