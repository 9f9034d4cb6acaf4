package tools

import (
	"cmp"
	"context"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type outOfStockArguments struct {
	WindowDays int    `json:"window_days,omitempty" jsonschema:"minimum=7,maximum=366,default=90" jsonschema_description:"days of sales before today"`
	Warehouse  string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all together if absent"`
	RowLimit
}

type outOfStockResult struct {
	WindowDays WholeDays       `json:"window_days" jsonschema_description:"days of sales that were looked at"`
	Warehouse  *string         `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows       []outOfStockRow `json:"rows"`
	List
	Totals outOfStockTotals `json:"totals"`
}

type outOfStockRow struct {
	ProductID  string  `json:"product_id"`
	Name       string  `json:"name"`
	Code       string  `json:"code"`
	Units      Units   `json:"units" jsonschema_description:"0, or negative when more was shipped than received; no warehouse has any"`
	Reserved   Units   `json:"reserved"`
	InTransit  Units   `json:"in_transit" jsonschema_description:"ordered and not received"`
	Available  Units   `json:"available" jsonschema_description:"units - reserved + in_transit"`
	Minimum    *Units  `json:"minimum" jsonschema_description:"sum of the minimums there; null: none is set, which is not 0"`
	SoldUnits  Units   `json:"sold_units" jsonschema_description:"in the window, returns deducted, with what sold bundles consist of"`
	SupplierID *string `json:"supplier_id"`
	Supplier   *string `json:"supplier"`
}

type outOfStockTotals struct {
	Positions     int `json:"positions"`
	Negative      int `json:"negative" jsonschema_description:"of these below 0"`
	InTransit     int `json:"in_transit" jsonschema_description:"of these on order"`
	Sold          int `json:"sold" jsonschema_description:"of these with sales in the window"`
	NeverThere    int `json:"never_there" jsonschema_description:"not listed: products that never moved there"`
	Recalculating int `json:"recalculating" jsonschema_description:"not listed: the upstream is counting them"`
}

// outOfStock makes the calls that README.md lists and explains.
func outOfStock(ctx context.Context, run *Run, args outOfStockArguments) (outOfStockResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return outOfStockResult{}, err
	}
	builder := outOfStockBuilder{warehouse: warehouse, rows: topRows[outOfStockItem]{limit: args.Limit, compare: bySales}}
	if err := builder.read(ctx, run, args.WindowDays); err != nil {
		return outOfStockResult{}, err
	}
	for good := range builder.goods.Stocked() {
		builder.consider(good)
	}
	result := outOfStockResult{WindowDays: WholeDays(args.WindowDays), Warehouse: warehouseName(warehouse)}
	return result, builder.fill(ctx, run, &result)
}

// outOfStockItem is a good that no requested warehouse has.
type outOfStockItem struct {
	good    *Good
	balance Balance
	sold    decimal.Decimal
}

func bySales(a, b outOfStockItem) int {
	return cmp.Or(
		b.sold.Cmp(a.sold), a.balance.Units.Cmp(b.balance.Units), cmp.Compare(a.good.Name, b.good.Name), cmp.Compare(a.good.ID, b.good.ID),
	)
}

type outOfStockBuilder struct {
	warehouse *moysklad.Store
	stores    []moysklad.Store
	goods     *Goods
	minimums  *minimums
	balances  *stockBalances
	history   *demandHistory

	rows   topRows[outOfStockItem]
	totals outOfStockTotals
}

func (o *outOfStockBuilder) read(ctx context.Context, run *Run, windowDays int) error {
	group, ctx := caught.WithContext(ctx)
	group.Go(func() (err error) {
		if o.goods, err = run.Goods(ctx); err == nil {
			o.minimums, err = run.minimums(ctx, o.goods)
		}
		return err
	})
	group.Go(func() (err error) { o.balances, err = run.balances(ctx); return err })
	group.Go(func() (err error) { o.stores, err = run.Stores(ctx); return err })
	group.Go(func() (err error) {
		o.history, err = run.readDemandHistory(ctx, windowDays, windowDays, o.warehouse)
		return err
	})
	return group.Wait()
}

func (o *outOfStockBuilder) consider(good *Good) {
	balance, everStocked := o.balances.sumOf(good.ID, o.warehouse)
	switch {
	case balance.Recalculating:
		o.totals.Recalculating++
		return
	case !everStocked:
		o.totals.NeverThere++
		return
	case inSomeWarehouse(o.balances.units, good.ID, o.warehouse):
		return
	}
	row := outOfStockItem{good: good, balance: balance}
	if demand := o.history.byID[good.ID]; demand != nil {
		row.sold = demand.sold.decimal()
	}
	o.totals.count(row)
	o.rows.add(row)
}

func (t *outOfStockTotals) count(row outOfStockItem) {
	t.Positions++
	if row.balance.Units.IsNegative() {
		t.Negative++
	}
	if row.balance.InTransit.IsPositive() {
		t.InTransit++
	}
	if row.sold.IsPositive() {
		t.Sold++
	}
}

// minimumOf returns the sum of a good's minimums in the requested warehouses. It returns nil if the good has no minimum
// there.
func (o *outOfStockBuilder) minimumOf(good *Good) *Units {
	minimum := o.minimums.of(good)
	sum, set := minimum.sum()
	set = set && o.warehouse == nil
	if !set {
		sum = decimal.Zero
	}
	for i := range o.stores {
		if o.warehouse != nil && o.stores[i].ID != o.warehouse.ID {
			continue
		}
		if units, ok := minimum.at(o.stores[i].ID); ok {
			sum, set = sum.Add(units), true
		}
	}
	if !set {
		return nil
	}
	return new(UnitsOf(sum))
}

func (o *outOfStockBuilder) fill(ctx context.Context, run *Run, result *outOfStockResult) error {
	listed, list := o.rows.list(run)
	result.List, result.Totals, result.Rows = list, o.totals, make([]outOfStockRow, len(listed))
	suppliers, err := run.CounterpartyNames(ctx, convert(listed, func(i outOfStockItem) string { return i.good.SupplierID }))
	for i, row := range listed {
		result.Rows[i] = outOfStockRow{
			ProductID: row.good.ID, Name: row.good.Name, Code: row.good.Code,
			Units: UnitsOf(row.balance.Units), Reserved: UnitsOf(row.balance.Reserved), InTransit: UnitsOf(row.balance.InTransit),
			Available: UnitsOf(row.balance.Available()), Minimum: o.minimumOf(row.good), SoldUnits: UnitsOf(row.sold),
			SupplierID: nilIfEmpty(row.good.SupplierID), Supplier: nilIfEmpty(suppliers[row.good.SupplierID]),
		}
	}
	run.NoteRecalculating(o.totals.Recalculating)
	return err
}
