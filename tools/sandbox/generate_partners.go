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
func (m *maker) partners() {
	suppliers := min(max(6, m.config.Products/80), 500)
	for i := range suppliers {
		supplier := m.counterparty(nameOf(supplierNames, i), "legal")
		supplier.LeadDays = m.between(4, 30)
		if i%9 == 4 {
			supplier.Name = fmt.Sprintf("Yiwu Trading Co. %d", i/9+1)
			supplier.Currency = m.books.Currencies[2]
			supplier.LeadDays = m.between(35, 60)
		}
		if i%9 == 7 {
			supplier.Currency = m.books.Currencies[1]
		}
	}
	for i := range min(max(8, m.config.Products/60), 400) {
		m.counterparty(nameOf(customerNames, i), "legal")
	}
	m.counterparty("Розничный покупатель", "individual")
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
		store := m.books.Stores[min(channel.store, len(m.books.Stores)-1)]
		agent := m.counterparty("ООО «"+channel.name+"»", "legal")
		m.books.Channels = append(m.books.Channels, &SalesChannel{
			ID: m.id(kindSalesChannel), Name: channel.name, Type: channel.kind, Numbering: channel.numbering, Store: store, Agent: agent,
		})
	}
	m.books.Channels[3].Agent.Name = "Покупатели сайта"
}

func (m *maker) counterparty(name, companyType string) *Counterparty {
	counterparty := &Counterparty{
		ID: m.id(kindCounterparty), Name: name, CompanyType: companyType, Currency: m.books.currency(),
		INN: fmt.Sprintf("77%08d", m.IntN(100_000_000)), Updated: m.at(m.between(1, 300), 11, 5).Add(250 * time.Millisecond),
	}
	counterparty.Code = "К-" + number(len(m.books.Counters)+1)
	m.books.Counters = append(m.books.Counters, counterparty)
	return counterparty
}

// suppliers returns the counterparties that supply goods. They come first.
func (b *Books) suppliers() []*Counterparty {
	for i, counterparty := range b.Counters {
		if counterparty.LeadDays == 0 {
			return b.Counters[:i]
		}
	}
	return b.Counters
}

// customers returns the wholesale buyers.
func (b *Books) customers() []*Counterparty {
	first := len(b.suppliers())
	for i, counterparty := range b.Counters[first:] {
		if counterparty.CompanyType == "individual" {
			return b.Counters[first : first+i]
		}
	}
	return nil
}

// walkIn returns the anonymous buyer of the shop.
func (b *Books) walkIn() *Counterparty {
	return b.Counters[len(b.suppliers())+len(b.customers())]
}

// nameOf returns the i-th name of an endless list: the names, then the names with a number added.
func nameOf(names []string, i int) string {
	if i < len(names) {
		return names[i]
	}
	return fmt.Sprintf("%s %d", names[i%len(names)], i/len(names)+1)
}
