package reference

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/shelf"
)

// An expression without a value is an error with a cause, and with a text that says what to do.
func TestExpressionWithoutValueIsAHelpfulError(t *testing.T) {
	explained(t, []refused{
		{"R1.totals.revenue + R2.accounts[2].balance", WrongCurrency, "RUB and USD"},
		{"R2.accounts[3].balance + R2.cash", WrongCurrency, "an unknown currency and RUB"},
		{"R2.accounts[2].balance / R2.cash", WrongCurrency, "USD and RUB"},
		{"share(R2.accounts[2].balance, R2.cash)", WrongCurrency, "USD and RUB"},
		{"R2.accounts[2].balance > R2.cash", WrongCurrency, "USD and RUB"},
		{"sum(R2.accounts, .balance)", WrongCurrency, "RUB and USD"},
		{"max(R2.accounts, .balance)", WrongCurrency, "USD and RUB"},
		{`convert(R2.accounts[2].balance, 80, "RUB") + R2.accounts[2].balance`, WrongCurrency, "RUB and USD"},
		{`convert(R1.rows[1].units, 80, "RUB")`, WrongKind, "convert takes money"},
		{`convert(R2.cash, 80, "roubles")`, WrongKind, "convert takes money"},
		{`convert(R2.cash, 80, "RUB")`, WrongCurrency, "RUB, the account's own"},
		{`convert(R2.accounts[2].balance, 1.1, "EUR")`, WrongCurrency, "RUB, the account's own"},
		{`convert(R2.cash, -80, "USD")`, WrongKind, "convert takes money"},
		{`top(R4.months, "income", 1)[1].month`, WrongCurrency, ""},
		{`table(group(R4.months, "month", "income"))`, "", ""},
		{"R1.totals.revenue * R1.totals.revenue", WrongKind, "money times money"},
		{"R1.totals.cost_coverage_percent + R1.totals.revenue", WrongKind, "a percentage and money"},
		{"R1.totals.revenue + R1.totals.rows_without_cost", WrongKind, "money and a count"},
		{"R1.rows[1].units + R1.rows[1].revenue", WrongKind, "units and money"},
		{"R1.rows[1].units * R1.rows[1].units", WrongKind, "units times units"},
		{"R1.from + R1.to", WrongKind, "a day and a day"},
		{"R1.rows[1].name + 1", WrongKind, "text"},
		{"max(R1.rows, .name)", WrongKind, "text"},
		{"sum(R4.months, .month)", WrongKind, "a month"},
		{"R1.rows[1].units > R1.rows[1].revenue", WrongKind, "compared"},
		{"change(R1.totals.revenue, R1.totals.covered_margin_percent)", WrongKind, "one kind"},
		{"thousands(R1.totals.covered_margin_percent)", WrongKind, "percentage"},
		{"R1.totals.revenue * R1.totals.covered_margin_percent / 100", WrongKind, "leave out / 100"},
		{"R1.totals.covered_margin_percent / 100 * R1.totals.revenue", WrongKind, "leave out / 100"},
		{"R1.totals.revenue * (R1.totals.covered_margin_percent + 2) / 100", WrongKind, "leave out / 100"},
		{"R1.totals", WrongKind, "covered_profit"},
		{"R1.rows", WrongKind, "table"},
		{"R1.rows[1.5].name", WrongKind, "number of a row"},
		{"filter(R1.rows, .units)[1].name", WrongKind, "condition"},
		{"R2.net", Null, "unknown"},
		{"R1.rows[2].profit + R1.rows[1].profit", Null, "say"},
		{"sum(R1.rows, .profit)", Null, "1 of 3 rows"},
		{"avg(R1.rows, .profit)", Null, "1 of 3 rows"},
		{"R1.rows[1].revenue / 0", ByZero, "0"},
		{"share(R1.totals.revenue, R4.currencies[1].own_transfers)", ByZero, "0"},
		{"change(R4.currencies[1].own_transfers, R1.totals.revenue)", ByZero, "difference"},
		{"sum(filter(R1.rows, .units > 1000), .units)", Empty, "no row"},
		{"table(filter(R1.rows, .units > 1000), \"name\")", Empty, "no row"},
		{"R1.totals.profit", UnknownField, "covered_profit"},
		{"R1.rows.profit", UnknownField, "R1.rows[1].profit"},
		{`table(R1.rows, "name", "profitt")`, UnknownField, "margin_percent"},
		{`top(R1.rows, "profitt", 2)`, UnknownField, "margin_percent"},
		{"count(R1.rows, .unit > 3)", UnknownField, "units"},
		{"R9.totals.x", UnknownReport, "R1 (margin)"},
		{"R1.rows[7].name", UnknownName, "3 rows"},
		{"R1.rows[0].name", UnknownName, "from 1"},
		{`R1.rows["Копытца"].name`, UnknownName, "Копыта"},
		{"suum(R1.rows, .revenue)", UnknownName, "sum"},
		{"all(R1.rows, .units > 0)", UnknownName, "filter"},
		{"map(R1.rows, .units)", UnknownName, "filter"},
		{"now()", UnknownName, "filter"},
		{"totals.revenue", UnknownName, "R1.totals"},
		{`filter(R1.rows, .kind == "prod")[1].name`, UnknownValue, "variant"},
		{`count(R1.rows, .code == "Z")`, UnknownValue, "contains"},
		{`count(R1.rows, .kind == "bundles" or .units > 0)`, UnknownValue, "variant"},
		{`count(R1.rows, .code in ["Z", "Y"])`, UnknownValue, "A-1"},
		{`count(R1.rows, .code in ["Z", "A-1"])`, UnknownValue, "A-1"},
		{`sum(filter(R1.rows, .name contains "слон"), .units)`, UnknownValue, "Копыта"},
		{`count(R1.rows, .name startsWith "слон")`, UnknownValue, "Копыта"},
		{`count(R1.rows, .units > sum(filter(R3.rows, .code == "Z"), .units))`, UnknownValue, "R3.rows"},
		{`count(R1.rows, .name contains "слон")`, UnknownValue, "Копыта"},
		{"sum(R5.rows, .revenue)", NotWhole, "3 of 700"},
		{`top(R5.rows, "profit", 1)[1].name`, NotWhole, "3 of 700"},
		{`top(R5.rows, "revenue", 5)[1].name`, NotWhole, "3 of 700"},
		{"first(R5.rows, 5)[1].name", NotWhole, "3 of 700"},
		{"count(R5.rows, .units > 0)", NotWhole, "3 of 700"},
		{`table(group(R5.rows, "kind", "revenue"))`, NotWhole, "3 of 700"},
	})
}

