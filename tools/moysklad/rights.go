package moysklad

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// Rights says what the token's role may see and do, as far as this client needs to know.
type Rights struct {
	Cost  bool // cost prices and profit
	Money bool // balances of accounts and cash desks
	Write bool // create purchase orders and moves
}

// Can reports whether the employee has a right on code. It ignores case, which differs between the upstream's pages. A
// negative answer is reliable for documents; flags such as viewProductCostAndProfit may be missing although the right
// exists.
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

// recorded has the kinds of records that figures are based on, in both of the upstream's spellings. Other kinds, such
// as tasks, do not matter: a role often sees only its own.
var recorded = strings.Fields(`
	product good variant bundle service counterparty company organization mycompany store warehouse saleschannel contract
	customerorder demand salesreturn purchaseorder supply purchasereturn move loss enter processing retaildemand retailsalesreturn
	paymentin paymentout cashin cashout prepayment prepaymentreturn commissionreportin commissionreportout counterpartyadjustment`)

// PartlyVisible returns the kinds of records that the role sees only in part, in alphabetical order. Lists and reports
// silently leave out the rest.
//
// Source: md/dictionaries/_employee.md, permissions; md/_general.md, filter by what may not be seen.
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

// Rights reads the role's permissions, and tries what they do not show. It takes one to three calls.
func (c *Client) Rights(ctx context.Context) (Rights, Employee, error) {
	e, err := c.Employee(ctx)
	if err != nil {
		return Rights{}, Employee{}, err
	}
	admin := e.Can("admin", "view")
	rights := Rights{
		Cost:  admin || e.Can("viewProductCostAndProfit", "view"),
		Money: admin || e.Can("dashboardMoney", "view"),
		Write: admin || e.Can("purchaseorder", "create") || e.Can("move", "create"),
	}
	if !rights.Cost {
		rights.Cost, err = allowed(c.seesCost(ctx))
	}
	if err == nil && !rights.Money {
		_, refused := c.MoneyByAccount(ctx)
		rights.Money, err = allowed(refused == nil, refused)
	}
	return rights, e, err
}

// allowed converts a refusal to the answer no.
func allowed(can bool, err error) (bool, error) {
	if errors.Is(err, ErrPermission) {
		return false, nil
	}
	return can, err
}

// seesCost looks for any cost of goods in stock. In the stock report it may be 0 or missing for other reasons, so it
// also checks the report that is documented to leave cost out without the right.
//
// Source: md/reports/_report_by_operations.md.
func (c *Client) seesCost(ctx context.Context) (bool, error) {
	const enough = 50
	inStock, err := collect(c.StockAll(ctx, Query{Filter: Filter{}.Is("stockMode", "positiveOnly"), Max: enough}))
	if err != nil || len(inStock) == 0 {
		return false, err
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
