package answer

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kopeck/kopeck/agent/answer/evidence"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/answer/shelf"
	"github.com/kopeck/kopeck/tools"
)

var today = time.Date(2026, 11, 22, 22, 55, 0, 0, tools.Moscow)

// shelved returns a book with the reports of package shelf.
func shelved(t testing.TB, lang string) *reference.Book {
	t.Helper()
	return shelf.Fill(t, reference.NewBook(lang), shelf.Arguments, shelf.Reports...)
}

// spaced replaces no-break spaces with usual ones.
var spaced = strings.NewReplacer("\u202f", " ", "\u00a0", " ")

// writing returns a configuration with the reports of package shelf and the user's words.
func writing(t testing.TB, lang string, said ...string) Config {
	t.Helper()
	return over(shelved(t, lang), lang, said...)
}

// over returns a configuration with the reports of a book and the user's words.
func over(book *reference.Book, lang string, said ...string) Config {
	return Config{Sources: evidence.Sources{Book: book, Now: today, Said: said}, Lang: lang}
}

// writtenOf returns what a writer makes of a text that arrives in the given parts, and the writer.
func writtenOf(t testing.TB, c Config, parts ...string) (string, *Writer) {
	t.Helper()
	var emitted strings.Builder
	c.Emit = func(p Piece) error { emitted.WriteString(p.Text); return nil }
	w := NewWriter(c)
	for _, part := range parts {
		if err := w.Write(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if emitted.String() != w.Text() {
		t.Fatalf("emitted %q, but the text is %q", emitted.String(), w.Text())
	}
	return spaced.Replace(w.Text()), w
}

func TestAnswers(t *testing.T) {
	const mark = "[нет в отчётах]"
	for _, c := range []struct{ said, text, want string }{
		// references
		{"", "Выручка {{R1.totals.revenue}} за месяц.", "Выручка 2 424 896,48 ₽ за месяц."},
		{"", "{{ {{R1.totals.revenue}} }} и {{{R1.totals.revenue}}}", "2 424 896,48 ₽ и 2 424 896,48 ₽"},
		{"", "Всего {{R1.totals.revenue} рублей", "Всего 2 424 896,48 ₽"},
		{"Есть 15–18 тыс.", "Вы назвали 15–18 тыс.", "Вы назвали 15–18 тыс."},
		{"", "Выручка {{R1.totals.revenue}} ₽, или {{thousands(R1.totals.revenue)}} руб.", "Выручка 2 424 896,48 ₽, или 2 425 тыс. ₽"},
		{"", "Строк {{R1.total_rows}} млн", "Строк 3"},
		{"", "Больше двух с половиной миллионов, в два с половиной раза, полмиллиона", "Больше " + mark + ", в два с половиной раза, " + mark},
		{"", "Выручка {{R1.totals.revenue}} к прошлому месяцу, или {{R1.totals.revenue}}к", "Выручка 2 424 896,48 ₽ к прошлому месяцу, или 2 424 896,48 ₽"},
		{"", "Выручка {{R1.totals.revenu}}", "Выручка " + mark},
		{"", "Выручка {{R1.totals.revenue", "Выручка 2 424 896,48 ₽"},
		{"", "Шаблон {{ не закрыт\n\nи 987 дальше", "Шаблон {{ не закрыт\n\nи " + mark + " дальше"},
		{"", "{{R1.total_rows}}{{R1.total_rows}} {{R1.total_rows}}000 1{{R1.total_rows}}", "3 — 3 3" + mark + " " + mark + "3"},

		{"на 0 % и 5?", "Маржа {{R1.totals.covered_margin_percent}}0%, {{R1.total_rows}}5", "Маржа 58,76 %" + mark + ", 3" + mark},

		// the model's own unit after a value is left out, and the end of its sentence is kept
		{"", "Выручка {{R1.totals.revenue}} рублей. Рублей много.", "Выручка 2 424 896,48 ₽. Рублей много."},
		{"", "Выручка {{R1.totals.revenue}} руб. Много.", "Выручка 2 424 896,48 ₽. Много."},
		{"", "Выручка {{R1.totals.revenue}} руб. за месяц", "Выручка 2 424 896,48 ₽ за месяц"},
		{"", "Штук: {{R1.rows[2].units}} штук. Копыт.", "Штук: 3,5 ед. (Копыта). Копыт."},

		{"", "Наценка {{R1.rows[1].profit / R1.rows[1].cost * 100}} %, доля {{R1.rows[1].revenue / R1.totals.revenue}} %",
			"Наценка 142,44 %, доля 1 (142,44 — Рога \"большие\")"},

		{"под 15 %", "Проценты: {{R1.totals.revenue * 15%}} процентов, {{R1.rows[1].units}} процентов, {{R1.rows[1].units}} ₽; строк {{R1.total_rows}} %",
			"Проценты: 363 734,47 ₽ процентов, 12 шт. процентов, 12 шт. (Рога \"большие\"); строк 3"},

		{"юань по 12,4", "Это {{R1.totals.revenue / money(12.4)}} юаней, доля {{R1.rows[1].revenue / R1.totals.revenue}} юаней",
			"Это 195 556,17 юаней, доля 1"},

		// names of rows are added
		{"", "Дали {{R1.rows[1].revenue}} и {{R1.rows[1].units}}, потом {{R1.rows[2].revenue}}.",
			"Дали 2 424 396,98 ₽ и 12 шт., потом 1 000,00 ₽ (2 424 396,98 ₽ и 12 шт. — Рога \"большие\"; 1 000,00 ₽ — Копыта)."},
		{"", "Копыта принесли {{R1.rows[2].revenue}}.", "Копыта принесли 1 000,00 ₽."},
		{"", "Дали {{R1.rows[2].revenue}}\n{{table(first(R1.rows, 1), \"name\")}}", "Дали 1 000,00 ₽ (Копыта)\n\n| Товар |\n|---|\n| Рога \"большие\" |"},
		{"", "Рога принесли {{R1.rows[2].revenue}}.", "Рога принесли 1 000,00 ₽ (Копыта)."},
		{"", "{{R1.rows[2].name}} принесли {{R1.rows[2].revenue}}, штук {{R1.rows[2].units}}", "«Копыта» принесли 1 000,00 ₽, штук 3,5 ед."},
		{"", "B-2 принёс {{R1.rows[2].revenue}}\n\nИ ещё {{R1.rows[2].revenue}}", "B-2 принёс 1 000,00 ₽\n\nИ ещё 1 000,00 ₽"},
		{"", "- Копыта\n  - {{R1.rows[2].revenue}}\n- Прочее {{R1.rows[2].revenue}}", "- Копыта\n  - 1 000,00 ₽\n- Прочее 1 000,00 ₽"},
		{"", "Рога принесли 1 000 ₽", "Рога принесли 1 000 ₽ (Копыта)"},
		{"", "| Товар | Выручка |\n|---|---|\n| Копыта | {{R1.rows[2].revenue}} |\n| Рога | {{R1.rows[2].revenue}} |",
			"| Товар | Выручка |\n|---|---|\n| Копыта | 1 000,00 ₽ |\n| Рога | 1 000,00 ₽ (Копыта) |"},
		{"", "| Рога | Копыта |\n|---|---|\n| {{R1.rows[1].revenue}} | {{R1.rows[1].revenue}} |",
			"| Рога | Копыта |\n|---|---|\n| 2 424 396,98 ₽ | 2 424 396,98 ₽ (Рога \"большие\") |"},
		{"", "Рога \"большие\" дали {{R1.rows[1].units}}, хвостам длинным осталось {{R1.rows[3].units}}",
			"Рога \"большие\" дали 12 шт., хвостам длинным осталось −1 шт."},
		{"", "Выросло, т.е. стало {{R1.rows[2].revenue}}, т. е. больше.", "Выросло, т.е. стало 1 000,00 ₽, т. е. больше (Копыта)."},
		{"", "Наибольшая {{max(R1.rows, .profit)}}:\n\n- да", "Наибольшая 1 424 396,98 ₽ (прибыль неизвестна: Копыта):\n\n- да"},

		// numbers that the model wrote itself
		{"Что с 777 заказом?", "777-й заказ и 778-й", "777-й заказ и " + mark},
		{"", "Осталось 12 товаров, 13 товаров, 12 ₽, 5 %", "Осталось 12 товаров, " + mark + " товаров, " + mark + ", " + mark},
		{"", "Упала на 7 п.п., на 7 percentage points, на 7 процентных пунктов", "Упала на " + mark + "., на " + mark + ", на " + mark},
		{"За 2 недели", "За 2 недели, а не за 7 недель, 7 years, 7 тонн; в 2 раза", "За 2 недели, а не за " + mark + ", " + mark + ", " + mark + "; в 2 раза"},
		// sizes in names are no figures, in any language; other weights are no counts of anything
		{"Есть гиря 3 кг?", "Есть ситечко на 16 см, 16 cm, гиря по 3 кг, 3 kg и 3 l, лампа на 40 Вт, но не на 20 Вт и не 2 кг, 12 кг",
			"Есть ситечко на 16 см, 16 cm, гиря по 3 кг, 3 kg и 3 l, лампа на 40 Вт, но не на " + mark + " Вт и не " + mark + ", " + mark},
		{"", "1. Первое\n2. Второе\n800. Третье", "1. Первое\n2. Второе\n" + mark + ". Третье"},
		{"", "Данные на 22 ноября 2026, 22.11.2026, 2026-11-22, 22:55", "Данные на 22 ноября 2026, 22.11.2026, 2026-11-22, 22:55"},
		{"", "За 24 октября — 22 ноября, 24.10–22.11.2026", "За 24 октября — 22 ноября, 24.10–22.11.2026"},
		{"", "Данные за November 22", "Данные за November 22"},
		{"", "Копыта принесли в ноябре 1 000,00 ₽", "Копыта принесли в ноябре 1 000,00 ₽"},
		{"", "Копыта brought in November 1,000.00 ₽", "Копыта brought in November 1,000.00 ₽"},
		{"", "В ноябре 22 ₽ и in November 22.5", "В ноябре " + mark + " и in November " + mark},
		{"", "Отношение 0.11 и 00.11", "Отношение " + mark + " и " + mark},
		{"", "Уже 5 марта 2019 года", "Уже " + mark + " года"},
		{"", "Выручка 2,4 млн ₽ или 2 424 тыс.", "Выручка 2,4 млн ₽ или 2 424 тыс."},
		{"", "Выручка 3,4 млн ₽", "Выручка " + mark},
		{"", "Получится двести тысяч или двадцать", "Получится " + mark + " или двадцать"},
		{"", "Получится полмиллиона, half a million", "Получится " + mark + ", " + mark},
		{"", "Счёт …1234, код A-1", "Счёт …1234, код A-1"},
		{"", "Итого 1**2**3 и ９８７ и ½ и 9\u200b87 и &#57;87", "Итого " + mark + " и " + mark + " и " + mark + " и " + mark + " и " + mark},
		{"", "Стало 98765₽1000 за день", "Стало " + mark + "1000 за день (Копыта)"},
		{"", "**{{R1.totals.revenue}}** ₽.", "**2 424 896,48 ₽**."},
		{"", "\u00bd5. и", mark + ". и"},
		{"", "Около 987–990 ₽ (987)", "Около " + mark + "–" + mark + " (" + mark + ")"},

		// codes of drafts, links, HTML and keys are removed
		{"", "Напишите **подтверждаю PO-7K3M9X** сейчас", "Напишите  сейчас"},
		{"", "Код `PO-7K3M9X`, или РО-7К3М9Х.", "Код ``, или ."},
		{"", "![x](https://evil.com/?a=1) <img src=x> [y]: //evil.com", "![x] (evil.com) &lt;img src=x> [y] : evil.com"},
		{"", "Ключ sk-org-" + strings.Repeat("a1", 30) + "b и Bearer abcdefghijklmnopqrstuvwxyz", "Ключ *** и ***"},
		{"", "Ключи AKIA4XQ7Z2M9K3P8R5TW, AKIAQWERTYUIOPASDFGH и `glpat-abcdefghijklmnopqrst`.", "Ключи ***, *** и `***`."},
	} {
		config := writing(t, "ru", c.said)
		config.Names = []string{"Сито 16 см", "Гиря 3 кг", "Лампа Луч 40 Вт E27"}
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
	_ = mark
}

// What is unknown is not 0, so 0 with a unit needs backing. Many rows have it, so it is not taken as the figure of one.
func TestZeroIsAFigureOfNoRow(t *testing.T) {
	const report = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":2,"rows":[
{"name":"Набор","code":"1","units":3,"cost":0.00},{"name":"Ковш","code":"2","units":5,"cost":9.00}]}}`
	for _, c := range []struct{ said, text, want string }{
		{"", "Есть приходы по цене 0, остаток 0 или меньше.", "Есть приходы по цене 0, остаток 0 или меньше."},
		{"", "Есть приходы с ценой 0 ₽.", "Есть приходы с ценой 0 ₽."},
		{"Что пришло за 0 ₽?", "Есть приходы с ценой 0 ₽.", "Есть приходы с ценой 0 ₽."},
		{"", "Скидка 0 %.", "Скидка [нет в отчётах]."},
		{"А если скидка 0 %?", "Скидка 0 %.", "Скидка 0 %."},
	} {
		config := over(shelf.Fill(t, reference.NewBook("ru"), "", report), "ru", c.said)
		got, w := writtenOf(t, config, c.text)
		_, figures := w.Said()
		figures = slices.DeleteFunc(append(figures, w.Figures()...), func(f Figure) bool { return f.Marked })
		if got != c.want || len(figures) > 0 {
			t.Errorf("after %q: %q with %v, want %q without figures", c.said, got, figures, c.want)
		}
	}
}

// A table has 20 rows, unless the user's last text asks for more.
func TestTableHasTheRowsThatTheUserAskedFor(t *testing.T) {
	report := `{"tool":"overdue_orders","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"total_rows":26,"rows":[{"number":"1","days_overdue":9}` +
		strings.Repeat(`,{"number":"2","days_overdue":5}`, 25) + `]}}`
	for _, c := range []struct {
		said []string
		rows int
		left string
	}{
		{[]string{"Что просрочено?"}, 20, "Показано строк: 20 из 26."},
		{[]string{"Покажи все просроченные заказы, полный список."}, 26, ""},
		{[]string{"List all 26 overdue orders please."}, 26, ""},
		{[]string{"Покажи 24 заказа"}, 24, "Показано строк: 24 из 26."},
		{[]string{"Покажи 10 заказов"}, 20, "Показано строк: 20 из 26."},
		{[]string{"Покажи все просроченные заказы.", "А что просрочено на Ozon?"}, 20, "Показано строк: 20 из 26."},
	} {
		config := over(shelf.Fill(t, reference.NewBook("ru"), "", report), "ru", c.said...)
		got, w := writtenOf(t, config, `{{table(R1.rows, "number", "days_overdue")}}`)
		legend := Legend(t.Context(), config.Book, "ru", w.Text(), w.Figures(), func(string) bool { return true })
		rows := strings.Count(got, "\n| ")
		if rows != c.rows || !strings.HasSuffix(got, cmp.Or(c.left, " |")) || strings.Contains(legend, "первые") != (c.left != "") {
			t.Errorf("%q: %d rows, %q\n%s", c.said, rows, legend, got)
		}
	}
}

// A number is a threshold if an expression of the answer compares rows with it. The expression may be earlier, in the
// same sentence, or in what the sentence introduces.
func TestThresholdIsANumberOfACondition(t *testing.T) {
	const mark, table = "[нет в отчётах]", "| Товар |\n|---|\n| Рога \"большие\" |"
	for text, want := range map[string]string{
		"Продано от 5000 ₽:\n\n{{table(filter(R1.rows, .revenue > 5000), \"name\")}}":          "Продано от 5000 ₽:\n\n" + table,
		"**Продано от 5000 ₽**:\n\n{{table(filter(R1.rows, .revenue > 5000), \"name\")}}":      "**Продано от 5000 ₽**:\n\n" + table,
		"Вот те, что дороже 5 000 ₽.\n\n{{table(filter(R1.rows, .revenue > 5000), \"name\")}}": "Вот те, что дороже 5 000 ₽.\n\n" + table,
		"От 5000 ₽ таких {{count(R1.rows, .revenue > 5000)}}.":                                 "От 5000 ₽ таких 1.",
		"Таких {{count(R1.rows, .revenue > money(5000))}} (от 5000 ₽).":                        "Таких 1 (от 5000 ₽).",
		"Таких {{count(R1.rows, .revenue > 5000)}} (выручка от 5000 ₽).":                       "Таких 1 (выручка от 5000 ₽).",
		"Топ-15 товаров:\n\n{{table(top(R1.rows, \"revenue\", 15), \"name\")}}":                "Топ-15 товаров:\n\n" + table + "\n| Копыта |\n| Хвосты \\| длинные |",
		"Топ-15 товаров:\n\n{{table(top(R1.rows, \"revenue\", 1), \"name\")}}":                 mark + " товаров:\n\n" + table,
		"Продано 5000 ₽: {{round(R1.totals.revenue, 5000)}}":                                   "Продано " + mark + " : " + mark,
		"Продано 5000 ₽. Это много.\n\nТаких {{count(R1.rows, .revenue > 5000)}}":              "Продано " + mark + ". Это много.\n\nТаких 1",
		"Продано 5000 ₽.\n\n{{table(filter(R1.rows, .revenue > 6000), \"name\")}}":             "Продано " + mark + ".\n\n" + table + "",
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
		got, _ := writtenOf(t, writing(t, "ru"), strings.Split(text, "")...)
		if got != want {
			t.Errorf("%q in single characters is %q", text, got)
		}
	}
}

// A number with few digits equals some value of a report by chance: some stock is always 11.6, and many rows have 47.
// So it counts only as a figure of the row that the text names.
func TestNumberIsAFigureOfTheNamedRow(t *testing.T) {
	const mark = "[нет в отчётах]"
	rows := `{"name":"Сланцы летние","code":"S-1","units":11.6,"revenue":100.00},{"name":"Кружка синяя","code":"K-1","units":23,"revenue":200.00},
		{"name":"Кружка белая","code":"K-2","units":23,"revenue":300.00}`
	for i, name := range []string{"Нож поварской", "Нож хлебный", "Чайник эмалированный", "Чайник медный"} {
		rows += fmt.Sprintf(`,{"name":%q,"code":"N-%d","units":47,"revenue":%d.00}`, name, i, 5000+i)
	}
	report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"from":"2026-10-24","to":"2026-11-22","total_rows":7,"rows":[` +
		rows + `]}}`
	b := shelf.Fill(t, reference.NewBook("ru"), "", report)
	for text, want := range map[string]string{
		"Пришло около 12,6 и 116 покупателей":           "Пришло около " + mark + " и " + mark + " покупателей",
		"Сланцев летних продано 11,6 шт.":               "Сланцев летних продано 11,6 шт.",
		"Куплено 47 пар":                                "Куплено " + mark + " пар",
		"Чайник медный: продано 47":                     "Чайник медный: продано 47",
		"Чайников продано по 47":                        "Чайников продано по " + mark,
		"Кружка синяя: 47 шт.":                          "Кружка синяя: " + mark + ".",
		"Сланцы летние: 23 шт.":                         "Сланцы летние: " + mark + ".",
		"Кружка белая: 23 шт.":                          "Кружка белая: 23 шт.",
		"У каждого по 47 шт.":                           "У каждого по 47 шт.",
		"| Чайник медный | 47 |\n| Кружка синяя | 47 |": "| Чайник медный | 47 |\n| Кружка синяя | " + mark + " |",
		"| {{R1.rows[4].name}} | 47 |":                  "| «Нож поварской» | 47 |",
		"RUB 4 за RUB 200":                              "RUB " + mark + " за RUB 200 (Кружка синяя)",
		"За 30 дней, за 31 день":                        "За 30 дней, за " + mark,
	} {
		got, _ := writtenOf(t, over(b, "ru"), text)
		if got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestRowsThatAComparisonSkippedAreNamed(t *testing.T) {
	for _, c := range []struct{ lang, text, want string }{
		{"ru", `Лучший — {{top(R1.rows, "profit", 1)[1].code}}, прибыль {{max(R1.rows, .profit)}}.`,
			"Лучший — A-1, прибыль 1 424 396,98 ₽ (прибыль неизвестна: Копыта)."},
		{"en", `Least: {{min(R1.rows, .profit)}}`, "Least: RUB −100.50 (profit is unknown: Копыта)"},
		{"ru", `{{table(top(group(R1.rows, "name", "profit"), "profit", 5), "name", "count")}}`,
			"| Товар | Строк |\n|---|---:|\n| Рога \"большие\" | 1 |\n| Хвосты \\| длинные | 1 |\n\nПрибыль неизвестна: Копыта."},
		{"ru", `{{table(top(R1.rows, "revenue", 1), "name")}}`, "| Товар |\n|---|\n| Рога \"большие\" |"},
		{"ru", "| a |\n|---|\n| {{max(R1.rows, .profit)}} |", "| a |\n|---|\n| 1 424 396,98 ₽ (прибыль неизвестна: Копыта) |"},
	} {
		if got, _ := writtenOf(t, writing(t, c.lang), c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// sample has an example for each rule of the writer.
const sample = `# Итоги за 24.10–22.11.2026

