package reference

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/kopeck/kopeck/tools"
)

// Figures of rows and of groups are ranked; values computed from them are not.
func TestFiguresOfRowsAreRanked(t *testing.T) {
	for expression, want := range map[string]string{
		"R1.rows[1].revenue":                                                    "largest of 3",
		"thousands(R1.rows[2].revenue)":                                         "2nd largest of 3",
		"R1.rows[1].profit":                                                     "largest of 2", // the profit of row 2 is unknown
		"top(R1.rows, \"profit\", 1)[1].revenue":                                "largest of 3",
		"R1.rows[1].revenue / R1.rows[1].units":                                 "",
		"-R1.rows[3].profit":                                                    "",
		"R1.totals.revenue - R1.rows[1].revenue":                                "",
		"R2.accounts[1].balance":                                                "", // amounts in several currencies
		"group(R1.rows, \"kind\", \"revenue\")[1].revenue":                      "largest of 2",
		"top(group(R1.rows, \"kind\", \"revenue\"), \"revenue\", 1)[1].revenue": "largest of 2",
		"group(R1.rows, \"kind\", \"revenue\")[2].revenue * 2":                  "",
		"R5.rows[2].profit":                                                     "smallest of the first 3",
	} {
		is, err := shelved(t, "en").Explain(t.Context(), expression, NewTold())
		if err != nil || is.Place != want {
			t.Errorf("%s: %q, %v; want %q", expression, is.Place, err, want)
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
		is, err := b.Explain(t.Context(), fmt.Sprintf("R9.rows[%d].revenue", row+1), NewTold())
		if err != nil || is.Place != want {
			t.Errorf("row %d: %q, %v; want %q", row+1, is.Place, err, want)
		}
	}
}
