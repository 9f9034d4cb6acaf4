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

// weekDays is the length of a period where demand is looked at as a series.
const weekDays = 7

// demandHistory is what every product sold in a number of whole days before today, period by period: weeks, as a rule.
type demandHistory struct {
	periodDays int            // days of a whole period
	periods    []demandPeriod // the oldest first; it is shorter when the days are no multiple of the length
	byID       map[string]*productDemand
}

// span is one period of a history, from the first to the last second of its Moscow days.
type demandPeriod struct {
	from, to time.Time
	days     int
}

// productDemand is one product's part of a history. Amounts are in hundredths. Bit i of the masks stands for period i: a
// year has 53 weeks.
type productDemand struct {
	name                         string
	sold                         compactDecimal // net of returns, with what bundles consumed of it
	revenue                      compactDecimal // net of returns, of the product's own sales
	cost                         compactDecimal // of these; 0 where unknown
	available                    uint64         // could be had: there was stock, or it was sold
	stockedAtStart, stockedAtEnd uint64         // had stock at the beginning, at the end
	hasTurnover                  uint64         // turnover has a row
	series                       demandSeries   // whole periods only
	sellsFractions               bool
}

// ranOut reports whether there was no stock at the beginning or end of a period in which the product could be had.
func (p *productDemand) ranOut() bool { return p.available&^(p.stockedAtStart&p.stockedAtEnd) != 0 }

// demandPeriods cuts the days before today into periods, counted back from yesterday.
func splitIntoPeriods(now time.Time, days, periodDays int) []demandPeriod {
	end := startOfDay(now)
	var periods []demandPeriod
	for left := days; left > 0; left -= periodDays {
		one := min(left, periodDays)
		start := end.AddDate(0, 0, -one)
		periods = append(periods, demandPeriod{start, end.Add(-time.Second), one})
		end = start
	}
	slices.Reverse(periods)
	return periods
}

// whole are the bits of the periods that are not cut short by the history's beginning.
func (h *demandHistory) wholePeriods() uint64 {
	all := uint64(1)<<len(h.periods) - 1
	if len(h.periods) > 0 && h.periods[0].days < h.periodDays {
		all &^= 1
	}
	return all
}

// daysHad is how many days the product could be had.
func (h *demandHistory) daysAvailable(p *productDemand) int {
	days := 0
	for i, period := range h.periods {
		if p.available&(1<<i) != 0 {
			days += period.days
		}
	}
	return days
}

// perDay is the velocity: net units sold over the days in which the product could be had; 0 when returns outweigh sales.
func (h *demandHistory) perDay(p *productDemand) decimal.Decimal {
	days := h.daysAvailable(p)
	sold := p.sold.decimal()
	if days == 0 || !sold.IsPositive() {
		return decimal.Zero
	}
	return sold.DivRound(decimal.NewFromInt(int64(days)), 12)
}

// whileHad is the series over the whole periods in which the product could be had.
func (h *demandHistory) seriesWhileAvailable(p *productDemand) demandSeries {
	series := p.series
	series.periods = bits.OnesCount64(p.available & h.wholePeriods())
	return series
}

// sinceFirstHad is the series over all whole periods from the first in which the product could be had.
func (h *demandHistory) seriesSinceFirstAvailable(p *productDemand) demandSeries {
	series := p.series
	if p.available == 0 {
		return series
	}
	series.periods = bits.OnesCount64(h.wholePeriods() &^ (uint64(1)<<bits.TrailingZeros64(p.available) - 1))
	return series
}

func (h *demandHistory) bytes() int { return len(h.byID) * 560 }

// idle is the part of a product that has none: what did not move lay there throughout if it lies there now.
func (h *demandHistory) demandWithoutMovement(stock decimal.Decimal) *productDemand {
	if !stock.IsPositive() {
		return &productDemand{}
	}
	all := uint64(1)<<len(h.periods) - 1
	return &productDemand{available: all, stockedAtStart: all, stockedAtEnd: all}
}

// demandHistory reads two reports a period, each a call for each thousand products in it: those that sold, and by turnover
// those that moved, to see when there was stock. 90 days are 13 weeks, so 26 calls where a thousand products move in a
// week. Reading every shipment would cost a call for each hundred of them, and still not say when the shelf was empty.
func (c *Call) readDemandHistory(ctx context.Context, days, periodDays int, warehouse *moysklad.Store) (*demandHistory, error) {
	what := fmt.Sprintf("demand of %d days by %d", days, periodDays)
	var store moysklad.Filter
	if warehouse != nil {
		what += " at " + warehouse.ID
		store = store.Is("store", moysklad.Href("store", warehouse.ID))
	}
	return readCached(ctx, c, what, maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*demandHistory, error) {
		history := &demandHistory{periodDays: periodDays, periods: splitIntoPeriods(c.Now(), days, periodDays), byID: map[string]*productDemand{}}
		if err := history.read(ctx, c, up, store); err != nil {
			return nil, err
		}
		for _, p := range history.byID {
			p.carryStock(len(history.periods))
		}
		return history, nil
	})
}

