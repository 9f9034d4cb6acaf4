package grounding

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// No figure of a result is a tax, a fee, a market share or a conversion: no tool tells them.
func TestWhatNoToolTellsHasNoFigureOfAResult(t *testing.T) {
	catches(t, russian(),
		"НДС к уплате 459 104,93 ₽.", "НДС: 459 104,93 ₽", "Налог 459 104,93 ₽.", "Налоги составили 459 104,93 ₽.", "Налог на прибыль 459 104,93 ₽.", "| Показатель | Сумма |\n|---|---:|\n| НДС | 459 104,93 ₽ |\n", "| Товар | Комиссия |\n|---|---:|\n| Рога 5 | 52 469,13 ₽ |\n",
		"Доля рынка 42,5 %.", "Ваша доля рынка — 87,5 %.", "Конверсия 42,5 %.", "Конверсия составила 87,5 %.", "42,5 % конверсии", "| Показатель | Значение |\n|---|---:|\n| Конверсия | 42,5 % |\n", "Рентабельность инвестиций 42,5 %.", "План выполнен на 87,5 %.",
		"Расходы на рекламу 459 104,93 ₽.", "Комиссия маркетплейса 52 469,13 ₽.", "459 104,93 ₽ налогов", "Дивиденды 459 104,93 ₽.", "Возвраты составили 123 456,78 ₽.", "Аренда 52 469,13 ₽.",
		"VAT is 459,104.93 RUB.", "Tax: 459,104.93 RUB.", "459,104.93 RUB of taxes", "Market share is 42.5%.", "Conversion rate is 42.5%.", "The average order value is 52,469.13 RUB.", "Advertising: 52,469.13 RUB.", "Churn is 42.5%.", "EBITDA: 459,104.93 RUB.",
	)
	passes(t, russian(),
		"Прибыль до налогов и без комиссий маркетплейсов: 459 104,93 ₽.", "Комиссии маркетплейсов и налоги в прибыль 459 104,93 ₽ не входят.", "Выручка за вычетом возвратов — 1 234 567,89 ₽.", "Без учёта налогов нам должны 250 000 ₽.", "Налоги и НДС я не считаю; нам должны 250 000 ₽.",
		"Profit before tax is 459,104.93 RUB.", "Profit, excluding commissions: 459,104.93 RUB.", "Конверсию и средний чек посчитать не могу: в учёте этого нет.", "Налоги не учтены: прибыль 459 104,93 ₽.",
	)

	computed := New(Evidence{Lang: "ru", Results: books(), UserTexts: []string{"У нас НДС 20 %, аренда 90 000 ₽"}})
	computed.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: map[string]any{"expression": "1234567.89 / 37", "value": 33366.7}})
	passes(t, computed, "Средний чек — 33 366,70 ₽.", "НДС 20 % в цену не входит.", "Вы указали аренду 90 000 ₽.")
}

// A product or a debtor may be called like a tax or a fee.
func TestAWordOfANameIsNoLabelOfAFigure(t *testing.T) {
	check := New(Evidence{Lang: "ru", Results: []*tools.Result{
		{Tool: "margin", Currency: "RUB", Result: json.RawMessage(`{"rows":[{"name":"Рекламный стенд","units":4,"revenue":12000.50,"profit":5000.50},{"name":"Возвратная тара","units":14,"revenue":3300,"margin_percent":78.79}]}`)},
		{Tool: "money_position", Currency: "RUB", Result: json.RawMessage(`{"top_debtors":[{"counterparty":"ООО «Налоговый консультант»","amount":60000},{"counterparty":"Аренда-Сервис","amount":31000}]}`)},
	}})
	passes(t, check,
		"Рекламный стенд принёс 12 000,50 ₽.", "Рекламный стенд — 12 000,50 ₽, возвратная тара — 3 300 ₽.", "На рекламный стенд пришлось 12 000,50 ₽ выручки.", "Маржинальность возвратной тары — 78,79 %.",
		"Больше всех должен ООО «Налоговый консультант» — 60 000 ₽.", "Аренда-Сервис должна 31 000 ₽.", "Должники:\n- Аренда-Сервис: 31 000 ₽\n- ООО «Налоговый консультант»: 60 000 ₽",
		"| Товар | Выручка |\n|---|---|\n| Рекламный стенд | 12 000,50 ₽ |\n", "| Должник | Сумма |\n|---|---|\n| ООО «Налоговый консультант» | 60 000 ₽ |\n",
	)
	catches(t, check, "Налоги — 60 000 ₽.", "Комиссия: 12 000,50 ₽")
}
