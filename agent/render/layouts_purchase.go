package render

import "github.com/kopeck/kopeck/schemas/bilingual"

var purchaseLayouts = map[string]Layout{
	"shortage_by_supplier": {
		Text: bilingual.Text{RU: "Что заказать, по поставщикам", EN: "What to order, by supplier"},
		Figures: []Column{
			count("totals.suppliers", "Поставщиков", "Suppliers"),
			count("totals.positions", "Позиций", "Positions"),
			money("totals.money", "Сумма по закупочным ценам", "Money at purchase prices"),
			count("totals.lines_without_price", "Позиций без закупочной цены", "Positions without a purchase price"),
			totalRows,
		},
		Sections: []Section{{
			Field: "suppliers",
			Columns: []Column{supplier, money("money", "Сумма по закупочным ценам", "Money at purchase prices"), count("positions", "Позиций", "Positions"),
				count("lines_without_price", "Без закупочной цены", "Without a purchase price")},
			Lines: &Section{Field: "lines", Columns: []Column{
				productName, productCode, warehouse, units("shortage", "Не хватает", "Shortage"), units("in_transit", "Уже заказано", "Already ordered"),
				money("purchase_price", "Закупочная цена", "Purchase price"), money("money", "Сумма", "Money"),
			}},
		}},
		Hidden: []string{"suppliers.supplier_id", "suppliers.lines.product_id", "truncated"},
	},
	"reorder_points": {
		Text: bilingual.Text{RU: "Точки заказа", EN: "Reorder points"},
		Figures: []Column{
			warehouse,
			days("window_days", "Продажи до сегодняшнего дня, дней", "Sales before today, days"),
			percent("service_level_percent", "Уровень сервиса (доля циклов без нехватки)", "Service level (share of cycles without a stock-out)"),
			days("cover_days", "Заказывать сверх точки заказа на дней", "To order beyond the reorder point, days"),
			count("totals.positions", "Позиций", "Positions"),
			count("totals.to_order", "Пора заказывать", "To order now"),
			count("totals.without_lead_time", "Срок поставки неизвестен", "Lead time unknown"),
			totalRows,
		},
		Sections: []Section{over(productName, productCode, supplier, units("order_units", "Заказать", "To order"), units("reorder_point", "Точка заказа", "Reorder point"),
			units("safety_stock", "Страховой запас", "Safety stock"), inStock, available, inTransit,
			units("velocity_per_day", "Продажи в день", "Sold per day"), units("sold_units", "Продано", "Sold"), days("days_in_stock", "Дней в наличии", "Days in stock"),
			flag("censored", "Были дни без товара", "Ran out at times"), demand,
			days("lead_time_days", "Срок поставки, дней", "Lead time, days"), leadTimeBasis, count("lead_time_receipts", "Поставок в истории", "Receipts in the history"), reorderBasis)},
		Hidden: []string{"rows.product_id", "rows.supplier_id", "truncated"},
	},
	"zero_cost_receipts": {
		Text: bilingual.Text{RU: "Приёмки без себестоимости", EN: "Receipts without cost"},
		Figures: []Column{
			warehouse, days("days", "За последние дней", "Of the last, days"),
			count("totals.documents", "Документов исправить", "Documents to fix"),
			count("totals.lines", "Строк", "Lines"),
			count("totals.products", "Товаров", "Products"),
			count("totals.documents_checked", "Проверено документов", "Documents checked"),
			flag("totals.cost_visible", "Цены видны подключению", "This connection sees prices"),
			totalRows,
		},
		Sections: []Section{over(text("document", "Документ", "Document").words(map[string]bilingual.Text{"supply": {RU: "приёмка", EN: "receipt"}, "enter": {RU: "оприходование", EN: "entered by hand"}}),
			text("number", "Номер", "Number"), date("moment", "Дата", "Date"), supplier.missing("—", "—"), warehouse.missing("—", "—"),
			text("name", "Товар", "Product").missing("архивный или скрытый товар", "an archived or hidden product"), units("units", "Единиц", "Units"))},
		Hidden: []string{"rows.document_id", "rows.product_id", "truncated"},
	},
}

var (
	demand = text("demand_class", "Спрос", "Demand").words(map[string]bilingual.Text{
		"smooth":        {RU: "ровный", EN: "smooth"},
		"erratic":       {RU: "неровный", EN: "erratic"},
		"intermittent":  {RU: "редкий", EN: "intermittent"},
		"lumpy":         {RU: "редкий и неровный", EN: "lumpy"},
		"short_history": {RU: "мало истории", EN: "short history"},
		"no_sales":      {RU: "продаж нет", EN: "no sales"},
	})
	leadTimeBasis = text("lead_time_basis", "Откуда срок", "Lead time from").words(map[string]bilingual.Text{
		"argument": {RU: "задан в вопросе", EN: "given in the question"},
		"history":  {RU: "история поставщика", EN: "the supplier's history"},
	})
	reorderBasis = text("basis", "Расчёт", "Method").words(map[string]bilingual.Text{
		"normal":        {RU: "нормальное распределение", EN: "normal distribution"},
		"poisson":       {RU: "распределение Пуассона", EN: "Poisson distribution"},
		"days_of_cover": {RU: "грубо, по дням запаса", EN: "rough, by days of cover"},
	})
)
