package tools

import (
	"context"
	"fmt"
	"math/bits"
	"slices"
	"sync"
	"time"

	"github.com/shopspring/decimal"
	"golang.org/x/sync/errgroup"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// weekDays is the length of the periods of a demand history.
const weekDays = 7

// demandHistory is what every product sold in a number of whole days before today, week by week.
type demandHistory struct {
	days  int
	weeks []span // the oldest first; it is shorter when the days are no multiple of seven
	byID  map[string]*productDemand
}

// span is one period of a history, from the first to the last second of its Moscow days.
type span struct {
	from, to time.Time
	days     int
}

// productDemand is one product's part of a history. Amounts are in hundredths. Bit i of the masks stands for week i: at
// most 53 weeks make a year.
type productDemand struct {
	name           string
	sold           decimal.Decimal // net of returns, with what bundles consumed of it
	revenue        decimal.Decimal // net of returns, of the product's own sales
	cost           decimal.Decimal // of these; 0 where unknown
	had            uint64          // weeks in which it could be had
	ranOut         uint64          // of these, weeks that began or ended without stock
	series         demandSeries    // whole weeks only
	sellsFractions bool
}

// demandWeeks cuts the days before today into weeks, counted back from yesterday.
func demandWeeks(now time.Time, days int) []span {
	end := startOfDay(now)
	var weeks []span
	for left := days; left > 0; left -= weekDays {
		length := min(left, weekDays)
		start := end.AddDate(0, 0, -length)
		weeks = append([]span{{start, end.Add(-time.Second), length}}, weeks...)
		end = start
	}
	return weeks
}

// whole are the bits of the weeks that have seven days.
func (h *demandHistory) whole() uint64 {
	all := uint64(1)<<len(h.weeks) - 1
	if len(h.weeks) > 0 && h.weeks[0].days < weekDays {
		all &^= 1
	}
	return all
}

// daysHad is how many days the product could be had: those of the weeks in which it had stock or was sold.
func (h *demandHistory) daysHad(p *productDemand) int {
	days := 0
	for i, week := range h.weeks {
		if p.had&(1<<i) != 0 {
			days += week.days
		}
	}
	return days
}

// perDay is the velocity: net units sold over the days in which the product could be had; 0 when returns outweigh sales.
func (h *demandHistory) perDay(p *productDemand) decimal.Decimal {
	days := h.daysHad(p)
	if days == 0 || !p.sold.IsPositive() {
		return decimal.Zero
	}
	return p.sold.DivRound(decimal.NewFromInt(int64(days)), 12)
}

// weekly is the series over the whole weeks in which the product could be had.
func (h *demandHistory) weekly(p *productDemand) demandSeries {
	series := p.series
	series.periods = bits.OnesCount64(p.had & h.whole())
	return series
}

// sinceFirstHad is the series over all whole weeks from the first in which the product could be had.
func (h *demandHistory) sinceFirstHad(p *productDemand) demandSeries {
	series := p.series
	if p.had == 0 {
		return series
	}
	series.periods = bits.OnesCount64(h.whole() &^ (uint64(1)<<bits.TrailingZeros64(p.had) - 1))
	return series
}

func (h *demandHistory) bytes() int { return len(h.byID) * 560 }

// DemandHistory reads two reports a week, each a call for each thousand products in it: sales, and turnover to see when
// there was stock. 90 days are 13 weeks, 26 calls where a thousand products sell. Reading every shipment would cost a
// call for each hundred of them, and still not say when the shelf was empty.
func (c *Call) demandHistory(ctx context.Context, days int, warehouse *moysklad.Store) (*demandHistory, error) {
	what := fmt.Sprintf("demand of %d days", days)
	var store moysklad.Filter
	if warehouse != nil {
		what += " at " + warehouse.ID
		store = store.Is("store", moysklad.Href("store", warehouse.ID))
	}
	return remembered(ctx, c, what, FreshCardFile, func(ctx context.Context, up *moysklad.Client) (*demandHistory, error) {
		history := &demandHistory{days: days, weeks: demandWeeks(c.Now(), days), byID: map[string]*productDemand{}}
		return history, history.read(ctx, up, store)
	})
}

// parallelWeeks keeps two reports a week within the calls that an account may have in flight.
const parallelWeeks = 2

func (h *demandHistory) read(ctx context.Context, up *moysklad.Client, store moysklad.Filter) error {
	reading := &demandReading{history: h, up: up, store: store, bundles: bundles{up: up}}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2 * parallelWeeks)
	for week := range h.weeks {
		group.Go(func() error { return reading.sales(ctx, week) })
		group.Go(func() error { return reading.presence(ctx, week) })
	}
	return group.Wait()
}

// demandReading fills a history from several weeks at once.
type demandReading struct {
	history *demandHistory
	up      *moysklad.Client
	store   moysklad.Filter
	bundles bundles

	mu sync.Mutex // guards history.byID and what it points to
}

