package sandbox

import (
	"cmp"
	"fmt"
	"slices"
)

// sales turns sales into shop receipts, wholesale shipments, and marketplace orders with their shipments.
func (m *maker) sales() {
	slices.SortStableFunc(m.sold, func(a, b sale) int {
		return cmp.Or(cmp.Compare(b.day, a.day), cmp.Compare(a.store.n, b.store.n))
	})
	sameDay := func(a, b sale) bool { return a.day == b.day && a.store == b.store }
	for _, day := range chunkBy(m.sold, sameDay) {
		for len(day) > 0 {
			n := min(m.between(1, 4), len(day))
			m.basket(day[:n])
			day = day[n:]
		}
	}
	m.sold = nil
}

// basket generates the documents for one customer's purchase.
func (m *maker) basket(basket []sale) {
	store := basket[0].store
	lines := make([]Position, len(basket))
	for i, sale := range basket {
		lines[i] = Position{Item: sale.item, Quantity: sale.quantity, Price: m.salePrice(sale.item, 0)}
	}
	switch {
	case store.n == showroom || store.n > wildberriesStore:
		m.retail(basket[0].day, store, lines)
	case store.n == ozonStore:
		m.marketplace(m.books.Channels[0], basket[0].day, store, lines)
	case store.n == wildberriesStore:
		m.marketplace(m.books.Channels[1], basket[0].day, store, lines)
	case m.chance(35):
		m.marketplace(m.books.Channels[2+m.IntN(2)], basket[0].day, store, lines)
	default:
		m.wholesale(basket[0].day, store, lines)
	}
}

func (m *maker) salePrice(item *Item, column int) Amount { return item.prices()[column].Value }

// retail generates a shop receipt, paid at once, without a channel, and sometimes its return.
func (m *maker) retail(day int, store *Store, lines []Position) {
	check := m.document(RetailDemand, m.at(day, m.between(12, 20), m.IntN(60)))
	check.Agent, check.Store, check.Positions = m.books.walkIn(), store, lines
	if m.chance(10) {
		check.Positions[0].Discount = 10
	}
	check.total()
	if m.chance(35) {
		check.Cash = check.Sum
	} else {
		check.NoCash = check.Sum
	}
	if day > 4 && m.chance(3) {
		salesReturn := m.document(RetailSalesReturn, m.at(day-m.between(1, 3), 15, m.IntN(60)))
		salesReturn.Agent, salesReturn.Store, salesReturn.Order = check.Agent, store, check
		salesReturn.Positions = []Position{
			{
				Item: check.Positions[0].Item, Quantity: check.Positions[0].Quantity, Price: check.Positions[0].Price,
				Discount: check.Positions[0].Discount,
			},
		}
		salesReturn.total()
		salesReturn.NoCash = salesReturn.Sum
	}
}

// wholesale generates a shipment to a company at wholesale prices, without a channel, in about half of the cases with an order.
func (m *maker) wholesale(day int, store *Store, lines []Position) {
	customer := pick(m, m.books.customers())
	for i := range lines {
		lines[i].Price = m.salePrice(lines[i].Item, 1)
	}
	if m.chance(12) {
		delivery := m.service("Доставка")
		lines = append(lines, Position{Item: delivery, Quantity: Pieces(1), Price: delivery.SalePrices[0].Value})
	}
	var order *Document
	if m.chance(55) {
		order = m.order(nil, customer, store, day+m.between(1, 4), slices.Clone(lines))
		order.State = m.books.state(CustomerOrder, "Отгружен")
	}
	demand := m.shipment(order, customer, store, day, lines)
	demand.Planned = m.at(day-14, 12, 0)
	if day > 8 && m.chance(4) {
		m.takeBack(demand, day-m.between(2, 6), m.chance(80))
	}
}

func (m *maker) service(name string) *Item {
	for _, item := range slices.Backward(m.books.Assortment) {
		if item.Name == name {
			return item
		}
	}
	return nil
}

// marketplace generates an order of a channel and its shipment. About one in eight has a discrepancy that a
// reconciliation must find.
func (m *maker) marketplace(channel *SalesChannel, day int, store *Store, lines []Position) {
	order := m.order(channel, channel.Agent, store, day+m.between(0, 2), slices.Clone(lines))
	order.State = m.orderState(day)
	deviation := m.IntN(100)
	switch {
	case deviation < 2: // shipped without an order
		m.dropLastOrder(order)
		demand := m.shipment(nil, channel.Agent, store, day, lines)
		demand.Channel = channel
		m.setNumber(demand, m.marketplaceNumber(channel))
		return
	case deviation < 4: // cancelled, but shipped
		order.State = m.books.state(CustomerOrder, "Отменён")
	case deviation < 6: // shipped in part: more was ordered than was there
		order.Positions[0].Quantity += order.Positions[0].Quantity
		order.Positions[0].Held = order.Positions[0].Quantity
		order.total()
	case deviation < 8: // shipped at another price
		lines[0].Price -= min(lines[0].Price/10/1000*1000+Kop(1), lines[0].Price)
	case deviation < 10 && len(lines) > 1: // several shipments
		m.channelShipment(order, channel, store, max(1, day-1), lines[1:])
		lines = lines[:1]
	case deviation < 12: // entered twice: the second order is never shipped
		m.duplicate(order, channel)
	}
	demand := m.channelShipment(order, channel, store, day, lines)
	if day > 8 && m.chance(5) {
		m.takeBack(demand, day-m.between(2, 6), true)
	}
}

