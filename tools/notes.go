package tools

import (
	"regexp"
	"strings"
	"time"
)

// Notes beyond the contract's own.
const (
	MoneyHidden          NoteCode = "MONEY_HIDDEN"           // the role may not see accounts and cash desks
	SettlementsHidden    NoteCode = "SETTLEMENTS_HIDDEN"     // nor who owes whom
	OtherCurrencies      NoteCode = "OTHER_CURRENCIES"       // money that is not in the sum
	NegativeStock        NoteCode = "NEGATIVE_STOCK"         // listed and not valued
	ArchivedIncluded     NoteCode = "ARCHIVED_INCLUDED"      // stock of archived goods, counted with the rest
	ArchivedWarehouses   NoteCode = "ARCHIVED_WAREHOUSES"    // goods in archived warehouses, counted with the rest
	RebuiltFromDocuments NoteCode = "REBUILT_FROM_DOCUMENTS" // settlements computed from documents
	LinkedUnread         NoteCode = "LINKED_UNREAD"          // documents that others are linked with did not come
	SeenInPart           NoteCode = "SEEN_IN_PART"           // of some records the role sees only its own, or its department's
	MoreThanLiesThere    NoteCode = "MORE_THAN_LIES_THERE"   // is to be moved out of a warehouse
)

// Phrase is a note's wording. {name} stands for a value of the note.
type Phrase struct {
	EN string `json:"en"`
	RU string `json:"ru"`
}

// Phrases are the wordings of each code, the most specific first: the first one whose values the note has is taken.
func Phrases() map[NoteCode][]Phrase { return phrases }

