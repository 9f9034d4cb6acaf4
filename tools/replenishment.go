package tools

import (
	"math"

	"github.com/shopspring/decimal"
)

// Reorder points if demand and lead time are independent. In this file, d is the mean and sd the standard deviation of
// demand per day; lead is the mean and leadSD the standard deviation of the lead time in days. Standard deviations and
// quantiles are float64; everything else is a decimal.
//
// Sources: P. L. King, "Crack the Code", APICS 2011; Silver, Pyke, Thomas, "Inventory and Production Management in
// Supply Chains"; for the classes A. A. Syntetos and J. E. Boylan, IJF 21:303, 2005.

// serviceFactor returns z for a service level between 0.5 and 1. The service level is the share of replenishment cycles
// without a stock-out. It is not the share of demand that is served from stock.
func serviceFactor(level float64) float64 { return math.Sqrt2 * math.Erfinv(2*level-1) }

// normalSafetyStock returns the safety stock for variations of demand and of the lead time. protected is the number of
// days that it must last: the lead time, plus the time between orders if they are not placed every day.
func normalSafetyStock(z, d, sd, protected, leadSD float64) float64 {
	return z * math.Sqrt(protected*sd*sd+d*d*leadSD*leadSD)
}

// poissonReorderPoint returns the smallest whole number of units that demand exceeds in at most 1 − level of the
// cycles, if demand per cycle has this mean. It is for rare demand in small numbers. If the mean is above poissonLimit,
// it uses the normal approximation, which gives nearly the same result there.
func poissonReorderPoint(mean, level float64) float64 {
	if mean <= 0 {
		return 0
	}
	if mean > poissonLimit {
		return math.Ceil(mean + serviceFactor(level)*math.Sqrt(mean))
	}
	probability := math.Exp(-mean)
	cumulative, k := probability, 0.0
	for cumulative < level {
		k++
		probability *= mean / k
		cumulative += probability
	}
	return k
}

// poissonLimit is chosen so that exp(−mean) does not underflow.
const poissonLimit = 400

// demandClass determines the formula that fits a product's sales.
type demandClass string

const (
	smoothDemand       demandClass = "smooth"       // sold in most weeks, in similar quantities
	erraticDemand      demandClass = "erratic"      // sold in most weeks, in varying quantities
	intermittentDemand demandClass = "intermittent" // many weeks without a sale, similar quantities
	lumpyDemand        demandClass = "lumpy"        // many weeks without a sale, varying quantities
	shortHistoryDemand demandClass = "short_history"
	noDemand           demandClass = "no_sales"
)

// Bounds between the classes, from Syntetos and Boylan: the average interval between periods with demand, and the
// squared coefficient of variation of the quantities.
var (
	intermittentFrom = decimal.New(132, -2)
	unevenFrom       = decimal.New(49, -2)
)

// With fewer periods or fewer sales, a history is too short to compute a service level.
const (
	minPeriods = 8
	minSales   = 5
)

// demandSeries summarizes the sales of a product in periods of equal length. It includes only periods in which the
// product was available. Such a period counts as 0 if there was no sale.
type demandSeries struct {
	periodSales
	periods int // periods in which the product was available
}

// periodSales summarizes the periods of a series with sales.
type periodSales struct {
	withSales    int            // number of these periods
	sum, squares compactDecimal // of the units sold
}

func (s *periodSales) addSale(units decimal.Decimal) {
	s.withSales++
	s.sum, s.squares = s.sum.plus(units), s.squares.plus(units.Mul(units))
}

// class returns the class of the demand.
func (s demandSeries) class() demandClass {
	switch {
	case s.withSales == 0:
		return noDemand
	case s.periods < minPeriods || s.withSales < minSales:
		return shortHistoryDemand
	}
	seldom := decimal.NewFromInt(int64(s.periods)).GreaterThanOrEqual(intermittentFrom.Mul(decimal.NewFromInt(int64(s.withSales))))
	uneven := s.sizesAreUneven()
	switch {
	case !seldom && !uneven:
		return smoothDemand
	case !seldom:
		return erraticDemand
	case !uneven:
		return intermittentDemand
	}
	return lumpyDemand
}

// sizesAreUneven reports whether variance / mean² of the sales is at least [unevenFrom]. It multiplies instead of
// dividing, so that the comparison is exact.
func (s demandSeries) sizesAreUneven() bool {
	n, sum := decimal.NewFromInt(int64(s.withSales)), s.sum.decimal()
	varied := spread(s.withSales, sum, s.squares.decimal()).Mul(n)
	return varied.GreaterThanOrEqual(unevenFrom.Mul(n.Sub(decimal.NewFromInt(1))).Mul(sum).Mul(sum))
}

// dailySD returns the standard deviation of demand per day. days is the length of a period. The formula assumes that
// the days are independent.
func (s demandSeries) dailySD(days float64) float64 {
	return math.Sqrt(variance(s.periods, s.sum.decimal(), s.squares.decimal()) / days)
}

// variance returns the variance of a sample, given its size, sum and sum of squares. It returns 0 if the size is less
// than two.
func variance(n int, sum, squares decimal.Decimal) float64 {
	if n < 2 {
		return 0
	}
	return spread(n, sum, squares).InexactFloat64() / float64(n*(n-1))
}

// spread returns n·Σx² − (Σx)² of n numbers, which is n² times their variance.
func spread(n int, sum, squares decimal.Decimal) decimal.Decimal {
	return squares.Mul(decimal.NewFromInt(int64(n))).Sub(sum.Mul(sum))
}

// reorderBasis is the method by which a reorder point was computed.
type reorderBasis string

const (
	normalBasis  reorderBasis = "normal"
	poissonBasis reorderBasis = "poisson"
	coverBasis   reorderBasis = "days_of_cover" // a rough estimate without a service level
)

// roughCoverDays is the safety stock, in days of sales, that is used if the history is too short to compute a service
// level.
const roughCoverDays = 7

// safetyStock computes the safety stock with the formula that fits the demand: the normal distribution for products that
// sell in most weeks, Poisson for products that sell rarely, and days of cover for lumpy demand and short histories.
func safetyStock(class demandClass, level float64, rate salesRate, sd float64, lead leadTime) (decimal.Decimal, reorderBasis) {
	switch class {
	case smoothDemand, erraticDemand:
		d, days := rate.perDay().InexactFloat64(), lead.days.InexactFloat64()
		return decimal.NewFromFloat(normalSafetyStock(serviceFactor(level), d, sd, days, lead.sd)), normalBasis
	case intermittentDemand:
		during := rate.in(lead.days)
		point := decimal.NewFromFloat(poissonReorderPoint(during.InexactFloat64(), level))
		return decimal.Max(decimal.Zero, point.Sub(during)), poissonBasis
	}
	return rate.in(decimal.NewFromInt(roughCoverDays)), coverBasis
}
