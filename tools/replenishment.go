package tools

import "math"

// Reorder points for independent demand and lead time. d is the mean and sd the standard deviation of demand per day;
// lead is the mean and leadSD the standard deviation of the lead time in days. Statistics are float64. Stock, orders
// and sales stay decimal until they enter here.
//
// Sources: P. L. King, "Crack the Code", APICS 2011; Silver, Pyke, Thomas, "Inventory and Production Management in
// Supply Chains"; for the classes A. A. Syntetos and J. E. Boylan, IJF 21:303, 2005.

// serviceFactor returns z for a service level between 0.5 and 1. The service level is the share of replenishment
// cycles without a stock-out, not the share of demand served from stock.
func serviceFactor(level float64) float64 { return math.Sqrt2 * math.Erfinv(2*level-1) }

// normalSafetyStock covers the variation of demand and lead time over the protected days: the lead time, plus the
// interval between orders if they are not placed every day.
func normalSafetyStock(z, d, sd, protected, leadSD float64) float64 {
	return z * math.Sqrt(protected*sd*sd+d*d*leadSD*leadSD)
}

// poissonReorderPoint returns the smallest whole stock that demand with this mean exceeds in at most 1 − level of the
// cycles. It is for rare demand in small numbers. For a mean above poissonLimit it uses the normal approximation,
// which agrees there.
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

// poissonLimit keeps exp(−mean) far from underflow.
const poissonLimit = 400

// demandClass says which forecast fits a product's sales.
type demandClass string

const (
	smoothDemand       demandClass = "smooth"       // sells in most weeks, in similar quantities
	erraticDemand      demandClass = "erratic"      // sells in most weeks, in varying quantities
	intermittentDemand demandClass = "intermittent" // many weeks without a sale, similar quantities
	lumpyDemand        demandClass = "lumpy"        // many weeks without a sale, varying quantities
	shortHistoryDemand demandClass = "short_history"
	noDemand           demandClass = "no_sales"
)

// Bounds of Syntetos and Boylan: the average interval between periods with demand, and the squared coefficient of
// variation of its size.
const (
	intermittentFrom = 1.32
	unevenFrom       = 0.49
)

// A history with fewer periods or sales is too short for a service level.
const (
	minPeriods = 8
	minSales   = 5
)

// demandSeries summarizes the sales of a product in periods of equal length. It covers periods in which the product
// was available: those without a sale count as zero, those without stock do not count.
type demandSeries struct {
	periods    int // in which the product was available
	withSales  int
	sum        float64
	sumSquares float64
}

func (s *demandSeries) addSale(units float64) {
	s.withSales++
	s.sum += units
	s.sumSquares += units * units
}

// class classifies the demand. It needs [demandSeries.periods] to be set.
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

// dailySD returns the standard deviation of demand per day, from periods of that many days. It treats days as
// independent.
func (s demandSeries) dailySD(days float64) float64 {
	return math.Sqrt(variance(s.periods, s.sum, s.sumSquares) / days)
}

// variance returns the variance of a sample from its size, sum and sum of squares. It is 0 for fewer than two.
func variance(n int, sum, squares float64) float64 {
	if n < 2 {
		return 0
	}
	return max(0, (squares-sum*sum/float64(n))/float64(n-1))
}

// reorderBasis is the method that gave a reorder point.
type reorderBasis string

const (
	normalBasis  reorderBasis = "normal"
	poissonBasis reorderBasis = "poisson"
	coverBasis   reorderBasis = "days_of_cover" // rough: no service level
)

// roughCoverDays is the safety stock in days of sales if the history is too short for a service level.
const roughCoverDays = 7

type reorderResult struct {
	safetyStock, point float64
	basis              reorderBasis
}

// reorderPoint computes the reorder point with the formula that fits the demand: normal for products that sell in
// most weeks, Poisson for those that sell rarely, and days of cover for lumpy demand and short histories.
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
