package truth

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Turnover answers the tool turnover.
type Turnover struct {
	Rows   []TurnoverRow  `json:"rows"`
	Totals TurnoverTotals `json:"totals"`
}

// TurnoverRow is one product's.
type TurnoverRow struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	TurnoverFigures
}

// TurnoverTotals are over all rows.
type TurnoverTotals struct {
	Positions            int `json:"positions"`
	PositionsWithoutCost int `json:"positions_without_cost"`
	TurnoverFigures
}

// TurnoverFigures are what was there, came, went and is there.
type TurnoverFigures struct {
	Opening UnitsAndMoney `json:"opening"`
	In      UnitsAndMoney `json:"in"`
	Out     UnitsAndMoney `json:"out"`
	Closing UnitsAndMoney `json:"closing"`
}

// UnitsAndMoney is a quantity at cost.
type UnitsAndMoney struct {
	Units decimal.Decimal  `json:"units"`
	Money *decimal.Decimal `json:"money"`
}

// turned is a row in the making: opening, in, out, closing.
type turned [4]struct{ units, cost decimal.Decimal }

func (f *turned) add(n int, units, cost decimal.Decimal) {
	f[n].units, f[n].cost = f[n].units.Add(units), f[n].cost.Add(cost)
}

// Turnover of a period, at one warehouse or, for nil, at all. Transfers between warehouses count for one warehouse only.
func (t *Truth) Turnover(p Period, only *sandbox.Store) Turnover {
	rows := map[*sandbox.Item]*turned{}
	for _, m := range t.movements {
		if m.document.Moment.After(p.To) || only != nil && m.store != only {
			continue
		}
		if rows[m.item] == nil {
			rows[m.item] = &turned{}
		}
		row := rows[m.item]
		row.add(3, m.units, m.cost)
		switch {
		case m.document.Moment.Before(p.From):
			row.add(0, m.units, m.cost)
		case m.document.Kind == sandbox.Move && only == nil:
		case m.units.IsPositive():
			row.add(1, m.units, m.cost)
		default:
			row.add(2, m.units.Neg(), m.cost.Neg())
		}
	}
	var answer Turnover
	var sums [4]known
	var units [4]decimal.Decimal
	for item, row := range rows {
		if row.empty() {
			continue
		}
		unknown := false
		for n := range row {
			cost := t.turnoverCost(row[n].units, row[n].cost)
			sums[n].add(cost)
			units[n] = units[n].Add(row[n].units)
			unknown = unknown || cost == nil
		}
		if unknown {
			answer.Totals.PositionsWithoutCost++
		}
		answer.Totals.Positions++
		answer.Rows = append(answer.Rows, TurnoverRow{item.ID, item.Name, t.figures(row)})
	}
	answer.Totals.TurnoverFigures = TurnoverFigures{
		UnitsAndMoney{units[0], sums[0].money()}, UnitsAndMoney{units[1], sums[1].money()},
		UnitsAndMoney{units[2], sums[2].money()}, UnitsAndMoney{units[3], sums[3].money()},
	}
	return answer
}

func (f *turned) empty() bool {
	for n := range f {
		if !f[n].units.IsZero() || !f[n].cost.IsZero() {
			return false
		}
	}
	return true
}

// turnoverCost is nil where goods have no cost, which the upstream shows as 0, and where costs are not visible.
func (t *Truth) turnoverCost(units, cost decimal.Decimal) *decimal.Decimal {
	if t.view.Costs != FIFO || cost.IsZero() && !units.IsZero() {
		return nil
	}
	return &cost
}

func (t *Truth) figures(row *turned) TurnoverFigures {
	one := func(n int) UnitsAndMoney {
		return UnitsAndMoney{row[n].units, moneyOrNull(t.turnoverCost(row[n].units, row[n].cost))}
	}
	return TurnoverFigures{one(0), one(1), one(2), one(3)}
}
