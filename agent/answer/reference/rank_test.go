package reference

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// A value computed from one row is ranked among the values of the same computation for all rows.
func TestComputedValuesAreRanked(t *testing.T) {
	for expression, want := range map[string]string{
		"R1.rows[1].revenue / R1.rows[1].units":                                      "largest of 3",
		"R1.rows[3].revenue / R1.rows[3].units":                                      "2nd largest of 3",
		"round(R1.rows[2].revenue / R1.rows[2].units)":                               "smallest of 3",
		"share(R1.rows[3].revenue, R1.totals.revenue)":                               "smallest of 3",
		"share(R1.rows[1].revenue, sum(R1.rows, .revenue))":                          "largest of 3",
		"share(R1.rows[1].profit, R1.rows[1].revenue)":                               "largest of 2", // the profit of row 2 is unknown
		"R1.rows[\"A-1\"].units / 30 * 7":                                            "largest of 3",
		"top(R1.rows, \"profit\", 1)[1].revenue * 2":                                 "largest of 3",
		"100 / (R1.rows[1].units - 12)":                                              "", // divides by 0, so there is no value to rank
		"R1.rows[1].units / sum(filter(R1.rows, .code == R1.rows[1].code), .units)":  "", // is 1 for all rows
		"R1.rows[1].revenue / R1.rows[2].units":                                      "",
		"change(R1.rows[1].revenue, R5.rows[1].revenue)":                             "",
		"sum(R1.rows, .revenue) / 3":                                                 "",
		"R1.totals.revenue / 3":                                                      "",
		"R1.totals.revenue - R1.rows[1].revenue":                                     "", // the rank would be mistaken for that of the row
		"R2.accounts[1].balance / 2":                                                 "", // amounts in several currencies
		"R2.accounts[1].balance":                                                     "",
		"R2.other_currencies[1].cash / 2":                                            "",
		"R2.top_debtors[2].amount / 2":                                               "smallest of 2",
		"group(R1.rows, \"kind\", \"revenue\")[1].revenue":                           "largest of 2",
		"share(group(R1.rows, \"kind\", \"revenue\")[2].revenue, R1.totals.revenue)": "smallest of 2",
		"top(group(R1.rows, \"kind\", \"revenue\"), \"revenue\", 1)[1].revenue":      "largest of 2",
		"R3.rows[1].units / R3.rows[1].velocity_per_day":                             "smallest of 2",
		"R4.months[1].expense - R4.months[1].income":                                 "",
		"R5.rows[2].revenue / R5.rows[2].units":                                      "smallest of the first 3",
		"R5.rows[2].profit":                                                          "smallest of the first 3",
	} {
		is, err := shelved(t, "en").Explain(t.Context(), expression)
		if err != nil && want != "" || is.Place != want {
			t.Errorf("%s: %q, %v; want %q", expression, is.Place, err, want)
		}
	}
}

