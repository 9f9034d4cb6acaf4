package tools

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestABCClassDependsOnShareBeforeItem(t *testing.T) {
	for _, c := range []struct {
		name   string
		values []int64
		want   string
	}{
		{"the item that crosses 80 % is A", []int64{50, 25, 20, 5}, "AAAC"},
		{"80 % before the item is B, 95 % is C", []int64{80, 15, 5}, "ABC"},
		{"the largest is always A", []int64{99, 1}, "AC"},
		{"unsorted values", []int64{5, 15, 80}, "CBA"},
		{"values of 0 and below are C and do not count in the total", []int64{80, -1000, 0, 20}, "ACCB"},
		{"all values are 0", []int64{0, 0}, "CC"},
		{"no values", nil, ""},
	} {
		values := make([]decimal.Decimal, len(c.values))
		for i, v := range c.values {
			values[i] = decimal.NewFromInt(v)
		}
		if got := strings.Join(abcClasses(values), ""); got != c.want {
			t.Errorf("%s: %v is %s, want %s", c.name, c.values, got, c.want)
		}
	}
}

func TestLargerValueNeverGetsLowerClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOfN(rapid.Int64Range(-100, 10_000), 1, 40).Draw(t, "values")
		values := make([]decimal.Decimal, len(raw))
		for i, v := range raw {
			values[i] = decimal.New(v, -1)
		}
		classes := abcClasses(values)
		for i := range raw {
			for j := range raw {
				if raw[i] > raw[j] && classes[i] > classes[j] {
					t.Fatalf("%d is %s, %d is %s", raw[i], classes[i], raw[j], classes[j])
				}
			}
		}
	})
}

func TestXYZIncludesPeriodsWithoutSales(t *testing.T) {
	for _, c := range []struct {
		want  string
		weeks []float64
	}{
		{"X", []float64{10, 10, 10, 10, 10, 10}},
		{"X", []float64{9, 11, 9, 11, 9, 11}},
		{"Y", []float64{8, 12, 8, 12, 8, 12}},
		{"Z", []float64{10, 0, 10, 0, 10, 0}},
		{"X", []float64{9, 11, 9, 11, 9, 11, 9, 11, 9, 11}}, // exactly 10 %
		{"n/a", []float64{10, 10, 10, 10, 10}},
		{"n/a", []float64{0, 0, 0, 0, 0, 0}},
	} {
		if got := xyzClass(seriesOf(c.weeks...), decimal.NewFromInt(10), decimal.NewFromInt(25)); got != c.want {
			t.Errorf("%v is %s, want %s", c.weeks, got, c.want)
		}
	}
}

// If all sales are in one of ten weeks, the variation is exactly 300 %, whatever the units. Such a product must not
// change its class because of rounding.
func TestVariationIsExact(t *testing.T) {
	for units := .001; units < 1000; units *= 1.7 {
		sold := decimal.NewFromFloat(units).Round(3)
		series := demandSeries{periods: 10}
		series.addSale(sold)
		squared, _ := squaredVariation(series)
		if got := squareRoot(squared); got.String() != "300" || xyzClass(series, hundred, decimal.NewFromInt(300)) != "Y" {
			t.Errorf("%s units in one week: %s %%", sold, got)
		}
	}
}
