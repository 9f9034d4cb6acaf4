package reference

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/agent/answer/shelf"
	"github.com/kopeck/kopeck/tools"
)

// Conditions are described as people say them: "not" changes the comparison, and "unknown" agrees with the label.
func TestConditionsAreDescribedInUsualWords(t *testing.T) {
	for condition, want := range map[string][2]string{
		"not (.units > 30)":                     {"остаток не больше 30 шт.", "“in stock” is at most 30 pcs"},
		"not (.units <= 30)":                    {"остаток больше 30 шт.", "“in stock” is above 30 pcs"},
		"not (.units == 30)":                    {"остаток — не 30 шт.", "“in stock” is not 30 pcs"},
		`not (.name contains "a")`:              {"товар не содержит «a»", "product does not contain “a”"},
		`not (.name startsWith "L")`:            {"товар не начинается с «L»", "product does not begin with “L”"},
		`.name startsWith "Чай "`:               {"товар начинается с «Чай »", "product begins with “Чай ”"},
		`.warehouse not in ["Attic", "Cellar"]`: {"склад — не «Attic» и не «Cellar»", "warehouse is not “Attic” and not “Cellar”"},
		`not (.units > 30 or .code == "L-1")`:   {"неверно, что (остаток больше 30 шт. или код — «L-1»)", "it is not so that (“in stock” is above 30 pcs or code is “L-1”)"},
		`.code == "L-1" and not (.units > 3 and .units < 9)`: {"код — «L-1» и неверно, что (остаток больше 3 шт. и остаток меньше 9 шт.)",
			"code is “L-1” and it is not so that (“in stock” is above 3 pcs and “in stock” is below 9 pcs)"},
		"not .archived":        {"в архиве — нет", "archived is no"},
		".archived == yes":     {"в архиве — да", "archived is yes"},
		"30 < .units":          {"остаток больше 30 шт.", "“in stock” is above 30 pcs"},
		".warehouse == null":   {"склад не указан", "warehouse is not given"},
		"not (.money == null)": {"сумма по себестоимости известна", "value at cost is known"},
		".money == null":       {"сумма по себестоимости неизвестна", "value at cost is unknown"},
		".in_transit == null":  {"«в пути» неизвестно", "“in transit” is unknown"},
	} {
		for i, lang := range []string{"ru", "en"} {
			book := soldAndStored(t)
			book.lang = lang
			is, err := book.Explain(t.Context(), "count(R2.rows, "+condition+")", NewTold())
			before := [2]string{"число позиций, у которых ", "number of items where "}[i]
			if got := spaced.Replace(is.Text); err != nil || got != before+want[i] {
				t.Errorf("%s: %q, %v; want %q", condition, got, err, before+want[i])
			}
		}
	}
}

// An English label that is not a noun is quoted, also if its field is a list.
func TestPhrasesAreQuotedInConditions(t *testing.T) {
	report := `{"tool":"below_minimum","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"rows":[{"name":"Нож","shortage":4}],"total_rows":1}}`
	b := shelf.Fill(t, NewBook("en"), "", report)
	const want = "number of items where “could be moved” is given"
	if is, err := b.Explain(t.Context(), "count(R1.rows, .transferable != null)", NewTold()); err != nil || is.Text != want {
		t.Errorf("%q, %v; want %q", is.Text, err, want)
	}
}

// An order is told by its number and not by its status.
func TestStatusIsNoOwner(t *testing.T) {
	report := `{"tool":"reconcile_shipments","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"not_shipped":[
{"order_number":"00919","order_moment":"2026-11-03T18:01:00+03:00","state":"Delivered","order_sum":3000.00},
{"order_number":"00920","order_moment":"2026-11-03T18:01:00+03:00","state":"New","order_sum":900.00}]}}`
	b := shelf.Fill(t, NewBook("en"), "", report)
	if is, err := b.Explain(t.Context(), "R1.not_shipped[1].order_sum", NewTold()); err != nil || is.Subject != "“00919” (not shipped)" {
		t.Errorf("%q, %v", is.Subject, err)
	}
}

