package tools

import (
	"strings"
	"testing"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// inRussian formats the problems as they appear in a Russian conversation.
func inRussian(wrong *check.InvalidError) string {
	said := make([]string, len(wrong.Problems))
	for i, p := range wrong.Problems {
		said[i] = p.Field + ": " + p.In("ru")
	}
	return strings.Join(said, "; ")
}

// Each problem says, in both languages, which value is wrong and why.
func TestProblemsOfArgumentsAreInBothLanguages(t *testing.T) {
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
		{"margin", `{"from": "31.10", "to": "2026-10-31"}`, `from must be a date such as 2026-10-31, got "31.10"`,
			"from: нужна дата, например 2026-10-31, указано «31.10»"},
		{"margin", `{"from": "2026-10-31", "to": "2026-10-01"}`, `from must not be after to, the last day of the period, got "2026-10-31"`,
			"from: не может быть позже конца периода, указано «2026-10-31»"},
		{"margin", `{"from": "1812-10-31", "to": "2026-10-01"}`, `from must be 2000-01-01 or later, got "1812-10-31"`,
			"from: не раньше 2000-01-01, указано «1812-10-31»"},
		{"margin", `{"from": "2030-10-31", "to": "2030-11-01"}`,
			`from must not be in the future (today is 2026-11-21 in Moscow), got "2030-10-31"`,
			"from: этот день ещё не наступил, сегодня 2026-11-21 по Москве, указано «2030-10-31»"},
		{"abc_xyz", `{"metric": "profit"}`, "metric cannot be profit, for this connection does not see cost: use revenue",
			"metric: по прибыли нельзя: подключение не видит себестоимость; возьмите выручку (revenue)"},
		{"abc_xyz", `{"x_percent": 50, "y_percent": 20.5}`, "y_percent must not be below x_percent, got 20.5",
			"y_percent: не может быть меньше границы X, указано 20,5"},
		{"reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "number_in": "comment"}`,
			`number_in must be name, external_code or attribute:NAME, got "comment"`,
			"number_in: подходит name, external_code или attribute:НАЗВАНИЕ, указано «comment»"},
		{"overdue_orders", `{"done_states": ["Собран", "Марс"]}`,
			`done_states.1 must be the name or id of a status of orders, and none fits, got "Марс"; there are `,
			"done_states.1: такого статуса заказов в учёте нет, указано «Марс»; есть: "},
		{"reconcile_shipments", `{"from": "2026-10-01", "to": "2026-10-31", "channel": "Марс"}`,
			`channel must be the name or id of a sales channel, and none fits, got "Марс"; there are `,
			"channel: такого канала продаж в учёте нет, указано «Марс»; есть: "},
	} {
		wrong := s.mustRefuse(c.tool, c.arguments)
		fits := func(got, want string) bool {
			return got == want || strings.HasSuffix(want, " ") && strings.HasPrefix(got, want)
		} // the names to choose from follow
		if english, russian := wrong.Error(), inRussian(wrong); !fits(english, c.english) || !fits(russian, c.russian) {
			t.Errorf("%s %s:\n%s\n%s\nwant\n%s\n%s", c.tool, c.arguments, english, russian, c.english, c.russian)
		}
	}
}
