package tools

import "testing"

// The cut result has the first rows and all totals. The original result is unchanged.
func TestListingCutsRowsAndKeepsTotals(t *testing.T) {
	whole := &Result{Tool: "negative_stock", Result: negativeStockResult{Rows: make([]negativeStockRow, 5), List: List{TotalRows: 5}}}
	shown := whole.WithMaxRows(2).Result.(negativeStockResult)
	if len(shown.Rows) != 2 || shown.TotalRows != 5 || !shown.Truncated {
		t.Errorf("%d rows of %d, truncated %v", len(shown.Rows), shown.TotalRows, shown.Truncated)
	}
	if kept := whole.Result.(negativeStockResult); len(kept.Rows) != 5 || kept.Truncated {
		t.Errorf("the original result now has %d rows, truncated %v", len(kept.Rows), kept.Truncated)
	}
	if whole.WithMaxRows(5) != whole {
		t.Error("a result that fits was copied")
	}
	uncut := &Result{Result: struct{ Lines []Note }{make([]Note, 9)}}
	if uncut.WithMaxRows(2) != uncut {
		t.Error("a result without a Truncated field was cut")
	}
}
