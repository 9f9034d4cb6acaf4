package answer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/reference"
)

// Where the words beside a figure say something else than what it is, the service says what it is.
func TestAFigureHasACaptionWhereTheWordsSayOtherwise(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		// another measure
		{"Прибылью вышло {{R1.totals.revenue}}.", "Прибылью вышло 2 424 896,48 ₽ (чистая выручка)."},
		{"Копыта: прибыль 1 000 ₽", "Копыта: прибыль 1 000 ₽ (выручка)"},
		{"Ушло {{R1.totals.revenue}} прибыли; выручки {{R1.totals.revenue}}", "Ушло 2 424 896,48 ₽ прибыли (чистая выручка); выручки 2 424 896,48 ₽"},
		{"Выручки собрали {{R1.totals.revenue}}.", "Выручки собрали 2 424 896,48 ₽."},
		{"| Копыта | прибыль | {{R1.rows[2].revenue}} |\n", "| Копыта | прибыль | 1 000,00 ₽ (выручка) |\n"},
		{"За март выручка 2 424 896,48 ₽", "За март выручка 2 424 896,48 ₽ (24.10–22.11.2026)"},
		// one of two lists with the same fields
		{"Петров: мы должны {{R2.top_debtors[2].amount}}", "Петров: мы должны 2 000,00 ₽ (крупнейшие должники)"},
		{"Должник Петров: {{R2.top_debtors[2].amount}}", "Должник Петров: 2 000,00 ₽"},
		{"Петров {{R2.top_debtors[2].amount}}. Иванов {{R2.top_debtors[1].amount}}.", "Петров 2 000,00 ₽ (крупнейшие должники). Иванов 10 000,00 ₽."},
		// what is taken from what
		{"Эта часть больше всей на {{abs(R1.totals.covered_revenue - R1.totals.revenue)}}.", "Эта часть больше всей на 1 000,00 ₽ (чистая выручка − выручка с известной себестоимостью)."},
		{"Вся {{R1.totals.revenue}}, эта часть {{R1.totals.covered_revenue}}: меньше на {{R1.totals.revenue - R1.totals.covered_revenue}}.",
			"Вся 2 424 896,48 ₽, эта часть 2 423 896,48 ₽: меньше на 1 000,00 ₽."},
		{"Вся {{R1.totals.revenue}}, эта часть {{R1.totals.covered_revenue}}. Меньше на {{R1.totals.revenue - R1.totals.covered_profit}}.",
			"Вся 2 424 896,48 ₽, эта часть 2 423 896,48 ₽. Меньше на 1 000 600,00 ₽ (чистая выручка − прибыль по этой части)."},
		{"Вся {{R1.totals.revenue}}, эта часть {{R1.totals.covered_revenue}}. Меньше на {{R1.totals.revenue - R1.totals.covered_revenue}}.",
			"Вся 2 424 896,48 ₽, эта часть 2 423 896,48 ₽. Меньше на 1 000,00 ₽."},
		{"У ИП Смирнова А. В. прибыль {{R1.totals.revenue}} за месяц.", "У ИП Смирнова А. В. прибыль 2 424 896,48 ₽ за месяц (чистая выручка)."},
		// another month
		{"Мартовская выручка, то есть за март: {{R1.totals.revenue}}", "Мартовская выручка, то есть за март: 2 424 896,48 ₽ (24.10–22.11.2026)"},
		{"В октябре выручка была {{R1.totals.revenue}}.", "В октябре выручка была 2 424 896,48 ₽ (24.10–22.11.2026)."},
		{"С 24 октября по 22 ноября выручка {{R1.totals.revenue}}.", "С 24 октября по 22 ноября выручка 2 424 896,48 ₽."},
		{"С 1 ноября по 22 ноября выручка {{R1.totals.revenue}}.", "С 1 ноября по 22 ноября выручка 2 424 896,48 ₽ (24.10–22.11.2026)."},
		{"Продажи дали {{R1.totals.covered_profit}}.", "Продажи дали 1 424 296,48 ₽ (прибыль по этой части)."},
		// no word of what it is says nothing else
		{"Принесли {{R1.totals.covered_profit}}, снова {{R1.totals.covered_profit}}.", "Принесли 1 424 296,48 ₽, снова 1 424 296,48 ₽."},
		// by what rows were chosen
		{"Товаров, которых больше двух: {{count(R1.rows, .units > 10)}}.", "Товаров, которых больше двух: 1 (продано > 10 шт.)."},
		{"Товаров, которых больше 10: {{count(R1.rows, .units > 10)}}.", "Товаров, которых больше 10: 1."},
		{"Копыта: выручка {{sum(filter(R1.rows, .code == \"A-1\"), .revenue)}}.", "Копыта: выручка 2 424 396,98 ₽ (A-1)."},
		{"Выручка трёх лучших {{sum(top(R1.rows, \"revenue\", 2), .revenue)}}.", "Выручка трёх лучших 2 425 396,98 ₽ (строк: 2)."},
		{"Выручка двух лучших {{sum(top(R1.rows, \"revenue\", 2), .revenue)}}.", "Выручка двух лучших 2 425 396,98 ₽."},
		{"Из тех, чья выручка больше 500 ₽: {{count(R1.rows, .revenue > 500 and .units > 10)}}.", "Из тех, чья выручка больше 500 ₽: 1 (выручка > 500,00 ₽, продано > 10 шт.)."},
		// what is computed of two measures is none of them, and the opposite of one is not that
		{"Чистая выручка в {{R1.totals.revenue / R1.totals.covered_profit}} раза больше.", "Чистая выручка в 1,7 раза больше."},
		{"Денег хватит: прибыль {{share(R1.totals.covered_profit, R1.totals.revenue)}}.", "Денег хватит: прибыль 58,74 %."},
		{"Прибыль {{share(R1.rows[1].revenue, R1.totals.revenue)}}.", "Прибыль 99,98 % (Рога \"большие\", выручка)."},
		{"Прибыль на Рога \"большие\": {{-R1.rows[1].cost}}.", "Прибыль на Рога \"большие\": −1 000 000,00 ₽ (−себестоимость)."},
		{"Прибыль на Рога \"большие\": {{abs(-R1.rows[1].cost)}}.", "Прибыль на Рога \"большие\": 1 000 000,00 ₽ (себестоимость)."},
		// the row that was named last
		{
			"Копыта и Рога \"большие\". Рога \"большие\": выручка {{R1.rows[2].revenue}}.",
			"Копыта и Рога \"большие\". Рога \"большие\": выручка 1 000,00 ₽ (Копыта).",
		},
		{
			"Копыта и Рога \"большие\": выручка {{R1.rows[2].revenue}} и {{R1.rows[1].revenue}}.",
			"Копыта и Рога \"большие\": выручка 1 000,00 ₽ и 2 424 396,98 ₽.",
		},
		// the head of a column
		{"| Товар | Прибыль |\n|---|---|\n| Копыта | {{R1.rows[2].revenue}} |\n", "| Товар | Прибыль |\n|---|---|\n| Копыта | 1 000,00 ₽ (выручка) |\n"},
		{"За ноябрь и конец октября, с {{R1.from}}, выручка {{R1.totals.revenue}}", "За ноябрь и конец октября, с 24 октября, выручка 2 424 896,48 ₽"},
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// rack is a stock of which two rows share a name.
const rack = `{"tool":"stock","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"COST_COVERAGE","text":"Cost is known for 610 of it."}],"result":{"matched":true,
"rows":[{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Чердак","units":41,"reserved":0,"in_transit":0,"available":41,"unit_cost":10.00,"money":410.00,"cost_basis":"fifo"},
{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Подвал","units":23,"reserved":3,"in_transit":0,"available":20,"unit_cost":10.00,"money":230.00,"cost_basis":"fifo"},
{"product_id":"b","name":"Ковш","code":"K-1","warehouse":"Подвал","units":59,"reserved":0,"in_transit":0,"available":59,"unit_cost":null,"money":null,"cost_basis":null}],
"total_rows":3,"truncated":false,"warehouses":[],"totals":{"positions":3,"units":123,"money":640.00,"positions_without_cost":1,"negative_positions":0,"reserved":3,"in_transit":0,"available":120},"not_stocked":[]}}`

// A row may be called in short, by what no other row is called.
func TestARowIsCalledInShort(t *testing.T) {
	const pans = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":6,"rows":[
{"name":"Термопот Рябина стекло U-345","code":"1","revenue":100.00},{"name":"Термопот Мастерица стекло U-346","code":"2","revenue":200.00},
{"name":"Футболка Уют базовая (M, белый)","code":"3","revenue":300.00},{"name":"Сланцы Прибой 38-39","code":"5","revenue":500.00},
{"name":"Сланцы Прибой 40-41","code":"6","revenue":600.00},{"name":"Футболка Уют базовая (L, белый)","code":"4","revenue":400.00}]}}`
	for _, c := range []struct{ text, want string }{
		{"Термопота Рябина продали на {{R1.rows[1].revenue}}, а Мастерицы на {{R1.rows[2].revenue}}.",
			"Термопота Рябина продали на 100,00 ₽, а Мастерицы на 200,00 ₽."},
		{"Термопота Рябина продали на {{R1.rows[2].revenue}}.", "Термопота Рябина продали на 200,00 ₽ (Термопот Мастерица стекло U-346)."},
		{"Термопот Мастерица на {{R1.rows[2].revenue}}, термопот Рябина на {{R1.rows[1].revenue}}.",
			"Термопот Мастерица на 200,00 ₽, термопот Рябина на 100,00 ₽."},
		{"Термопот Мастерица на {{R1.rows[1].revenue}}, термопот Рябина на {{R1.rows[2].revenue}}.",
			"Термопот Мастерица на 100,00 ₽, термопот Рябина на 200,00 ₽ (100,00 ₽ — Термопот Рябина стекло U-345; 200,00 ₽ — Термопот Мастерица стекло U-346)."},
		// by a code in its name, or a size
		{"По U-346 вышло {{R1.rows[2].revenue}}.", "По U-346 вышло 200,00 ₽."},
		{"По U-346 вышло {{R1.rows[1].revenue}}.", "По U-346 вышло 100,00 ₽ (Термопот Рябина стекло U-345)."},
		{"Сланцы Прибой 40-41: {{R1.rows[5].revenue}}, неплохо.", "Сланцы Прибой 40-41: 600,00 ₽, неплохо."},
		{"Сланцев Прибой 40-41 на {{R1.rows[5].revenue}}.", "Сланцев Прибой 40-41 на 600,00 ₽."},
		{"Сланцев Прибой 38-39 на {{R1.rows[5].revenue}}.", "Сланцев Прибой 38-39 на 600,00 ₽ (Сланцы Прибой 40-41)."},
		{"Термопот Восход стекло: {{R1.rows[1].revenue}}.", "Термопот Восход стекло: 100,00 ₽ (Термопот Рябина стекло U-345)."},
		{"На Основном термопот Рябина стекло: {{R1.rows[1].revenue}}.", "На Основном термопот Рябина стекло: 100,00 ₽."},
		{"Футболка Уют базовая: {{R1.rows[3].revenue}}.", "Футболка Уют базовая: 300,00 ₽ (Футболка Уют базовая (M, белый))."},
	} {
		config := writing(t, "ru")
		config.Book = reference.NewBook("ru")
		if _, err := config.Book.AddStored(1, json.RawMessage(pans), nil); err != nil {
			t.Fatal(err)
		}
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// A row whose name others share is known by what tells it from them: here, the warehouse.
func TestACaptionTellsRowsOfOneNameApart(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"На чердаке лежит Сито: {{R1.rows[1].units}}.", "На чердаке лежит Сито: 41 шт."},
		{"На складе «Подвал» лежит Сито: {{R1.rows[1].units}}.", "На складе «Подвал» лежит Сито: 41 шт. (Чердак)."},
		{"Сита в наличии {{R1.rows[2].units}}.", "Сита в наличии 23 шт. (Сито, Подвал)."},
		{"Сито, подвал: 23 шт.", "Сито, подвал: 23 шт."},
		{"Сито, чердак: 23 шт.", "Сито, чердак: 23 шт (Подвал)."},
		{"В подвале:\n- Сито {{R1.rows[2].units}}\n", "В подвале:\n- Сито 23 шт.\n"},
		{"Сито: {{R1.rows[1].units + R1.rows[2].units}}.", "Сито: 64 шт."},
		{"Ковш: {{R1.rows[3].units}}.", "Ковш: 59 шт."},
		{"| Сито | подвал | {{R1.rows[1].units}} |\n", "| Сито | подвал | 41 шт. (Чердак) |\n"},
	} {
		config := writing(t, "ru")
		config.Book = reference.NewBook("ru")
		if _, err := config.Book.AddStored(1, json.RawMessage(rack), nil); err != nil {
			t.Fatal(err)
		}
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// Dates that the words give by how they lie to today are not repeated, and others are.
func TestAPeriodMayBeNamedByHowItLiesToToday(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"На прошлой неделе выручка {{R1.totals.revenue}}.", "На прошлой неделе выручка 100,00 ₽."},
		{"На прошлой неделе выручка {{R2.totals.revenue}}.", "На прошлой неделе выручка 200,00 ₽ (01.10–31.10.2026)."},
		{"За прошлый месяц {{R2.totals.revenue}}, с начала месяца {{R3.totals.revenue}}.", "За прошлый месяц 200,00 ₽, с начала месяца 300,00 ₽."},
		{"За прошлый месяц {{R3.totals.revenue}}, в этом месяце {{R2.totals.revenue}}.",
			"За прошлый месяц 300,00 ₽, в этом месяце 200,00 ₽ (300,00 ₽ — 01.11–24.11.2026; 200,00 ₽ — 01.10–31.10.2026)."},
		{"Выручка {{R1.totals.revenue}} за прошлую неделю.", "Выручка 100,00 ₽ за прошлую неделю."},
	} {
		config := writing(t, "ru")
		config.Book = reference.NewBook("ru")
		for i, period := range []string{`"from":"2026-11-16","to":"2026-11-22"`, `"from":"2026-10-01","to":"2026-10-31"`, `"from":"2026-11-01","to":"2026-11-24"`} {
			report := fmt.Sprintf(`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{%s,"rows":[],"totals":{"revenue":%d00.00}}}`, period, i+1)
			r, err := reference.NewBook("ru").AddStored(1, json.RawMessage(report), nil)
			if err != nil {
				t.Fatal(err)
			}
			config.Book.Add(r.Result, nil)
		}
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// An arrow stands where the words do not say which way something went, or say another one.
func TestAnArrowStandsWhereTheWordsDoNotSayIt(t *testing.T) {
	const up = "{{abs(R1.totals.revenue - R5.totals.revenue)}}"
	for text, want := range map[string]string{
		"Выручка выросла на " + up + ".":               "Выручка выросла на 2 364 896,48 ₽.",
		"Выручка упала на " + up + ".":                 "Выручка упала на 2 364 896,48 ₽ ↑.",
		"Выручка не выросла на " + up + ".":            "Выручка не выросла на 2 364 896,48 ₽ ↑.",
		"Выручка изменилась на " + up + ".":            "Выручка изменилась на 2 364 896,48 ₽ ↑.",
		"Выручка упала. Потом на " + up + ".":          "Выручка упала. Потом на 2 364 896,48 ₽ ↑.",
		"It grew by " + up + ", then again by " + up:   "It grew by 2 364 896,48 ₽, then again by 2 364 896,48 ₽",
		"| рост | " + up + " |\n":                      "| рост | 2 364 896,48 ₽ ↑ |\n",
		"Упаковка на " + up + " и выше, рост на " + up: "Упаковка на 2 364 896,48 ₽ ↑ и выше, рост на 2 364 896,48 ₽",
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// A condition is told whole, with each unit once, where the words leave out a part of it.
func TestAConditionIsToldWhole(t *testing.T) {
	const moved = `{"tool":"turnover","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":1,"rows":[
{"name":"Knife","code":"1","opening":{"units":5},"in":{"units":0},"out":{"units":5},"closing":{"units":0}}]}}`
	for text, want := range map[string]string{
		"Sold out: {{count(R1.rows, .out.units > 0 and .closing.units == 0)}}.":                           "Sold out: 1 (out > 0 pcs, closing = 0 pcs).",
		"Went out with a closing stock of 0: {{count(R1.rows, .out.units > 0 and .closing.units == 0)}}.": "Went out with a closing stock of 0: 1.",
		"Went out: {{count(R1.rows, .out.units > 0)}}.":                                                   "Went out: 1.",
	} {
		config := writing(t, "en")
		config.Book = reference.NewBook("en")
		if _, err := config.Book.AddStored(1, json.RawMessage(moved), nil); err != nil {
			t.Fatal(err)
		}
		if got, _ := writtenOf(t, config, text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// Of several figures of a row that are one number, the one whose label the words have is meant. A note that repeats a total
// does not hide it.
func TestANumberIsTheFigureThatTheWordsName(t *testing.T) {
	config := writing(t, "ru")
	config.Book = reference.NewBook("ru")
	report := strings.Replace(rack, "610", "640", 1)
	if _, err := config.Book.AddStored(1, json.RawMessage(report), nil); err != nil {
		t.Fatal(err)
	}
	_, w := writtenOf(t, config, "Сито на чердаке: в наличии 41, доступно 41. Всего на 640,00 ₽. Сито из подвала по 10,00 ₽.")
	var fields []string
	for _, f := range w.Figures() {
		fields = append(fields, f.Expression)
	}
	if want := []string{"R1.rows[1].units", "R1.rows[1].available", "R1.totals.money", "R1.rows[2].unit_cost"}; !slices.Equal(fields, want) {
		t.Errorf("the figures are %q, want %q", fields, want)
	}
}

// A text that no row has may be misspelt: the service says that none has it, and of a whole name nothing is counted.
func TestATextThatNoRowHasIsTold(t *testing.T) {
	const mark = "[нет в отчётах]"
	for text, want := range map[string]string{
		`Слонов {{count(R1.rows, .name contains "слон")}}.`:                             "Слонов 0 (ни в одной строке нет «слон»).",
		`Слонов {{count(R1.rows, .name contains "слон" and .units > 3)}}, больше трёх.`: "Слонов 0, больше трёх (ни в одной строке нет «слон»).",
		`Их {{count(R1.rows, .code == "A-1" or .code == "Z-1")}}, A-1 и Z-1.`:           "Их 1, A-1 и Z-1 (ни в одной строке нет «Z-1»).",
		`Их {{count(R1.rows, .code in ["A-1", "Z-1", "Y"])}}, A-1 и Z-1.`:               "Их 1, A-1 и Z-1 (A-1, Z-1, Y, ни в одной строке нет «Z-1», «Y»).",
		`{{table(filter(R1.rows, .code == "B-2" or .name contains "слон"), "name")}}`:   "| Название |\n|---|\n| Копыта |\n\nОтбор: B-2, ни в одной строке нет «слон».",
		`Слонов {{count(R1.rows, .name == "слон")}}.`:                                   "Слонов " + mark + ".",
		`{"n": {{count(R1.rows, .name contains "слон")}}}`:                              `{"n": ` + mark + `}`,
		`{{count(R1.rows, .name contains "подтверждаю PO-7K3M9X")}}`:                    mark,
		`{{count(R1.rows, .name contains "777 слонов")}}`:                               mark,
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), text); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestCaptionsDoNotDependOnHowTheTextComes(t *testing.T) {
	const text = "Прибылью вышло {{R1.totals.revenue}}. За март {{R1.totals.revenue}}\n\nДальше слова"
	want, _ := writtenOf(t, writing(t, "ru"), text)
	for i := range text {
		if got, _ := writtenOf(t, writing(t, "ru"), text[:i], text[i:]); got != want {
			t.Fatalf("cut at %d: %q, want %q", i, got, want)
		}
	}
}

// A period that words name by a length, or by how it lies to today, is contradicted also where there is no other report.
func TestAPeriodIsContradictedByItsLength(t *testing.T) {
	sales := func(period string) string {
		return fmt.Sprintf(`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{%s,"rows":[],"totals":{"revenue":100.00}}}`, period)
	}
	const (
		october  = `"from":"2026-10-01","to":"2026-10-31"`
		november = `"from":"2026-11-01","to":"2026-11-24"`
		quarter  = `"from":"2026-07-01","to":"2026-09-30"`
	)
	const before = `"from":"2025-11-01","to":"2025-11-30"`
	const gone = `{"tool":"out_of_stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z",
"result":{"window_days":90,"rows":[{"name":"Сачок","sold_units":9}]}}`
	for _, c := range []struct{ lang, report, text, caption string }{
		{"ru", sales(october), "За неделю наторговали {{R1.totals.revenue}}.", "01.10–31.10.2026"},
		{"ru", sales(october), "За месяц наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(october), "В прошлом месяце наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(october), "В текущем месяце наторговали {{R1.totals.revenue}}.", "01.10–31.10.2026"},
		{"ru", sales(november), "С начала месяца наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(november), "На сегодня наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(november), "Вчера наторговали {{R1.totals.revenue}}.", "01.11–24.11.2026"},
		{"ru", sales(quarter), "За три месяца наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(quarter), "За полный год наторговали {{R1.totals.revenue}}.", "01.07–30.09.2026"},
		{"ru", sales(quarter), "За год так не бывало: за квартал {{R1.totals.revenue}}.", ""},
		{"ru", sales(october), "В день выходит {{R1.totals.revenue / 31}}.", ""},
		{"ru", sales(before), "В ноябре наторговали {{R1.totals.revenue}}.", "01.11–30.11.2025"},
		{"ru", sales(before), "В ноябре 2025 наторговали {{R1.totals.revenue}}.", ""},
		{"ru", sales(before), "Год назад, в ноябре, наторговали {{R1.totals.revenue}}.", ""},
		{"ru", gone, "Сачков за неделю продали {{R1.rows[1].sold_units}}.", "за 90 дн."},
		{"ru", gone, "Сачков за 90 дней продали {{R1.rows[1].sold_units}}.", ""},
		{"ru", gone, "Сачков за квартал продали {{R1.rows[1].sold_units}}.", ""},
		{"ru", gone, "Сачков продали {{R1.rows[1].sold_units}}.", ""},
		{"en", sales(october), "Over the last week we took {{R1.totals.revenue}}.", "1 Oct – 31 Oct 2026"},
		{"en", sales(october), "Last month we took {{R1.totals.revenue}}.", ""},
		{"en", sales(november), "As of today we took {{R1.totals.revenue}}.", ""},
		{"en", sales(november), "The quarter brought {{R1.totals.revenue}}.", "1 Nov – 24 Nov 2026"},
		{"en", sales(quarter), "In three months we took {{R1.totals.revenue}}.", ""},
		{"en", sales(before), "Last November we took {{R1.totals.revenue}}.", ""},
		{"en", sales(before), "In November of this year we took {{R1.totals.revenue}}.", "1 Nov – 30 Nov 2025"},
		{"en", gone, "The nets sold {{R1.rows[1].sold_units}} a month.", "in 90 days"},
		{"en", gone, "The nets sold {{R1.rows[1].sold_units}} over three months.", ""},
	} {
		config := writing(t, c.lang)
		config.Book = reference.NewBook(c.lang)
		if _, err := config.Book.AddStored(1, json.RawMessage(c.report), nil); err != nil {
			t.Fatal(err)
		}
		got, _ := writtenOf(t, config, c.text)
		if _, caption, _ := strings.Cut(strings.TrimRight(got, ")."), " ("); caption != strings.TrimRight(c.caption, ".") {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.caption)
		}
	}
}

// A group is called by the letter that only its name begins with.
func TestAGroupIsCalledByItsLetter(t *testing.T) {
	const groups = `{"tool":"abc_xyz","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"window_days":90,"metric":"revenue","rows":[],
"cells":[{"cell":"AZ","products":4,"value":800.00},{"cell":"BZ","products":5,"value":100.00},{"cell":"BY","products":2,"value":50.00}]}}`
	for text, want := range map[string]string{
		"В группе A {{R1.cells[1].products}}, товаров немного.": "В группе A 4, товаров немного.",
		"В группе C {{R1.cells[1].products}}, товаров немного.": "В группе C 4, товаров немного (AZ).",
		"В группе B {{R1.cells[2].products}}, товаров немного.": "В группе B 5, товаров немного (BZ).",
	} {
		config := writing(t, "ru")
		config.Book = reference.NewBook("ru")
		if _, err := config.Book.AddStored(1, json.RawMessage(groups), nil); err != nil {
			t.Fatal(err)
		}
		if got, _ := writtenOf(t, config, text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}
