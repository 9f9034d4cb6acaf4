package render

import "github.com/kopeck/kopeck/schemas/bilingual"

var counterparty = text("counterparty", "Контрагент", "Counterparty")

var currency = text("currency", "Валюта", "Currency")

var moneyLayouts = map[string]Layout{
	"money_position": {
		Text: bilingual.Text{RU: "Деньги", EN: "Money"},
		Figures: []Column{
			money("cash", "Деньги на счетах и в кассах", "Cash"),
			money("receivables", "Должны нам", "Receivables"), count("debtors", "Должников", "Debtors"),
			money("payables", "Должны мы", "Payables"), count("creditors", "Кредиторов", "Creditors"),
			money("net", "Итого с учётом долгов", "Net"),
			text("source", "Откуда долги", "Debts from").words(map[string]bilingual.Text{
				"report":    {RU: "отчёт о взаиморасчётах", EN: "the report of settlements"},
				"documents": {RU: "посчитаны по документам", EN: "computed from documents"},
			}),
		},
		Sections: []Section{
			{Field: "accounts", Text: bilingual.Text{RU: "Счета и кассы", EN: "Accounts"}, Columns: []Column{
				text("name", "Счёт", "Account").words(map[string]bilingual.Text{"cash desk": {RU: "касса", EN: "cash desk"}}), text("organization", "Организация", "Organization"), money("balance", "Остаток", "Balance").ownCurrency(), currency,
			}},
			{Field: "other_currencies", Text: bilingual.Text{RU: "Другие валюты, в итог не входят", EN: "Other currencies, not in the total"}, Quiet: true, Columns: []Column{
				currency, money("cash", "Деньги", "Cash").ownCurrency(),
			}},
			{Field: "top_debtors", Text: bilingual.Text{RU: "Крупнейшие должники", EN: "Top debtors"}, Quiet: true, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
			{Field: "top_creditors", Text: bilingual.Text{RU: "Кому должны больше всего", EN: "Top creditors"}, Quiet: true, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
		},
		Hidden: []string{"top_debtors.counterparty_id", "top_creditors.counterparty_id"},
	},
	"cash_runway": {
		Text:    bilingual.Text{RU: "На сколько хватит денег", EN: "Cash runway"},
		Figures: []Column{date("from", "С", "From"), date("to", "По", "To")},
		Sections: []Section{
			{Field: "currencies", Text: bilingual.Text{RU: "По валютам", EN: "By currency"}, Columns: []Column{
				currency, money("cash", "Деньги", "Cash").ownCurrency(),
				money("income_per_month", "Приход в месяц", "In per month").ownCurrency(),
				money("expense_per_month", "Расход в месяц", "Out per month").ownCurrency(),
				money("net_burn_per_month", "Расход сверх прихода", "Net burn").ownCurrency(),
				days("runway_months", "Хватит на месяцев", "Months of runway"),
				text("verdict", "Вывод", "Verdict").words(map[string]bilingual.Text{
					"burning":       {RU: "деньги убывают", EN: "cash shrinks"},
					"cash_positive": {RU: "приходит не меньше, чем уходит", EN: "at least as much comes in as goes out"},
					"unknown":       {RU: "нет данных", EN: "unknown"},
				}),
				money("own_transfers", "Переводы между своими, не учтены", "Transfers between own accounts, left out").ownCurrency(),
			}},
			{Field: "months", Text: bilingual.Text{RU: "По месяцам", EN: "By month"}, Quiet: true, Columns: []Column{
				text("month", "Месяц", "Month"), currency, money("income", "Приход", "In").ownCurrency(), money("expense", "Расход", "Out").ownCurrency(),
			}},
		},
	},
	"calculate": {
		Text: bilingual.Text{RU: "Расчёт", EN: "Calculation"},
		Figures: []Column{text("expression", "Выражение", "Expression"), number("value", "Значение", "Value"),
			flag("exact", "Точно", "Exact")},
	},
}
