package tools

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
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
	cost                         compactDecimal // of own sales; 0 means unknown
	available                    uint64         // periods with stock, receipts or sales
	stockedAtStart, stockedAtEnd uint64         // periods with stock at their start, and at their end
	turnoverPeriods              uint64         // periods in which the turnover report has the product
	series                       demandSeries   // whole periods only
	sellsFractions               bool
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

// daysAvailable returns how many days the periods have in which the product was available.
func (h *demandHistory) daysAvailable(p *productDemand) int {
	days := 0
	for i, period := range h.periods {
		if p.available&(1<<i) != 0 {
			days += period.days
		}
	}
	return days
}

// perDay returns net units sold per available day, or 0 if more was returned than sold.
func (h *demandHistory) perDay(p *productDemand) decimal.Decimal {
	days := h.daysAvailable(p)
	sold := p.sold.decimal()
	if days == 0 || !sold.IsPositive() {
		return decimal.Zero
	}
	return sold.DivRound(decimal.NewFromInt(int64(days)), 12)
}

// seriesWhileAvailable returns the demand in the whole periods in which the product was available.
func (h *demandHistory) seriesWhileAvailable(p *productDemand) demandSeries {
	series := p.series
	series.periods = bits.OnesCount64(p.available & h.wholePeriods())
	return series
}

// seriesSinceFirstAvailable returns the demand in all whole periods, from the first one in which the product was
// available.
func (h *demandHistory) seriesSinceFirstAvailable(p *productDemand) demandSeries {
	series := p.series
	if p.available == 0 {
		return series
	}
	series.periods = bits.OnesCount64(h.wholePeriods() &^ (uint64(1)<<bits.TrailingZeros64(p.available) - 1))
	return series
}

func (h *demandHistory) bytes() int { return len(h.byID) * 560 }

// demandWithoutMovement returns the demand for a product that has no sales and no turnover. If it has stock now, it had
// stock all the time.
func (h *demandHistory) demandWithoutMovement(stock decimal.Decimal) *productDemand {
	if !stock.IsPositive() {
		return &productDemand{}
	}
	all := uint64(1)<<len(h.periods) - 1
	return &productDemand{available: all, stockedAtStart: all, stockedAtEnd: all}
}

// readDemandHistory reads two reports for each period: the profit report for sales, and the turnover report to see when
// there was stock. Each takes one call for each thousand products in it. A window of 90 days has 13 weeks, so it takes
// 26 calls if at most a thousand products move in a week. Reading all shipments would take one call for each hundred of
// them, and would still not show when stock ran out.
func (c *Call) readDemandHistory(ctx context.Context, days, periodDays int, warehouse *moysklad.Store) (*demandHistory, error) {
	store := atWarehouse(moysklad.Filter{}, warehouse)
	name := cacheNameAt(fmt.Sprintf("demand of %d days by %d", days, periodDays), warehouse)
	return readCached(ctx, c, name, maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*demandHistory, error) {
		history := &demandHistory{periodDays: periodDays, periods: splitIntoPeriods(c.Now(), days, periodDays), byID: map[string]*productDemand{}}
		if err := history.read(ctx, c, up, store); err != nil {
			return nil, err
		}
		for _, p := range history.byID {
			p.fillGaps(len(history.periods))
		}
		return history, nil
	})
}

// maxConcurrentReports is at most the default number of calls that an account may have in flight.
const maxConcurrentReports = 4

func (h *demandHistory) read(ctx context.Context, c *Call, up *moysklad.Client, store moysklad.Filter) error {
	reader := &demandReader{history: h, call: c, up: up, store: store}
	group, ctx := caught.WithContext(ctx)
	group.SetLimit(maxConcurrentReports)
	for i := range h.periods {
		group.Go(func() error { return reader.readSales(ctx, i) })
		group.Go(func() error { return reader.readPresence(ctx, i) })
	}
	return group.Wait()
}

// demandReader fills a history from several periods concurrently.
type demandReader struct {
	history *demandHistory
	call    *Call
	up      *moysklad.Client
	store   moysklad.Filter

	mu sync.Mutex // guards history.byID and what it points to
}

