package render

import "github.com/kopeck/kopeck/schemas/bilingual"

var (
	revenue        = money("revenue", "Выручка", "Revenue")
	coveredRevenue = money("covered_revenue", "С известной себестоимостью", "With known cost").missing("—", "—")
	costCoverage   = percent("cost_coverage_percent", "Покрытие себестоимостью", "Cost coverage").missing("—", "—")
	shippedSum     = money("shipped_sum", "Отгружено", "Shipped")
)

var salesLayouts = map[string]Layout{
	"margin": {
		Text: bilingual.Text{RU: "Маржа", EN: "Margin"},
		Figures: []Column{
			date("from", "С", "From"), date("to", "По", "To"),
			money("totals.revenue", "Чистая выручка (за вычетом возвратов)", "Net revenue (returns deducted)"),
			money("totals.covered_revenue", "Выручка с известной себестоимостью", "Revenue with known cost"),
			percent("totals.cost_coverage_percent", "Покрытие себестоимостью", "Cost coverage"),
			money("totals.covered_profit", "Прибыль по этой части", "Profit of that part"),
			percent("totals.covered_margin_percent", "Маржа по этой части", "Margin of that part"),
			flag("totals.reliable", "Можно судить по ней о всех продажах", "It may stand for all sales"),
			count("totals.rows_without_cost", "Позиций без себестоимости", "Positions without cost"),
			count("totals.services_without_cost", "Услуг без себестоимости, не учтены", "Services without a cost, left out"),
			money("totals.services_without_cost_revenue", "Их выручка", "Their revenue"),
			money("totals.all_revenue", "Выручка вместе с ними", "Revenue with them"),
			totalRows,
		},
		Sections: []Section{
			over(text("name", "Товар или канал", "Product or channel").words(map[string]bilingual.Text{"no sales channel": {RU: "без канала продаж", EN: "no sales channel"}}),
				units("units", "Продано", "Sold"), revenue, money("profit", "Прибыль", "Profit"), percent("margin_percent", "Маржа", "Margin"),
				costCoverage, coveredRevenue, money("cost", "Себестоимость", "Cost"), costBasis, productCode, goodsKind),
			{Field: "kinds", Text: bilingual.Text{RU: "По видам", EN: "By kind"}, Quiet: true, Columns: []Column{
				goodsKind, count("rows", "Строк", "Rows"), revenue, coveredRevenue, costCoverage,
				money("covered_profit", "Прибыль по этой части", "Profit of that part"),
				percent("covered_margin_percent", "Маржа по этой части", "Margin of that part"),
				count("rows_without_cost", "Без себестоимости", "Without cost"),
			}},
			{Field: "uncovered", Text: bilingual.Text{RU: "Самая большая выручка без известной себестоимости", EN: "Largest revenue without a known cost"}, Quiet: true,
				Columns: []Column{productName, units("units", "Продано", "Sold"), revenue}},
		},
		Hidden: []string{"rows.product_id", "rows.channel_id", "uncovered.product_id", "truncated"},
	},
	"overdue_orders": {
		Text: bilingual.Text{RU: "Просроченные заказы", EN: "Overdue orders"},
		Figures: []Column{
			date("as_of", "План раньше", "Planned before"),
			count("totals.orders", "Заказов", "Orders"),
			money("totals.sum", "На сумму", "Their sum"),
			money("totals.shipped_sum", "Отгружено", "Shipped"),
			money("totals.unshipped_sum", "Не отгружено", "Not shipped"),
			count("totals.without_status", "Без статуса", "Without a status"),
			totalRows,
		},
		Sections: []Section{over(text("number", "Заказ", "Order"), text("counterparty", "Контрагент", "Counterparty"),
			date("planned_at", "План", "Planned"), days("days_overdue", "Дней просрочки", "Days overdue"),
			text("state", "Статус", "Status").missing("без статуса", "no status"), money("sum", "Сумма", "Sum"), shippedSum)},
		Hidden: []string{"rows.order_id", "truncated"},
	},
	"reconcile_shipments": {
		Text: bilingual.Text{RU: "Сверка заказов и отгрузок", EN: "Orders against shipments"},
		Figures: []Column{
			text("channel", "Канал продаж", "Sales channel").missing("все", "all"), date("from", "С", "From"), date("to", "По", "To"),
			days("grace_days", "Новому заказу даётся на отгрузку дней", "A new order has for its shipment, days"),
			count("matched", "Сошлось заказов", "Orders that match"),
			count("totals.orders", "Заказов", "Orders"), money("totals.orders_sum", "На сумму", "Their sum"),
			count("totals.shipments", "Отгрузок", "Shipments"), money("totals.shipments_sum", "На сумму", "Their sum"),
			money("totals.difference", "Разница", "Difference"),
			count("totals.outside_orders", "Заказов других дней", "Orders of other days"), money("totals.outside_orders_sum", "На сумму", "Their sum"),
			count("totals.outside_shipments", "Отгрузок других дней", "Shipments of other days"), money("totals.outside_shipments_sum", "На сумму", "Their sum"),
		},
		Sections: []Section{
			{Field: "classes", Text: bilingual.Text{RU: "По видам расхождений", EN: "By kind of difference"}, Columns: []Column{
				text("class", "Вид", "Kind").words(tradeClasses), count("rows", "Строк", "Rows"), count("listed", "Показано", "Listed"),
				count("orders", "Заказов", "Orders"), money("orders_sum", "Сумма заказов", "Sum of orders"),
				count("shipments", "Отгрузок", "Shipments"), money("shipments_sum", "Сумма отгрузок", "Sum of shipments"),
				money("difference", "Разница", "Difference"),
			}},
			trades("not_shipped"), trades("shipped_partly"), trades("shipped_without_order"), trades("amount_differs"),
			trades("cancelled_but_shipped"), trades("duplicate_order_numbers"),
		},
		Hidden: []string{
			"not_shipped.order_id", "shipped_partly.order_id", "shipped_without_order.order_id", "amount_differs.order_id",
			"cancelled_but_shipped.order_id", "duplicate_order_numbers.order_id",
			"not_shipped.shipment_ids", "shipped_partly.shipment_ids", "shipped_without_order.shipment_ids", "amount_differs.shipment_ids",
			"cancelled_but_shipped.shipment_ids", "duplicate_order_numbers.shipment_ids",
		},
	},
	"abc_xyz": {
		Text: bilingual.Text{RU: "ABC/XYZ-анализ", EN: "ABC/XYZ analysis"},
		Figures: []Column{
			warehouse,
			days("window_days", "Продажи до сегодняшнего дня, дней", "Sales before today, days"),
			text("metric", "ABC по", "ABC by").words(map[string]bilingual.Text{"revenue": {RU: "выручке", EN: "revenue"}, "profit": {RU: "прибыли", EN: "profit"}}),
			percent("x_percent", "Разброс класса X не больше", "Variation of class X at most"),
			percent("y_percent", "Разброс класса Y не больше", "Variation of class Y at most"),
			count("totals.products", "Товаров с продажами", "Products with sales"),
			count("totals.archived_products", "Из них архивных, ещё на складе", "Of these archived and still in stock"),
			money("totals.value", "Всего", "In all"),
			count("totals.without_cost", "Без себестоимости, не учтены", "Without cost, left out"),
			totalRows,
		},
		Sections: []Section{
			{Field: "cells", Text: bilingual.Text{RU: "Матрица", EN: "Matrix"}, Columns: []Column{
				text("cell", "Ячейка", "Cell"), count("products", "Товаров", "Products"), money("value", "Сумма", "Value"),
				percent("share_percent", "Доля", "Share"), money("stock_money", "На складе по себестоимости", "In stock at cost"),
			}},
			over(productName, text("abc", "ABC", "ABC"), text("xyz", "XYZ", "XYZ"), money("value", "Сумма", "Value"), percent("share_percent", "Доля", "Share"),
				units("sold_units", "Продано", "Sold"), percent("variation_percent", "Разброс по неделям", "Weekly variation").missing("мало истории", "short history"),
				days("weeks", "Недель", "Weeks"), units("stock_units", "Остаток", "In stock"), money("stock_money", "На складе по себестоимости", "In stock at cost"), archived),
		},
		Hidden: []string{"rows.product_id", "truncated"},
	},
}

