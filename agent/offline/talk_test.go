package offline

import (
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
)

func told(text string) llms.MessageContent { return llms.TextParts(llms.ChatMessageTypeSystem, text) }

const (
	draftShown = "**Черновик**\n\nНичего не записано. Чтобы создать, ответьте: **подтверждаю PO-7K3M9X**"
	lineAsked  = "Не нашёл однозначно «Кружка». Какой товар имеется в виду? Ответьте кодом или полным названием.\n\n- Кружка керамическая (00104)"
)

// A draft has exactly the lines that the user named: no number is cut, no line left out, nothing guessed.
func TestOfflineDraftsExactlyWhatIsNamed(t *testing.T) {
	for question, want := range map[string]string{
		"Закажи 20 штук «Кружка» у Ромашки":                            `draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"Ромашки"}`,
		"Закажи 1 000 шт «Кружка» и 2,5 шт «Чай» у поставщика Ромашка": `draft_purchase_order {"lines":[{"product":"Кружка","units":1000},{"product":"Чай","units":2.5}],"supplier":"Ромашка"}`,
		"Закажи у поставщика «ООО «Ромашка»» 10 шт «Носки»":            `draft_purchase_order {"lines":[{"product":"Носки","units":10}],"supplier":"ООО «Ромашка»"}`,
		"Сделай заказ поставщику ООО «Ромашка» на недостающее":         `draft_purchase_order {"from_shortage":true,"supplier":"ООО «Ромашка»"}`,
		`Create a purchase order from Acme for 10 pcs of "Mug"`:        `draft_purchase_order {"lines":[{"product":"Mug","units":10}],"supplier":"Acme"}`,
		"Закажи -5 шт «Кружка» у поставщика Ромашка":                   `draft_purchase_order {"lines":[{"product":"Кружка","units":-5}],"supplier":"Ромашка"}`,
		"перекинь 3 штуки «Кружка» с основного в шоурум":               `draft_transfer {"from_warehouse":"основного","lines":[{"product":"Кружка","units":3}],"to_warehouse":"шоурум"}`,
		"Поставь цену 1 990 на «Кружка»":                               `draft_price_change {"lines":[{"price":1990,"product":"Кружка"}]}`,
		"Подними цену «Кружка» до 3 100":                               `draft_price_change {"lines":[{"price":3100,"product":"Кружка"}]}`,
		"Поставь цену с 990 до 1200 на «Кружка»":                       `draft_price_change {"lines":[{"price":1200,"product":"Кружка"}]}`,
		"Поставь цену 990 на «Кружка» и 1 500 на «Чай»":                `draft_price_change {"lines":[{"price":990,"product":"Кружка"},{"price":1500,"product":"Чай"}]}`,

		"Закажи 20 шт «Кружка»": `draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":""}`, // which says whom to choose from

		// What cannot be drafted as it is said is asked for.
		"Закажи у Ромашки кружки":                          ``,
		"Закажи 10 шт «Кружка» и «Чай» у Ромашки":          ``,
		"Подними цены на 10% на всё":                       ``,
		"Подними цену «Кружка» на 100 рублей":              ``,
		"Поставь цену товара 00104 0 рублей":               ``,
		"Закажи 00104 шт «Кружка» у Ромашки":               ``,
		`Lower the price of "Mug" by 5`:                    ``,
		"Переместить «Кружка» с Основного на склад Самара": ``,
	} {
		t.Run(question, func(t *testing.T) {
			if got := strings.Join(picked(t, human(question)), "; "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
			if want == "" && strings.Contains(offlineSays(t, []llms.MessageContent{human(question)}, offering()), "не понял") {
				t.Error("what is missing is not asked for")
			}
		})
	}
}

// Answers to what was asked, one after the other, complete the question; other messages do not.
func TestOfflineTakesAnswersToItsQuestions(t *testing.T) {
	for name, test := range map[string]struct {
		conversation []llms.MessageContent
		want         string
	}{
		"a product by the line that was shown": {
			[]llms.MessageContent{human("Перемести 3 шт «Кружка» и 2 шт «Чай» со склада Основной на склад Казань"), said(lineAsked), human("Кружка керамическая (00104)")},
			`draft_transfer {"from_warehouse":"Основной","lines":[{"product":"00104","units":3},{"product":"Чай","units":2}],"to_warehouse":"Казань"}`,
		},
		"two answers": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru), human("Ромашка"), said(lineAsked), human("00104")},
			`draft_purchase_order {"lines":[{"product":"00104","units":20}],"supplier":"Ромашка"}`,
		},
		"a new question instead of an answer": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru), human("А сколько у нас денег на счетах?")},
			`money_position {}`,
		},
		"a short question instead of an answer": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said("В учёте нет «Кружка». " + asks["product"].ru), human("ABC анализ")}, `abc_xyz {}`,
		},
		"a name like a question, as it was shown": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка» у Ромашки"), said("Не нашёл однозначно «Кружка». " + asks["product"].ru + "\n\n- Кружка Оборот (00104)\n- Кружка Уют (00105)"), human("Кружка Оборот")},
			`draft_purchase_order {"lines":[{"product":"Кружка Оборот","units":20}],"supplier":"Ромашки"}`,
		},
		"a follow-up of a follow-up": {
			[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("а за сентябрь?"), said("…"), human("а по каналам?")},
			`margin {"from":"2026-09-01","group_by":"channel","to":"2026-09-30"}`,
		},
		"a warehouse by its number is asked for": {
			[]llms.MessageContent{human("Что ниже минимума?"), said("…"), human("а по второму складу?")},
			`below_minimum {"warehouse":"второму складу"}`,
		},
		"a follow-up whose warehouse was asked for": {
			[]llms.MessageContent{human("Что ниже минимума?"), said("…"), human("а по второму складу?"), said(asks["warehouse"].ru), human("Шоурум")},
			`below_minimum {"warehouse":"Шоурум"}`,
		},
		"the last of two questions": {
			[]llms.MessageContent{human("Перемести 3 шт «Кружка» с Основного на склад Казань"), said("Не нашёл однозначно «Основного». " + asks["from_warehouse"].ru + "\n\n" + lineAsked), human("00104")},
			`draft_transfer {"from_warehouse":"Основного","lines":[{"product":"00104","units":3}],"to_warehouse":"Казань"}`,
		},
		"a marketplace in the place of a warehouse": {
			[]llms.MessageContent{human("Сколько ножей в шоуруме?"), said("…"), human("а на озоне?")}, `stock {"query":"ножей","warehouse":"Ozon"}`,
		},
		"an ordinal alone":      {[]llms.MessageContent{human("Прибыль за первую неделю октября"), said("…"), human("а за вторую?")}, ``},
		"nothing that changes":  {[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("а теперь?")}, ``},
		"thanks change nothing": {[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("спасибо!")}, ``},
		"why is no product":     {[]llms.MessageContent{human("Сколько осталось «Чайник»?"), said("…"), human("почему?")}, ``},
		"an unrelated question": {[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("Какая погода завтра?")}, ``},
		"a yes is no question":  {[]llms.MessageContent{human("Сделай заказ поставщику «Ромашка» на недостающее"), said(draftShown), human("да, создавай")}, ``},
		"a no is no question":   {[]llms.MessageContent{human("Сделай заказ поставщику «Ромашка» на недостающее"), said(draftShown), human("передумал, не надо")}, ``},
		"a number of no list":   {[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru), human("1")}, `draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":""}`},
		"a number of our list": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("2")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"ИП Иванов"}`,
		},
		"an ordinal of our list": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("У второго.")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"ИП Иванов"}`,
		},
		"the last of our list": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("последний")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"ИП Иванов"}`,
		},
		"a supplier by a preposition": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("у Иванова")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"Иванова"}`,
		},
		"a product by its place": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка» у Ромашки"), said("Не нашёл однозначно «Кружка». " + asks["product"].ru + "\n\n- Кружка А (00104)\n- Кружка Б (00105)"), human("вторая")},
			`draft_purchase_order {"lines":[{"product":"00105","units":20}],"supplier":"Ромашки"}`,
		},
		"a code that is a number": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка» у Ромашки"), said("Не нашёл однозначно «Кружка». " + asks["product"].ru + "\n\n- Кружка А (2)\n- Кружка Б (1)"), human("2")},
			`draft_purchase_order {"lines":[{"product":"2","units":20}],"supplier":"Ромашки"}`,
		},
		"a warehouse by its place": {
			[]llms.MessageContent{human("Сколько чая на складе Осно?"), said(asks["warehouse"].ru + "\n\n- Основной\n- Основа"), human("На второй")}, `stock {"query":"чая","warehouse":"Основа"}`,
		},
		"a yes to the only one": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»"), human("Да")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"ООО «Ромашка»"}`,
		},
		"a yes to several": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ООО «Звезда»"), human("да")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":""}`,
		},
		"a yes to several warehouses": {
			[]llms.MessageContent{human("Сколько чая на складе Осно?"), said("Не нашёл однозначно «Осно». " + asks["warehouse"].ru + "\n\n- Основной\n- Основа"), human("да")},
			`stock {"query":"чая","warehouse":"Осно"}`,
		},
		"a yes to several products": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка» у Ромашки"), said("Не нашёл однозначно «Кружка». " + asks["product"].ru + "\n\n- Кружка А (00104)\n- Кружка Б (00105)"), human("да")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":"Ромашки"}`,
		},
		"a place of nothing": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("третий")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20}],"supplier":""}`,
		},
		"a long question instead of an answer": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»"), human("Покажи что ниже минимума на складах")}, `below_minimum {}`,
		},
		"lines that are added while we ask": {
			[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("и 5 шт «Чай»"),
				said(asks["supplier"].ru + "\n\n- ООО «Ромашка»\n- ИП Иванов"), human("первый")},
			`draft_purchase_order {"lines":[{"product":"Кружка","units":20},{"product":"Чай","units":5}],"supplier":"ООО «Ромашка»"}`,
		},
		"goods with a capital letter are no place": {
			[]llms.MessageContent{human("Подними цену на Сланцы Белый Кит до 1500")}, `draft_price_change {"lines":[{"price":1500,"product":"Сланцы Белый Кит"}]}`,
		},
		"praise changes nothing":   {[]llms.MessageContent{human("Маржа за октябрь"), said("…"), human("Отлично!")}, ``},
		"cancelled while we ask":   {[]llms.MessageContent{human("Закажи 20 шт «Кружка»"), said(asks["supplier"].ru), human("отмена")}, ``},
		"a product where none was": {[]llms.MessageContent{human("Сколько денег на счетах?"), said("…"), human("кружки")}, ``},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(picked(t, test.conversation...), "; "); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// A message after a draft makes another one only by naming lines, numbers or a supplier, never the same again; what it
// leaves open is asked for.
func TestOfflineNeverDraftsTheSameAgain(t *testing.T) {
	const (
		order    = "Закажи 20 шт «Кружка» у Ромашки"
		transfer = "Перемести 3 шт «Кружка» с Основного на склад Казань"
		pricing  = "Поставь цену 990 на «Кружка»"
	)
	for _, test := range []struct {
		first string
		then  []string
		want  string
	}{
		{order, []string{"а 30 шт?"}, `draft_purchase_order {"lines":[{"product":"Кружка","units":30}],"supplier":"Ромашки"}`},
		{order, []string{"нет, 5 шт", "а 7 шт?"}, `draft_purchase_order {"lines":[{"product":"Кружка","units":7}],"supplier":"Ромашки"}`},
		{order, []string{"теперь 5 шт «Чай»"}, `draft_purchase_order {"lines":[{"product":"Чай","units":5}],"supplier":"Ромашки"}`},
		{order, []string{"и 5 шт «Чай»"}, `draft_purchase_order {"lines":[{"product":"Кружка","units":20},{"product":"Чай","units":5}],"supplier":"Ромашки"}`},
		{order, []string{"Добавь 5 шт «Чай»", "ещё 2 шт «Мыло»"}, `draft_purchase_order {"lines":[{"product":"Кружка","units":20},{"product":"Чай","units":5},{"product":"Мыло","units":2}],"supplier":"Ромашки"}`},
		{order, []string{"and 5 pcs of “Tea”", "нет, 5 шт «Мыло»"}, `draft_purchase_order {"lines":[{"product":"Мыло","units":5}],"supplier":"Ромашки"}`},
		{order, []string{"ещё 5 шт"}, ``},
		{transfer, []string{"и 2 шт «Чай»"}, `draft_transfer {"from_warehouse":"Основного","lines":[{"product":"Кружка","units":3},{"product":"Чай","units":2}],"to_warehouse":"Казань"}`},
		{order, []string{"теперь «Чай»"}, ``},
		{order, []string{"теперь у Василька"}, ``},
		{order, []string{"теперь"}, ``},
		{order, []string{"отлично"}, ``},
		{order, []string{"а за октябрь?"}, ``},
		{order, []string{"а что на складе?"}, `stock {}`},
		{order, []string{"а что на складе?", "а в Казани?"}, `stock {"warehouse":"Казани"}`},
		{transfer, []string{"теперь 5 штук"}, `draft_transfer {"from_warehouse":"Основного","lines":[{"product":"Кружка","units":5}],"to_warehouse":"Казань"}`},
		{transfer, []string{"теперь на Самару"}, ``},
		{pricing, []string{"теперь 1200 на «Чай»"}, ``},
		{"Сделай заказ поставщику «Ромашка» на недостающее", []string{"теперь 5 шт «Чай»"}, `draft_purchase_order {"lines":[{"product":"Чай","units":5}],"supplier":"Ромашка"}`},
	} {
		t.Run(test.first+" | "+strings.Join(test.then, " | "), func(t *testing.T) {
			conversation := []llms.MessageContent{human(test.first)}
			for _, text := range test.then {
				conversation = append(conversation, said("…"), human(text))
			}
			if got := strings.Join(picked(t, conversation...), "; "); got != test.want {
				t.Errorf("\n got %s\nwant %s", got, test.want)
			}
		})
	}
}

// Whoever answers a draft with anything but its code is told the words, and that nothing is written.
func TestOfflineSaysHowADraftIsConfirmed(t *testing.T) {
	for answer, want := range map[string][]string{
		"да": {"ничего не записано", "**подтверждаю PO-7K3M9X**"}, "подтверждаю": {"ничего не записано", "**подтверждаю PO-7K3M9X**"},
		"ok, go ahead": {"Nothing is written", "**confirm PO-7K3M9X**"}, "отлично": {"ничего не записано", "**подтверждаю PO-7K3M9X**"},
		"отмени": {"Ничего не записано", "**отменить PO-7K3M9X**"}, "never mind": {"Nothing is written", "**cancel PO-7K3M9X**"},
	} {
		before := []llms.MessageContent{human("Сделай заказ поставщику «Ромашка» на недостающее"), said(draftShown), human(answer)}
		got := offlineSays(t, before, offering())
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%s: no %q in\n%s", answer, part, got)
			}
		}
		settled := offlineSays(t, append([]llms.MessageContent{told("What has become of the drafts:\nPO-7K3M9X: created, document \"1\"")}, before...), offering())
		if strings.Contains(settled, "PO-7K3M9X") {
			t.Errorf("%s: a draft that is settled is said to wait:\n%s", answer, settled)
		}
	}
}

// Questions that were once answered with another report, or with that of the whole shop.
func TestOfflineIsNotMisledByWords(t *testing.T) {
	for question, want := range map[string]string{
		"сколько продали вчера":                                    `margin {"from":"2026-11-20","to":"2026-11-20"}`,
		"сколько продали футболок в октябре":                       `margin {"from":"2026-10-01","limit":1000,"to":"2026-10-31"}`,
		"чего мало на складах":                                     `below_minimum {}`,
		"что хуже всего продаётся":                                 `slow_movers {}`,
		"хватит ли носков на месяц?":                               `reorder_points {"query":"носков"}`,
		"Покажи отрицательные остатки на складе Основной":          `negative_stock {"warehouse":"Основной"}`,
		"что купить срочно":                                        `shortage_by_supplier {}`,
		"что заказать у Ромашки":                                   `shortage_by_supplier {}`,
		"неликвиды на складе вайлдберриз":                          `dead_stock {"warehouse":"Wildberries"}`,
		"остаток чайников на основном складе":                      `stock {"query":"чайников","warehouse":"основном"}`,
		"Сколько чайников на основном складе и сколько в шоуруме?": `stock {"query":"чайников"}`,
		"по какой цене закупаем «Кофе»":                            `search_products {"query":"Кофе"}`,
		"Сколько осталось на всех складах":                         `stock {}`,
	} {
		t.Run(question, func(t *testing.T) {
			if got := strings.Join(picked(t, human(question)), "; "); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// What is sold, short or dead is told of the product that was asked for where the result has it.
func TestOfflineShowsTheRowsOfTheProduct(t *testing.T) {
	const margin = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[{"name":"Футболка Уют","code":"1","units":3},{"name":"Чай","code":"2","units":5}],"total_rows":2}}}`
	got := offlineSays(t, outcomeOf("Сколько продали футболок в октябре?", "margin", `{"limit":1000}`, margin), offering())
	if !strings.Contains(got, "| Футболка Уют |") || strings.Contains(got, "| Чай |") || !strings.Contains(got, "по всем товарам") {
		t.Errorf("not only the product that was asked for:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Сколько продали «Стул» в октябре?", "margin", `{"limit":1000}`, margin), offering()); !strings.Contains(got, "«Стул» не встречается") {
		t.Errorf("a product that is not in the rows:\n%s", got)
	}
	followed := []llms.MessageContent{human("Маржа «Футболка»"), said("…")}
	if got := offlineSays(t, append(followed, outcomeOf("а по стульям?", "margin", `{"limit":1000}`, margin)...), offering()); strings.Contains(got, "не встречается") || !strings.Contains(got, "весь отчёт") {
		t.Errorf("a word without quotes may be no product, and the report is not of it:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Какая получилась маржа?", "margin", `{"limit":1000}`, margin), offering()); strings.Contains(got, "весь отчёт") {
		t.Errorf("a word of the question is told as a product:\n%s", got)
	}
	const none = `{"data":{"tool":"stock","result":{"matched":false,"rows":[]}}}`
	if got := offlineSays(t, outcomeOf("Сколько осталось рогоф?", "stock", `{"query":"рогоф"}`, none), offering()); !strings.Contains(got, "«рогоф» в учёте не нашлось") || !strings.Contains(got, "написание") {
		t.Errorf("a product that there is not:\n%s", got)
	}
}

