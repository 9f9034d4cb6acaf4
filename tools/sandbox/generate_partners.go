package sandbox

import (
	"fmt"
	"time"
)

// partners generates suppliers, customers, and the sales channels with their counterparties.
func (g *generator) partners() {
	suppliers := min(max(6, g.config.Products/80), 500)
	for i := range suppliers {
		supplier := g.counterparty(nameOf(names().Suppliers, i), "legal")
		supplier.LeadDays = g.between(4, 30)
		if i%9 == 4 {
			supplier.Name = fmt.Sprintf("Yiwu Trading Co. %d", i/9+1)
			supplier.Currency = g.books.Currencies[2]
			supplier.LeadDays = g.between(35, 60)
		}
		if i%9 == 7 {
			supplier.Currency = g.books.Currencies[1]
		}
	}
	for i := range min(max(8, g.config.Products/60), 400) {
		g.counterparty(nameOf(names().Customers, i), "legal")
	}
	g.counterparty("Розничный покупатель", "individual")
	for _, channel := range []struct {
		name, kind string
		numbering  Numbering
		store      int
	}{
		{"Ozon", "MARKETPLACE", NumberInName, ozonStore},
		{"Wildberries", "MARKETPLACE", NumberInCode, wildberriesStore},
		{"Яндекс Маркет", "MARKETPLACE", NumberInAttribute, mainStore},
		{"Сайт", "ECOMMERCE", NumberInName, mainStore},
	} {
		store := g.books.Stores[min(channel.store, len(g.books.Stores)-1)]
		agent := g.counterparty("ООО «"+channel.name+"»", "legal")
		g.books.Channels = append(g.books.Channels, &SalesChannel{
			ID: g.id(kindSalesChannel), Name: channel.name, Type: channel.kind, Numbering: channel.numbering, Store: store, Agent: agent,
		})
	}
	g.books.Channels[3].Agent.Name = "Покупатели сайта"
}

func (g *generator) counterparty(name, companyType string) *Counterparty {
	counterparty := &Counterparty{
		ID: g.id(kindCounterparty), Name: name, CompanyType: companyType, Currency: g.books.currency(),
		INN: fmt.Sprintf("77%08d", g.IntN(100_000_000)), Updated: g.at(g.between(1, 300), 11, 5).Add(250 * time.Millisecond),
	}
	counterparty.Code = "К-" + number(len(g.books.Counterparties)+1)
	g.books.Counterparties = append(g.books.Counterparties, counterparty)
	return counterparty
}

// suppliers returns the counterparties that supply goods. They are at the beginning of the list.
func (b *Books) suppliers() []*Counterparty {
	for i, counterparty := range b.Counterparties {
		if counterparty.LeadDays == 0 {
			return b.Counterparties[:i]
		}
	}
	return b.Counterparties
}

// customers returns the wholesale buyers.
func (b *Books) customers() []*Counterparty {
	first := len(b.suppliers())
	for i, counterparty := range b.Counterparties[first:] {
		if counterparty.CompanyType == "individual" {
			return b.Counterparties[first : first+i]
		}
	}
	return nil
}

// walkIn returns the anonymous buyer of the shop.
func (b *Books) walkIn() *Counterparty {
	return b.Counterparties[len(b.suppliers())+len(b.customers())]
}

// nameOf returns the i-th name of a list. After the last name, the list starts again, with a number added.
func nameOf(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return fmt.Sprintf("%s %d", list[i%len(list)], i/len(list)+1)
}
