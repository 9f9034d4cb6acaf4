package tools

import "strings"

// Label is what something is called in both languages.
type Label struct {
	RU string `json:"ru,omitempty"`
	EN string `json:"en,omitempty"`
}

// In is the label in a language: "ru", anything else is English.
func (l Label) In(lang string) string {
	if lang == "ru" {
		return l.RU
	}
	return l.EN
}

// ToolLabel is what people call a tool's result; the tool's own name where nothing better is known.
func ToolLabel(tool string) Label {
	if label, known := toolLabels[labelled(tool)]; known {
		return label
	}
	return Label{tool, tool}
}

// labelled is the name under which the tables below have a tool: those that prepare drafts have the same result.
func labelled(tool string) string {
	if strings.HasPrefix(tool, "draft_") {
		return "draft"
	}
	return tool
}

// find looks a field up by the longest end of its path that the table has, with the tool's name before it first.
func find[T any](table map[string]T, tool, path string) (found T, known bool) {
	if found, known = table[labelled(tool)+"."+path]; known {
		return found, true
	}
	for {
		if found, known = table[path]; known {
			return found, true
		}
		_, rest, more := strings.Cut(path, ".")
		if !more {
			return found, false
		}
		path = rest
	}
}

func labelOf(tool, path string) Label {
	if label, known := find(labels, tool, path); known {
		return label
	}
	name := path[strings.LastIndexByte(path, '.')+1:]
	return Label{name, name}
}

func wordsOf(tool, path string) map[string]Label {
	found, _ := find(words, tool, path)
	return found
}

func missingOf(tool, path string) Label {
	found, _ := find(missing, tool, path)
	return found
}

var toolLabels = map[string]Label{
	"abc_xyz":              {"ABC/XYZ-анализ", "ABC/XYZ analysis"},
	"below_minimum":        {"Ниже неснижаемого остатка", "Below minimum"},
	"calculate":            {"Расчёт", "Calculation"},
	"cash_runway":          {"На сколько хватит денег", "Cash runway"},
	"dead_stock":           {"Неликвид", "Dead stock"},
	"draft":                {"Черновик", "Draft"},
	"margin":               {"Маржа", "Margin"},
	"money_position":       {"Деньги", "Money"},
	"negative_stock":       {"Отрицательные остатки", "Negative stock"},
	"out_of_stock":         {"Закончилось", "Out of stock"},
	"overdue_orders":       {"Просроченные заказы", "Overdue orders"},
	"reconcile_shipments":  {"Сверка заказов и отгрузок", "Orders against shipments"},
	"reorder_points":       {"Точки заказа", "Reorder points"},
	"search_products":      {"Поиск товаров", "Product search"},
	"shortage_by_supplier": {"Что заказать, по поставщикам", "What to order, by supplier"},
	"slow_movers":          {"Медленные товары", "Slow movers"},
	"stock":                {"Остатки", "Stock"},
	"turnover":             {"Обороты", "Turnover"},
	"zero_cost_receipts":   {"Приёмки без себестоимости", "Receipts without cost"},
}

