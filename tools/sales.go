package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// sale is one row of the profit report, with returns deducted. Amounts are in hundredths. cost is nil if it is unknown;
// the upstream then writes a cost of 0 and reports the whole revenue as profit.
type sale struct {
	id, name, code, kind string
	units, revenue       decimal.Decimal
	coveredRevenue       decimal.Decimal  // the part of revenue for which the cost is known
	cost                 *decimal.Decimal // cost of that part
	unknownRevenue       decimal.Decimal  // the size of the other part, added up over variants; see coveragePercent
	partlyCovered        bool             // the sale is of a product, and only some of its variants have a known cost
	basis                costBasis
	returnsWithoutCost   decimal.Decimal // of the covered revenue, what was deducted for returns of unknown cost
}

// newSale deducts returns from sales.
func newSale(row moysklad.ProfitRow) sale {
	s := sale{
		units:   row.SellQuantity.Sub(row.ReturnQuantity.Decimal),
		revenue: row.SellSum.Sub(row.ReturnSum.Decimal),
		basis:   fifoCost,
	}
	if row.Assortment != nil {
		s.id, s.name, s.code, s.kind = row.Assortment.ID(), row.Assortment.Name, row.Assortment.Code, row.Assortment.Meta.Type
	}
	s.unknownRevenue = s.revenue.Abs()
	if cost := netCost(!row.SellQuantity.IsZero(), zeroIfNil(row.SellCostSum), zeroIfNil(row.ReturnCostSum)); cost != nil {
		s = s.withCost(*cost)
		if zeroIfNil(row.ReturnCostSum).IsZero() {
			s.returnsWithoutCost = row.ReturnSum.Decimal
		}
	}
	return s
}

// netCost deducts the cost of returns from that of sales, as the upstream does. The cost is known if the sales have a
// cost. If there are only returns, it is known if the returns have one. A report has one cost for all sales of a good, so
// it does not tell if some of them have none.
func netCost(anySold bool, sold, returned decimal.Decimal) *decimal.Decimal {
	if sold.IsPositive() || !anySold && returned.IsPositive() {
		return new(sold.Sub(returned))
	}
	return nil
}

// withCost returns the sale with a cost that covers all of its revenue.
func (s sale) withCost(cost decimal.Decimal) sale {
	s.cost, s.coveredRevenue, s.unknownRevenue = &cost, s.revenue, decimal.Zero
	return s
}

// addVariant adds the sales of a variant to those of its product. If the cost of the variant is unknown, it adds only
// the revenue.
func (s *sale) addVariant(part sale) {
	s.units, s.revenue = s.units.Add(part.units), s.revenue.Add(part.revenue)
	s.unknownRevenue = s.unknownRevenue.Add(part.unknownRevenue)
	s.basis = part.basis
	if part.cost == nil {
		s.partlyCovered = true
		return
	}
	sum := *part.cost
	if s.cost != nil {
		sum = sum.Add(*s.cost)
	}
	s.cost, s.coveredRevenue = &sum, s.coveredRevenue.Add(part.coveredRevenue)
}

// costPartlyKnown reports whether some of the units have no known cost.
func (s sale) costPartlyKnown() bool { return s.cost == nil || !s.returnsWithoutCost.IsZero() }

// costKnown reports whether the cost can be used to compute a profit. It cannot if all variants with a known cost were
// returned. Their revenue and cost are then 0, but the other variants do not have a profit of 0.
func (s sale) costKnown() bool {
	return s.cost != nil && !(s.partlyCovered && s.coveredRevenue.IsZero() && s.cost.IsZero())
}

// withPurchasePrice replaces the cost with the purchase price. It is used if the role does not see cost.
func (s sale) withPurchasePrice(goods *Goods) sale {
	s.cost, s.coveredRevenue, s.basis, s.returnsWithoutCost = nil, decimal.Zero, purchasePriceCost, decimal.Zero
	s.unknownRevenue = s.revenue.Abs()
	if card := goods.get(s.id); card != nil {
		if price := card.PurchasePrice(); price != nil {
			return s.withCost(price.Mul(s.units))
		}
	}
	return s
}

// isServiceWithoutCost reports whether the sale is of a service without a recorded cost. Such services are counted
// separately in the totals, because they would lower the cost coverage of goods.
func (s sale) isServiceWithoutCost() bool { return s.kind == "service" && s.cost == nil }

// salesTally sums sales. Profit and margin cover only the sales with a known cost.
type salesTally struct {
	rows, withoutCost int
	units, revenue    decimal.Decimal
	coveredRevenue    decimal.Decimal
	unknownRevenue    decimal.Decimal // as in sale
	cost              decimal.Decimal // cost of the covered revenue
}

func (t *salesTally) add(s sale) {
	t.rows++
	t.units = t.units.Add(s.units)
	t.revenue = t.revenue.Add(s.revenue)
	t.unknownRevenue = t.unknownRevenue.Add(s.unknownRevenue)
	if s.cost == nil {
		t.withoutCost++
		return
	}
	t.coveredRevenue = t.coveredRevenue.Add(s.coveredRevenue)
	t.cost = t.cost.Add(*s.cost)
}

// costKnown is [sale.costKnown] for the sum.
func (t *salesTally) costKnown() bool {
	return t.rows > t.withoutCost && !(t.withoutCost > 0 && t.coveredRevenue.IsZero() && t.cost.IsZero())
}

func (t *salesTally) profit() decimal.Decimal { return t.coveredRevenue.Sub(t.cost) }

// coveragePercent returns the share of revenue whose cost is known. The unknown revenue of each good counts by its size, so that goods
// that were returned more than sold do not hide others. It returns nil if revenue is not positive.
func coveragePercent(covered, unknown, revenue decimal.Decimal) *Percent {
	if !revenue.IsPositive() {
		return nil
	}
	return percentOf(covered.Abs(), covered.Abs().Add(unknown))
}

// reliablePercent is the cost coverage in percent at which the margin of the covered part counts as that of the whole.
const reliablePercent = 95

// reliable reports whether the margin of the covered part counts as that of the whole.
func (t *salesTally) reliable() bool {
	known := t.coveredRevenue.Abs()
	whole := known.Add(t.unknownRevenue)
	return t.revenue.IsPositive() && known.Mul(hundred).GreaterThanOrEqual(whole.Mul(decimal.NewFromInt(reliablePercent)))
}

// marginPercent returns profit as a percentage of revenue. It returns nil if revenue is not positive.
func marginPercent(profit, revenue decimal.Decimal) *Percent {
	if !revenue.IsPositive() {
		return nil
	}
	return percentOf(profit, revenue)
}
