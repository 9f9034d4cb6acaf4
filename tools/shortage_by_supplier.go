package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/shopspring/decimal"
)

type shortageBySupplierArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	Limit     int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=500" jsonschema_description:"most lines to list over all suppliers; sums are over all lines"`
}

func (a *shortageBySupplierArguments) atLeast(rows int) { a.Limit = max(a.Limit, rows) }

type shortageBySupplierResult struct {
	Suppliers []supplierShortage `json:"suppliers"`
	List
	Totals shortageTotals `json:"totals"`
}

type supplierShortage struct {
	SupplierID        *string        `json:"supplier_id" jsonschema_description:"null: the product cards name no supplier"`
	Supplier          *string        `json:"supplier"`
	Lines             []shortageLine `json:"lines"`
	Positions         int            `json:"positions" jsonschema_description:"lines there are, with those that limit cut"`
	LinesWithoutPrice int            `json:"lines_without_price" jsonschema_description:"not in money"`
	Money             *Money         `json:"money" jsonschema_description:"sum of the lines with a purchase price; null if no line has one"`
	OnOrder           Units          `json:"on_order" jsonschema_description:"how much of the shortage is ordered and not received, also in orders without a warehouse"`
	OnOrderMoney      *Money         `json:"on_order_money" jsonschema_description:"the part of money that is on order, not taken off it"`
}

type shortageLine struct {
	ProductID     string  `json:"product_id"`
	Name          string  `json:"name"`
	Code          string  `json:"code"`
	Warehouse     *string `json:"warehouse" jsonschema_description:"null: the minimum is for the sum over all warehouses"`
	Shortage      Units   `json:"shortage"`
	InTransit     Units   `json:"in_transit" jsonschema_description:"already ordered for that warehouse and not received"`
	PurchasePrice *Money  `json:"purchase_price" jsonschema_description:"of the product's card, in the account's currency; null: not set, or not visible"`
	Money         *Money  `json:"money"`
}

type shortageTotals struct {
	Positions         int    `json:"positions"`
	Suppliers         int    `json:"suppliers" jsonschema_description:"without the group that has no supplier"`
	LinesWithoutPrice int    `json:"lines_without_price"`
	Money             *Money `json:"money" jsonschema_description:"sum of the lines with a purchase price; null if no line has one"`
	OnOrder           Units  `json:"on_order" jsonschema_description:"how much of the shortage is ordered and not received, also in orders without a warehouse"`
	OnOrderMoney      *Money `json:"on_order_money" jsonschema_description:"the part of money that is on order, not taken off it"`
}

// shortageBySupplier makes the calls that README.md lists and explains.
func shortageBySupplier(ctx context.Context, run *Run, args shortageBySupplierArguments) (shortageBySupplierResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	shortages, err := run.Shortages(ctx, warehouse)
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	groups := groupBySupplier(shortages, args.Limit)
	run.noteShortages(shortages)
	suppliers, err := run.CounterpartyNames(ctx, convert(groups, func(g *supplierGroup) string { return g.supplierID }))
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	currency, err := run.Currency(ctx)
	return newShortageBySupplierResult(run, groups, suppliers, currency.ISOCode), err
}

// supplierGroup has the shortages of one supplier's goods.
type supplierGroup struct {
	supplierID   string
	positions    int
	money        costSum
	onOrder      decimal.Decimal // units
	onOrderMoney costSum         // the part of money
	listed       topRows[Shortage]
}