// parallelReports is no more than an account may have in flight by default; the pace rules beyond that.
const parallelReports = 4

func (h *demandHistory) read(ctx context.Context, c *Call, up *moysklad.Client, store moysklad.Filter) error {
	reader := &demandReader{history: h, call: c, up: up, store: store}
	group, ctx := caught.WithContext(ctx)
	group.SetLimit(parallelReports)
	for i := range h.periods {
		group.Go(func() error { return reader.readSales(ctx, i) })
		group.Go(func() error { return reader.readPresence(ctx, i) })
	}
	return group.Wait()
}

// demandReading fills a history from several periods at once.
type demandReader struct {
	history *demandHistory
	call    *Call
	up      *moysklad.Client
	store   moysklad.Filter

	mu sync.Mutex // guards history.byID and what it points to
}

// ofLocked is the product's part of the history.
func (r *demandReader) demandLocked(id string) *productDemand {
	p := r.history.byID[id]
	if p == nil {
		p = &productDemand{}
		r.history.byID[strings.Clone(id)] = p // without the link that it is a part of
	}
	return p
}

// sales adds one period's sales. A bundle counts for itself with its revenue, and with its units for what it consists of.
func (r *demandReader) readSales(ctx context.Context, i int) error {
	units := map[string]decimal.Decimal{} // what goes off the shelf
	sold := map[string]decimal.Decimal{}  // :: bundle → how many
	period := r.history.periods[i]
	for row, err := range r.up.Profit(ctx, "byvariant", period.from, period.to, moysklad.Query{Filter: r.store, Beside: true}) {
		if err != nil {
			return err
		}
		if row.Assortment == nil {
			continue
		}
		id, net := row.Assortment.ID(), row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
		r.addRevenue(id, row)
		if row.Assortment.Meta.Type == "bundle" {
			sold[id] = net
		}
		units[id] = units[id].Add(net)
	}
	if len(sold) > 0 {
		parts, err := r.call.readBundleParts(ctx)
		if err != nil {
			return err
		}
		for bundle, count := range sold {
			for _, part := range parts[bundle] {
				units[part.Assortment.ID()] = units[part.Assortment.ID()].Add(count.Mul(part.Quantity.Decimal))
			}
		}
	}
	r.addUnits(i, units)
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

// presence adds in which periods a product had stock.
func (r *demandReader) readPresence(ctx context.Context, i int) error {
	period := r.history.periods[i]
	filter := r.store.Is("withoutturnover", "false").Is("archived", "true").Is("archived", "false")
	query := moysklad.Query{Filter: filter, Params: map[string]string{"groupBy": "variant"}, Beside: true}
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
	p.hasTurnover |= bit
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

// carryStock fills in the periods without a row: goods that lie there and do not move are not asked for, which would be
// most of the calls. Where nothing moved, there was stock throughout if there was at the end of the period before, or at
// the beginning of the next one that has a row.
func (p *productDemand) carryStock(periods int) {
	stocked := p.hasTurnover != 0 && p.stockedAtStart&(p.hasTurnover&-p.hasTurnover) != 0
	for i := range periods {
		bit := uint64(1) << i
		if p.hasTurnover&bit != 0 {
			stocked = p.stockedAtEnd&bit != 0
		} else if stocked {
			p.stockedAtStart, p.stockedAtEnd, p.available = p.stockedAtStart|bit, p.stockedAtEnd|bit, p.available|bit
		}
	}
}

// bundleParts are what bundles consist of, by the bundle's id.
type bundleParts map[string][]moysklad.BundleComponent

func (b bundleParts) bytes() int { return len(b) * 600 }

// bundleParts reads all bundles, a call for each hundred: it is asked for only where a bundle was sold.
func (c *Call) readBundleParts(ctx context.Context) (bundleParts, error) {
	parts, _, err := readCachedUndated(ctx, c, "bundles", maxRecordAge, func(ctx context.Context, up *moysklad.Client) (bundleParts, error) {
		parts := bundleParts{}
		query := moysklad.Query{
			Filter: moysklad.Filter{}.Is("archived", "true").Is("archived", "false"),
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
	return parts, err
}
