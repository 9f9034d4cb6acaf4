package render

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
)

func resultOf(tool, body string, notes ...tools.Note) *tools.Result {
	return &tools.Result{
		Tool: tool, Currency: "RUB", AsOf: time.Date(2026, 11, 21, 9, 5, 0, 0, time.UTC),
		Result: json.RawMessage(body), Notes: notes,
	}
}

const moneyBody = `{"accounts":[{"name":"40702810","organization":"ООО Рога","balance":1234567.80,"currency":"RUB"},{"name":"USD","organization":"ООО Рога","balance":1500.25,"currency":"USD"}],
	"cash":1234567.80,"receivables":null,"payables":-0.00,"net":-1750000.5,"debtors":0,"creditors":1,"other_currencies":[{"currency":"USD","cash":1500.25}],"top_debtors":[],
	"top_creditors":[{"counterparty":"А | Б","amount":5}],"source":"documents"}`

// The files in testdata have no unknown or negative amounts, and no names with markup.
func TestMoneyFollowsTheLanguage(t *testing.T) {
	for lang, want := range map[string][]string{
		"ru": {"- Нам должны: нет данных\n- Должников: 0\n- Мы должны: 0,00 ₽\n", "−1 750 000,50 ₽", "| USD | ООО Рога | 1 500,25 $ | USD |", `| А \| Б | 5,00 ₽ |`},
		"en": {"- Owed to us: unknown\n- Debtors: 0\n- Owed by us: RUB 0.00\n", "RUB −1,750,000.50", "| USD | ООО Рога | USD 1,500.25 | USD |", `| А \| Б | RUB 5.00 |`},
	} {
		got := strings.NewReplacer("\u202f", " ", "\u00a0", " ").Replace(Result(lang, resultOf("money_position", moneyBody)))
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("no %q in\n%s", text, got)
			}
		}
		if strings.Contains(got, "должники") || strings.Contains(got, "debtors**") {
			t.Errorf("an empty table is shown:\n%s", got)
		}
	}
}

func TestNumbersHaveNoBreakSpaces(t *testing.T) {
	for _, c := range []struct{ lang, value, currency, want string }{
		{"ru", "1234.5", "RUB", "1\u202f234,50\u00a0₽"}, {"ru", "-0.00", "RUB", "0,00\u00a0₽"}, {"ru", "999", "KZT", "999,00\u00a0₸"},
		{"en", "1234567.9", "RUB", "RUB\u00a01,234,567.90"}, {"ru", "1140.216", "RUB", "1\u202f140,216\u00a0₽"}, {"en", "-12", "USD", "USD\u00a0−12.00"}, {"ru", "1", "UZS", "1,00\u00a0UZS"}, {"ru", "1", "", "1,00"},
	} {
		if got := amount(c.lang, decimal.RequireFromString(c.value), c.currency); got != c.want {
			t.Errorf("%s %s %s in %s: %q, want %q", c.value, c.currency, "", c.lang, got, c.want)
		}
	}
}

