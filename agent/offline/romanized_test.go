package offline

import (
	"strings"
	"testing"
)

// Russian in Latin letters is Russian; what else is in Latin letters stays.
func TestOfflineReadsRussianInLatinLetters(t *testing.T) {
	for question, want := range map[string]string{
		"skolko chaynik na sklade?":                   `stock {"query":"чайник"}`,
		"skolko Чайник заварочный Уют na sklade?":     `stock {"query":"Чайник заварочный Уют"}`,
		"Skolko ostalos chaynikov na sklade osnovnoy": `stock {"query":"чайников","warehouse":"основной"}`,
		"kakaya marzha za oktyabr":                    `margin {` + october + `}`,
		"pribyl po Ozon za oktyabr":                   `margin {"from":"2026-10-01","group_by":"channel","to":"2026-10-31"}`,
		"skolko deneg na schetah":                     `money_position {}`,
		"skolko ostalos «Orlan»":                      `stock {"query":"Orlan"}`,
		"How many mugs are left in stock?":            `stock {"query":"mugs"}`,
	} {
		if got := strings.Join(picked(t, human(question)), "; "); got != want {
			t.Errorf("%s\n got %s\nwant %s", question, got, want)
		}
	}
	const none = `{"data":{"tool":"stock","result":{"matched":false,"rows":[]}}}`
	if got := offlineSays(t, outcomeOf("skolko na sklade kruzhek", "stock", `{"query":"круж"}`, none), offering()); !strings.Contains(got, "«круж» в учёте не нашлось") {
		t.Errorf("it is not answered in Russian:\n%s", got)
	}
}