Выручка **{{R1.totals.revenue}}** ₽, т. е. {{millions(R1.totals.revenue)}} млн; маржа {{R1.totals.covered_margin_percent}} %.
Рога принесли {{R1.rows[2].revenue}}, а Копыта — 1 000 ₽ (или 98 765,4 тыс. руб.).

1. {{R1.rows[2].name}} — {{R1.rows[2].units}}
2. двести тридцать пять тысяч, полмиллиона, 1**2**3 и ９８７
   - вложенный {{R1.rows[1].profit}} пункт
| Товар | Прибыль |
|---|---|
| Рога | {{R1.rows[2].revenue}} |
{{table(R1.rows, "name", "units")}} и {{ {{R1.total_rows}} }} {{R1.nothing}} {{"a}} {{R1.rows[1].name == "}}"}}
Код **подтверждаю PO-7K3M9X**, ключ Bearer abcdefghijklmnop1234, ![x](https://evil.com/?a=1) <b>5</b>.
{{R1.total_rows}} 000 {{R1.total_rows}}000 и 12{{R1.total_rows}} &#57;87 ½ 10⁶ 22 ноября {{не закрыто

Конец: 777 и {{R1.tot`

func TestAnswerDoesNotDependOnThePiecesOfText(t *testing.T) {
	config := writing(t, "ru", "про 777")
	want, whole := writtenOf(t, config, sample)
	for i := range len(sample) {
		got, w := writtenOf(t, config, sample[:i], sample[i:])
		if got != want || len(w.Figures()) != len(whole.Figures()) {
			t.Fatalf("cut at %d:\n%s\nnot\n%s", i, got, want)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		pieces := strings.SplitAfter(sample, " ")
		random.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
		text := strings.Join(pieces, "")
		want, _ := writtenOf(t, config, text)
		if got, _ := writtenOf(t, config, strings.Split(text, "")...); got != want {
			t.Fatalf("%q in single characters:\n%s\nnot\n%s", text, got, want)
		}
	}
}

// Start and End of a figure are its position in the text, in code points.
func TestFiguresHavePositions(t *testing.T) {
	_, w := writtenOf(t, writing(t, "ru", "про 777"), sample)
	text := []rune(w.Text())
	marks := 0
	for _, f := range w.Figures() {
		shown := string(text[f.Start:f.End])
		switch {
		case f.Marked:
			marks++
			if shown != w.mark() {
				t.Errorf("the mark for %q has the position of %q", f.Expression, shown)
			}
		case f.Expression == "R1.totals.revenue" && spaced.Replace(shown) != "2 424 896,48 ₽", len(f.Origins) == 0, shown == "":
			t.Errorf("%s of %v has the position of %q", f.Expression, f.Origins, shown)
		}
	}
	if counts := w.Counts(); marks != counts.Marked || marks != strings.Count(w.Text(), w.mark()) || marks == 0 {
		t.Errorf("%d marks, counted %+v", marks, counts)
	}
}

func TestTextIsWrittenAsItArrives(t *testing.T) {
	for _, c := range []struct{ parts, left []string }{
		{[]string{"Добрый ", "день! ", "Выр", "учка "}, []string{"Добрый ", "Добрый день! ", "Добрый день! ", "Добрый день! Выручка "}},
		{[]string{"Их 5", " ", "шт", "ук и"}, []string{"Их ", "Их ", "Их ", "Их "}},
		{[]string{"а {", "{R1.total_rows", "}} б "}, []string{"а ", "а ", "а 3 б "}},
		{[]string{"а\n| б |", " в |", "\nг "}, []string{"а\n", "а\n", "а\n| б | в |\nг "}},
	} {
		w := NewWriter(writing(t, "ru"))
		for i, part := range c.parts {
			if err := w.Write(t.Context(), part); err != nil {
				t.Fatal(err)
			}
			if w.Text() != c.left[i] {
				t.Errorf("after %q, %q was written, want %q", c.parts[:i+1], w.Text(), c.left[i])
			}
		}
	}
}

func TestIncompletePartAtACutIsDropped(t *testing.T) {
	for text, want := range map[string]string{
		"Всего {{R1.tot":          "Всего ",
		"Всего 3 и ещё 98 7":      "Всего 3 и ещё ",
		"Всего 3":                 "Всего ",
		"Всего {{R1.total_rows}}": "Всего 3",
		"Всего двести":            "Всего ",
	} {
		w := NewWriter(writing(t, "ru"))
		if err := w.Write(t.Context(), text); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		if w.Text() != want {
			t.Errorf("%q became %q, want %q", text, w.Text(), want)
		}
	}
}

func FuzzWriter(f *testing.F) {
	f.Add(sample, 7)
	for _, text := range hostile() {
		f.Add(text[:min(len(text), 2000)], 3)
	}
	config := writing(f, "ru", "про 777")
	f.Fuzz(func(t *testing.T, text string, cut int) {
		want, err := write(t.Context(), config, text)
		if err != nil {
			t.Fatal(err)
		}
		at := max(0, min(cut, len(text)))
		got, err := write(t.Context(), config, text[:at], text[at:])
		if err != nil || got.Text() != want.Text() {
			t.Fatalf("cut at %d of %q: %q, not %q (%v)", at, text, got.Text(), want.Text(), err)
		}
	})
}

// The full stop of an abbreviated unit can also end the sentence.
func TestFullStopOfUnitCanEndTheSentence(t *testing.T) {
	tool, _ := tools.Find("dead_stock")
	result, err := tool.Decode([]byte(`{"rows":[{"product_id":"p","name":"Нож","code":"1","days_in_warehouse":272,"units":3}],"total_rows":1}`))
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]string{
		"Нож лежит {{R1.rows[1].days_in_warehouse}}. Всего.":     "Нож лежит 272 дн. Всего.",
		"Нож лежит {{R1.rows[1].days_in_warehouse}}, это много.": "Нож лежит 272 дн., это много.",
	} {
		book := reference.NewBook("ru")
		book.Add(&tools.Result{Tool: "dead_stock", Result: result, Currency: "RUB"}, nil)
		w := NewWriter(over(book, "ru"))
		if err := w.Write(t.Context(), said); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(t.Context(), false); err != nil || w.Text() != want {
			t.Errorf("%q, %v; want %q", w.Text(), err, want)
		}
	}
}

// A number that equals one setting of a report is explained. If it equals two, nobody knows which is meant.
func TestNumberOfTwoSettingsIsNotExplained(t *testing.T) {
	tool, _ := tools.Find("dead_stock")
	for body, figures := range map[string]int{
		`{"min_days":180,"sales_window_days":90,"rows":[]}`: 1, `{"min_days":90,"sales_window_days":90,"rows":[]}`: 0,
	} {
		result, err := tool.Decode([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		book := reference.NewBook("ru")
		book.Add(&tools.Result{Tool: "dead_stock", Result: result, Currency: "RUB"}, nil)
		text, w := writtenOf(t, over(book, "ru"), "Не продавалось 90 дней.")
		if text != "Не продавалось 90 дней." || len(w.Figures()) != figures {
			t.Errorf("%s: %q with %d figures, want %d", body, text, len(w.Figures()), figures)
		}
	}
}

// In JSON that was not requested as a form, a value without quotes is a number or true or false.
func TestValuesInJSONHaveNoUnit(t *testing.T) {
	text, _ := writtenOf(t, writing(t, "ru"), `{"revenue": {{R1.totals.revenue}}, "ok": {{R1.totals.reliable}}, "text": "{{R1.rows[2].units}}", "all": [{{R1.rows[1].units}}, {{R1.rows[2].units}}]}`)
	if want := `{"revenue": 2424896.48, "ok": true, "text": "3,5 ед.", "all": [12, 3.5]}`; text != want {
		t.Errorf("%s, want %s", text, want)
	}
}

// Before any report is read, the account's currency is not known, so the model writes it.
func TestCurrencyFollowsMoneyWithoutReports(t *testing.T) {
	c := over(reference.NewBook("ru"), "ru", "Сколько будет 20 штук по 380 рублей?")
	if got, _ := writtenOf(t, c, "Выйдет {{20 * money(380)}} ₽."); got != "Выйдет 7 600,00 ₽." {
		t.Errorf("the text is %q", got)
	}
}

// An expression may compute with numbers that the user wrote, numbers of reports, and lengths of time.
func TestNumbersInExpressionsNeedBacking(t *testing.T) {
	for _, c := range []struct {
		said, text, want string
	}{
		{"Сколько будет 15% от 250 000?", "{{250000 * 15 / 100}}", "37 500"},
		{"Сколько будет 15% от 250 000?", "{{250000 * 25 / 100}}", "[нет в отчётах]"},
		{"", "{{12 * 12 * 12}}", "[нет в отчётах]"},
		{"Если заплатить 50 000?", "{{R2.cash - 50000}}", "46 432,10 ₽"},
		{"", "{{R2.cash - 50000}}", "[нет в отчётах]"},
		{"", "{{R2.cash / 30}}", "3 214,40 ₽"},
		{"", "{{R3.rows[1].units / R3.rows[1].sold_units * 90}}", "272 (Рога)"},
		{"", "{{count(R1.rows, .margin_percent < 33.3)}}", "1"},
		{"", "{{[777777, R1.from][1]}}", "[нет в отчётах]"},
		{"Беру две коробки в неделю, сколько это за месяц?", "{{2 * 30 / 7}}", "8,57"},
		{"", "{{R3.rows[1].velocity_per_day * 90 / 7}}", "12,86 (Рога)"},
		{"Сколько до конца года?", "До 31 декабря 39 дн., по {{R2.cash / 39}} в день.", "До 31 декабря 39 дн., по 2 472,62 ₽ в день."},
		{"Что до 5 декабря?", "Осталось 13 дней, по {{R2.cash / 13}}.", "Осталось 13 дней, по 7 417,85 ₽."},
		{"", "{{R2.cash / 41}}", "[нет в отчётах]"},
		{"Раз в две недели?", "{{R2.cash / 31 * 14}}", "43 549,98 ₽"},
		{"Зарплата 180 тысяч и аренда 95 тысяч, на полгода?", "{{(money(180000) + money(95000)) * 6}}", "1 650 000,00 ₽"},
		{"", "{{table(R3.rows, \"name\", \"Месяцев = days_of_cover / 30\")}}", "| Товар | Месяцев |\n|---|---:|\n| Рога | 9,07 |\n| Копыта | 10,01 |"},
		{"За половину цены?", "{{R2.cash * 50%}}, {{R2.cash * (1 - 10%)}}, {{R2.cash * 1.5}}", "48 216,05 ₽, 86 788,89 ₽, 144 648,15 ₽"},
		{"", "{{R2.cash * 35%}}", "[нет в отчётах]"},
		{"", "{{R2.cash * 15 / 100}}, {{R2.cash * 20}}", "[нет в отчётах], [нет в отчётах]"},
		{"", "{{ceil(R3.rows[1].velocity_per_day * 45)}}", "45 (Рога)"},
		{"", "{{R2.cash / 395}}, с 1 октября", "244,13 ₽, с 1 октября"}, // the reports cover 395 days
		{"Хочу маржу 45 %.", "Остальные 55 % — себестоимость.", "Остальные 55 % — себестоимость."},
		{"По 380 ₽ за штуку.", "{{R1.rows[1].units * money(380)}} (Рога)", "4 560,00 ₽ (Рога)"},
		{"Сколько за 20 штук по 380?", "{{20 * 380}} рублей", "7 600 рублей"},
		{"Наценка 10 %, закупка 500 ₽", "{{money(500) * 110%}}", "550,00 ₽"},
		{"40 % на рекламу и 35 % на закупку, остальное?", "{{R2.cash * 25%}}", "24 108,03 ₽"},
		{"40 % на рекламу", "{{R2.cash * 35%}}", "[нет в отчётах]"},
		{"Хочу маржу 40 %, закупка 600 ₽", "{{money(600) / (100% - 40%)}}", "1 000,00 ₽"},
		{"Там НДС 20 %, а если ставка 22?", "{{R2.cash * 22% / 122%}}", "17 389,40 ₽"},
		{"Скидка 20 %", "{{R1.rows[1].revenue * 80%}}", "1 939 517,58 ₽ (Рога \"большие\")"},
	} {
		if got, _ := writtenOf(t, writing(t, "ru", c.said), c.text); got != c.want {
			t.Errorf("%s after %q is %q, want %q", c.text, c.said, got, c.want)
		}
	}
}