// ofLocked is the product's part of the history.
func (r *demandReading) ofLocked(id string) *productDemand {
	p := r.history.byID[id]
	if p == nil {
		p = &productDemand{}
		r.history.byID[id] = p
	}
	return p
}

// sales adds one week's sales. A bundle counts for itself with its revenue, and with its units for what it consists of.
func (r *demandReading) sales(ctx context.Context, week int) error {
	units := map[string]decimal.Decimal{} // what goes off the shelf
	sold := map[string]decimal.Decimal{}  // :: bundle → how many
	span := r.history.weeks[week]
	for row, err := range r.up.Profit(ctx, "byvariant", span.from, span.to, moysklad.Query{Filter: r.store}) {
		if err != nil {
			return err
		}
		if row.Assortment == nil {
			continue
		}
		id, net := row.Assortment.Meta.ID(), row.SellQuantity.Sub(row.ReturnQuantity.Decimal)
		r.addRevenue(id, row)
		if row.Assortment.Meta.Type == "bundle" {
			sold[id] = net
		}
		units[id] = units[id].Add(net)
	}
	parts, err := r.bundles.of(ctx, sold)
	if err != nil {
		return err
	}
	for bundle, count := range sold {
		for _, part := range parts[bundle] {
			units[part.Assortment.ID()] = units[part.Assortment.ID()].Add(count.Mul(part.Quantity.Decimal))
		}
	}
	r.addUnits(week, units)
	return nil
}

func (r *demandReading) addRevenue(id string, row moysklad.ProfitRow) {
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.ofLocked(id)
	p.name = row.Assortment.Name
	p.revenue = p.revenue.Add(row.SellSum.Sub(row.ReturnSum.Decimal))
	if row.SellCostSum != nil {
		p.cost = p.cost.Add(row.SellCostSum.Decimal)
	}
	if row.ReturnCostSum != nil {
		p.cost = p.cost.Sub(row.ReturnCostSum.Decimal)
	}
}

func (r *demandReading) addUnits(week int, units map[string]decimal.Decimal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, net := range units {
		p := r.ofLocked(id)
		p.sold = p.sold.Add(net)
		p.sellsFractions = p.sellsFractions || !net.IsInteger()
		if !net.IsPositive() {
			continue
		}
		p.had |= 1 << week
		if r.history.weeks[week].days == weekDays {
			p.series.addSale(net.InexactFloat64())
		}
	}
}

// presence adds in which week a product had stock, and whether it ran out in it.
func (r *demandReading) presence(ctx context.Context, week int) error {
	span := r.history.weeks[week]
	query := moysklad.Query{Filter: r.store, Params: map[string]string{"groupBy": "variant"}}
	for row, err := range r.up.Turnover(ctx, span.from, span.to, query) {
		if err != nil {
			return err
		}
		r.addPresence(week, row)
	}
	return nil
}

func (r *demandReading) addPresence(week int, row moysklad.TurnoverRow) {
	began, ended := row.Opening.Quantity.IsPositive(), row.Closing.Quantity.IsPositive()
	if !began && !ended && !row.Income.Quantity.IsPositive() {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	p := r.ofLocked(row.Assortment.Meta.ID())
	p.had |= 1 << week
	if !began || !ended {
		p.ranOut |= 1 << week
	}
}

// bundles reads what bundles consist of, each bundle once, eighty a call.
type bundles struct {
	up *moysklad.Client

	mu    sync.Mutex
	parts map[string][]moysklad.BundleComponent
}

// of gives the parts of some bundles; a bundle that is deleted or hidden has none. Weeks wait for each other here, so
// that no bundle is read twice.
func (b *bundles) of(ctx context.Context, sold map[string]decimal.Decimal) (map[string][]moysklad.BundleComponent, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.parts == nil {
		b.parts = map[string][]moysklad.BundleComponent{}
	}
	var missing []string
	for id := range sold {
		if _, known := b.parts[id]; !known {
			missing = append(missing, id)
		}
	}
	if err := b.readLocked(ctx, missing); err != nil {
		return nil, err
	}
	parts := make(map[string][]moysklad.BundleComponent, len(sold))
	for id := range sold {
		parts[id] = b.parts[id]
	}
	return parts, nil
}

func (b *bundles) readLocked(ctx context.Context, ids []string) error {
	for chunk := range slices.Chunk(ids, namedAtOnce) {
		for _, id := range chunk {
			b.parts[id] = nil
		}
		filter := anyOf("id", chunk).Is("archived", "true").Is("archived", "false")
		query := moysklad.Query{Filter: filter, Expand: []string{"components"}, Limit: 100}
		for row, err := range moysklad.List[moysklad.Product](ctx, b.up, "bundle", query) {
			if err != nil {
				return err
			}
			if row.Components != nil {
				b.parts[row.ID] = row.Components.Rows
			}
		}
	}
	return nil
}
