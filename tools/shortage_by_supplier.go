package tools

import (
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

//go:embed shortage_by_supplier.md
var shortageBySupplierText string

func newShortageBySupplier() Tool {
	return Define("shortage_by_supplier", Read, shortageBySupplierText, shortageBySupplier)
}

type shortageBySupplierArguments struct {
	Warehouse string `json:"warehouse,omitempty" jsonschema_description:"name or id of one warehouse; all of them if absent"`
	Limit     int    `json:"limit,omitempty" jsonschema:"minimum=1,maximum=1000,default=500" jsonschema_description:"most lines to list over all suppliers; sums are over all lines"`
}

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
}

// shortageBySupplier costs what below_minimum does, and shares its readings, with one call more for each eighty suppliers
// whose names are not known yet.
func shortageBySupplier(ctx context.Context, c *Call, args shortageBySupplierArguments) (shortageBySupplierResult, error) {
	warehouse, err := c.Warehouse(ctx, "warehouse", args.Warehouse)
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	shortages, err := c.Shortages(ctx, warehouse)
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	groups := groupShortages(shortages, args.Limit)
	c.noteShortages(shortages)
	ids := make([]string, len(groups))
	for i, group := range groups {
		ids[i] = group.supplierID
	}
	suppliers, err := c.CounterpartyNames(ctx, ids)
	if err != nil {
		return shortageBySupplierResult{}, err
	}
	return newShortageBySupplierResult(c, groups, suppliers, args.Limit), nil
}

// shortageGroup is what lacks of one supplier's goods; sums are in hundredths.
type shortageGroup struct {
	supplierID   string
	rows         top[Shortage]
	money        decimal.Decimal
	withoutPrice int
}

// groupShortages puts the most expensive supplier first and the goods without a supplier last. Of each no more rows are kept
// than may be listed.
func groupShortages(shortages *Shortages, limit int) []*shortageGroup {
	bySupplier := map[string]*shortageGroup{}
	var groups []*shortageGroup
	for row := range shortages.All() {
		group := bySupplier[row.Good.SupplierID]
		if group == nil {
			group = &shortageGroup{supplierID: row.Good.SupplierID, rows: top[Shortage]{limit: limit, before: largestFirst}}
			bySupplier[row.Good.SupplierID] = group
			groups = append(groups, group)
		}
		group.rows.add(row)
		if price := row.Good.PurchasePrice(); price != nil {
			group.money = group.money.Add(row.Units().Mul(price.Decimal))
		} else {
			group.withoutPrice++
		}
	}
	slices.SortFunc(groups, func(a, b *shortageGroup) int {
		if (a.supplierID == "") != (b.supplierID == "") {
			return cmp.Compare(b.supplierID, a.supplierID)
		}
		return cmp.Or(b.money.Cmp(a.money), cmp.Compare(a.supplierID, b.supplierID))
	})
	return groups
}

// sum is nil when no line has a price.
func (g *shortageGroup) sum() *Money {
	if g.rows.seen > 0 && g.withoutPrice == g.rows.seen {
		return nil
	}
	return hundredths(g.money)
}

func newShortageBySupplierResult(c *Call, groups []*shortageGroup, names map[string]string, limit int) shortageBySupplierResult {
	result := shortageBySupplierResult{Suppliers: []supplierShortage{}}
	var whole shortageGroup
	listed := 0
	for _, group := range groups {
		whole.rows.seen += group.rows.seen
		whole.money = whole.money.Add(group.money)
		whole.withoutPrice += group.withoutPrice
		if group.supplierID != "" {
			result.Totals.Suppliers++
		}
		group.rows.sort()
		show := group.rows.rows[:min(len(group.rows.rows), limit-listed)]
		listed += len(show)
		result.Suppliers = append(result.Suppliers, group.result(show, names))
	}
	result.TotalRows, result.Truncated = whole.rows.seen, listed < whole.rows.seen
	result.Totals.Positions, result.Totals.LinesWithoutPrice, result.Totals.Money = whole.rows.seen, whole.withoutPrice, whole.sum()
	if result.Truncated {
		c.Note(Truncated, map[string]string{"shown": fmt.Sprint(listed), "total": fmt.Sprint(whole.rows.seen)})
	}
	if whole.withoutPrice > 0 {
		c.Note(CostUnknown, map[string]string{"positions": fmt.Sprint(whole.withoutPrice)})
	}
	return result
}

func (g *shortageGroup) result(show []Shortage, names map[string]string) supplierShortage {
	result := supplierShortage{
		SupplierID:        known(g.supplierID),
		Supplier:          known(names[g.supplierID]),
		Lines:             make([]shortageLine, len(show)),
		Positions:         g.rows.seen,
		LinesWithoutPrice: g.withoutPrice,
		Money:             g.sum(),
	}
	for i, row := range show {
		line := shortageLine{
			ProductID: row.Good.ID,
			Name:      row.Good.Name,
			Code:      row.Good.Code,
			Shortage:  unitsOf(row.Units()),
			InTransit: unitsOf(row.Balance.InTransit),
		}
		if row.Store != nil {
			line.Warehouse = &row.Store.Name
		}
		if price := row.Good.PurchasePrice(); price != nil {
			line.PurchasePrice = Rubles(*price)
			line.Money = hundredths(row.Units().Mul(price.Decimal))
		}
		result.Lines[i] = line
	}
	return result
}
