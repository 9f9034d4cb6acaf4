package truth

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Stock is the result of the tool stock.
type Stock struct {
	Rows       []StockRow       `json:"rows"`
	Warehouses []StockWarehouse `json:"warehouses"`
	Totals     StockTotals      `json:"totals"`
}

// StockRow is one product in one warehouse.
type StockRow struct {
	ProductID   string           `json:"product_id"`
	Name        string           `json:"name"`
	Code        string           `json:"code"`
	WarehouseID *string          `json:"warehouse_id"`
	Warehouse   *string          `json:"warehouse"`
	Units       decimal.Decimal  `json:"units"`
	Reserved    decimal.Decimal  `json:"reserved"`
	InTransit   decimal.Decimal  `json:"in_transit"`
	Available   decimal.Decimal  `json:"available"`
	UnitCost    *decimal.Decimal `json:"unit_cost"`
	Money       *decimal.Decimal `json:"money"`
	CostBasis   *string          `json:"cost_basis"`
	Archived    bool             `json:"archived"`
}

// StockWarehouse has the sums of one warehouse.
type StockWarehouse struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	StockSums
}

// StockSums has the units in stock and their value.
type StockSums struct {
	Positions            int              `json:"positions"`
	Units                decimal.Decimal  `json:"units"`
	Money                *decimal.Decimal `json:"money"`
	PositionsWithoutCost int              `json:"positions_without_cost"`
	NegativePositions    int              `json:"negative_positions"`
}

// StockTotals has the totals of all rows.
type StockTotals struct {
	StockSums
	Reserved  decimal.Decimal `json:"reserved"`
	InTransit decimal.Decimal `json:"in_transit"`
	Available decimal.Decimal `json:"available"`

	ArchivedPositions int              `json:"archived_positions"`
	ArchivedMoney     *decimal.Decimal `json:"archived_money"`
}

// Stock returns all goods that are in stock, reserved or expected, in one warehouse, or in all if nil is given.
func (t *Truth) Stock(only *sandbox.Store) Stock {
	return t.stock(only, func(*sandbox.Item) bool { return true })
}

// StockOf returns the stock of one item in all warehouses.
func (t *Truth) StockOf(item *sandbox.Item) Stock {
	return t.stock(nil, func(other *sandbox.Item) bool { return other == item })
}

func (t *Truth) stock(only *sandbox.Store, of func(*sandbox.Item) bool) Stock {
	var answer Stock
	var all, archived tally
	byStore := map[*sandbox.Store]*tally{}
	for _, p := range t.places(only) {
		if !of(p.item) || p.units.IsZero() && p.reserved.IsZero() && p.inTransit.IsZero() {
			continue
		}
		unit := t.unitWorth(p.item, p.shelf)
		answer.Rows = append(answer.Rows, t.stockRow(p, unit))
		all.add(p.shelf, unit)
		if !inRange(p.item) {
			archived.add(p.shelf, unit)
		}
		entry(byStore, p.store).add(p.shelf, unit)
	}
	for _, store := range t.books.Stores {
		if byStore[store] != nil || store == only {
			answer.Warehouses = append(answer.Warehouses, StockWarehouse{store.ID, store.Name, entry(byStore, store).sums()})
		}
	}
	answer.Totals = StockTotals{
		StockSums: all.sums(), Reserved: all.reserved, InTransit: all.inTransit,
		Available:         all.available(),
		ArchivedPositions: archived.positions, ArchivedMoney: archived.sums().Money,
	}
	return answer
}

// place is a shelf with its item and warehouse.
type place struct {
	*shelf
	item  *sandbox.Item
	store *sandbox.Store
}

// places returns the shelves of goods whose stock is known. Of archived goods, it returns those that are still in stock.
func (t *Truth) places(only *sandbox.Store) []place {
	var all []place
	for item, shelves := range t.shelves {
		if t.view.Unknown[item] {
			continue
		}
		for store, s := range shelves {
			if (only == nil || store == only) && (inRange(item) || !s.units.IsZero()) {
				all = append(all, place{s, item, store})
			}
		}
	}
	return all
}

