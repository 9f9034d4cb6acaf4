package tools

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func receiptsOf(daysAndUnits ...float64) []supplierReceipt {
	var all []supplierReceipt
	for i := 0; i < len(daysAndUnits); i += 2 {
		all = append(all, supplierReceipt{decimal.NewFromFloat(daysAndUnits[i]), decimal.NewFromFloat(daysAndUnits[i+1])})
	}
	return all
}

func TestLeadTimeIsMedianWeightedByUnits(t *testing.T) {
	for _, c := range []struct {
		name     string
		receipts []supplierReceipt
		want     float64
	}{
		{"one receipt", receiptsOf(9, 100), 9},
		{"a large delivery outweighs small ones", receiptsOf(3, 1, 4, 1, 30, 100), 30},
		{"equal weights", receiptsOf(5, 1, 7, 1, 100, 1), 7},
		{"exactly half of the units after one receipt", receiptsOf(4, 10, 8, 5, 9, 5), 6},
		{"order of arrival does not matter", receiptsOf(9, 5, 4, 10, 8, 5), 6},
		{"thousandths", receiptsOf(28.72, 1, 28.73, 1), 28.725},
	} {
		got, known := leadTimeOf(c.receipts)
		if !known || !got.days.Equal(decimal.NewFromFloat(c.want)) {
			t.Errorf("%s: %v days, want %v", c.name, got.days, c.want)
		}
	}
	if _, known := leadTimeOf(nil); known {
		t.Error("a lead time without receipts")
	}
}

func TestLeadTimeDeviationNeedsFiveReceipts(t *testing.T) {
	four, _ := leadTimeOf(receiptsOf(2, 1, 4, 1, 4, 1, 4, 1))
	five, _ := leadTimeOf(receiptsOf(2, 1, 4, 1, 4, 1, 4, 1, 6, 1))
	if four.sd != 0 || four.receipts != 4 {
		t.Errorf("four receipts: sd %v", four.sd)
	}
	assertNear(t, "sd of five", five.sd, math.Sqrt2, 1e-12)
}

func TestWeightedMedianSplitsUnitsInHalf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) supplierReceipt {
			days, units := rapid.Int64Range(0, 60).Draw(t, "days"), rapid.Int64Range(1, 1000).Draw(t, "units")
			return supplierReceipt{decimal.NewFromInt(days), decimal.New(units, -1)}
		}), 1, 20).Draw(t, "receipts")
		median, _ := leadTimeOf(all)
		total, earlier, later := decimal.Zero, decimal.Zero, decimal.Zero
		for _, r := range all {
			total = total.Add(r.units)
			if r.days.LessThan(median.days) {
				earlier = earlier.Add(r.units)
			}
			if r.days.GreaterThan(median.days) {
				later = later.Add(r.units)
			}
		}
		if earlier.Add(earlier).GreaterThan(total) || later.Add(later).GreaterThan(total) {
			t.Fatalf("%v of %v came before %v days, %v after", earlier, total, median.days, later)
		}
	})
}
