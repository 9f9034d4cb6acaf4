package answer

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/reference"
)

// shop is a report of sales with a row that is neither first nor last in anything, and one of stock and of debts.
var shop = []string{
	`{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"from":"2026-11-01","to":"2026-11-24","total_rows":5,"rows":[
{"name":"Лейка","code":"L-1","units":50,"revenue":900.00,"cost":500.00,"profit":400.00,"margin_percent":44.44},
{"name":"Грабли","code":"G-2","units":20,"revenue":700.00,"cost":400.00,"profit":300.00,"margin_percent":42.86},
{"name":"Секатор","code":"S-3","units":15,"revenue":500.00,"cost":250.00,"profit":250.00,"margin_percent":50.00},
{"name":"Тачка","code":"T-4","units":12,"revenue":300.00,"cost":200.00,"profit":100.00,"margin_percent":33.33},
{"name":"Совок","code":"V-5","units":3,"revenue":100.00,"cost":90.00,"profit":10.00,"margin_percent":10.00}],
"totals":{"revenue":2500.00,"covered_revenue":2500.00,"covered_profit":1060.00,"covered_margin_percent":42.40,"rows_without_cost":0}}}`,
	`{"tool":"money_position","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"cash":7000.00,"receivables":5000.00,"payables":3000.00,"net":9000.00,
"debtors":2,"creditors":1,"top_debtors":[{"name":"Север","amount":4000.00},{"name":"Юг","amount":1000.00}],"top_creditors":[{"name":"Запад","amount":3000.00}]}}`,
}

