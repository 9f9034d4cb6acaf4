package tools

import (
	"math/big"
	"slices"

	"github.com/shopspring/decimal"
)

// The upper bounds of classes A and B, as a share of the total in percent.
const (
	maxPercentA = 80
	maxPercentB = 95
)

// minClassPeriods is the number of periods needed for an XYZ class.
const minClassPeriods = 6

// abcClasses returns the class of each value. It goes through the values in descending order. A value is A while the
// values before it make up less than 80 % of the total, B while they make up less than 95 %, and otherwise C. So the
// value that crosses a bound still belongs to the higher class, and the largest value is always A. Values of 0 and
// below (more returned than sold) are C and do not count in the total.
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

// squaredVariation returns the square of the coefficient of variation of a demand series in percent: the square is exact
// where the root is not, so that a product on the bound of a class is always in the same class. Periods without a sale
// count as 0. known is false if there are too few periods or nothing was sold.
func squaredVariation(s demandSeries) (squared decimal.Decimal, known bool) {
	sum := s.sum.decimal()
	if s.periods < minClassPeriods || !sum.IsPositive() {
		return decimal.Zero, false
	}
	return spread(s.periods, sum, s.squares.decimal()).Mul(hundred).Mul(hundred).DivRound(sum.Mul(sum), 2*rootPlaces), true
}

// rootPlaces is the number of decimals of a square root.
const rootPlaces = 12

// squareRoot rounds down.
func squareRoot(d decimal.Decimal) decimal.Decimal {
	return decimal.NewFromBigInt(new(big.Int).Sqrt(d.Shift(2*rootPlaces).BigInt()), -rootPlaces)
}

// xyzClass returns X for steady, Y for variable and Z for erratic demand. It returns "n/a" if the history is too short.
func xyzClass(s demandSeries, maxX, maxY decimal.Decimal) string {
	squared, known := squaredVariation(s)
	switch {
	case !known:
		return "n/a"
	case squared.LessThanOrEqual(maxX.Mul(maxX)):
		return "X"
	case squared.LessThanOrEqual(maxY.Mul(maxY)):
		return "Y"
	}
	return "Z"
}
