package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
)

func TestShortagesWithoutPricesHaveNullMoney(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Role: sandbox.NoCost}, func(t *testing.T, s *shop) {
		got, result := ask[shortageBySupplierResult](s, "shortage_by_supplier", `{"limit": 2}`)
		lines := 0
		for i, group := range got.Suppliers {
			lines += len(group.Lines)
			if group.SupplierID == nil && i != len(got.Suppliers)-1 {
				t.Error("the group without a supplier is not the last")
			}
			if group.Money != nil {
				t.Errorf("money %s", text(group.Money))
			}
		}
		if got.Totals.Money != nil || lines != 2 || !got.Truncated || got.Totals.Positions != got.TotalRows {
			t.Errorf("%d lines, %+v", lines, got.Totals)
		}
		result.mustNote(t, CostUnknown, Truncated, MinimumsByWarehouse)
	})
}
