package tools

import (
	"cmp"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// deadCount sums what does not sell.
type deadCount struct {
	*deadStockReadings
	minDays       decimal.Decimal
	rows          top[judged]
	totals        deadStockTotals
	dead, turning sumOfKnown
	byStore       map[string]*storeCount
}

// judged is a good that has lain for long and did not sell.
type judged struct {
	id        string
	card      StockCard
	archived  *archivedCard
	sold      decimal.Decimal // returns deducted
	otherwise []outflow
	verdict   Verdict
	cost      *moysklad.Kopecks
	basis     *CostBasis
	money     decimal.Decimal // hundredths; 0 when unknown
}

type storeCount struct {
	positions int
	units     decimal.Decimal
}

// sumOfKnown is a sum of what is known; nothing known is not 0.
type sumOfKnown struct {
	sum            decimal.Decimal // hundredths
	known, unknown int
}

func (s *sumOfKnown) add(cost *moysklad.Kopecks, units decimal.Decimal) {
	if cost == nil {
		s.unknown++
		return
	}
	s.known++
	s.sum = s.sum.Add(cost.Mul(units))
}

func (s *sumOfKnown) money() *Money {
	if s.known == 0 && s.unknown > 0 {
		return nil
	}
	return hundredths(s.sum)
}

func newDeadCount(readings *deadStockReadings, args deadStockArguments) *deadCount {
	byMoney := func(a, b judged) int {
		return cmp.Or(b.money.Cmp(a.money), b.card.Units().Cmp(a.card.Units()), cmp.Compare(a.card.Name, b.card.Name), cmp.Compare(a.id, b.id))
	}
	return &deadCount{
		deadStockReadings: readings,
		minDays:           decimal.NewFromInt(int64(args.MinDays)),
		rows:              top[judged]{limit: args.Limit, before: byMoney},
		byStore:           map[string]*storeCount{},
	}
}

// judge counts a good in stock if it has lain there for at least so many days on average, and had no net sale.
func (d *deadCount) judge(id string, card StockCard, archived *archivedCard) {
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
		d.add(judged{id: id, card: card, archived: archived, sold: sold, otherwise: out.otherwise(), verdict: Dead})
	}
}

func (d *deadCount) add(row judged) {
	row.cost, row.basis = d.costs.cost(row.id)
	if row.archived != nil {
		row.cost, row.basis = row.archived.cost()
		d.totals.ArchivedPositions++
	}
	if len(row.otherwise) > 0 {
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
		d.turning.add(row.cost, row.card.Units())
	}
	d.addStores(row.id)
	d.rows.add(row)
}

func (d *deadCount) addStores(id string) {
	if d.archived.has(id) {
		for store, cards := range d.archived.in {
			d.addStore(store, cards[id].Units())
		}
		return
	}
	for row := range d.lying.Of(id) {
		d.addStore(row.StoreID, row.Count.Decimal())
	}
}

func (d *deadCount) addStore(id string, units decimal.Decimal) {
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

func (d *deadCount) result(c *Call) deadStockResult {
	listed, list := d.rows.list(c)
	d.totals.DeadMoney, d.totals.TurningMoney = d.dead.money(), d.turning.money()
	result := deadStockResult{
		Rows: make([]deadStockRow, len(listed)), List: list,
		Warehouses: []deadStockWarehouse{}, Totals: d.totals,
	}
	for i, row := range listed {
		result.Rows[i] = row.dressed()
	}
	for _, store := range d.stores {
		if count := d.byStore[store.ID]; count != nil {
			result.Warehouses = append(result.Warehouses, deadStockWarehouse{store.ID, store.Name, count.positions, unitsOf(count.units)})
		}
	}
	d.costs.note(c, d.totals.PositionsWithoutCost)
	noteArchived(c, d.totals.ArchivedPositions)
	noteArchivedStores(c, d.stores, func(id string) bool { return d.byStore[id] != nil })
	if counting := recalculating(d.lying); counting > 0 {
		c.Note(StockRecalculating, map[string]string{"count": fmt.Sprint(counting)})
	}
	return result
}

// moved is everything that went out in other ways than the good's own sales.
func (j judged) moved() Units {
	sum := decimal.Zero
	for _, out := range j.otherwise {
		sum = sum.Add(out.Units.Decimal())
	}
	return UnitsOf(moysklad.Quantity{Decimal: sum})
}

func (j judged) dressed() deadStockRow {
	row := deadStockRow{
		ProductID:       j.id,
		Name:            j.card.Name,
		Code:            j.card.Code,
		DaysInWarehouse: Days{Number{*j.card.Days()}},
		Units:           unitsOf(j.card.Units()),
		CostBasis:       j.basis,
		SoldUnits:       unitsOf(j.sold),
		MovedUnits:      j.moved(),
		Outflow:         j.otherwise,
		Verdict:         j.verdict,
		Archived:        j.archived != nil,
	}
	if j.cost != nil {
		row.FrozenMoney = hundredths(j.money)
	}
	return row
}
