package tools

import (
	"cmp"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// deadStockBuilder collects and sums old goods that do not sell.
type deadStockBuilder struct {
	*deadStockData
	minDays              decimal.Decimal
	rows                 topRows[deadStockItem]
	totals               deadStockTotals
	dead, turningOutside costSum
	byStore              map[string]*storeCount
}

// deadStockItem is a good that has been in stock for long and did not sell.
type deadStockItem struct {
	id           string
	card         StockCard
	archived     *archivedCard
	sold         decimal.Decimal // returns deducted
	otherOutflow []outflow
	verdict      Verdict
	cost         *moysklad.Kopecks
	basis        *CostBasis
	money        decimal.Decimal // hundredths; 0 when unknown
}

type storeCount struct {
	positions int
	units     decimal.Decimal
}

// costSum is a sum of the known costs. It is unknown, not 0, if all costs are.
type costSum struct {
	sum            decimal.Decimal // hundredths
	known, unknown int
}

func (s *costSum) add(cost *moysklad.Kopecks, units decimal.Decimal) {
	if cost == nil {
		s.unknown++
		return
	}
	s.known++
	s.sum = s.sum.Add(cost.Mul(units))
}

func (s *costSum) money() *Money {
	if s.known == 0 && s.unknown > 0 {
		return nil
	}
	return moneyOf(s.sum)
}

func newDeadStockBuilder(data *deadStockData, args deadStockArguments) *deadStockBuilder {
	byMoney := func(a, b deadStockItem) int {
		return cmp.Or(b.money.Cmp(a.money), b.card.Units().Cmp(a.card.Units()), cmp.Compare(a.card.Name, b.card.Name), cmp.Compare(a.id, b.id))
	}
	return &deadStockBuilder{
		deadStockData: data,
		minDays:       decimal.NewFromInt(int64(args.MinDays)),
		rows:          topRows[deadStockItem]{limit: args.Limit, compare: byMoney},
		byStore:       map[string]*storeCount{},
	}
}

// consider adds a good in stock if its average age is at least minDays and its net sales are not positive.
func (d *deadStockBuilder) consider(id string, card StockCard, archived *archivedCard) {
	days := card.Days()
	switch {
	case !card.Units().IsPositive():
		return
	case days == nil:
		d.totals.PositionsWithoutAge++
		return
	case days.LessThan(d.minDays):
		return
	}
	out := d.outflow.of(id)
	if sold := out.net.decimal(); !sold.IsPositive() {
		d.add(deadStockItem{id: id, card: card, archived: archived, sold: sold, otherOutflow: out.otherThanSales(), verdict: Dead})
	}
}

func (d *deadStockBuilder) add(row deadStockItem) {
	row.cost, row.basis = d.costs.cost(row.id)
	if row.archived != nil {
		row.cost, row.basis = row.archived.cost()
		d.totals.ArchivedPositions++
	}
	if len(row.otherOutflow) > 0 {
		row.verdict = TurnsOutsideSales
	}
	if row.cost != nil {
		row.money = row.cost.Mul(row.card.Units())
	} else {
		d.totals.PositionsWithoutCost++
	}
	d.totals.Positions++
	if row.verdict == Dead {
		d.totals.DeadPositions++
		d.dead.add(row.cost, row.card.Units())
	} else {
		d.turningOutside.add(row.cost, row.card.Units())
	}
	d.addStores(row.id)
	d.rows.add(row)
}

func (d *deadStockBuilder) addStores(id string) {
	if d.archived.contains(id) {
		for store, cards := range d.archived.byWarehouse {
			d.addStore(store, cards[id].Units())
		}
		return
	}
	for row := range d.physical.Of(id) {
		d.addStore(row.StoreID, row.Count.Decimal())
	}
}

func (d *deadStockBuilder) addStore(id string, units decimal.Decimal) {
	if !units.IsPositive() {
		return
	}
	store := d.byStore[id]
	if store == nil {
		store = &storeCount{}
		d.byStore[id] = store
	}
	store.positions++
	store.units = store.units.Add(units)
}

func (d *deadStockBuilder) result(c *Call) deadStockResult {
	listed, list := d.rows.list(c)
	d.totals.DeadMoney, d.totals.TurningMoney = d.dead.money(), d.turningOutside.money()
	result := deadStockResult{
		Rows: make([]deadStockRow, len(listed)), List: list,
		Warehouses: []deadStockWarehouse{}, Totals: d.totals,
	}
	for i, row := range listed {
		result.Rows[i] = row.row()
	}
	for _, store := range d.stores {
		if count := d.byStore[store.ID]; count != nil {
			result.Warehouses = append(result.Warehouses, deadStockWarehouse{store.ID, store.Name, count.positions, unitsOf(count.units)})
		}
	}
	d.costs.addNotes(c, d.totals.PositionsWithoutCost)
	noteArchived(c, d.totals.ArchivedPositions)
	noteArchivedStores(c, d.stores, func(id string) bool { return d.byStore[id] != nil })
	noteRecalculating(c, recalculating(d.physical))
	return result
}

// movedUnits returns the units that went out in other ways than the good's own sales.
func (j deadStockItem) movedUnits() Units {
	sum := decimal.Zero
	for _, out := range j.otherOutflow {
		sum = sum.Add(out.Units.Decimal())
	}
	return UnitsOf(moysklad.Quantity{Decimal: sum})
}

func (j deadStockItem) row() deadStockRow {
	row := deadStockRow{
		ProductID:       j.id,
		Name:            j.card.Name,
		Code:            j.card.Code,
		DaysInWarehouse: Days{Number{*j.card.Days()}},
		Units:           unitsOf(j.card.Units()),
		CostBasis:       j.basis,
		SoldUnits:       unitsOf(j.sold),
		MovedUnits:      j.movedUnits(),
		Outflow:         j.otherOutflow,
		Verdict:         j.verdict,
		Archived:        j.archived != nil,
	}
	if j.cost != nil {
		row.FrozenMoney = moneyOf(j.money)
	}
	return row
}
