package grounding

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/kopeck/kopeck/tools"
)

// recordedOf is a check over recorded results of the sandbox, read on 21 November 2026.
func recordedOf(t *testing.T, sources string) *Check {
	t.Helper()
	check := New(Evidence{Lang: "ru"})
	for _, r := range sourcesOf(t, sources) {
		check.Add(r)
	}
	return check
}

// What was is neither what is to come nor an average of anything.
func TestAFigureIsNoForecastAndNoAverage(t *testing.T) {
	catches(t, russian(),
		"В среднем выручка 1 234 567,89 ₽.", "Средняя прибыль — 459 104,93 ₽.", "В среднем вы зарабатываете 459 104,93 ₽.", "Обычно прибыль 459 104,93 ₽.", "В среднем продаём 37 шт.", "Revenue averages 1,234,567.89 RUB.", "Average profit is 459,104.93 RUB.", "On average you earn 459,104.93 RUB.",
		"| Показатель | В среднем |\n|---|---|\n| Прибыль | 459 104,93 ₽ |\n", "Средний долг — 250 000 ₽.",
		"Ожидается прибыль 459 104,93 ₽.", "Ожидаемая выручка — 1 234 567,89 ₽.", "Прогноз прибыли: 459 104,93 ₽.", "По прогнозу выручка 1 234 567,89 ₽.", "Прогнозируемая прибыль 459 104,93 ₽.", "Мы ожидаем прибыль 459 104,93 ₽.", "Ожидаемая маржа 42,5 %.", "Планируемая прибыль — 459 104,93 ₽.",
		"Expected profit is 459,104.93 RUB.", "The forecast is a profit of 459,104.93 RUB.", "Projected revenue: 1,234,567.89 RUB.", "We expect revenue of 1,234,567.89 RUB.", "| | Прогноз |\n|---|---|\n| Прибыль | 459 104,93 ₽ |\n",
	)
	passes(t, russian(),
		"Прогноза прибыли в учёте нет; за октябрь она 459 104,93 ₽.", "Ожидается поступление 120 шт., сейчас 1 234,5 шт.", "Прибыль 459 104,93 ₽, прогноз на ноябрь дать не могу.", "Ожидаем от должников 250 000 ₽.", "Маржа в среднем 42,5 %.", "Средняя себестоимость 980,50 ₽ за штуку.",
		"При таком среднем расходе денег хватит на 4,2 месяца.", "Ожидается, что денег хватит на 4,2 месяца.", "Среднего чека в учёте нет: выручка 1 234 567,89 ₽.", "The expected stock is in transit: 120 units.", "There is no forecast; profit was 459,104.93 RUB.", "Заказ на 2 500 000 ₽ ожидает отгрузки: отгружено 1 500 ₽.",
	)
	runway := recordedOf(t, "cash_runway")
	passes(t, runway, "В среднем уходит 868 616,49 ₽ в месяц.", "В среднем приходит 849 010,63 ₽.", "The average monthly burn is 19,605.86 RUB.", "Средний месячный расход — 868 616,49 ₽.", "В октябре ушло 442 336,19 ₽.")
	computed := New(Evidence{Lang: "ru", Results: books()})
	computed.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: map[string]any{"expression": "459104.93 / 31", "value": json.Number("14809.84")}})
	passes(t, computed, "В среднем прибыль 14 809,84 ₽ в день.", "Прогноз прибыли: 14 809,84 ₽.")
}

// A calculation rests on figures of results: of other numbers it has two at most, of percent, rounding and the calendar.
func TestACalculationOfOtherNumbersIsNoFigure(t *testing.T) {
	for expression, rests := range map[string]bool{
		"459104.93 * 12": true, "round(459104.93 / 365 * 100, 2)": false, "459104.93 * 365 * 12": true, "459104.93 * 365 * 12 * 30": false, "459104.93 / 7.3": false, "365 * 12": false,
	} {
		check := New(Evidence{Lang: "ru"})
		check.Add(&tools.Result{Tool: "margin", Currency: "RUB", Result: json.RawMessage(`{"totals":{"covered_profit":459104.93}}`)})
		check.Add(&tools.Result{Tool: "calculate", Currency: "RUB", Result: map[string]any{"expression": expression, "value": json.Number("77123.45")}})
		if rests {
			passes(t, check, "Прибыль 77 123,45 ₽.")
		} else {
			catches(t, check, "Прибыль 77 123,45 ₽.")
		}
	}
}

