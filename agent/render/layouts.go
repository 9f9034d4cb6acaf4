package render

import "maps"

var layouts = func() map[string]Layout {
	all := map[string]Layout{}
	for _, group := range []map[string]Layout{stockLayouts, salesLayouts, purchaseLayouts, moneyLayouts, draftLayouts} {
		maps.Copy(all, group)
	}
	return all
}()

var (
	productName = text("name", "Товар", "Product")
	productCode = text("code", "Код", "Code")
	article     = text("article", "Артикул", "Article")
	warehouse   = text("warehouse", "Склад", "Warehouse")
	supplier    = text("supplier", "Поставщик", "Supplier")
	totalRows   = count("total_rows", "Всего строк", "Rows in all")
	rowList     = Section{Field: "rows"}
)

// over is the section of rows that most results have.
func over(columns ...Column) []Section {
	s := rowList
	s.Columns = columns
	return []Section{s}
}

// costBasis names where a cost comes from.
var costBasis = text("cost_basis", "Основа себестоимости", "Cost basis").words(map[string]Label{
	"fifo":           {"себестоимость FIFO", "FIFO cost"},
	"purchase_price": {"закупочная цена", "purchase price"},
})

var stockLayouts = map[string]Layout{
	"search_products": {
		Label:   Label{"Поиск товаров", "Product search"},
		Figures: []Column{flag("matched", "Найдено", "Found"), totalRows},
		Sections: over(productName, productCode, article, text("barcodes", "Штрихкоды", "Barcodes"), supplier,
			money("purchase_price", "Закупочная цена", "Purchase price")),
		Hidden: []string{"rows.product_id", "truncated"},
	},
	"stock": {
		Label: Label{"Остатки", "Stock"},
		Figures: []Column{
			totalRows,
			count("totals.positions", "Позиций", "Positions"),
			units("totals.units", "Единиц", "Units"),
			money("totals.money", "Сумма по себестоимости", "Value at cost"),
			count("totals.positions_without_cost", "Позиций без себестоимости", "Positions without cost"),
		},
		Sections: []Section{
			{Field: "warehouses", Label: Label{"По складам", "By warehouse"}, Columns: []Column{
				text("name", "Склад", "Warehouse"), count("positions", "Позиций", "Positions"), units("units", "Единиц", "Units"),
				money("money", "Сумма по себестоимости", "Value at cost"),
				count("positions_without_cost", "Без себестоимости", "Without cost"),
			}},
			{Field: "rows", Label: Label{"По товарам", "By product"}, Columns: []Column{
				productName, productCode, warehouse, units("units", "Остаток", "In stock"), units("reserved", "Резерв", "Reserved"),
				units("in_transit", "В пути", "In transit"), units("available", "Доступно", "Available"),
				money("unit_cost", "Себестоимость единицы", "Unit cost"), money("money", "Сумма", "Value"), costBasis,
			}},
		},
		Hidden: []string{"rows.product_id", "warehouses.id", "truncated"},
	},
	"below_minimum": {
		Label:   Label{"Ниже неснижаемого остатка", "Below minimum"},
		Figures: []Column{totalRows},
		Sections: over(productName, warehouse, units("units", "Остаток", "In stock"), units("minimum", "Порог", "Minimum"),
			units("shortage", "Не хватает", "Shortage"), supplier),
		Hidden: []string{"rows.product_id", "rows.warehouse_id", "rows.supplier_id", "truncated"},
	},
	"dead_stock": {
		Label: Label{"Неликвид", "Dead stock"},
		Figures: []Column{
			count("totals.positions", "Позиций", "Positions"),
			money("totals.dead_money", "Заморожено в неликвиде", "Frozen in dead stock"),
			money("totals.turning_money", "В том, что уходит не через продажи", "In what goes out otherwise than by sale"),
			count("totals.positions_without_cost", "Позиций без себестоимости", "Positions without cost"),
			totalRows,
		},
		Sections: over(productName, warehouse, days("days_in_warehouse", "Дней на складе", "Days in warehouse"),
			units("units", "Остаток", "In stock"), money("frozen_money", "Заморожено", "Frozen"),
			units("sold_units", "Продано", "Sold"), units("moved_units", "Иной расход", "Other outflow"),
			text("verdict", "Вывод", "Verdict").words(map[string]Label{
				"dead":                {"неликвид", "dead"},
				"turns_outside_sales": {"уходит не через продажи", "goes out otherwise than by sale"},
			})),
		Hidden: []string{"rows.product_id", "truncated"},
	},
	"negative_stock": {
		Label:    Label{"Отрицательные остатки", "Negative stock"},
		Figures:  []Column{totalRows},
		Sections: over(productName, warehouse, units("units", "Остаток", "In stock")),
		Hidden:   []string{"rows.product_id", "truncated"},
	},
}
