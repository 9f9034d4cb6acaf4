package tools

import (
	"cmp"
	"context"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// stockBuilder sums the stock line by line and keeps the rows that are listed.
type stockBuilder struct {
	only          *moysklad.Store
	stores        []moysklad.Store
	listZeros     bool // also list goods without stock, because the query asked for them
	costs         *warehouseCosts
	rows          topRows[stockLine]
	byStore       map[string]*stockTally
	total         stockTally
	archived      stockTally // the part of total that is archived
	recalculating int
}

// stockLine has the data of a row. Most lines are only summed and do not become rows.
type stockLine struct {
	id      string
	balance Balance
	cost    *moysklad.Kopecks
	basis   *costBasis
	money   decimal.Decimal // hundredths; 0 if the cost is unknown

	archived *archivedCard
}

type stockTally struct {
	positions, negative        int
	units, reserved, inTransit decimal.Decimal
	cost                       costSum // of positive stock
}

func newStockBuilder(stores []moysklad.Store, only *moysklad.Store, listZeros bool, limit int, costs *warehouseCosts) *stockBuilder {
	byMoney := func(a, b stockLine) int {
		return cmp.Or(
			b.money.Cmp(a.money), b.balance.Units.Cmp(a.balance.Units), cmp.Compare(a.id, b.id), cmp.Compare(a.balance.StoreID, b.balance.StoreID),
		)
	}
	return &stockBuilder{
		only: only, stores: stores, listZeros: listZeros, costs: costs,
		rows:    topRows[stockLine]{limit: limit, compare: byMoney},
		byStore: map[string]*stockTally{},
	}
}

// add counts the balances of a good. If listZeros is set, a good that has never been in stock is listed with 0.
func (s *stockBuilder) add(id string, lines []Balance) {
	listed, counting := false, false
	for _, balance := range lines {
		if s.only != nil && balance.StoreID != s.only.ID {
			continue
		}
		if balance.Recalculating {
			s.recalculating++
			counting = true
			continue
		}
		empty := balance.Units.IsZero() && balance.Reserved.IsZero() && balance.InTransit.IsZero()
		if empty && (!s.listZeros || balance.StoreID == "") {
			continue
		}
		listed = true
		line := stockLine{id: id, balance: balance}
		line.cost, line.basis = s.costs.cost(id, balance.StoreID)
		s.addLine(line)
	}
	if s.listZeros && !listed && !counting {
		line := stockLine{id: id}
		if s.only != nil {
			line.balance.StoreID = s.only.ID
		}
		s.rows.add(line)
	}
}

// addArchived counts the archived goods in each warehouse.
func (s *stockBuilder) addArchived(stock *archivedStock) {
	for store, cards := range stock.byWarehouse {
		for id, card := range cards {
			line := stockLine{
				id:       id,
				archived: &card,
				balance:  Balance{StoreID: store, Units: card.Units(), Reserved: card.reserved, InTransit: card.inTransit},
			}
			line.cost, line.basis = s.costs.prices().archivedCost(id, card)
			s.archived.add(s.addLine(line))
		}
	}
}

// addLine counts a line and returns it with its money and cost.
func (s *stockBuilder) addLine(line stockLine) stockLine {
	if line.cost != nil && line.balance.Units.IsPositive() {
		line.money = line.balance.Units.Mul(line.cost.Decimal)
	}
	entryOf(s.byStore, line.balance.StoreID).add(line)
	s.total.add(line)
	s.rows.add(line)
	return line
}

func (t *stockTally) add(line stockLine) {
	t.units = t.units.Add(line.balance.Units)
	t.reserved = t.reserved.Add(line.balance.Reserved)
	t.inTransit = t.inTransit.Add(line.balance.InTransit)
	switch line.balance.Units.Sign() {
	case -1:
		t.positions++
		t.negative++
	case 1:
		t.positions++
		t.cost.add(line.cost, line.balance.Units)
	}
}

func (t *stockTally) sums() stockSums {
	return stockSums{
		Positions:            t.positions,
		Units:                UnitsOf(t.units),
		Money:                t.cost.money(),
		PositionsWithoutCost: t.cost.unknown,
		NegativePositions:    t.negative,
	}
}

func (s *stockBuilder) fill(ctx context.Context, run *Run, result *stockResult) error {
	lines, list := s.rows.list(run)
	result.List = list
	otherNames, err := run.missingNames(ctx, s.costs, lines)
	if err != nil {
		return err
	}
	result.Rows = convert(lines, func(line stockLine) stockRow { return s.row(line, otherNames) })
	for _, store := range s.stores {
		tally := s.byStore[store.ID]
		if tally == nil || store.Archived && tally.positions == 0 {
			if s.only == nil || s.only.ID != store.ID {
				continue
			}
			tally = &stockTally{}
		}
		result.Warehouses = append(result.Warehouses, stockWarehouse{store.ID, store.Name, tally.sums(), store.Archived})
	}
	result.Totals = &stockTotals{
		stockSums: s.total.sums(),
		Reserved:  UnitsOf(s.total.reserved),
		InTransit: UnitsOf(s.total.inTransit),
		Available: UnitsOf(s.total.units.Sub(s.total.reserved).Add(s.total.inTransit)),

		ArchivedPositions: s.archived.positions,
		ArchivedMoney:     s.archived.sums().Money,
	}
	s.addNotes(run)
	return nil
}

func (s *stockBuilder) addNotes(run *Run) {
	s.costs.prices().addNotes(run, s.total.cost.unknown)
	if s.total.negative > 0 {
		run.Note(NegativeStock, map[string]string{"positions": fmt.Sprint(s.total.negative)})
	}
	noteArchived(run, s.archived.positions)
	noteArchivedStores(run, s.stores, func(id string) bool { return s.byStore[id] != nil && s.byStore[id].positions > 0 })
	run.NoteRecalculating(s.recalculating)
}

func (s *stockBuilder) row(line stockLine, otherNames map[string]goodName) stockRow {
	row := stockRow{
		ProductID:   line.id,
		WarehouseID: nilIfEmpty(line.balance.StoreID),
		Warehouse:   storeName(s.stores, line.balance.StoreID),
		Units:       UnitsOf(line.balance.Units),
		Reserved:    UnitsOf(line.balance.Reserved),
		InTransit:   UnitsOf(line.balance.InTransit),
		Available:   UnitsOf(line.balance.Available()),
		UnitCost:    moneyOrNil(line.cost),
		CostBasis:   line.basis,
	}
	var found bool
	if line.archived != nil {
		row.Name, row.Code, row.Archived = line.archived.Name, line.archived.Code, true
	} else if row.Name, row.Code, found = s.costs.name(line.id); !found {
		row.Name, row.Code = otherNames[line.id].Name, otherNames[line.id].Code
	}
	if line.balance.Units.IsZero() || line.cost != nil && line.balance.Units.IsPositive() {
		row.Money = MoneyOf(line.money)
	}
	return row
}
