package tools

import "math"

// Reorder points if demand and lead time are independent. In this file, d is the mean and sd the standard deviation of
// demand per day; lead is the mean and leadSD the standard deviation of the lead time in days. Statistics are float64;
// stock, orders and sales are decimals outside of this file.
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
const (
	intermittentFrom = 1.32
	unevenFrom       = 0.49
)

// With fewer periods or fewer sales, a history is too short to compute a service level.
const (
	minPeriods = 8
	minSales   = 5
)

// demandSeries summarizes the sales of a product in periods of equal length. It includes only periods in which the
// product was available. Such a period counts as 0 if there was no sale.
type demandSeries struct {
	periods    int // periods in which the product was available
	withSales  int
	sum        float64
	sumSquares float64
}

func (s *demandSeries) addSale(units float64) {
	s.withSales++
	s.sum += units
	s.sumSquares += units * units
}

// class returns the class of the demand. [demandSeries.periods] must be set.
func (s demandSeries) class() demandClass {
	switch {
	case s.withSales == 0:
		return noDemand
	case s.periods < minPeriods || s.withSales < minSales:
		return shortHistoryDemand
	}
	interval := float64(s.periods) / float64(s.withSales)
	mean := s.sum / float64(s.withSales)
	uneven := variance(s.withSales, s.sum, s.sumSquares)/(mean*mean) >= unevenFrom
	switch {
	case interval < intermittentFrom && !uneven:
		return smoothDemand
	case interval < intermittentFrom:
		return erraticDemand
	case !uneven:
		return intermittentDemand
	}
	return lumpyDemand
}

// dailySD returns the standard deviation of demand per day. days is the length of a period. The formula assumes that
// the days are independent.
func (s demandSeries) dailySD(days float64) float64 {
	return math.Sqrt(variance(s.periods, s.sum, s.sumSquares) / days)
}

// variance returns the variance of a sample, given its size, sum and sum of squares. It returns 0 if the size is less
// than two.
func variance(n int, sum, squares float64) float64 {
	if n < 2 {
		return 0
	}
	return max(0, (squares-sum*sum/float64(n))/float64(n-1))
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

type reorderResult struct {
	safetyStock, point float64
	basis              reorderBasis
}

// reorderPoint computes the reorder point with the formula that fits the demand: the normal distribution for products
// that sell in most weeks, Poisson for products that sell rarely, and days of cover for lumpy demand and short
// histories.
func reorderPoint(class demandClass, level, d, sd, lead, leadSD float64) reorderResult {
	during := d * lead
	switch class {
	case smoothDemand, erraticDemand:
		safety := normalSafetyStock(serviceFactor(level), d, sd, lead, leadSD)
		return reorderResult{safety, during + safety, normalBasis}
	case intermittentDemand:
		point := max(during, poissonReorderPoint(during, level))
		return reorderResult{point - during, point, poissonBasis}
	}
	safety := d * roughCoverDays
	return reorderResult{safety, during + safety, coverBasis}
}
