package tools

import (
	"strings"
	"testing"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// Whether the upstream lists archived goods by default is not documented, so they must be requested.
func TestTurnoverAsksForArchivedGoods(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 40})
	ask[turnoverResult](s, "turnover", `{"from": "2026-10-01", "to": "2026-10-31"}`)
	for _, call := range s.Log().To("", "/report/turnover/") {
		if filter := call.Query.Get("filter"); !strings.Contains(filter, "archived=true;archived=false") {
			t.Errorf("the filter is %q", filter)
		}
	}
}

// The totals are of what is known, in whatever order the rows come. Only if nothing is known are they unknown. A product
// without units does not make them known.
func TestTurnoverTotalsAreOfWhatIsKnown(t *testing.T) {
	known := moysklad.Movement{Quantity: moysklad.Qty(100), Sum: &moysklad.Kopecks{Decimal: hundred}}
	unknown := moysklad.Movement{Quantity: moysklad.Qty(100), Sum: &moysklad.Kopecks{}}
	nothing := moysklad.Movement{Sum: &moysklad.Kopecks{}}
	for _, c := range []struct {
		rows []moysklad.Movement
		want string
	}{
		{[]moysklad.Movement{known, unknown}, "1.00"}, {[]moysklad.Movement{unknown, known}, "1.00"}, {[]moysklad.Movement{known, known}, "2.00"},
		{[]moysklad.Movement{unknown, unknown}, "null"}, {[]moysklad.Movement{unknown, nothing}, "null"}, {[]moysklad.Movement{nothing, unknown}, "null"},
		{[]moysklad.Movement{nothing, nothing}, "0.00"}, {nil, "0.00"},
	} {
		for figure := range 4 {
			var totals productTurnover
			for _, m := range c.rows {
				figures := [4]moysklad.Movement{nothing, nothing, nothing, nothing}
				figures[figure] = m
				row := newProductTurnover(moysklad.TurnoverRow{Opening: figures[0], Income: figures[1], Outcome: figures[2], Closing: figures[3]}, true)
				if isUnknown := totals.add(row); isUnknown != (m == unknown) {
					t.Errorf("figure %d: the cost of %+v counts as unknown: %v", figure, m, isUnknown)
				}
			}
			if got := text(totals.figures[figure].figures().Money); got != c.want {
				t.Errorf("figure %d of %+v: %s, want %s", figure, c.rows, got, c.want)
			}
		}
	}
}
