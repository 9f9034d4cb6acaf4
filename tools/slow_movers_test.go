package tools

import (
	"testing"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// A good that was out of stock for most of the window is not slow. It sells as fast as reorder_points says.
func TestGoodsThatRanOutAreNotSlow(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, JustOpened: true})
	product := s.newProduct(t, "Ladle")
	s.record(t, "enter", 300, product, 1)
	s.record(t, "demand", 88, product, 1)
	s.record(t, "enter", 12, product, 100)
	for day := 1; day <= 11; day++ {
		s.record(t, "demand", day, product, 2)
	}
	if slow, _ := ask[slowMoversResult](s, "slow_movers", `{}`); len(slow.Rows) > 0 {
		t.Errorf("slow: %+v", slow.Rows)
	}
	slow, _ := ask[slowMoversResult](s, "slow_movers", `{"min_cover_days":30}`)
	reorder, _ := ask[reorderPointsResult](s, "reorder_points", `{"lead_time_days":14}`)
	if len(slow.Rows) != 1 || len(reorder.Rows) != 1 {
		t.Fatalf("rows %+v and %+v", slow.Rows, reorder.Rows)
	}
	got, want := slow.Rows[0], reorder.Rows[0]
	if got.VelocityPerDay.String() != want.VelocityPerDay.String() || got.DaysInStock != want.DaysInStock || !got.Censored ||
		got.DaysOfCover.String() != "67.8" {
		t.Errorf("%+v, but reorder_points says %+v", got, want)
	}
	s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("slow_movers")
}
