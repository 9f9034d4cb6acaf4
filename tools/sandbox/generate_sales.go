package sandbox

import (
	"cmp"
	"fmt"
	"slices"
)

// sales converts sales to shop receipts, wholesale shipments, and marketplace orders with shipments.
func (g *generator) sales() {
	slices.SortStableFunc(g.sold, func(a, b sale) int {
		return cmp.Or(cmp.Compare(b.day, a.day), cmp.Compare(a.store.n, b.store.n))
	})
	sameDay := func(a, b sale) bool { return a.day == b.day && a.store == b.store }
	for _, day := range chunkBy(g.sold, sameDay) {
		for len(day) > 0 {
			n := min(g.between(1, 4), len(day))
			g.basket(day[:n])
			day = day[n:]
		}
	}
	g.sold = nil
}

// basket generates the documents for one purchase by one customer.
func (g *generator) basket(basket []sale) {
	store := basket[0].store
	lines := make([]Position, len(basket))
	for i, sale := range basket {
		lines[i] = Position{Item: sale.item, Quantity: sale.quantity, Price: g.salePrice(sale.item, 0)}
	}
	switch {
	case store.n == showroom || store.n > wildberriesStore:
		g.retail(basket[0].day, store, lines)
	case store.n == ozonStore:
		g.marketplace(g.books.Channels[0], basket[0].day, store, lines)
	case store.n == wildberriesStore:
		g.marketplace(g.books.Channels[1], basket[0].day, store, lines)
	case g.chance(35):
		g.marketplace(g.books.Channels[2+g.IntN(2)], basket[0].day, store, lines)
	default:
		g.wholesale(basket[0].day, store, lines)
	}
}

func (g *generator) salePrice(item *Item, column int) Amount { return item.prices()[column].Value }