func TestInvalidExpressionIsAHelpfulError(t *testing.T) {
	explained(t, []refused{
		{"12345", NoReference, "without braces"},
		{`"слово"`, NoReference, "without braces"},
		{"abs(-5) * 2", NoReference, "without braces"},
		{"", Syntax, "nothing"},
		{`table(R1.rows, "name", "Доля = ")`, Syntax, "nothing"},
		{`top(R1.rows, "", 1)`, Syntax, "nothing"},
		{"R1.rows[1].revenue +", Syntax, "ends too early"},
		{"R1.rows[1].revenue) + (3", Syntax, "parentheses"},
		{"R1.from), all(0, R1.to", Syntax, ""},
		{"R1.from) // (", Syntax, ""},
		{"R1.rows[1].units * 380 + R1.rows[1].revenue", WrongKind, "a bare number and money"},
		{"count(R1.rows, .units * 380 > .revenue)", WrongKind, "compared"},
		{"share(R1.rows[1].units / 12, R1.totals.revenue)", WrongKind, "one kind"},
		{"20000 / R1.rows[1].profit", WrongKind, "money(20000)"},
		{"money(R1.rows[1].profit)", WrongKind, "that the user named"},
		{"R1.totals.revenue % 3", Syntax, "not part"},
		{"R1.totals.revenue ** 2", Syntax, "not part"},
		{"R1.net ?? 0", UnknownField, ""},
		{"R2.net ?? R2.cash", Syntax, "not part"},
		{`R1.rows[1].name matches "(a+)+"`, Syntax, "not part"},
		{"R2.cash > 0 ? R2.cash : 0", Syntax, "words yourself"},
		{"let x = R1.totals; x.revenue", Syntax, ""},
		{"R1.rows[1:2]", Syntax, "first(rows, n)"},
		{".name", Syntax, "R1."},
		{"R2.cash * 1e999", Syntax, ""},
		{"R2.cash * 0x1F", Syntax, "digits"},
		{strings.Repeat("(", 900) + "R2.cash" + strings.Repeat(")", 900), "", ""},
		{"R2.cash" + strings.Repeat(" * 1e30", 400), Budget, "large"},
		{"R2.cash" + strings.Repeat(" / 1e30", 400), "", ""},
		{"R2.cash" + strings.Repeat("+R2.cash", 500), Budget, "parts"},
		{"R2.cash" + strings.Repeat(" + 0.000000001", 400), Budget, ""},
	})
}

