package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type abcXYZArguments struct {
	WindowDays int     `json:"window_days,omitempty" jsonschema:"minimum=7,maximum=366,default=90" jsonschema_description:"days of sales before today"`
	Metric     string  `json:"metric,omitempty" jsonschema:"enum=revenue,enum=profit,default=revenue" jsonschema_description:"what A, B and C are shares of"`
	XPercent   float64 `json:"x_percent,omitempty" jsonschema:"minimum=1,maximum=500,default=10" jsonschema_description:"highest variation of class X, percent; for weekly retail 50 tells more"`
	YPercent   float64 `json:"y_percent,omitempty" jsonschema:"minimum=1,maximum=1000,default=25" jsonschema_description:"highest variation of class Y, percent; for weekly retail 100 tells more"`
	Warehouse  string  `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all together if absent"`
	Cell       string  `json:"cell,omitempty" jsonschema:"enum=AX,enum=AY,enum=AZ,enum=An/a,enum=BX,enum=BY,enum=BZ,enum=Bn/a,enum=CX,enum=CY,enum=CZ,enum=Cn/a" jsonschema_description:"list only this cell's products"`
	RowLimit
}

type abcXYZResult struct {
	WindowDays WholeDays   `json:"window_days" jsonschema_description:"days of sales that were looked at"`
	Metric     string      `json:"metric" jsonschema:"enum=revenue,enum=profit" jsonschema_description:"what A, B and C are shares of"`
	XPercent   Percent     `json:"x_percent" jsonschema_description:"highest variation of class X, percent"`
	YPercent   Percent     `json:"y_percent" jsonschema_description:"highest variation of class Y, percent"`
	Warehouse  *string     `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows       []abcXYZRow `json:"rows"`
	List
	Cells  []abcXYZCell `json:"cells" jsonschema_description:"the matrix; products and shares add up to all"`
	Totals abcXYZTotals `json:"totals"`
}

// measure returns the metric. The labels of the values depend on it.
func (r abcXYZResult) measure() string { return r.Metric }

type abcXYZRow struct {
	ProductID        string   `json:"product_id"`
	Name             string   `json:"name"`
	ABC              string   `json:"abc"`
	XYZ              string   `json:"xyz"`
	Value            *Money   `json:"value" jsonschema_description:"the metric in the window, returns deducted"`
	SharePercent     *Percent `json:"share_percent" jsonschema_description:"of all positive values; null for a value of 0 or below"`
	SoldUnits        Units    `json:"sold_units"`
	VariationPercent *Percent `json:"variation_percent" jsonschema_description:"of weekly units, weeks without a sale included; null: fewer than 6 weeks"`
	Weeks            int      `json:"weeks" jsonschema_description:"whole weeks since it could first be had"`
	StockUnits       *Units   `json:"stock_units" jsonschema_description:"what lies there; null: a bundle or service, or the upstream is recalculating"`
	StockMoney       *Money   `json:"stock_money" jsonschema_description:"at cost; null: cost or stock unknown, not 0, or negative stock"`
	Archived         bool     `json:"archived,omitempty" jsonschema_description:"taken out of the range, and still there"`
	CostPartlyKnown  bool     `json:"cost_partly_known,omitempty" jsonschema_description:"metric profit: some sales or returns have no known cost, so value is inexact"`
}

type abcXYZCell struct {
	Cell         string   `json:"cell"`
	Products     int      `json:"products"`
	Value        *Money   `json:"value"`
	SharePercent *Percent `json:"share_percent" jsonschema_description:"of all positive values"`
	StockMoney   *Money   `json:"stock_money" jsonschema_description:"where the cost is known"`
}

type abcXYZTotals struct {
	Products         int    `json:"products" jsonschema_description:"products with sales or returns in the window"`
	ArchivedProducts int    `json:"archived_products" jsonschema_description:"of products: archived, and still in stock"`
	Value            *Money `json:"value" jsonschema_description:"sum of the positive values, which the shares are of"`
	WithoutCost      int    `json:"without_cost" jsonschema_description:"metric profit: left out, their profit is unknown"`
	CostPartlyKnown  int    `json:"cost_partly_known" jsonschema_description:"of products, metric profit: some sales or returns have no known cost"`
}

// abcXYZ makes the calls that README.md lists and explains.
func abcXYZ(ctx context.Context, run *Run, args abcXYZArguments) (abcXYZResult, error) {
	if args.Metric == "profit" && !run.Rights.Cost {
		return abcXYZResult{}, check.Invalid(costHidden.At("metric"))
	}
	if args.YPercent < args.XPercent {
		return abcXYZResult{}, check.Invalid(yBelowX.At("y_percent").WithValue(args.YPercent))
	}
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return abcXYZResult{}, err
	}
	matrix := abcMatrix{
		args: args, warehouse: warehouse, cells: map[string]abcCell{},
		maxX: decimal.NewFromFloat(args.XPercent), maxY: decimal.NewFromFloat(args.YPercent),
	}
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) {
		matrix.history, err = run.readDemandHistory(inner, args.WindowDays, daysPerWeek, warehouse)
		return err
	})
	group.Go(func() (err error) { matrix.physical, err = run.CurrentStock(inner, moysklad.PhysicalStock); return err })
	group.Go(func() (err error) { matrix.archived, err = run.archivedTotals(inner, warehouse); return err })
	group.Go(func() (err error) { matrix.costs, err = run.readAverageCosts(inner, warehouse); return err })
	if err := group.Wait(); err != nil {
		return abcXYZResult{}, err
	}
	matrix.classify()
	result := matrix.result(run)
	result.WindowDays, result.Metric, result.Warehouse = WholeDays(args.WindowDays), args.Metric, warehouseName(warehouse)
	result.XPercent, result.YPercent = *percent(matrix.maxX), *percent(matrix.maxY)
	return result, nil
}

// abcProduct is a product with sales or returns of its own.
type abcProduct struct {
	id     string
	demand *productDemand
	value  decimal.Decimal // hundredths
}

// abcItem is a product with its classes and its stock.
type abcItem struct {
	abcProduct
	abc, xyz  string
	stock     *decimal.Decimal // nil for a bundle or service, and while the upstream recalculates
	stockCost *moysklad.Kopecks
	archived  bool

	recalculating   bool
	costPartlyKnown bool // the value is a profit, and some sales or returns have no known cost
}

func (i abcItem) cell() string { return i.abc + i.xyz }

// abcCell sums the items of one cell, or of all cells.
type abcCell struct {
	products, archived, recalculating, costPartlyKnown int

	value decimal.Decimal // sum of the positive values
	stock costSum
}

func (c *abcCell) add(item abcItem) {
	c.products++
	if item.archived {
		c.archived++
	}
	if item.recalculating {
		c.recalculating++
	}
	if item.costPartlyKnown {
		c.costPartlyKnown++
	}
	if item.value.IsPositive() {
		c.value = c.value.Add(item.value)
	}
	if item.stock != nil && item.stock.IsPositive() {
		c.stock.add(item.stockCost, *item.stock)
	}
}

// abcMatrix classifies the products. It keeps only the items that are listed, because a large account has too many.
type abcMatrix struct {
	args       abcXYZArguments
	maxX, maxY decimal.Decimal // highest variation of the classes, in percent
	warehouse  *moysklad.Store
	history    *demandHistory
	physical   *moysklad.CurrentStock
	archived   archivedCards
	costs      *averageCosts

	cells       map[string]abcCell
	all         abcCell
	withoutCost int // products whose profit is unknown; they are in no cell
	listed      []abcItem
}

// classify classifies products by their own sales.
func (m *abcMatrix) classify() {
	products := m.products()
	sortRows(products, func(a, b abcProduct) int { return cmp.Or(b.value.Cmp(a.value), cmp.Compare(a.id, b.id)) })
	for i, class := range abcClasses(convert(products, func(p abcProduct) decimal.Decimal { return p.value })) {
		item := m.item(products[i], class)
		m.all.add(item)
		cell := m.cells[item.cell()]
		cell.add(item)
		m.cells[item.cell()] = cell
		if len(m.listed) < m.args.Limit && (m.args.Cell == "" || m.args.Cell == item.cell()) {
			m.listed = append(m.listed, item)
		}
	}
}

// products returns the products with their values. It leaves out goods that were sold only in bundles, because they have
// no revenue of their own.
func (m *abcMatrix) products() []abcProduct {
	products := make([]abcProduct, 0, len(m.history.byID))
	for id, demand := range m.history.byID {
		if demand.name == "" {
			continue
		}
		product := abcProduct{id, demand, demand.revenue.decimal()}
		if m.args.Metric == "profit" {
			cost := netCost(demand.anySold, demand.soldCost.decimal(), demand.returnedCost.decimal())
			if cost == nil {
				m.withoutCost++
				continue
			}
			product.value = product.value.Sub(*cost)
		}
		products = append(products, product)
	}
	return products
}

func (m *abcMatrix) item(product abcProduct, class string) abcItem {
	item := abcItem{
		abcProduct: product, abc: class, xyz: xyzClass(m.history.seriesSinceFirstAvailable(product.demand), m.maxX, m.maxY),
		costPartlyKnown: m.args.Metric == "profit" && product.demand.costPartlyKnown,
	}
	switch card, archived := m.archived[item.id]; {
	case item.demand.unstocked:
	case archived:
		item.archived, item.stock = true, new(card.Units())
		item.stockCost, _ = m.costs.archivedCost(item.id, card)
	default:
		item.stock = UnitsInStock(m.physical, item.id, m.warehouse)
		item.recalculating = item.stock == nil
		item.stockCost, _ = m.costs.cost(item.id)
	}
	return item
}

// result returns the result. The notes count the products of the cell that was asked for; those without a known profit
// could be in any cell.
func (m *abcMatrix) result(run *Run) abcXYZResult {
	shown := m.all
	if m.args.Cell != "" {
		shown = m.cells[m.args.Cell]
	}
	result := abcXYZResult{
		Rows: convert(m.listed, m.row), List: run.listOf(len(m.listed), shown.products), Cells: []abcXYZCell{},
		Totals: abcXYZTotals{m.all.products, m.all.archived, MoneyOf(m.all.value), m.withoutCost, m.all.costPartlyKnown},
	}
	for _, name := range slices.Sorted(maps.Keys(m.cells)) {
		cell := m.cells[name]
		result.Cells = append(result.Cells, abcXYZCell{
			name, cell.products, MoneyOf(cell.value), percentOf(cell.value, m.all.value), cell.stock.money(),
		})
	}
	m.costs.addNotes(run, shown.stock.unknown+m.withoutCost)
	if shown.costPartlyKnown > 0 {
		run.Note(CostPartlyKnown, map[string]string{"positions": fmt.Sprint(shown.costPartlyKnown)})
	}
	noteArchived(run, shown.archived)
	run.NoteRecalculating(shown.recalculating)
	return result
}

func (m *abcMatrix) row(item abcItem) abcXYZRow {
	series := m.history.seriesSinceFirstAvailable(item.demand)
	row := abcXYZRow{
		ProductID: item.id, Name: item.demand.name, ABC: item.abc, XYZ: item.xyz, Value: MoneyOf(item.value),
		SoldUnits: UnitsOf(item.demand.sold.decimal()), Weeks: series.periods, Archived: item.archived,
		CostPartlyKnown: item.costPartlyKnown,
	}
	if item.value.IsPositive() {
		row.SharePercent = percentOf(item.value, m.all.value)
	}
	if squared, known := squaredVariation(series); known {
		row.VariationPercent = percent(squareRoot(squared).Round(1))
	}
	if item.stock == nil {
		return row
	}
	row.StockUnits = new(UnitsOf(*item.stock))
	switch {
	case item.stock.IsZero():
		row.StockMoney = MoneyOf(decimal.Zero)
	case item.stockCost != nil && item.stock.IsPositive():
		row.StockMoney = MoneyOf(item.stockCost.Mul(*item.stock))
	}
	return row
}
