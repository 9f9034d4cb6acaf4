package tools

import (
	"strings"
	"testing"

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

// The totals are of what is known, in whatever order the rows come. Only if nothing is known are they unknown.
func TestTurnoverTotalsAreOfWhatIsKnown(t *testing.T) {
	known := movement{units: hundred, cost: hundred, known: true}
	unknown := movement{units: hundred}
	for _, c := range []struct {
		rows []movement
		want string
	}{
		{[]movement{known, unknown}, "1.00"}, {[]movement{unknown, known}, "1.00"}, {[]movement{known, known}, "2.00"},
		{[]movement{unknown, unknown}, "null"},
	} {
		for figure := range 4 {
			var totals productTurnover
			for _, m := range c.rows {
				row := &productTurnover{figures: [4]movement{{known: true}, {known: true}, {known: true}, {known: true}}}
				row.figures[figure] = m
				if totals.add(row) == m.known {
					t.Errorf("figure %d: the cost of %+v counts as unknown: %v", figure, m, m.known)
				}
			}
			if got := text(totals.figures[figure].figures().Money); got != c.want {
				t.Errorf("figure %d of %+v: %s, want %s", figure, c.rows, got, c.want)
			}
		}
	}
}
