package tools

import (
	"cmp"
	"math"
	"slices"

	"github.com/shopspring/decimal"
)

// Shares of the whole at which the classes A and B end, in percent.
const (
	maxPercentA = 80
	maxPercentB = 95
)

// leastClassPeriods is how many periods show whether demand is steady.
const minClassPeriods = 6

// abcClasses sorts values into A, B and C: an item is A while the items before it, from the largest, make up less than
// 80 % of the whole, then B until 95 %. So the item that crosses a bound is still above it, and the largest is always A.
// Values of 0 and below (more returned than sold) are C and no part of the whole. The answer is in the order of values.
func abcClasses(values []decimal.Decimal) []string {
	order := make([]int, len(values))
	total := decimal.Zero
	for i, v := range values {
		order[i] = i
		if v.IsPositive() {
			total = total.Add(v)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return values[b].Cmp(values[a]) })
	classes := make([]string, len(values))
	before := decimal.Zero
	for _, i := range order {
		switch shareTimes100 := before.Shift(2); {
		case !values[i].IsPositive():
			classes[i] = "C"
			continue
		case shareTimes100.LessThan(total.Mul(decimal.NewFromInt(maxPercentA))):
			classes[i] = "A"
		case shareTimes100.LessThan(total.Mul(decimal.NewFromInt(maxPercentB))):
			classes[i] = "B"
		default:
			classes[i] = "C"
		}
		before = before.Add(values[i])
	}
	return classes
}

// variation is the coefficient of variation of a demand series in percent, over all its periods with those without a
// sale; false when there are too few of them or nothing was sold.
func variation(s demandSeries) (percent float64, known bool) {
	if s.periods < minClassPeriods || s.sum <= 0 {
		return 0, false
	}
	n := float64(s.periods)
	mean := s.sum / n
	return 100 * math.Sqrt(max(0, s.sumSquares/n-mean*mean)) / mean, true
}

// xyzClass is X for steady demand, Y for variable and Z for erratic one; "n/a" where the history is too short to tell.
func xyzClass(s demandSeries, maxX, maxY float64) string {
	percent, known := variation(s)
	switch {
	case !known:
		return "n/a"
	case percent <= maxX:
		return "X"
	case percent <= maxY:
		return "Y"
	}
	return "Z"
}

// byClass orders cells AX, AY, … C n/a.
func byClass(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) }
