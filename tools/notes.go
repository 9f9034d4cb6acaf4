package tools

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/kopeck/kopeck/schemas/bilingual"
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

// Phrases are the wordings of each code, the most specific first: the first one whose values the note has is taken. {name} stands
// for a value of the note.
func Phrases() map[NoteCode][]bilingual.Text { return phrases }

var phrases = map[NoteCode][]bilingual.Text{
	CostCoverage: {
		{
			EN: "Cost is known for {coverage}% of the goods' revenue; profit and margin are of that part.",
			RU: "Себестоимость известна для {coverage} % выручки товаров: прибыль и маржа посчитаны по этой части.",
		},
		{
			EN: "No goods were sold in the period, so there is no margin.",
			RU: "За период товары не продавались, поэтому маржи нет.",
		},
	},
	MarginUnreliable: {{
		EN: "Cost is known for less than {threshold}% of revenue: one margin for all sales cannot be given. Products without cost: {rows}.",
		RU: "Себестоимость известна меньше чем для {threshold} % выручки: одной маржи по всем продажам назвать нельзя. Товаров без себестоимости: {rows}.",
	}},
	PurchasePriceBasis: {{
		EN: "Cost is hidden from this connection: the figures use the purchase prices of the product cards.",
		RU: "Себестоимость этому подключению не видна: посчитано по закупочным ценам из карточек товаров.",
	}},
	CostUnknown: {
		{
			EN: "Positions with unknown cost: {positions}. They are not in the sums of money.",
			RU: "Позиций с неизвестной себестоимостью: {positions}. В суммы денег они не вошли.",
		},
		{
			EN: "Cost is unknown: this connection sees neither cost nor purchase prices.",
			RU: "Себестоимость неизвестна: этому подключению не видны ни она, ни закупочные цены.",
		},
	},
	NoStatusIncluded: {
		{
			EN: "Documents without a status are counted too: {count}.",
			RU: "Документы без статуса тоже учтены: {count}.",
		},
		{
			EN: "Documents without a status are counted too.",
			RU: "Документы без статуса тоже учтены.",
		},
	},
	SearchNotApplied: {{
		EN: "Nothing contains {query}: the search did not work upstream, and its unfiltered list is not shown.",
		RU: "Ничего, содержащего {query}, не найдено: поиск в МоёмСкладе не сработал, а полный список совпадением не считается.",
	}},
	MinimumsByWarehouse: {{
		EN: "Each warehouse is compared with its own minimums: {compared} positions have one, {not_set} products have none set.",
		RU: "Каждый склад сравнен со своими неснижаемыми остатками: заданы для {compared} позиций, не заданы у {not_set} товаров.",
	}},
	LeadTimeUnknown: {
		{
			EN: "Positions without a reorder point, because the supplier's lead time is unknown: {count}.",
			RU: "Позиций без точки заказа, потому что срок поставки неизвестен: {count}.",
		},
		{
			EN: "The supplier's lead time is unknown, so there is no reorder point.",
			RU: "Срок поставки неизвестен, поэтому точки заказа нет.",
		},
	},
	StockRecalculating: {{
		EN: "MoySklad is recalculating the stock of {count} positions; they are left out.",
		RU: "МойСклад пересчитывает остатки, позиций: {count}. Они не учтены.",
	}},
	Truncated: {{
		EN: "The result has {shown} of {total} rows; totals are over all of them.",
		RU: "В результате строк: {shown} из {total}; итоги посчитаны по всем.",
	}},
	Stale: {{
		EN: "The figures are as of {as_of}, {minutes} min old.",
		RU: "Цифры на {as_of}, им {minutes} мин.",
	}},
	NegativeStock: {{
		EN: "Positions with negative stock: {positions}. They have no value in the sums of money.",
		RU: "Позиций с отрицательным остатком: {positions}. В суммы денег они не вошли.",
	}},
	ArchivedIncluded: {{
		EN: "Archived products that are still in stock are counted too: {positions} positions.",
		RU: "Архивные товары, которые ещё лежат на складах, тоже учтены, позиций: {positions}.",
	}},
	ArchivedWarehouses: {{
		EN: "Goods in archived warehouses are counted too: {warehouses}.",
		RU: "Товары на архивных складах тоже учтены: {warehouses}.",
	}},
	MoreThanLiesThere: {{
		EN: "{warehouse} has less than is to be moved, lines: {count}. {name}: {there} in stock, {units} to be moved.",
		RU: "На складе {warehouse} меньше, чем нужно переместить, строк: {count}. {name}: в наличии {there}, переместить {units}.",
	}},
	MoneyHidden: {{
		EN: "The balances of accounts and cash desks are hidden from this connection: the cash is unknown.",
		RU: "Остатки на счетах и в кассах этому подключению не видны: сколько денег, неизвестно.",
	}},
	SettlementsHidden: {{
		EN: "Debts are hidden from this connection: who owes whom is unknown.",
		RU: "Взаиморасчёты этому подключению не видны: кто кому должен, неизвестно.",
	}},
	OtherCurrencies: {{
		EN: "Money in other currencies is not in the sum: {amounts}.",
		RU: "Деньги в других валютах в сумму не входят: {amounts}.",
	}},
	LinkedUnread: {{
		EN: "Linked documents that are deleted or hidden from this connection: {count}. Their orders or shipments may be listed as unmatched by mistake.",
		RU: "Связанных документов, которые удалены или не видны этому подключению: {count}. Их заказы и отгрузки могли попасть в расхождения ошибочно.",
	}},
	SeenInPart: {{
		EN: "The employee's role sees only a part of these records: {kinds}. The rest is missing from the figures.",
		RU: "Роль сотрудника видит не все записи этих видов: {kinds}. Остальных в цифрах нет.",
	}},
	RebuiltFromDocuments: {{
		EN: "MoySklad's report of settlements is not available to this connection: debts are computed from documents and can differ from it.",
		RU: "Отчёт о взаиморасчётах этому подключению недоступен: долги посчитаны по документам и могут от него отличаться.",
	}},
}