func TestUnknownIsNeverZero(t *testing.T) {
	body := `{"matched":true,"rows":[{"name":"Рога","code":"1","warehouse":null,"units":0,"reserved":0,"in_transit":0,"available":0,"unit_cost":null,"money":null,"cost_basis":null}],
		"total_rows":1,"warehouses":[],"totals":{"positions":1,"units":0,"money":null,"positions_without_cost":1}}`
	got := Result("ru", resultOf("stock", body))
	for _, want := range []string{"Сумма по себестоимости: нет данных", "| Рога | 1 | склад не указан | 0 | 0 | 0 | 0 | нет данных | нет данных | нет данных |"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if broken := Result("en", &tools.Result{Tool: "stock", Result: json.RawMessage(`null`)}); !strings.Contains(broken, "unknown") && !strings.Contains(broken, "Stock") {
		t.Errorf("a result that is null: %q", broken)
	}
}

func TestLongTablesNameTheHiddenRows(t *testing.T) {
	rows := strings.TrimSuffix(strings.Repeat(`{"name":"Рога","code":"1","warehouse":"А","units":-1,"elsewhere":0},`, 50), ",")
	got := Result("ru", resultOf("negative_stock", `{"rows":[`+rows+`],"total_rows":1350,"truncated":true,"totals":{"positions":1350,"products":1,"units":-1350}}`))
	if n := strings.Count(got, "| Рога |"); n != shownRows {
		t.Errorf("%d rows are shown, want %d", n, shownRows)
	}
	if want := "Не показано строк: 1\u202f320."; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// Nobody can confirm what is not shown.
func TestDraftsAreShownWhole(t *testing.T) {
	list := func(row string) string { return "[" + strings.TrimSuffix(strings.Repeat(row+",", 200), ",") + "]" }
	got := Result("en", resultOf("draft_price_change", `{"code":"PC-7K3M9X","kind":"price_change","state":"failed","totals":{},"parties":[],"lines":`+
		list(`{"name":"Рога","price":1,"old_price":2}`)+`,"left_out":`+list(`{"name":"Копыта","why":"archived"}`)+
		`,"failure":{"code":"PARTLY_WRITTEN","message":"x","changes":`+list(`{"name":"Хвосты","state":"made"}`)+`}}`))
	for _, name := range []string{"Рога", "Копыта", "Хвосты"} {
		if n := strings.Count(got, "| "+name+" |"); n != 200 {
			t.Errorf("%d rows of %s are shown, want 200", n, name)
		}
	}
	if strings.Contains(got, "Rows not shown") {
		t.Errorf("rows are hidden:\n%s", got)
	}
}

func TestResultAndItsJSONRenderAlike(t *testing.T) {
	result := resultOf("money_position", moneyBody, tools.Note{Code: tools.RebuiltFromDocuments, Text: "x"})
	encoded, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	got, err := FromJSONWithoutCommands("en", "money_position", encoded)
	if err != nil || got != ResultWithoutCommands("en", result) {
		t.Errorf("%v\n%s\nwant\n%s", err, got, ResultWithoutCommands("en", result))
	}
	for _, bad := range []string{``, `[]`, `{"error":"x"}`, `{"result":`} {
		if text, err := FromJSONWithoutCommands("en", "stock", []byte(bad)); err == nil {
			t.Errorf("%q is a result: %s", bad, text)
		}
	}
}

func TestNotesAreTranslatedAndEscaped(t *testing.T) {
	note := tools.Note{Code: tools.SearchNotApplied, Values: map[string]string{"query": "![x](http://evil.example)\n# Рога"}}
	for lang, want := range map[string]string{"ru": "не найдено", "en": "Nothing was found"} {
		got := Note(lang, note)
		if !strings.Contains(got, want) || strings.Contains(got, "](http") || strings.Contains(got, "\n") {
			t.Errorf("%s: %q", lang, got)
		}
	}
	if got := Result("en", resultOf("money_position", moneyBody)); strings.Contains(got, "Notes") {
		t.Errorf("there is a heading although there are no notes:\n%s", got)
	}
}

func TestDraftNamesItsCommand(t *testing.T) {
	body := func(state string) string {
		return `{"code":"PO-7K3M9X","kind":"purchase_order","state":"` + state + `","summary":"Заказ","lines":[{"name":"Рога","code":"1","units":2,"price":10,"money":20}],"totals":{"lines":1,"units":2,"money":20,"currency":"RUB"}}`
	}
	for lang, want := range map[string]string{"ru": "**подтверждаю PO-7K3M9X**", "en": "**confirm PO-7K3M9X**"} {
		if got := Result(lang, resultOf("draft_purchase_order", body("draft"))); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
		if got := Result(lang, resultOf("draft_purchase_order", body("created"))); strings.Contains(got, want) {
			t.Errorf("the text asks to confirm a created document:\n%s", got)
		}
		again := map[string]string{"ru": "второго документа не будет", "en": "no second document"}[lang]
		if got := Result(lang, resultOf("draft_purchase_order", body("confirmed"))); !strings.Contains(got, again) {
			t.Errorf("%s: the text after a confirmation does not say what to do:\n%s", lang, got)
		}
	}
}

// Drafts of the gateway have no tool, but are shown like the others. They have no lines.
func TestGatewayDraftIsShown(t *testing.T) {
	body := `{"code":"GW-7K3M9X","kind":"gateway","state":"created","parties":[],"lines":[],"totals":{"lines":1,"units":null,"money":null,"currency":""},"document":{"name":"00693"},"failure":null}`
	want := "**Draft GW-7K3M9X: gateway request — written to MoySklad**\n\n- Document: 00693\n\nAs of 21 November 2026, 12:05 MSK.\n"
	if got := Result("en", resultOf("draft_gateway", body)); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFailureAndDifferencesAreInTheReadersLanguage(t *testing.T) {
	body := `{"code":"TR-7K3M9X","kind":"transfer","state":"failed","parties":[],"lines":[],"totals":{"lines":1,"units":null,"money":null,"currency":""},
		"document":{"name":"00693","posting":"not_posted","differences":["positions","sum"]},"failure":{"code":"DRAFT_STALE","message":"it is gone","message_ru":"его нет"}}`
	for lang, want := range map[string][]string{
		"ru": {": товары, сумма", ": его нет", ": документ не проведён: проведите его в МоёмСкладе"},
		"en": {": products, total", ": it is gone", ": the document is not posted: post it in MoySklad"},
	} {
		got := Result(lang, resultOf("draft_transfer", body))
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("no %q in\n%s", text, got)
			}
		}
	}
}

func TestNamesAreEscaped(t *testing.T) {
	for name, want := range map[string]string{
		"А | Б":                             `А \| Б`,
		"две\nстроки\r\n и\tтаб":            `две строки и таб`,
		"**жирный** `код` ~~нет~~":          `\*\*жирный\*\* \` + "`код\\`" + ` \~\~нет\~\~`,
		"[текст](http://evil.example/?q=1)": `\[текст\](` + "`http://evil.example/?q=1`" + `)`,
		"![кот](https://evil.example)":      `!\[кот\](` + "`https://evil.example`" + `)`,
		"<img src=x>":                       `&lt;img src=x>`,
		"a < b & c":                         `a < b & c`,
		"&#49;00 &amp;":                     `\&#49;00 \&amp;`,
		"# Заголовок":                       `\# Заголовок`,
		"- пункт":                           `\- пункт`,
		"-5":                                `-5`,
		"SKU_12_a _курсив_":                 `SKU_12_a \_курсив\_`,
		"зл\u202eо\u200b\U000e0041\u0007":   `зло`,
		"Кабель 3х2,5 (100 м)":              `Кабель 3х2,5 (100 м)`,
		"javascript:alert(1)":               "`javascript:alert`(1)",
		strings.Repeat("я", 4000):           strings.Repeat("я", 199) + "…",
		"битые \xff\xfe байты":              `битые байты`,
		"\\| \\":                            `\\\| \\`,
		"www.evil.example/a`b`<c>":          "`www.evil.example/ab`&lt;c>",
		"\u2028абзац\u2029 конец\u0085строки": `абзац конец строки`,
	} {
		if got := Inline(name); got != want {
			t.Errorf("%.60q became %q, want %q", name, got, want)
		}
	}
}

// A row keeps its columns, whatever characters the names contain.
func TestNamesKeepTableColumns(t *testing.T) {
	escaped := regexp.MustCompile(`\\[[:punct:]]`)
	for _, name := range []string{"http://evil.example|x", `http://evil.example\|x`, "a`|b http://evil.example", "a\\`|b www.evil.example", "`|` evil.example/x|y"} {
		row := "| " + Inline(name) + " | 5 |"
		if strings.Count(escaped.ReplaceAllString(row, ""), "|") != 3 {
			t.Errorf("%q became %s", name, row)
		}
	}
}

func TestLanguageOfQuestionIsRecognized(t *testing.T) {
	for text, want := range map[string]string{
		"Сколько осталось Рогов на складе Основной?": "ru", "How many Horns are left in Main?": "en",
		`How many "Рога и копыта синие" are left in «Основной»?`: "en", "Покажи stock по Ozon Warehouse FBO": "ru",
		"What is the margin of Рога и копыта большие синие?": "en", "Какая маржа у iPhone 15 Pro Max Silver?": "ru",
		"margin": "en", "маржа": "ru", "123": "ru", "": "ru", "dead stock": "en", "ABC-анализ": "ru", "Wildberries прибыльнее Ozon?": "ru", "Revenue Ozon": "en", "только группа A": "ru", "Wie viel Bestand?": "en",
		"PO Romashka: 12 x Пазл Мастерица": "en", "Romashka then, 20 Миндаль Аврора": "en", "“what should I order from suppliers”": "en", "«что заказать у поставщиков»": "ru", "Пазл Мастерица Romashka": "ru", "ghbdtn": "ru", "crjkmrj ltytu yf cxtnf[": "ru", "rfrfz vfh;f?": "ru", "Ghbdtn!": "ru", "kak dela s dengami": "ru", "sales vs last month": "en", "https://shop.example/html": "en", "KRKN-5 vs HDMI cable": "en", "confirm PO-7K3M9X": "en", "подтверждаю PO-7K3M9X": "ru",
	} {
		if got := Language(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

func TestTextThatIsInNoLanguageTakesThatOfTheOneBefore(t *testing.T) {
	for text, want := range map[string]string{"15": "en", "АО «Заря»": "en", "PO-7K3M9X": "en", "по цене 15": "ru", "": "en", "Привет": "ru", "Ghbdtn": "ru"} {
		if got := Language(text, "маржа", "Order 10 lamps", "12"); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"Kivi А5": "ru", "Yiwu Trading Co. 1": "ru", "Ozon": "ru", "Show me Ozon": "en", "Stock of Kivi": "en", "stock": "en"} {
		if got := Language(text, "Закажи ручки"); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// If nothing matched, the text says so and shows no total of 0. If something matched, the text does not mention it.
func TestNotFoundHasNoFigures(t *testing.T) {
	for lang, words := range map[string][]string{"ru": {"Найдено: нет", "Единиц", "Сумма"}, "en": {"Found: no", "Units", "Value"}} {
		text, err := FromJSONWithoutCommands(lang, "stock", []byte(`{"currency":"RUB","result":{"matched":false,"rows":[],"total_rows":0,"truncated":false,"warehouses":[],"totals":null,"not_stocked":[]}}`))
		if err != nil || !strings.Contains(text, words[0]) || strings.Contains(text, words[1]) || strings.Contains(text, words[2]) {
			t.Errorf("%v:\n%s", err, text)
		}
		if text, err = FromJSONWithoutCommands(lang, "stock", []byte(`{"result":{"matched":true,"rows":[]}}`)); err != nil || strings.Contains(text, strings.Fields(words[0])[0]) {
			t.Errorf("%v:\n%s", err, text)
		}
	}
}

// Values from the call and names from the account are shown only if they may be quoted.
func TestProblemsAreTranslated(t *testing.T) {
	required, bounds := check.NewWording("is required", "не указано"), check.NewWording("must be %s to %s", "допустимо от %s до %s")
	none, gone := check.NewWording("fits none", "такого нет"), check.NewWording("is gone: %s", "удалено: %s")
	for _, c := range []struct {
		problem                      *check.Problem
		ru, en, carefulRU, carefulEN string
	}{
		{required.At("from"), "начало периода: не указано", "The start of the period is required", "начало периода: не указано", "The start of the period is required"},
		{bounds.At("service_level", "0.5", "0.999").WithValue(1.5), "уровень сервиса: допустимо от 0,5 до 0,999, указано 1,5", "Service level must be 0.5 to 0.999, got 1.5",
			"уровень сервиса: допустимо от 0,5 до 0,999", "Service level must be 0.5 to 0.999"},
		{none.At("lines.2.product").WithValue("[x](http://y.z)").WithChoices([]string{"Рога *", "Копыта"}, true),
			"товар: такого нет, указано «\\[x\\](`http://y.z`)»; есть: Рога \\*, Копыта и другие", "Product fits none, got \"\\[x\\](`http://y.z`)\"; there are Рога \\*, Копыта and others",
			"товар: такого нет", "Product fits none"},
		{none.At("done_states.0").WithValue(""), "статус: такого нет, указано «»", `Done states fits none, got ""`, "статус: такого нет", "Done states fits none"},
		{gone.At("supplier", check.Name("Рога 24")), "поставщик: удалено: «Рога 24»", `Supplier is gone: "Рога 24"`, "", ""},
		{required.At("profit_777"), "условие «profit_777»: не указано", "Profit 777 is required", "", ""},
	} {
		for _, want := range []struct {
			lang, text string
			may        bool
		}{{"ru", c.ru, true}, {"en", c.en, true}, {"ru", c.carefulRU, false}, {"en", c.carefulEN, false}} {
			if got, ok := Problem(want.lang, c.problem, func(string) bool { return want.may }); got != want.text || ok != (want.text != "") {
				t.Errorf("%s: %q (%v), want %q", want.lang, got, ok, want.text)
			}
		}
	}
}

// Labels must state the exact bounds: stock that lasts exactly the given time is not listed, revenue excludes returns,
// and days of sales end before today.
func TestLabelsStateExactBounds(t *testing.T) {
	for tool, want := range map[string]string{
		"slow_movers":    "- Запаса хватит больше чем на дней: 180\n",
		"margin":         "- Чистая выручка (за вычетом возвратов): 10,00\u00a0₽\n",
		"reorder_points": "- Продажи до сегодняшнего дня, дней: 90\n",
	} {
		body := `{"currency":"RUB","result":{"min_cover_days":180,"window_days":90,"totals":{"revenue":10},"rows":[]}}`
		if got, err := FromJSONWithoutCommands("ru", tool, []byte(body)); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %v, no %q in\n%s", tool, err, want, got)
		}
	}
}

// A channel has no code, so the table must not show its code as "unknown".
func TestChannelsHaveNoCode(t *testing.T) {
	got, err := FromJSONWithoutCommands("ru", "margin", []byte(`{"currency":"RUB","result":{"rows":[{"name":"Ozon","code":"","kind":"channel"},{"name":"Чай","code":"1","kind":"product"}]}}`))
	if err != nil || !strings.Contains(got, "| Ozon | — |") {
		t.Errorf("%v\n%s", err, got)
	}
}