// labels are by the end of a field's path; the longest end counts, and one with the tool's name most.
var labels = map[string]Label{
	"abc":                           {"ABC", "ABC"},
	"accounts":                      {"Счета и кассы", "Accounts"},
	"all_revenue":                   {"Выручка вместе с услугами без себестоимости", "Revenue with services without a cost"},
	"amount":                        {"Долг", "Amount"},
	"amount_differs":                {"Сумма не совпадает", "Amount differs"},
	"archived":                      {"В архиве", "Archived"},
	"archived_money":                {"Архивные товары на сумму", "Value of archived products"},
	"archived_positions":            {"Архивных позиций", "Archived positions"},
	"archived_products":             {"Архивных товаров в наличии", "Archived products in stock"},
	"article":                       {"Артикул", "Article"},
	"as_of":                         {"План раньше", "Planned before"},
	"available":                     {"Доступно", "Available"},
	"balance":                       {"Остаток", "Balance"},
	"barcodes":                      {"Штрихкоды", "Barcodes"},
	"basis":                         {"Расчёт", "Method"},
	"cancelled_but_shipped":         {"Отменены, но отгружены", "Cancelled but shipped"},
	"cash":                          {"Деньги", "Cash"},
	"cell":                          {"Ячейка", "Cell"},
	"cells":                         {"Матрица", "Matrix"},
	"censored":                      {"Были дни без товара", "Ran out at times"},
	"changes":                       {"Что записано", "What was written"},
	"channel":                       {"Канал продаж", "Sales channel"},
	"class":                         {"Вид", "Kind"},
	"classes":                       {"По видам расхождений", "By kind of difference"},
	"closing":                       {"На конец", "Closing"},
	"code":                          {"Код", "Code"},
	"compared":                      {"Позиций с порогом", "Positions with a minimum"},
	"confirmed_at":                  {"Подтверждён", "Confirmed"},
	"cost":                          {"Себестоимость", "Cost"},
	"cost_basis":                    {"Основа себестоимости", "Cost basis"},
	"cost_coverage_percent":         {"Покрытие себестоимостью", "Cost coverage"},
	"cost_visible":                  {"Цены видны подключению", "This connection sees prices"},
	"counterparty":                  {"Контрагент", "Counterparty"},
	"cover_days":                    {"Запас сверх точки заказа", "Cover beyond the reorder point"},
	"covered_margin_percent":        {"Маржа по этой части", "Margin of that part"},
	"covered_profit":                {"Прибыль по этой части", "Profit of that part"},
	"covered_revenue":               {"С известной себестоимостью", "With known cost"},
	"created_at":                    {"Создан", "Created"},
	"creditors":                     {"Кредиторов", "Creditors"},
	"currencies":                    {"По валютам", "By currency"},
	"currency":                      {"Валюта", "Currency"},
	"days":                          {"Период", "Period"},
	"days_in_stock":                 {"В наличии", "In stock for"},
	"days_in_warehouse":             {"На складе", "In warehouse for"},
	"days_of_cover":                 {"Запаса на", "Stock lasts"},
	"days_overdue":                  {"Просрочка", "Overdue by"},
	"dead_money":                    {"Заморожено в неликвиде", "Frozen in dead stock"},
	"dead_positions":                {"Позиций неликвида", "Dead positions"},
	"debtors":                       {"Должников", "Debtors"},
	"demand_class":                  {"Спрос", "Demand"},
	"difference":                    {"Разница", "Difference"},
	"differences":                   {"Отличия", "Differences"},
	"document":                      {"Документ", "Document"},
	"documents":                     {"Документов", "Documents"},
	"documents_checked":             {"Проверено документов", "Documents checked"},
	"duplicate_order_numbers":       {"Повторяющиеся номера заказов", "Duplicate order numbers"},
	"elsewhere":                     {"На других складах", "In other warehouses"},
	"exact":                         {"Точно", "Exact"},
	"expense":                       {"Расход", "Expense"},
	"expense_per_month":             {"Расход в месяц", "Expense per month"},
	"expires_at":                    {"Срок подтверждения", "To be confirmed by"},
	"expression":                    {"Выражение", "Expression"},
	"failure":                       {"Почему не создан", "Why not created"},
	"from":                          {"С", "From"},
	"frozen_money":                  {"Заморожено", "Frozen"},
	"grace_days":                    {"Срок на отгрузку нового заказа", "Time for a new order's shipment"},
	"href":                          {"Ссылка", "Link"},
	"in":                            {"Приход", "In"},
	"in_transit":                    {"В пути", "In transit"},
	"income":                        {"Приход", "Income"},
	"income_per_month":              {"Приход в месяц", "Income per month"},
	"kind":                          {"Вид", "Kind"},
	"kinds":                         {"По видам", "By kind"},
	"lead_time_basis":               {"Откуда срок", "Lead time from"},
	"lead_time_days":                {"Срок поставки", "Lead time"},
	"lead_time_receipts":            {"Поставок в истории", "Receipts in the history"},
	"left_out":                      {"Не вошло в черновик", "Left out of the draft"},
	"lines":                         {"Строки", "Lines"},
	"lines_without_price":           {"Позиций без закупочной цены", "Positions without a purchase price"},
	"listed":                        {"Показано", "Listed"},
	"margin_percent":                {"Маржа", "Margin"},
	"matched":                       {"Найдено", "Found"},
	"matched_by":                    {"Найдены по", "Found by"},
	"message":                       {"Подробности", "Details"},
	"metric":                        {"ABC по", "ABC by"},
	"min_cover_days":                {"Запаса больше чем на", "Stock lasts longer than"},
	"min_days":                      {"Лежит в среднем от", "In the warehouse on average from"},
	"minimum":                       {"Порог", "Minimum"},
	"moment":                        {"Дата", "Date"},
	"money":                         {"Сумма", "Amount"},
	"month":                         {"Месяц", "Month"},
	"months":                        {"По месяцам", "By month"},
	"moved_units":                   {"Иной расход", "Other outflow"},
	"name":                          {"Название", "Name"},
	"negative":                      {"С отрицательным остатком", "Below zero"},
	"negative_positions":            {"Позиций с отрицательным остатком", "Positions below zero"},
	"net":                           {"Итого с учётом долгов", "Net"},
	"net_burn_per_month":            {"Расход сверх прихода", "Net burn"},
	"never_there":                   {"Никогда не поступали", "Never there"},
	"new_products":                  {"Новых товаров, не оценены", "New products, left out"},
	"not_set":                       {"Товаров без порога", "Products without a minimum"},
	"not_shipped":                   {"Не отгружены", "Not shipped"},
	"not_stocked":                   {"Без собственного остатка (услуги, комплекты)", "Without stock of their own (services, bundles)"},
	"number":                        {"Номер", "Number"},
	"old_price":                     {"Старая цена", "Old price"},
	"opening":                       {"На начало", "Opening"},
	"order_moment":                  {"Дата заказа", "Ordered"},
	"order_number":                  {"Заказ", "Order"},
	"order_sum":                     {"Сумма заказа", "Order sum"},
	"order_units":                   {"Заказать", "To order"},
	"orders":                        {"Заказов", "Orders"},
	"orders_sum":                    {"Сумма заказов", "Sum of orders"},
	"organization":                  {"Организация", "Organization"},
	"other_currencies":              {"Другие валюты, в итог не входят", "Other currencies, not in the total"},
	"out":                           {"Расход", "Out"},
	"out_of_stock":                  {"Закончились совсем", "Out of stock"},
	"outflow":                       {"Чем ушло", "Went out by"},
	"outside_orders":                {"Заказов других дней", "Orders of other days"},
	"outside_orders_sum":            {"Сумма заказов других дней", "Sum of orders of other days"},
	"outside_shipments":             {"Отгрузок других дней", "Shipments of other days"},
	"outside_shipments_sum":         {"Сумма отгрузок других дней", "Sum of shipments of other days"},
	"own_transfers":                 {"Переводы между своими, не учтены", "Transfers between own accounts, left out"},
	"parameter":                     {"Параметр", "Parameter"},
	"parties":                       {"Стороны", "Parties"},
	"payables":                      {"Должны мы", "Payables"},
	"planned_at":                    {"План", "Planned"},
	"positions":                     {"Позиций", "Positions"},
	"positions_without_age":         {"Возраст неизвестен, не оценены", "Age unknown, not judged"},
	"positions_without_cost":        {"Позиций без себестоимости", "Positions without cost"},
	"price":                         {"Цена", "Price"},
	"price_source":                  {"Откуда цена", "Price from"},
	"price_type":                    {"Тип цены", "Price type"},
	"products":                      {"Товаров", "Products"},
	"profit":                        {"Прибыль", "Profit"},
	"purchase_price":                {"Закупочная цена", "Purchase price"},
	"recalculating":                 {"Пересчитываются, не учтены", "Being recalculated, left out"},
	"receivables":                   {"Должны нам", "Receivables"},
	"reliable":                      {"Можно судить по ней о всех продажах", "It may stand for all sales"},
	"reorder_point":                 {"Точка заказа", "Reorder point"},
	"reserved":                      {"Резерв", "Reserved"},
	"revenue":                       {"Выручка", "Revenue"},
	"role":                          {"Кто и где", "Who and where"},
	"rows":                          {"Строки", "Rows"},
	"rows_without_cost":             {"Позиций без себестоимости", "Positions without cost"},
	"runway_months":                 {"Денег хватит на", "Runway"},
	"safety_stock":                  {"Страховой запас", "Safety stock"},
	"sales_window_days":             {"Окно продаж", "Sales window"},
	"service_level_percent":         {"Уровень сервиса (доля циклов без нехватки)", "Service level (share of cycles without a stock-out)"},
	"services_without_cost":         {"Услуг без себестоимости, не учтены", "Services without a cost, left out"},
	"services_without_cost_revenue": {"Выручка услуг без себестоимости", "Revenue of services without a cost"},
	"share_percent":                 {"Доля", "Share"},
	"shipment_numbers":              {"Отгрузки", "Shipments"},
	"shipments":                     {"Отгрузок", "Shipments"},
	"shipments_sum":                 {"Сумма отгрузок", "Sum of shipments"},
	"shipped_partly":                {"Отгружены частично", "Shipped partly"},
	"shipped_sum":                   {"Отгружено", "Shipped"},
	"shipped_without_order":         {"Отгрузки без заказа", "Shipped without an order"},
	"shortage":                      {"Не хватает", "Shortage"},
	"sold":                          {"Продавались", "With sales"},
	"sold_units":                    {"Продано", "Sold"},
	"source":                        {"Откуда долги", "Debts from"},
	"state":                         {"Статус", "Status"},
	"status":                        {"Статус ответа", "Status of the answer"},
	"stock_money":                   {"На складе по себестоимости", "In stock at cost"},
	"stock_units":                   {"Остаток", "In stock"},
	"sum":                           {"Сумма", "Sum"},
	"summary":                       {"Описание", "Summary"},
	"supplier":                      {"Поставщик", "Supplier"},
	"suppliers":                     {"Поставщики", "Suppliers"},
	"text":                          {"Текст", "Text"},
	"to":                            {"По", "To"},
	"to_order":                      {"Пора заказывать", "To order now"},
	"top_creditors":                 {"Кому должны больше всего", "Top creditors"},
	"top_debtors":                   {"Крупнейшие должники", "Top debtors"},
	"total_rows":                    {"Всего строк", "Rows in all"},
	"totals":                        {"Итоги", "Totals"},
	"transferable":                  {"Можно переместить", "Could be moved"},
	"truncated":                     {"Показаны не все", "Not all are listed"},
	"turning_money":                 {"В том, что уходит не через продажи", "In what goes out otherwise than by sale"},
	"uncovered":                     {"Самая большая выручка без известной себестоимости", "Largest revenue without a known cost"},
	"unit_cost":                     {"Себестоимость единицы", "Unit cost"},
	"units":                         {"Остаток", "In stock"},
	"unshipped_sum":                 {"Не отгружено", "Not shipped"},
	"upstream":                      {"Ответ МойСклада", "MoySklad's answer"},
	"value":                         {"Сумма", "Value"},
	"variation_percent":             {"Разброс по неделям", "Weekly variation"},
	"vat":                           {"НДС", "VAT"},
	"velocity_per_day":              {"Продажи в день", "Sold per day"},
	"verdict":                       {"Вывод", "Verdict"},
	"warehouse":                     {"Склад", "Warehouse"},
	"warehouses":                    {"По складам", "By warehouse"},
	"weeks":                         {"Недель", "Weeks"},
	"why":                           {"Почему", "Why"},
	"window_days":                   {"Окно продаж", "Sales window"},
	"without_cost":                  {"Без себестоимости, не учтены", "Without cost, left out"},
	"without_lead_time":             {"Срок поставки неизвестен", "Lead time unknown"},
	"without_sales":                 {"Без продаж совсем, в неликвиде", "Without any sale, see dead stock"},
	"without_status":                {"Без статуса", "Without a status"},
	"written":                       {"Записано", "Written"},
	"x_percent":                     {"Разброс класса X, не больше", "Variation of class X, at most"},
	"xyz":                           {"XYZ", "XYZ"},
	"y_percent":                     {"Разброс класса Y, не больше", "Variation of class Y, at most"},

	"abc_xyz.totals.products":        {"Товаров с продажами", "Products with sales"},
	"abc_xyz.totals.value":           {"Всего", "In all"},
	"below_minimum.totals.positions": {"Позиций ниже порога", "Positions below their minimum"},
	"calculate.value":                {"Значение", "Value"},
	"changes.name":                   {"Товар", "Product"},
	"classes.rows":                   {"Строк", "Rows"},
	"closing.money":                  {"На конец, сумма", "Closing, amount"},
	"closing.units":                  {"На конец, шт.", "Closing, pcs"},
	"dead_stock.totals.positions":    {"Старых позиций", "Old positions"},
	"draft.changes.state":            {"Записано", "Written"},
	"draft.lines.units":              {"Количество", "Units"},
	"draft.state":                    {"Состояние", "State"},
	"in.money":                       {"Приход, сумма", "In, amount"},
	"in.units":                       {"Приход, шт.", "In, pcs"},
	"left_out.name":                  {"Товар", "Product"},
	"lines.name":                     {"Товар", "Product"},
	"margin.kinds.rows":              {"Строк", "Rows"},
	"margin.rows.name":               {"Товар или канал", "Product or channel"},
	"margin.rows.units":              {"Продано", "Sold"},
	"margin.totals.covered_revenue":  {"Выручка с известной себестоимостью", "Revenue with known cost"},
	"margin.totals.revenue":          {"Чистая выручка", "Net revenue"},
	"margin.uncovered.units":         {"Продано", "Sold"},
	"money_position.accounts.name":   {"Счёт", "Account"},
	"money_position.cash":            {"Деньги на счетах и в кассах", "Cash"},
	"opening.money":                  {"На начало, сумма", "Opening, amount"},
	"opening.units":                  {"На начало, шт.", "Opening, pcs"},
	"out.money":                      {"Расход, сумма", "Out, amount"},
	"out.units":                      {"Расход, шт.", "Out, pcs"},
	"out_of_stock.totals.in_transit": {"Уже заказаны", "On order"},
	"out_of_stock.totals.positions":  {"Позиций без остатка", "Positions without stock"},
	"outflow.units":                  {"Единиц", "Units"},
	"overdue_orders.rows.number":     {"Заказ", "Order"},
	"reconcile_shipments.matched":    {"Сошлось заказов", "Orders that match"},
	"reorder_points.rows.basis":      {"Расчёт", "Method"},
	"rows.name":                      {"Товар", "Product"},
	"shortage_by_supplier.suppliers.lines.in_transit":    {"Уже заказано", "Already ordered"},
	"shortage_by_supplier.suppliers.lines_without_price": {"Без закупочной цены", "Without a purchase price"},
	"shortage_by_supplier.suppliers.money":               {"Сумма по закупочным ценам", "At purchase prices"},
	"shortage_by_supplier.totals.money":                  {"Сумма по закупочным ценам", "At purchase prices"},
	"slow_movers.totals.money":                           {"Сумма по себестоимости", "Value at cost"},
	"stock.totals.money":                                 {"Сумма по себестоимости", "Value at cost"},
	"stock.warehouses.money":                             {"Сумма по себестоимости", "Value at cost"},
	"totals.lines":                                       {"Строк", "Lines"},
	"totals.reserved":                                    {"В резерве", "Reserved"},
	"totals.suppliers":                                   {"Поставщиков", "Suppliers"},
	"totals.units":                                       {"Единиц", "Units"},
	"transferable.units":                                 {"Единиц", "Units"},
	"uncovered.name":                                     {"Товар", "Product"},
	"warehouses.name":                                    {"Склад", "Warehouse"},
	"warehouses.negative_positions":                      {"Отрицательных", "Below zero"},
	"warehouses.positions_without_cost":                  {"Без себестоимости", "Without cost"},
	"zero_cost_receipts.rows.document":                   {"Документ", "Document"},
	"zero_cost_receipts.rows.units":                      {"Принято", "Received"},
	"zero_cost_receipts.totals.documents":                {"Документов исправить", "Documents to fix"},
	"zero_cost_receipts.totals.lines":                    {"Строк", "Lines"},
}

