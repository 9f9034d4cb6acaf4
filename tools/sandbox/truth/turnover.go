package truth

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Turnover is the result of the tool turnover.
type Turnover struct {
	Rows   []TurnoverRow  `json:"rows"`
	Totals TurnoverTotals `json:"totals"`
}

// TurnoverRow is the turnover of one product.
type TurnoverRow struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	TurnoverFigures
}

// TurnoverTotals has the totals of all rows.
type TurnoverTotals struct {
	Positions            int `json:"positions"`
	PositionsWithoutCost int `json:"positions_without_cost"`
	TurnoverFigures
}

type TurnoverFigures struct {
	Opening UnitsAndMoney `json:"opening"`
	In      UnitsAndMoney `json:"in"`
	Out     UnitsAndMoney `json:"out"`
	Closing UnitsAndMoney `json:"closing"`
}

// UnitsAndMoney is a quantity and its cost.
type UnitsAndMoney struct {
	Units decimal.Decimal  `json:"units"`
	Money *decimal.Decimal `json:"money"`
}

// figures has the sums of one row: units and cost of each figure.
type figures [4]struct{ units, cost decimal.Decimal }

const (
	opening = iota
	inflow
	outflow
	closing
)

func (f *figures) add(n int, units, cost decimal.Decimal) {
	f[n].units, f[n].cost = f[n].units.Add(units), f[n].cost.Add(cost)
}

// Turnover returns the turnover of a period in one warehouse, or in all if nil is given. Transfers count only in the
// turnover of one warehouse.
func (t *Truth) Turnover(p Period, only *sandbox.Store) Turnover {
	rows := map[*sandbox.Item]*figures{}
	for _, m := range t.movements {
		if m.document.Moment.After(p.To) || only != nil && m.store != only {
			continue
		}
		row := entry(rows, m.item)
		row.add(closing, m.units, m.cost)
		switch {
		case m.document.Moment.Before(p.From):
			row.add(opening, m.units, m.cost)
		case m.document.Kind == sandbox.Move && only == nil:
		case m.units.IsPositive():
			row.add(inflow, m.units, m.cost)
		default:
			row.add(outflow, m.units.Neg(), m.cost.Neg())
		}
	}
	var answer Turnover
	var sums [4]knownSum
	var units [4]decimal.Decimal
	for item, row := range rows {
		if row.empty() {
			continue
		}
		unknown := false
		for n := range row {
			cost := t.turnoverCost(row[n].units, row[n].cost)
			if cost == nil || !cost.IsZero() { // 0 units make no sum known
				sums[n].add(cost)
			}
			units[n] = units[n].Add(row[n].units)
			unknown = unknown || cost == nil
		}
		if unknown {
			answer.Totals.PositionsWithoutCost++
		}
		answer.Totals.Positions++
		answer.Rows = append(answer.Rows, TurnoverRow{item.ID, item.Name, t.figures(row)})
	}
	total := func(n int) UnitsAndMoney { return UnitsAndMoney{units[n], sums[n].money()} }
	answer.Totals.TurnoverFigures = TurnoverFigures{total(opening), total(inflow), total(outflow), total(closing)}
	return answer
}

func (f *figures) empty() bool {
	for n := range f {
		if !f[n].units.IsZero() || !f[n].cost.IsZero() {
			return false
		}
	}
	return true
}

// turnoverCost returns the cost of units. It returns nil if the cost may not be seen or is unknown; the upstream shows
// an unknown cost as 0.
func (t *Truth) turnoverCost(units, cost decimal.Decimal) *decimal.Decimal {
	if t.view.Costs != FIFO || cost.IsZero() && !units.IsZero() {
		return nil
	}
	return &cost
}

func (t *Truth) figures(row *figures) TurnoverFigures {
	figure := func(n int) UnitsAndMoney {
		return UnitsAndMoney{row[n].units, moneyOrNull(t.turnoverCost(row[n].units, row[n].cost))}
	}
	return TurnoverFigures{figure(opening), figure(inflow), figure(outflow), figure(closing)}
}
