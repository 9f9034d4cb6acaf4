package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// openOrders generates customer orders without shipments. Some are overdue, on time, without a status, cancelled or
// without a warehouse, and some reserve the whole stock of an item.
func (g *generator) openOrders() {
	sellers := g.itemsOf(seller, oldSeller)
	for i := range max(8, min(len(sellers)/6, 8000)) {
		channel := g.books.Channels[i%len(g.books.Channels)]
		var lines []Position
		for range g.between(1, 3) {
			item := pick(g, sellers)
			lines = append(lines, Position{Item: item, Quantity: g.quantity(item), Price: g.salePrice(item, 0)})
		}
		age := g.between(1, 25)
		order := g.order(channel, channel.Agent, channel.Store, age, lines)
		for n := range order.Positions {
			if g.chance(60) {
				order.Positions[n].Held = 0
			}
		}
		switch i % 8 {
		case 0, 1:
			order.State = nil
		case 2:
			g.cancel(order)
		case 3:
			order.State = g.books.state(CustomerOrder, "Собран")
		case 4:
			order.Store = nil
			order.Positions[0].Held = order.Positions[0].Quantity
			order.State = g.books.state(CustomerOrder, "Новый")
		case 5:
			order.Planned = time.Time{}
			order.State = g.books.state(CustomerOrder, "Новый")
		default:
			order.State = g.books.state(CustomerOrder, "Новый")
			order.Planned = g.at(age-g.between(0, 40), 23, 59)
		}
	}
	g.reserveAll()
	g.prepaidOrders()
}

func (g *generator) cancel(order *Document) {
	order.State = g.books.state(CustomerOrder, "Отменён")
	for n := range order.Positions {
		order.Positions[n].Held = 0
	}
}

// reserveAll reserves the whole stock of some items. In each warehouse, one customer reserves all of it.
func (g *generator) reserveAll() {
	items := g.itemsOf(reserved)
	if len(items) == 0 {
		return
	}
	ledger := g.books.replay(g.books.goodsDocuments(), time.Time{}, false)
	for _, item := range items {
		for _, holding := range ledger.of(item) {
			free := holding.Stock - holding.Reserve
			if free <= 0 {
				continue
			}
			order := g.document(CustomerOrder, g.at(g.between(1, 6), 16, g.IntN(60)))
			order.Agent, order.Store = pick(g, g.books.customers()), holding.Store
			order.Planned = g.at(-g.between(1, 9), 18, 0)
			order.State = g.books.state(CustomerOrder, "Собран")
			order.Positions = []Position{{Item: item, Quantity: free, Price: g.salePrice(item, 1), Held: free}}
			order.total()
		}
	}
}

// prepaidOrders generates wholesale orders that are paid but not shipped.
func (g *generator) prepaidOrders() {
	items := g.itemsOf(seller)
	for range max(2, min(len(items)/100, 200)) {
		item := pick(g, items)
		order := g.order(nil, pick(g, g.books.customers()), g.books.Stores[mainStore], g.between(1, 12),
			[]Position{{Item: item, Quantity: g.quantity(item), Price: g.salePrice(item, 1)}})
		order.State = g.books.state(CustomerOrder, "Новый")
		g.pay(PaymentIn, order, order.Sum, g.at(1, 17, 0))
	}
}

func (g *generator) itemsOf(wanted ...scenario) []*Item {
	var items []*Item
	for _, item := range g.books.Assortment {
		if slices.Contains(wanted, item.scenario) {
			items = append(items, item)
		}
	}
	return items
}

// uncounted generates documents that must not count: some that are not posted, and deleted ones.
func (g *generator) uncounted() {
	items := g.itemsOf(seller)
	for i, kind := range []Kind{Demand, Supply, Move, CustomerOrder, PurchaseOrder, Loss, Demand, Supply, PaymentIn} {
		document := g.document(kind, g.at(g.between(2, 30), 14, g.IntN(60)))
		document.Store = g.books.Stores[mainStore]
		document.Agent = pick(g, g.books.customers())
		if kind == Supply || kind == PurchaseOrder {
			document.Agent = g.books.suppliers()[0]
		}
		if kind == Move && len(g.books.Stores) > 1 {
			document.Target = g.books.Stores[1]
		}
		if kind == PaymentIn {
			document.Store, document.Sum, document.Account = nil, Rub(5000), g.books.Organizations[0].Accounts[0]
		} else {
			item := pick(g, items)
			document.Positions = []Position{{Item: item, Quantity: Pieces(7), Price: Rub(500), Held: Pieces(7)}}
			document.total()
		}
		if i < 6 {
			document.Applicable = false
			document.Description = "черновик"
		} else {
			document.Deleted = g.at(1, 9, 30)
			document.Description = fmt.Sprintf("удалён %s", g.books.Employee.Name)
		}
	}
}