// unitWorth returns the cost of a unit on a shelf: the average of its layers, or the purchase price. It returns nil if
// the cost is unknown.
func (t *Truth) unitWorth(item *sandbox.Item, s *shelf) *decimal.Decimal {
	if t.view.Costs != FIFO {
		return t.purchasePrice(item)
	}
	cost := s.cost()
	if !s.units.IsPositive() || cost.IsZero() {
		return nil
	}
	return new(cost.DivRound(s.units, 30))
}

// cost returns the cost of the layers.
func (s *shelf) cost() decimal.Decimal {
	var sum decimal.Decimal
	for _, l := range s.layers {
		sum = sum.Add(l.units.Mul(l.unit))
	}
	return sum
}

func (t *Truth) basis(unit *decimal.Decimal) *string {
	switch {
	case unit == nil:
		return nil
	case t.view.Costs == FIFO:
		return new("fifo")
	}
	return new("purchase_price")
}

func (t *Truth) stockRow(p place, unit *decimal.Decimal) StockRow {
	row := StockRow{
		ProductID: p.item.ID, Name: p.item.Name, Code: p.item.Code,
		Units: p.units, Reserved: p.reserved, InTransit: p.inTransit, Available: p.available(),
		UnitCost: moneyOrNull(unit), CostBasis: t.basis(unit), Archived: !inRange(p.item),
	}
	if p.store != nil {
		row.WarehouseID, row.Warehouse = &p.store.ID, &p.store.Name
	}
	switch {
	case p.units.IsZero():
		row.Money = money(decimal.Zero)
	case unit != nil && p.units.IsPositive():
		row.Money = money(unit.Mul(p.units))
	}
	return row
}

// tally sums shelves.
type tally struct {
	shelf
	money                                    decimal.Decimal
	positions, valued, withoutCost, negative int
}

func (t *tally) add(s *shelf, unit *decimal.Decimal) {
	t.shelf.add(s)
	if !s.units.IsZero() {
		t.positions++
	}
	switch {
	case s.units.IsNegative():
		t.negative++
	case s.units.IsZero():
	case unit == nil:
		t.withoutCost++
	default:
		t.valued++
		t.money = t.money.Add(unit.Mul(s.units))
	}
}

func (t *tally) sums() StockSums {
	sums := StockSums{t.positions, t.units, money(t.money), t.withoutCost, t.negative}
	if t.valued == 0 && t.withoutCost > 0 {
		sums.Money = nil
	}
	return sums
}

// NegativeStock is the result of the tool negative_stock.
type NegativeStock struct {
	Rows   []NegativeRow  `json:"rows"`
	Totals NegativeTotals `json:"totals"`
}

// NegativeRow is a product in a warehouse from which more was shipped than it received.
type NegativeRow struct {
	ProductID   string          `json:"product_id"`
	Name        *string         `json:"name"`
	WarehouseID string          `json:"warehouse_id"`
	Warehouse   *string         `json:"warehouse"`
	Units       decimal.Decimal `json:"units"`
	Elsewhere   decimal.Decimal `json:"elsewhere"`
	Archived    bool            `json:"archived"`
}

// NegativeTotals has the totals of all rows.
type NegativeTotals struct {
	Positions int             `json:"positions"`
	Products  int             `json:"products"`
	Units     decimal.Decimal `json:"units"`

	ArchivedPositions int `json:"archived_positions"`
}

// NegativeStock returns all shelves with negative stock.
func (t *Truth) NegativeStock(only *sandbox.Store) NegativeStock {
	var answer NegativeStock
	products := map[*sandbox.Item]bool{}
	for _, p := range t.places(only) {
		if !p.units.IsNegative() {
			continue
		}
		row := NegativeRow{
			ProductID: p.item.ID, Name: &p.item.Name, WarehouseID: p.store.ID, Warehouse: &p.store.Name, Units: p.units, Archived: !inRange(p.item),
		}
		if row.Archived {
			answer.Totals.ArchivedPositions++
		}
		for other, otherShelf := range t.shelves[p.item] {
			if other != p.store {
				row.Elsewhere = row.Elsewhere.Add(otherShelf.units)
			}
		}
		answer.Rows = append(answer.Rows, row)
		answer.Totals.Positions++
		answer.Totals.Units = answer.Totals.Units.Add(p.units)
		products[p.item] = true
	}
	answer.Totals.Products = len(products)
	return answer
}
