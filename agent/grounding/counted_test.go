package grounding

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// A count is of what its result counts: as many orders are not as many customers.
func TestACountOfOneThingIsNoneOfAnother(t *testing.T) {
	of := func(tool, body string) *Check {
		return New(Evidence{Lang: "ru", Results: []*tools.Result{{Tool: tool, Currency: "RUB", Result: json.RawMessage(body)}}})
	}
	for _, c := range []struct {
		check         *Check
		wrong, honest []string
	}{
		{of("overdue_orders", `{"rows":[],"total_rows":26,"totals":{"orders":26,"without_status":14}}`),
			[]string{"26 клиентов.", "У нас 26 клиентов.", "Просрочки у 26 клиентов.", "14 поставщиков.", "26 customers are affected.", "26 отгрузок просрочено.", "26 человек ждут.", "26 сотрудников.", "26 магазинов."},
			[]string{"26 заказов.", "14 заказов без статуса.", "26 документов, 14 без статуса.", "26 строк.", "26 orders, 14 documents without a status."}},
		{of("stock", `{"rows":[],"total_rows":528,"totals":{"positions":498,"units":2781.2,"positions_without_cost":40},"warehouses":[{"name":"Основной","positions":164},{"name":"Шоурум","positions":94}]}`),
			[]string{"498 заказов.", "164 поставщика.", "40 клиентов.", "У вас 528 покупателей.", "You have 498 customers.", "498 orders.", "94 отгрузки.", "Всего 40 документов.", "498 посетителей.", "498 employees.", "2 клиента."},
			[]string{"498 позиций на 2 складах.", "498 товаров.", "498 SKUs, 40 without cost.", "528 строк.", "40 товаров без себестоимости.", "2 781,2 ед.", "2 склада."}},
		{of("reconcile_shipments", `{"matched":97,"totals":{"orders":114,"shipments":116}}`),
			[]string{"114 клиентов.", "97 поставщиков.", "116 покупателей.", "Найдено 116 заказов.", "114 отгрузок.", "97 складов.", "114 shipments."},
			[]string{"114 заказов и 116 отгрузок.", "Сошлось 97 заказов.", "97 документов сошлись.", "116 shipments against 114 orders."}},
		{of("money_position", `{"debtors":11,"creditors":7,"receivables":5,"top_debtors":[{"counterparty":"ООО «Берег»","amount":3},{"counterparty":"ИП Петров В. Н.","amount":2}]}`),
			[]string{"11 складов.", "11 заказов.", "11 кредиторов.", "7 товаров.", "11 orders."},
			[]string{"11 должников.", "11 клиентов должны нам.", "7 кредиторов.", "Мы должны 7 поставщикам.", "11 debtors.", "Больше всех должны два клиента: ООО «Берег» и ИП Петров В. Н."}},
		{of("reorder_points", `{"totals":{"positions":181,"to_order":36,"without_lead_time":16},"rows":[{"name":"Кофе","lead_time_receipts":23}]}`),
			[]string{"181 заказ.", "16 поставщиков.", "Кофе: 23 заказа."},
			[]string{"181 позиция, пора заказывать 36 позиций.", "У 16 товаров срок поставки неизвестен.", "Кофе: 23 поставки в истории."}},
		{of("below_minimum", `{"totals":{"positions":5},"rows":[{"name":"Рога","warehouse":"Основной","supplier":"ООО «Берег»"},{"name":"Копыта","warehouse":"Шоурум","supplier":"ООО «Берег»"},{"name":"Хвосты","warehouse":"Шоурум"}],"truncated":false}`),
			[]string{"5 складов.", "5 поставщиков.", "2 поставщика.", "1 заказ."},
			[]string{"5 позиций на 2 складах у 1 поставщика.", "3 товара на двух складах."}},
	} {
		catches(t, c.check, c.wrong...)
		passes(t, c.check, c.honest...)
	}
}
