package grounding

import (
	_ "embed"
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

var (
	// honest is answers as well-known models write them, each below what it rests on and what was asked.
	//go:embed testdata/honest.txt
	honest string

	// recorded is what the tools gave of the sandbox with seed 1 on 21 November 2026, long lists cut, and three drafts.
	//go:embed testdata/shop.json
	recorded []byte
)

// sourcesOf are the recorded results that a head names, with the calculation behind them: "margin, stock; 1 + 2 = 3".
func sourcesOf(t *testing.T, head string) (found []*tools.Result) {
	t.Helper()
	var all []*tools.Result
	if err := json.Unmarshal(recorded, &all); err != nil {
		t.Fatal(err)
	}
	names, calculation, _ := strings.Cut(head, ";")
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' || r == ' ' }) {
		tool, channels := strings.CutSuffix(name, ".channel")
		before := len(found)
		for _, r := range all {
			if r.Tool == tool && channels == (r.Tool == "margin" && r.Result.(map[string]any)["total_rows"] == 5.) {
				found = append(found, r)
			}
		}
		if len(found) == before {
			t.Fatalf("no recorded result of %s", name)
		}
	}
	if expression, value, ok := strings.Cut(calculation, " = "); ok {
		found = append(found, &tools.Result{Tool: "calculate", Currency: "RUB", Result: map[string]any{"expression": strings.TrimSpace(expression), "value": json.Number(strings.TrimSpace(value)), "exact": true}})
	}
	return found
}

func TestHonestAnswersOfModelsPass(t *testing.T) {
	for _, part := range strings.Split("\n"+honest, "\n== ")[1:] {
		head, answer, _ := strings.Cut(part, "\n")
		sources, question, _ := strings.Cut(head, "| ")
		check := New(Evidence{Lang: "ru", UserTexts: []string{question}})
		for _, r := range sourcesOf(t, sources) {
			check.Add(r)
		}
		if _, problems := check.Text(answer); len(problems) > 0 {
			t.Errorf("%s\n%s\n%v", head, answer, problems)
		}
	}
}

