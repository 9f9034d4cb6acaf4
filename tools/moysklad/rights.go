package moysklad

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Rights is what the token's role may see and do, as far as Kopeck needs to know.
type Rights struct {
	Cost  bool // cost prices and profit
	Money bool // balances of accounts and cash desks
	Write bool // create purchase orders and moves
}

// Can reports whether the permissions list the given right on code. It ignores case, because the vendor's pages differ
// in case. If it returns false for a document type, the employee does not have the right. Flags such as
// viewProductCostAndProfit may be missing although the employee has the right.
//
// Source: md/dictionaries/_employee.md.
func (e Employee) Can(code, right string) bool {
	for name, rights := range e.Permissions {
		if !strings.EqualFold(name, code) {
			continue
		}
		for one := range rights {
			if strings.EqualFold(one, right) {
				return true
			}
		}
	}
	return false
}

// recorded lists the kinds of records that figures are computed from, in both spellings that the upstream uses. Other
// kinds, such as tasks, do not matter; many roles see only their own.
var recorded = strings.Fields(`
	product good variant bundle service counterparty company organization mycompany store warehouse saleschannel contract
	customerorder demand salesreturn purchaseorder supply purchasereturn move loss enter processing retaildemand retailsalesreturn
	paymentin paymentout cashin cashout prepayment prepaymentreturn commissionreportin commissionreportout counterpartyadjustment`)

// PartlyVisible returns the kinds of records of which the role sees only some, in alphabetical order. Lists and reports
// silently leave out the others.
//
// Source: md/dictionaries/_employee.md, permissions; md/_general.md, filters on what the role may not see.
func (e Employee) PartlyVisible() (kinds []string) {
	for kind, rights := range e.Permissions {
		if !slices.Contains(recorded, strings.ToLower(kind)) {
			continue
		}
		for right, reach := range rights {
			if strings.EqualFold(right, "view") && !strings.EqualFold(reach, "ALL") {
				kinds = append(kinds, strings.ToLower(kind))
			}
		}
	}
	slices.Sort(kinds)
	return kinds
}

// Rights returns the rights of the token's employee. If the permissions do not show one of the rights in try, it tries the
// reports that need it, because the permissions can leave out rights. If these cannot tell, the right is as before. It
// takes at most three calls.
func (c *Client) Rights(ctx context.Context, e Employee, try, before Rights) (rights Rights, err error) {
	admin := e.Can("admin", "view")
	rights = Rights{
		Cost:  admin || e.Can("viewProductCostAndProfit", "view"),
		Money: admin || e.Can("dashboardMoney", "view"),
		Write: admin || e.Can("purchaseorder", "create") || e.Can("move", "create"),
	}
	if !rights.Cost && try.Cost {
		rights.Cost, err = allowed(c.seesCost(ctx, before.Cost))
	}
	if err == nil && !rights.Money && try.Money {
		_, refused := c.MoneyByAccount(ctx)
		rights.Money, err = allowed(refused == nil, refused)
	}
	return rights, err
}

// allowed returns false instead of an error that wraps [ErrPermission].
func allowed(can bool, err error) (bool, error) {
	if errors.Is(err, ErrPermission) {
		return false, nil
	}
	return can, err
}

// seesCost reports whether the role may see cost. It looks for a cost of goods in stock. In the stock report, the cost
// can be 0 or missing for other reasons, so it also checks the report that leaves out cost only if the right is
// missing. If nothing is in stock, it returns before.
//
// Source: md/reports/_report_by_operations.md.
func (c *Client) seesCost(ctx context.Context, before bool) (bool, error) {
	const enough = 50
	inStock, err := collect(c.StockAll(ctx, Query{Filter: Filter{}.Is("stockMode", "positiveOnly"), Max: enough}))
	if err != nil || len(inStock) == 0 {
		return before, err
	}
	for _, row := range inStock {
		if row.Cost != nil && row.Cost.IsPositive() {
			return true, nil
		}
	}
	layers, err := collect(c.StockLayers(ctx, inStock[0].Meta))
	for _, layer := range layers {
		if layer.CostPerUnit != nil || layer.SumCost != nil {
			return true, err
		}
	}
	return false, err
}
