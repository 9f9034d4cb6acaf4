package grounding

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools"
)

// With one period there is nothing that anything could have grown from.
func TestNothingHasGrownInOnePeriod(t *testing.T) {
	margin := func(from, to string) *tools.Result {
		return &tools.Result{Tool: "margin", Currency: "RUB", Result: json.RawMessage(`{"from":"` + from + `","to":"` + to + `","totals":{"revenue":966424.65,"covered_profit":408536.53,"covered_margin_percent":43.86},"rows":[]}`)}
	}
	stock := func(day int) *tools.Result {
		return &tools.Result{Tool: "stock", AsOf: time.Date(2026, 11, day, 12, 0, 0, 0, time.UTC), Result: json.RawMessage(`{"totals":{"units":2781.2}}`)}
	}
	october := margin("2026-10-01T00:00:00+03:00", "2026-10-31T23:59:59+03:00")
	claims := []string{
		"Маржа выросла до 43,86 %.", "Маржа снизилась до 43,86 %.", "Выручка упала до 966 424,65 ₽.", "Выручка выросла и составила 966 424,65 ₽.", "Прибыль растёт.", "Продажи падают.", "Маржа снизилась.", "Выросла выручка.", "Прибыль стала выше.",
		"Прибыль больше, чем в прошлом месяце: 408 536,53 ₽.", "Продажи в октябре лучше, чем в сентябре.", "В октябре вы заработали больше, чем в сентябре.", "По сравнению с сентябрём прибыль выше.", "Как и в прошлом месяце, маржа 43,86 %.",
		"Впервые прибыль достигла 408 536,53 ₽.", "Рекордная прибыль 408 536,53 ₽.", "Это рекорд: 408 536,53 ₽.", "Динамика положительная.", "Лучший месяц в году.", "| Показатель | Изменение |\n|---|---|\n| Маржа | выросла |\n",
		"Margin rose to 43.86%.", "Margin fell to 43.86%.", "Revenue is growing.", "Sales have dropped.", "Profit is up compared with September.", "Profit is higher than last month: 408,536.53 RUB.", "The best month ever: 408,536.53 RUB.", "Revenue hit a record high of 966,424.65 RUB.", "Year over year, revenue increased.",
	}
	catches(t, New(Evidence{Lang: "ru", Results: []*tools.Result{october, october, stock(20)}}), claims...)
	passes(t, New(Evidence{Lang: "ru", Results: []*tools.Result{october}}),
		"Выросла ли маржа, сказать нельзя.", "Прибыль выросла? Сравнить не с чем: данные только за октябрь.", "Чтобы узнать, выросла ли прибыль, запросите сентябрь.", "Если выручка выросла, покажите сентябрь.", "Сравнить с сентябрём не могу.", "Маржа растёт, когда себестоимость ниже.",
		"Остаток упал ниже порога.", "Остаток снизился ниже минимума.", "Вы пишете, что продажи упали.", "Выручка больше, чем прибыль.", "Прибыль меньше выручки.",
		"I cannot say whether revenue grew: only October is here.", "Revenue would grow if prices rose.", "Stock fell below the minimum.", "Profit is less than revenue.",
	)
	for name, evidence := range map[string]Evidence{
		"two periods":         {Results: []*tools.Result{margin("2026-09-01T00:00:00+03:00", "2026-09-30T23:59:59+03:00"), october}},
		"two readings":        {Results: []*tools.Result{october, stock(20), stock(21)}},
		"the user's own":      {Results: []*tools.Result{october}, UserTexts: []string{"В сентябре прибыль была 300 000 ₽, а в октябре?"}},
		"a client's tool":     {Results: []*tools.Result{october}, ClientTexts: []string{"September: 300,000"}},
		"a result of its own": {Results: []*tools.Result{october, {Tool: "turnover", Result: json.RawMessage(`{}`)}}},
	} {
		if _, problems := New(evidence).Text("Прибыль выросла."); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}
