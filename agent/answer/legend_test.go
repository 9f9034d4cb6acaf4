package answer

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/answer/shelf"
)

// shop has a report of sales, one of debts, and one of sales in another month.
var shop = []string{
	`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"from":"2026-11-01","to":"2026-11-24","total_rows":5,"rows":[
{"name":"Лейка","code":"L-1","units":50,"revenue":900.00,"cost":500.00,"profit":400.00,"margin_percent":44.44},
{"name":"Грабли","code":"G-2","units":20,"revenue":700.00,"cost":400.00,"profit":300.00,"margin_percent":42.86},
{"name":"Секатор","code":"S-3","units":15,"revenue":500.00,"cost":250.00,"profit":250.00,"margin_percent":50.00},
{"name":"Тачка","code":"T-4","units":12,"revenue":300.00,"cost":200.00,"profit":100.00,"margin_percent":33.33},
{"name":"Совок","code":"V-5","units":3,"revenue":100.00,"cost":90.00,"profit":10.00,"margin_percent":10.00}],
"totals":{"revenue":2500.00,"covered_revenue":2500.00,"covered_profit":1060.00,"covered_margin_percent":42.40,"rows_without_cost":0}}}`,
	`{"tool":"money_position","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"cash":7000.00,"receivables":5000.00,"payables":3000.00,"net":9000.00,
"debtors":2,"creditors":1,"top_debtors":[{"counterparty":"Север","amount":4000.00},{"counterparty":"Юг","amount":1000.00}],"top_creditors":[{"counterparty":"Запад","amount":3000.00}]}}`,
	`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"from":"2026-10-01","to":"2026-10-31","total_rows":1,"rows":[
{"name":"Лейка","code":"L-1","units":40,"revenue":800.00,"cost":500.00,"profit":300.00,"margin_percent":37.50}],
"totals":{"revenue":800.00,"covered_revenue":800.00,"covered_profit":300.00,"covered_margin_percent":37.50,"rows_without_cost":0}}}`,
	`{"tool":"out_of_stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"window_days":90,"total_rows":1,"rows":[
{"name":"Сачок","sold_units":9}]}}`,
	`{"tool":"stock","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"matched":true,"rows":[
{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Чердак","units":41,"available":41,"money":410.00},
{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Подвал","units":23,"available":20,"money":230.00},
{"product_id":"b","name":"Ковш","code":"K-1","warehouse":"Подвал","units":59,"available":59,"money":null}],
"total_rows":3,"warehouses":[],"totals":{"positions":3,"units":123,"money":640.00}}}`,
	`{"tool":"overdue_orders","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"as_of":"2026-11-01T00:00:00+03:00","total_rows":2,"rows":[
{"number":"00017","counterparty":"Север","planned_at":"2026-10-20T12:00:00+03:00","days_overdue":12,"sum":500.00},
{"number":"00018","counterparty":"Юг","planned_at":"2026-10-27T12:00:00+03:00","days_overdue":5,"sum":900.00}],"totals":{"orders":2,"sum":1400.00}}}`,
	`{"tool":"reconcile_shipments","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"from":"2026-11-01","to":"2026-11-24",
"classes":[{"class":"matched","orders":5,"orders_sum":900.00,"shipments":5,"shipments_sum":900.00},{"class":"not_shipped","orders":2,"orders_sum":300.00,"shipments":0}],
"shipped_without_order":[{"shipment_numbers":["S-1"],"shipped_sum":50.00}]}}`,
}

// shopBook returns a book with the reports of shop. The stock report is limited to one warehouse.
func shopBook(t *testing.T, lang string) *reference.Book {
	t.Helper()
	book := reference.NewBook(lang)
	for i, report := range shop {
		arguments := json.RawMessage(`{}`)
		if i == 4 {
			arguments = json.RawMessage(`{"warehouse":"Подвал"}`)
		}
		if _, err := book.AddStored(i+1, json.RawMessage(report), arguments); err != nil {
			t.Fatal(err)
		}
	}
	return book
}

