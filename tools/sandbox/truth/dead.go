package truth

import (
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// DeadStock answers the tool dead_stock.
type DeadStock struct {
	Rows       []DeadRow       `json:"rows"`
	Warehouses []DeadWarehouse `json:"warehouses"`
	Totals     DeadTotals      `json:"totals"`
}

// DeadRow is a product that has lain for long and did not sell.
type DeadRow struct {
	ProductID       string           `json:"product_id"`
	Name            string           `json:"name"`
	Code            string           `json:"code"`
	DaysInWarehouse decimal.Decimal  `json:"days_in_warehouse"`
	Units           decimal.Decimal  `json:"units"`
	FrozenMoney     *decimal.Decimal `json:"frozen_money"`
	CostBasis       *string          `json:"cost_basis"`
	SoldUnits       decimal.Decimal  `json:"sold_units"`
	MovedUnits      decimal.Decimal  `json:"moved_units"`
	Verdict         string           `json:"verdict"`
	Archived        bool             `json:"archived"`
}

// DeadWarehouse is what lies of these products in one warehouse.
type DeadWarehouse struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Positions int             `json:"positions"`
	Units     decimal.Decimal `json:"units"`
}

// DeadTotals are over all rows.
type DeadTotals struct {
	DeadMoney            *decimal.Decimal `json:"dead_money"`
	TurningMoney         *decimal.Decimal `json:"turning_money"`
	Positions            int              `json:"positions"`
	DeadPositions        int              `json:"dead_positions"`
	PositionsWithoutCost int              `json:"positions_without_cost"`
	ArchivedPositions    int              `json:"archived_positions"`
	PositionsWithoutAge  int              `json:"positions_without_age"`
}

// DeadStock judges goods that are at least minDays old on average and had no net sale in the last window of days, in
// one warehouse or, for nil, in all together.
func (t *Truth) DeadStock(minDays, window int, only *sandbox.Store) DeadStock {
	from := t.now.AddDate(0, 0, -window)
	within := func(at time.Time) bool { return !at.Before(from) && !at.After(t.now) }
	sold := t.salesIn(within, only, func(_ *sandbox.Document, i *sandbox.Item) saleKey { return saleKey{item: i} })
	went := t.otherOutflow(within, only)
	var answer DeadStock
	lying := map[*sandbox.Store]*DeadWarehouse{}
	var dead, turning known
	for item, s := range together(append(t.places(only), t.archived(only)...)) {
		net := decimal.Zero
		if sale := sold[saleKey{item: item}]; sale != nil {
			net = sale.units
		}
		days := s.days(t.now)
		if !s.units.IsPositive() || days < int64(minDays) || net.IsPositive() {
			continue
		}
		row := DeadRow{
			ProductID: item.ID, Name: item.Name, Code: item.Code, DaysInWarehouse: decimal.NewFromInt(days), Units: s.units,
			SoldUnits: net, MovedUnits: went[item], Verdict: "dead", Archived: !inRange(item),
		}
		worth := t.worth(item, s)
		row.FrozenMoney, row.CostBasis = moneyOrNull(worth), t.basis(worth)
		if row.Archived {
			answer.Totals.ArchivedPositions++
		}
		if worth == nil {
			answer.Totals.PositionsWithoutCost++
		}
		if row.MovedUnits.IsPositive() {
			row.Verdict = "turns_outside_sales"
			turning.add(worth)
		} else {
			answer.Totals.DeadPositions++
			dead.add(worth)
		}
		answer.Rows = append(answer.Rows, row)
		t.lies(lying, item, only)
	}
	answer.Warehouses = t.inOrder(lying)
	answer.Totals.Positions = len(answer.Rows)
	answer.Totals.DeadMoney, answer.Totals.TurningMoney = dead.money(), turning.money()
	return answer
}

// lies notes where some of an item is.
func (t *Truth) lies(lying map[*sandbox.Store]*DeadWarehouse, item *sandbox.Item, only *sandbox.Store) {
	for store, s := range t.shelves[item] {
		if !s.units.IsPositive() || only != nil && store != only {
			continue
		}
		if lying[store] == nil {
			lying[store] = &DeadWarehouse{ID: store.ID, Name: store.Name}
		}
		lying[store].Positions++
		lying[store].Units = lying[store].Units.Add(s.units)
	}
}

// inOrder are the warehouses in which something lies, in the order of the books.
func (t *Truth) inOrder(lying map[*sandbox.Store]*DeadWarehouse) []DeadWarehouse {
	var warehouses []DeadWarehouse
	for _, store := range t.books.Stores {
		if lying[store] != nil {
			warehouses = append(warehouses, *lying[store])
		}
	}
	return warehouses
}

// together is what lies of each item on some shelves.
func together(places []place) map[*sandbox.Item]*shelf {
	all := map[*sandbox.Item]*shelf{}
	for _, p := range places {
		if all[p.item] == nil {
			all[p.item] = &shelf{}
		}
		s := all[p.item]
		s.units, s.reserved, s.inTransit = s.units.Add(p.units), s.reserved.Add(p.reserved), s.inTransit.Add(p.inTransit)
		s.layers = slices.Concat(s.layers, p.layers)
	}
	return all
}

// days is the age of what lies there, on average over its units, in whole days.
func (s *shelf) days(now time.Time) int64 {
	var weighted, quantity decimal.Decimal
	for _, l := range s.layers {
		seconds := decimal.NewFromInt(int64(now.Sub(l.since) / time.Second))
		weighted, quantity = weighted.Add(seconds.Mul(l.units)), quantity.Add(l.units)
	}
	if quantity.IsZero() {
		return 0
	}
	return weighted.DivRound(quantity.Mul(decimal.NewFromInt(24*3600)), 30).IntPart()
}

// worth of what lies there; nil is unknown.
func (t *Truth) worth(item *sandbox.Item, s *shelf) *decimal.Decimal {
	if t.view.Costs == FIFO {
		cost := s.cost()
		if cost.IsZero() || !s.units.IsPositive() {
			return nil
		}
		return &cost
	}
	price := t.unitWorth(item, s)
	if price == nil {
		return nil
	}
	cost := price.Mul(s.units)
	return &cost
}

// otherOutflow is what left, other than by the item's own sales: transfers, write-offs, production, returns to
// suppliers, and as part of bundles.
func (t *Truth) otherOutflow(within func(time.Time) bool, only *sandbox.Store) map[*sandbox.Item]decimal.Decimal {
	went := map[*sandbox.Item]decimal.Decimal{}
	for at, moved := range t.lines {
		if !within(at.document.Moment) {
			continue
		}
		item := at.document.Positions[at.n].Item
		for _, m := range moved {
			ownSale := slices.Contains(sales, m.document.Kind) && m.item == item
			if m.units.IsNegative() && !ownSale && (only == nil || m.store == only) {
				went[m.item] = went[m.item].Sub(m.units)
			}
		}
	}
	return went
}

// known adds up what is known; nothing known is not 0.
type known struct {
	sum            decimal.Decimal
	known, unknown int
}

func (k *known) add(hundredths *decimal.Decimal) {
	if hundredths == nil {
		k.unknown++
		return
	}
	k.known++
	k.sum = k.sum.Add(*hundredths)
}

func (k *known) money() *decimal.Decimal {
	if k.known == 0 && k.unknown > 0 {
		return nil
	}
	return money(k.sum)
}
