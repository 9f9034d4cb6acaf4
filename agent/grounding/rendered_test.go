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

// A shop where nothing is short, dead or gone is told so in the words of the reports, whose labels are no claims.
func TestAReportOfAShopWithNothingInItIsShownAsItIsRendered(t *testing.T) {
	for tool, body := range map[string]string{
		"below_minimum": `{"rows":[],"total_rows":0,"truncated":false,"not_set":3,"totals":{"positions":0,"products":0,"out_of_stock":0,"with_minimum":1,"recalculating":0}}`,
		"dead_stock":    `{"min_days":90,"sales_window_days":90,"warehouse":null,"rows":[],"total_rows":0,"truncated":false,"totals":{"dead_money":0,"dead_positions":0,"turning_money":0,"positions":0,"positions_without_cost":0},"warehouses":[]}`,
		"slow_movers":   `{"window_days":90,"min_cover_days":180,"rows":[],"total_rows":0,"truncated":false,"totals":{"positions":0,"money":0,"positions_without_cost":0,"new_products":0,"without_sales":0}}`,
	} {
		result := &tools.Result{Tool: tool, Currency: "RUB", Result: json.RawMessage(body)}
		for _, lang := range []string{"ru", "en"} {
			check := New(Evidence{Lang: lang})
			check.Add(result)
			if _, problems := check.Text(render.Result(lang, result)); len(problems) > 0 {
				t.Errorf("%s, %s: %v in\n%s", tool, lang, problems, render.Result(lang, result))
			}
		}
	}
	catches(t, russian(), "Продаж нет за последние дней: 90, и выручка ноль.", "Продаж нет.")
	none := New(Evidence{Lang: "ru", Results: []*tools.Result{{Tool: "below_minimum", Result: json.RawMessage(`{"rows":[],"totals":{"positions":0,"out_of_stock":0,"with_minimum":1}}`)}}})
	catches(t, none, "Закончились совсем все товары.", "Закончились совсем: 5 шт.", "Закончились: и чайники, и кружки.")
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
