package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// sale is what was sold of one row of the profit report, returns deducted. Amounts are in hundredths. Cost is nil when
// it is not known: the upstream writes 0 then and calls the whole revenue profit.
type sale struct {
	id, name, code, kind string
	units, revenue       decimal.Decimal
	covered              decimal.Decimal  // the part of revenue whose cost is known
	cost                 *decimal.Decimal // of that part
	partlyCovered        bool             // of a product: some of its variants have no known cost
	basis                CostBasis
}

// newSale nets a row. Its cost is known when what was sold has one; where there were only returns, when they have.
func newSale(row moysklad.ProfitRow) sale {
	s := sale{
		units:   row.SellQuantity.Sub(row.ReturnQuantity.Decimal),
		revenue: row.SellSum.Sub(row.ReturnSum.Decimal),
		basis:   FIFO,
	}
	if row.Assortment != nil {
		s.id, s.name, s.code, s.kind = row.Assortment.ID(), row.Assortment.Name, row.Assortment.Code, row.Assortment.Meta.Type
	}
	sold, returned := zeroIfNil(row.SellCostSum), zeroIfNil(row.ReturnCostSum)
	if sold.IsPositive() || row.SellQuantity.IsZero() && returned.IsPositive() {
		return s.withCost(sold.Sub(returned))
	}
	return s
}

// costing gives the whole of a sale a known cost.
func (s sale) withCost(cost decimal.Decimal) sale {
	s.cost, s.covered = &cost, s.revenue
	return s
}

// fold adds the sales of a variant to those of its product. Parts with and without a known cost stay apart: what has
// none adds to revenue alone.
func (s *sale) addVariant(part sale) {
	s.units, s.revenue = s.units.Add(part.units), s.revenue.Add(part.revenue)
	s.basis = part.basis
	if part.cost == nil {
		s.partlyCovered = true
		return
	}
	sum := *part.cost
	if s.cost != nil {
		sum = sum.Add(*s.cost)
	}
	s.cost, s.covered = &sum, s.covered.Add(part.covered)
}

// amount takes what the upstream left out as 0; the caller takes 0 as unknown.
func zeroIfNil(k *moysklad.Kopecks) decimal.Decimal {
	if k == nil {
		return decimal.Zero
	}
	return k.Decimal
}

// priced replaces the cost by the purchase price of the units, for a role that does not see cost.
func (s sale) withPurchasePrice(goods *Goods) sale {
	s.cost, s.covered, s.basis = nil, decimal.Zero, PurchasePrice
	if card := goods.Get(s.id); card != nil {
		if price := card.PurchasePrice(); price != nil {
			return s.withCost(price.Mul(s.units))
		}
	}
	return s
}

// withoutCostByNature is a service nobody booked a cost for: it has none to know, so it stands apart from the margin of
// goods instead of lowering its coverage.
func (s sale) isServiceWithoutCost() bool { return s.kind == "service" && s.cost == nil }

// salesTally sums sales, those with a known cost apart: profit and margin are only theirs.
type salesTally struct {
	rows, withoutCost               int
	units, revenue                  decimal.Decimal
	coveredRevenue                  decimal.Decimal
	cost                            decimal.Decimal // of the covered revenue
	servicesWithoutCost             int
	servicesWithoutCostRevenue, all decimal.Decimal
}

func (t *salesTally) add(s sale) {
	t.all = t.all.Add(s.revenue)
	if s.isServiceWithoutCost() {
		t.servicesWithoutCost++
		t.servicesWithoutCostRevenue = t.servicesWithoutCostRevenue.Add(s.revenue)
		return
	}
	t.rows++
	t.units = t.units.Add(s.units)
	t.revenue = t.revenue.Add(s.revenue)
	if s.cost == nil {
		t.withoutCost++
		return
	}
	t.coveredRevenue = t.coveredRevenue.Add(s.covered)
	t.cost = t.cost.Add(*s.cost)
}

// covered reports whether some row has a known cost.
func (t *salesTally) hasCost() bool { return t.rows > t.withoutCost }

func (t *salesTally) profit() decimal.Decimal { return t.coveredRevenue.Sub(t.cost) }

// coverageOf is the covered share of revenue; nil without revenue. More than all of it is all: then returns of goods
// without cost outweigh their sales.
func coveragePercent(covered, revenue decimal.Decimal) *Percent {
	if !revenue.IsPositive() {
		return nil
	}
	return PercentOf(decimal.Min(covered, revenue), revenue)
}

// enoughCoverage is the share of revenue with known cost from which one margin may stand for the whole.
const reliablePercent = 95

// reliable reports whether the covered part may stand for the whole.
func (t *salesTally) reliable() bool {
	return t.revenue.IsPositive() &&
		t.coveredRevenue.Mul(hundred).GreaterThanOrEqual(t.revenue.Mul(decimal.NewFromInt(reliablePercent)))
}

// marginOf is profit as a percentage of revenue; nil where revenue is not positive and a percentage says nothing.
func marginPercent(profit, revenue decimal.Decimal) *Percent {
	if !revenue.IsPositive() {
		return nil
	}
	return PercentOf(profit, revenue)
}
