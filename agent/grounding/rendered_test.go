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

// A draft is shown whatever its code looks like: "7E4799" reads like a number with an exponent.
func TestACodeThatReadsLikeANumberIsShown(t *testing.T) {
	for _, code := range []string{"PO-7E4799", "TR-1E0000", "PC-123456", "PO-0X1F2B"} {
		draft := &tools.Result{Tool: "draft_purchase_order", Currency: "RUB", Result: json.RawMessage(`{"kind":"purchase_order","state":"draft","code":"` + code + `","totals":{"lines":0},"lines":[]}`)}
		for _, lang := range []string{"ru", "en"} {
			check := New(Evidence{Lang: lang})
			check.Add(draft)
			if _, problems := check.Text(render.Result(lang, draft)); len(problems) > 0 {
				t.Errorf("%s, %s: %v", code, lang, problems)
			}
			if _, problems := check.Text("В кассе 7E4799 ₽."); len(problems) == 0 {
				t.Errorf("%s: the code's digits pass as money", code)
			}
		}
	}
}
