package tools

import (
	"cmp"
	"context"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type slowMoversArguments struct {
	WindowDays   int    `json:"window_days,omitempty" jsonschema:"minimum=7,maximum=366,default=90" jsonschema_description:"days of sales before today"`
	MinCoverDays int    `json:"min_cover_days,omitempty" jsonschema:"minimum=1,maximum=3650,default=180" jsonschema_description:"products are listed whose stock lasts for more days than this"`
	Warehouse    string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all together if absent"`
	RowLimit
}

type slowMoversResult struct {
	WindowDays   WholeDays       `json:"window_days" jsonschema_description:"days of sales that were looked at"`
	MinCoverDays WholeDays       `json:"min_cover_days" jsonschema_description:"the stock of listed products lasts for more days than this"`
	Warehouse    *string         `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows         []slowMoversRow `json:"rows"`
	List
	Totals slowMoversTotals `json:"totals"`
}

type slowMoversRow struct {
	ProductID      string      `json:"product_id"`
	Name           string      `json:"name"`
	Code           string      `json:"code"`
	Units          Units       `json:"units"`
	SoldUnits      Units       `json:"sold_units" jsonschema_description:"in the window, returns deducted, with what sold bundles consist of"`
	DaysInStock    WholeDays   `json:"days_in_stock" jsonschema_description:"days of the window whose weeks had stock or sales"`
	Censored       bool        `json:"censored" jsonschema_description:"stock ran out in some week: real demand may be higher than the velocity"`
	VelocityPerDay UnitsPerDay `json:"velocity_per_day" jsonschema_description:"sold_units / days_in_stock"`
	DaysOfCover    Days        `json:"days_of_cover" jsonschema_description:"units / velocity"`
	Money          *Money      `json:"money" jsonschema_description:"units at cost; null: cost unknown, not 0"`
	CostBasis      *costBasis  `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`
	Archived       bool        `json:"archived,omitempty" jsonschema_description:"taken out of the range, and still there"`
}

type slowMoversTotals struct {
	Positions            int    `json:"positions"`
	Money                *Money `json:"money" jsonschema_description:"where the cost is known"`
	PositionsWithoutCost int    `json:"positions_without_cost"`
	ArchivedPositions    int    `json:"archived_positions" jsonschema_description:"of positions: archived products"`
	NewProducts          int    `json:"new_products" jsonschema_description:"left out: in stock now, and not at the window's beginning"`
	WithoutSales         int    `json:"without_sales" jsonschema_description:"left out: in stock at the window's beginning, and nothing sold, returns deducted; dead_stock judges what was not sold at all"`
}

// slowMovers makes the calls that README.md lists and explains. Its velocity is that of reorder_points.
func slowMovers(ctx context.Context, run *Run, args slowMoversArguments) (slowMoversResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return slowMoversResult{}, err
	}
	builder := slowMoversBuilder{args: args, rows: topRows[slowMoverItem]{limit: args.Limit, compare: byMoneyBound}}
	if err := builder.read(ctx, run, warehouse); err != nil {
		return slowMoversResult{}, err
	}
	for id := range builder.physical.Products() {
		if _, archived := builder.archived[id]; archived {
			continue
		}
		if units := UnitsInStock(builder.physical, id, warehouse); units != nil {
			builder.consider(id, *units)
		} else {
			builder.recalculating++
		}
	}
	for id, card := range builder.archived {
		builder.consider(id, card.Units())
	}
	noteNetted(run, builder.physical, warehouse)
	result := builder.result(run)
	result.WindowDays, result.MinCoverDays = WholeDays(args.WindowDays), WholeDays(args.MinCoverDays)
	result.Warehouse = warehouseName(warehouse)
	return result, nil
}

type slowMoverItem struct {
	id, name, code string
	units          decimal.Decimal
	demand         *productDemand
	rate           salesRate
	cover          decimal.Decimal
	cost           *moysklad.Kopecks
	basis          *costBasis
	money          decimal.Decimal // hundredths; 0 if unknown
	archived       bool
}

func byMoneyBound(a, b slowMoverItem) int {
	return cmp.Or(b.money.Cmp(a.money), b.cover.Cmp(a.cover), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
}

type slowMoversBuilder struct {
	args          slowMoversArguments
	history       *demandHistory
	physical      *moysklad.CurrentStock
	archived      archivedCards
	costs         *averageCosts
	rows          topRows[slowMoverItem]
	totals        slowMoversTotals
	money         costSum
	recalculating int
}

func (s *slowMoversBuilder) read(ctx context.Context, run *Run, warehouse *moysklad.Store) error {
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) {
		s.history, err = run.readDemandHistory(ctx, s.args.WindowDays, daysPerWeek, warehouse)
		return err
	})
	group.Go(func() (err error) { s.physical, err = run.CurrentStock(ctx, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { s.archived, err = run.archivedTotals(ctx, warehouse); return err })
	group.Go(func() (err error) { s.costs, err = run.readAverageCosts(ctx, warehouse); return err })
	return group.Wait()
}

func (s *slowMoversBuilder) consider(id string, units decimal.Decimal) {
	demand := s.history.byID[id]
	switch {
	case !units.IsPositive():
		return
	case demand != nil && demand.stockedAtStart&1 == 0:
		s.totals.NewProducts++
		return
	case demand == nil || !demand.sold.decimal().IsPositive():
		s.totals.WithoutSales++
		return
	}
	row := slowMoverItem{id: id, units: units, demand: demand, rate: s.history.salesRate(demand)}
	inStock := units.Mul(decimal.NewFromInt(int64(row.rate.days)))
	if inStock.LessThanOrEqual(row.rate.units.Mul(decimal.NewFromInt(int64(s.args.MinCoverDays)))) {
		return
	}
	row.cover = inStock.DivRound(row.rate.units, 1)
	if card, archived := s.archived[id]; archived {
		s.totals.ArchivedPositions++
		row.archived, row.name, row.code = true, card.Name, card.Code
		row.cost, row.basis = s.costs.archivedCost(id, card)
	} else {
		row.name, row.code, _ = s.costs.name(id)
		row.cost, row.basis = s.costs.cost(id)
	}
	if row.cost != nil {
		row.money = row.cost.Mul(units)
	}
	s.money.add(row.cost, units)
	s.rows.add(row)
}

func (s *slowMoversBuilder) result(run *Run) slowMoversResult {
	listed, list := s.rows.list(run)
	s.totals.Positions, s.totals.Money, s.totals.PositionsWithoutCost = s.rows.count, s.money.money(), s.money.unknown
	result := slowMoversResult{Rows: make([]slowMoversRow, len(listed)), List: list, Totals: s.totals}
	for i, row := range listed {
		result.Rows[i] = slowMoversRow{
			ProductID: row.id, Name: row.name, Code: row.code, Units: UnitsOf(row.units), SoldUnits: UnitsOf(row.rate.units),
			DaysInStock: WholeDays(row.rate.days), Censored: row.demand.ranOut(),
			VelocityPerDay: row.rate.velocity(), DaysOfCover: Days{NumberOf(row.cover)},
			CostBasis: row.basis, Archived: row.archived,
		}
		if row.cost != nil {
			result.Rows[i].Money = MoneyOf(row.money)
		}
	}
	s.costs.addNotes(run, s.money.unknown)
	noteArchived(run, s.totals.ArchivedPositions)
	run.NoteRecalculating(s.recalculating)
	return result
}