// refused is an expression, the cause of its error and some words of the error.
type refused struct{ expression, cause, words string }

func explained(t *testing.T, all []refused) {
	t.Helper()
	for _, c := range all {
		cause, text := causeOf(t, c.expression)
		if cause != c.cause || !strings.Contains(text, c.words) {
			t.Errorf("%s: %q (%s), want %q with %q", c.expression, cause, text, c.cause, c.words)
		}
	}
}

func TestRowsAreChosenRankedAndSummed(t *testing.T) {
	for expression, want := range map[string]string{
		"sum(filter(R1.rows, .profit != null), .profit)":                           "1 424 296,48 ₽",
		`convert(R2.cash, 80, "USD")`:                                              "1 205,40 $",
		`convert(R2.accounts[2].balance, 80.5, "RUB") + R2.cash`:                   "217 182,10 ₽",
		"sum(R1, .revenue)":                                                        "2 424 896,48 ₽",
		`sum(R1.rows, "revenue")`:                                                  "2 424 896,48 ₽",
		"sum(R1.rows, .revenue - .units * 100)":                                    "",
		"sum(R1.rows, .revenue / .units)":                                          "202 819,30 ₽",
		"avg(R3.rows, .units)":                                                     "141 шт.",
		"sum(R3.rows, .units) * 15%":                                               "42,3 шт.",
		"R1.rows[2].units * 200%":                                                  "7 ед.",
		"count(R1.rows, .profit == null)":                                          "1",
		"count(R1.rows, (.units > 0) == yes) + count(R1.rows, (.units > 0) == no)": "3",
		"count(R1.rows, .margin_percent < 60)":                                     "2",
		"count(R1.rows, not (.margin_percent < 60))":                               "0",
		"count(R1.rows, .margin_percent < 60 and .units > 0)":                      "1",
		"count(R1.rows, .margin_percent < 60 or .units > 0)":                       "3",
		`count(R1.rows, .kind in ["product", "bundle"])`:                           "2",
		`count(R1.rows, .kind = "variant")`:                                        "1",
		`count(R1.rows, .units=12 or .name != 'Копыта' and .code = "C-3")`:         "2",
		`count(R1.rows, .kind == "bundle")`:                                        "0",
		`count(R1.rows, .kind != "variant")`:                                       "2",
		`count(R1.rows, name contains "ОГ")`:                                       "1",
		"count(R3.rows, .archived)":                                                "1",
		"len(R5.rows)":                                                             "700",
		"len(filter(R1.rows, .units > 1000))":                                      "0",
		`top(R1.rows, "profit", 5)[2].name`:                                        "«Хвосты \\| длинные»",
		`bottom(R1.rows, .profit, 1)[1].name`:                                      "«Хвосты \\| длинные»",
		`len(top(R1.rows, "profit", 5))`:                                           "2",
		`top(R1.rows, .revenue / .units, 1)[1].name`:                               "«Рога \"большие\"»",
		`top(R5.rows, "revenue", 2)[2].name`:                                       "«Копыта»",
		"R5.rows[3].profit":                                                        "90,00 ₽",
		"first(R5.rows, 2)[2].profit":                                              "50,00 ₽",
		"max(R1.rows, .profit)":                                                    "1 424 396,98 ₽",
		"min(R1.rows, .profit)":                                                    "−100,50 ₽",
		"max(R2.cash, R2.receivables)":                                             "96 432,10 ₽",
		"max(R4.months, .month)":                                                   "сентябрь 2026",
		`min(R4.months, "month")`:                                                  "октябрь 2025",
		"max(R1.from, R5.to)":                                                      "24 октября",
		"R1.rows | filter(.units > 0) | sum(.units)":                               "15,5 ед.",
		`filter(R1.rows, .kind == "VARIANT")[1].code`:                              "C-3",
		`group(R1.rows, "kind", "revenue")["variant"].revenue`:                     "−500,50 ₽",
		`top(group(R1.rows, "kind", "revenue"), "revenue", 1)[1].count`:            "2",
		"sum(R2.top_debtors, .amount)":                                             "12 000,00 ₽",
		`count(R1.rows, .revenue > 0 and .name == "Копыта")`:                       "1",
		"sum(top(R1.rows, \"profit\", 1), .profit) / R1.totals.covered_profit":     "1",
	} {
		v, err := shelved(t, "ru").Eval(t.Context(), expression)
		if want == "" {
			if err == nil {
				t.Errorf("%s is %s", expression, v.Write("ru"))
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", expression, err)
		} else if got := spaced.Replace(v.Write("ru")); got != want {
			t.Errorf("%s is %q, want %q", expression, got, want)
		}
	}
}

// A list that the model reads as [] equals null in conditions.
func TestEmptyListEqualsNull(t *testing.T) {
	const report = `{"tool":"below_minimum","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"total_rows":2,"rows":[
{"name":"Рога","code":"A-1","units":1,"minimum":5,"shortage":4,"transferable":[{"warehouse":"Чердак *","units":2}]},
{"name":"Копыта","code":"B-2","units":2,"minimum":5,"shortage":3,"transferable":[]}]}}`
	for lang, table := range map[string]string{
		"ru": "| Товар | Можно переместить |\n|---|---|\n| Рога | Чердак \\* 2 шт. |\n| Копыта | нет |",
		"en": "| Product | Could be moved |\n|---|---|\n| Рога | Чердак \\* 2 pcs |\n| Копыта | none |",
	} {
		b := NewBook(lang)
		r, err := b.AddStored(1, json.RawMessage(report), nil)
		if err != nil {
			t.Fatal(err)
		}
		if shown := r.Show(); !strings.Contains(shown, "|Чердак * 2\n2|") || !strings.Contains(shown, "|3|[]\n") {
			t.Errorf("shown:\n%s", shown)
		}
		for expression, want := range map[string]string{
			"count(R1.rows, .transferable != null)":           "1",
			"count(R1.rows, .transferable == null)":           "1",
			"count(R1.rows, not (.transferable == null))":     "1",
			"count(R1.rows, len(.transferable) > 0)":          "1",
			"count(R1.rows, len(.transferable) == 0)":         "1",
			"filter(R1.rows, .transferable != null)[1].code":  "A-1",
			`table(R1.rows, "name", "transferable")`:          table,
			"count(R1.rows, sum(.transferable, .units) > 1)":  "",
			"count(R1.rows, .transferable > 0)":               "",
			`count(R1.rows, .transferable contains "Чердак")`: "",
			"count(R1.rows, .transferable != [])":             "1",
			"count(R1.rows, [] in .name)":                     "0",
			"count(R1.rows, [] not contains .name)":           "0",
			"count(R1.rows, yes < (.units != 2))":             "",
		} {
			v, err := b.Eval(t.Context(), expression)
			switch {
			case want == "" && err == nil:
				t.Errorf("%s is %s", expression, v.Write(lang))
			case want != "" && err != nil:
				t.Errorf("%s: %v", expression, err)
			case want != "" && spaced.Replace(v.Write(lang)) != want:
				t.Errorf("%s is %q, want %q", expression, spaced.Replace(v.Write(lang)), want)
			case strings.Contains(expression, "> 0") && err != nil && !strings.Contains(err.Error(), "len(list) > 0"):
				t.Errorf("%s: %v", expression, err)
			}
		}
	}
}

func TestTablesHaveLabelsAndComputedColumns(t *testing.T) {
	for _, c := range []struct{ lang, expression, want string }{
		{"ru", `table(top(R1.rows, "revenue", 2), "name", "profit", "Цена, ₽ = revenue / units")`, `| Товар | Прибыль | Цена, ₽ |
|---|---:|---:|
| Рога "большие" | 1 424 396,98 ₽ | 202 033,08 ₽ |
| Копыта | нет данных | 285,71 ₽ |`},
		{"en", `table(R3.rows, .name, .archived, "Lasts, days = units / sold_units * 90")`, `| Product | Archived | Lasts, days |
|---|---|---:|
| Рога | no | 272 |
| Копыта | yes | 300 |`},
		{"ru", `table(first(R1.rows, 2), "name", "units")`, `| Товар | Продано |
|---|---:|
| Рога "большие" | 12 ед. |
| Копыта | 3,5 ед. |`},
		{"en", `table(first(R1.rows, 1), "name", "units", "A tenth = units * 10%")`, `| Product | Sold | A tenth |
|---|---:|---:|
| Рога "большие" | 12 pcs | 1.2 pcs |`},
		{"ru", `table(group(R1.rows, "kind", "revenue", "profit"))`, `| Вид | Строк | Выручка | Прибыль |
|---|---:|---:|---:|
| товар | 2 | 2 425 396,98 ₽ | нет данных |
| модификация | 1 | −500,50 ₽ | −100,50 ₽ |`},
		{"en", `table(first(R4.months, 1), "month", "income", "expense")`, `| Month | Money in | Money out |
|---|---:|---:|
| August 2026 | RUB 100.00 | RUB 1,400.00 |`},
		{"ru", `table(R5.rows, "name")`, `| Товар |
|---|
| Рога |
| Копыта |
| Хвосты |

Показано строк: 3 из 700.`},
	} {
		v, err := shelved(t, c.lang).Eval(t.Context(), c.expression)
		if err != nil {
			t.Errorf("%s: %v", c.expression, err)
		} else if got := spaced.Replace(v.Write(c.lang)); got != c.want || !v.IsTable() {
			t.Errorf("%s is\n%s\nwant\n%s", c.expression, got, c.want)
		}
	}
}

// A column of values has the name of the metric that the report measures.
func TestColumnOfValuesIsNamedByItsMetric(t *testing.T) {
	for metric, want := range map[string]string{"profit": "| Прибыль |", "revenue": "| Выручка |", "": "| Сумма |"} {
		report := fmt.Sprintf(`{"tool":"abc_xyz","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"metric":%q,"total_rows":1,"rows":[{"name":"Рога","value":5.00}]}}`, metric)
		b := shelf.Fill(t, NewBook("ru"), "", report)
		v, err := b.Eval(t.Context(), `table(R1.rows, "value")`)
		if err != nil || !strings.HasPrefix(v.Write("ru"), want) {
			t.Errorf("%s: %q, %v", metric, v.Write("ru"), err)
		}
	}
}

func TestValueListsItsOrigins(t *testing.T) {
	for expression, want := range map[string]string{
		"R1.totals.revenue":                   `R1 margin totals.revenue 0 "" ""`,
		"R1.rows[3].profit":                   `R1 margin rows.profit 3 "Хвосты | длинные" "C-3"`,
		`R1.rows["b-2"].revenue`:              `R1 margin rows.revenue 2 "Копыта" "B-2"`,
		`top(R1.rows, "profit", 1)[1].units`:  `R1 margin rows.profit 0 "" ""; R1 margin rows.units 1 "Рога \"большие\"" "A-1"`,
		"sum(R1.rows, .revenue)":              `R1 margin rows.revenue 0 "" ""`,
		"R2.top_debtors[2].amount":            `R2 money_position top_debtors.amount 2 "Петров" ""`,
		"R1.rows[1].units / R3.rows[1].units": `R1 margin rows.units 1 "Рога \"большие\"" "A-1"; R3 slow_movers rows.units 1 "Рога" "A-1"`,
		"len(R1.rows)":                        `R1 margin rows 0 "" ""`,
		"count(R1.rows, .units > 0)":          `R1 margin rows 0 "" ""; R1 margin rows.units 0 "" ""`,
	} {
		v, err := shelved(t, "ru").Eval(t.Context(), expression)
		if err != nil {
			t.Errorf("%s: %v", expression, err)
			continue
		}
		var have []string
		for _, o := range v.Origins {
			name, _ := json.Marshal(o.RowName)
			code, _ := json.Marshal(o.RowCode)
			have = append(have, strings.Join([]string{o.Report, o.Tool, o.Field, counted(o.Row).Write("en"), string(name), string(code)}, " "))
			if o.AsOf.IsZero() {
				t.Errorf("%s: %+v has no moment", expression, o)
			}
		}
		if got := strings.Join(have, "; "); got != want {
			t.Errorf("%s rests on %s, want %s", expression, got, want)
		}
	}
	for expression, want := range map[string]string{
		"R2.cash - 500.25 * 2":                                         "500.25 2",
		"R1.rows[3].profit":                                            "",
		"count(R1.rows, .units > 3)":                                   "",
		`top(R1.rows, "profit", 2)[1].profit * 1.2`:                    "1.2",
		"round(share(R2.cash, 250000), 1)":                             "250000 1",
		`table(R1.rows, "name", "К = units / 700", "М = units / 700")`: "700",
	} {
		v, err := shelved(t, "ru").Eval(t.Context(), expression)
		have := strings.Trim(fmt.Sprint(v.Own), "[]")
		if err != nil || have != want {
			t.Errorf("%s: its own numbers are %s (%v), want %s", expression, have, err, want)
		}
	}
}

func TestNumbersInExpressionsAreReadExactly(t *testing.T) {
	v, err := shelved(t, "ru").Eval(t.Context(), `R2.cash + 0.1 + 0.2 + 9007199254740993.07 - R2.cash`)
	if err != nil || v.Decimal().String() != "9007199254740993.37" {
		t.Errorf("%v (%v)", v.Decimal(), err)
	}
}

func TestUnavailableReportMustBeReadAgain(t *testing.T) {
	b := NewBook("ru")
	b.Skip(3)
	first, err := shelved(t, "ru").AddStored(1, json.RawMessage(shelf.Margin), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := b.Add(first.Result, nil); r.Name != "R4" {
		t.Errorf("the report after three skipped ones is %s", r.Name)
	}
	var e *Error
	if _, err := b.Eval(t.Context(), "R2.totals.revenue"); !errors.As(err, &e) || e.Cause != UnknownReport || !strings.Contains(e.Text, "again") {
		t.Errorf("R2: %v", err)
	}
	if v, err := b.Eval(t.Context(), "totals.revenue"); err != nil || spaced.Replace(v.Write("ru")) != "2 424 896,48 ₽" {
		t.Errorf("of the only report: %v", err)
	}
	if _, err := b.AddStored(9, json.RawMessage(`{"tool":"nothing"}`), nil); err == nil {
		t.Error("a report of an unknown tool was added")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	for range 200 {
		_, _ = b.Eval(cancelled, "R4.totals.revenue")
	}
}

// Money times money has no meaning. But a product that is divided can have one: a proportional part.
func TestDividedProductMayMultiplyMoneyFirst(t *testing.T) {
	book := shelved(t, "ru")
	for _, expression := range []string{
		"R1.totals.revenue * R1.rows[1].revenue / R1.rows[1].revenue",
		"R1.totals.revenue * (R1.rows[1].revenue / R1.rows[1].revenue)",
	} {
		v, err := book.Eval(t.Context(), expression)
		want, wrong := book.Eval(t.Context(), "R1.totals.revenue")
		if err != nil || wrong != nil || v.Write("ru") != want.Write("ru") {
			t.Errorf("%s is %s (%v), want %s", expression, v.Write("ru"), err, want.Write("ru"))
		}
	}
}

// A list of only the largest rows shows how many are above a limit, if its last row is below the limit. Other
// conditions need all rows.
func TestListOfTheLargestRowsCanBeComparedWithALimit(t *testing.T) {
	debts := `{"tool":"money_position","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"top_debtors":[%s]}}`
	var rows []string
	for i := range 10 {
		rows = append(rows, fmt.Sprintf(`{"counterparty":"C%d","amount":%d}`, i, 1000-100*i))
	}
	book := shelf.Fill(t, NewBook("en"), "", fmt.Sprintf(debts, strings.Join(rows, ",")))
	for expression, want := range map[string]string{
		"count(R1.top_debtors, .amount > 500)":                "5",
		"count(R1.top_debtors, 500 < .amount)":                "5",
		"len(filter(R1.top_debtors, .amount >= 200))":         "9",
		"count(R1.top_debtors, .amount > 100)":                "9",
		"count(R1.top_debtors, .amount >= 100)":               "",
		"count(R1.top_debtors, .amount < 500)":                "",
		"count(R1.top_debtors, .amount > 50)":                 "",
		`count(R1.top_debtors, .counterparty contains "C1")`:  "",
		"count(R1.top_debtors, .amount > 500 or .amount < 9)": "",
	} {
		v, err := book.Eval(t.Context(), expression)
		var wrong *Error
		switch {
		case want == "" && (!errors.As(err, &wrong) || wrong.Cause != NotWhole):
			t.Errorf("%s: %v", expression, err)
		case want != "" && (err != nil || v.Write("en") != want):
			t.Errorf("%s is %s (%v), want %s", expression, v.Write("en"), err, want)
		}
	}
}