// orderState draws the status of a shipped order of a given age, or nil.
func (m *maker) orderState(day int) *State {
	switch {
	case m.chance(12):
		return nil
	case day > 6:
		return m.books.state(CustomerOrder, "Доставлен")
	default:
		return m.books.state(CustomerOrder, "Отгружен")
	}
}

func (m *maker) order(channel *SalesChannel, agent *Counterparty, store *Store, day int, lines []Position) *Document {
	order := m.document(CustomerOrder, m.at(day, m.between(0, 23), m.IntN(60)))
	order.Agent, order.Store, order.Channel = agent, store, channel
	order.Planned = m.at(day-m.between(2, 5), 23, 59)
	order.Positions = lines
	for i := range lines {
		if lines[i].Item.Stocked() {
			lines[i].Held = lines[i].Quantity
		}
	}
	order.total()
	if channel != nil {
		m.setNumber(order, m.marketplaceNumber(channel))
	}
	return order
}

// dropLastOrder removes an order, which must be the last one.
func (m *maker) dropLastOrder(order *Document) {
	orders := m.books.Documents[CustomerOrder]
	if orders[len(orders)-1] == order {
		m.books.Documents[CustomerOrder] = orders[:len(orders)-1]
	}
}

func (m *maker) duplicate(order *Document, channel *SalesChannel) {
	copied := m.document(CustomerOrder, order.Moment)
	id, name, external := copied.ID, copied.Name, copied.External
	*copied = *order
	copied.ID = id
	copied.Followers = nil
	copied.Positions = slices.Clone(order.Positions)
	for i := range copied.Positions {
		copied.Positions[i].Held = 0
	}
	if channel.Numbering != NumberInName {
		copied.Name = name
	}
	if channel.Numbering != NumberInCode {
		copied.External = external
	}
}

// marketplaceNumber draws an order number in the channel's format.
func (m *maker) marketplaceNumber(channel *SalesChannel) string {
	switch channel.Name {
	case "Ozon":
		return fmt.Sprintf("%08d-%04d-%d", m.IntN(100_000_000), m.IntN(10_000), m.between(1, 3))
	case "Wildberries":
		return fmt.Sprintf("WB%010d", m.IntN(1_000_000_000))
	case "Яндекс Маркет":
		return fmt.Sprintf("%09d", m.between(100_000_000, 999_999_999))
	default:
		return fmt.Sprintf("S-%06d", m.IntN(1_000_000))
	}
}

// setNumber writes the marketplace's number into the channel's field for it.
func (m *maker) setNumber(document *Document, number string) {
	switch document.Channel.Numbering {
	case NumberInName:
		document.Name = number
	case NumberInCode:
		document.External = number
	default:
		document.Number = number
	}
}

func (m *maker) channelShipment(order *Document, channel *SalesChannel, store *Store, day int, lines []Position) *Document {
	demand := m.shipment(order, channel.Agent, store, day, lines)
	demand.Channel = channel
	switch channel.Numbering {
	case NumberInName:
		demand.Name = order.Name
	case NumberInCode:
		demand.External = order.External
	default:
		demand.Number = order.Number
	}
	return demand
}

func (m *maker) shipment(order *Document, agent *Counterparty, store *Store, day int, lines []Position) *Document {
	demand := m.document(Demand, m.at(day, m.between(12, 22), m.IntN(60)))
	demand.Agent, demand.Store, demand.Order, demand.Positions = agent, store, order, lines
	if m.chance(60) {
		demand.State = pick(m, m.books.States[Demand])
	}
	demand.total()
	if order != nil {
		order.Followers = append(order.Followers, demand)
		if demand.Moment.Before(order.Moment) {
			demand.Moment = order.Moment
		}
	}
	return demand
}

// takeBack generates a return of a shipment's first line, with or without a link to the shipment.
func (m *maker) takeBack(demand *Document, day int, named bool) {
	salesReturn := m.document(SalesReturn, m.at(day, 18, m.IntN(60)))
	salesReturn.Agent, salesReturn.Store, salesReturn.Channel = demand.Agent, demand.Store, demand.Channel
	line := demand.Positions[0]
	salesReturn.Positions = []Position{{Item: line.Item, Quantity: line.Quantity, Price: line.Price, Discount: line.Discount}}
	salesReturn.total()
	if named {
		salesReturn.Order = demand
		demand.Followers = append(demand.Followers, salesReturn)
	}
}
