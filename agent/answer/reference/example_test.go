package reference_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/agent/answer/reference"
)

// usual replaces no-break spaces with usual ones.
var usual = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// stored is a stored report of the tool stock, with two goods. The cost of one is unknown.
const stored = `{"tool":"stock","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"matched":true,"rows":[
{"name":"Чайник","code":"00017","warehouse":"Основной","units":272,"reserved":2,"in_transit":0,"available":270,"unit_cost":1200.50,"money":326536.00,"cost_basis":"fifo"},
{"name":"Кружка","code":"00018","warehouse":"Шоурум","units":14,"reserved":0,"in_transit":50,"available":64,"unit_cost":null,"money":null,"cost_basis":null}],
"total_rows":2,"truncated":false,"warehouses":[],"totals":{"positions":2,"units":286,"money":326536.00,"positions_without_cost":1,"negative_positions":0},"not_stocked":[]}}`

func open(lang string) *reference.Book {
	book := reference.NewBook(lang)
	if _, err := book.AddStored(1, json.RawMessage(stored), nil); err != nil {
		panic(err)
	}
	return book
}

func ExampleBook_Eval() {
	for _, expression := range []string{
		"R1.totals.money", "R1.rows[1].units", `R1.rows["00018"].name`, `sum(filter(R1.rows, .warehouse == "Основной"), .units)`,
		"share(R1.rows[2].units, R1.totals.units)", "thousands(R1.totals.money)", "count(R1.rows, .unit_cost == null)",
		"R1.rows[2].money", `filter(R1.rows, .warehouse == "Склад")[1].units`, "R1.totals.cost",
	} {
		v, err := open("ru").Eval(context.Background(), expression)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(usual.Replace(v.Write("ru")))
	}
	// Output:
	// 326 536,00 ₽
	// 272 шт.
	// «Кружка»
	// 272 шт.
	// 4,9 %
	// 327 тыс. ₽
	// 1
	// R1.rows[2].money is unknown: the books do not say it. Say in words that it is unknown; it is not 0
	// no row of R1.rows has warehouse "Склад"; there are Основной, Шоурум. If there is none, say so in words, or count with contains, which gives 0
	// R1.totals has no field "cost"; it has positions, units, money, positions_without_cost, negative_positions, reserved, in_transit, available, archived_positions, archived_money
}

func ExampleBook_Eval_table() {
	v, err := open("en").Eval(context.Background(), `table(top(R1.rows, "units", 5), "name", "units", "money", "Per day = units / 90")`)
	if err != nil {
		panic(err)
	}
	fmt.Println(usual.Replace(v.Write("en")))
	// Output:
	// | Product | In stock | Value at cost | Per day |
	// |---|---:|---:|---:|
	// | Чайник | 272 pcs | RUB 326,536.00 | 3.02 |
	// | Кружка | 14 pcs | unknown | 0.16 |
}

func ExampleReport_Show() {
	fmt.Print(open("en").Reports()[0].Show())
	// Output:
	// R1 stock, as of 2026-11-22 22:55 Moscow time, RUB
	// matched yes; not_stocked []
	// totals: positions 2; units 286; money 326536; positions_without_cost 1; negative_positions 0; reserved 0; in_transit 0; available 0; archived_positions 0; archived_money null
	// R1.rows: 2 rows; the same in all: archived no
	// n|name|code|warehouse|units|reserved|in_transit|available|unit_cost|money|cost_basis
	// 1|Чайник|00017|Основной|272|2|0|270|1200.5|326536|fifo
	// 2|Кружка|00018|Шоурум|14|0|50|64|null|null|null
	// R1.warehouses: no rows
}
