package tools

import "math"

// Reorder points for independent demand and lead time. d is the mean and sd the standard deviation of demand per day,
// lead the mean and leadSD the standard deviation of the lead time in days. These are statistics, so float64; what is
// counted (stock, orders, sales) stays decimal until it enters here.
//
// Sources: P. L. King, "Crack the Code", APICS 2011; Silver, Pyke, Thomas, "Inventory and Production Management in
// Supply Chains"; for the classes A. A. Syntetos and J. E. Boylan, IJF 21:303, 2005.

// serviceFactor is z of a service level between 0.5 and 1: the share of replenishment cycles without a stock-out, which
// is not the share of demand served from the shelf.
func serviceFactor(level float64) float64 { return math.Sqrt2 * math.Erfinv(2*level-1) }

// normalSafetyStock covers what demand and lead time vary over the protected days: the lead time, plus the interval
// between orders where they are not placed every day.
func normalSafetyStock(z, d, sd, protected, leadSD float64) float64 {
	return z * math.Sqrt(protected*sd*sd+d*d*leadSD*leadSD)
}

// poissonReorderPoint is the smallest whole stock that demand with the given mean exceeds in no more than 1 − level of
// the cycles. It is for demand that comes seldom and in small numbers; a mean beyond poissonLimit is no such demand and
// is answered with the normal approximation, which agrees there.
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

// demandClass says which forecast a product's sales permit.
type demandClass string

const (
	smoothDemand       demandClass = "smooth"       // sells in most weeks, in even numbers
	erraticDemand      demandClass = "erratic"      // sells in most weeks, in uneven numbers
	intermittentDemand demandClass = "intermittent" // weeks without a sale between, even numbers
	lumpyDemand        demandClass = "lumpy"        // weeks without a sale between, uneven numbers
	shortDemand        demandClass = "short_history"
	noDemand           demandClass = "no_sales"
)

// The bounds of Syntetos and Boylan: the average interval between periods with demand, and the squared coefficient of
// variation of its size.
const (
	intermittentFrom = 1.32
	unevenFrom       = 0.49
)

// Below these a history says too little for a service level.
const (
	minPeriods = 8
	minSales   = 5
)

// demandSeries sums up what one product sold in periods of equal length, without holding them. Only periods in which
// the product could be had are part of it: one without a sale counts as a zero, one without stock does not count.
type demandSeries struct {
	periods    int // in which the product could be had
	withSales  int
	sum        float64
	sumSquares float64
}

func (s *demandSeries) addSale(units float64) {
	s.withSales++
	s.sum += units
	s.sumSquares += units * units
}

// class needs [demandSeries.periods] to be set.
func (s demandSeries) class() demandClass {
	switch {
	case s.withSales == 0:
		return noDemand
	case s.periods < minPeriods || s.withSales < minSales:
		return shortDemand
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

// dailySD is the standard deviation of demand per day, from periods of the given days, taking days as independent.
func (s demandSeries) dailySD(days float64) float64 {
	return math.Sqrt(variance(s.periods, s.sum, s.sumSquares) / days)
}

// variance of a sample from its size, sum and sum of squares; 0 for fewer than two.
func variance(n int, sum, squares float64) float64 {
	if n < 2 {
		return 0
	}
	return max(0, (squares-sum*sum/float64(n))/float64(n-1))
}

// basis says how a reorder point was found.
type basis string

const (
	normalBasis  basis = "normal"
	poissonBasis basis = "poisson"
	coverBasis   basis = "days_of_cover" // rough: no service level
)

// roughCoverDays is the safety stock, in days of sales, where the history permits no service level.
const roughCoverDays = 7

type reorderResult struct {
	safetyStock, point float64
	basis              basis
}

// reorderPoint chooses the formula that the demand permits: the normal one where a product sells in most weeks, Poisson
// where it sells now and then, and plain days of cover where sales come in lumps or are too few to tell.
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
