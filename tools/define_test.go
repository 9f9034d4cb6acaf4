package tools

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestEveryToolHasDescriptionAndSchemas(t *testing.T) {
	seen := map[string]bool{}
	for _, tool := range All() {
		if seen[tool.Name] {
			t.Errorf("%s is listed twice", tool.Name)
		}
		seen[tool.Name] = true
		if len(tool.Description) < 100 {
			t.Errorf("%s: description %q is too short", tool.Name, tool.Description)
		}
		for part, schema := range map[string]json.RawMessage{"parameters": tool.Parameters, "result": tool.Result} {
			var document map[string]any
			if err := json.Unmarshal(schema, &document); err != nil {
				t.Errorf("%s: %s: %v", tool.Name, part, err)
			}
			if document["type"] != "object" || document["additionalProperties"] != false {
				t.Errorf("%s: %s is not a closed object: %s", tool.Name, part, schema)
			}
		}
	}
}

// A result contains the parameters that it was computed with, including defaults.
func TestResultsRepeatTheirParameters(t *testing.T) {
	t.Parallel()
	inShop(t, sandbox.Config{Seed: 3, Products: 40}, func(t *testing.T, s *shop) {
		store := s.Books().Stores[0].Name
		for _, c := range []struct{ tool, arguments, want string }{
			{"dead_stock", `{}`, `{"min_days":90,"sales_window_days":90,"warehouse":null}`},
			{"dead_stock", `{"min_days":30,"warehouse":"` + store + `"}`, `{"min_days":30,"sales_window_days":90,"warehouse":"` + store + `"}`},
			{"slow_movers", `{"window_days":60}`, `{"window_days":60,"min_cover_days":180,"warehouse":null}`},
			{"reorder_points", `{"service_level":0.9}`, `{"window_days":90,"service_level_percent":90,"cover_days":0,"warehouse":null}`},
			{"abc_xyz", `{"window_days":30}`, `{"window_days":30,"metric":"revenue","x_percent":10,"y_percent":25,"warehouse":null}`},
			{"zero_cost_receipts", `{}`, `{"days":365,"warehouse":null}`},
			{"turnover", `{"from":"2026-10-01","to":"2026-10-31"}`,
				`{"from":"2026-10-01T00:00:00+03:00","to":"2026-10-31T23:59:59+03:00","warehouse":null}`},
			{"reconcile_shipments", `{"from":"2026-10-01","to":"2026-10-31"}`,
				`{"from":"2026-10-01T00:00:00+03:00","to":"2026-10-31T23:59:59+03:00","grace_days":3,"channel":null}`},
			{"overdue_orders", `{"as_of":"2026-11-01"}`, `{"as_of":"2026-11-01T00:00:00+03:00"}`},
		} {
			result, err := s.call(c.tool, c.arguments)
			if err != nil {
				t.Fatalf("%s: %v", c.tool, err)
			}
			var got, want map[string]any
			must(t, errors.Join(json.Unmarshal([]byte(marshal(t, result.Result)), &got), json.Unmarshal([]byte(c.want), &want)))
			for field, value := range want {
				if said, present := got[field]; !present || said != value {
					t.Errorf("%s %s: %s is %v, want %v", c.tool, c.arguments, field, said, value)
				}
			}
		}
	})
}