// Words that name a time by today hold only for that time.
func TestATimeByTodayIsThatTime(t *testing.T) {
	margin := func(from, to string) *tools.Result {
		return &tools.Result{Tool: "margin", Currency: "RUB", AsOf: time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC), Result: json.RawMessage(
			`{"from":"` + from + `T00:00:00+03:00","to":"` + to + `T23:59:59+03:00","totals":{"revenue":966424.65,"covered_profit":408536.53,"covered_margin_percent":43.86},"rows":[]}`)}
	}
	for period, answers := range map[[2]string]struct{ wrong, right []string }{
		{"2026-09-01", "2026-09-30"}: {
			wrong: []string{"В прошлом месяце прибыль 408 536,53 ₽.", "Прибыль за прошлый месяц — 408 536,53 ₽.", "За этот месяц выручка 966 424,65 ₽.", "Last month profit was 408,536.53 RUB.", "За последний месяц прибыль 408 536,53 ₽.", "Profit this month: 408,536.53 RUB.", "За текущий месяц прибыль 408 536,53 ₽."},
			right: []string{"Прибыль за сентябрь — 408 536,53 ₽.", "В позапрошлом месяце прибыль 408 536,53 ₽.", "Прибыль за месяц — 408 536,53 ₽.", "В прошлом месяце, в сентябре, прибыль 408 536,53 ₽."},
		},
		{"2026-10-01", "2026-10-31"}: {
			wrong: []string{"За этот месяц выручка 966 424,65 ₽.", "Profit this month: 408,536.53 RUB."},
			right: []string{"В прошлом месяце прибыль 408 536,53 ₽.", "Прибыль за прошлый месяц — 408 536,53 ₽.", "Last month profit was 408,536.53 RUB.", "За прошедший месяц прибыль 408 536,53 ₽."},
		},
		{"2026-11-01", "2026-11-22"}: {
			wrong: []string{"В прошлом месяце прибыль 408 536,53 ₽.", "Last month profit was 408,536.53 RUB."},
			right: []string{"За этот месяц выручка 966 424,65 ₽.", "Profit this month: 408,536.53 RUB.", "В текущем месяце прибыль 408 536,53 ₽."},
		},
		{"2026-10-24", "2026-11-22"}: {
			right: []string{"За последний месяц прибыль 408 536,53 ₽.", "Over the past month profit was 408,536.53 RUB."},
		},
		{"2026-11-02", "2026-11-08"}: {
			wrong: []string{"Прибыль за прошлую неделю 408 536,53 ₽.", "Profit this week was 408,536.53 RUB.", "Last week profit was 408,536.53 RUB."},
		},
		{"2026-11-09", "2026-11-15"}: {
			wrong: []string{"На этой неделе прибыль 408 536,53 ₽."}, right: []string{"Прибыль за прошлую неделю 408 536,53 ₽.", "Last week profit was 408,536.53 RUB."},
		},
		{"2026-11-16", "2026-11-22"}: {
			right: []string{"На этой неделе прибыль 408 536,53 ₽.", "За последнюю неделю прибыль 408 536,53 ₽.", "Profit this week was 408,536.53 RUB."}, wrong: []string{"Прибыль за прошлую неделю 408 536,53 ₽."},
		},
		{"2026-11-20", "2026-11-20"}: {wrong: []string{"Вчера прибыль была 408 536,53 ₽.", "Profit yesterday was 408,536.53 RUB.", "За сегодня прибыль 408 536,53 ₽."}, right: []string{"Прибыль за 20 ноября — 408 536,53 ₽."}},
		{"2026-11-21", "2026-11-21"}: {right: []string{"Вчера прибыль была 408 536,53 ₽.", "Profit yesterday was 408,536.53 RUB."}, wrong: []string{"За сегодня прибыль 408 536,53 ₽."}},
	} {
		check := New(Evidence{Lang: "ru", Results: []*tools.Result{margin(period[0], period[1])}})
		catches(t, check, answers.wrong...)
		passes(t, check, answers.right...)
	}
}

// A zero of one row is nobody else's.
func TestAZeroOfARowIsOfThatRow(t *testing.T) {
	check := New(Evidence{Lang: "ru", Results: []*tools.Result{{Tool: "margin", Currency: "RUB", Result: json.RawMessage(
		`{"rows":[{"name":"Сайт","units":4,"revenue":966424.65,"covered_profit":408536.53,"profit":408536.53},{"name":"Розница","units":1,"revenue":0,"covered_profit":0,"profit":0}],"totals":{"revenue":966424.65,"covered_profit":408536.53},"total_rows":2}`)}}})
	catches(t, check, "Прибыль 0 ₽.", "Прибыль за октябрь — 0 ₽.", "Profit is 0 RUB.", "Прибыль: 0,00 ₽", "Выручка нулевая: 0 ₽.")
	passes(t, check, "Розница: прибыль 0 ₽.", "У канала «Розница» прибыль 0 ₽.", "| Канал | Прибыль |\n|---|---|\n| Розница | 0 ₽ |\n", "Profit of “Розница” is 0 RUB.")
}

// Figures that are told "respectively" are in the order of the names.
func TestRespectivelyListsAreReadInOrder(t *testing.T) {
	check := recordedOf(t, "stock")
	passes(t, check,
		"На складах Основной и Склад Ozon FBO — 757,4 и 590,8 ед. соответственно.", "На складах Ozon FBO и Wildberries — 590,8 и 416,6 ед. соответственно.", "На «Основном», «Шоуруме» и складе Ozon FBO соответственно 757,4, 391,8 и 590,8 ед.",
		"Ozon FBO and Wildberries hold 590.8 and 416.6 units respectively.", "На складах Ozon FBO и Wildberries лежит на 555 355,54 и 403 471,40 ₽ соответственно.",
	)
	passes(t, check, "«Наволочка Аврора 150×200» на складах Основной и Склад Ozon FBO — 17 и 20 шт. соответственно.")
	catches(t, check, "«Наволочка Аврора 150×200» на складах Основной и Склад Ozon FBO — 20 и 17 шт. соответственно.", "На «Основном», «Шоуруме» и складе Ozon FBO соответственно 391,8, 757,4 и 590,8 ед.")
	catches(t, check,
		"На складах Ozon FBO и Wildberries — 416,6 и 590,8 ед. соответственно.", "На складах Основной и Склад Ozon FBO — 590,8 и 757,4 ед. соответственно.", "Ozon FBO and Wildberries hold 416.6 and 590.8 units respectively.",
		"На складах Ozon FBO и Wildberries — 590,8, 416,6 и 757,4 ед. соответственно.",
	)
}
