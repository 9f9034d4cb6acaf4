package tools

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/caught"
	"github.com/kopeck/kopeck/tools/moysklad"
)

type zeroCostReceiptsArguments struct {
	Days      int    `json:"days,omitempty" jsonschema:"minimum=1,maximum=3650,default=365" jsonschema_description:"days back, today included"`
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"a warehouse's name or id; all if absent"`
	RowLimit
}

type zeroCostReceiptsResult struct {
	Days      WholeDays     `json:"days" jsonschema_description:"days back that were looked at, today included"`
	Warehouse *string       `json:"warehouse" jsonschema_description:"the one that was asked for; null: all together"`
	Rows      []zeroCostRow `json:"rows"`
	List
	Totals zeroCostTotals `json:"totals"`
}

type zeroCostRow struct {
	DocumentID string    `json:"document_id"`
	Document   string    `json:"document" jsonschema:"enum=supply,enum=enter" jsonschema_description:"supply: receipt from a supplier; enter: goods entered by hand"`
	Number     string    `json:"number"`
	Moment     time.Time `json:"moment"`
	Supplier   *string   `json:"supplier"`
	Warehouse  *string   `json:"warehouse"`
	ProductID  string    `json:"product_id"`
	Name       *string   `json:"name" jsonschema_description:"null: a hidden product"`
	Units      Units     `json:"units" jsonschema_description:"received at a price of 0"`
}

type zeroCostTotals struct {
	Documents        int  `json:"documents" jsonschema_description:"documents to fix"`
	Lines            int  `json:"lines"`
	Products         int  `json:"products"`
	DocumentsChecked int  `json:"documents_checked"`
	CostVisible      bool `json:"cost_visible" jsonschema_description:"false: this connection does not see prices, so nothing was checked"`
}

// zeroCostReceipts makes the calls that README.md lists and explains.
func zeroCostReceipts(ctx context.Context, run *Run, args zeroCostReceiptsArguments) (zeroCostReceiptsResult, error) {
	warehouse, err := run.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return zeroCostReceiptsResult{}, err
	}
	if !run.Rights.Cost {
		run.Note(CostUnknown, nil)
		return zeroCostReceiptsResult{Days: WholeDays(args.Days), Warehouse: warehouseName(warehouse), Rows: []zeroCostRow{}}, nil
	}
	run.readAt(run.Now())
	builder := zeroCostBuilder{
		rows:      topRows[zeroCostLine]{limit: args.Limit, compare: byMoment},
		documents: map[string]bool{},
		products:  map[string]bool{},
	}
	filter := moysklad.Filter{}.
		Where("moment", ">=", moysklad.FormatMoment(startOfDay(run.Now()).AddDate(0, 0, 1-args.Days))).
		Is("applicable", "true")
	filter = atWarehouse(filter, warehouse)
	for _, kind := range []string{"supply", "enter"} {
		query := moysklad.Query{Filter: filter, Order: "id", Expand: []string{"positions"}}
		for d, err := range run.Client.Documents(ctx, kind, query) {
			if err != nil {
				return zeroCostReceiptsResult{}, err
			}
			builder.add(kind, d)
		}
	}
	result, err := builder.result(ctx, run)
	result.Days, result.Warehouse = WholeDays(args.Days), warehouseName(warehouse)
	return result, err
}

type zeroCostLine struct {
	kind, id, number, supplier, store, product string
	moment                                     time.Time
	units                                      decimal.Decimal
}

func byMoment(a, b zeroCostLine) int {
	return cmp.Or(b.moment.Compare(a.moment), cmp.Compare(a.id, b.id), cmp.Compare(a.product, b.product), b.units.Cmp(a.units))
}

type zeroCostBuilder struct {
	rows                topRows[zeroCostLine]
	documents, products map[string]bool
	checked             int
	hiddenPrices        int // lines without a price
}

// add adds the lines by which goods were received for free: with a price of 0 or a discount of 100 %. A missing price
// is not 0: the upstream omits prices in entries if the role does not see cost.
func (z *zeroCostBuilder) add(kind string, d moysklad.Document) {
	z.checked++
	if d.Positions == nil {
		return
	}
	for _, line := range d.Positions.Rows {
		if line.Assortment.Meta.Type == "service" {
			continue
		}
		free := line.Discount.GreaterThanOrEqual(hundred)
		switch {
		case line.Price != nil:
			free = free || line.Price.IsZero()
		case !free:
			z.hiddenPrices++
		}
		if !free {
			continue
		}
		z.rows.add(zeroCostLine{
			kind: kind, id: d.ID, number: d.Name, supplier: d.Agent.ID(), store: d.Store.ID(), product: line.Assortment.ID(),
			moment: d.Moment.Time, units: line.Quantity.Decimal,
		})
		z.documents[d.ID], z.products[line.Assortment.ID()] = true, true
	}
}

func (z *zeroCostBuilder) result(ctx context.Context, run *Run) (zeroCostReceiptsResult, error) {
	if z.hiddenPrices > 0 {
		run.Note(CostUnknown, map[string]string{"positions": fmt.Sprint(z.hiddenPrices)})
	}
	listed, list := z.rows.list(run)
	result := zeroCostReceiptsResult{
		Rows: make([]zeroCostRow, len(listed)), List: list,
		Totals: zeroCostTotals{len(z.documents), z.rows.count, len(z.products), z.checked, true},
	}
	if len(listed) == 0 {
		return result, nil
	}
	agents := convert(listed, func(l zeroCostLine) string { return l.supplier })
	products := convert(listed, func(l zeroCostLine) string { return l.product })
	var goods map[string]goodName
	var suppliers map[string]string
	var stores []moysklad.Store
	group, inner := caught.WithContext(ctx)
	group.Go(func() (err error) { goods, err = run.goodNames(inner, products); return err })
	group.Go(func() (err error) { suppliers, err = run.CounterpartyNames(inner, agents); return err })
	group.Go(func() (err error) { stores, err = run.allStores(inner); return err })
	if err := group.Wait(); err != nil {
		return result, err
	}
	for i, line := range listed {
		row := zeroCostRow{
			DocumentID: line.id,
			Document:   line.kind,
			Number:     line.number,
			Moment:     line.moment.UTC(),
			Supplier:   nilIfEmpty(suppliers[line.supplier]),
			Warehouse:  storeName(stores, line.store),
			ProductID:  line.product,
			Units:      UnitsOf(line.units),
		}
		if good, found := goods[line.product]; found {
			row.Name = &good.Name
		}
		result.Rows[i] = row
	}
	return result, nil
}