// Who asks for the most profitable gets no order of revenue, and who asks for a channel not the whole shop unsaid.
func TestOfflineShowsTheRowsThatAreWanted(t *testing.T) {
	const margin = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[{"name":"Плед","revenue":900,"profit":9.5,"margin_percent":1.06},{"name":"Сайт","revenue":800,"profit":null,"margin_percent":null},{"name":"Чай","revenue":100,"profit":10,"margin_percent":10}],"total_rows":3}}}`
	order := func(answer string, names ...string) bool {
		for _, name := range names {
			_, rest, found := strings.Cut(answer, "| "+name+" |")
			if !found {
				return false
			}
			answer = rest
		}
		return true
	}
	for _, question := range []string{"Топ товаров по прибыли за октябрь", "Самые прибыльные товары", "Какие товары приносят больше всего прибыли?", "Top products by profit", "Топ по марже"} {
		if got := offlineSays(t, outcomeOf(question, "margin", `{"limit":1000}`, margin), offering()); !order(got, "Чай", "Плед", "Сайт") {
			t.Errorf("%s:\n%s", question, got)
		}
	}
	if got := offlineSays(t, outcomeOf("Какие товары убыточные?", "margin", `{"limit":1000}`, margin), offering()); !order(got, "Плед", "Чай", "Сайт") {
		t.Errorf("the least profitable:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Топ 2 по прибыли", "margin", `{"limit":1000}`, margin), offering()); !order(got, "Чай", "Плед") || strings.Contains(got, "Сайт") {
		t.Errorf("two are asked for:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Топ по выручке", "margin", `{}`, margin), offering()); !order(got, "Плед", "Сайт", "Чай") {
		t.Errorf("the order of revenue:\n%s", got)
	}
	const channels = `{"data":{"tool":"margin","currency":"RUB","result":{"rows":[{"name":"Ozon","profit":5},{"name":"Сайт","profit":7}],"total_rows":2}}}`
	if got := offlineSays(t, outcomeOf("Прибыль у озона за октябрь", "margin", `{"group_by":"channel"}`, channels), offering()); strings.Contains(got, "| Сайт |") || !strings.Contains(got, "только канал «Ozon»") {
		t.Errorf("not only the channel:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Прибыль на авито за октябрь", "margin", `{"group_by":"channel"}`, channels), offering()); !strings.Contains(got, "Канала «Avito» в этом отчёте нет") || !order(got, "Ozon", "Сайт") {
		t.Errorf("a channel that is not there:\n%s", got)
	}
	const debts = `{"data":{"tool":"money_position","currency":"RUB","result":{"top_debtors":[{"counterparty":"Ozon","amount":5},{"counterparty":"Лабиринт","amount":7}],"top_creditors":[{"counterparty":"Ромашка","amount":3}]}}}`
	if got := offlineSays(t, outcomeOf("Сколько нам должен «Лабиринт»?", "money_position", `{}`, debts), offering()); !strings.Contains(got, "только «Лабиринт»") ||
		!strings.Contains(got, "Лабиринт |") || strings.Contains(got, "Ozon |") || strings.Contains(got, "Ромашка |") {
		t.Errorf("not only the debtor:\n%s", got)
	}
	if got := offlineSays(t, outcomeOf("Сколько нам должен «Марс»?", "money_position", `{}`, debts), offering()); !strings.Contains(got, "Контрагента «Марс» в строках этого отчёта нет") ||
		!strings.Contains(got, "Лабиринт |") || !strings.Contains(got, "Ozon |") || !strings.Contains(got, "Ромашка |") {
		t.Errorf("a debtor that is not there:\n%s", got)
	}
}

// A name that is in no row is told to be in none: the whole report would pass for that of the name.
func TestOfflineTellsOfANameThatIsInNoRow(t *testing.T) {
	const minimums = `{"data":{"tool":"below_minimum","result":{"rows":[{"name":"Чай","warehouse":"Основной","units":1}],"total_rows":1}}}`
	if got := offlineSays(t, outcomeOf("What is below minimum for Main", "below_minimum", `{"limit":1000}`, minimums), offering()); !strings.Contains(got, "none of its rows has the words “Main”") {
		t.Errorf("%s", got)
	}
	if got := offlineSays(t, outcomeOf("Хочу минимумы", "below_minimum", `{"limit":1000}`, minimums), offering()); strings.Contains(got, "Хочу") {
		t.Errorf("the question's first word is no name:\n%s", got)
	}
}

// A client's own tool may call any argument wrong: the question is asked all the same.
func TestOfflineTellsOfAProblemAnywhereInACall(t *testing.T) {
	for _, field := range []string{"lines.-1.product", "lines.7.product", "lines.0.product.product", "supplier.0"} {
		answer := `{"error":{"message":"odd","fields":[{"field":"` + field + `","candidates":["A","B"]}]}}`
		conversation := outcomeOf("Закажи 20 шт «Кружка» у Ромашки", "draft_purchase_order", `{"supplier":"Ромашки","lines":[{"product":"Кружка"}]}`, answer)
		if got := offlineSays(t, conversation, offering()); got == "" || strings.Contains(got, "Кружка") || strings.Contains(got, "Ромашки") {
			t.Errorf("%s: %q", field, got)
		}
	}
}

// Nothing is asked for that was understood: a transfer to where the goods are is said to be one.
func TestOfflineSaysThatATransferNeedsAnotherWarehouse(t *testing.T) {
	const answer = `{"error":{"message":"no","fields":[{"field":"to_warehouse","problem":"нужен другой склад, не тот же, указано «Основной»"}]}}`
	conversation := outcomeOf("Перемести 5 шт «Кружка» со склада Основной на Основной", "draft_transfer", `{"to_warehouse":"Основной"}`, answer)
	if got := offlineSays(t, conversation, offering()); strings.Contains(got, "Не нашёл") || !strings.Contains(got, "нужен другой склад") {
		t.Errorf("%q", got)
	}
}

// What is not done is said to be not done.
func TestOfflineRefusesToPostAndDelete(t *testing.T) {
	for question, want := range map[string]string{"Проведи все заказы": "не провожу", "удали товар Кружка": "не удаляю", "Delete all orders": "I delete"} {
		if got := offlineSays(t, []llms.MessageContent{human(question)}, offering()); !strings.Contains(got, want) {
			t.Errorf("%s: %s", question, got)
		}
	}
}

// A day that there is not is named as it was said: its month alone would be no mistake.
func TestOfflineNamesTheDayThatThereIsNot(t *testing.T) {
	for question, want := range map[string]string{
		"Какая прибыль за 31 ноября?":            "«31 ноября»",
		"маржа с 20 по 10 октября":               "«с 20 по 10 октября»",
		"Profit for February 30?":                "“february 30”",
		"margin from 2026-13-01 to 2026-14-01":   "“2026-13-01”",
		"Сколько продали 31 сентября 2026 года?": "«31 сентября 2026 года»",
		"маржа за 31.11.2026":                    "«31.11.2026»",
		"margin for 2026-02-30":                  "“2026-02-30”",
		"маржа с 25.10 по 31.11":                 "«31.11»",
		"маржа за 29 февраля":                    "«29 февраля»",
		"маржа с 1 по 29 февраля 2026":           "«29 февраля 2026»",
	} {
		if got := picked(t, human(question)); len(got) > 0 {
			t.Errorf("%s: %s", question, got)
		}
		if got := offlineSays(t, []llms.MessageContent{human(question)}, offering()); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", question, want, got)
		}
	}
}

// A code is searched for as it is said.
func TestOfflineSearchesForACode(t *testing.T) {
	for question, want := range map[string]string{
		"найди 00043": `search_products {"query":"00043"}`, "сколько осталось 00043?": `stock {"query":"00043"}`, "find 2000000000288": `search_products {"query":"2000000000288"}`,
		"Сколько осталось на 3 складах?": `stock {}`,
	} {
		if got := strings.Join(picked(t, human(question)), "; "); got != want {
			t.Errorf("%s:\n got %s\nwant %s", question, got, want)
		}
	}
}

// What goes on with a question changes what it names, and keeps the rest.
func TestOfflineKeepsWhatAFollowUpDoesNotName(t *testing.T) {
	for _, test := range []struct {
		said []string
		want string
	}{
		{[]string{"Точка заказа для «Гантель», срок 14 дней", "а при 30 днях?"}, `reorder_points {"lead_time_days":30,"query":"Гантель"}`},
		{[]string{"Точка заказа для Гантель Рябина, срок 14 дней, сервис 95%", "а при сроке 30 дней?"}, `reorder_points {"lead_time_days":30,"query":"Гантель Рябина","service_level":0.95}`},
		{[]string{"Оборот за октябрь", "по складу Основной"}, `turnover {"from":"2026-10-01","to":"2026-10-31","warehouse":"Основной"}`},
		{[]string{"Неликвид", "for Main"}, `dead_stock {"warehouse":"Main"}`},
		{[]string{"Dead stock", "only in Main"}, `dead_stock {"warehouse":"Main"}`},
		{[]string{"Сверь отгрузки за октябрь", "по Ozon", "а за прошлую неделю"}, `reconcile_shipments {"channel":"Ozon","from":"2026-11-09","to":"2026-11-15"}`},
		{[]string{"Маржа за октябрь", "Какая погода в Сочи?", "а за сентябрь?"}, `margin {"from":"2026-09-01","to":"2026-09-30"}`},
	} {
		conversation := []llms.MessageContent{human(test.said[0])}
		for _, text := range test.said[1:] {
			conversation = append(conversation, said("…"), human(text))
		}
		if got := strings.Join(picked(t, conversation...), "; "); got != test.want {
			t.Errorf("%s\n got %s\nwant %s", test.said, got, test.want)
		}
	}
}

// Another supplier in a follow-up is that one.
func TestOfflineFollowsFromSupplierToSupplier(t *testing.T) {
	const shortages = `{"data":{"tool":"shortage_by_supplier","currency":"RUB","result":{"suppliers":[{"supplier":"ООО «Ромашка»","money":1,"lines":[]},{"supplier":"ООО «ТекстильПром»","money":2,"lines":[]}]}}}`
	for _, first := range []string{"Что заказать у поставщика Ромашка?", "Что заказать у поставщиков?"} {
		for _, next := range []string{"а у ТекстильПром?", "а у ООО «ТекстильПром»?", "а у поставщика «ТекстильПром»"} {
			conversation := append([]llms.MessageContent{human(first), said("…")}, outcomeOf(next, "shortage_by_supplier", `{}`, shortages)...)
			if got := offlineSays(t, conversation, offering()); strings.Contains(got, "Ромашка»**") || !strings.Contains(got, "ТекстильПром»**") {
				t.Errorf("%s | %s:\n%s", first, next, got)
			}
		}
	}
}

// Goods behind "на складе" are taken for a warehouse at first; where there is no such one, they are searched for, and where neither is
// there, the warehouse is asked for.
func TestOfflineFindsGoodsInThePlaceOfAWarehouse(t *testing.T) {
	const noPlace = `{"error":{"message":"no","fields":[{"field":"warehouse","problem":"no such warehouse","fits":"none","candidates":["Основной","Шоурум"]}]}}`
	for question, want := range map[string]string{
		"Сколько на складе чайников?":              `stock {"query":"чайников"}`,
		"Сколько на складе Чайник заварочный Уют?": `stock {"query":"Чайник заварочный Уют"}`,
		"skolko na sklade chaynik?":                `stock {"query":"чайник"}`,
		"Сколько чайников на складе Казань?":       ``,
		"Сколько на складе Основнй?":               `stock {"warehouse":"Основной"}`,
	} {
		first := picked(t, human(question))
		_, arguments, _ := strings.Cut(strings.Join(first, ""), " ")
		if got := strings.Join(picked(t, outcomeOf(question, "stock", arguments, noPlace)...), "; "); got != want {
			t.Errorf("%s: %s\n got %s\nwant %s", question, first, got, want)
		}
	}
	const some = `{"data":{"tool":"stock","result":{"matched":true,"rows":[{"name":"Чайник"}]}}}`
	found := append(outcomeOf("Сколько на складе чайников?", "stock", `{"warehouse":"чайников"}`, noPlace), outcomeOf("", "stock", `{"query":"чайник"}`, some)[1:]...)
	if got := strings.Join(picked(t, append(found, said("…"), human("а на складе Шоурум?"))...), "; "); got != `stock {"query":"чайник","warehouse":"Шоурум"}` {
		t.Errorf("the goods are forgotten: %s", got)
	}
	const none = `{"data":{"tool":"stock","result":{"matched":false,"rows":[]}}}`
	both := outcomeOf("Сколько на складе Казань?", "stock", `{"warehouse":"Казань"}`, noPlace)
	for _, query := range []string{"Казань", "казан"} {
		both = append(both, outcomeOf("", "stock", `{"query":"`+query+`"}`, none)[1:]...)
	}
	if got := offlineSays(t, both, offering()); !strings.Contains(got, "Какой склад имеется в виду?") || strings.Contains(got, "не нашлось") {
		t.Errorf("neither a warehouse nor goods:\n%s", got)
	}
}

// A name that a follow-up asks for is told to be in the report or not: the same report again would pass for an answer.
func TestOfflineTellsWhomAFollowUpNames(t *testing.T) {
	const money = `{"data":{"tool":"money_position","currency":"RUB","result":{"top_debtors":[{"counterparty":"ИП Васильев","amount":5},{"counterparty":"ООО «Лютик»","amount":7}],"top_creditors":[]}}}`
	const runway = `{"data":{"tool":"cash_runway","result":{"currencies":[],"months":[]}}}`
	asked := []llms.MessageContent{human("Кто нам должен?"), said("…")}
	if got := offlineSays(t, append(asked, outcomeOf("а Васильев?", "money_position", `{}`, money)...), offering()); strings.Contains(got, "Лютик") || !strings.Contains(got, "только «Васильев»") {
		t.Errorf("a counterparty:\n%s", got)
	}
	if got := offlineSays(t, append(asked, outcomeOf("теперь Books 3", "money_position", `{}`, money)...), offering()); !strings.Contains(got, "«Books 3» в строках этого отчёта нет") {
		t.Errorf("nobody:\n%s", got)
	}
	asked = []llms.MessageContent{human("На сколько хватит денег?"), said("…")}
	if got := offlineSays(t, append(asked, outcomeOf("а Васильев?", "cash_runway", `{}`, runway)...), offering()); !strings.Contains(got, "а не только о «Васильев»") {
		t.Errorf("a report that is of no name:\n%s", got)
	}
}
