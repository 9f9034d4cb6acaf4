package tools

import (
	"math"
	"slices"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func assertNear(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance {
		t.Errorf("%s = %.5f, want %.5f", what, got, want)
	}
}

func rateOf(perDay float64) salesRate { return salesRate{decimal.NewFromFloat(perDay), 1} }

func TestServiceFactorMatchesTables(t *testing.T) {
	for level, z := range map[float64]float64{
		.80: .8416, .90: 1.2816, .95: 1.6449, .975: 1.9600, .98: 2.0537, .99: 2.3263, .995: 2.5758,
	} {
		assertNear(t, "z", serviceFactor(level), z, 0.00005)
	}
}

func TestReorderPointMatchesReferenceVectors(t *testing.T) {
	z := serviceFactor(.95)
	for _, c := range []struct {
		name                              string
		d, sd, lead, leadSD, review       float64
		safety, point, withoutLeadVariety float64
	}{
		{"ordered every day", 4, 2.5, 10, 3, 0, 23.637, 63.637, 13.004},
		{"ordered weekly", 4, 2.5, 10, 3, 7, 26.021, 94.021, 16.955},
	} {
		protected := c.lead + c.review
		safety := normalSafetyStock(z, c.d, c.sd, protected, c.leadSD)
		assertNear(t, c.name+": safety stock", safety, c.safety, 0.001)
		assertNear(t, c.name+": reorder point", c.d*protected+safety, c.point, 0.001)
		assertNear(t, c.name+": constant lead time", normalSafetyStock(z, c.d, c.sd, protected, 0), c.withoutLeadVariety, 0.001)
	}
	assertNear(t, "constant demand", normalSafetyStock(z, 4, 0, 10, 3), z*4*3, 1e-9)
	got, _ := safetyStock(smoothDemand, .95, rateOf(4), 2.5, leadTime{days: decimal.NewFromInt(10), sd: 3})
	assertNear(t, "the tool's safety stock", got.InexactFloat64(), 23.637, 0.001)
}

func TestPoissonReorderPointMatchesTables(t *testing.T) {
	for _, c := range []struct{ mean, level, want float64 }{
		{1, .95, 3}, {2, .95, 5}, {5, .95, 9}, {10, .95, 15}, {10, .99, 18}, {0, .95, 0}, {0.05, .95, 0},
	} {
		assertNear(t, "point", poissonReorderPoint(c.mean, c.level), c.want, 0)
	}
	below, above := poissonReorderPoint(poissonLimit, .95), poissonReorderPoint(poissonLimit+1, .95)
	if above < below || above > below+3 {
		t.Errorf("the approximation jumps at its limit: %v, then %v", below, above)
	}
}

func seriesOf(weeks ...float64) demandSeries {
	s := demandSeries{periods: len(weeks)}
	for _, units := range weeks {
		if units > 0 {
			s.addSale(decimal.NewFromFloat(units))
		}
	}
	return s
}

func TestDemandClassesFollowSyntetosBoylan(t *testing.T) {
	for _, c := range []struct {
		want  demandClass
		weeks []float64
	}{
		{smoothDemand, []float64{5, 6, 5, 4, 5, 6, 5, 5}},
		{erraticDemand, []float64{1, 20, 1, 2, 25, 1, 1, 30}},
		{intermittentDemand, []float64{2, 0, 2, 0, 2, 0, 2, 0, 2, 0}},
		{lumpyDemand, []float64{1, 0, 30, 0, 1, 0, 0, 2, 0, 40}},
		{shortHistoryDemand, []float64{5, 5, 5, 5, 5, 5, 5}},
		{shortHistoryDemand, []float64{5, 0, 5, 0, 5, 0, 5, 0, 0}},
		{noDemand, []float64{0, 0, 0, 0, 0, 0, 0, 0, 0}},
	} {
		if got := seriesOf(c.weeks...).class(); got != c.want {
			t.Errorf("%v is %s, want %s", c.weeks, got, c.want)
		}
	}
}

// The interval of the first series is 13/10 = 1.30, that of the second 33/25 = 1.32.
func TestIntermittentDemandStartsAtInterval132(t *testing.T) {
	weeks := func(all, sold int) demandSeries {
		series := seriesOf(slices.Repeat([]float64{5}, sold)...)
		series.periods = all
		return series
	}
	if regular, seldom := weeks(13, 10).class(), weeks(33, 25).class(); regular != smoothDemand || seldom != intermittentDemand {
		t.Errorf("intervals 1.30 and 1.32 are %s and %s", regular, seldom)
	}
}

func TestDailySDIsWeeklySDDividedByRootOfSeven(t *testing.T) {
	assertNear(t, "sd", seriesOf(2, 4, 4, 4, 5, 5, 7, 9).dailySD(7), math.Sqrt(32.0/7)/math.Sqrt(7), 1e-12)
	assertNear(t, "zeros count", seriesOf(0, 10).dailySD(1), math.Sqrt(50), 1e-12)
}

func TestShortHistoryGetsNoServiceLevel(t *testing.T) {
	for _, class := range []demandClass{shortHistoryDemand, lumpyDemand} {
		for _, level := range []float64{.8, .999} {
			units, basis := safetyStock(class, level, rateOf(2), 1, leadTime{days: decimal.NewFromInt(10), sd: 2})
			if units.String() != "14" || basis != coverBasis {
				t.Errorf("%s at level %v: %s from %s", class, level, units, basis)
			}
		}
	}
}

func TestHigherServiceLevelNeverLowersSafetyStock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SampledFrom([]demandClass{smoothDemand, erraticDemand, intermittentDemand, lumpyDemand}).Draw(t, "class")
		rate, sd := rateOf(rapid.Float64Range(0, 500).Draw(t, "d")), rapid.Float64Range(0, 500).Draw(t, "sd")
		lead := leadTime{days: decimal.NewFromFloat(rapid.Float64Range(0, 200).Draw(t, "lead")), sd: rapid.Float64Range(0, 50).Draw(t, "leadSD")}
		a, b := rapid.Float64Range(.5, .9999).Draw(t, "a"), rapid.Float64Range(.5, .9999).Draw(t, "b")
		low, _ := safetyStock(class, min(a, b), rate, sd, lead)
		high, _ := safetyStock(class, max(a, b), rate, sd, lead)
		if low.GreaterThan(high) || low.IsNegative() {
			t.Fatalf("%s then %s", low, high)
		}
	})
}
