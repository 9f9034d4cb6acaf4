package render

var purchaseLayouts = map[string]Layout{
	"shortage_by_supplier": {
		Label: Label{"Что заказать, по поставщикам", "What to order, by supplier"},
		Sections: []Section{{
			Field:   "suppliers",
			Columns: []Column{supplier, money("money", "Сумма по закупочным ценам", "Money at purchase prices")},
			Lines: &Section{Field: "lines", Columns: []Column{
				productName, warehouse, units("shortage", "Не хватает", "Shortage"),
				money("purchase_price", "Закупочная цена", "Purchase price"), money("money", "Сумма", "Money"),
			}},
		}},
		Hidden: []string{"suppliers.supplier_id", "suppliers.lines.product_id"},
	},
	"reorder_points": {
		Label:   Label{"Точки заказа", "Reorder points"},
		Figures: []Column{totalRows},
		Sections: over(productName, supplier, units("velocity_per_day", "Продажи в день", "Sold per day"),
			days("lead_time_days", "Срок поставки, дней", "Lead time, days"),
			text("lead_time_basis", "Откуда срок", "Lead time from").words(map[string]Label{
				"argument": {"задан в вопросе", "given in the question"},
				"history":  {"история поставщика", "the supplier's history"},
			}),
			units("safety_stock", "Страховой запас", "Safety stock"), units("reorder_point", "Точка заказа", "Reorder point"),
			units("available", "Доступно", "Available"), units("in_transit", "В пути", "In transit"),
			units("order_units", "Заказать", "To order")),
		Hidden: []string{"rows.product_id", "truncated"},
	},
}

var draftKind = text("kind", "Вид", "Kind").words(map[string]Label{
	"purchase_order": {"заказ поставщику", "purchase order"},
	"transfer":       {"перемещение", "transfer"},
	"price_change":   {"изменение цен", "price change"},
	"gateway":        {"запрос через шлюз", "gateway request"},
})

var draftState = text("state", "Состояние", "State").words(map[string]Label{
	"draft":     {"черновик, ждёт подтверждения", "draft, waits for confirmation"},
	"confirmed": {"подтверждён, создаётся", "confirmed, being created"},
	"created":   {"создан", "created"},
	"cancelled": {"отменён", "cancelled"},
	"expired":   {"истёк", "expired"},
	"failed":    {"не создан", "not created"},
})

var draft = Layout{
	Label: Label{"Черновик", "Draft"},
	Figures: []Column{
		text("code", "Код", "Code"), draftKind, draftState, text("summary", "Что будет создано", "What will be created"),
		date("expires_at", "Можно подтвердить до", "Can be confirmed until"),
	},
	Sections: []Section{{Field: "lines", Columns: []Column{
		productName, units("units", "Количество", "Units"), money("price", "Цена", "Price"), money("money", "Сумма", "Money"),
	}}},
}

var draftLayouts = map[string]Layout{
	"draft_purchase_order": draft,
	"draft_transfer":       draft,
	"draft_price_change":   draft,
}