// demandLocked returns the product's demand. The caller must hold mu.
func (r *demandReader) demandLocked(id string) *productDemand {
	p := r.history.byID[id]
	if p == nil {
		p = &productDemand{}
		r.history.byID[strings.Clone(id)] = p // a clone, so that the whole link is not kept in memory
	}
	return p
}

// readSales adds the sales of one period. A sold bundle gets the revenue; the units are added to its components.
func (r *demandReader) readSales(ctx context.Context, i int) error {
	unitsOut := map[string]decimal.Decimal{}    // by product, including components of bundles
	soldBundles := map[string]decimal.Decimal{} // by bundle
	period := r.history.periods[i]
	for row, err := range r.up.Profit(ctx, "byvariant", period.from, period.to, moysklad.Query{Filter: r.store, Concurrent: true}) {
		if err != nil {
			return err
		}
		if row.Assortment == nil {
			continue
		}
		id, net := row.Assortment.ID(), row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
		r.addRevenue(id, row)
		if row.Assortment.Meta.Type == "bundle" {
			soldBundles[id] = net
		}
		unitsOut[id] = unitsOut[id].Add(net)
	}
	if len(soldBundles) > 0 {
		parts, err := r.call.readBundleParts(ctx)
		if err != nil {
			return err
		}
		for bundle, count := range soldBundles {
			for _, part := range parts[bundle] {
				unitsOut[part.Assortment.ID()] = unitsOut[part.Assortment.ID()].Add(count.Mul(part.Quantity.Decimal))
			}
		}
	}
	r.addUnits(i, unitsOut)
	return nil
}

func (r *demandReader) addRevenue(id string, row moysklad.ProfitRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.demandLocked(id)
	p.name = row.Assortment.Name
	p.revenue = p.revenue.plus(row.SellSum.Sub(row.ReturnSum.Decimal))
	p.cost = p.cost.plus(zeroIfNil(row.SellCostSum).Sub(zeroIfNil(row.ReturnCostSum)))
}

func (r *demandReader) addUnits(i int, units map[string]decimal.Decimal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, net := range units {
		p := r.demandLocked(id)
		p.sold = p.sold.plus(net)
		p.sellsFractions = p.sellsFractions || !net.IsInteger()
		if !net.IsPositive() {
			continue
		}
		p.available |= 1 << i
		if r.history.periods[i].days == r.history.periodDays {
			p.series.addSale(net.InexactFloat64())
		}
	}
}

// readPresence records in which periods products had stock.
func (r *demandReader) readPresence(ctx context.Context, i int) error {
	period := r.history.periods[i]
	filter := r.store.Is("withoutturnover", "false").WithArchived()
	query := moysklad.Query{Filter: filter, Params: map[string]string{"groupBy": "variant"}, Concurrent: true}
	for row, err := range r.up.Turnover(ctx, period.from, period.to, query) {
		if err != nil {
			return err
		}
		r.addPresence(i, row)
	}
	return nil
}

func (r *demandReader) addPresence(i int, row moysklad.TurnoverRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.demandLocked(row.Assortment.ID())
	bit := uint64(1) << i
	p.turnoverPeriods |= bit
	if row.Opening.Quantity.IsPositive() {
		p.stockedAtStart |= bit
	}
	if row.Closing.Quantity.IsPositive() {
		p.stockedAtEnd |= bit
	}
	if (p.stockedAtStart|p.stockedAtEnd)&bit != 0 || row.Income.Quantity.IsPositive() {
		p.available |= bit
	}
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

// bundleParts has the components of each bundle, by the bundle's id.
type bundleParts map[string][]moysklad.BundleComponent

func (b bundleParts) bytes() int { return len(b) * 600 }

// readBundleParts reads all bundles, a hundred in one call. It is called only if a bundle was sold.
func (c *Call) readBundleParts(ctx context.Context) (bundleParts, error) {
	return readCachedUndated(ctx, c, "bundles", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (bundleParts, error) {
		parts := bundleParts{}
		query := moysklad.Query{
			Filter: moysklad.Filter{}.WithArchived(),
			Order:  "id", Expand: []string{"components"},
		}
		for row, err := range up.Bundles(ctx, query) {
			if err != nil {
				return nil, err
			}
			if row.Components != nil {
				parts[row.ID] = row.Components.Rows
			}
		}
		return parts, nil
	})
}