// Words that say something else of a figure than what it is are contradicted beside it, and only they.
func TestWordsOfAFigureAreContradicted(t *testing.T) {
	for _, c := range []struct{ lang, text, caption string }{
		// a function of rows
		{"ru", "В среднем позиция даёт {{max(R1.rows, .revenue)}}.", " (максимум)"},
		{"ru", "В среднем позиция даёт {{avg(R1.rows, .revenue)}}.", ""},
		{"ru", "Средняя наценка, то есть маржа, {{avg(R1.rows, .margin_percent)}}.", ""},
		{"ru", "Суммарно заработали {{avg(R1.rows, .profit)}}.", " (среднее)"},
		{"ru", "Суммарно заработали {{sum(R1.rows, .profit)}}.", ""},
		{"ru", "Наибольшая выручка {{min(R1.rows, .revenue)}}.", " (минимум)"},
		{"ru", "Наибольшая выручка {{max(R1.rows, .revenue)}}.", ""},
		{"ru", "Средняя маржа {{R1.totals.covered_margin_percent}}.", ""},
		{"en", "A typical item brings {{sum(R1.rows, .revenue)}}.", " (sum)"},
		{"en", "A typical item brings {{avg(R1.rows, .revenue)}}.", ""},
		{"en", "Altogether the goods earned {{max(R1.rows, .profit)}}.", " (maximum)"},
		{"en", "Altogether the goods earned {{sum(R1.rows, .profit)}}.", ""},
		{"en", "The average debt is {{R2.receivables}}.", " (in all)"},
		{"en", "Clients owe us {{R2.receivables}}; the average bill is unknown.", ""},
		// whose a least or greatest value is
		{"ru", "Выше всех выручка у Тачки: {{max(R1.rows, .revenue)}}.", " (Лейка)"},
		{"ru", "Выше всех выручка у Лейки: {{max(R1.rows, .revenue)}}.", ""},
		{"ru", "Выше всего выручка позиции была {{max(R1.rows, .revenue)}}.", ""},
		{"en", "Секатор has the lowest profit, {{min(R1.rows, .profit)}}.", " (Совок)"},
		{"en", "Совок has the lowest profit, {{min(R1.rows, .profit)}}.", ""},
		// the rank of a row
		{"ru", "Самая прибыльная позиция — Тачка: {{R1.rows[4].profit}}.", " (4-е из 5)"},
		{"ru", "Самая прибыльная позиция — Лейка: {{R1.rows[1].profit}}.", ""},
		{"ru", "Хуже всех маржа у Тачки: {{R1.rows[4].margin_percent}}.", " (4-е из 5)"},
		{"ru", "Слабее всех по прибыли Тачка: {{R1.rows[4].profit}}.", " (4-е из 5)"},
		{"en", "Тачка has the weakest profit: {{R1.rows[4].profit}}.", " (no. 4 of 5)"},
		{"en", "Совок has the weakest profit: {{R1.rows[5].profit}}.", ""},
		{"ru", "Хуже всех маржа у позиции Совок: {{R1.rows[5].margin_percent}}.", ""},
		{"ru", "Больше всего выручки дали Лейка, {{R1.rows[1].revenue}}, и Грабли, {{R1.rows[2].revenue}}.", ""},
		{"ru", "Тачка: выручка {{R1.rows[4].revenue}}.", ""},
		{"en", "Тачка was the best: {{R1.rows[4].revenue}}.", " (no. 4 of 5)"},
		{"en", "Лейка was the best: {{R1.rows[1].margin_percent}}.", ""}, // by what else, the words do not say
		{"en", "The best of the heavy goods was Тачка: {{R1.rows[4].revenue}}.", ""},
		// counts said as pieces
		{"ru", "Продано {{len(R1.rows)}} штук.", " (позиций)"},
		{"ru", "Продано {{len(R1.rows)}} позиций.", ""},
		{"ru", "Продано {{sum(R1.rows, .units)}}, это {{len(R1.rows)}} товаров.", ""},
		{"en", "We sold {{len(R1.rows)}} pieces.", " (positions)"},
		{"en", "We sold {{len(R1.rows)}} products.", ""},
		{"en", "There are {{R2.debtors}} units of debt.", " (debtors)"},
		// a total said of a part
		{"ru", "Главный должник задержал {{R2.receivables}}.", " (всего)"},
		{"ru", "Главный должник задержал {{R2.top_debtors[1].amount}} дебиторки.", ""},
		{"ru", "Должники задержали {{R2.receivables}}.", ""},
		{"ru", "Лучший месяц дал {{R1.totals.revenue}}.", ""},
		{"en", "One client owes us {{R2.receivables}}.", " (in all)"},
		{"en", "All clients owe us {{R2.receivables}}.", ""},
		// a measure that no report has, or another report's
		{"ru", "Наценка вышла {{R1.totals.covered_margin_percent}}.", " (маржа по этой части)"},
		{"ru", "Маржа вышла {{R1.totals.covered_margin_percent}}.", ""},
		{"ru", "Лейка продаётся по {{R1.rows[1].cost / R1.rows[1].units}}.", " (себестоимость)"},
		{"ru", "Лейка продаётся по {{R1.rows[1].revenue / R1.rows[1].units}}.", ""},
		{"ru", "Прибыль компании {{R2.net}}.", " (итого с учётом долгов)"},
		{"en", "We mark up goods by {{R1.totals.covered_margin_percent}}.", " (margin of that part)"},
		{"en", "Our margin is {{R1.totals.covered_margin_percent}}.", ""},
		{"en", "Our overdue bills are {{R2.payables}}.", " (payables)"},
		{"en", "We owe {{R2.payables}}.", ""},
	} {
		config := writing(t, c.lang)
		config.Book = reference.NewBook(c.lang)
		for i, report := range shop {
			if _, err := config.Book.AddStored(i+1, json.RawMessage(report), nil); err != nil {
				t.Fatal(err)
			}
		}
		got, _ := writtenOf(t, config, c.text)
		caption := ""
		if at := strings.Index(got, " ("); at >= 0 {
			caption = strings.TrimRight(got[at:], ".")
		}
		if caption != c.caption {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.caption)
		}
	}
}
