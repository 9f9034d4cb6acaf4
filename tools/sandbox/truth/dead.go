package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// DeadStock is the result of the tool dead_stock.
type DeadStock struct {
	Rows       []DeadRow       `json:"rows"`
	Warehouses []DeadWarehouse `json:"warehouses"`
	Totals     DeadTotals      `json:"totals"`
}

// DeadRow is a product that has been in stock for a long time and was not sold.
type DeadRow struct {
	ProductID       string           `json:"product_id"`
	Name            string           `json:"name"`
	Code            string           `json:"code"`
	DaysInWarehouse decimal.Decimal  `json:"days_in_warehouse"`
	Units           decimal.Decimal  `json:"units"`
	Reserved        *decimal.Decimal `json:"reserved"`
	InTransit       *decimal.Decimal `json:"in_transit"`
	FrozenMoney     *decimal.Decimal `json:"frozen_money"`
	CostBasis       *string          `json:"cost_basis"`
	SoldUnits       decimal.Decimal  `json:"sold_units"`
	MovedUnits      decimal.Decimal  `json:"moved_units"`
	Outflow         []Outflow        `json:"outflow"`
	Verdict         string           `json:"verdict"`
	Archived        bool             `json:"archived"`
}

// Outflow is how many units went out in one way other than sales of the item itself.
type Outflow struct {
	Document string          `json:"document"`
	Units    decimal.Decimal `json:"units"`
}

// DeadWarehouse is the stock of these products in one warehouse.
type DeadWarehouse struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Positions int             `json:"positions"`
	Units     decimal.Decimal `json:"units"`
}

// DeadTotals has the totals of all rows.
type DeadTotals struct {
	DeadMoney            *decimal.Decimal `json:"dead_money"`
	TurningMoney         *decimal.Decimal `json:"turning_money"`
	Positions            int              `json:"positions"`
	DeadPositions        int              `json:"dead_positions"`
	PositionsWithoutCost int              `json:"positions_without_cost"`
	ArchivedPositions    int              `json:"archived_positions"`
	PositionsWithoutAge  int              `json:"positions_without_age"`
	ReservedPositions    int              `json:"reserved_positions"`
}

// DeadStock returns the goods that are at least minDays old on average and were not sold in the last days of the window.
// Returns do not undo a sale. It leaves out what is reserved in full. It covers one warehouse, or all if nil is given.
func (t *Truth) DeadStock(minDays, window int, only *sandbox.Store) DeadStock {
	from := t.now.AddDate(0, 0, -window)
	within := func(at time.Time) bool { return !at.Before(from) && !at.After(t.now) }
	sold := t.salesIn(within, only, func(_ *sandbox.Document, i *sandbox.Item) saleKey { return saleKey{item: i} })
	moved := t.otherOutflow(within, only)
	var answer DeadStock
	warehouses := map[*sandbox.Store]*DeadWarehouse{}
	var dead, turning knownSum
	for item, s := range byItem(t.places(only)) {
		sale := cmp.Or(sold[saleKey{item: item}], &sale{})
		days := s.days(t.now)
		if !s.units.IsPositive() || days < int64(minDays) || sale.anySold {
			continue
		}
		var orders shelf // also those for a warehouse that has none of the good
		for store, other := range t.shelves[item] {
			if only == nil || store == only {
				orders.add(other)
			}
		}
		if !orders.reserved.LessThan(s.units) {
			answer.Totals.ReservedPositions++
			continue
		}
		row := DeadRow{
			ProductID: item.ID, Name: item.Name, Code: item.Code, DaysInWarehouse: decimal.NewFromInt(days), Units: s.units,
			Reserved: &orders.reserved, InTransit: &orders.inTransit, SoldUnits: sale.units, Verdict: "dead", Archived: !inRange(item),
		}
		for _, document := range []string{"bundle", "move", "loss", "processing", "productionstagecompletion", "purchasereturn"} {
			if units := moved[outflowOf{item, document}]; units.IsPositive() {
				row.Outflow, row.MovedUnits = append(row.Outflow, Outflow{document, units}), row.MovedUnits.Add(units)
			}
		}
		worth := t.stockCost(item, s)
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
		t.addWarehouses(warehouses, item, only)
	}
	answer.Warehouses = t.sorted(warehouses)
	answer.Totals.Positions = len(answer.Rows)
	answer.Totals.DeadMoney, answer.Totals.TurningMoney = dead.money(), turning.money()
	return answer
}

// addWarehouses adds the item to each warehouse in which it is in stock.
func (t *Truth) addWarehouses(warehouses map[*sandbox.Store]*DeadWarehouse, item *sandbox.Item, only *sandbox.Store) {
	for store, s := range t.shelves[item] {
		if !s.units.IsPositive() || only != nil && store != only {
			continue
		}
		w := entry(warehouses, store)
		w.ID, w.Name, w.Positions, w.Units = store.ID, store.Name, w.Positions+1, w.Units.Add(s.units)
	}
}

// sorted returns the warehouses in the order in which the books list them.
func (t *Truth) sorted(byStore map[*sandbox.Store]*DeadWarehouse) []DeadWarehouse {
	var warehouses []DeadWarehouse
	for _, store := range t.books.Stores {
		if byStore[store] != nil {
			warehouses = append(warehouses, *byStore[store])
		}
	}
	return warehouses
}

// byItem adds up shelves by item.
func byItem(places []place) map[*sandbox.Item]*shelf {
	all := map[*sandbox.Item]*shelf{}
	for _, p := range places {
		entry(all, p.item).add(p.shelf)
	}
	return all
}

// days returns the average age of the units, in whole days.
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

// stockCost returns the cost of the stock. It returns nil if the cost is unknown.
func (t *Truth) stockCost(item *sandbox.Item, s *shelf) *decimal.Decimal {
	if t.view.Costs == FIFO {
		if s.cost().IsZero() || !s.units.IsPositive() {
			return nil
		}
		return new(s.cost())
	}
	price := t.unitWorth(item, s)
	if price == nil {
		return nil
	}
	return new(price.Mul(s.units))
}

type outflowOf struct {
	item     *sandbox.Item
	document string // the kind, or bundle
}

// otherOutflow returns how many units went out in other ways than sales of the item itself: in transfers, write-offs,
// production, returns to suppliers and sales of bundles.
func (t *Truth) otherOutflow(within func(time.Time) bool, only *sandbox.Store) map[outflowOf]decimal.Decimal {
	out := map[outflowOf]decimal.Decimal{}
	for at, movements := range t.lines {
		if !within(at.document.Moment) {
			continue
		}
		for _, m := range movements {
			key := outflowOf{m.item, string(m.document.Kind)}
			if slices.Contains(sales, m.document.Kind) {
				key.document = "bundle"
			}
			ownSale := key.document == "bundle" && m.item == at.document.Positions[at.n].Item
			if m.units.IsNegative() && !ownSale && (only == nil || m.store == only) {
				out[key] = out[key].Sub(m.units)
			}
		}
	}
	return out
}

// knownSum is a sum of amounts, some of which may be unknown. If none is known, the sum is unknown, not 0.
type knownSum struct {
	sum            decimal.Decimal
	known, unknown int
}

func (k *knownSum) add(hundredths *decimal.Decimal) {
	if hundredths == nil {
		k.unknown++
		return
	}
	k.known++
	k.sum = k.sum.Add(*hundredths)
}

func (k *knownSum) money() *decimal.Decimal {
	if k.known == 0 && k.unknown > 0 {
		return nil
	}
	return money(k.sum)
}
