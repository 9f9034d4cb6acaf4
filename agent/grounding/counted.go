package grounding

import (
	"slices"
	"sync"

	"github.com/kopeck/kopeck/agent/expression"
	"github.com/kopeck/kopeck/agent/render"
)

// counted is what a quantity counts, as far as a text or a field shows: of a figure the word behind it, of an entry all that
// it may be told as. Nothing known of one of them fits all.
type counted uint16

const (
	goods counted = 1 << iota // pieces, packs, kilograms
	products
	positions
	rows // of whatever a result lists
	orders
	shipments
	documents
	suppliers
	customers
	counterparties
	debtors
	creditors
	warehouses
	accounts
	elsewhere // what no tool counts

	anything counted = 0

	people  = suppliers | customers | counterparties
	records = products | positions | rows | orders | shipments | documents // what a count of no noun may be of
)

// quantities are units and countable things; a number before another noun is bare.
var quantities = byForm(map[counted]string{
	anything: "продажа продажи продаж sale sales",
	products: "товар товара товаров товару товарам товарами товарах item items product products",
	goods: `шт штука штуки штук штуку штуками штукам единица единицы единиц единицу единицами ед упаковка упаковки упаковок упак уп коробка коробки коробок кор пачка пачки пачек
		кг г гр грамм грамма граммов л литр литра литров мл м метр метра метров мм см м2 м3 т тонн тонна тонны комплект комплекта комплектов компл пара пары пар рулон рулона рулонов
		pc pcs piece pieces unit units ea each pack packs box boxes kg g l ml m mm cm pair pairs set sets roll rolls`,
	positions: `позиция позиции позиций позицию позициями позициям позициях наименование наименования наименований артикул артикула артикулов
		position positions sku skus variant variants`,
	rows:   "строка строки строк строку строками row rows line lines",
	orders: "заказ заказа заказов заказу заказам заказами заказах order orders",
	shipments: `отгрузка отгрузки отгрузок отгрузку отгрузкам отгрузками
		shipment shipments`,
	documents: `документ документа документов документам документами приемка приемки приемок приемку поставка поставки поставок
		document documents receipt receipts`,
	suppliers:      "поставщик поставщика поставщиков поставщикам поставщиками supplier suppliers",
	customers:      "покупатель покупателя покупателей покупателям клиент клиента клиентов клиентам человек человека customer customers client clients people",
	counterparties: "контрагент контрагента контрагентов counterparty counterparties",
	debtors:        "должник должника должников debtor debtors",
	creditors:      "кредитор кредитора кредиторов creditor creditors",
	warehouses:     "склад склада складов складу складам складами складах warehouse warehouses store stores",
	accounts:       "счет счета счетов account accounts",
	elsewhere:      "посетитель посетителя посетителей сотрудник сотрудника сотрудников визит визита визитов чек чека чеков отзыв отзыва отзывов магазин магазина магазинов visitor visitors employee employees visit visits review reviews branch branches",
}, func(what counted) counted { return what })

// placeCounts are the fields of rows that name what may be counted too, each once.
var placeCounts = map[string]counted{"warehouse": warehouses, "counterparty": counterparties, "supplier": suppliers}

// toldAs is all that a count of something may be told as: orders are documents, and somebody who owes is a customer, or a
// supplier who was paid too early.
func toldAs(what counted) counted {
	switch what {
	case goods:
		return goods | products // "37 товаров" are kinds of products or pieces of them
	case products, positions:
		return products | positions | rows
	case orders, shipments:
		return what | documents | rows
	case suppliers, customers:
		return what | counterparties | rows
	case counterparties:
		return people | debtors | creditors | rows
	case debtors, creditors:
		return what | people | rows
	}
	return what | rows
}

// counts tells what the counts of a tool's result may be told as, by their path, and the lengths of its lists: what the
// heads of the result as people see it name.
var counts = sync.OnceValue(func() map[string]map[string]counted {
	all := map[string]map[string]counted{}
	for tool, layout := range render.Layouts() {
		of := map[string]counted{}
		listed := records
		for _, section := range layout.Sections {
			countSection(of, section, "", listed)
			if section.Field == "rows" {
				listed = of["rows"]
			}
		}
		for _, column := range layout.Figures {
			of[column.Field] = countedBy(column, listed)
		}
		all[tool] = of
	}
	return all
})

// countSection takes what a list and the columns in it count.
func countSection(of map[string]counted, section render.Section, parent string, otherwise counted) {
	path := parent + section.Field
	of[path] = records
	for i, column := range section.Columns {
		if i == 0 {
			of[path] = countedBy(column, records)
		}
		of[path+"."+column.Field] = countedBy(column, otherwise)
	}
	if section.Lines != nil {
		countSection(of, *section.Lines, path+".", otherwise)
	}
}

// countedBy is what a column counts by the first noun of its head, if it has one: many are in the genitive, "Позиций без
// себестоимости", and a text is of one of them.
func countedBy(column render.Column, otherwise counted) counted {
	for _, word := range wordsOf(plain(column.RU)) {
		what := quantities[word]
		switch {
		case what == anything || column.Kind == render.Count && !many.MatchString(word):
		case what == rows:
			return otherwise | rows
		default:
			return toldAs(what)
		}
	}
	return otherwise
}

var many = expression.Of(`(?:ов|ей|ий|ок)$`)

// listed reports whether a figure counts the names that stand in the same sentence, or those of places or of things among
// them: "три клиента: …", "«Чайник» есть на двух складах: …".
func (p passage) listed(f figure) bool {
	if f.is != quantity || f.counts&^goods == 0 {
		return false
	}
	var all, places int64
	for _, m := range p.mentions() {
		if all++; m.place {
			places++
		}
	}
	named := []int64{all, places, all - places}
	switch {
	case f.counts&^(products|positions|orders|shipments|documents) == 0: // none of them is a place or a party
		named = []int64{all - places}
	case f.counts == warehouses && places > 0:
		named = []int64{places}
	}
	return f.readings[0].value.IsInteger() && slices.Contains(named, f.readings[0].value.IntPart())
}

// fits reports whether a figure of what one text counts may be an entry of what another does.
func (f counted) fits(e counted) bool { return f == anything || e == anything || f&e != 0 }
