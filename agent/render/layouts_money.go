package render

var counterparty = text("counterparty", "Контрагент", "Counterparty")

var moneyLayouts = map[string]Layout{
	"money_position": {
		Label: Label{"Деньги", "Money"},
		Figures: []Column{
			money("cash", "Деньги на счетах и в кассах", "Cash"),
			money("receivables", "Должны нам", "Receivables"),
			money("payables", "Должны мы", "Payables"),
			money("net", "Итого с учётом долгов", "Net"),
		},
		Sections: []Section{
			{Field: "accounts", Label: Label{"Счета", "Accounts"}, Columns: []Column{
				text("name", "Счёт", "Account"), money("balance", "Остаток", "Balance").currency("currency"), text("currency", "Валюта", "Currency"),
			}},
			{Field: "other_currencies", Label: Label{"Другие валюты, в итог не входят", "Other currencies, not in the total"}, Quiet: true, Columns: []Column{
				text("currency", "Валюта", "Currency"), money("cash", "Деньги", "Cash").currency("currency"),
			}},
			{Field: "top_debtors", Label: Label{"Крупнейшие должники", "Top debtors"}, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
			{Field: "top_creditors", Label: Label{"Кому должны больше всего", "Top creditors"}, Columns: []Column{counterparty, money("amount", "Долг", "Amount")}},
		},
		Hidden: []string{"top_debtors.counterparty_id", "top_creditors.counterparty_id"},
	},
	"cash_runway": {Label: Label{"На сколько хватит денег", "Cash runway"}},
	"calculate": {
		Label:   Label{"Расчёт", "Calculation"},
		Figures: []Column{text("expression", "Выражение", "Expression"), number("value", "Значение", "Value")},
	},
}