// groupBySupplier sorts suppliers by money, largest first; goods without a supplier come last. It goes through the
// shortages twice: only after the first pass is it known which lines to list, and a large account has too many to keep
// all of them.
func groupBySupplier(shortages *Shortages, limit int) []*supplierGroup {
	bySupplier := map[string]*supplierGroup{}
	for row := range shortages.All() {
		entryOf(bySupplier, row.Good.SupplierID).count(row)
	}
	groups := slices.SortedFunc(maps.Values(bySupplier), func(a, b *supplierGroup) int {
		if (a.supplierID == "") != (b.supplierID == "") {
			return cmp.Compare(b.supplierID, a.supplierID)
		}
		return cmp.Or(b.money.sum.Cmp(a.money.sum), cmp.Compare(a.supplierID, b.supplierID))
	})
	for _, group := range groups {
		group.listed = topRows[Shortage]{limit: min(group.positions, limit), compare: byShortage}
		limit -= group.listed.limit
	}
	for row := range shortages.All() {
		if group := bySupplier[row.Good.SupplierID]; group.listed.limit > 0 {
			group.listed.add(row)
		}
	}
	return groups
}

func (g *supplierGroup) count(row Shortage) {
	g.supplierID = row.Good.SupplierID
	g.positions++
	g.onOrder = g.onOrder.Add(row.OnOrder)
	g.money.add(row.Good.PurchasePrice(), row.Units())
	g.onOrderMoney.add(row.Good.PurchasePrice(), row.OnOrder)
}

func newShortageBySupplierResult(run *Run, groups []*supplierGroup, names map[string]string, currency string) shortageBySupplierResult {
	result := shortageBySupplierResult{Suppliers: []supplierShortage{}}
	var whole supplierGroup
	listed := 0
	for _, group := range groups {
		whole.positions += group.positions
		whole.onOrder = whole.onOrder.Add(group.onOrder)
		whole.money.merge(group.money)
		whole.onOrderMoney.merge(group.onOrderMoney)
		if group.supplierID != "" {
			result.Totals.Suppliers++
		}
		group.listed.sortAndCut()
		listed += len(group.listed.rows)
		result.Suppliers = append(result.Suppliers, group.result(names))
	}
	result.List = run.listOf(listed, whole.positions)
	totals := &result.Totals
	totals.Positions, totals.LinesWithoutPrice, totals.Money = whole.positions, whole.money.unknown, whole.money.money()
	totals.OnOrder, totals.OnOrderMoney = UnitsOf(whole.onOrder), whole.onOrderMoney.money()
	run.noteOnOrder(*totals, currency)
	if whole.money.unknown > 0 {
		withoutPrice := fmt.Sprint(whole.money.unknown)
		run.Note(CostUnknown, map[string]string{"positions": withoutPrice, "without_price": withoutPrice})
	}
	return result
}

// noteOnOrder adds a note if a part of the shortages is on order.
func (run *Run) noteOnOrder(t shortageTotals, currency string) {
	if !t.OnOrder.Decimal().IsPositive() {
		return
	}
	values := map[string]string{"on_order": t.OnOrder.String()}
	if t.OnOrderMoney != nil {
		values["on_order_money"] = t.OnOrderMoney.String() + " " + currency
	}
	run.Note(OnOrder, values)
}

func (g *supplierGroup) result(names map[string]string) supplierShortage {
	result := supplierShortage{
		SupplierID:        nilIfEmpty(g.supplierID),
		Supplier:          nilIfEmpty(names[g.supplierID]),
		Lines:             make([]shortageLine, len(g.listed.rows)),
		Positions:         g.positions,
		LinesWithoutPrice: g.money.unknown,
		Money:             g.money.money(),
		OnOrder:           UnitsOf(g.onOrder),
		OnOrderMoney:      g.onOrderMoney.money(),
	}
	for i, row := range g.listed.rows {
		line := shortageLine{
			ProductID: row.Good.ID,
			Name:      row.Good.Name,
			Code:      row.Good.Code,
			Shortage:  UnitsOf(row.Units()),
			InTransit: UnitsOf(row.Balance.InTransit),
		}
		if row.Store != nil {
			line.Warehouse = &row.Store.Name
		}
		if price := row.Good.PurchasePrice(); price != nil {
			line.PurchasePrice = MoneyOf(price.Decimal)
			line.Money = MoneyOf(row.Units().Mul(price.Decimal))
		}
		result.Lines[i] = line
	}
	return result
}
