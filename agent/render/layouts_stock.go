package render

import "github.com/kopeck/kopeck/schemas/bilingual"

var (
	productName = text("name", "Товар", "Product")
	productCode = text("code", "Код", "Code").missing("—", "—") // goods may have none, and a channel has none
	warehouse   = text("warehouse", "Склад", "Warehouse").missing("все склады", "all warehouses")
	supplier    = text("supplier", "Поставщик", "Supplier").missing("без поставщика", "no supplier")
	inStock     = units("units", "Остаток", "In stock")
	reserved    = units("reserved", "Резерв", "Reserved")
	inTransit   = units("in_transit", "В пути", "In transit")
	available   = units("available", "Доступно", "Available")
	totalRows   = count("total_rows", "Всего строк", "Rows in all")
	archived    = flag("archived", "В архиве", "Archived").missing("нет", "no")
	withoutCost = count("totals.positions_without_cost", "Позиций без себестоимости", "Positions without cost")

	costBasis = text("cost_basis", "Основа себестоимости", "Cost basis").words(map[string]bilingual.Text{
		"fifo":           {RU: "себестоимость FIFO", EN: "FIFO cost"},
		"purchase_price": {RU: "закупочная цена", EN: "purchase price"},
	})
	goodsKind = text("kind", "Вид", "Kind").words(map[string]bilingual.Text{
		"product": {RU: "товар", EN: "product"},
		"variant": {RU: "модификация", EN: "variant"},
		"bundle":  {RU: "комплект", EN: "bundle"},
		"service": {RU: "услуга", EN: "service"},
		"channel": {RU: "канал продаж", EN: "sales channel"},
	})
)

// over is the section of rows that most results have.
func over(columns ...Column) Section { return Section{Field: "rows", Columns: columns} }