// trades is the list of one kind of difference.
func trades(class string) Section {
	return Section{Field: class, Text: tradeClasses[class], Quiet: true, Columns: []Column{
		text("order_number", "Заказ", "Order").missing("нет", "none"), date("order_moment", "Дата заказа", "Ordered").missing("—", "—"),
		text("state", "Статус", "Status").missing("без статуса", "no status"), money("order_sum", "Сумма заказа", "Order sum").missing("—", "—"),
		text("shipment_numbers", "Отгрузки", "Shipments"), money("shipped_sum", "Отгружено", "Shipped").missing("нет отгрузки", "no shipment"),
		money("difference", "Разница", "Difference"),
		text("matched_by", "Найдены по", "Found by").missing("—", "—").words(map[string]bilingual.Text{
			"link":          {RU: "связи документов", EN: "link of the documents"},
			"external_code": {RU: "внешнему коду", EN: "external code"},
			"name":          {RU: "номеру", EN: "number"},
			"attribute":     {RU: "дополнительному полю", EN: "attribute"},
		}),
	}}
}

var tradeClasses = map[string]bilingual.Text{
	"matched":                 {RU: "Сошлись", EN: "Match"},
	"in_flight":               {RU: "Ещё в работе", EN: "Still in flight"},
	"cancelled":               {RU: "Отменены и не отгружены", EN: "Cancelled and not shipped"},
	"not_shipped":             {RU: "Не отгружены", EN: "Not shipped"},
	"shipped_partly":          {RU: "Отгружены частично", EN: "Shipped partly"},
	"shipped_without_order":   {RU: "Отгрузки без заказа", EN: "Shipped without an order"},
	"amount_differs":          {RU: "Сумма не совпадает", EN: "Amount differs"},
	"cancelled_but_shipped":   {RU: "Отменены, но отгружены", EN: "Cancelled but shipped"},
	"duplicate_order_numbers": {RU: "Повторяющиеся номера заказов", EN: "Duplicate order numbers"},
}
