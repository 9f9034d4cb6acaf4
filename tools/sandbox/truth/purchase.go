package truth

import (
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// ShortageBySupplier is the result of the tool shortage_by_supplier.
type ShortageBySupplier struct {
	Suppliers []SupplierShortage `json:"suppliers"`
	Totals    ShortageTotals     `json:"totals"`
}

// SupplierShortage has the shortages of one supplier's goods. If SupplierID is nil, it has those of goods without a
// supplier.
type SupplierShortage struct {
	SupplierID        *string          `json:"supplier_id"`
	Supplier          *string          `json:"supplier"`
	Lines             []ShortageLine   `json:"lines"`
	Positions         int              `json:"positions"`
	LinesWithoutPrice int              `json:"lines_without_price"`
	Money             *decimal.Decimal `json:"money"`
	OnOrder           decimal.Decimal  `json:"on_order"`
	OnOrderMoney      *decimal.Decimal `json:"on_order_money"`

	sum, sumOnOrder decimal.Decimal
}

// ShortageLine is one product in one warehouse.
type ShortageLine struct {
	ProductID     string           `json:"product_id"`
	Name          string           `json:"name"`
	Warehouse     *string          `json:"warehouse"`
	Shortage      decimal.Decimal  `json:"shortage"`
	InTransit     decimal.Decimal  `json:"in_transit"`
	PurchasePrice *decimal.Decimal `json:"purchase_price"`
	Money         *decimal.Decimal `json:"money"`
}

// ShortageTotals has the totals of all suppliers.
type ShortageTotals struct {
	Positions         int              `json:"positions"`
	Suppliers         int              `json:"suppliers"`
	LinesWithoutPrice int              `json:"lines_without_price"`
	Money             *decimal.Decimal `json:"money"`
	OnOrder           decimal.Decimal  `json:"on_order"`
	OnOrderMoney      *decimal.Decimal `json:"on_order_money"`
}

// ShortageBySupplier groups the shortages by supplier. Money is computed from the purchase prices of the products.
func (t *Truth) ShortageBySupplier(only *sandbox.Store) ShortageBySupplier {
	groups := map[string]*SupplierShortage{}
	var answer ShortageBySupplier
	var sum, sumOnOrder decimal.Decimal
	onOrder := map[*sandbox.Item]decimal.Decimal{} // what the lines so far have of the item's orders without a warehouse
	for _, row := range t.BelowMinimum(only).Rows {
		id := ""
		if row.SupplierID != nil {
			id = *row.SupplierID
		}
		group := entry(groups, id)
		group.SupplierID, group.Supplier = row.SupplierID, row.Supplier
		shortage := ShortageLine{
			ProductID: row.ProductID, Name: row.Name, Warehouse: row.Warehouse, Shortage: row.Shortage, InTransit: row.InTransit,
		}
		group.Positions++
		answer.Totals.Positions++
		covered := decimal.Min(row.Shortage, row.InTransit)
		if free := t.shelves[row.item][nil]; row.Warehouse != nil && free != nil {
			more := decimal.Min(row.Shortage.Sub(covered), free.inTransit.Sub(onOrder[row.item]))
			onOrder[row.item] = onOrder[row.item].Add(more)
			covered = covered.Add(more)
		}
		group.OnOrder, answer.Totals.OnOrder = group.OnOrder.Add(covered), answer.Totals.OnOrder.Add(covered)
		if price := t.purchasePrice(row.item); price != nil {
			cost := row.Shortage.Mul(*price)
			shortage.PurchasePrice, shortage.Money = money(*price), money(cost)
			group.sum, sum = group.sum.Add(cost), sum.Add(cost)
			ordered := covered.Mul(*price)
			group.sumOnOrder, sumOnOrder = group.sumOnOrder.Add(ordered), sumOnOrder.Add(ordered)
		} else {
			group.LinesWithoutPrice++
			answer.Totals.LinesWithoutPrice++
		}
		group.Lines = append(group.Lines, shortage)
	}
	for id, group := range groups {
		if group.LinesWithoutPrice < group.Positions {
			group.Money, group.OnOrderMoney = money(group.sum), money(group.sumOnOrder)
		}
		if id != "" {
			answer.Totals.Suppliers++
		}
		answer.Suppliers = append(answer.Suppliers, *group)
	}
	if answer.Totals.Positions == 0 || answer.Totals.LinesWithoutPrice < answer.Totals.Positions {
		answer.Totals.Money, answer.Totals.OnOrderMoney = money(sum), money(sumOnOrder)
	}
	return answer
}

// ZeroCostReceipts is the result of the tool zero_cost_receipts.
type ZeroCostReceipts struct {
	Rows   []ZeroCostRow  `json:"rows"`
	Totals ZeroCostTotals `json:"totals"`
}

// ZeroCostRow is a line of a receipt with a price of 0.
type ZeroCostRow struct {
	DocumentID string          `json:"document_id"`
	Document   string          `json:"document"`
	Number     string          `json:"number"`
	Moment     time.Time       `json:"moment"`
	Supplier   *string         `json:"supplier"`
	Warehouse  *string         `json:"warehouse"`
	ProductID  string          `json:"product_id"`
	Name       *string         `json:"name"`
	Units      decimal.Decimal `json:"units"`
}

// ZeroCostTotals has the totals of all rows.
type ZeroCostTotals struct {
	Documents        int  `json:"documents"`
	Lines            int  `json:"lines"`
	Products         int  `json:"products"`
	DocumentsChecked int  `json:"documents_checked"`
	CostVisible      bool `json:"cost_visible"`
}

// ZeroCostReceipts returns the lines with a price of 0 in receipts of the last days, including today.
func (t *Truth) ZeroCostReceipts(days int) ZeroCostReceipts {
	answer := ZeroCostReceipts{Totals: ZeroCostTotals{CostVisible: true}}
	since := midnight(t.now.In(moysklad.Moscow)).AddDate(0, 0, 1-days)
	products := map[*sandbox.Item]bool{}
	for _, kind := range []sandbox.Kind{sandbox.Supply, sandbox.Enter} {
		for _, d := range t.books.Documents[kind] {
			if !posted(d) || d.Moment.Before(since) {
				continue
			}
			answer.Totals.DocumentsChecked++
			lines := answer.Totals.Lines
			for n := range d.Positions {
				if p := &d.Positions[n]; lineSum(p).IsZero() && p.Item.Kind != "service" {
					answer.Rows = append(answer.Rows, zeroCostRow(d, p))
					answer.Totals.Lines++
					products[p.Item] = true
				}
			}
			if answer.Totals.Lines > lines {
				answer.Totals.Documents++
			}
		}
	}
	answer.Totals.Products = len(products)
	return answer
}

func zeroCostRow(d *sandbox.Document, p *sandbox.Position) ZeroCostRow {
	row := ZeroCostRow{
		DocumentID: d.ID, Document: string(d.Kind), Number: d.Name, Moment: d.Moment.UTC(), Warehouse: &d.Store.Name,
		ProductID: p.Item.ID, Name: &p.Item.Name, Units: units(p.Quantity),
	}
	if d.Agent != nil {
		row.Supplier = &d.Agent.Name
	}
	return row
}
