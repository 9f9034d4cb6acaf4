package render

var counterparty = text("counterparty", "Контрагент", "Counterparty")

var currency = text("currency", "Валюта", "Currency")

var moneyLayouts = map[string]Layout{
	"money_position": {
		Label: Label{"Деньги", "Money"},
		Figures: []Column{
			money("cash", "Деньги на счетах и в кассах", "Cash"),
			money("receivables", "Должны нам", "Receivables"), count("debtors", "Должников", "Debtors"),
			money("payables", "Должны мы", "Payables"), count("creditors", "Кредиторов", "Creditors"),
			money("net", "Итого с учётом долгов", "Net"),
			text("source", "Откуда долги", "Debts from").words(map[string]Label{
				"report":    {"отчёт о взаиморасчётах", "the report of settlements"},
				"documents": {"посчитаны по документам", "computed from documents"},
			}),
		},
		Sections: []Section{
			{Field: "accounts", Label: Label{"Счета и кассы", "Accounts"}, Columns: []Column{
				text("name", "Счёт", "Account").words(map[string]Label{"cash desk": {"касса", "cash desk"}}), text("organization", "Организация", "Organization"), money("balance", "Остаток", "Balance").ownCurrency(), currency,
			}},
			{Field: "other_currencies", Label: Label{"Другие валюты, в итог не входят", "Other currencies, not in the total"}, Quiet: true, Columns: []Column{
				currency, money("cash", "Деньги", "Cash").ownCurrency(),
			}},
			{Field: "top_debtors", Label: Label{"Крупнейшие должники", "Top debtors"}, Quiet: true, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
			{Field: "top_creditors", Label: Label{"Кому должны больше всего", "Top creditors"}, Quiet: true, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
		},
		Hidden: []string{"top_debtors.counterparty_id", "top_creditors.counterparty_id"},
	},
	"cash_runway": {
		Label:   Label{"На сколько хватит денег", "Cash runway"},
		Figures: []Column{date("from", "С", "From"), date("to", "По", "To")},
		Sections: []Section{
			{Field: "currencies", Label: Label{"По валютам", "By currency"}, Columns: []Column{
				currency, money("cash", "Деньги", "Cash").ownCurrency(),
				money("income_per_month", "Приход в месяц", "In per month").ownCurrency(),
				money("expense_per_month", "Расход в месяц", "Out per month").ownCurrency(),
				money("net_burn_per_month", "Расход сверх прихода", "Net burn").ownCurrency(),
				days("runway_months", "Хватит на месяцев", "Months of runway"),
				text("verdict", "Вывод", "Verdict").words(map[string]Label{
					"burning":       {"деньги убывают", "cash shrinks"},
					"cash_positive": {"приходит не меньше, чем уходит", "at least as much comes in as goes out"},
					"unknown":       {"нет данных", "unknown"},
				}),
				money("own_transfers", "Переводы между своими, не учтены", "Transfers between own accounts, left out").ownCurrency(),
			}},
			{Field: "months", Label: Label{"По месяцам", "By month"}, Quiet: true, Columns: []Column{
				text("month", "Месяц", "Month"), currency, money("income", "Приход", "In").ownCurrency(), money("expense", "Расход", "Out").ownCurrency(),
			}},
		},
	},
	"calculate": {
		Label: Label{"Расчёт", "Calculation"},
		Figures: []Column{text("expression", "Выражение", "Expression"), number("value", "Значение", "Value"),
			flag("exact", "Точно", "Exact")},
	},
}
