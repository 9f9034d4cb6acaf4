package answer

import (
	"slices"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/answer/shelf"
)

// rack is a stock report in which two rows have the same name.
const rack = `{"tool":"stock","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"COST_COVERAGE","text":"Cost is known for 610 of it."}],"result":{"matched":true,
"rows":[{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Чердак","units":41,"reserved":0,"in_transit":0,"available":41,"unit_cost":10.00,"money":410.00,"cost_basis":"fifo"},
{"product_id":"a","name":"Сито","code":"S-1","warehouse":"Подвал","units":23,"reserved":3,"in_transit":0,"available":20,"unit_cost":10.00,"money":230.00,"cost_basis":"fifo"},
{"product_id":"b","name":"Ковш","code":"K-1","warehouse":"Подвал","units":59,"reserved":0,"in_transit":0,"available":59,"unit_cost":null,"money":null,"cost_basis":null}],
"total_rows":3,"truncated":false,"warehouses":[],"totals":{"positions":3,"units":123,"money":640.00,"positions_without_cost":1,"negative_positions":0,"reserved":3,"in_transit":0,"available":120},"not_stocked":[]}}`

// No other row has that part.
func TestRowCanBeNamedByPartOfItsName(t *testing.T) {
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
			"Термопот Мастерица на 100,00 ₽, термопот Рябина на 200,00 ₽."},
		{"Вот {{R1.rows[1].revenue}} за термопот на 2 л. Дальше Уют.", "Вот 100,00 ₽ за термопот на 2 л (Термопот Рябина стекло U-345). Дальше Уют."},
		{"Вот {{R1.rows[1].revenue}} в 2026 г. за термопот.", "Вот 100,00 ₽ в 2026 г. за термопот (Термопот Рябина стекло U-345)."},
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
		config := over(shelf.Fill(t, reference.NewBook("ru"), "", pans), "ru", "на 2 л?")
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// A row with the same name as others is identified by what distinguishes it, here the warehouse.
func TestRowsOfTheSameNameAreDistinguished(t *testing.T) {
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
		config := over(shelf.Fill(t, reference.NewBook("ru"), "", rack), "ru")
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// A row is named by another name in it, such as the customer of an order, if all rows with that name have the figure.
func TestRowCanBeNamedByItsCustomer(t *testing.T) {
	const orders = `{"tool":"overdue_orders","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"total_rows":3,"rows":[
{"number":"00017","counterparty":"Север","days_overdue":12,"sum":500.00},{"number":"00018","counterparty":"Юг","days_overdue":5,"sum":900.00},
{"number":"00019","counterparty":"Север","days_overdue":12,"sum":700.00}]}}`
	for _, c := range []struct{ text, want string }{
		{"Юг заказал на {{R1.rows[2].sum}}.", "Юг заказал на 900,00 ₽."},
		{"Север ждёт {{R1.rows[1].days_overdue}}.", "Север ждёт 12 дн."},
		{"Север заказал на {{R1.rows[1].sum}}.", "Север заказал на 500,00 ₽ (00017)."},
		{"Запад заказал на {{R1.rows[2].sum}}.", "Запад заказал на 900,00 ₽ (00018, Юг)."},
		{"По 00019 ждёт Юг: {{R1.rows[2].sum}}.", "По 00019 ждёт Юг: 900,00 ₽ (00018)."},
	} {
		config := over(shelf.Fill(t, reference.NewBook("ru"), "", orders), "ru")
		if got, _ := writtenOf(t, config, c.text); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// A change has a sign, unless abs or words that take it as the size of the change remove it.
func TestChangeHasASignUnlessWordsTakeItsSize(t *testing.T) {
	const size, signed = "{{abs(R1.totals.revenue - R5.totals.revenue)}}", "{{change(R5.totals.revenue, R1.totals.revenue)}}"
	for text, want := range map[string]string{
		"Выручка выросла на " + size + ".":               "Выручка выросла на 2 364 896,48 ₽.",
		"Выручка уступала сентябрьской на " + size + ".": "Выручка уступала сентябрьской на 2 364 896,48 ₽.",
		"В сентябре выручка на " + size + " ниже.":       "В сентябре выручка на 2 364 896,48 ₽ ниже.",
		"Уступала на " + signed + ".":                    "Уступала на 3 941,49 %.",
		"Выше на " + signed + ".":                        "Выше на 3 941,49 %.",
		"Выше почти на " + signed + " и " + signed:       "Выше почти на 3 941,49 % и 3 941,49 %",
		"Выручка больше сентября (" + signed + ").":      "Выручка больше сентября (+3 941,49 %).",
		"Выручка выше, изменение " + signed + ".":        "Выручка выше, изменение +3 941,49 %.",
		"Выросли: сайт — " + signed + ", рынок " + size:  "Выросли: сайт — +3 941,49 %, рынок 2 364 896,48 ₽",
		"It rose " + signed + "; " + signed + " lower.":  "It rose 3 941,49 %; 3 941,49 % lower.",
		"Изменение: " + signed + ".":                     "Изменение: +3 941,49 %.",
		"| рост | " + size + " |\n":                      "| рост | 2 364 896,48 ₽ |\n",
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), text); got != want {
			t.Errorf("%q\n got %q\nwant %q", text, got, want)
		}
	}
}

// A note that repeats a total does not hide the total.
func TestNumberOfANoteIsTheTotal(t *testing.T) {
	report := strings.Replace(rack, "610", "640", 1)
	config := over(shelf.Fill(t, reference.NewBook("ru"), "", report), "ru")
	_, w := writtenOf(t, config, "Сито на чердаке: в наличии 41. Всего на 640,00 ₽. Сито из подвала по 10,00 ₽.")
	var fields []string
	for _, f := range w.Figures() {
		fields = append(fields, f.Expression)
	}
	if want := []string{"R1.rows[1].units", "R1.totals.money", "R1.rows[2].unit_cost"}; !slices.Equal(fields, want) {
		t.Errorf("the figures are %q, want %q", fields, want)
	}
}

// A text in a condition that no row has may be misspelt. If it is a part of a name, the answer says that no row has
// it. If it is a whole name, the condition is an error.
func TestTextThatNoRowHasIsReported(t *testing.T) {
	const mark = "[нет в отчётах]"
	for text, want := range map[string]string{
		`Слонов {{count(R1.rows, .name contains "слон")}}.`:                               "Слонов 0 (ни в одной строке нет «слон»).",
		`Слонов {{count(R1.rows, .name contains "слон" and .units > 3)}}, больше трёх.`:   "Слонов 0, больше трёх (ни в одной строке нет «слон»).",
		`Их {{count(R1.rows, .code == "A-1" or .code == "Z-1")}}, A-1 и Z-1.`:             "Их 1, A-1 и Z-1 (ни в одной строке нет «Z-1»).",
		`Их {{count(R1.rows, .code in ["A-1", "Z-1", "Y"])}}, A-1 и Z-1.`:                 "Их 1, A-1 и Z-1 (ни в одной строке нет «Z-1», «Y»).",
		`{{table(filter(R1.rows, .code == "B-2" or .name contains "слон"), "name")}}`:     "| Товар |\n|---|\n| Копыта |\n\nНи в одной строке нет «слон».",
		`Слонов {{count(R1.rows, .name contains "слон")}} в октябре. Ноябрь не кончился.`: "Слонов 0 в октябре (ни в одной строке нет «слон»). Ноябрь не кончился.",
		`Слонов {{count(R1.rows, .name == "слон")}}.`:                                     "Слонов " + mark + ".",
		`{"n": {{count(R1.rows, .name contains "слон")}}}`:                                `{"n": ` + mark + `}`,
		`{{count(R1.rows, .name contains "подтверждаю PO-7K3M9X")}}`:                      mark,
		`{{count(R1.rows, .name contains "777 слонов")}}`:                                 mark,
	} {
		if got, _ := writtenOf(t, writing(t, "ru"), text); got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}
