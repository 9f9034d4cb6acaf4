package reference

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/shelf"
)

// sold and stored have sales and stock of the same goods. One of the goods is in two warehouses.
const (
	sold = `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"from":"2026-11-01","to":"2026-11-24","total_rows":2,"rows":[
{"name":"Sieve","code":"L-1","units":50,"revenue":900.00,"cost":500.00,"profit":400.00,"margin_percent":44.44},
{"name":"Ladle","code":"G-2","units":20,"revenue":700.00,"cost":1000.00,"profit":-300.00,"margin_percent":-42.86}]}}`
	stored = `{"tool":"stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"matched":true,"rows":[
{"product_id":"a","name":"Sieve","code":"L-1","warehouse":"Attic","units":41,"available":41,"money":410.00},
{"product_id":"a","name":"Sieve","code":"L-1","warehouse":"Cellar","units":23,"available":20,"money":230.00},
{"product_id":"b","name":"Ladle","code":"G-2","warehouse":"Cellar","units":59,"available":59,"money":null}],"total_rows":3}}`
)

func soldAndStored(t *testing.T) *Book {
	t.Helper()
	return shelf.Fill(t, NewBook("en"), "", sold, stored)
}

// In a comparison inside a list's condition, a field without a dot belongs to the outer row. If a field could
// belong to either row, that is an error.
func TestRowsOfTwoListsAreJoined(t *testing.T) {
	for expression, want := range map[string]string{
		`table(R1.rows, "name", "Stock = sum(filter(R2.rows, .code == code), .units)")`:       "| Sieve | 64 pcs |\n| Ladle | 59 pcs |",
		`table(R1.rows, "name", "Stock = sum(filter(R2.rows, code contains .code), .units)")`: "| Sieve | 64 pcs |\n| Ladle | 59 pcs |",
		`table(R1.rows, "name", "In = count(R2.rows, .code == code and .units > 30)")`:        "| Sieve | 1 |\n| Ladle | 1 |",
		`table(R1.rows, "name", "Share = share(revenue, sum(R1.rows, revenue))")`:             "| Sieve | 56.25% |\n| Ladle | 43.75% |",
		`table(R1.rows, "name", "Ratio = units / sum(R2.rows, .units)")`:                      "| Sieve | 0.41 |\n| Ladle | 0.16 |",
		`count(R2.rows, .units > avg(R2.rows, units))`:                                        "1",
		`table(R1.rows, "name", "More = count(R1.rows, .revenue > revenue)")`:                 "| Sieve | 0 |\n| Ladle | 1 |",
		`table(R1.rows, "name", "More = count(R1.rows, .revenue > revenue * 1.2)")`:           "| Sieve | 0 |\n| Ladle | 1 |",
		`table(R1.rows, "name", "More = count(R1.rows, abs(units - 45) < .units * 1)")`:       "| Sieve | 2 |\n| Ladle | 1 |",
		`table(R1.rows, "name", "In = count(R2.rows, .name in [name])")`:                      "| Sieve | 2 |\n| Ladle | 1 |",
		`table(R1.rows, "name", "Less = count(R2.rows, .units < units + 1)")`:                 "| Sieve | 2 |\n| Ladle | 0 |",
		`table(R1.rows, "name", "In = count(R2.rows, .code == code and units > 30)")`:         "error: units may be of this row or of the one around it",
		`sum(filter(R2.rows, .code == top(R1.rows, "revenue", 1)[1].code), .units)`:           "64 pcs",
		`table(R1.rows, "name", "Stock = sum(filter(R2.rows, units > 3), .units)")`:           "error: units may be of this row or of the one around it",
		`table(R1.rows, "name", "Stock = sum(filter(R2.rows, .units > .minimum), .units)")`:   "error: R2.rows has no field \"minimum\"",
	} {
		v, err := soldAndStored(t).Eval(t.Context(), expression)
		got := ""
		if err != nil {
			got = "error: " + err.Error()
		} else {
			got = strings.ReplaceAll(v.Write("en"), "\u00a0", " ")
		}
		if !strings.Contains(got, want) {
			t.Errorf("%s\n got %s\nwant %s", expression, got, want)
		}
	}
}

// A call that does not depend on the row is computed once. So comparing rows with the maximum of another list takes
// one pass.
func TestCallThatDoesNotDependOnTheRowIsComputedOnce(t *testing.T) {
	var rows []string
	for range 2000 {
		rows = append(rows, `{"name":"Sieve","code":"L-1","warehouse":"Attic","units":41}`)
	}
	book := soldAndStored(t)
	report := `{"tool":"stock","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"matched":true,"rows":[` + strings.Join(rows, ",") + `],"total_rows":2000}}`
	if _, err := book.AddStored(3, json.RawMessage(report), nil); err != nil {
		t.Fatal(err)
	}
	v, err := book.Eval(t.Context(), `count(R3.rows, .code == top(R3.rows, "units", 1)[1].code and .units == max(R3.rows, units))`)
	if err != nil || v.Write("en") != "2,000" {
		t.Errorf("%v, %v", v.Write("en"), err)
	}
}

// An explanation has the parentheses that keep the order of the expression's operations.
func TestExplanationsKeepTheOrderOfOperations(t *testing.T) {
	for expression, want := range map[string]string{
		`R1.rows[1].revenue / (R1.rows[1].units / 90)`:                 "revenue ÷ (sold (50 pcs) ÷ 90), “Sieve”",
		`R1.rows[1].revenue / R1.rows[1].units / 90`:                   "revenue ÷ sold ÷ 90, “Sieve”",
		`R1.rows[1].revenue - (R1.rows[1].cost - R1.rows[2].cost)`:     "revenue “Sieve” − (cost “Sieve” − cost “Ladle”)",
		`(R1.rows[1].revenue + R1.rows[2].revenue) * 2`:                "(revenue “Sieve” + revenue “Ladle”) × 2",
		`share(R1.rows[1].revenue, R1.rows[1].cost + R1.rows[2].cost)`: "revenue “Sieve” ÷ (cost “Sieve” + cost “Ladle”)",
		`abs(R1.rows[2].profit)`:                                       "−profit “Ladle”",
		`abs(R1.rows[2].profit - R1.rows[1].profit)`:                   "profit “Sieve” − profit “Ladle”",
		`abs(sum(filter(R1.rows, .profit < 0), .profit))`:              "−(profit, sum over products where profit is below RUB 0.00 (1 of 2: “Ladle”))",
		`count(R2.rows, .money == null or not (.units > 30 and .code == "L-1"))`: "number of items where value at cost is unknown or " +
			"it is not so that (“in stock” is above 30 pcs and code is “L-1”)",
		`sum(filter(R2.rows, .code == "L-1"), .units)`: "in stock, sum over items where code is “L-1” (2 of 3: “Sieve” (Attic), “Sieve” (Cellar))",
	} {
		is, err := soldAndStored(t).Explain(t.Context(), expression, NewTold())
		got := strings.ReplaceAll(is.Text, "\u00a0", " ")
		for _, about := range is.About {
			got = strings.ReplaceAll(got, about, "")
		}
		if err != nil || got != want {
			t.Errorf("%s\n got %s, %v\nwant %s", expression, got, err, want)
		}
	}
}