// What is nearest to those answers and wrong is refused: each of these is one of them with a figure of another name, measure
// or place, or with a claim instead of an explanation.
func TestTheNearestWrongAnswersAreRefused(t *testing.T) {
	for sources, answers := range map[string][]string{
		"stock": {
			"На складе Основной 17 шт. товара «Наволочка Аврора 150×200», резерва нет, ещё 25 шт. в пути.", "Наволочка Аврора 150×200 на складе Основной: 17 шт., в резерве 20 шт.",
			"На «Основном» 590,8 ед.", "Ozon FBO (416,6 ед.), Wildberries (590,8 ед.).", "Два склада: 1) Основной; 3) Шоурум.", "Склад стоит около 1 980 000 ₽.", "Наволочка Аврора 150×200 есть на трёх складах: Основной — 17 шт. и Склад Ozon FBO — 20 шт.", "Из них 9 — на складе Wildberries, ещё 8 — в Шоуруме.", "На складе Ozon — 709 112,59 ₽.", "Сайт склада: Шоурум — 403 471,40 ₽, Основной — 709 112,59 ₽.",
		},
		"below_minimum": {
			"«Конструктор Orlan 120 деталей»: на «Основном» есть 7 шт.", "«Зарядное устройство Белый Кит силикон» можно перебросить с «Основного»: там 12 шт.",
		},
		"margin": {
			"За этот месяц прибыль 335 730,35 ₽.", "На прошлой неделе прибыль 335 730,35 ₽.", "В среднем прибыль 335 730,35 ₽.", "Прогноз прибыли на декабрь — 335 730,35 ₽.", "Ожидаемая выручка: 778 297,32 ₽.", "Средняя выручка в октябре — 778 297,32 ₽.", "Прогноз\n\n- Прибыль в декабре: 335 730,35 ₽",
			"Себестоимость доставки равна нулю.", "Она вам ничего не стоила.", "Если коротко: себестоимость равна 0.", "Пока себестоимость равна нулю.", "Себестоимость 0 ₽, когда её смотрят в карточке.", "Маржа за октябрь — 95 %.", "Порог покрытия — 95 %, маржа — 93,29 %.",
		},
		"margin.channel": {
			"Выручка на Ozon и Wildberries — 103 406,00 ₽ и 187 552,40 ₽ соответственно.", "Выручка на Ozon и Wildberries — 187 552,40 ₽ и 103 406,00 ₽ соответственно, маржа — 48,7 % и 47,31 % соответственно.", "Ozon and Wildberries brought a profit of 50,357.08 RUB and 83,453.04 RUB respectively.", "В среднем канал приносит 83 453,04 ₽ прибыли.",
			"Больше всего принёс **Ozon** (83 453,04 ₽), а самая высокая маржа — на **Яндекс Маркете**: 47,31 %.", "**Яндекс Маркет** has 51.28%, followed by **Сайт** (48.7%).", "Ozon — 187 552,40 ₽, за ним Wildberries — 83 453,04 ₽ прибыли.",
		},
		"reconcile_shipments": {"11 documents have no status; they are included."},
		"overdue_orders":      {"Просроченных заказов нет.", "Просрочены № 00009 (Wildberries) — 7 035,60 ₽, № 00011 (Яндекс Маркет) — 7 035,60 ₽.", "• № 00009 (Wildberries) — 354 дня\n• № 00011 (Яндекс Маркет) — 360 дней"},
		"slow_movers":         {"Термопот Norden 1.2 л: остатка в 14 шт. хватит на 234 дня.", "Термопот Norden 1.2 л: остаток В3 шт."},
		"money_position": {
			"RUB accounts and cash desks: **507,398.42**, cash desk: 5,579,729.55 RUB.",
			"Больше всех должен Wildberries — 71 685,20 ₽, за ним ООО «Ozon» — 84 087 ₽.", "Больше всех должен Wildberries — 84 087 ₽, за ним Ozon — 43 230,93 ₽.", "ООО «Wildberries» должно 84 087 ₽, за ним Кухонный двор — 71 685,20 ₽.", "Wildberries — 84 087 ₽, Сладкой жизни — 43 230,93 ₽.",
			"**Деньги:** 6,73 млн ₽\n**Дебиторка:** 154 тыс. ₽\n**Кредиторка:** 391 тыс. ₽", "Деньги: 391 тыс. ₽ на счетах\nДебиторка: 6,73 млн ₽",
		},
		"cash_runway":          {"В прошлом месяце ушло 1 140 877,10 ₽.", "В среднем на счетах 6 727 128,52 ₽.", "Ожидается 6 727 128,52 ₽ на счетах.", "Отток клиентов — 19 605,86 ₽.", "Чистый отток — 868 616,50 ₽ в месяц.", "Приходит 849 010,63 ₽, разница −868 616,49 ₽.", "В октябре ушло 1 140 877,10 ₽."},
		"negative_stock":       {"Сланцы Уют летние (38-39, белый) — −6 шт., кабель USB-C Аврора — −6 шт.", "Сланцы Уют летние (38-39, белый) — −6 шт., ручка — −3 шт."},
		"out_of_stock":         {"Контейнер для хранения Уют бамбук Z-898: 6 шт. в пути."},
		"search_products":      {"Поставщик — Yiwu Trading Co. 1, закупочная цена — 1 262,43 ₽."},
		"draft_purchase_order": {"Draft **PO-7K3M9X** to ООО «ЭлектроОпт» for **₽30,751.40** (20 units × ₽1,535.77)."},
	} {
		check := New(Evidence{Lang: "ru"})
		for _, r := range sourcesOf(t, sources) {
			check.Add(r)
		}
		catches(t, check, answers...)
	}
}
