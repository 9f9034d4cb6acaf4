package offline

import (
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// What people call a time, as of a Sunday: two periods side by side are both.
func TestOfflineKnowsTimesAsPeopleNameThem(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, moscow)
	for text, want := range map[string]string{
		// Parts of a month.
		"за первую неделю октября":             "10-01 10-07",
		"первая неделя октября":                "10-01 10-07",
		"на второй неделе октября 2025 года":   "2025-10-08 2025-10-14",
		"за последнюю неделю октября":          "10-25 10-31",
		"за пятую неделю октября":              "10-29 10-31",
		"за первую неделю прошлого месяца":     "10-01 10-07",
		"in the first week of October":         "10-01 10-07",
		"in the last week of May":              "05-25 05-31",
		"за вторую половину октября":           "10-16 10-31",
		"в первой половине этого месяца":       "11-01 11-15",
		"the second half of October":           "10-16 10-31",
		"за третью декаду октября":             "10-21 10-31",
		"за последние 10 дней октября":         "10-22 10-31",
		"за первые три дня октября":            "10-01 10-03",
		"the first 10 days of October":         "10-01 10-10",
		"с 1 по 15 число":                      "11-01 11-15",
		"с 1-го по 5-е октября":                "10-01 10-05",
		"за 5-е октября":                       "10-05 10-05",
		"с первого числа":                      "11-01 11-22",
		"с 5 октября по сегодня":               "10-05 11-22",
		"с 5 октября по вчера":                 "10-05 11-21",
		"за октябрь 2025":                      "2025-10-01 2025-10-31",
		"October last year":                    "2025-10-01 2025-10-31",
		"за прошлый ноябрь":                    "2025-11-01 2025-11-30",
		"за октябрь 2026 года":                 "10-01 10-31",
		"октябрь 2026 г. и октябрь 2025 г.":    "10-01 10-31 | 2025-10-01 2025-10-31",
		"с марта по май 2026 года":             "03-01 05-31",
		"с марта 2026 года":                    "03-01 11-22",
		"since May":                            "05-01 11-22",
		"from Oct 5 to Nov 3":                  "10-05 11-03",
		"за 25/10/2026":                        "10-25 10-25",
		"on 10/25/2026":                        "10-25 10-25",
		"за 05.10":                             "10-05 10-05",
		"с 05.10":                              "10-05 11-22",
		"с 1 по 15":                            "11-01 11-15",
		"по первому полугодию 2026":            "01-01 06-30",
		"за 10.2025":                           "2025-10-01 2025-10-31",
		"за 2025-10":                           "2025-10-01 2025-10-31",
		"за сентябрь-октябрь":                  "09-01 10-31",
		"за май–июнь":                          "05-01 06-30",
		"сравни октябрь с сентябрём":           "10-01 10-31 | 09-01 09-30",
		"за октябрь и за сентябрь":             "10-01 10-31 | 09-01 09-30",
		"октябрь по сравнению с октябрём 2025": "10-01 10-31 | 2025-10-01 2025-10-31",
		"this month vs last month":             "10-01 10-31 | 11-01 11-22",

		// Parts of a year.
		"за лето":                 "06-01 08-31",
		"прошлым летом":           "06-01 08-31",
		"летом 2025 года":         "2025-06-01 2025-08-31",
		"летом прошлого года":     "2025-06-01 2025-08-31",
		"этой осенью":             "09-01 11-22",
		"прошлой осенью":          "2025-09-01 2025-11-30",
		"за зиму":                 "2025-12-01 02-28",
		"с весны":                 "03-01 11-22",
		"last summer":             "06-01 08-31",
		"since spring":            "03-01 11-22",
		"this fall":               "09-01 11-22",
		"первого полугодия":       "01-01 06-30",
		"за 1-е полугодие 2025":   "2025-01-01 2025-06-30",
		"за второе полугодие":     "07-01 11-22",
		"за прошлое полугодие":    "01-01 06-30",
		"за последнее полугодие":  "05-23 11-22",
		"за первую половину года": "01-01 06-30",
		"H1 2026":                      "01-01 06-30",
		"the first half of the year":   "01-01 06-30",
		"за третий квартал":            "07-01 09-30",
		"во II квартале 2025 года":     "2025-04-01 2025-06-30",
		"первый квартал прошлого года": "2025-01-01 2025-03-31",
		"in the third quarter":         "07-01 09-30",
		"за позапрошлый месяц":         "09-01 09-30",
		"за прошедший месяц":           "10-01 10-31",
		"за 9 месяцев 2026 года":       "01-01 09-30",
		"за первые три месяца года":    "01-01 03-31",
		"за 2026 год":                  "01-01 11-22",
		"прибыль 2025 года":            "2025-01-01 2025-12-31",
		"в прошлом, 2025 году":         "2025-01-01 2025-12-31",
		"за следующий месяц":           "12-01 12-31", // which the tool refuses: no other is answered
		"с прошлого месяца":            "10-01 11-22",
		"since last week":              "11-09 11-22",
		"с начала прошлого месяца":     "10-01 11-22",
		"с начала октября":             "10-01 11-22",
		"за нынешний год":              "01-01 11-22",
		"за последнюю неделю":          "11-16 11-22",
		"over the past week":           "11-16 11-22",
		"последние три недели":         "11-02 11-22",
		"за последние пару недель":     "11-09 11-22",
		"for the last couple of weeks": "11-09 11-22",
		"за последние семь дней":       "11-16 11-22",
		"последний месяц":              "10-23 11-22",
		"на прошлой неделе":            "11-09 11-15",
		"сегодня":                      "11-22 11-22",
		"today":                        "11-22 11-22",
		"позавчера":                    "11-20 11-20",
		"the day before yesterday":     "11-20 11-20",
		"со вчерашнего дня":            "11-21 11-22",
		"с понедельника":               "11-16 11-22",
		"с понедельника по среду":      "11-16 11-18",
		"since Monday":                 "11-16 11-22",
		"from Monday to Wednesday":     "11-16 11-18",
		"в пятницу":                    "11-20 11-20",
		"on Friday":                    "11-20 11-20",
		"в среду на прошлой неделе":    "11-11 11-11",
		"за выходные":                  "11-21 11-22",
		"на прошлых выходных":          "11-14 11-15",
		"last weekend":                 "11-14 11-15",

		// Names of goods and uses without a period.
		"«Плед лето» и «Чай Март»": "", "летние шины": "", "в среднем": "", "2026 шт": "", "сейчас": "", "прошлогодний снег": "", "5 лет": "",

		// What could be several is none.
		"в прошлую пятницу": "", "в воскресенье": "", "зимой 2025": "", "первого октября": "", "с 25 числа": "", "за 05.10 ₽": "",
	} {
		var got []string
		found, _ := findPeriods(text, now)
		for _, p := range found {
			got = append(got, strings.ReplaceAll(p.from.Format(time.DateOnly)+" "+p.to.Format(time.DateOnly), "2026-", ""))
		}
		if strings.Join(got, " | ") != want {
			t.Errorf("%s: %q, want %q", text, strings.Join(got, " | "), want)
		}
	}
}

