package tools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

//go:embed stock.md
var stockText string

func newStock() Tool { return Define("stock", Read, stockText, stock) }

type stockArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"name or id of one warehouse; all of them if absent"`
	Query     string `json:"query,omitempty" jsonschema_description:"words of a name, a code, an article or a barcode; the whole stock if absent"`
	RowLimit
}

type stockResult struct {
	Matched bool       `json:"matched" jsonschema_description:"false: no product contains the query"`
	Rows    []stockRow `json:"rows"`
	List
	Warehouses []stockWarehouse `json:"warehouses"`
	Totals     stockTotals      `json:"totals"`
	NotStocked []string         `json:"not_stocked" jsonschema_description:"bundles and services that contain the query: they have no stock of their own"`
}

type stockRow struct {
	ProductID   string     `json:"product_id"`
	Name        string     `json:"name"`
	Code        string     `json:"code"`
	WarehouseID *string    `json:"warehouse_id"`
	Warehouse   *string    `json:"warehouse" jsonschema_description:"null: reserves and expectations of orders that name no warehouse"`
	Units       Units      `json:"units" jsonschema_description:"what lies there; negative when more was shipped than received"`
	Reserved    Units      `json:"reserved"`
	InTransit   Units      `json:"in_transit"`
	Available   Units      `json:"available" jsonschema_description:"units - reserved + in_transit"`
	UnitCost    *Money     `json:"unit_cost" jsonschema_description:"null: unknown, not 0"`
	Money       *Money     `json:"money" jsonschema_description:"units at cost; null: cost unknown or negative stock"`
	CostBasis   *CostBasis `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`
}

// stockSums are the figures of a warehouse and of the whole.
type stockSums struct {
	Positions            int    `json:"positions" jsonschema_description:"products with units other than 0, counted in each warehouse"`
	Units                Units  `json:"units"`
	Money                *Money `json:"money" jsonschema_description:"at cost, of positive stock with known cost; null: nothing has a known cost"`
	PositionsWithoutCost int    `json:"positions_without_cost" jsonschema_description:"positive stock whose cost is unknown: not in money"`
	NegativePositions    int    `json:"negative_positions" jsonschema_description:"positions below 0: in units, not in money"`
}

type stockWarehouse struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	stockSums
}

type stockTotals struct {
	stockSums
	Reserved  Units `json:"reserved"`
	InTransit Units `json:"in_transit"`
	Available Units `json:"available"`
}

func stock(ctx context.Context, c *Call, args stockArguments) (stockResult, error) {
	result := stockResult{Matched: true, Rows: []stockRow{}, Warehouses: []stockWarehouse{}, NotStocked: []string{}}
	warehouse, err := c.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return result, err
	}
	var wanted []goodID // nil is everything
	if folded(args.Query) != "" {
		if wanted, err = c.stockedHits(ctx, args.Query, &result); err != nil || len(wanted) == 0 {
			return result, err
		}
	}
	stores, err := c.Stores(ctx)
	if err != nil {
		return result, err
	}
	balances, costs, err := c.balancesAndCosts(ctx, warehouse, wanted)
	if err != nil {
		return result, err
	}
	count := newStockCount(stores, warehouse, wanted != nil, args.Limit, costs)
	if wanted == nil {
		for id, lines := range balances.All() {
			count.add(id, lines)
		}
	}
	for _, good := range wanted {
		count.add(good.id, balances.Of(good.id))
	}
	return result, count.finish(ctx, c, &result)
}

// stockedHits finds the goods that a query means: variants for a product that has them.
func (c *Call) stockedHits(ctx context.Context, query string, result *stockResult) ([]goodID, error) {
	found, err := c.find(ctx, query)
	if err != nil {
		return nil, err
	}
	c.noteSearch(found, query)
	result.Matched = len(found.rows) > 0
	goods, parents := []goodID{}, []string{}
	seen := map[string]bool{}
	for _, row := range found.rows {
		switch row.Meta.Type {
		case "product", "variant":
			goods = append(goods, goodID{row.ID, row.Meta.Type})
			seen[row.ID] = true
			if row.VariantsCount > 0 {
				parents = append(parents, row.ID)
			}
		default:
			result.NotStocked = append(result.NotStocked, row.Name)
		}
	}
	if len(parents) == 0 {
		return goods, nil
	}
	for row, err := range c.Client.Variants(ctx, moysklad.Query{Filter: anyOf("productid", parents)}) {
		if err != nil {
			return nil, err
		}
		if !seen[row.ID] {
			goods = append(goods, goodID{row.ID, "variant"})
		}
	}
	return goods, nil
}

// stockCount sums the stock while its lines stream through.
type stockCount struct {
	only      *moysklad.Store
	stores    []moysklad.Store
	zeros     bool // list what is not there too: it was asked for by name
	costs     *valuation
	rows      top[stockLine]
	byStore   map[string]*stockTally
	all       stockTally
	uncounted int
}

// stockLine is a row before it is dressed: most lines are only summed.
type stockLine struct {
	id      string
	balance Balance
	cost    *moysklad.Kopecks
	money   decimal.Decimal // hundredths; 0 when not valued
}

type stockTally struct {
	positions, withoutCost, negative int
	valued                           bool
	units, reserved, inTransit       decimal.Decimal
	money                            decimal.Decimal // hundredths
}

func newStockCount(stores []moysklad.Store, only *moysklad.Store, zeros bool, limit int, costs *valuation) *stockCount {
	byMoney := func(a, b stockLine) int {
		return cmp.Or(b.money.Cmp(a.money), b.balance.Units.Cmp(a.balance.Units), cmp.Compare(a.id, b.id), cmp.Compare(a.balance.StoreID, b.balance.StoreID))
	}
	return &stockCount{
		only: only, stores: stores, zeros: zeros, costs: costs,
		rows:    top[stockLine]{limit: limit, before: byMoney},
		byStore: map[string]*stockTally{},
	}
}

// add counts a good's balances. What was asked for by name and never was there is listed with 0.
func (s *stockCount) add(id string, lines []Balance) {
	cost, _ := s.costs.cost(id)
	listed := false
	for _, balance := range lines {
		if s.only != nil && balance.StoreID != s.only.ID {
			continue
		}
		if balance.Recalculating {
			s.uncounted++
			continue
		}
		empty := balance.Units.IsZero() && balance.Reserved.IsZero() && balance.InTransit.IsZero()
		if empty && (!s.zeros || balance.StoreID == "") {
			continue
		}
		listed = true
		s.rows.add(s.tally(stockLine{id: id, balance: balance, cost: cost}))
	}
	if !listed && s.zeros && len(lines) == 0 {
		line := stockLine{id: id, cost: cost}
		if s.only != nil {
			line.balance.StoreID = s.only.ID
		}
		s.rows.add(line)
	}
}

func (s *stockCount) tally(line stockLine) stockLine {
	store := s.byStore[line.balance.StoreID]
	if store == nil {
		store = &stockTally{}
		s.byStore[line.balance.StoreID] = store
	}
	if line.cost != nil && line.balance.Units.IsPositive() {
		line.money = line.balance.Units.Mul(line.cost.Decimal)
	}
	store.add(line)
	s.all.add(line)
	return line
}

func (t *stockTally) add(line stockLine) {
	t.units = t.units.Add(line.balance.Units)
	t.reserved = t.reserved.Add(line.balance.Reserved)
	t.inTransit = t.inTransit.Add(line.balance.InTransit)
	if !line.balance.Units.IsZero() {
		t.positions++
	}
	switch {
	case line.balance.Units.IsNegative():
		t.negative++
	case line.balance.Units.IsZero():
	case line.cost == nil:
		t.withoutCost++
	default:
		t.valued = true
		t.money = t.money.Add(line.money)
	}
}

func (t *stockTally) sums() stockSums {
	sums := stockSums{
		Positions:            t.positions,
		Units:                unitsOf(t.units),
		PositionsWithoutCost: t.withoutCost,
		NegativePositions:    t.negative,
	}
	if t.valued || t.withoutCost == 0 {
		sums.Money = Rubles(moysklad.Kopecks{Decimal: t.money})
	}
	return sums
}

func (s *stockCount) finish(ctx context.Context, c *Call, result *stockResult) error {
	lines, list := s.rows.list(c)
	result.List = list
	others, err := c.namesMissingFrom(ctx, s.costs, lines)
	if err != nil {
		return err
	}
	for _, line := range lines {
		result.Rows = append(result.Rows, s.row(line, others))
	}
	for _, store := range s.stores {
		if tally := s.byStore[store.ID]; tally != nil {
			result.Warehouses = append(result.Warehouses, stockWarehouse{store.ID, store.Name, tally.sums()})
		} else if s.only != nil && s.only.ID == store.ID {
			result.Warehouses = append(result.Warehouses, stockWarehouse{store.ID, store.Name, (&stockTally{}).sums()})
		}
	}
	result.Totals = stockTotals{
		stockSums: s.all.sums(),
		Reserved:  unitsOf(s.all.reserved),
		InTransit: unitsOf(s.all.inTransit),
		Available: unitsOf(s.all.units.Sub(s.all.reserved).Add(s.all.inTransit)),
	}
	s.note(c)
	return nil
}

func (s *stockCount) note(c *Call) {
	s.costs.note(c, s.all.withoutCost)
	if s.all.negative > 0 {
		c.Note(NegativeStock, map[string]string{"positions": fmt.Sprint(s.all.negative)})
	}
	if s.uncounted > 0 {
		c.Note(StockRecalculating, map[string]string{"count": fmt.Sprint(s.uncounted)})
	}
}

func (s *stockCount) row(line stockLine, others map[string]moysklad.Product) stockRow {
	_, basis := s.costs.cost(line.id)
	row := stockRow{
		ProductID: line.id,
		Units:     unitsOf(line.balance.Units),
		Reserved:  unitsOf(line.balance.Reserved),
		InTransit: unitsOf(line.balance.InTransit),
		Available: unitsOf(line.balance.Available()),
		UnitCost:  rubles(line.cost),
		CostBasis: basis,
	}
	var found bool
	if row.Name, row.Code, found = s.costs.name(line.id); !found {
		row.Name, row.Code = others[line.id].Name, others[line.id].Code
	}
	if line.cost != nil && !line.balance.Units.IsNegative() {
		row.Money = Rubles(moysklad.Kopecks{Decimal: line.money})
	}
	row.WarehouseID = known(line.balance.StoreID)
	for i := range s.stores {
		if s.stores[i].ID == line.balance.StoreID {
			row.Warehouse = &s.stores[i].Name
		}
	}
	return row
}
