package sandbox

import (
	"fmt"
	"time"
)

var supplierNames = []string{
	"ООО «Ромашка»", "ООО «ТекстильПром»", "АО «Светозар»", "ООО «Кухонный двор»", "ИП Кузнецов П. А.", "ООО «ЭлектроОпт»",
	"ООО «Северный лён»", "АО «Уралпосуда»", "ООО «Бытовик»", "ИП Хасанова Г. Р.", "ООО «Детский мир опт»", "ООО «ПолимерТорг»",
	"ООО «Волга Трейд»", "АО «Ткацкая мануфактура»", "ООО «Канцопт»", "ИП Орлов Д. С.", "ООО «Байкал Импорт»", "ООО «СпортЛайн»",
}

var customerNames = []string{
	"ООО «Берег»", "ООО «Уютный дом»", "ИП Соколова М. И.", "АО «Гранд Отель»", "ООО «Сладкая жизнь»", "ИП Петров В. Н.",
	"ООО «Офис Плюс»", "ООО «Кафе Весна»", "ООО «Строй-Комфорт»", "ИП Абдуллаев Р. М.", "ООО «Эко Маркет»", "ООО «Лавка подарков»",
	"ООО «Детский сад № 7»", "АО «Речфлот»", "ООО «Альбатрос»", "ИП Громова Е. Ю.",
}

// partners generates suppliers, customers, and the sales channels with their counterparties.
func (g *generator) partners() {
	suppliers := min(max(6, g.config.Products/80), 500)
	for i := range suppliers {
		supplier := g.counterparty(nameOf(supplierNames, i), "legal")
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
		g.counterparty(nameOf(customerNames, i), "legal")
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

// suppliers returns the counterparties that supply goods. They come first.
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

// nameOf returns the i-th name of an endless list: the names, then the names with a number added.
func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", names[i%len(names)], i/len(names)+1)
}