// A time that is said and not understood is asked about, whatever else the question names, and never replaced by another.
func TestOfflineAsksWhichPeriodIsMeant(t *testing.T) {
	for _, question := range []string{
		"Прибыль в начале октября", "Выручка за конец прошлого месяца", "Маржа за пару дней до нового года", "Сколько продали в прошлую пятницу?", "Маржа за зиму 2025", "Выручка за последнее время",
		"Прибыль за всё время", "Сколько продали в субботу и воскресенье?", "Оборот за сезон", "Выручка с первого по пятое октября", "Прибыль за первого октября", "Маржа за полтора месяца", "Продажи в Чёрную пятницу",
		"Выручка в середине квартала", "Оборот за аналогичный период", "Прибыль месяц назад", "Сверь отгрузки с заказами за праздники", "Продажи за весь год", "Выручка 2025-го", "Сколько продали утром?", "Прибыль за первые недели октября",
		"Margin at the end of October", "Sales over the holidays", "Revenue a week ago", "Profit for the last few months", "Sales in the first days of October", "How much did we sell lately?", "Revenue of all time", "Margin last Friday",
		"Прибыль за пятую декаду октября", "Выручка за 31 ноября", "Выручка за 29 февраля 2025", "Выручка за неделю до 5 октября", "Revenue on 10/05/2026", "Выручка за 13/13/2026", "Выручка с 1 по 25", "Выручка с 5 по 31 ноября", "Выручка с 5 по 3 октября", "Revenue on November 31", "Turnover of the middle of the month", "Revenue for weekdays",
	} {
		conversation := []llms.MessageContent{human(question)}
		if calls := picked(t, conversation...); len(calls) > 0 {
			t.Errorf("%s: %v", question, calls)
		}
		answer := offlineSays(t, conversation, offering())
		if !strings.Contains(answer, asks["period"].ru) && !strings.Contains(answer, asks["period"].en) {
			t.Errorf("%s: %s", question, answer)
		}
		if calls := picked(t, append(conversation, said(answer), human("с 1 по 7 октября"))...); len(calls) != 1 || !strings.Contains(calls[0], `"from":"2026-10-01"`) || !strings.Contains(calls[0], `"to":"2026-10-07"`) {
			t.Errorf("%s, answered: %v", question, calls)
		}
		if calls := picked(t, append(conversation, said(answer), human("не знаю"))...); len(calls) > 0 {
			t.Errorf("%s, not answered: %v", question, calls)
		}
	}
}