// noteRule says when an answer that shows figures of a result must say one of its notes. A field is named by the last
// part of its path: "profit" is rows.profit.
type noteRule struct {
	always  bool     // with every answer that read the result: the note is about what the answer cannot show
	bare    bool     // always too where the note has no values: then it is about the whole result
	whole   bool     // not with figures of some of the rows only: the note counts all of them
	fields  []string // with these figures; anyField is any of them
	instead []string // not where one of these is shown: it says the same
}

const anyField = "*"

var (
	profits = []string{"cost", "profit", "margin_percent", "covered_profit", "covered_margin_percent"}
	atCost  = []string{"cost", "profit", "margin_percent", "covered_profit", "covered_margin_percent", "unit_cost", "money", "dead_money",
		"turning_money", "frozen_money", "stock_money", "archived_money", "purchase_price"}
)

// noteRules has a rule for each code that belongs into an answer. Truncated and Stale do not: an answer's figures are over
// all rows, and it says its moment.
var noteRules = map[NoteCode]noteRule{
	CostCoverage:         {always: true, instead: []string{"cost_coverage_percent"}},
	MarginUnreliable:     {whole: true, fields: profits},
	PurchasePriceBasis:   {fields: atCost},
	CostUnknown:          {whole: true, bare: true, fields: atCost, instead: []string{"positions_without_cost", "rows_without_cost", "lines_without_price"}},
	NoStatusIncluded:     {whole: true, fields: []string{anyField}, instead: []string{"without_status"}},
	SearchNotApplied:     {always: true},
	MinimumsByWarehouse:  {whole: true, fields: []string{"shortage", "minimum", "positions"}, instead: []string{"not_set", "compared"}},
	LeadTimeUnknown:      {whole: true, fields: []string{"reorder_point", "order_units", "lead_time_days"}, instead: []string{"without_lead_time"}},
	StockRecalculating:   {fields: []string{anyField}, instead: []string{"recalculating"}},
	NegativeStock:        {whole: true, fields: []string{"money"}, instead: []string{"negative_positions"}},
	ArchivedIncluded:     {whole: true, fields: []string{"units", "positions", "money", "dead_money"}, instead: []string{"archived_positions"}},
	ArchivedWarehouses:   {whole: true, fields: []string{"units", "positions", "money"}},
	MoreThanLiesThere:    {always: true},
	MoneyHidden:          {always: true},
	SettlementsHidden:    {always: true},
	OtherCurrencies:      {fields: []string{"cash", "net"}},
	LinkedUnread:         {fields: []string{anyField}},
	SeenInPart:           {fields: []string{anyField}},
	RebuiltFromDocuments: {fields: []string{"receivables", "payables", "net", "amount"}},
}

// DueWith tells whether an answer must say the note that shows these fields of the note's result: of the whole result, and of
// some of its rows.
func (n Note) DueWith(whole, part []string) bool {
	rule, known := noteRules[n.Code]
	fields := whole
	if !rule.whole || len(n.Values) == 0 {
		fields = slices.Concat(whole, part)
	}
	shows := func(field string) bool {
		return field == anyField && len(fields) > 0 || slices.ContainsFunc(fields, func(path string) bool {
			return path[strings.LastIndexByte(path, '.')+1:] == field
		})
	}
	always := rule.always || rule.bare && len(n.Values) == 0
	return known && !slices.ContainsFunc(rule.instead, shows) && (always || slices.ContainsFunc(rule.fields, shows))
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