// A number of the user counts as what the user wrote it as: an amount of money, a count or a part of 100%. If a large number beside
// money may be an amount, the model is asked. Numbers that everybody knows need no backing.
func TestNumbersOfTheUserKeepTheirUnit(t *testing.T) {
	const mark = "[нет в отчётах]"
	for _, c := range []struct{ said, expression, text, legend string }{
		{"по 2000 ₽ в неделю", "ceil(R2.payables / 2000)", "2", "2 = мы должны всего ÷ 2 000,00 ₽, вверх до целого"},
		{"2000 ₽", "2000 / R2.payables", "0,67", "0,67 = 2 000,00 ₽ ÷ мы должны всего"},
		{"по 2 тысячи в неделю", "R2.payables / 2000", mark, ""},
		{"по 2 тысячи в неделю", "R2.payables / money(2000)", "1,5", "1,5 = мы должны всего ÷ 2 000,00 ₽"},
		{"2000 посетителей", "R2.payables / count(2000)", "1,50 ₽", "1,50 ₽ = мы должны всего ÷ 2 000"},
		{"2000 шт.", "R2.payables / 2000", "1,50 ₽", "1,50 ₽ = мы должны всего ÷ 2 000"},
		{"2000 $", "R2.payables / 2000", mark, ""},
		{"по 380 руб.", "R1.rows[1].units * 380", "19 000,00 ₽", "19 000,00 ₽ = продано «Лейка» (50 шт.) × 380,00 ₽"},
		{"в граммах?", "R1.rows[1].units * 1000", "50 000", "50 000 = продано «Лейка» (50 шт.) × 1 000"},
		{"на 65 дней", "R1.rows[1].units / 24 * 65", "135,42", "135,42 = продано «Лейка» (50 шт.) ÷ 24 × 65"},
		{"по 90 секунд?", "R5.totals.positions * 90 / 3600", "0,08", "0,08 = позиций с остатком всего × 90 ÷ 3 600"},
		{"", "100% - R1.totals.covered_margin_percent", "57,6 %", "57,6 % = 100 % − маржа по известной себестоимости всего"},
		{"", "100 - R1.totals.covered_margin_percent", "57,6 %", "57,6 % = 100 % − маржа по известной себестоимости всего"},
		{"", "R1.totals.revenue / (1 - R1.totals.covered_margin_percent)", "4 340,28 ₽",
			"4 340,28 ₽ = выручка всего ÷ (100 % − маржа по известной себестоимости всего)"},
		{"", "R1.totals.revenue * (100% - R1.totals.covered_margin_percent)", "1 440,00 ₽",
			"1 440,00 ₽ = выручка всего × (100 % − маржа по известной себестоимости всего)"},
		{"", "R1.to - R1.from", "23 дн.", "23 дн. = конец периода − начало периода"},
		{"5000", "R2.cash - 5000", "2 000,00 ₽", "2 000,00 ₽ = деньги на счетах и в кассах всего − 5 000,00 ₽"},
	} {
		config := over(shopBook(t, "ru"), "ru", c.said)
		text, w := writtenOf(t, config, "{{"+c.expression+"}}")
		text, _, _ = strings.Cut(text, " (Лейка)")
		_, legend, _ := strings.Cut(spaced.Replace(Legend(t.Context(), config.Book, "ru", w.Text(), w.Figures(), func(string) bool { return true })), ": ")
		if text != c.text || strings.TrimSuffix(legend, ".") != c.legend {
			t.Errorf("%q %s\n got %q, %q\nwant %q, %q", c.said, c.expression, text, legend, c.text, c.legend)
		}
	}
}

// Words may say that a figure fell though it rose. The legend has the sign, also if abs removed it, and both periods.
func TestLegendContradictsWrongDirections(t *testing.T) {
	const november, october = " (за 01.11–24.11.2026)", " (за 01.10–31.10.2026)"
	for _, c := range []struct{ text, shown, legend string }{
		{"Выручка упала на {{abs(R1.totals.revenue - R3.totals.revenue)}}.", "Выручка упала на 1 700,00 ₽.",
			"+1 700,00 ₽ = выручка всего" + november + " − выручка всего" + october},
		{"Выручка упала на {{thousands(abs(R3.totals.revenue - R1.totals.revenue))}}.", "Выручка упала на 1,7 тыс. ₽.",
			"−1,7 тыс. ₽ = выручка всего" + october + " − выручка всего" + november + ", в тысячах"},
		{"Выручка упала на {{abs(change(R3.totals.revenue, R1.totals.revenue))}}.", "Выручка упала на 212,5 %.",
			"+212,5 % = изменение: выручка всего" + october + " → выручка всего" + november},
		{"Выручка упала на {{change(R3.totals.revenue, R1.totals.revenue)}}.", "Выручка упала на 212,5 %.",
			"+212,5 % = изменение: выручка всего" + october + " → выручка всего" + november},
		{"Октябрь лучше, {{R3.totals.revenue}} против {{R1.totals.revenue}}: на {{abs(change(R1.totals.revenue, R3.totals.revenue))}}.",
			"Октябрь лучше, 800,00 ₽ против 2 500,00 ₽: на 68 %.", "−68 % = изменение: 2 500,00 ₽" + november + " → 800,00 ₽" + october},
	} {
		config := over(shopBook(t, "ru"), "ru")
		text, w := writtenOf(t, config, c.text)
		legend := spaced.Replace(Legend(t.Context(), config.Book, "ru", w.Text(), w.Figures(), func(string) bool { return true }))
		if text != c.shown || !strings.Contains(legend, c.legend) {
			t.Errorf("%s\n got %q, %q\nwant %q, %q", c.text, text, legend, c.shown, c.legend)
		}
	}
}

