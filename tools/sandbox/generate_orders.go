package sandbox

import (
	"fmt"
	"slices"
	"time"
)

// openOrders generates customer orders without shipments: overdue, on time, without a status, cancelled, without a warehouse,
// and some that reserve the whole stock of an item.
func (m *maker) openOrders() {
	sellers := m.itemsOf(seller, oldSeller)
	for i := range max(8, min(len(sellers)/6, 8000)) {
		channel := m.books.Channels[i%len(m.books.Channels)]
		var lines []Position
		for range m.between(1, 3) {
			item := pick(m, sellers)
			lines = append(lines, Position{Item: item, Quantity: m.quantity(item), Price: m.salePrice(item, 0)})
		}
		age := m.between(1, 25)
		order := m.order(channel, channel.Agent, channel.Store, age, lines)
		for n := range order.Positions {
			if m.chance(60) {
				order.Positions[n].Held = 0
			}
		}
		switch i % 8 {
		case 0, 1:
			order.State = nil
		case 2:
			m.cancel(order)
		case 3:
			order.State = m.books.state(CustomerOrder, "Собран")
		case 4:
			order.Store = nil
			order.Positions[0].Held = order.Positions[0].Quantity
			order.State = m.books.state(CustomerOrder, "Новый")
		case 5:
			order.Planned = time.Time{}
			order.State = m.books.state(CustomerOrder, "Новый")
		default:
			order.State = m.books.state(CustomerOrder, "Новый")
			order.Planned = m.at(age-m.between(0, 40), 23, 59)
		}
	}
	m.reserveAll()
	m.prepaidOrders()
}

func (m *maker) cancel(order *Document) {
	order.State = m.books.state(CustomerOrder, "Отменён")
	for n := range order.Positions {
		order.Positions[n].Held = 0
	}
}

// reserveAll reserves the whole stock of some items, in each warehouse for one customer.
func (m *maker) reserveAll() {
	items := m.itemsOf(reserved)
	if len(items) == 0 {
		return
	}
	m.indexItems()
	ledger := m.books.replay(m.books.goodsDocuments(), time.Time{}, false)
	for _, item := range items {
		for _, holding := range ledger.of(item) {
			free := holding.Stock - holding.Reserve
			if free <= 0 {
				continue
			}
			order := m.document(CustomerOrder, m.at(m.between(1, 6), 16, m.IntN(60)))
			order.Agent, order.Store = pick(m, m.books.customers()), holding.Store
			order.Planned = m.at(-m.between(1, 9), 18, 0)
			order.State = m.books.state(CustomerOrder, "Собран")
			order.Positions = []Position{{Item: item, Quantity: free, Price: m.salePrice(item, 1), Held: free}}
			order.total()
		}
	}
}

// indexItems numbers the items, as a replay requires.
func (m *maker) indexItems() {
	for n, item := range m.books.Assortment {
		item.n = n
	}
}

// prepaidOrders generates wholesale orders that are paid but not shipped.
func (m *maker) prepaidOrders() {
	items := m.itemsOf(seller)
	for range max(2, min(len(items)/100, 200)) {
		item := pick(m, items)
		order := m.order(nil, pick(m, m.books.customers()), m.books.Stores[mainStore], m.between(1, 12),
			[]Position{{Item: item, Quantity: m.quantity(item), Price: m.salePrice(item, 1)}})
		order.State = m.books.state(CustomerOrder, "Новый")
		m.pay(PaymentIn, order, order.Sum, m.at(1, 17, 0))
	}
}

func (m *maker) itemsOf(wanted ...scenario) []*Item {
	var items []*Item
	for _, item := range m.books.Assortment {
		if slices.Contains(wanted, item.scenario) {
			items = append(items, item)
		}
	}
	return items
}

// uncounted generates documents that must not count: drafts and deleted ones.
func (m *maker) uncounted() {
	items := m.itemsOf(seller)
	for i, kind := range []Kind{Demand, Supply, Move, CustomerOrder, PurchaseOrder, Loss, Demand, Supply, PaymentIn} {
		document := m.document(kind, m.at(m.between(2, 30), 14, m.IntN(60)))
		document.Store = m.books.Stores[mainStore]
		document.Agent = pick(m, m.books.customers())
		if kind == Supply || kind == PurchaseOrder {
			document.Agent = m.books.suppliers()[0]
		}
		if kind == Move && len(m.books.Stores) > 1 {
			document.Target = m.books.Stores[1]
		}
		if kind == PaymentIn {
			document.Store, document.Sum, document.Account = nil, Rub(5000), m.books.Organizations[0].Accounts[0]
		} else {
			item := pick(m, items)
			document.Positions = []Position{{Item: item, Quantity: Pieces(7), Price: Rub(500), Held: Pieces(7)}}
			document.total()
		}
		if i < 6 {
			document.Applicable = false
			document.Description = "черновик"
		} else {
			document.Deleted = m.at(1, 9, 30)
			document.Description = fmt.Sprintf("удалён %s", m.books.Employee.Name)
		}
	}
}
