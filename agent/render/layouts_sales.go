package render

var revenue = money("revenue", "Выручка", "Revenue")

var salesLayouts = map[string]Layout{
	"margin": {
		Label: Label{"Маржа", "Margin"},
		Figures: []Column{
			money("totals.revenue", "Чистая выручка", "Net revenue"),
			money("totals.covered_revenue", "Выручка с известной себестоимостью", "Revenue with known cost"),
			percent("totals.cost_coverage_percent", "Покрытие себестоимостью", "Cost coverage"),
			money("totals.covered_profit", "Прибыль по этой части", "Profit of that part"),
			percent("totals.covered_margin_percent", "Маржа по этой части", "Margin of that part"),
			count("totals.rows_without_cost", "Строк без себестоимости", "Rows without cost"),
			flag("totals.reliable", "Можно судить о всех продажах", "Speaks for all sales"),
			totalRows,
		},
		Sections: over(productName, units("units", "Продано", "Units"), revenue, money("cost", "Себестоимость", "Cost"),
			money("profit", "Прибыль", "Profit"), percent("margin_percent", "Маржа", "Margin"), costBasis),
		Hidden: []string{"rows.product_id", "truncated"},
	},
	"turnover": {
		Label:    Label{"Обороты", "Turnover"},
		Figures:  []Column{totalRows},
		Sections: over(productName),
		Hidden:   []string{"rows.product_id", "truncated"},
	},
	"reconcile_shipments": {
		Label: Label{"Сверка заказов и отгрузок", "Orders against shipments"},
	},
	"overdue_orders": {
		Label:   Label{"Просроченные заказы", "Overdue orders"},
		Figures: []Column{totalRows},
		Sections: over(text("number", "Заказ", "Order"), text("counterparty", "Контрагент", "Counterparty"),
			date("planned_at", "План", "Planned"), days("days_overdue", "Дней просрочки", "Days overdue"),
			text("state", "Статус", "Status"), money("sum", "Сумма", "Sum"), money("shipped_sum", "Отгружено", "Shipped")),
		Hidden: []string{"rows.order_id", "truncated"},
	},
	"abc_xyz":            {Label: Label{"ABC/XYZ-анализ", "ABC/XYZ analysis"}},
	"slow_movers":        {Label: Label{"Медленные товары", "Slow movers"}},
	"zero_cost_receipts": {Label: Label{"Приёмки без себестоимости", "Receipts without cost"}},
}
