package tools

import (
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// inRussian is what is wrong with a call, as a conversation in Russian is told it.
func inRussian(wrong *ArgumentError) string {
	said := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		said[i] = p.Field + ": " + p.In("ru")
	}
	return strings.Join(said, "; ")
}

// Each thing that a tool finds wrong says in both languages which value it is about and what would do.
func TestWhatToolsFindWrongIsToldInBothLanguages(t *testing.T) {
	s := openShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost})
	for name, store := range map[int]string{0: "Основной", 1: "Склад Юг", 2: "Склад Север"} {
		s.Books().Stores[name].Name = store
	}
	s.Books().Stores = s.Books().Stores[:3]
	for _, c := range []struct{ tool, arguments, english, russian string }{
		{"search_products", `{"query": " "}`, `query must not be blank, got " "`, "query: не должно быть пусто, указано « »"},
		{"stock", `{"warehouse": "Марс"}`, `warehouse must be the name or id of a warehouse, and none fits, got "Марс"; there are Основной, Склад Юг, Склад Север`,
			"warehouse: такого склада в учёте нет, указано «Марс»; есть: Основной, Склад Юг, Склад Север"},
		{"stock", `{"warehouse": "склад"}`, `warehouse must be the name or id of a warehouse, and 2 fit, got "склад"; there are Склад Юг, Склад Север`,
			"warehouse: подходит больше одного склада (2), назовите точнее, указано «склад»; есть: Склад Юг, Склад Север"},
		{"margin", `{"from": "31.10", "to": "2026-10-31"}`, `from must be a date such as 2026-10-31, got "31.10"`, "from: нужна дата, например 2026-10-31, указано «31.10»"},
		{"margin", `{"from": "2026-10-31", "to": "2026-10-01"}`, `from must not be after to, the last day of the period, got "2026-10-31"`, "from: не может быть позже конца периода, указано «2026-10-31»"},
		{"margin", `{"from": "1812-10-31", "to": "2026-10-01"}`, `from must be 2000-01-01 or later, got "1812-10-31"`, "from: не раньше 2000-01-01, указано «1812-10-31»"},
		{"margin", `{"from": "2030-10-31", "to": "2030-11-01"}`, `from must not be in the future (today is 2026-11-21 in Moscow), got "2030-10-31"`,
			"from: этот день ещё не наступил, сегодня 2026-11-21 по Москве, указано «2030-10-31»"},
		{"abc_xyz", `{"metric": "profit"}`, "metric cannot be profit, for this connection does not see cost: use revenue",
			"metric: по прибыли нельзя: подключение не видит себестоимость; возьмите выручку (revenue)"},
		{"abc_xyz", `{"x_percent": 50, "y_percent": 20.5}`, "y_percent must not be below x_percent, got 20.5", "y_percent: не может быть меньше границы X, указано 20,5"},
		{"reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "number_in": "comment"}`, `number_in must be name, external_code or attribute:NAME, got "comment"`,
			"number_in: подходит name, external_code или attribute:НАЗВАНИЕ, указано «comment»"},
		{"overdue_orders", `{"done_states": ["Собран", "Марс"]}`, `done_states.1 must be the name or id of a status of orders, and none fits, got "Марс"; there are `, "done_states.1: такого статуса заказов в учёте нет, указано «Марс»; есть: "},
		{"reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Марс"}`, `channel must be the name or id of a sales channel, and none fits, got "Марс"; there are `, "channel: такого канала продаж в учёте нет, указано «Марс»; есть: "},
		{"calculate", `{"expression": "1 / 0"}`, "expression is wrong at character 6: division by zero", "expression: ошибка в знаке 6: на ноль делить нельзя"},
		{"calculate", `{"expression": "sqrt(4)"}`, `expression is wrong at character 1: this is none of the functions abs, max, min, percent, round, sum, got "sqrt"`,
			"expression: ошибка в знаке 1: такой функции нет, есть abs, max, min, percent, round, sum, указано «sqrt»"},
		{"calculate", `{"expression": "round(1, 0.5)"}`, "expression is wrong at character 14: round(x, n) needs a whole n from -24 to 24, got 0.5",
			"expression: ошибка в знаке 14: в round(x, n) нужно целое n от -24 до 24, указано 0,5"},
		{"calculate", `{"expression": "1 +"}`, "expression is wrong at character 4: it ends where a number was expected", "expression: ошибка в знаке 4: здесь нужно число, а дальше ничего нет"},
		{"calculate", `{"expression": "1 2"}`, `expression is wrong at character 3: two numbers without an operator; write 1234.56, without spaces between digits`,
			"expression: ошибка в знаке 3: два числа без знака действия; пишите 1234.56, без пробелов между цифрами"},
		{"calculate", `{"expression": "100 + 10%"}`, "expression is wrong at character 10: adding a percentage to a number can be read in two ways; write 100 + 100 * 10% for a tenth more than 100",
			"expression: ошибка в знаке 10: процент, прибавленный к числу, понимают по-разному; на десятую больше ста пишут 100 + 100 * 10%"},
		{"calculate", `{"expression": "(1 + 2"}`, `expression is wrong at character 7: ")" is missing`, "expression: ошибка в знаке 7: не хватает «)»"},
		{"calculate", `{"expression": "max(1"}`, `expression is wrong at character 6: "," or ")" was expected`, "expression: ошибка в знаке 6: здесь нужно «,» или «)»"},
		{"calculate", `{"expression": "sum"}`, `expression is wrong at character 4: sum needs its values in parentheses`, "expression: ошибка в знаке 4: значения sum пишут в скобках"},
		{"calculate", `{"expression": "abs(1, 2)"}`, `expression is wrong at character 10: wrong number of values for abs, got 2`, "expression: ошибка в знаке 10: не то число значений у abs, указано 2"},
		{"calculate", `{"expression": "1..2"}`, `expression is wrong at character 1: this is no number, got "1..2"`, "expression: ошибка в знаке 1: это не число, указано «1..2»"},
		{"calculate", `{"expression": "1 $ 2"}`, `expression is wrong at character 3: this cannot stand here, got "$"`, "expression: ошибка в знаке 3: этого здесь быть не может, указано «$»"},
		{"calculate", `{"expression": "` + strings.Repeat("(", 70) + `1"}`, "expression is wrong at character 65: nested deeper than 64 levels", "expression: ошибка в знаке 65: вложенность глубже 64"},
		{"calculate", `{"expression": "` + strings.Repeat("я", 2500) + `"}`, "expression must have at most 4096 bytes", "expression: слишком длинное, допустимо байт: 4096"},
	} {
		wrong := s.refused(c.tool, c.arguments)
		fits := func(got, want string) bool {
			return got == want || strings.HasSuffix(want, " ") && strings.HasPrefix(got, want)
		} // and then names
		if english, russian := wrong.Error(), inRussian(wrong); !fits(english, c.english) || !fits(russian, c.russian) {
			t.Errorf("%s %s:\n%s\n%s\nwant\n%s\n%s", c.tool, c.arguments, english, russian, c.english, c.russian)
		}
	}
}