// Whatever a text says about its figures, the legend says what they are.
func TestLegendExplainsEachFigure(t *testing.T) {
	for _, c := range []struct{ lang, text, legend string }{
		{"ru", "Потеряли {{R1.totals.covered_profit}}.",
			"Цифры за 01.11–24.11.2026, все каналы: всего — прибыль по известной себестоимости 1 060,00 ₽. Прибыль валовая, до комиссий и расходов."},
		{"ru", "Лидер — Тачка: {{R1.rows[4].revenue}} и {{R1.rows[4].units}}.",
			"Цифры за 01.11–24.11.2026, все каналы: «Тачка» — выручка 300,00 ₽ (4-е по величине из 5), продано 12 шт. (4-е по величине из 5). Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Ozon принёс 2 500 ₽, за сентябрь.",
			"Цифры за 01.11–24.11.2026, все каналы: всего — выручка 2 500 ₽. Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Доля Лейки {{share(R1.rows[1].revenue, R1.totals.revenue)}}.",
			"Цифры за 01.11–24.11.2026, все каналы: 36 % = выручка «Лейка» ÷ выручка всего. Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Выросли на {{change(R3.totals.revenue, R1.totals.revenue)}}, на {{R1.totals.revenue - R3.totals.revenue}}.",
			"Цифры: +212,5 % = изменение: выручка всего (за 01.10–31.10.2026) → выручка всего (за 01.11–24.11.2026); +1 700,00 ₽ = выручка всего (за 01.11–24.11.2026) − выручка всего (за 01.10–31.10.2026). Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Меньше на {{abs(R3.totals.revenue - R1.totals.revenue)}}.",
			"Цифры: −1 700,00 ₽ = выручка всего (за 01.10–31.10.2026) − выручка всего (за 01.11–24.11.2026). Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Все товары дали {{sum(first(R1.rows, 2), .revenue)}}, {{sum(R1.rows, .profit)}}.",
			"Цифры за 01.11–24.11.2026, все каналы: 1 600,00 ₽ = выручка, сумма по товарам, которые идут первыми по убыванию выручки (2 из 5: «Лейка», «Грабли»); 1 060,00 ₽ = прибыль, сумма по всем товарам (5). Выручка — без возвратов, а всего — и без услуг без себестоимости; прибыль валовая, до комиссий и расходов."},
		{"ru", "{{sum(top(R1.rows, \"profit\", 4), .profit)}}, {{avg(filter(R1.rows, .margin_percent < 45 and .name contains \"а\"), .revenue)}}",
			"Цифры за 01.11–24.11.2026, все каналы: 1 050,00 ₽ = прибыль, сумма по товарам, у которых прибыль больше всего (4 из 5); 633,33 ₽ = выручка, среднее по товарам, у которых маржа меньше 45 % и товар содержит «а» (3 из 5: «Лейка», «Грабли», «Тачка»). Прибыль валовая, до комиссий и расходов; маржа — доля в выручке, не наценка; выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "{{count(R1.rows, .units > 10)}}, {{len(R1.rows)}}, {{max(R1.rows, .profit)}}, {{thousands(R1.totals.revenue)}}",
			"Цифры за 01.11–24.11.2026, все каналы: всего — выручка 2,5 тыс. ₽; 4 = число товаров, у которых продано больше 10 шт.; 5 = число товаров в отчёте; 400,00 ₽ = прибыль, наибольшее из всех товаров (5) — «Лейка». Прибыль валовая, до комиссий и расходов; выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Мы должны {{R2.top_debtors[1].amount}}, в кассе {{R2.cash}}, {{R2.top_debtors[1].amount + R2.top_debtors[2].amount}}",
			"Цифры на 24 ноября: «Север» (крупнейшие должники) — долг 4 000,00 ₽ (наибольшее из 2); всего — деньги на счетах и в кассах 7 000,00 ₽; 5 000,00 ₽ = 4 000,00 ₽ + долг «Юг» (крупнейшие должники)."},
		{"ru", "Продали {{R4.rows[1].sold_units}}; {{R4.rows[1].sold_units / 90 * 14}}",
			"Цифры на 24 ноября, окно продаж 90 дн., все склады: «Сачок» — продано 9 шт.; 1,4 = 9 шт. ÷ 90 × 14."},
		{"ru", "Комиссия {{R1.totals.revenue * 0.1}}, вдвое {{R1.totals.revenue / 2}}.",
			"Цифры за 01.11–24.11.2026, все каналы: 250,00 ₽ = выручка всего × 0,1 (число ассистента: 0,1); 1 250,00 ₽ = выручка всего ÷ 2. Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "Сито: {{R5.rows[1].units}}, {{R5.rows[2].units}}, всего {{R5.totals.units}}",
			"Цифры на 22 ноября, склад «Подвал»: «Сито» (Чердак) — остаток 41 шт. (2-е по величине из 3); «Сито» (Подвал) — остаток 23 шт. (наименьшее из 3); всего — остаток 123 шт. Остаток — вместе с зарезервированным."},
		{"ru", "{{table(filter(R1.rows, .profit > 50), \"name\", \"profit\", \"За штуку = revenue / units\")}}",
			"Цифры за 01.11–24.11.2026, все каналы: в таблице — товары, у которых прибыль больше 50,00 ₽ (4 из 5), по убыванию выручки; «За штуку» = выручка ÷ продано. Прибыль валовая, до комиссий и расходов; выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "{{table(R1.rows, \"name\", \"profit\")}}",
			"Цифры за 01.11–24.11.2026, все каналы: в таблице — все товары (5), по убыванию выручки. Прибыль валовая, до комиссий и расходов."},
		{"ru", "{{table(top(R1.rows, \"profit\", 2), \"name\")}}",
			"Цифры за 01.11–24.11.2026, все каналы: в таблице — товары, у которых прибыль больше всего (2 из 5). Прибыль валовая, до комиссий и расходов."},
		{"ru", "{{table(group(filter(R5.rows, .units > 30 or .money == null), \"warehouse\", \"units\"))}}",
			"Цифры на 22 ноября, склад «Подвал»: в таблице — все значения «склад» (2) среди позиций, у которых остаток больше 30 шт. или сумма по себестоимости неизвестна (2 из 3: «Сито» (Чердак), «Ковш»). Остаток — вместе с зарезервированным."},
		{"ru", "{{count(filter(R5.rows, .warehouse != \"Чердак\"), .money != null)}}, {{count(top(R1.rows, \"units\", 3), 20 >= .units)}}",
			"Цифры:\n- остатки на 22 ноября, склад «Подвал»: 1 = число позиций, у которых склад — не «Чердак» и сумма по себестоимости известна\n- маржа за 01.11–24.11.2026, все каналы: 2 = число товаров, у которых продано больше всего, из них те, у которых продано не больше 20 шт."},
		{"en", "{{table(first(R1.rows, 4), \"name\")}} {{count(R6.rows, .planned_at < \"2026-10-25\" and .counterparty in [\"Север\", \"Юг\"])}}",
			"Figures:\n- margin for 1 Nov – 24 Nov 2026, all channels: in the table: products that come first, largest revenue first (4 of 5)\n- overdue orders as of 1 November: 1 = number of orders where “due” is before 25 October and customer is “Север” or “Юг”"},
		{"ru", "Не отгружены {{R7.classes[\"not_shipped\"].orders}}, без заказа {{R7.shipped_without_order[1].shipment_numbers[1]}}.",
			"Цифры за 01.11–24.11.2026, все каналы: «Не отгружены» — заказов 2."},
		{"ru", "{{R6.totals.orders}}, ждут {{avg(R6.rows, .days_overdue)}}, {{R6.rows[1].number}}: {{R6.rows[1].planned_at}}, {{R6.rows[1].counterparty}}",
			"Цифры на 1 ноября: всего — заказов 2; «00017» (Север) — отгрузить до 20 октября, покупатель «Север»; 8,5 дн. = просрочка, среднее по всем заказам (2)."},
		{"ru", "Дороже всех {{max(R5.rows, .money)}}.",
			"Цифры на 22 ноября, склад «Подвал»: 410,00 ₽ = сумма по себестоимости, наибольшее из позиций, у которых это известно (2 из 3) — «Сито»."},
		{"en", "{{sum(top(R1.rows, \"units\", 4), .revenue)}}",
			"Figures for 1 Nov – 24 Nov 2026, all channels: RUB 2,400.00 = revenue, sum over products where “sold” is highest (4 of 5). Revenue is without returns, and in total without services that have no cost."},
		{"ru", "{{R1.totals.revenue / R2.cash}}", "Цифры: 0,36 = выручка всего (маржа) ÷ деньги на счетах и в кассах всего (деньги). Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "{{table(top(R1.rows, \"profit\", 2), \"name\")}} {{sum(top(R1.rows, \"profit\", 2), .profit)}}",
			"Цифры за 01.11–24.11.2026, все каналы: в таблице — товары, у которых прибыль больше всего (2 из 5); 700,00 ₽ = прибыль, сумма по тем же товарам. Прибыль валовая, до комиссий и расходов."},
		{"ru", "{{count(R1.rows, .profit > 260)}}: {{sum(filter(R1.rows, .profit > 260), .profit) / sum(filter(R1.rows, .profit > 260), .units)}}",
			"Цифры за 01.11–24.11.2026, все каналы: 2 = число товаров, у которых прибыль больше 260,00 ₽; 10,00 ₽ = (прибыль, сумма по тем же товарам («Лейка», «Грабли»)) ÷ (продано, сумма по тем же товарам). Прибыль валовая, до комиссий и расходов."},
		{"ru", "{{convert(R2.cash / 4, 2, \"USD\")}}", "Цифры на 24 ноября: 875,00 $ = деньги на счетах и в кассах всего ÷ 4 ÷ 2 (курс)."},
		{"ru", "Маржа упала на {{R3.totals.covered_margin_percent - R1.totals.covered_margin_percent}}.",
			"Цифры: −4,9 п.п. = маржа по известной себестоимости всего (за 01.10–31.10.2026) − маржа по известной себестоимости всего (за 01.11–24.11.2026). Маржа — доля в выручке, не наценка."},
		{"en", "{{abs(change(R1.totals.covered_margin_percent, R3.totals.covered_margin_percent))}}, {{change(R3.totals.covered_margin_percent, R1.totals.covered_margin_percent)}}",
			"Figures: −11.56% = relative change: margin where cost is known total (for 1 Nov – 24 Nov 2026) → margin where cost is known total (for 1 Oct – 31 Oct 2026); +13.07% = relative change: margin where cost is known total (for 1 Oct – 31 Oct 2026) → margin where cost is known total (for 1 Nov – 24 Nov 2026). Margin is a share of revenue, not markup."},
		{"ru", "Просели на {{abs(change(R1.totals.revenue, R3.totals.revenue))}}.",
			"Цифры: −68 % = изменение: выручка всего (за 01.11–24.11.2026) → выручка всего (за 01.10–31.10.2026). Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"ru", "{{share(R1.rows[1].revenue, R1.rows[2].revenue)}}, наценка {{R1.rows[1].profit / R1.rows[1].cost * 100}} %, {{R1.rows[1].units}} units",
			"Цифры за 01.11–24.11.2026, все каналы: «Лейка» — продано 50 шт. (наибольшее из 5); 128,57 % = выручка «Лейка» ÷ выручка «Грабли»; 80 = прибыль ÷ себестоимость × 100, «Лейка». Выручка — без возвратов, а всего — и без услуг без себестоимости; прибыль валовая, до комиссий и расходов; себестоимость — только продаж, у которых она известна."},
		{"ru", "Двое {{sum(first(R1.rows, 2), .revenue)}}, это {{share(sum(first(R1.rows, 2), .revenue), R1.totals.revenue)}}.",
			"Цифры за 01.11–24.11.2026, все каналы: 1 600,00 ₽ = выручка, сумма по товарам, которые идут первыми по убыванию выручки (2 из 5: «Лейка», «Грабли»); 64 % = 1 600,00 ₽ ÷ выручка всего. Выручка — без возвратов, а всего — и без услуг без себестоимости."},
		{"en", "Leader {{R1.rows[4].revenue}}, {{R1.totals.revenue}}, {{sum(top(R1.rows, \"profit\", 4), .profit)}}, {{max(R1.rows, .profit)}}, {{len(R1.rows)}}",
			"Figures for 1 Nov – 24 Nov 2026, all channels: “Тачка” — revenue RUB 300.00 (4th largest of 5); total — revenue RUB 2,500.00; RUB 1,050.00 = profit, sum over products where profit is highest (4 of 5); RUB 400.00 = profit, highest of all products (5) — “Лейка”; 5 = number of products in the report. Revenue is without returns, and in total without services that have no cost; profit is gross, before fees and expenses."},
		{"en", "{{R1.totals.revenue}} {{R3.totals.revenue}} {{change(R3.totals.revenue, R1.totals.revenue)}}",
			"Figures:\n- margin for 1 Nov – 24 Nov 2026, all channels: total — revenue RUB 2,500.00\n- margin for 1 Oct – 31 Oct 2026, all channels: total — revenue RUB 800.00\n- computed: +212.5% = change: RUB 800.00 (for 1 Oct – 31 Oct 2026) → RUB 2,500.00 (for 1 Nov – 24 Nov 2026)\n- revenue is without returns, and in total without services that have no cost"},
	} {
		config := over(shopBook(t, c.lang), c.lang)
		text, w := writtenOf(t, config, c.text)
		got := spaced.Replace(Legend(t.Context(), config.Book, c.lang, w.Text(), w.Figures(), never))
		if got != c.legend {
			t.Errorf("%s\n%s\n got %q\nwant %q", c.text, text, got, c.legend)
		}
	}
}

// Days of a report's period pass in the forms that people use.
func TestDaysOfThePeriodPass(t *testing.T) {
	for _, c := range []struct{ lang, text string }{
		{"ru", "С 13 по 24 число ноября и с 13 по 24 число продали много; к 24 числу; за 13–24 ноября; ноябрь, по 24-е, лучше."},
		{"en", "From the 13th to the 24th, Nov 13–24, until Nov 24th, and through the 24th."},
	} {
		config := over(shopBook(t, c.lang), c.lang)
		if text, _ := writtenOf(t, config, c.text); text != c.text {
			t.Errorf("%q became %q", c.text, text)
		}
	}
}

// A rank is neither a day of the period nor a figure of a row.
func TestRanksAreMarked(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"ru", "Лейка на 15-м месте, Тачка 24-я по выручке, Секатор — 15-й.", "Лейка на [нет в отчётах] месте, Тачка [нет в отчётах] по выручке, Секатор — 15-й."},
		{"en", "The 15th largest is Тачка, the 24th-best Совок, until the 15th.",
			"The [not in the reports] largest is Тачка, the [not in the reports] Совок, until the 15th."},
	} {
		config := over(shopBook(t, c.lang), c.lang)
		if text, _ := writtenOf(t, config, c.text); text != c.want {
			t.Errorf("%q became %q", c.text, text)
		}
	}
}

// The legend of a long answer ends with an ellipsis and explains each figure once.
func TestLegendIsLimited(t *testing.T) {
	var text strings.Builder
	for i := range 2 * mostInLegend {
		fmt.Fprintf(&text, "{{R1.rows[1].revenue}} {{R1.totals.revenue / %d}}\n", i+1)
	}
	var said []string
	for i := range 2 * mostInLegend {
		said = append(said, fmt.Sprint(i+1))
	}
	config := over(shopBook(t, "en"), "en", said...)
	_, w := writtenOf(t, config, text.String())
	legend := Legend(t.Context(), config.Book, "en", w.Text(), w.Figures(), never)
	if n := strings.Count(legend, "÷"); n != mostInLegend-1 || strings.Count(legend, "“Лейка”") != 1 || !strings.HasSuffix(legend, "… Revenue is without returns, and in total without services that have no cost.") {
		t.Errorf("%d computations: %s", n, legend)
	}
}

// The legend says where each figure of a row stands, whatever the words around it are. If a condition found the row, it stands among the
// rows that the condition leaves. Equal figures share a place, and figures below 0 count from the least. In a sum, it says where the
// figures of some rows stand.
func TestFiguresOfRowsAreToldTheirPlaces(t *testing.T) {
	config := writing(t, "en")
	var rows []string
	for i, left := range []int{-5, -1, -1, 0, 3, 3, 4, 5, 6, 7, 8} {
		rows = append(rows, fmt.Sprintf(`{"name":"Pan %c","warehouse":"%s","units":%d,"available":%d}`, 'A'+i, []string{"Attic", "Cellar"}[i%2], 40-i, left))
	}
	report := `{"tool":"stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"total_rows":11,"rows":[` + strings.Join(rows, ",") + `]}}`
	config.Book = shelf.Fill(t, reference.NewBook("en"), "", report)
	for expression, want := range map[string]string{
		"R1.rows[6].units":     "in stock 35 pcs (6th largest of 11)",
		"R1.rows[7].units":     "in stock 34 pcs (5th smallest of 11)",
		"R1.rows[5].available": "available 3 pcs (5th smallest of 11, shared by 2)",
		"R1.rows[2].available": "available −1 pc (2nd smallest of 11, shared by 2)",
		`top(filter(R1.rows, .warehouse == "Cellar"), "units", 2)[2].units`: "in stock 37 pcs (2nd largest of 5 where warehouse is “Cellar”)",
		`filter(R1.rows, .name == "Pan F")[1].units`:                        "in stock 35 pcs (6th largest of 11)",
		`filter(R1.rows, .units != null)[2].units`:                          "in stock 39 pcs (2nd largest of 11)",
		"R1.rows[1].units + R1.rows[2].units + R1.rows[4].units":            "(largest, 2nd, 4th largest of 11)",
		"R1.rows[1].units + R1.rows[2].available":                           "available “Pan B” (Cellar)",
	} {
		_, w := writtenOf(t, config, "{{"+expression+"}}")
		got, _, _ := strings.Cut(spaced.Replace(Legend(t.Context(), config.Book, "en", w.Text(), w.Figures(), never)), ".")
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want %q", expression, got, want)
		}
	}
}

// Numbers, but not dates, that the text repeats from the user are listed, unless a report or an expression has them.
func TestWordsOfTheUserAreListed(t *testing.T) {
	for _, c := range []struct{ lang, said, text, want, has string }{
		{"ru", "Правда, что Ozon дал 320 000 рублей?", "Да, Ozon дал 320 000 рублей.", "320 000 рублей", ""},
		{"en", "Is it 40%?", "Yes, 40% of revenue, {{R1.totals.revenue}}.", "40%", ""},
		{"ru", "Ozon дал 320 тыс. рублей?", "Ozon дал 320 тыс. рублей, да, 320 000 рублей.", "320 тыс. рублей", ""},
		{"en", "Did anything come at zero cost, at 0 RUB?", "Nothing came at zero cost, at 0 RUB.", "", ""},
		{"ru", "Что изменилось за 22 месяца?", "За 22 месяца; к прошлым 22 месяцам.", "", ""},
		{"ru", "Что изменилось за 22 недели?", "За 22 недели рост.", "", ""},
		{"en", "Was it on 3 March?", "Yes, on 3 March, not on 3 November.", "", ""},
		{"ru", "Прибыль 2 500 ₽?", "Да, прибыль 2 500 ₽.", "", ""}, // a figure, which the legend explains
		{"en", "Is it right that profit was over 600,000?", "Yes, over 600,000, and again 600,000.", "600,000", ""},
		{"ru", "у кого меньше 30 %?", "Меньше 30 % у {{count(R1.rows, .margin_percent < 30)}}.", "", ""},
		{"ru", "скидка 15 %", "При скидке 15 % это {{R1.totals.revenue * 85%}}, а при наценке — {{R1.totals.revenue * 115%}}.", "", ""},
		{"en", "Was the margin over 20%?", "Yes, over 20%, {{R1.totals.revenue}}.", "20%", ""}, // a row that is not shown has it
		{"ru", "на 200 000 рублей", "200 000 рублей:\n\n{{table(R1.rows, \"name\", \"Бюджет = money(200000) * share(revenue, R1.totals.revenue)\")}}", "", ""},
		{"ru", "пять лучших", "Вот пять лучших: {{sum(top(R1.rows, \"profit\", 5), .profit)}}.", "", ""},
		{"ru", "2500 в ноябре?", "В ноябре {{R1.totals.revenue}}, то есть 2500.", "", ""},
		{"ru", "заказ 40168544-4119-2", "По заказу 40168544-4119-2 отгружено {{R6.rows[1].sum}}.", "40168544-4119-2", ""},
		{"en", "Assume 45 days", "With 45 days, {{R8.totals.to_order}} and {{R8.rows[1].reorder_point}}.", "", ""}, // the report was made with them
		{"ru", "заказ 00017", "Заказ 00017: {{R6.rows[1].sum}}.", "", ""},
		{"en", "Did we sell 76 sieves?", "Yes, 76 sieves were sold.", "", "total — in stock 76"}, // the legend says what it is
		{"en", "Was the margin of Тачка 50%?", "No, 50% is that of Секатор.", "", "“Секатор” — margin 50%"},
		{"ru", "у Тачки маржа 50 %?", "Да, у Тачки маржа 50 %.", "50 %", ""},
		{"en", "Sales of the last 24 days?", "In the last 24 days: {{R1.totals.revenue}}.", "", ""},
		{"en", "the 16 cm sieves?", "The 16 cm ones have {{sum(filter(R9.rows, .name contains \"16 см\"), .units)}}.", "", ""},
		{"en", "the 24 cm rakes?", "The 24 cm rakes: {{sum(filter(R1.rows, .name != \"Грабли 24 см\"), .profit)}}.", "24", ""}, // marked
		{"en", "Will it last 14 days?", "It lasts far longer than 14.", "", ""},
		{"ru", "Мы продали 870 ножей?", "Нет, товар продан не 870 раз.", "870", ""}, // so many rows a report has for a kind
		{"en", "26 orders?", "Yes, 26 orders.", "", "total — orders 26."},
		{"ru", "Подними цену до 2 490", "Цена 2 490, лейка без изменений.", "", ""}, // the report was made with it
		{"en", "the 16 cm sieve?", "The 16 cm one has {{R9.rows[1].units}}.", "", ""},
	} {
		config := over(shopBook(t, c.lang), c.lang, c.said)
		points := `{"tool":"reorder_points","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"window_days":90,"rows":[{"name":"Лейка","reorder_point":7}],"total_rows":1,"totals":{"to_order":1}}}`
		r, err := config.Book.AddStored(8, json.RawMessage(points), json.RawMessage(`{"lead_time_days":45}`))
		if err != nil {
			t.Fatal(err)
		}
		if scope := spaced.Replace(r.Scope("en")); scope != " as of 24 November, sales window 90 days, lead time 45 days, all warehouses" {
			t.Errorf("the report is%s", scope)
		}
		sieve := `{"tool":"stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"matched":true,"rows":[{"name":"Сито 16 см","units":7}],"total_rows":1,"totals":{"units":76}}}`
		if _, err := config.Book.AddStored(9, json.RawMessage(sieve), nil); err != nil {
			t.Fatal(err)
		}
		for i, report := range [][2]string{
			{`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[],"kinds":[{"kind":"product","rows":870}]}}`, `{}`},
			{`{"tool":"overdue_orders","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[],"total_rows":26,"totals":{"orders":26}}}`, `{}`},
			{`{"tool":"search_products","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[{"name":"Сито","purchase_price":2490},{"name":"Лейка","purchase_price":5}]}}`,
				`{"lines":[{"product":"Сито","price":2490}]}`},
		} {
			if _, err := config.Book.AddStored(10+i, json.RawMessage(report[0]), json.RawMessage(report[1])); err != nil {
				t.Fatal(err)
			}
		}
		text, w := writtenOf(t, config, c.text)
		if strings.Contains(text, "(Сито)") {
			t.Errorf("%s names the row of a number with which the report was made", text)
		}
		said, figures := w.Said()
		if got := spaced.Replace(strings.Join(said, ", ")); got != c.want {
			t.Errorf("%s\nlists %q, want %q", text, got, c.want)
		}
		never := func(string) bool { return false }
		legend := spaced.Replace(Legend(t.Context(), config.Book, c.lang, w.Text(), figures, never))
		if (c.has == "") != (legend == "") || !strings.Contains(legend, c.has) {
			t.Errorf("%s\nis explained %q, want %q", text, legend, c.has)
		}
	}
}

// A fraction is the assistant's own unless the user speaks of it, or of the part that it leaves or adds.
func TestPartsThatTheUserNamesAreTheirs(t *testing.T) {
	for _, c := range []struct {
		said, factor string
		own          bool
	}{
		{"А если заплатят 10 %?", "0.75", true}, {"А если заплатит половина?", "0.5", false}, {"What if a quarter of them pay?", "0.25", false},
		{"На четверть меньше", "0.75", false}, {"А если половина?", "1.5", false}, {"Half of it?", "0.75", true}, {"А если втрое?", "3", false},
		{"В полтора раза", "1.5", false}, {"For 6 weeks?", "42", false}, {"На 6 недель", "42", false},
	} {
		config := over(shopBook(t, "ru"), "ru", c.said)
		_, w := writtenOf(t, config, "Тогда {{R1.totals.revenue * "+c.factor+"}}.")
		if legend := Legend(t.Context(), config.Book, "ru", w.Text(), w.Figures(), never); legend == "" || strings.Contains(legend, "число ассистента") != c.own {
			t.Errorf("%s: %s", c.said, legend)
		}
	}
}

func never(string) bool { return false }

// What an owner must know about a field is told once in a conversation.
func TestLegendTellsAboutFieldsOnce(t *testing.T) {
	config := over(shopBook(t, "en"), "en")
	_, w := writtenOf(t, config, "Revenue: {{R1.totals.revenue}}.")
	once := Legend(t.Context(), config.Book, "en", w.Text(), w.Figures(), never)
	again := Legend(t.Context(), config.Book, "en", w.Text(), w.Figures(), func(about string) bool {
		return strings.Contains(strings.ToLower(once), strings.ToLower(about))
	})
	if !strings.Contains(once, "Revenue is without returns, and in total without services that have no cost") || strings.Contains(again, "net of returns") || !strings.Contains(again, "Figures") {
		t.Errorf("first %q, then %q", once, again)
	}
}
