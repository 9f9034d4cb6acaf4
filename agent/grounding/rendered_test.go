package grounding

import (
	"encoding/json"
	"testing"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// A margin that may not stand for all sales is told as it is: "нет" beside "о всех продажах" is a verdict, not the claim
// that there were no sales.
func TestAMarginThatIsNotReliableIsShownAsItIsRendered(t *testing.T) {
	result := &tools.Result{Tool: "margin", Currency: "RUB", Result: json.RawMessage(`{"from":"2026-11-09T00:00:00+03:00","to":"2026-11-15T23:59:59+03:00",
		"totals":{"revenue":237031.45,"covered_revenue":194979.45,"cost_coverage_percent":82.26,"covered_profit":81768.67,
			"covered_margin_percent":41.94,"rows_without_cost":9,"reliable":false},"rows":[],"total_rows":0,"truncated":false}`)}
	for _, lang := range []string{"ru", "en"} {
		check := New(Evidence{Lang: lang})
		check.Add(result)
		if _, problems := check.Text(render.Result(lang, result)); len(problems) > 0 {
			t.Errorf("%s: %v", lang, problems)
		}
		if _, problems := check.Text("Продаж нет."); len(problems) == 0 {
			t.Errorf("%s: that there were no sales is believed", lang)
		}
	}
}
