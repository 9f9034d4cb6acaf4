package offline

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tmc/langchaingo/llms"
)

// The day on which the questions are asked: a Saturday.
var asking = time.Date(2026, 11, 21, 15, 4, 0, 0, moscow)

// offeredTools are the tools of the service with the parameters that the offline model may fill.
var offeredTools = map[string]string{
	"search_products":      "query limit",
	"stock":                "warehouse query limit",
	"below_minimum":        "warehouse limit",
	"dead_stock":           "min_days sales_window_days warehouse limit",
	"margin":               "from to group_by limit",
	"turnover":             "from to warehouse limit",
	"reconcile_shipments":  "from to channel limit",
	"overdue_orders":       "as_of limit",
	"shortage_by_supplier": "warehouse limit",
	"reorder_points":       "window_days lead_time_days service_level warehouse query limit",
	"money_position":       "",
	"calculate":            "expression",
	"abc_xyz":              "window_days metric warehouse limit",
	"slow_movers":          "window_days warehouse limit",
	"negative_stock":       "warehouse limit",
	"out_of_stock":         "window_days warehouse limit",
	"cash_runway":          "",
	"zero_cost_receipts":   "days warehouse limit",
	"draft_purchase_order": "supplier warehouse lines from_shortage",
	"draft_transfer":       "from_warehouse to_warehouse lines",
	"draft_price_change":   "lines",
}

func offering(names ...string) llms.CallOption {
	var tools []llms.Tool
	for name, parameters := range offeredTools {
		if len(names) > 0 && !slices.Contains(names, name) {
			continue
		}
		properties := map[string]any{}
		for parameter := range strings.FieldsSeq(parameters) {
			properties[parameter] = map[string]any{}
		}
		tools = append(tools, llms.Tool{Type: "function", Function: &llms.FunctionDefinition{Name: name, Parameters: map[string]any{"properties": properties}}})
	}
	return llms.WithTools(tools)
}

func human(text string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeHuman, text) }
func said(text string) llms.MessageContent  { return llms.TextParts(llms.ChatMessageTypeAI, text) }

// picked is what the model calls, as "tool {arguments}", in a fixed order.
func picked(t *testing.T, messages ...llms.MessageContent) []string {
	t.Helper()
	response, err := New(func() time.Time { return asking }).GenerateContent(t.Context(), messages, offering())
	if err != nil {
		t.Fatal(err)
	}
	var calls []string
	for _, c := range response.Choices[0].ToolCalls {
		calls = append(calls, c.FunctionCall.Name+" "+c.FunctionCall.Arguments)
	}
	slices.Sort(calls)
	return calls
}

const (
	lastThirty = `"from":"2026-10-23","to":"2026-11-21"`
	october    = `"from":"2026-10-01","to":"2026-10-31"`
)

