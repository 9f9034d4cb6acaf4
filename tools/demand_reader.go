package tools

import (
	"context"
	"fmt"
	"sync"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// readDemandHistory reads two reports for each period: the profit report for sales, and the turnover report to see when
// there was stock. Each takes one call for each thousand products in it. A window of 90 days has 13 weeks, so it takes
// 26 calls if at most a thousand products move in a week. Reading all shipments would take one call for each hundred of
// them, and would still not show when stock ran out.
func (run *Run) readDemandHistory(ctx context.Context, days, periodDays int, warehouse *moysklad.Store) (*demandHistory, error) {
	store := atWarehouse(moysklad.Filter{}, warehouse)
	name := cacheNameAt(fmt.Sprintf("demand of %d days by %d", days, periodDays), warehouse)
	return readCached(ctx, run, name, maxRecordAge, func(ctx context.Context, up *moysklad.Client) (*demandHistory, error) {
		periods := splitIntoPeriods(run.Now(), days, periodDays)
		history := &demandHistory{periodDays: periodDays, periods: periods, byID: map[string]*productDemand{}}
		if err := history.read(ctx, run, up, store); err != nil {
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

func (h *demandHistory) read(ctx context.Context, run *Run, up *moysklad.Client, store moysklad.Filter) error {
	reader := &demandReader{history: h, run: run, up: up, store: store}
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
	run     *Run
	up      *moysklad.Client
	store   moysklad.Filter

	mu sync.Mutex // guards history.byID and what it points to
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
		parts, err := r.run.readBundleParts(ctx)
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
	p := entryOf(r.history.byID, id)
	kind := row.Assortment.Meta.Type
	p.name, p.unstocked = row.Assortment.Name, kind == "bundle" || kind == "service"
	p.revenue = p.revenue.plus(row.SellSum.Sub(row.ReturnSum.Decimal))
	p.costPartlyKnown = p.costPartlyKnown || newSale(row).costPartlyKnown()
	p.anySold = p.anySold || !row.SellQuantity.IsZero()
	p.soldCost, p.returnedCost = p.soldCost.plus(zeroIfNil(row.SellCostSum)), p.returnedCost.plus(zeroIfNil(row.ReturnCostSum))
}

func (r *demandReader) addUnits(i int, units map[string]decimal.Decimal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, net := range units {
		p := entryOf(r.history.byID, id)
		p.sold = p.sold.plus(net)
		p.sellsFractions = p.sellsFractions || !net.IsInteger()
		if !net.IsPositive() {
			continue
		}
		p.available |= 1 << i
		if r.history.periods[i].days == r.history.periodDays {
			p.sales.addSale(net)
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
	p := entryOf(r.history.byID, row.Assortment.ID())
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
