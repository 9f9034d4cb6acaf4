package tools

import (
	"cmp"
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

type turnoverArguments struct {
	Period
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	RowLimit
}

type turnoverResult struct {
	From      Day           `json:"from" jsonschema:"format=date-time"`
	To        Day           `json:"to" jsonschema:"format=date-time"`
	Warehouse *string       `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows      []turnoverRow `json:"rows"`
	List
	Totals turnoverTotals `json:"totals"`
}

type turnoverRow struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	Code      string `json:"code"`
	turnoverFigures
}

type turnoverTotals struct {
	Positions            int `json:"positions"`
	PositionsWithoutCost int `json:"positions_without_cost" jsonschema_description:"positions with a movement whose cost is unknown; not in the money of the totals"`
	turnoverFigures
}

type turnoverFigures struct {
	Opening unitsAndMoney `json:"opening"`
	In      unitsAndMoney `json:"in"`
	Out     unitsAndMoney `json:"out"`
	Closing unitsAndMoney `json:"closing"`
}

type unitsAndMoney struct {
	Units Units  `json:"units"`
	Money *Money `json:"money" jsonschema_description:"at cost; null: unknown, not 0"`
}

// turnover makes the calls that README.md lists and explains.
func turnover(ctx context.Context, run *Run, args turnoverArguments) (turnoverResult, error) {
	from, to, err := args.Within(run.Now())
	if err != nil {
		return turnoverResult{}, err
	}
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return turnoverResult{}, err
	}
	run.readAt(run.Now())
	rows := topRows[*productTurnover]{limit: args.Limit, compare: byOutflow}
	var totals productTurnover
	withoutCost := 0
	for row, err := range run.Client.Turnover(ctx, from, to, turnoverQuery(warehouse)) {
		if err != nil {
			return turnoverResult{}, err
		}
		product := newProductTurnover(row, run.Rights.Cost)
		if product.isZero() {
			continue
		}
		if totals.add(product) {
			withoutCost++
		}
		rows.add(product)
	}
	if withoutCost > 0 {
		run.Note(CostUnknown, map[string]string{"positions": fmt.Sprint(withoutCost)})
	}
	result := newTurnoverResult(run, &rows, totals, withoutCost)
	result.From, result.To, result.Warehouse = dayOf(from), dayOf(to), warehouseName(warehouse)
	return result, nil
}

// turnoverQuery requests variants separately, and includes archived goods and goods without movement: without them,
// opening and closing stock would be incomplete. It sets the grouping explicitly because the vendor's table and example
// disagree about the default. Whether goods without movement are listed by default is not documented either.
func turnoverQuery(warehouse *moysklad.Store) moysklad.Query {
	filter := atWarehouse(moysklad.Filter{}.WithArchived().Is("withoutturnover", "true"), warehouse)
	return moysklad.Query{Filter: filter, Params: map[string]string{"groupBy": "variant"}}
}

// movement is a quantity and its cost, or the sum of several.
type movement struct {
	units decimal.Decimal
	cost  costSum
}

// newMovement treats a cost of 0 for a quantity that is not 0 as unknown, because the upstream shows an unknown cost as
// 0.
func newMovement(m moysklad.Movement, costVisible bool) movement {
	one := movement{units: m.Quantity.Decimal}
	switch {
	case !costVisible || m.Sum == nil || m.Sum.IsZero() && !m.Quantity.IsZero():
		one.cost.unknown = 1
	case !m.Sum.IsZero():
		one.cost = costSum{sum: m.Sum.Decimal, known: 1}
	}
	return one
}

func (m movement) figures() unitsAndMoney { return unitsAndMoney{UnitsOf(m.units), m.cost.money()} }

// productTurnover has the opening stock, what came in, what went out, and the closing stock of a product.
type productTurnover struct {
	id, name, code string
	figures        [4]movement
}

func newProductTurnover(row moysklad.TurnoverRow, costVisible bool) *productTurnover {
	p := &productTurnover{id: row.Assortment.ID(), name: row.Assortment.Name, code: row.Assortment.Code}
	for i, m := range []moysklad.Movement{row.Opening, row.Income, row.Outcome, row.Closing} {
		p.figures[i] = newMovement(m, costVisible)
	}
	return p
}

// isZero reports whether the product had no stock and no movement.
func (p *productTurnover) isZero() bool {
	for _, m := range p.figures {
		if !m.units.IsZero() || !m.cost.sum.IsZero() {
			return false
		}
	}
	return true
}

// add adds the known figures of another product. It reports whether one of its costs is unknown.
func (p *productTurnover) add(other *productTurnover) (unknown bool) {
	for i, m := range other.figures {
		sum := &p.figures[i]
		sum.units = sum.units.Add(m.units)
		sum.cost.merge(m.cost)
		unknown = unknown || m.cost.unknown > 0
	}
	return unknown
}

func (p *productTurnover) result() turnoverFigures {
	return turnoverFigures{p.figures[0].figures(), p.figures[1].figures(), p.figures[2].figures(), p.figures[3].figures()}
}

// byOutflow sorts by outflow: largest cost first, and for equal cost most units first.
func byOutflow(a, b *productTurnover) int {
	out := func(p *productTurnover) movement { return p.figures[2] }
	return cmp.Or(out(b).cost.sum.Cmp(out(a).cost.sum), out(b).units.Cmp(out(a).units), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
}

func newTurnoverResult(run *Run, rows *topRows[*productTurnover], totals productTurnover, withoutCost int) turnoverResult {
	listed, list := rows.list(run)
	return turnoverResult{
		Rows:   convert(listed, func(p *productTurnover) turnoverRow { return turnoverRow{p.id, p.name, p.code, p.result()} }),
		List:   list,
		Totals: turnoverTotals{Positions: rows.count, PositionsWithoutCost: withoutCost, turnoverFigures: totals.result()},
	}
}
