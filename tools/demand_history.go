package tools

import (
	"math/bits"
	"slices"
	"time"

	"github.com/shopspring/decimal"
)

// daysPerWeek is the length of a period for statistics of demand over time.
const daysPerWeek = 7

// demandHistory is the demand for each product by period, in whole days before today. Periods are usually weeks.
type demandHistory struct {
	periodDays int            // of a whole period
	periods    []demandPeriod // oldest first; if the days are not a multiple of periodDays, the first period is shorter
	byID       map[string]*productDemand
}

// demandPeriod is one period of a history: from the first second of its first day to the last second of its last, in
// Moscow time.
type demandPeriod struct {
	from, to time.Time
	days     int
}

// productDemand is the demand for one product. Amounts are in hundredths. In the masks, bit i stands for period i; a
// year has 53 weeks, so 64 bits are enough.
type productDemand struct {
	name                         string
	sold                         compactDecimal // net of returns, including units consumed by bundles
	revenue                      compactDecimal // net of returns, own sales only
	soldCost, returnedCost       compactDecimal // of own sales and returns; 0 means unknown
	available                    uint64         // periods with stock, receipts or sales
	stockedAtStart, stockedAtEnd uint64         // periods with stock at their start, and at their end
	turnoverPeriods              uint64         // periods in which the turnover report has the product
	sales                        periodSales    // whole periods only

	unstocked       bool // a bundle or service, which has no stock of its own
	anySold         bool // there were own sales, not only returns
	costPartlyKnown bool // in some period, own sales or returns had no known cost
	sellsFractions  bool
}

// ranOut reports whether there was a period in which the product was available but had no stock at the start or the
// end.
func (p *productDemand) ranOut() bool { return p.available&^(p.stockedAtStart&p.stockedAtEnd) != 0 }

// splitIntoPeriods splits the given number of days before today into periods, counting back from yesterday.
func splitIntoPeriods(now time.Time, days, periodDays int) []demandPeriod {
	end := startOfDay(now)
	var periods []demandPeriod
	for left := days; left > 0; left -= periodDays {
		length := min(left, periodDays)
		start := end.AddDate(0, 0, -length)
		periods = append(periods, demandPeriod{start, end.Add(-time.Second), length})
		end = start
	}
	slices.Reverse(periods)
	return periods
}

// wholePeriods returns a mask of the periods that have the full length.
func (h *demandHistory) wholePeriods() uint64 {
	all := uint64(1)<<len(h.periods) - 1
	if len(h.periods) > 0 && h.periods[0].days < h.periodDays {
		all &^= 1
	}
	return all
}

// salesRate is net units sold in the days on which a product was available. Units is 0 if more was returned than sold.
type salesRate struct {
	units decimal.Decimal
	days  int
}

func (h *demandHistory) salesRate(p *productDemand) salesRate {
	rate := salesRate{units: decimal.Max(decimal.Zero, p.sold.decimal())}
	for i, period := range h.periods {
		if p.available&(1<<i) != 0 {
			rate.days += period.days
		}
	}
	return rate
}

// in returns the units that are sold in a number of days. It rounds only once, so that whole units stay whole.
func (r salesRate) in(days decimal.Decimal) decimal.Decimal {
	if r.days == 0 {
		return decimal.Zero
	}
	return r.units.Mul(days).DivRound(decimal.NewFromInt(int64(r.days)), 12)
}

func (r salesRate) perDay() decimal.Decimal { return r.in(decimal.NewFromInt(1)) }

// velocity returns the rate as results show it.
func (r salesRate) velocity() UnitsPerDay { return UnitsPerDay{UnitsOf(r.perDay().Round(4))} }

// seriesWhileAvailable returns the demand in the whole periods in which the product was available.
func (h *demandHistory) seriesWhileAvailable(p *productDemand) demandSeries {
	return demandSeries{p.sales, bits.OnesCount64(p.available & h.wholePeriods())}
}

// seriesSinceFirstAvailable returns the demand in all whole periods, from the first one in which the product was
// available.
func (h *demandHistory) seriesSinceFirstAvailable(p *productDemand) demandSeries {
	since := ^(uint64(1)<<bits.TrailingZeros64(p.available) - 1) // 0 if it was never available
	return demandSeries{p.sales, bits.OnesCount64(h.wholePeriods() & since)}
}

func (h *demandHistory) bytes() int { return len(h.byID) * 500 }

// demandWithoutMovement returns the demand for a product that has no sales and no turnover. If it has stock now, it had
// stock all the time.
func (h *demandHistory) demandWithoutMovement(stock decimal.Decimal) *productDemand {
	if !stock.IsPositive() {
		return &productDemand{}
	}
	all := uint64(1)<<len(h.periods) - 1
	return &productDemand{available: all, stockedAtStart: all, stockedAtEnd: all}
}

// fillGaps sets the masks for periods without a turnover row. Such a period has no row because goods with stock but
// without movement are not requested; they would take most of the calls. The product had stock throughout the period if
// it had stock at the end of the last earlier period with a row. If there is no earlier one, it had stock if it had
// some at the start of the first period with a row.
func (p *productDemand) fillGaps(periods int) {
	stocked := p.turnoverPeriods != 0 && p.stockedAtStart&(p.turnoverPeriods&-p.turnoverPeriods) != 0
	for i := range periods {
		bit := uint64(1) << i
		if p.turnoverPeriods&bit != 0 {
			stocked = p.stockedAtEnd&bit != 0
		} else if stocked {
			p.stockedAtStart, p.stockedAtEnd, p.available = p.stockedAtStart|bit, p.stockedAtEnd|bit, p.available|bit
		}
	}
}