var phrases = map[NoteCode][]Phrase{
	CostCoverage: {
		{
			"Cost is known for {coverage}% of the net revenue of goods: {covered_revenue} of {revenue} {currency}. Profit and margin are of that part only.",
			"Себестоимость известна для {coverage}% чистой выручки товаров: {covered_revenue} из {revenue} {currency}. Прибыль и маржа посчитаны только по этой части.",
		},
		{
			"There was no net revenue of goods in the period, so there is no share with known cost.",
			"Чистой выручки по товарам за период нет, поэтому доли с известной себестоимостью нет.",
		},
	},
	MarginUnreliable: {{
		"Cost is known for less than {threshold}% of revenue: do not give one margin for the whole. Positions without cost: {rows}.",
		"Себестоимость известна менее чем для {threshold}% выручки: одной цифры маржи по всем продажам назвать нельзя. Позиций без себестоимости: {rows}.",
	}},
	PurchasePriceBasis: {{
		"The role does not see cost: figures rest on the purchase prices of the product cards, not on FIFO cost.",
		"Роль не видит себестоимость: расчёт сделан по закупочным ценам карточек товаров, а не по себестоимости FIFO.",
	}},
	CostUnknown: {
		{
			"Cost is unknown for {positions} positions: they are not in the sums of money, and their cost is not 0.",
			"Себестоимость неизвестна, позиций: {positions}. В денежные суммы они не входят, их себестоимость не равна 0.",
		},
		{
			"Cost is unknown: neither cost nor purchase price is visible to this connection. It is not 0.",
			"Себестоимость неизвестна: этому подключению не видны ни себестоимость, ни закупочные цены. Она не равна 0.",
		},
	},
	NoStatusIncluded: {
		{
			"Documents without a status are included: {count}.",
			"Документы без статуса учтены: {count}.",
		},
		{
			"Documents without a status are included.",
			"Документы без статуса учтены.",
		},
	},
	SearchNotApplied: {{
		"Nothing contains {query}: the upstream did not apply the search, and its unfiltered list is not shown.",
		"Ничего, содержащего {query}, не найдено: поиск в учётной системе не сработал, её полный список не показан.",
	}},
	MinimumsByWarehouse: {{
		"Minimums are compared in their own warehouse: {compared} positions with a minimum; {not_set} have none set, which is not a minimum of 0.",
		"Неснижаемые остатки сравнены по своим складам: позиций с порогом {compared}; порог не задан у {not_set}, это не порог 0.",
	}},
	LeadTimeUnknown: {
		{
			"The supplier's lead time is unknown for {count} positions: no reorder point is made up for them.",
			"Срок поставки неизвестен, позиций: {count}. Точка заказа для них не выдумана.",
		},
		{
			"The supplier's lead time is unknown: no reorder point is made up.",
			"Срок поставки неизвестен: точка заказа не выдумана.",
		},
	},
	StockRecalculating: {{
		"The upstream is recalculating the stock of {count} positions: their figures are not known now and are left out.",
		"Учётная система пересчитывает остатки, позиций: {count}. Их цифры сейчас неизвестны и не учтены.",
	}},
	Truncated: {{
		"The result has {shown} of {total} rows; totals are over all of them.",
		"В результате строк: {shown} из {total}; итоги посчитаны по всем.",
	}},
	Stale: {{
		"The figures are as of {as_of}, {minutes} min old.",
		"Цифры на {as_of}, им {minutes} мин.",
	}},
	NegativeStock: {{
		"Stock is negative in {positions} positions: they are counted in units and have no value in the sums of money.",
		"Отрицательный остаток, позиций: {positions}. Они учтены в количестве, в денежные суммы не входят.",
	}},
	ArchivedIncluded: {{
		"Archived products that still lie in the warehouses are counted too: {positions} positions.",
		"Архивные товары, которые ещё лежат на складах, тоже учтены, позиций: {positions}.",
	}},
	ArchivedWarehouses: {{
		"What lies in archived warehouses is counted too: {warehouses}.",
		"То, что лежит на архивных складах, тоже учтено: {warehouses}.",
	}},
	MoreThanLiesThere: {{
		"In {warehouse} there is less than is to be moved, positions: {count}. Of {name} {there} lie there, and {units} are to be moved.",
		"На складе {warehouse} меньше, чем нужно переместить, позиций: {count}. {name}: лежит {there}, переместить {units}.",
	}},
	MoneyHidden: {{
		"Balances of accounts and cash desks are not visible to this connection: the cash is unknown, not 0.",
		"Остатки на счетах и в кассах этому подключению не видны: сумма денег неизвестна, а не равна 0.",
	}},
	SettlementsHidden: {{
		"Debts are not visible to this connection: who owes whom is unknown, not 0.",
		"Взаиморасчёты этому подключению не видны: кто кому должен, неизвестно, а не 0.",
	}},
	OtherCurrencies: {{
		"Not in the sum, since it is in other currencies: {amounts}.",
		"В сумму не входят деньги в других валютах: {amounts}.",
	}},
	LinkedUnread: {{
		"Linked documents that are deleted, or not visible to this connection: {count}. What they belong to may be listed as not shipped or without an order, and not be so.",
		"Связанные документы удалены или не видны этому подключению: {count}. То, к чему они относятся, может быть в списке неотгруженного или отгруженного без заказа ошибочно.",
	}},
	SeenInPart: {{
		"The employee's role sees only a part of these records: {kinds}. What it does not see is missing from the figures.",
		"Роль сотрудника видит не все записи этих видов: {kinds}. Того, чего она не видит, в цифрах нет.",
	}},
	RebuiltFromDocuments: {{
		"The upstream's report of settlements is not available to this connection: who owes whom is computed from documents and can differ from it.",
		"Отчёт учётной системы о взаиморасчётах этому подключению недоступен: задолженность посчитана по документам и может от него отличаться.",
	}},
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// NoteText is the note in words of a language: "ru", anything else is English.
func NoteText(n Note, lang string) string {
	for _, p := range phrases[n.Code] {
		text := p.EN
		if lang == "ru" {
			text = p.RU
		}
		if filled, complete := fill(text, n.Values, lang); complete {
			return filled
		}
	}
	if n.Text != "" {
		return n.Text
	}
	return string(n.Code)
}

func fill(text string, values map[string]string, lang string) (string, bool) {
	complete := true
	filled := placeholder.ReplaceAllStringFunc(text, func(name string) string {
		name = strings.Trim(name, "{}")
		value, ok := values[name]
		complete = complete && ok
		switch {
		case name == "as_of":
			return moment(value, lang)
		case figures[name]:
			return figure.ReplaceAllStringFunc(value, func(number string) string { return dressed(number, lang) })
		}
		return value
	})
	return filled, complete
}

// figures are the values that are written as the language writes numbers.
var figures = map[string]bool{"coverage": true, "covered_revenue": true, "revenue": true, "amounts": true}

var figure = regexp.MustCompile(`-?\d+(\.\d+)?`)

// asOfForm is how a note's values hold a moment.
const asOfForm = "2006-01-02 15:04 MST"

// moment writes a moment as the language does: 22.11.2026 18:29 МСК or 2026-11-22 18:29 MSK.
func moment(value, lang string) string {
	at, err := time.Parse(asOfForm, value)
	if err != nil || lang != "ru" {
		return value
	}
	return at.Format("02.01.2006 15:04") + " МСК"
}

// dressed groups thousands and puts the language's decimal sign: 1 234 567,50 or 1,234,567.50.
func dressed(number, lang string) string {
	group, point := ",", "."
	if lang == "ru" {
		group, point = "\u00a0", ","
	}
	whole, fraction, hasFraction := strings.Cut(number, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + group + whole[i:]
	}
	if hasFraction {
		return sign + whole + point + fraction
	}
	return sign + whole
}