var stockLayouts = map[string]Layout{
	"search_products": {
		Text:    bilingual.Text{RU: "Поиск товаров", EN: "Product search"},
		Figures: []Column{flag("matched", "Найдено", "Found").quiet(), totalRows},
		Sections: []Section{over(productName, goodsKind, productCode, text("article", "Артикул", "Article"),
			text("barcodes", "Штрихкоды", "Barcodes"), supplier.missing("не указан", "not set"),
			money("purchase_price", "Закупочная цена", "Purchase price"))},
		Hidden: []string{"rows.product_id", "rows.supplier_id", "truncated"},
	},
	"stock": {
		Text: bilingual.Text{RU: "Остатки", EN: "Stock"},
		Figures: []Column{
			flag("matched", "Найдено", "Found").quiet(),
			totalRows,
			count("totals.positions", "Позиций", "Positions"),
			units("totals.units", "Единиц", "Units"),
			units("totals.reserved", "В резерве", "Reserved"),
			units("totals.in_transit", "В пути", "In transit"),
			units("totals.available", "Доступно", "Available"),
			money("totals.money", "Сумма по себестоимости", "Value at cost"),
			withoutCost,
			count("totals.negative_positions", "Позиций с отрицательным остатком", "Positions below zero"),
			count("totals.archived_positions", "Из них архивных товаров, позиций", "Of these archived products, positions"),
			money("totals.archived_money", "Архивные товары на сумму", "Value of archived products"),
			text("not_stocked", "Без собственного остатка (услуги, комплекты)", "Without stock of their own (services, bundles)"),
		},
		Sections: []Section{
			{Field: "warehouses", Text: bilingual.Text{RU: "По складам", EN: "By warehouse"}, Quiet: true, Columns: []Column{
				text("name", "Склад", "Warehouse"), count("positions", "Позиций", "Positions"), units("units", "Единиц", "Units"),
				money("money", "Сумма по себестоимости", "Value at cost"),
				count("positions_without_cost", "Без себестоимости", "Without cost"),
				count("negative_positions", "Отрицательных", "Below zero"),
			}},
			{Field: "rows", Text: bilingual.Text{RU: "По товарам", EN: "By product"}, Columns: []Column{
				productName, productCode, warehouse.missing("склад не указан", "no warehouse"), inStock, reserved, inTransit, available,
				money("unit_cost", "Себестоимость единицы", "Unit cost"), money("money", "Сумма", "Value"), costBasis, archived,
			}},
		},
		Hidden: []string{"rows.product_id", "rows.warehouse_id", "warehouses.id", "warehouses.archived", "truncated"},
	},
	"below_minimum": {
		Text: bilingual.Text{RU: "Ниже неснижаемого остатка", EN: "Below minimum"},
		Figures: []Column{
			count("totals.positions", "Позиций ниже порога", "Positions below their minimum"),
			count("totals.products", "Товаров среди них", "Products among them"),
			count("totals.out_of_stock", "Закончились совсем", "Out of stock"),
			count("totals.compared", "Позиций с порогом", "Positions with a minimum"),
			count("not_set", "Товаров без порога", "Products without a minimum"),
			count("totals.recalculating", "Пересчитываются, не учтены", "Being recalculated, left out"),
			totalRows,
		},
		Sections: []Section{over(productName, productCode, warehouse, inStock, reserved, inTransit, available,
			units("minimum", "Порог", "Minimum"), units("shortage", "Не хватает", "Shortage"), supplier,
			Column{Field: "transferable", Text: bilingual.Text{RU: "Можно переместить", EN: "Could be moved"}}.
				parts(warehouse, units("units", "Единиц", "Units")))},
		Hidden: []string{"rows.product_id", "rows.warehouse_id", "rows.supplier_id", "rows.transferable.warehouse_id", "truncated"},
	},
	"dead_stock": {
		Text: bilingual.Text{RU: "Неликвид", EN: "Dead stock"},
		Figures: []Column{
			warehouse,
			days("min_days", "Лежит в среднем не меньше дней", "In the warehouse on average at least, days"),
			days("sales_window_days", "Продаж нет за последние дней", "No sales in the last, days"),
			money("totals.dead_money", "Заморожено в неликвиде", "Frozen in dead stock"),
			count("totals.dead_positions", "Позиций неликвида", "Dead positions"),
			money("totals.turning_money", "В том, что уходит не через продажи", "In what goes out otherwise than by sale"),
			count("totals.positions", "Всего старых позиций", "Old positions in all"),
			count("totals.archived_positions", "Из них архивных товаров", "Of these archived products"),
			withoutCost,
			count("totals.positions_without_age", "Возраст неизвестен, не оценены", "Age unknown, not judged"),
			totalRows,
		},
		Sections: []Section{
			over(productName, productCode, days("days_in_warehouse", "Дней на складе", "Days in warehouse"), inStock,
				money("frozen_money", "Заморожено", "Frozen"), costBasis, units("sold_units", "Продано", "Sold"),
				units("moved_units", "Иной расход", "Other outflow"),
				Column{Field: "outflow", Text: bilingual.Text{RU: "Чем ушло", EN: "Went out by"}}.parts(
					text("document", "Документ", "Document").words(outflowWords), units("units", "Единиц", "Units")),
				text("verdict", "Вывод", "Verdict").words(map[string]bilingual.Text{
					"dead":                {RU: "неликвид", EN: "dead"},
					"turns_outside_sales": {RU: "уходит не через продажи", EN: "goes out otherwise than by sale"},
				}), archived),
			{Field: "warehouses", Text: bilingual.Text{RU: "Где лежит", EN: "Where it lies"}, Columns: []Column{
				text("name", "Склад", "Warehouse"), count("positions", "Позиций", "Positions"), units("units", "Единиц", "Units"),
			}},
		},
		Hidden: []string{"rows.product_id", "warehouses.id", "truncated"},
	},
	"slow_movers": {
		Text: bilingual.Text{RU: "Медленные товары", EN: "Slow movers"},
		Figures: []Column{
			warehouse,
			days("window_days", "Продажи до сегодняшнего дня, дней", "Sales before today, days"),
			days("min_cover_days", "Запаса хватит больше чем на дней", "Stock lasts longer than, days"),
			count("totals.positions", "Позиций", "Positions"),
			money("totals.money", "Сумма по себестоимости", "Value at cost"),
			count("totals.archived_positions", "Из них архивных товаров", "Of these archived products"),
			withoutCost,
			count("totals.new_products", "Новых товаров, не оценены", "New products, left out"),
			count("totals.without_sales", "Без продаж совсем, в неликвиде", "Without any sale, see dead stock"),
			totalRows,
		},
		Sections: []Section{over(productName, productCode, inStock, units("sold_units", "Продано", "Sold"),
			units("velocity_per_day", "В день", "Per day"), days("days_of_cover", "Хватит на дней", "Days of cover"),
			money("money", "Сумма", "Value"), costBasis, archived)},
		Hidden: []string{"rows.product_id", "truncated"},
	},
	"out_of_stock": {
		Text: bilingual.Text{RU: "Закончилось", EN: "Out of stock"},
		Figures: []Column{
			warehouse,
			days("window_days", "Продажи до сегодняшнего дня, дней", "Sales before today, days"),
			count("totals.positions", "Позиций без остатка", "Positions without stock"),
			count("totals.negative", "Из них с отрицательным остатком", "Of these below zero"),
			count("totals.in_transit", "Из них уже заказаны", "Of these on order"),
			count("totals.sold", "Из них продавались", "Of these with sales"),
			count("totals.never_there", "Никогда не поступали, не показаны", "Never there, not listed"),
			count("totals.recalculating", "Пересчитываются, не учтены", "Being recalculated, left out"),
			totalRows,
		},
		Sections: []Section{over(productName, productCode, inStock, reserved, inTransit, available,
			units("minimum", "Порог", "Minimum").missing("не задан", "not set"), units("sold_units", "Продано", "Sold"), supplier)},
		Hidden: []string{"rows.product_id", "rows.supplier_id", "truncated"},
	},
	"negative_stock": {
		Text: bilingual.Text{RU: "Отрицательные остатки", EN: "Negative stock"},
		Figures: []Column{
			count("totals.positions", "Позиций", "Positions"),
			count("totals.products", "Товаров", "Products"),
			units("totals.units", "Единиц", "Units"),
			totalRows,
		},
		Sections: []Section{over(text("name", "Товар", "Product").missing("архивный или скрытый товар", "an archived or hidden product"), productCode,
			warehouse.missing("скрытый склад", "a hidden warehouse"), inStock,
			units("elsewhere", "На других складах", "In other warehouses"))},
		Hidden: []string{"rows.product_id", "rows.warehouse_id", "truncated"},
	},
	"turnover": {
		Text: bilingual.Text{RU: "Обороты", EN: "Turnover"},
		Figures: []Column{
			warehouse, date("from", "С", "From"), date("to", "По", "To"),
			count("totals.positions", "Позиций", "Positions"),
			units("totals.opening.units", "На начало, единиц", "Opening, units"), money("totals.opening.money", "На начало, сумма", "Opening, money"),
			units("totals.in.units", "Приход, единиц", "In, units"), money("totals.in.money", "Приход, сумма", "In, money"),
			units("totals.out.units", "Расход, единиц", "Out, units"), money("totals.out.money", "Расход, сумма", "Out, money"),
			units("totals.closing.units", "На конец, единиц", "Closing, units"), money("totals.closing.money", "На конец, сумма", "Closing, money"),
			withoutCost,
			totalRows,
		},
		Sections: []Section{over(productName, productCode,
			units("opening.units", "На начало", "Opening"), money("opening.money", "сумма", "money"),
			units("in.units", "Приход", "In"), money("in.money", "сумма", "money"),
			units("out.units", "Расход", "Out"), money("out.money", "сумма", "money"),
			units("closing.units", "На конец", "Closing"), money("closing.money", "сумма", "money"))},
		Hidden: []string{"rows.product_id", "truncated"},
	},
}

var outflowWords = map[string]bilingual.Text{
	"move":                      {RU: "перемещение", EN: "move"},
	"loss":                      {RU: "списание", EN: "write-off"},
	"processing":                {RU: "производство", EN: "production"},
	"productionstagecompletion": {RU: "производство", EN: "production"},
	"purchasereturn":            {RU: "возврат поставщику", EN: "return to supplier"},
	"bundle":                    {RU: "в составе комплектов", EN: "in bundles"},
}
