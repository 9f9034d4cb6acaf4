package tools

import (
	"cmp"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// deadStockBuilder collects old goods that do not sell, and sums them.
type deadStockBuilder struct {
	*deadStockData
	minDays       decimal.Decimal
	rows          topRows[deadStockItem]
	totals        deadStockTotals
	dead, turning costSum
	byStore       map[string]*storeTotal
}

// deadStockItem is a good that has been in stock for a long time and was not sold.
type deadStockItem struct {
	card         *stockCard
	balance      Balance
	archived     *archivedCard
	sold         decimal.Decimal // returns deducted
	otherOutflow []outflow
	verdict      verdict
	cost         *moysklad.Kopecks
	basis        *costBasis
	money        decimal.Decimal // hundredths; 0 when unknown
}

type storeTotal struct {
	positions int
	units     decimal.Decimal
}

func newDeadStockBuilder(data *deadStockData, args deadStockArguments) *deadStockBuilder {
	byMoney := func(a, b deadStockItem) int {
		byMoney, byUnits := b.money.Cmp(a.money), b.card.Units().Cmp(a.card.Units())
		return cmp.Or(byMoney, byUnits, cmp.Compare(a.card.Name, b.card.Name), cmp.Compare(a.card.ID, b.card.ID))
	}
	return &deadStockBuilder{
		deadStockData: data,
		minDays:       decimal.NewFromInt(int64(args.MinDays)),
		rows:          topRows[deadStockItem]{limit: args.Limit, compare: byMoney},
		byStore:       map[string]*storeTotal{},
	}
}

// consider adds a good if it has stock that is not reserved, its average age is at least minDays, and it was not sold. A
// good that was sold counts as sold even if as much came back.
func (d *deadStockBuilder) consider(card *stockCard, archived *archivedCard) {
	days, out := card.Days(), d.outflow.of(card.ID)
	switch {
	case !card.Units().IsPositive():
		return
	case days == nil:
		d.totals.PositionsWithoutAge++
		return
	case days.LessThan(d.minDays) || out.gross.decimal().IsPositive():
		return
	}
	balance := d.balanceOf(card.ID, archived)
	if !balance.Recalculating && balance.Reserved.GreaterThanOrEqual(card.Units()) {
		d.totals.ReservedPositions++
		return
	}
	d.add(deadStockItem{
		card: card, balance: balance, archived: archived, sold: out.net.decimal(), otherOutflow: out.otherThanSales(), verdict: dead,
	})
}

func (d *deadStockBuilder) balanceOf(id string, archived *archivedCard) Balance {
	if archived != nil {
		return Balance{Units: archived.Units(), Reserved: archived.reserved, InTransit: archived.inTransit}
	}
	sum, _ := d.balances.sumOf(id, d.warehouse)
	return sum
}

func (d *deadStockBuilder) add(row deadStockItem) {
	row.cost, row.basis = d.costs.cost(row.card.ID)
	if row.archived != nil {
		row.cost, row.basis = d.costs.archivedCost(row.card.ID, *row.archived)
		d.totals.ArchivedPositions++
	}
	if len(row.otherOutflow) > 0 {
		row.verdict = turnsOutsideSales
	}
	if row.cost != nil {
		row.money = row.cost.Mul(row.card.Units())
	} else {
		d.totals.PositionsWithoutCost++
	}
	d.totals.Positions++
	if row.verdict == dead {
		d.totals.DeadPositions++
		d.dead.add(row.cost, row.card.Units())
	} else {
		d.turning.add(row.cost, row.card.Units())
	}
	d.addStores(row.card.ID)
	d.rows.add(row)
}

func (d *deadStockBuilder) addStores(id string) {
	if d.archived.contains(id) {
		for store, cards := range d.archived.byWarehouse {
			d.addStore(store, cards[id].Units())
		}
		return
	}
	for row := range d.balances.units.Of(id) {
		d.addStore(row.StoreID, row.Value)
	}
}

func (d *deadStockBuilder) addStore(id string, units decimal.Decimal) {
	if !units.IsPositive() {
		return
	}
	store := entryOf(d.byStore, id)
	store.positions++
	store.units = store.units.Add(units)
}

func (d *deadStockBuilder) result(run *Run) deadStockResult {
	listed, list := d.rows.list(run)
	d.totals.DeadMoney, d.totals.TurningMoney = d.dead.money(), d.turning.money()
	result := deadStockResult{
		Rows: convert(listed, deadStockItem.row), List: list,
		Warehouses: []deadStockWarehouse{}, Totals: d.totals,
	}
	for _, store := range d.stores {
		if total := d.byStore[store.ID]; total != nil {
			result.Warehouses = append(result.Warehouses, deadStockWarehouse{store.ID, store.Name, total.positions, UnitsOf(total.units)})
		}
	}
	d.costs.addNotes(run, d.totals.PositionsWithoutCost)
	noteArchived(run, d.totals.ArchivedPositions)
	noteArchivedStores(run, d.stores, func(id string) bool { return d.byStore[id] != nil })
	noteNetted(run, d.balances.units, d.warehouse)
	run.NoteRecalculating(recalculating(d.balances.units))
	return result
}

// movedUnits returns the units that went out in any way other than the good's own sales.
func (d deadStockItem) movedUnits() Units {
	sum := decimal.Zero
	for _, out := range d.otherOutflow {
		sum = sum.Add(out.Units.Decimal())
	}
	return UnitsOf(sum)
}

func (d deadStockItem) row() deadStockRow {
	row := deadStockRow{
		ProductID:       d.card.ID,
		Name:            d.card.Name,
		Code:            d.card.Code,
		DaysInWarehouse: Days{NumberOf(*d.card.Days())},
		Units:           UnitsOf(d.card.Units()),
		CostBasis:       d.basis,
		SoldUnits:       UnitsOf(d.sold),
		MovedUnits:      d.movedUnits(),
		Outflow:         d.otherOutflow,
		Verdict:         d.verdict,
		Archived:        d.archived != nil,
	}
	if d.cost != nil {
		row.FrozenMoney = MoneyOf(d.money)
	}
	if !d.balance.Recalculating {
		row.Reserved, row.InTransit = new(UnitsOf(d.balance.Reserved)), new(UnitsOf(d.balance.InTransit))
	}
	return row
}