// words are what the values of closed sets are called, by the end of a field's path.
var words = map[string]map[string]Label{
	"cash_runway.currencies.verdict": {
		"burning":       {"деньги убывают", "cash shrinks"},
		"cash_positive": {"приходит не меньше, чем уходит", "at least as much comes in as goes out"},
		"unknown":       {"нет данных", "unknown"},
	},
	"class": {
		"amount_differs":          {"Сумма не совпадает", "Amount differs"},
		"cancelled":               {"Отменены и не отгружены", "Cancelled and not shipped"},
		"cancelled_but_shipped":   {"Отменены, но отгружены", "Cancelled but shipped"},
		"duplicate_order_numbers": {"Повторяющиеся номера заказов", "Duplicate order numbers"},
		"in_flight":               {"Ещё в работе", "Still in flight"},
		"matched":                 {"Сошлись", "Match"},
		"not_shipped":             {"Не отгружены", "Not shipped"},
		"shipped_partly":          {"Отгружены частично", "Shipped partly"},
		"shipped_without_order":   {"Отгрузки без заказа", "Shipped without an order"},
	},
	"cost_basis": {
		"fifo":           {"себестоимость FIFO", "FIFO cost"},
		"purchase_price": {"закупочная цена", "purchase price"},
	},
	"dead_stock.rows.outflow.document": {
		"bundle":                    {"в составе комплектов", "in bundles"},
		"loss":                      {"списание", "write-off"},
		"move":                      {"перемещение", "move"},
		"processing":                {"производство", "production"},
		"productionstagecompletion": {"производство", "production"},
		"purchasereturn":            {"возврат поставщику", "return to supplier"},
	},
	"dead_stock.rows.verdict": {
		"dead":                {"неликвид", "dead"},
		"turns_outside_sales": {"уходит не через продажи", "goes out otherwise than by sale"},
	},
	"demand_class": {
		"erratic":       {"неровный", "erratic"},
		"intermittent":  {"редкий", "intermittent"},
		"lumpy":         {"редкий и неровный", "lumpy"},
		"no_sales":      {"продаж нет", "no sales"},
		"short_history": {"мало истории", "short history"},
		"smooth":        {"ровный", "smooth"},
	},
	"draft.failure.changes.state": {
		"changed_meanwhile": {"нет: данные изменились после показа", "no: the books have changed since it was shown"},
		"made":              {"да", "yes"},
		"not_made":          {"нет", "no"},
		"refused":           {"нет: отказ МойСклада", "no: MoySklad refused it"},
	},
	"draft.failure.code": {
		"CONNECTION_DELETED":         {"подключение, для которого он сделан, удалено; попросите черновик заново", "the connection that it was made for has been deleted; ask for a new draft"},
		"DRAFT_ALTERED":              {"в хранилище не то, что было показано", "what is stored is not what was shown"},
		"DRAFT_EXPIRED":              {"не удалось создать за отведённое время", "it could not be created in the time there is"},
		"DRAFT_STALE":                {"данные в учёте изменились после показа; попросите черновик заново", "the books have changed since it was shown; ask for a new draft"},
		"OUTCOME_UNKNOWN":            {"неизвестно, записан ли он; проверьте документы, прежде чем просить новый черновик", "it is not known whether it is written; look at the documents before asking for a new draft"},
		"PARTLY_WRITTEN":             {"записана только часть; проверьте документы, прежде чем просить новый черновик", "only a part is written; look at the documents before asking for a new draft"},
		"UPSTREAM_PERMISSION_DENIED": {"роли сотрудника это не разрешено", "the employee's role does not allow it"},
		"UPSTREAM_REJECTED":          {"МойСклад отказал; исправьте, что он называет, и попросите черновик заново", "MoySklad refused it; correct what it names and ask for a new draft"},
	},
	"draft.kind": {
		"gateway":        {"запрос через шлюз", "gateway request"},
		"price_change":   {"изменение цен", "price change"},
		"purchase_order": {"заказ поставщику", "purchase order"},
		"transfer":       {"перемещение", "transfer"},
	},
	"draft.state": {
		"cancelled": {"отменён", "cancelled"},
		"confirmed": {"подтверждается", "being created"},
		"created":   {"создан", "created"},
		"draft":     {"черновик, ждёт подтверждения", "draft, waits for confirmation"},
		"expired":   {"истёк", "expired"},
		"failed":    {"не создан", "not created"},
	},
	"lead_time_basis": {
		"argument": {"задан в вопросе", "given in the question"},
		"history":  {"история поставщика", "the supplier's history"},
	},
	"margin.kinds.kind": {
		"bundle":  {"комплект", "bundle"},
		"channel": {"канал продаж", "sales channel"},
		"product": {"товар", "product"},
		"service": {"услуга", "service"},
		"variant": {"модификация", "variant"},
	},
	"margin.rows.kind": {
		"bundle":  {"комплект", "bundle"},
		"channel": {"канал продаж", "sales channel"},
		"product": {"товар", "product"},
		"service": {"услуга", "service"},
		"variant": {"модификация", "variant"},
	},
	"margin.rows.name": {
		"no sales channel": {"без канала продаж", "no sales channel"},
	},
	"matched_by": {
		"attribute":     {"дополнительному полю", "attribute"},
		"external_code": {"внешнему коду", "external code"},
		"link":          {"связи документов", "link of the documents"},
		"name":          {"номеру", "number"},
	},
	"metric": {
		"profit":  {"прибыли", "profit"},
		"revenue": {"выручке", "revenue"},
	},
	"money_position.accounts.name": {
		"cash desk": {"касса", "cash desk"},
	},
	"money_position.source": {
		"documents": {"посчитаны по документам", "computed from documents"},
		"report":    {"отчёт о взаиморасчётах", "the report of settlements"},
	},
	"price_source": {
		"argument":     {"задана в черновике", "set in the draft"},
		"product_card": {"карточка товара", "product card"},
	},
	"reorder_points.rows.basis": {
		"days_of_cover": {"грубо, по дням запаса", "rough, by days of cover"},
		"normal":        {"нормальное распределение", "normal distribution"},
		"poisson":       {"распределение Пуассона", "Poisson distribution"},
	},
	"role": {
		"from_warehouse": {"со склада", "from warehouse"},
		"organization":   {"организация", "organization"},
		"supplier":       {"поставщик", "supplier"},
		"to_warehouse":   {"на склад", "to warehouse"},
		"warehouse":      {"склад", "warehouse"},
	},
	"search_products.rows.kind": {
		"bundle":  {"комплект", "bundle"},
		"channel": {"канал продаж", "sales channel"},
		"product": {"товар", "product"},
		"service": {"услуга", "service"},
		"variant": {"модификация", "variant"},
	},
	"vat": {
		"none": {"нет; берёт ли его поставщик, в учёте не сказано", "none; whether the supplier charges it is not in the books"},
	},
	"why": {
		"already_ordered":   {"недостающее уже заказано и в пути", "what is short is ordered already and on its way"},
		"archived":          {"в архиве или удалён", "archived or deleted"},
		"no_purchase_price": {"нет закупочной цены в карточке", "no purchase price on the card"},
	},
	"zero_cost_receipts.rows.document": {
		"enter":  {"оприходование", "entered by hand"},
		"supply": {"приёмка", "receipt"},
	},
}