// Words for a time that name no period stop no question.
func TestOfflineAsksForNoPeriodWithoutNeed(t *testing.T) {
	for question, want := range map[string]string{
		"Добрый день! Какая маржа за октябрь?":       `margin {` + october + `}`,
		"Сколько в месяц мы зарабатываем?":           `margin {` + lastThirty + `}`,
		"Выручка по месяцам за октябрь":              `margin {` + october + `}`,
		"Оборот за октябрь на начало и конец":        `turnover {` + october + `}`,
		"Выручка за первые 10 дней октября, топ 5":   `margin {"from":"2026-10-01","limit":5,"to":"2026-10-10"}`,
		"Хватит ли денег до конца года?":             `cash_runway {}; money_position {}`,
		"Что лежит больше полугода?":                 `dead_stock {"min_days":180}`,
		"Что сегодня заказать?":                      `shortage_by_supplier {}`,
		"Точка заказа на сегодня":                    `reorder_points {}`,
		"Сколько продали «Плед лето» сегодня?":       `margin {"from":"2026-11-21","limit":1000,"to":"2026-11-21"}`,
		"Сравни маржу за октябрь и сентябрь":         `margin {"from":"2026-09-01","to":"2026-09-30"}; margin {` + october + `}`,
		"Compare revenue in October with September":  `margin {"from":"2026-09-01","to":"2026-09-30"}; margin {` + october + `}`,
		"Какие заказы просрочены на прошлой неделе?": `overdue_orders {}`,
	} {
		if got := strings.Join(picked(t, human(question)), "; "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", question, got, want)
		}
	}
}

// A result is not told as if it were of the time that the question names, nor as if the question had named one.
func TestOfflineSaysWhatTimeAResultIsOf(t *testing.T) {
	const margin = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[],"total_rows":0}}}`
	const stock = `{"data":{"tool":"stock","currency":"RUB","result":{"rows":[],"matched":true}}}`
	for _, c := range []struct{ question, tool, answer, want string }{
		{"Какая маржа?", "margin", margin, "последние 30 дней"}, {"What is the margin?", "margin", margin, "last 30 days"},
		{"Выручка за октябрь по неделям", "margin", margin, "не разбивает"}, {"Сколько было на складе в октябре?", "stock", stock, "есть сейчас"}, {"Stock as of October 1", "stock", stock, "there now"},
	} {
		if got := offlineSays(t, outcomeOf(c.question, c.tool, `{}`, c.answer), offering()); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.question, c.want, got)
		}
	}
	for question, answer := range map[string]string{"Какая маржа за октябрь?": margin, "Сколько сейчас на складе?": stock} {
		if got := offlineSays(t, outcomeOf(question, "margin", `{}`, answer), offering()); strings.Contains(got, "период") {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// A question that goes on with another measure is of the same time; half of a question that lacks something is asked about.
func TestOfflineKeepsTheTimeOfAConversation(t *testing.T) {
	for _, c := range []struct {
		first, then, want string
	}{
		{"Маржа за октябрь", "а оборот?", `turnover {` + october + `}`},
		{"Маржа за октябрь", "А выручка по каналам?", `margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`},
		{"Маржа за октябрь", "Выручка за лето", `margin {"from":"2026-06-01","to":"2026-08-31"}`},
		{"Маржа за октябрь", "а за прошлую зиму?", `margin {"from":"2025-12-01","to":"2026-02-28"}`},
		{"Маржа за октябрь", "а в начале сентября?", ``},
		{"Маржа за октябрь", "Оборот", `turnover {` + lastThirty + `}`},
	} {
		if got := strings.Join(picked(t, human(c.first), said("…"), human(c.then)), "; "); got != c.want {
			t.Errorf("%s %s:\n got %s\nwant %s", c.first, c.then, got, c.want)
		}
	}
	const below = `{"data":{"tool":"below_minimum","currency":"RUB","result":{"rows":[]}}}`
	if got := offlineSays(t, outcomeOf("Что ниже минимума? И какая маржа за всё время?", "below_minimum", `{}`, below), offering()); !strings.Contains(got, asks["period"].ru) {
		t.Errorf("half of a question is left out:\n%s", got)
	}
}