// retail generates a shop receipt without a channel, which is paid at once. Sometimes it generates a return too.
func (g *generator) retail(day int, store *Store, lines []Position) {
	check := g.document(RetailDemand, g.at(day, g.between(12, 20), g.IntN(60)))
	check.Agent, check.Store, check.Positions = g.books.walkIn(), store, lines
	if g.chance(10) {
		check.Positions[0].Discount = 10
	}
	check.total()
	if g.chance(35) {
		check.Cash = check.Sum
	} else {
		check.NoCash = check.Sum
	}
	if day > 4 && g.chance(3) {
		salesReturn := g.document(RetailSalesReturn, g.at(day-g.between(1, 3), 15, g.IntN(60)))
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

// wholesale generates a shipment to a company, at wholesale prices and without a channel. About half of the shipments
// have an order.
func (g *generator) wholesale(day int, store *Store, lines []Position) {
	customer := pick(g, g.books.customers())
	for i := range lines {
		lines[i].Price = g.salePrice(lines[i].Item, 1)
	}
	if g.chance(12) {
		delivery := g.service("Доставка")
		lines = append(lines, Position{Item: delivery, Quantity: Pieces(1), Price: delivery.SalePrices[0].Value})
	}
	var order *Document
	if g.chance(55) {
		order = g.order(nil, customer, store, day+g.between(1, 4), slices.Clone(lines))
		order.State = g.books.state(CustomerOrder, "Отгружен")
	}
	demand := g.shipment(order, customer, store, day, lines)
	demand.Planned = g.at(day-14, 12, 0)
	if day > 8 && g.chance(4) {
		g.takeBack(demand, day-g.between(2, 6), g.chance(80))
	}
}

func (g *generator) service(name string) *Item {
	for _, item := range slices.Backward(g.books.Assortment) {
		if item.Name == name {
			return item
		}
	}
	return nil
}

// marketplace generates an order of a channel and its shipment. About one in eight has a discrepancy that a
// reconciliation must find.
func (g *generator) marketplace(channel *SalesChannel, day int, store *Store, lines []Position) {
	order := g.order(channel, channel.Agent, store, day+g.between(0, 2), slices.Clone(lines))
	order.State = g.orderState(day)
	deviation := g.IntN(100)
	switch {
	case deviation < 2: // shipped without an order
		g.dropLastOrder(order)
		demand := g.shipment(nil, channel.Agent, store, day, lines)
		demand.Channel = channel
		*demand.channelNumber() = g.marketplaceNumber(channel)
		return
	case deviation < 4: // cancelled, but shipped
		order.State = g.books.state(CustomerOrder, "Отменён")
	case deviation < 6: // partly shipped, because more was ordered than was in stock
		order.Positions[0].Quantity += order.Positions[0].Quantity
		order.Positions[0].Held = order.Positions[0].Quantity
		order.total()
	case deviation < 8: // shipped at another price
		lines[0].Price -= min(lines[0].Price/10/1000*1000+Kop(1), lines[0].Price)
	case deviation < 10 && len(lines) > 1: // several shipments
		g.channelShipment(order, channel, store, max(1, day-1), lines[1:])
		lines = lines[:1]
	case deviation < 12: // entered twice; the second order is never shipped
		g.duplicate(order)
	}
	demand := g.channelShipment(order, channel, store, day, lines)
	if day > 8 && g.chance(5) {
		g.takeBack(demand, day-g.between(2, 6), true)
	}
}

// orderState chooses the status of a shipped order that is the given number of days old. It can be nil.
func (g *generator) orderState(day int) *State {
	switch {
	case g.chance(12):
		return nil
	case day > 6:
		return g.books.state(CustomerOrder, "Доставлен")
	default:
		return g.books.state(CustomerOrder, "Отгружен")
	}
}

func (g *generator) order(channel *SalesChannel, agent *Counterparty, store *Store, day int, lines []Position) *Document {
	order := g.document(CustomerOrder, g.at(day, g.between(0, 23), g.IntN(60)))
	order.Agent, order.Store, order.Channel = agent, store, channel
	order.Planned = g.at(day-g.between(2, 5), 23, 59)
	order.Positions = lines
	for i := range lines {
		if lines[i].Item.Stocked() {
			lines[i].Held = lines[i].Quantity
		}
	}
	order.total()
	if channel != nil {
		*order.channelNumber() = g.marketplaceNumber(channel)
	}
	return order
}

// dropLastOrder removes an order, which must be the last one.
func (g *generator) dropLastOrder(order *Document) {
	orders := g.books.Documents[CustomerOrder]
	if orders[len(orders)-1] == order {
		g.books.Documents[CustomerOrder] = orders[:len(orders)-1]
	}
}

func (g *generator) duplicate(order *Document) {
	copied := g.document(CustomerOrder, order.Moment)
	id, name, external := copied.ID, copied.Name, copied.External
	*copied = *order
	copied.ID, copied.Name, copied.External = id, name, external
	*copied.channelNumber() = *order.channelNumber()
	copied.Followers = nil
	copied.Positions = slices.Clone(order.Positions)
	for i := range copied.Positions {
		copied.Positions[i].Held = 0
	}
}

// marketplaceNumber makes up an order number in the format of the channel.
func (g *generator) marketplaceNumber(channel *SalesChannel) string {
	switch channel.Name {
	case "Ozon":
		return fmt.Sprintf("%08d-%04d-%d", g.IntN(100_000_000), g.IntN(10_000), g.between(1, 3))
	case "Wildberries":
		return fmt.Sprintf("WB%010d", g.IntN(1_000_000_000))
	case "Яндекс Маркет":
		return fmt.Sprintf("%09d", g.between(100_000_000, 999_999_999))
	default:
		return fmt.Sprintf("S-%06d", g.IntN(1_000_000))
	}
}

// channelNumber returns the field in which the document's channel has the marketplace's number.
func (d *Document) channelNumber() *string {
	switch d.Channel.Numbering {
	case NumberInName:
		return &d.Name
	case NumberInCode:
		return &d.External
	}
	return &d.Number
}

func (g *generator) channelShipment(order *Document, channel *SalesChannel, store *Store, day int, lines []Position) *Document {
	demand := g.shipment(order, channel.Agent, store, day, lines)
	demand.Channel = channel
	*demand.channelNumber() = *order.channelNumber()
	return demand
}

func (g *generator) shipment(order *Document, agent *Counterparty, store *Store, day int, lines []Position) *Document {
	demand := g.document(Demand, g.at(day, g.between(12, 22), g.IntN(60)))
	demand.Agent, demand.Store, demand.Order, demand.Positions = agent, store, order, lines
	if g.chance(60) {
		demand.State = pick(g, g.books.States[Demand])
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

// takeBack generates a return of the first line of a shipment. If named is true, the return links to the shipment.
func (g *generator) takeBack(demand *Document, day int, named bool) {
	salesReturn := g.document(SalesReturn, g.at(day, 18, g.IntN(60)))
	salesReturn.Agent, salesReturn.Store, salesReturn.Channel = demand.Agent, demand.Store, demand.Channel
	line := demand.Positions[0]
	salesReturn.Positions = []Position{{Item: line.Item, Quantity: line.Quantity, Price: line.Price, Discount: line.Discount}}
	salesReturn.total()
	if named {
		salesReturn.Order = demand
		demand.Followers = append(demand.Followers, salesReturn)
	}
}