// A long report is ranked too, unless the ranking needs more steps than an expression may take.
func TestRankingIsLimitedByTheBudget(t *testing.T) {
	var rows []string
	for i := range 5000 {
		rows = append(rows, fmt.Sprintf(`{"name":"Sieve %d","code":"L-%[1]d","units":%d,"revenue":%d}`, i, i%70+1, i+1))
	}
	b := shelved(t, "en")
	report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[` + strings.Join(rows, ",") + `],"total_rows":5000}}`
	if _, err := b.AddStored(9, json.RawMessage(report), nil); err != nil {
		t.Fatal(err)
	}
	for expression, want := range map[string]string{
		"R9.rows[71].revenue / R9.rows[71].units":                      "2446th largest of 5,000",
		"share(R9.rows[3].revenue, sum(R9.rows, .revenue))":            "3rd smallest of 5,000",
		"R9.rows[3].units / count(R9.rows, .units > R9.rows[3].units)": "",
	} {
		is, err := b.Explain(t.Context(), expression)
		if err != nil || is.Place != want || is.Text == "" {
			t.Errorf("%s: %q, %v; want %q", expression, is.Place, err, want)
		}
	}
}

// A comparison of rows of the same name in two reports is ranked among the same comparisons of all names.
func TestChangesAreRanked(t *testing.T) {
	b := shelved(t, "en")
	for number, rows := range map[int]string{
		8: `{"name":"Ozon","revenue":100},{"name":"Site","revenue":200},{"name":"Market","revenue":300},{"name":"Fair","revenue":5}`,
		9: `{"name":"Market","revenue":150},{"name":"Ozon","revenue":90},{"name":"Site","revenue":240}`,
	} {
		report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[` + rows + `],"total_rows":3}}`
		if _, err := b.AddStored(number, json.RawMessage(report), nil); err != nil {
			t.Fatal(err)
		}
	}
	for expression, want := range map[string]string{
		`change(R8.rows["Ozon"].revenue, R9.rows["Ozon"].revenue)`:               "2nd largest of 3",
		`abs(change(R8.rows["Ozon"].revenue, R9.rows["Ozon"].revenue))`:          "smallest of 3",
		`R9.rows["Market"].revenue - R8.rows["Market"].revenue`:                  "smallest of 3",
		`R9.rows["Market"].revenue - R8.rows["Site"].revenue`:                    "",
		`change(R8.rows["Fair"].revenue, sum(R9.rows, .revenue))`:                "largest of 4",
		`R8.rows["Ozon"].revenue + R9.rows["Ozon"].revenue + R9.rows[3].revenue`: "",
	} {
		is, err := b.Explain(t.Context(), expression)
		if err != nil || is.Place != want {
			t.Errorf("%s: %q, %v; want %q", expression, is.Place, err, want)
		}
	}
}

// The kind is the first word of the name. The first and the last product of all are not ranked among their kind.
func TestProductIsRankedAmongItsKind(t *testing.T) {
	b := shelved(t, "en")
	rows := `{"name":"Kettle A","code":"1","units":7},{"name":"Knife B","code":"2","units":9},{"name":"Kettle C","code":"3","units":3},
{"name":"Kettle D","code":"4","units":5},{"name":"Lamp E","code":"5","units":4},{"name":"Knife F","code":"6","units":1}`
	report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"rows":[` + rows + `],"total_rows":6}}`
	if _, err := b.AddStored(9, json.RawMessage(report), nil); err != nil {
		t.Fatal(err)
	}
	for row, want := range []string{
		"2nd largest of 6; largest of 3 “Kettle…”",
		"largest of 6",
		"5th largest of 6; smallest of 3 “Kettle…”",
		"3rd largest of 6; 2nd largest of 3 “Kettle…”",
		"4th largest of 6",
		"smallest of 6",
	} {
		is, err := b.Explain(t.Context(), fmt.Sprintf("R9.rows[%d].units", row+1))
		if err != nil || is.Place != want {
			t.Errorf("row %d: %q, %v; want %q", row+1, is.Place, err, want)
		}
	}
}

// They belong to no channel, so the largest real channel ranks first.
func TestSalesWithoutAChannelAreNotRanked(t *testing.T) {
	b := shelved(t, "en")
	rows := `{"name":"` + tools.NoSalesChannel + `","revenue":700},{"name":"Ozon","revenue":500},{"name":"Site","revenue":300}`
	report := `{"tool":"margin","currency":"RUB","as_of":"2026-11-24T19:55:00Z","result":{"group_by":"channel","rows":[` + rows + `],"total_rows":3}}`
	if _, err := b.AddStored(9, json.RawMessage(report), nil); err != nil {
		t.Fatal(err)
	}
	for row, want := range []string{"", "largest of 2", "smallest of 2"} {
		is, err := b.Explain(t.Context(), fmt.Sprintf("R9.rows[%d].revenue", row+1))
		if err != nil || is.Place != want {
			t.Errorf("row %d: %q, %v; want %q", row+1, is.Place, err, want)
		}
	}
}
