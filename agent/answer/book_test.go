package answer

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// margin is a report as it is stored: three goods, of which one has no known cost.
const margin = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"COST_COVERAGE","text":"Cost is known for 90% of revenue."}],"result":{
"from":"2026-10-24T00:00:00+03:00","to":"2026-11-22T23:59:59+03:00","total_rows":3,"truncated":false,
"rows":[
{"product_id":"a","name":"Рога \"большие\"","code":"A-1","kind":"product","units":12,"revenue":2424396.98,"cost":1000000.00,"profit":1424396.98,"margin_percent":58.75,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","kind":"product","units":3.5,"revenue":1000.00,"cost":null,"profit":null,"margin_percent":null,"cost_basis":null},
{"product_id":"c","name":"Хвосты | длинные","code":"C-3","kind":"variant","units":-1,"revenue":-500.50,"cost":-400.00,"profit":-100.50,"margin_percent":20.08,"cost_basis":"fifo"}],
"totals":{"revenue":2424896.48,"covered_revenue":2423896.48,"cost_coverage_percent":99.96,"covered_profit":1424296.48,"covered_margin_percent":58.76,"rows_without_cost":1,"reliable":true,"services_without_cost":0,"services_without_cost_revenue":null,"all_revenue":2424896.48},
"kinds":[],"uncovered":[{"product_id":"b","name":"Копыта","units":3.5,"revenue":1000.00}]}}`

// money is a report with amounts of three currencies.
const money = `{"tool":"money_position","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{
"accounts":[{"name":"40702810500000001234","organization":"ООО Ромашка","balance":96432.10,"currency":"RUB"},{"name":"cash desk","organization":"ООО Ромашка","balance":1500.00,"currency":"USD"},{"name":"deposit","organization":"ООО Ромашка","balance":10.00,"currency":null}],
"cash":96432.10,"other_currencies":[{"currency":"USD","cash":1500.00}],"receivables":12000.00,"payables":null,"net":null,"debtors":2,"creditors":0,
"top_debtors":[{"counterparty_id":"x","counterparty":"Иванов","amount":10000.00},{"counterparty_id":"y","counterparty":"Петров","amount":2000.00}],"top_creditors":[],"source":"report"}}`

const slow = `{"tool":"slow_movers","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{
"window_days":90,"min_cover_days":180,"warehouse":null,"total_rows":2,"truncated":false,"rows":[
{"product_id":"a","name":"Рога","code":"A-1","units":272,"sold_units":90,"velocity_per_day":1,"days_of_cover":272,"money":27200.00,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","units":10,"sold_units":3,"velocity_per_day":0.0333,"days_of_cover":300.3,"money":null,"cost_basis":null,"archived":true}],
"totals":{"positions":2,"money":27200.00,"positions_without_cost":1,"archived_positions":1,"new_products":0,"without_sales":0}}}`

const runway = `{"tool":"cash_runway","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{"from":"2026-08-01","to":"2026-10-31",
"currencies":[{"currency":"RUB","cash":96432.10,"income_per_month":100.00,"expense_per_month":1452.48,"net_burn_per_month":1352.48,"runway_months":71.3,"verdict":"burning","own_transfers":0.00}],
"months":[{"month":"2026-08","currency":"RUB","income":100.00,"expense":1400.00},{"month":"2026-09","currency":"RUB","income":100.00,"expense":1500.00},{"month":"2025-10","currency":"USD","income":5.00,"expense":1.00}]}}`

const cut = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"TRUNCATED","text":"The result has 3 of 700 rows; totals are over all of them."}],"result":{
"from":"2025-10-24T00:00:00+03:00","to":"2025-11-22T23:59:59+03:00","total_rows":700,"truncated":true,
"rows":[
{"product_id":"a","name":"Рога","code":"A-1","kind":"product","units":12,"revenue":300.00,"cost":100.00,"profit":200.00,"margin_percent":66.67,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","kind":"product","units":30,"revenue":200.00,"cost":150.00,"profit":50.00,"margin_percent":25,"cost_basis":"fifo"},
{"product_id":"c","name":"Хвосты","code":"C-3","kind":"product","units":1,"revenue":100.00,"cost":10.00,"profit":90.00,"margin_percent":90,"cost_basis":"fifo"}],
"totals":{"revenue":60000.00,"covered_revenue":60000.00,"cost_coverage_percent":100,"covered_profit":30000.00,"covered_margin_percent":50,"rows_without_cost":0,"reliable":true,"services_without_cost":0,"services_without_cost_revenue":null,"all_revenue":60000.00},
"kinds":[],"uncovered":[]}}`

