package truth

import (
	"cmp"
	"math"
	"math/big"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// ABCXYZ is the result of the tool abc_xyz.
type ABCXYZ struct {
	Rows   []ABCRow  `json:"rows"`
	Cells  []ABCCell `json:"cells"`
	Totals ABCTotals `json:"totals"`
}

// ABCRow is a product, bundle or service that was sold.
type ABCRow struct {
	ProductID        string           `json:"product_id"`
	Name             string           `json:"name"`
	ABC              string           `json:"abc"`
	XYZ              string           `json:"xyz"`
	Value            *decimal.Decimal `json:"value"`
	SharePercent     *decimal.Decimal `json:"share_percent"`
	SoldUnits        decimal.Decimal  `json:"sold_units"`
	VariationPercent *decimal.Decimal `json:"variation_percent"`
	Weeks            int              `json:"weeks"`
	StockUnits       *decimal.Decimal `json:"stock_units"`
	StockMoney       *decimal.Decimal `json:"stock_money"`
	Archived         bool             `json:"archived"`
	CostPartlyKnown  bool             `json:"cost_partly_known"`

	value     decimal.Decimal
	stockCost *decimal.Decimal // of positive stock; nil if unknown
}

// ABCCell is one cell of the matrix.
type ABCCell struct {
	Cell         string           `json:"cell"`
	Products     int              `json:"products"`
	Value        *decimal.Decimal `json:"value"`
	SharePercent *decimal.Decimal `json:"share_percent"`
	StockMoney   *decimal.Decimal `json:"stock_money"`
}

// ABCTotals has the totals of all rows.
type ABCTotals struct {
	Products         int              `json:"products"`
	ArchivedProducts int              `json:"archived_products"`
	Value            *decimal.Decimal `json:"value"`
	WithoutCost      int              `json:"without_cost"`
	CostPartlyKnown  int              `json:"cost_partly_known"`
}

// ABCXYZ classifies the goods sold in a window of days: by the metric, "revenue" or "profit", and by how much their
// weekly sales vary. x and y are the highest variations of the classes X and Y, in percent. It covers one warehouse, or
// all if only is nil.
func (t *Truth) ABCXYZ(window int, metric string, x, y decimal.Decimal, only *sandbox.Store) ABCXYZ {
	var answer ABCXYZ
	var whole decimal.Decimal
	stock := byItem(t.places(only))
	for item, h := range t.histories(window, 7, only) {
		if h.own == nil {
			continue
		}
		row := abcRow(item, h, x, y)
		if metric == "profit" {
			cost := t.cost(h.own)
			if cost == nil {
				answer.Totals.WithoutCost++
				continue
			}
			row.value = row.value.Sub(*cost)
			if row.CostPartlyKnown = h.costPartlyKnown; row.CostPartlyKnown {
				answer.Totals.CostPartlyKnown++
			}
		}
		row.Value = money(row.value)
		if stocked(item) {
			row.StockUnits, row.StockMoney = &decimal.Decimal{}, money(decimal.Zero)
		}
		if s := stock[item]; s != nil && !s.units.IsZero() {
			row.StockUnits = &s.units
			if !inRange(item) {
				row.Archived = true
				answer.Totals.ArchivedProducts++
			}
			row.StockMoney = nil
			if s.units.IsPositive() {
				row.stockCost = t.stockCost(item, s)
				row.StockMoney = moneyOrNull(row.stockCost)
			}
		}
		whole = whole.Add(decimal.Max(decimal.Zero, row.value))
		answer.Rows = append(answer.Rows, row)
	}
	slices.SortFunc(answer.Rows, func(a, b ABCRow) int { return cmp.Or(b.value.Cmp(a.value), cmp.Compare(a.ProductID, b.ProductID)) })
	answer.Totals.Products, answer.Totals.Value = len(answer.Rows), money(whole)
	answer.classify(whole)
	return answer
}

// classify sets the class of each row by the share of whole that the larger rows make up. It also sums the rows of each
// cell.
func (answer *ABCXYZ) classify(whole decimal.Decimal) {
	var before decimal.Decimal
	sums := map[string]decimal.Decimal{}
	counts := map[string]int{}
	stock := map[string]*knownSum{}
	for n := range answer.Rows {
		row := &answer.Rows[n]
		switch percent := before.Mul(decimal.NewFromInt(100)); {
		case !row.value.IsPositive():
			row.ABC = "C"
		case percent.LessThan(whole.Mul(decimal.NewFromInt(80))):
			row.ABC = "A"
		case percent.LessThan(whole.Mul(decimal.NewFromInt(95))):
			row.ABC = "B"
		default:
			row.ABC = "C"
		}
		value := decimal.Max(decimal.Zero, row.value)
		before = before.Add(value)
		if value.IsPositive() {
			row.SharePercent = share(value, whole)
		}
		cell := row.ABC + row.XYZ
		sums[cell], counts[cell] = sums[cell].Add(value), counts[cell]+1
		if inStock := entry(stock, cell); row.StockUnits != nil && row.StockUnits.IsPositive() {
			inStock.add(row.stockCost)
		}
	}
	for cell, count := range counts {
		answer.Cells = append(answer.Cells, ABCCell{cell, count, money(sums[cell]), share(sums[cell], whole), stock[cell].money()})
	}
	slices.SortFunc(answer.Cells, func(a, b ABCCell) int { return cmp.Compare(a.Cell, b.Cell) })
}

func abcRow(item *sandbox.Item, h *history, x, y decimal.Decimal) ABCRow {
	series := h.demandSinceFirstAvailable()
	row := ABCRow{ProductID: item.ID, Name: item.Name, XYZ: "n/a", SoldUnits: h.sold(), Weeks: len(series), value: h.own.revenue}
	if len(series) < 6 || mean(series).Sign() == 0 {
		return row
	}
	ofAll := new(big.Rat).Mul(variance(series), big.NewRat(int64(len(series)-1), int64(len(series))))
	squared := quotient(ofAll, square(mean(series)))
	squared.Mul(squared, big.NewRat(100*100, 1)) // of the variation in percent
	row.VariationPercent = rootInTenths(squared)
	switch {
	case squared.Cmp(square(x.Rat())) <= 0:
		row.XYZ = "X"
	case squared.Cmp(square(y.Rat())) <= 0:
		row.XYZ = "Y"
	default:
		row.XYZ = "Z"
	}
	return row
}

// rootInTenths returns the square root, rounded to tenths.
func rootInTenths(squared *big.Rat) *decimal.Decimal {
	estimate, _ := squared.Float64()
	tenths := int64(math.Sqrt(estimate)*10) - 1
	for squared.Cmp(square(big.NewRat(2*tenths+1, 20))) >= 0 { // until the root is less than half a tenth above
		tenths++
	}
	return new(decimal.New(tenths, -1))
}
