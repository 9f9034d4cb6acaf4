// Package shelf provides stored reports for the tests of package answer and its subpackages.
package shelf

import "encoding/json"

// Fill adds stored reports to a book as R1, R2, …, made with the same arguments. It returns the book.
func Fill[Book interface {
	AddStored(number int, encoded, arguments json.RawMessage) (Report, error)
}, Report any](t interface{ Fatal(...any) }, book Book, arguments string, reports ...string) Book {
	for i, report := range reports {
		if _, err := book.AddStored(i+1, json.RawMessage(report), json.RawMessage(arguments)); err != nil {
			t.Fatal(err)
		}
	}
	return book
}

// Reports has the reports in order: R1 margin, R2 money, R3 slow movers, R4 runway, and R5, a margin report that
// keeps only three of its 700 rows.
var Reports = []string{Margin, Money, Slow, Runway, Cut}

// Arguments is the arguments that all the reports were made with.
const Arguments = `{"from":"2026-10-24"}`

// Margin is a stored report of three products, one of them without a known cost.
const Margin = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"COST_COVERAGE","text":"Cost is known for 90% of revenue."}],"result":{
"from":"2026-10-24T00:00:00+03:00","to":"2026-11-22T23:59:59+03:00","total_rows":3,"truncated":false,
"rows":[
{"product_id":"a","name":"Рога \"большие\"","code":"A-1","kind":"product","units":12,"revenue":2424396.98,"cost":1000000.00,"profit":1424396.98,"margin_percent":58.75,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","kind":"product","units":3.5,"revenue":1000.00,"cost":null,"profit":null,"margin_percent":null,"cost_basis":null},
{"product_id":"c","name":"Хвосты | длинные","code":"C-3","kind":"variant","units":-1,"revenue":-500.50,"cost":-400.00,"profit":-100.50,"margin_percent":20.08,"cost_basis":"fifo"}],
"totals":{"revenue":2424896.48,"covered_revenue":2423896.48,"cost_coverage_percent":99.96,"covered_profit":1424296.48,"covered_margin_percent":58.76,"rows_without_cost":1,"reliable":true,"services_without_cost":0,"services_without_cost_revenue":null,"all_revenue":2424896.48},
"kinds":[],"uncovered":[{"product_id":"b","name":"Копыта","units":3.5,"revenue":1000.00}]}}`

// Money is a report with amounts of three currencies.
const Money = `{"tool":"money_position","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{
"accounts":[{"name":"40702810500000001234","organization":"ООО Ромашка","balance":96432.10,"currency":"RUB"},{"name":"cash desk","organization":"ООО Ромашка","balance":1500.00,"currency":"USD"},{"name":"deposit","organization":"ООО Ромашка","balance":10.00,"currency":null}],
"cash":96432.10,"other_currencies":[{"currency":"USD","cash":1500.00}],"receivables":12000.00,"payables":null,"net":null,"debtors":2,"creditors":0,
"top_debtors":[{"counterparty_id":"x","counterparty":"Иванов","amount":10000.00},{"counterparty_id":"y","counterparty":"Петров","amount":2000.00}],"top_creditors":[],"source":"report"}}`

const Slow = `{"tool":"slow_movers","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{
"window_days":90,"min_cover_days":180,"warehouse":null,"total_rows":2,"truncated":false,"rows":[
{"product_id":"a","name":"Рога","code":"A-1","units":272,"sold_units":90,"velocity_per_day":1,"days_of_cover":272,"money":27200.00,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","units":10,"sold_units":3,"velocity_per_day":0.0333,"days_of_cover":300.3,"money":null,"cost_basis":null,"archived":true}],
"totals":{"positions":2,"money":27200.00,"positions_without_cost":1,"archived_positions":1,"new_products":0,"without_sales":0}}}`

const Runway = `{"tool":"cash_runway","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{"from":"2026-08-01","to":"2026-10-31",
"currencies":[{"currency":"RUB","cash":96432.10,"income_per_month":100.00,"expense_per_month":1452.48,"net_burn_per_month":1352.48,"runway_months":71.3,"verdict":"burning","own_transfers":0.00}],
"months":[{"month":"2026-08","currency":"RUB","income":100.00,"expense":1400.00},{"month":"2026-09","currency":"RUB","income":100.00,"expense":1500.00},{"month":"2025-10","currency":"USD","income":5.00,"expense":1.00}]}}`

const Cut = `{"tool":"margin","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[{"code":"TRUNCATED","text":"The result has 3 of 700 rows; totals are over all of them."}],"result":{
"from":"2025-10-24T00:00:00+03:00","to":"2025-11-22T23:59:59+03:00","total_rows":700,"truncated":true,
"rows":[
{"product_id":"a","name":"Рога","code":"A-1","kind":"product","units":12,"revenue":300.00,"cost":100.00,"profit":200.00,"margin_percent":66.67,"cost_basis":"fifo"},
{"product_id":"b","name":"Копыта","code":"B-2","kind":"product","units":30,"revenue":200.00,"cost":150.00,"profit":50.00,"margin_percent":25,"cost_basis":"fifo"},
{"product_id":"c","name":"Хвосты","code":"C-3","kind":"product","units":1,"revenue":100.00,"cost":10.00,"profit":90.00,"margin_percent":90,"cost_basis":"fifo"}],
"totals":{"revenue":60000.00,"covered_revenue":60000.00,"cost_coverage_percent":100,"covered_profit":30000.00,"covered_margin_percent":50,"rows_without_cost":0,"reliable":true,"services_without_cost":0,"services_without_cost_revenue":null,"all_revenue":60000.00},
"kinds":[],"uncovered":[]}}`