// missing is what null is called where it does not simply mean unknown.
var missing = map[string]Label{
	"supplier":                          {"без поставщика", "no supplier"},
	"order_sum":                         {"—", "—"},
	"shipped_sum":                       {"нет отгрузки", "no shipment"},
	"covered_revenue":                   {"—", "—"},
	"cost_coverage_percent":             {"—", "—"},
	"abc_xyz.rows.variation_percent":    {"мало истории", "short history"},
	"channel":                           {"все", "all"},
	"code":                              {"—", "—"},
	"matched_by":                        {"—", "—"},
	"negative_stock.rows.name":          {"архивный или скрытый товар", "an archived or hidden product"},
	"negative_stock.rows.warehouse":     {"скрытый склад", "a hidden warehouse"},
	"order_moment":                      {"—", "—"},
	"order_number":                      {"нет", "none"},
	"out_of_stock.rows.minimum":         {"не задан", "not set"},
	"search_products.rows.supplier":     {"не указан", "not set"},
	"state":                             {"без статуса", "no status"},
	"stock.rows.warehouse":              {"склад не указан", "no warehouse"},
	"warehouse":                         {"все склады", "all warehouses"},
	"zero_cost_receipts.rows.name":      {"архивный или скрытый товар", "an archived or hidden product"},
	"zero_cost_receipts.rows.supplier":  {"—", "—"},
	"zero_cost_receipts.rows.warehouse": {"—", "—"},
}

// RowsCounted is the label of the number of rows in a group.
var RowsCounted = Label{"Строк", "Rows"}