// shelf is a book of R1 margin, R2 money, R3 slow movers, R4 runway, R5 a margin of which three rows of 700 are kept.
func shelf(t testing.TB, lang string) *Book {
	t.Helper()
	b := NewBook(lang)
	for i, text := range []string{margin, money, slow, runway, cut} {
		if _, err := b.AddStored(i+1, json.RawMessage(text), json.RawMessage(`{"from":"2026-10-24"}`)); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// spaced puts usual spaces in the place of those that do not break.
var spaced = strings.NewReplacer(groupSpace, " ", noBreak, " ")

func TestValuesAreWrittenByKindAndLanguage(t *testing.T) {
	for expression, want := range map[string][2]string{
		"R1.rows[1].revenue":                {"2 424 396,98 ₽", "RUB 2,424,396.98"},
		"R1.rows[3].profit":                 {"−100,50 ₽", "RUB -100.50"},
		"-R1.rows[3].profit":                {"100,50 ₽", "RUB 100.50"},
		"R1.totals.covered_margin_percent":  {"58,76 %", "58.76%"},
		"R1.rows[1].margin_percent - 57.81": {"0,94 %", "0.94%"},
		"R1.rows[1].margin_percent - R1.totals.covered_margin_percent": {"−0,01 п.п.", "-0.01 pp"},
		"R3.rows[1].days_of_cover":                                     {"272 дн.", "272 days"},
		"R3.window_days":                                               {"90 дн.", "90 days"},
		"R3.rows[1].units / R3.rows[1].velocity_per_day":               {"272 дн.", "272 days"},
		"R3.rows[1].velocity_per_day":                                  {"1 шт. в день", "1 pc a day"},
		"R4.currencies[1].runway_months":                               {"71,3 мес.", "71.3 months"},
		"R4.months[3].month":                                           {"октябрь 2025", "October 2025"},
		"R4.months[3].income":                                          {"5,00 $", "USD 5.00"},
		"thousands(R2.cash)":                                           {"96 тыс. ₽", "RUB 96 thousand"},
		"millions(R1.totals.revenue)":                                  {"2,4 млн ₽", "RUB 2.4 million"},
		"R1.from":                                                      {"24 октября", "24 October"},
		"R5.to":                                                        {"22 ноября 2025", "22 November 2025"},
		"R1.rows[2].units":                                             {"3,5 шт.", "3.5 pcs"},
		"R1.totals.rows_without_cost":                                  {"1", "1"},
		"R1.totals.reliable":                                           {"да", "yes"},
		"R1.rows[2].name":                                              {"«Копыта»", "“Копыта”"},
		`R1.rows["b-2"].revenue`:                                       {"1 000,00 ₽", "RUB 1,000.00"},
		"R1.rows[1].code":                                              {"A-1", "A-1"},
		"R4.currencies[1].verdict":                                     {"деньги убывают", "cash shrinks"},
		"R1.rows[1].revenue / R1.rows[1].units":                        {"202 033,08 ₽", "RUB 202,033.08"},
		"R1.totals.revenue * 15 / 100":                                 {"363 734,47 ₽", "RUB 363,734.47"},
		"share(R1.rows[2].revenue, R1.totals.revenue)":                 {"0,04 %", "0.04%"},
		"share(R1.totals.covered_revenue, R1.totals.revenue)":          {"99,96 %", "99.96%"},
		"change(R5.totals.revenue, R1.totals.revenue)":                 {"+3 941,49 %", "+3,941.49%"},
		"abs(change(R1.totals.revenue, R5.totals.revenue))":            {"97,53 % ↓", "97.53% ↓"},
		"abs(R1.totals.revenue - R5.totals.revenue)":                   {"2 364 896,48 ₽ ↑", "RUB 2,364,896.48 ↑"},
		"abs(R5.totals.revenue - R1.totals.revenue)":                   {"2 364 896,48 ₽ ↑", "RUB 2,364,896.48 ↑"},
		"abs(R5.totals.covered_margin_percent - R1.totals.covered_margin_percent)": {"8,76 п.п. ↑", "8.76 pp ↑"},
		"R1.totals.covered_margin_percent - R5.totals.covered_margin_percent":      {"+8,76 п.п.", "+8.76 pp"},
		"abs(R1.totals.revenue - R1.totals.covered_revenue)":                       {"1 000,00 ₽", "RUB 1,000.00"},
		"abs(R1.rows[1].profit - R5.rows[1].profit)":                               {"1 424 196,98 ₽", "RUB 1,424,196.98"},
		"R1.to - R1.from": {"29 дн.", "29 days"},
		"R1.totals.covered_revenue / R1.totals.covered_profit": {"1,7", "1.7"},
		"R2.cash - 432.1":                    {"96 000,00 ₽", "RUB 96,000.00"},
		"(R2.cash / 3) * 3":                  {"96 432,10 ₽", "RUB 96,432.10"},
		"R1.rows[1].revenue * 0 / 1":         {"0,00 ₽", "RUB 0.00"},
		"R2.cash * 0.0000000000000000000001": {"0,000000000000 ₽", ""},
	} {
		for i, lang := range []string{"ru", "en"} {
			v, err := shelf(t, lang).Eval(t.Context(), expression)
			if err != nil {
				t.Errorf("%s: %v", expression, err)
				continue
			}
			if got := spaced.Replace(v.Write(lang)); got != want[i] && want[1] != "" {
				t.Errorf("%s is written %q, want %q", expression, got, want[i])
			}
		}
	}
}

// causeOf is the cause of the error of an expression; empty if there is none.
func causeOf(t testing.TB, expression string) (cause, text string) {
	t.Helper()
	_, err := shelf(t, "ru").Eval(context.Background(), expression)
	var e *Error
	if errors.As(err, &e) {
		return e.Cause, e.Text
	}
	if err != nil {
		t.Errorf("%s: %v is no error for a model", expression, err)
	}
	return "", ""
}

func TestShowHasNumberedRowsAndRecallHasNone(t *testing.T) {
	b := shelf(t, "ru")
	r := b.Reports()[0]
	want := `R1 margin {"from":"2026-10-24"}, as of 2026-11-22 22:55 Moscow time, RUB
from 2026-10-24; to 2026-11-22
totals: revenue 2424896.48; covered_revenue 2423896.48; cost_coverage_percent 99.96%; covered_profit 1424296.48; covered_margin_percent 58.76%; rows_without_cost 1; reliable yes; services_without_cost 0; services_without_cost_revenue null; all_revenue 2424896.48
R1.rows: 3 rows; the same in all: covered_revenue null; cost_coverage_percent null
n|name|code|kind|units|revenue|cost|profit|margin_percent|cost_basis
1|Рога "большие"|A-1|product|12|2424396.98|1000000|1424396.98|58.75%|fifo
2|Копыта|B-2|product|3.5|1000|null|null|null|null
3|Хвосты / длинные|C-3|variant|-1|-500.5|-400|-100.5|20.08%|fifo
R1.kinds: no rows
R1.uncovered: 1 rows
n|name|units|revenue
1|Копыта|3.5|1000
note: Cost is known for 90% of revenue.
`
	got := r.Show()
	if got != want {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want)
	}
	if recall := r.Recall(); !strings.HasPrefix(got, recall) || strings.Contains(recall, "Копыта") {
		t.Errorf("recalled:\n%s", recall)
	}
}