// The offline model picks the tool and its arguments for what shop owners ask, in both languages.
func TestOfflineUnderstandsWhatShopOwnersAsk(t *testing.T) {
	for question, want := range map[string]string{
		// The twenty questions.
		"Сколько осталось Рогов на складе Основной?":                `stock {"query":"Рогов","warehouse":"Основной"}`,
		"How many Horns are left in Main?":                          `stock {"query":"Horns","warehouse":"Main"}`,
		"Что закончилось на всех складах?":                          `out_of_stock {}`,
		"What is out of stock?":                                     `out_of_stock {}`,
		"Что ниже неснижаемого остатка по каждому складу?":          `below_minimum {}`,
		"What is under its minimum, per warehouse?":                 `below_minimum {}`,
		"Что можно перебросить между складами вместо закупки?":      `below_minimum {}`,
		"Can I transfer instead of buying?":                         `below_minimum {}`,
		"Что лежит больше полугода и сколько денег там заморожено?": `dead_stock {"min_days":180}`,
		"What is dead > 180 days and how much cash is tied up?":     `dead_stock {"min_days":180}`,
		"Какие товары продаются медленно?":                          `slow_movers {}`,
		"Slow movers?": `slow_movers {}`,
		"Какая прибыль за октябрь?":          `margin {` + october + `}`,
		"Profit in October?":                 `margin {` + october + `}`,
		"Топ-10 по марже":                    `margin {"from":"2026-10-23","limit":1000,"to":"2026-11-21"}`,
		"Top 10 by margin":                   `margin {"from":"2026-10-23","limit":1000,"to":"2026-11-21"}`,
		"Почему у Доставки маржа 100%?":      `margin {"from":"2026-10-23","limit":1000,"to":"2026-11-21"}`,
		"Why is margin 100 %?":               `margin {` + lastThirty + `}`,
		"Сколько стоит мой склад?":           `stock {}`,
		"What is my stock worth?":            `stock {}`,
		"Что заказать у поставщика Ромашка?": `shortage_by_supplier {}`,
		"What to order from supplier Acme?":  `shortage_by_supplier {}`,
		"Когда закончится товар «Чайник заварочный»?": `reorder_points {"query":"Чайник заварочный"}`,
		`When will "Mug" run out?`: `reorder_points {"query":"Mug"}`,
		"Рассчитай точку заказа для артикула 123, срок 14 дней, сервис 95%": `reorder_points {"lead_time_days":14,"query":"123","service_level":0.95}`,
		"Reorder point for SKU 123, lead time 14 days, service 95%":         `reorder_points {"lead_time_days":14,"query":"123","service_level":0.95}`,
		"Сделай заказ поставщику на недостающее":                            `shortage_by_supplier {}`,
		"Create the purchase order for what is short":                       `shortage_by_supplier {}`,
		"Подтверждаю": ``,
		"Confirm":     ``,
		"Сверь отгрузки с Ozon за неделю":            `reconcile_shipments {"channel":"Ozon","from":"2026-11-15","to":"2026-11-21"}`,
		"Reconcile shipments with Ozon for the week": `reconcile_shipments {"channel":"Ozon","from":"2026-11-15","to":"2026-11-21"}`,
		"Сколько денег на счетах и в кассе?":         `money_position {}`,
		"Cash now?": `money_position {}`,
		"Кто нам должен и кому должны мы?":                `money_position {}`,
		"Who owes us / whom do we owe?":                   `money_position {}`,
		"Хватит ли денег на месяц с учётом закупки?":      `cash_runway {}; money_position {}`,
		"Do we have runway after this PO?":                `cash_runway {}; money_position {}`,
		"Покажи ABC-анализ и что вывести из ассортимента": `abc_xyz {}`,
		"ABC/XYZ and what to drop":                        `abc_xyz {}`,

		// Names, cases and warehouses as people write them.
		"сколько осталось рогов на складе основной":                           `stock {"query":"рогов","warehouse":"основной"}`,
		"Остаток кружек керамических на Центральном складе":                   `stock {"query":"кружек керамических","warehouse":"Центральном"}`,
		"Сколько чайников в Казани?":                                          `stock {"query":"чайников","warehouse":"Казани"}`,
		"Покажи остатки товара «Плед лён 150×200» на складе «Склад Ozon FBO»": `stock {"query":"Плед лён 150×200","warehouse":"Склад Ozon FBO"}`,
		"Сколько у нас товара на складе?":                                     `stock {}`,
		"Покажи остатки по складам":                                           `stock {}`,
		`How much "Electric kettle" do we have in the Main warehouse?`:        `stock {"query":"Electric kettle","warehouse":"Main"}`,
		"Show stock by warehouse":                       `stock {}`,
		"Остаток по артикулу AB-1024":                   `stock {"query":"AB-1024"}`,
		"Найди товар Термопот стекло":                   `search_products {"query":"Термопот стекло"}`,
		"Find product kettle":                           `search_products {"query":"kettle"}`,
		"Что ниже минимума на складе Казань?":           `below_minimum {"warehouse":"Казань"}`,
		"What is below minimum in the Kazan warehouse?": `below_minimum {"warehouse":"Kazan"}`,

		// Periods.
		"Маржа за последние 7 дней":           `margin {"from":"2026-11-15","to":"2026-11-21"}`,
		"Margin for the last 7 days":          `margin {"from":"2026-11-15","to":"2026-11-21"}`,
		"Маржа за прошлый месяц по каналам":   `margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`,
		"Margin last month by channel":        `margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`,
		"Маржа с 1 по 15 октября":             `margin {"from":"2026-10-01","to":"2026-10-15"}`,
		"Маржа с 20 сентября по 5 октября":    `margin {"from":"2026-09-20","to":"2026-10-05"}`,
		"Margin from October 1 to October 15": `margin {"from":"2026-10-01","to":"2026-10-15"}`,
		"Выручка за 2026-09-01 — 2026-09-30":  `margin {"from":"2026-09-01","to":"2026-09-30"}`,
		"Выручка с 01.09.2026 по 30.09.2026":  `margin {"from":"2026-09-01","to":"2026-09-30"}`,
		"Оборот за прошлый квартал":           `turnover {"from":"2026-07-01","to":"2026-09-30"}`,
		"Turnover for Q3":           `turnover {"from":"2026-07-01","to":"2026-09-30"}`,
		"Оборот за декабрь":         `turnover {"from":"2025-12-01","to":"2025-12-31"}`,
		"Прибыль за май 2025":       `margin {"from":"2025-05-01","to":"2025-05-31"}`,
		"Прибыль с начала года":     `margin {"from":"2026-01-01","to":"2026-11-21"}`,
		"Revenue this year":         `margin {"from":"2026-01-01","to":"2026-11-21"}`,
		"Прибыль за прошлую неделю": `margin {"from":"2026-11-09","to":"2026-11-15"}`,
		"Выручка за вчера":          `margin {"from":"2026-11-20","to":"2026-11-20"}`,
		"Прибыль за три месяца":     `margin {"from":"2026-08-22","to":"2026-11-21"}`,

		// Thresholds, levels, limits.
		"Что не продавалось 120 дней?":                        `dead_stock {"min_days":120,"sales_window_days":120}`,
		"What has not sold for 120 days?":                     `dead_stock {"min_days":120,"sales_window_days":120}`,
		"Неликвид старше года на складе Основной":             `dead_stock {"min_days":365,"warehouse":"Основной"}`,
		"Dead stock older than 6 months":                      `dead_stock {"min_days":180}`,
		"Покажи неликвид, топ 5":                              `dead_stock {"limit":5}`,
		"Сколько денег заморожено в неликвиде?":               `dead_stock {}`,
		"How much money is frozen in dead stock?":             `dead_stock {}`,
		"Точка заказа за 60 дней при сроке поставки 3 недели": `reorder_points {"lead_time_days":21,"window_days":60}`,
		"Reorder points with a service level of 98 percent":   `reorder_points {"service_level":0.98}`,

		// The rest of the tools.
		"Какие заказы просрочены?":                                   `overdue_orders {}`,
		"Какие заказы просрочены на 5 ноября?":                       `overdue_orders {"as_of":"2026-11-05"}`,
		"Which orders are overdue?":                                  `overdue_orders {}`,
		"Сверь заказы с отгрузками за октябрь":                       `reconcile_shipments {` + october + `}`,
		"Which orders were not shipped last month?":                  `reconcile_shipments {` + october + `}`,
		"Где отрицательные остатки?":                                 `negative_stock {}`,
		"Show negative stock":                                        `negative_stock {}`,
		"В каких приёмках нулевая себестоимость за октябрь?":         `zero_cost_receipts {"days":52}`,
		"Receipts without cost in October":                           `zero_cost_receipts {"days":52}`,
		"Какая дебиторская задолженность?":                           `money_position {}`,
		"How much cash do we have, and who owes us?":                 `money_position {}`,
		"Какая прибыль у Ozon за октябрь?":                           `margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`,
		"Остатки на озоне":                                           `stock {"warehouse":"Ozon"}`,
		"сколько будет 15% от 250 000":                               `calculate {"expression":"250000 * 15 / 100"}`,
		"What is 2.5 percent of 1000?":                               `calculate {"expression":"1000 * 2.5 / 100"}`,
		"(1234.50 - 980) / 1234.50 * 100":                            `calculate {"expression":"(1234.50 - 980) / 1234.50 * 100"}`,
		"Посчитай 12 * 3,5":                                          `calculate {"expression":"12 * 3,5"}`,
		"Сделай заказ поставщику «Ромашка» на недостающее":           `draft_purchase_order {"from_shortage":true,"supplier":"Ромашка"}`,
		"ABC-анализ по прибыли за 60 дней":                           `abc_xyz {"metric":"profit","window_days":60}`,
		"Перемести 5 шт «Чайник» со склада Основной на склад Казань": `draft_transfer {"from_warehouse":"Основной","lines":[{"product":"Чайник","units":5}],"to_warehouse":"Казань"}`,
		"Поставь цену 199 на «Кружка»":                               `draft_price_change {"lines":[{"price":199,"product":"Кружка"}]}`,

		// Two questions in one.
		"Что ниже минимума? И сколько денег на счетах?":             `below_minimum {}; money_position {}`,
		"What is below minimum and what was the margin in October?": `below_minimum {}; margin {` + october + `}`,

		// Nothing that a tool could answer.
		"Привет!":              ``,
		"Tell me a joke":       ``,
		"Какая погода завтра?": ``,
	} {
		t.Run(question, func(t *testing.T) {
			if got := strings.Join(picked(t, human(question)), "; "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// Months that end today have all their days, whatever the length of the month before, and no month has more than it has.
func TestOfflineKnowsHowLongMonthsAre(t *testing.T) {
	for question, want := range map[string]string{
		"2027-03-31 за месяц":              "2027-03-01",
		"2027-05-31 за последние 3 месяца": "2027-03-01",
		"2027-07-31 за месяц":              "2027-07-01",
		"2028-02-29 за последний 1 год":    "2027-03-01",
		"2027-02-28 за месяц":              "2027-01-29",
		"2026-11-22 за квартал":            "2026-08-23",
		"2026-11-22 за две недели":         "2026-11-09",
		"2026-11-22 за twelve days":        "2026-11-11",
		"2026-10-31 с 5 по 31 октября":     "2026-10-05",
	} {
		day, text, _ := strings.Cut(question, " ")
		now, err := time.ParseInLocation(time.DateOnly, day, moscow)
		if err != nil {
			t.Fatal(err)
		}
		if found, _ := findPeriods(text, now); len(found) != 1 || found[0].from.Format(time.DateOnly) != want || !found[0].to.Equal(now) {
			t.Errorf("%s: %v, want from %s", question, found, want)
		}
	}
}

// The days that are named are the days that are asked for, however they are written: no longer span, and no other.
func TestOfflineKnowsDays(t *testing.T) {
	now := time.Date(2026, 11, 22, 15, 0, 0, 0, moscow)
	for text, want := range map[string]string{
		"с 1 октября 2026 года по 5 октября 2026 года": "2026-10-01 2026-10-05",
		"С 1 октября 2025 по 5 октября 2026":           "2025-10-01 2026-10-05",
		"с 28 декабря по 5 января 2026":                "2025-12-28 2026-01-05",
		"с 28 декабря по 5 января":                     "2025-12-28 2026-01-05",
		"1-5 октября": "2026-10-01 2026-10-05",
		"с 1 по 5 октября прошлого года":          "2025-10-01 2025-10-05",
		"5 октября – 7 октября":                   "2026-10-05 2026-10-07",
		"за 5 октября":                            "2026-10-05 2026-10-05",
		"за 5 мая 2025 г.":                        "2025-05-05 2025-05-05",
		"за 30 ноября":                            "2025-11-30 2025-11-30",
		"с 5 октября":                             "2026-10-05 2026-11-22",
		"до 5 октября":                            "2026-10-01 2026-10-05",
		"с 01.10.26 по 05.10.26":                  "2026-10-01 2026-10-05",
		"01.10.2026 — 05.10.2026":                 "2026-10-01 2026-10-05",
		"01.10-05.10":                             "2026-10-01 2026-10-05",
		"2026-10-01..2026-10-05":                  "2026-10-01 2026-10-05",
		"from October 1, 2026 to October 5, 2026": "2026-10-01 2026-10-05",
		"from 1 October 2026 to 5 October 2026":   "2026-10-01 2026-10-05",
		"from 1 to 5 October":                     "2026-10-01 2026-10-05",
		"from 1st to 5th of October":              "2026-10-01 2026-10-05",
		"between October 1 and October 5":         "2026-10-01 2026-10-05",
		"Oct 1-5, 2025":                           "2025-10-01 2025-10-05",
		"from May 5 to May 9":                     "2026-05-05 2026-05-09",
		"on October 5":                            "2026-10-05 2026-10-05",
		"since October 5":                         "2026-10-05 2026-11-22",
		"с августа по октябрь":                    "2026-08-01 2026-10-31",
		"с ноября 2025 по март 2026":              "2025-11-01 2026-03-31",
		"с декабря по февраль":                    "2025-12-01 2026-02-28",
		"from August to November":                 "2026-08-01 2026-11-22",
		"с начала октября":                        "2026-10-01 2026-11-22",
		"с октября":                               "2026-10-01 2026-11-22",
		"since October":                           "2026-10-01 2026-11-22",
		"за 2025 год":                             "2025-01-01 2025-12-31",
		"в 2025 году":                             "2025-01-01 2025-12-31",
		"за полгода":                              "2026-05-23 2026-11-22",
		"за октябрь 2030":                         "2030-10-01 2030-10-31", // which the tool refuses: no other is answered
		"за 4 квартал 2030":                       "2030-10-01 2030-12-31",
		"за 3 квартал":                            "2026-07-01 2026-09-30",
		"во 2-м квартале 2025":                    "2025-04-01 2025-06-30",
		"за 2 квартала":                           "2026-05-23 2026-11-22",
		"Q4 2025":                                 "2025-10-01 2025-12-31",
		"с 1 ноября 2027 по 5 ноября 2027":        "2027-11-01 2027-11-05",
		"за ноябрь":                               "2026-11-01 2026-11-22",
		"закажи 3 майки по 10.10":                 "",
		"5 маятников":                             "",
		"продай 10.12 шт":                         "",
		"цена 12.50 - 13.70":                      "",
	} {
		got := ""
		if found, _ := findPeriods(text, now); len(found) > 0 {
			p := found[0]
			got = p.from.Format(time.DateOnly) + " " + p.to.Format(time.DateOnly)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// A question that only changes something goes on with the one before it.
func TestOfflineFollowsUp(t *testing.T) {
	for name, test := range map[string]struct {
		conversation []llms.MessageContent
		want         string
	}{
		"another warehouse": {
			[]llms.MessageContent{human("Сколько осталось «Чайник» на складе Основной?"), said("12 шт"), human("а на складе Казань?")},
			`stock {"query":"Чайник","warehouse":"Казань"}`,
		},
		"another period": {
			[]llms.MessageContent{human("Margin for October by channel"), said("…"), human("And for September?")},
			`margin {"from":"2026-09-01","group_by":"channel","to":"2026-09-30"}`,
		},
		"the supplier that was asked for": {
			[]llms.MessageContent{human("Сделай заказ поставщику на недостающее"), said("Какой поставщик имеется в виду?"), human("ООО «Ромашка»")},
			`draft_purchase_order {"from_shortage":true,"supplier":"ООО «Ромашка»"}`,
		},
		"another grouping": {
			[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("а по каналам?")},
			`margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`,
		},
		"the warehouse that was asked for": {
			[]llms.MessageContent{human("Что ниже минимума на складе Склад?"), said("«Склад» … Какой склад имеется в виду?\n\n- Склад Казань"), human("Склад Казань")},
			`below_minimum {"warehouse":"Склад Казань"}`,
		},
		"a new question is not a follow-up": {
			[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("А сколько денег на счетах?")},
			`money_position {}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(picked(t, test.conversation...), "; "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// outcomeOf is a conversation in which a question has led to a call with this answer.
func outcomeOf(question, tool, arguments, answer string) []llms.MessageContent {
	return []llms.MessageContent{
		human(question),
		{Role: llms.ChatMessageTypeAI, Parts: []llms.ContentPart{llms.ToolCall{ID: "c", FunctionCall: &llms.FunctionCall{Name: tool, Arguments: arguments}}}},
		{Role: llms.ChatMessageTypeTool, Parts: []llms.ContentPart{llms.ToolCallResponse{ToolCallID: "c", Name: tool, Content: answer}}},
	}
}

// A call that failed is mended once where the question leaves no doubt.
func TestOfflineMendsItsCalls(t *testing.T) {
	for name, test := range map[string]struct {
		conversation []llms.MessageContent
		want         string
	}{
		"a warehouse in another case": {
			outcomeOf("Что ниже минимума в Казани?", "below_minimum", `{"warehouse":"Казани"}`,
				`{"error":{"message":"no","fields":[{"field":"warehouse","problem":"no","candidates":["Основной","Склад Казань","Склад Самара"]}]}}`),
			`below_minimum {"warehouse":"Склад Казань"}`,
		},
		"goods in another case": {
			outcomeOf("Сколько чайников?", "stock", `{"query":"чайников электрических"}`, `{"data":{"tool":"stock","result":{"matched":false,"rows":[]}}}`),
			`stock {"query":"чайник электрическ"}`,
		},
		"a supplier in another case, among others": {
			outcomeOf("Закажи у Светозара всё недостающее", "draft_purchase_order", `{"from_shortage":true,"supplier":"Светозара"}`,
				`{"error":{"message":"no","fields":[{"field":"supplier","problem":"такого контрагента в учёте нет","fits":"none","candidates":["АО «Светозар»","ООО «Ромашка»"]}]}}`),
			`draft_purchase_order {"from_shortage":true,"supplier":"Светозар"}`,
		},
		"several that fit are not guessed": {
			outcomeOf("Что на складе Казань?", "stock", `{"warehouse":"Казань"}`,
				`{"error":{"message":"fits 2","fields":[{"field":"warehouse","problem":"fits 2","fits":"several","candidates":["Склад Казань","Магазин Казань"]}]}}`),
			``,
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(picked(t, test.conversation...), "; "); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func offlineSays(t *testing.T, messages []llms.MessageContent, options ...llms.CallOption) string {
	t.Helper()
	response, err := New(func() time.Time { return asking }).GenerateContent(t.Context(), messages, options...)
	if err != nil {
		t.Fatal(err)
	}
	return response.Choices[0].Content
}

// An argument that fits several things is asked for, with the candidates.
func TestOfflineAsksWithCandidates(t *testing.T) {
	answer := offlineSays(t, outcomeOf("Что на складе Казань?", "stock", `{"warehouse":"Казань"}`,
		`{"error":{"message":"fits 2","fields":[{"field":"warehouse","problem":"fits 2","fits":"several","candidates":["Склад Казань","Магазин Казань"]}]}}`), offering())
	for _, want := range []string{"Какой склад", "- Склад Казань", "- Магазин Казань"} {
		if !strings.Contains(answer, want) {
			t.Errorf("answer lacks %q:\n%s", want, answer)
		}
	}
}

// Only tools that are offered are called, and what is missing is said.
func TestOfflineKnowsOnlyWhatItIsOffered(t *testing.T) {
	for question, want := range map[string]string{
		"Какая маржа за октябрь?": "margin", "What is the margin in October?": "margin",
	} {
		if answer := offlineSays(t, []llms.MessageContent{human(question)}, offering("stock")); !strings.Contains(answer, want) {
			t.Errorf("%s: answer does not say that %s is missing:\n%s", question, want, answer)
		}
	}
	forced := offlineSays(t, []llms.MessageContent{human("Что ниже минимума?")}, offering(), llms.WithToolChoice("none"))
	if forced == "" {
		t.Error("with no tools allowed there must be a text")
	}
}

// What was not understood is answered in the question's language with what can be asked.
func TestOfflineSaysWhatItCanDo(t *testing.T) {
	for question, want := range map[string]string{"Какая погода завтра?": "Можно спросить", "Tell me a joke": "You can ask", "Подтверждаю": "код черновика"} {
		if answer := offlineSays(t, []llms.MessageContent{human(question)}, offering()); !strings.Contains(answer, want) {
			t.Errorf("%s: %q is not in the answer:\n%s", question, want, answer)
		}
	}
}

// A message that is too long to be gone through is not answered by what its end asks, and no part of it is ordered.
func TestATooLongMessageIsRefusedAsAWhole(t *testing.T) {
	for _, c := range []struct{ filler, question, answer string }{
		{"Строка из переписки. ", "Закажи у поставщика «Ромашка» 10 шт. товара ЧАЙ-1", "слишком длинное"},
		{"A line of a letter. ", "Which goods are below their minimum?", "too long"},
	} {
		asked := human(strings.Repeat(c.filler, mostHeard/len(c.filler)+1) + c.question)
		response, err := New(func() time.Time { return asking }).GenerateContent(t.Context(), []llms.MessageContent{asked}, offering())
		if err != nil {
			t.Fatal(err)
		}
		if said := response.Choices[0]; len(said.ToolCalls) > 0 || !strings.Contains(said.Content, c.answer) {
			t.Errorf("%q: %v, calls %v", c.question, said.Content, said.ToolCalls)
		}
	}
}