// Many skipped rows are counted, out of how many. Russian nouns agree with the number, or are left out.
func TestSkippedRowsAreCountedOutOfAll(t *testing.T) {
	for rows, want := range map[int][2]string{
		5:  {"прибыль неизвестна у 4 из 5 товаров", "profit is unknown for 4 of 5 products"},
		11: {"прибыль неизвестна у 10 из 11 товаров", "profit is unknown for 10 of 11 products"},
		21: {"прибыль неизвестна у 20 из 21", "profit is unknown for 20 of 21 products"},
	} {
		report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[{"name":"Лейка","profit":1.00}` +
			strings.Repeat(`,{"name":"Нож","profit":null}`, rows-1) + `],"total_rows":` + strconv.Itoa(rows) + `}}`
		b := shelf.Fill(t, NewBook("ru"), "", report)
		v, err := b.Eval(t.Context(), "max(R1.rows, .profit)")
		if err != nil || len(v.Passed) != 1 {
			t.Fatal(v.Passed, err)
		}
		if got := [2]string{v.Passed[0].Write("ru"), v.Passed[0].Write("en")}; got != want {
			t.Errorf("%d rows: %q, want %q", rows, got, want)
		}
	}
}

// nested is a report whose rows have lists of rows.
const nested = `{"tool":"shortage_by_supplier","currency":"RUB","as_of":"2026-11-22T19:55:00Z","notes":[],"result":{"suppliers":[
{"supplier":"Луч","positions":2,"money":300.00,"lines":[{"name":"Нож","warehouse":"Подвал","shortage":2,"money":100.00},{"name":"Сито","warehouse":"Подвал","shortage":3,"money":200.00}]},
{"supplier":"Уют","positions":1,"money":50.00,"lines":[{"name":"Ковш","warehouse":"Подвал","shortage":1,"money":50.00}]}],
"totals":{"money":350.00,"positions":3}}}`

// A row without a name is no item of its list: counts and sums say that they include it, and it has no rank.
func TestRowWithoutANameIsNoItem(t *testing.T) {
	suppliers := `{"tool":"shortage_by_supplier","currency":"RUB","as_of":"2026-11-22T19:55:00Z","result":{"suppliers":[
{"supplier":"Луч","positions":5,"money":300.00},{"supplier":"Уют","positions":3,"money":200.00},{"supplier":null,"positions":1,"money":100.00}]}}`
	channels := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"group_by":"channel","rows":[
{"kind":"channel","name":"` + tools.NoSalesChannel + `","revenue":700},{"kind":"channel","name":"Ozon","revenue":500}],"total_rows":2}}`
	b := shelf.Fill(t, NewBook("en"), `{"group_by":"channel"}`, suppliers, channels)
	for expression, want := range map[string]string{
		"len(R1.suppliers)":                            "number of suppliers in the report, including “no supplier”",
		"count(R1.suppliers, .positions < 4)":          "number of suppliers where items is below 4, including “no supplier”",
		"count(R1.suppliers, .positions > 1)":          "number of suppliers where items is above 1",
		`count(R2.rows, .name != "no sales channel")`:  "number of sales channels where sales channel is not “no sales channel”",
		"sum(R1.suppliers, .positions)":                "items, sum over all suppliers (3, including “no supplier”)",
		"avg(R2.rows, .revenue)":                       "revenue, average over all sales channels (2, including “no sales channel”)",
		`sum(filter(R2.rows, .revenue > 1), .revenue)`: "revenue, sum over sales channels where revenue is above RUB 1.00 (2 of 2: “no sales channel”, “Ozon”)",
		`table(R1.suppliers, "supplier", "money")`:     "in the table: all suppliers (3), most money first",
		"R1.suppliers[3].money":                        "value at purchase prices",
	} {
		is, err := b.Explain(t.Context(), expression, NewTold())
		if got := spaced.Replace(is.Text); err != nil || got != want || is.Place != "" {
			t.Errorf("%s: %q %q, %v; want %q", expression, got, is.Place, err, want)
		}
	}
	if is, err := b.Explain(t.Context(), "R1.suppliers[2].money", NewTold()); err != nil || is.Place != "smallest of 2" {
		t.Errorf("%q, %v", is.Place, err)
	}
}

// A row inside another one has no rank: neither its own number nor that of the outer row is a place in a list of such rows.
func TestRowsInsideOthersHaveNoRank(t *testing.T) {
	b := shelf.Fill(t, NewBook("en"), "", nested)
	for _, expression := range []string{
		"R1.suppliers[1].lines[2].money", "R1.suppliers[1].lines[1].money + R1.suppliers[1].lines[2].money", "R1.suppliers[1].lines[2].money * 2",
		"R1.suppliers[1].lines[2].money + R1.suppliers[2].money", "share(R1.suppliers[1].lines[2].money, R1.totals.money)",
	} {
		if is, err := b.Explain(t.Context(), expression, NewTold()); err != nil || is.Place != "" || is.Text == "" {
			t.Errorf("%s: %+v %v", expression, is, err)
		}
	}
	v, err := b.Eval(t.Context(), "R1.suppliers[1].lines[2].money")
	if err != nil {
		t.Fatal(err)
	}
	if names := b.Neighbours(v.Origins[0]); !slices.Equal(names, []string{"Нож", "Сито", "Ковш"}) {
		t.Errorf("the rows are %q", names)
	}
	if others := b.Determining(v.Origins[0]); len(others) > 0 {
		t.Errorf("%v determine it", others)
	}
}

func TestQuotationMarksOfANameStay(t *testing.T) {
	for name, want := range map[string]string{"«Шоурум»": "Шоурум", "“Showroom”": "Showroom", "ООО «Ромашка»": "ООО «Ромашка»", "«Юг": "«Юг"} {
		if got := Unquoted(name); got != want {
			t.Errorf("%s becomes %s, want %s", name, got, want)
		}
	}
}
