package tools

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type reorderPointsArguments struct {
	WindowDays   int      `json:"window_days,omitempty" jsonschema:"minimum=7,maximum=366,default=90" jsonschema_description:"days of sales before today"`
	LeadTimeDays *float64 `json:"lead_time_days,omitempty" jsonschema:"minimum=0,maximum=730" jsonschema_description:"lead time to use for every product; if absent, that of each supplier's own orders and receipts"`
	ServiceLevel float64  `json:"service_level,omitempty" jsonschema:"minimum=0.5,maximum=0.999,default=0.95" jsonschema_description:"share of order cycles without a stock-out"`
	CoverDays    int      `json:"cover_days,omitempty" jsonschema:"minimum=0,maximum=365,default=0" jsonschema_description:"days of sales to order beyond the reorder point"`
	Warehouse    string   `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all together if absent"`
	Query        string   `json:"query,omitempty" jsonschema_description:"words of a name, a code or an article; also products without sales"`
	RowLimit
}

type reorderPointsResult struct {
	WindowDays          WholeDays          `json:"window_days" jsonschema_description:"days of sales that were looked at"`
	ServiceLevelPercent *Percent           `json:"service_level_percent" jsonschema_description:"share of order cycles without a stock-out; not of units"`
	CoverDays           WholeDays          `json:"cover_days" jsonschema_description:"days of sales ordered beyond the reorder point"`
	Warehouse           *string            `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows                []reorderPointsRow `json:"rows"`
	List
	Totals reorderTotals `json:"totals"`
}

type reorderPointsRow struct {
	ProductID        string        `json:"product_id"`
	Name             string        `json:"name"`
	Code             string        `json:"code"`
	SoldUnits        Units         `json:"sold_units" jsonschema_description:"in the window, returns deducted, with what sold bundles consist of"`
	DaysInStock      WholeDays     `json:"days_in_stock" jsonschema_description:"days of the window whose weeks had stock or sales"`
	Censored         bool          `json:"censored" jsonschema_description:"stock ran out in some week: real demand may be higher than the velocity"`
	VelocityPerDay   UnitsPerDay   `json:"velocity_per_day" jsonschema_description:"sold_units / days_in_stock"`
	DemandClass      demandClass   `json:"demand_class" jsonschema:"enum=smooth,enum=erratic,enum=intermittent,enum=lumpy,enum=short_history,enum=no_sales"`
	LeadTimeDays     *Days         `json:"lead_time_days" jsonschema_description:"null: unknown"`
	LeadTimeBasis    *string       `json:"lead_time_basis" jsonschema_description:"argument, history (the supplier's own orders to receipts) or null"`
	LeadTimeReceipts int           `json:"lead_time_receipts" jsonschema_description:"orders that the history rests on; below 5 the lead time is taken as constant"`
	Basis            *reorderBasis `json:"basis" jsonschema_description:"normal, poisson (seldom sold), or days_of_cover: rough, no service level; null without a lead time"`
	SafetyStock      *Units        `json:"safety_stock"`
	ReorderPoint     *Units        `json:"reorder_point" jsonschema_description:"null: no lead time, none is made up"`
	Units            *Units        `json:"units" jsonschema_description:"what lies there; null while the upstream recalculates"`
	Available        *Units        `json:"available" jsonschema_description:"inventory position: stock - reserved + in_transit, so what is on order is counted once"`
	InTransit        *Units        `json:"in_transit" jsonschema_description:"on order, contained in available"`
	OrderUnits       *Units        `json:"order_units" jsonschema_description:"up to the reorder point plus cover_days of sales, when available is at or below the reorder point; else 0"`
	SupplierID       *string       `json:"supplier_id"`
	Supplier         *string       `json:"supplier"`
}

type reorderTotals struct {
	Positions       int `json:"positions"`
	ToOrder         int `json:"to_order" jsonschema_description:"positions with order_units above 0"`
	WithoutLeadTime int `json:"without_lead_time"`
}

// reorderPoints makes the calls that README.md lists and explains.
func reorderPoints(ctx context.Context, run *Run, args reorderPointsArguments) (reorderPointsResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return reorderPointsResult{}, err
	}
	plan := reorderPlan{args: args, warehouse: warehouse}
	if err := plan.read(ctx, run); err != nil {
		return reorderPointsResult{}, err
	}
	words := strings.Fields(bilingual.Fold(args.Query))
	rows := topRows[reorderNeed]{limit: args.Limit, compare: byUrgency}
	var totals reorderTotals
	for good := range plan.goods.Stocked() {
		if !plan.wanted(good, words) {
			continue
		}
		need := plan.need(good)
		totals.count(need)
		rows.add(need)
	}
	if totals.WithoutLeadTime > 0 {
		run.Note(LeadTimeUnknown, map[string]string{"count": fmt.Sprint(totals.WithoutLeadTime)})
	}
	run.NoteRecalculating(plan.recalculating)
	result, err := newReorderPointsResult(ctx, run, &rows, totals)
	result.WindowDays, result.CoverDays, result.Warehouse = WholeDays(args.WindowDays), WholeDays(args.CoverDays), warehouseName(warehouse)
	result.ServiceLevelPercent = percentOf(decimal.NewFromFloat(args.ServiceLevel), decimal.NewFromInt(1))
	return result, err
}

func (t *reorderTotals) count(n reorderNeed) {
	t.Positions++
	if n.order != nil && n.order.IsPositive() {
		t.ToOrder++
	}
	if n.leadTime == nil {
		t.WithoutLeadTime++
	}
}

// reorderPlan has the data from which the reorder points are computed.
type reorderPlan struct {
	args          reorderPointsArguments
	warehouse     *moysklad.Store
	goods         *Goods
	balances      *stockBalances
	history       *demandHistory
	leadTimes     leadTimes
	recalculating int
}

func (p *reorderPlan) read(ctx context.Context, run *Run) error {
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) { p.goods, err = run.Goods(ctx); return err })
	group.Go(func() (err error) { p.balances, err = run.balances(ctx); return err })
	group.Go(func() (err error) {
		p.history, err = run.readDemandHistory(ctx, p.args.WindowDays, daysPerWeek, p.warehouse)
		return err
	})
	if p.args.LeadTimeDays == nil {
		group.Go(func() (err error) { p.leadTimes, err = run.leadTimes(ctx); return err })
	}
	return group.Wait()
}

// wanted reports whether a good belongs in the result. With a query, it must match the query; otherwise it must have
// been sold.
func (p *reorderPlan) wanted(good *Good, words []string) bool {
	if len(words) > 0 {
		return containsWords(bilingual.Fold(good.Name+"\n"+good.Code+"\n"+good.Article), words)
	}
	demand := p.history.byID[good.ID]
	return demand != nil && demand.sold.decimal().IsPositive()
}

// reorderNeed has the reorder point of one product and how many units to order.
type reorderNeed struct {
	good          *Good
	demand        *productDemand
	rate          salesRate
	class         demandClass
	leadTime      *leadTime
	leadTimeGiven bool // the lead time was given as an argument
	point         *decimal.Decimal
	safety        decimal.Decimal
	basis         reorderBasis
	balance       Balance
	order         *decimal.Decimal
	daysLeft      *decimal.Decimal // how many days of sales the inventory position covers
}

func (p *reorderPlan) need(good *Good) reorderNeed {
	n := reorderNeed{good: good, demand: p.history.byID[good.ID]}
	n.balance, _ = p.balances.sumOf(good.ID, p.warehouse)
	if n.demand == nil {
		n.demand = p.history.demandWithoutMovement(n.balance.Units)
	}
	n.rate = p.history.salesRate(n.demand)
	weekly := p.history.seriesWhileAvailable(n.demand)
	if n.class = weekly.class(); n.class == noDemand && n.rate.units.IsPositive() {
		n.class = shortHistoryDemand // sold only in the incomplete week
	}
	if n.rate.units.IsZero() {
		n.class = noDemand
	}
	if p.args.LeadTimeDays != nil {
		n.leadTime, n.leadTimeGiven = &leadTime{days: decimal.NewFromFloat(*p.args.LeadTimeDays)}, true
	} else if lead, ok := p.leadTimes[good.SupplierID]; ok && good.SupplierID != "" {
		n.leadTime = &lead
	}
	if n.balance.Recalculating {
		p.recalculating++
	}
	n.computePoint(weekly, p.args.ServiceLevel)
	n.computeOrder(p.args.CoverDays)
	return n
}

// statisticPlaces is the number of decimals of a statistic in the result.
const statisticPlaces = 3

func (n *reorderNeed) computePoint(weekly demandSeries, level float64) {
	if n.leadTime == nil {
		return
	}
	safety, basis := safetyStock(n.class, level, n.rate, weekly.dailySD(daysPerWeek), *n.leadTime)
	n.point, n.basis = new(n.rate.in(n.leadTime.days).Add(safety).Round(statisticPlaces)), basis
	n.safety = safety.Round(statisticPlaces)
}

// computeOrder compares the reorder point with the inventory position, which includes units on order. It rounds the
// order up to thousandths for goods that are sold or kept in fractions, and to whole units for all others.
func (n *reorderNeed) computeOrder(coverDays int) {
	position := n.balance.Available()
	if n.rate.units.IsPositive() && !n.balance.Recalculating {
		n.daysLeft = new(position.DivRound(n.rate.perDay(), statisticPlaces))
	}
	if n.point == nil || n.balance.Recalculating {
		return
	}
	order := decimal.Zero
	if position.LessThanOrEqual(*n.point) && n.rate.units.IsPositive() {
		order = n.point.Add(n.rate.in(decimal.NewFromInt(int64(coverDays)))).Sub(position)
		if n.demand.sellsFractions || !n.balance.Units.IsInteger() {
			order = order.RoundCeil(statisticPlaces)
		} else {
			order = order.Ceil()
		}
	}
	n.order = &order
}

// byUrgency sorts products that need an order first, then by how soon they run out. Products for which that is unknown
// come last.
func byUrgency(a, b reorderNeed) int {
	rank := func(n reorderNeed) int {
		switch {
		case n.order != nil && n.order.IsPositive():
			return 0
		case n.daysLeft != nil:
			return 1
		}
		return 2
	}
	if c := cmp.Compare(rank(a), rank(b)); c != 0 {
		return c
	}
	if a.daysLeft != nil && b.daysLeft != nil {
		if c := a.daysLeft.Cmp(*b.daysLeft); c != 0 {
			return c
		}
	}
	return cmp.Or(cmp.Compare(a.good.Name, b.good.Name), cmp.Compare(a.good.ID, b.good.ID))
}

func newReorderPointsResult(ctx context.Context, run *Run, rows *topRows[reorderNeed], totals reorderTotals) (reorderPointsResult, error) {
	listed, list := rows.list(run)
	suppliers, err := run.CounterpartyNames(ctx, convert(listed, func(n reorderNeed) string { return n.good.SupplierID }))
	if err != nil {
		return reorderPointsResult{}, err
	}
	rowOf := func(n reorderNeed) reorderPointsRow { return n.row(suppliers) }
	return reorderPointsResult{Rows: convert(listed, rowOf), List: list, Totals: totals}, nil
}

func (n reorderNeed) row(suppliers map[string]string) reorderPointsRow {
	row := reorderPointsRow{
		ProductID:      n.good.ID,
		Name:           n.good.Name,
		Code:           n.good.Code,
		SoldUnits:      UnitsOf(n.demand.sold.decimal()),
		DaysInStock:    WholeDays(n.rate.days),
		Censored:       n.demand.ranOut(),
		VelocityPerDay: n.rate.velocity(),
		DemandClass:    n.class,
		SupplierID:     nilIfEmpty(n.good.SupplierID),
		Supplier:       nilIfEmpty(suppliers[n.good.SupplierID]),
	}
	if n.leadTime != nil {
		source := "history"
		if n.leadTimeGiven {
			source = "argument"
		}
		row.LeadTimeDays, row.LeadTimeBasis = &Days{NumberOf(n.leadTime.days.Round(2))}, &source
		row.LeadTimeReceipts = n.leadTime.receipts
		row.ReorderPoint, row.SafetyStock, row.Basis = new(UnitsOf(*n.point)), new(UnitsOf(n.safety)), &n.basis
	}
	if !n.balance.Recalculating {
		row.Units, row.Available, row.InTransit =
			new(UnitsOf(n.balance.Units)), new(UnitsOf(n.balance.Available())), new(UnitsOf(n.balance.InTransit))
	}
	if n.order != nil {
		row.OrderUnits = new(UnitsOf(*n.order))
	}
	return row
}
