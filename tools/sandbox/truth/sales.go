package truth

import (
	"cmp"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
)

// Margin is the result of the tool margin.
type Margin struct {
	Rows      []MarginRow  `json:"rows"`
	Totals    MarginTotals `json:"totals"`
	Kinds     []MarginKind `json:"kinds"`
	Uncovered []Uncovered  `json:"uncovered"`

	// What the notes must say, in hundredths.
	CoveredTogether    *decimal.Decimal `json:"-"`
	ReturnsWithoutCost decimal.Decimal  `json:"-"`
}

// MarginRow is a product, a variant or a sales channel.
type MarginRow struct {
	ProductID     *string          `json:"product_id"`
	ChannelID     *string          `json:"channel_id"`
	Name          string           `json:"name"`
	Kind          string           `json:"kind"`
	Units         decimal.Decimal  `json:"units"`
	Revenue       *decimal.Decimal `json:"revenue"`
	Cost          *decimal.Decimal `json:"cost"`
	Profit        *decimal.Decimal `json:"profit"`
	MarginPercent *decimal.Decimal `json:"margin_percent"`
	CostBasis     *string          `json:"cost_basis"`

	CoveredRevenue      *decimal.Decimal `json:"covered_revenue"`
	CostCoveragePercent *decimal.Decimal `json:"cost_coverage_percent"`
}

// MarginSums has the figures of the totals that each kind of goods has too.
type MarginSums struct {
	Revenue              *decimal.Decimal `json:"revenue"`
	CoveredRevenue       *decimal.Decimal `json:"covered_revenue"`
	CostCoveragePercent  *decimal.Decimal `json:"cost_coverage_percent"`
	CoveredProfit        *decimal.Decimal `json:"covered_profit"`
	CoveredMarginPercent *decimal.Decimal `json:"covered_margin_percent"`
	RowsWithoutCost      int              `json:"rows_without_cost"`
}

// MarginKind has the sums of one kind of goods, such as variants.
type MarginKind struct {
	Kind string `json:"kind"`
	Rows int    `json:"rows"`
	MarginSums
}

// Uncovered is a product whose cost is unknown.
type Uncovered struct {
	ProductID string           `json:"product_id"`
	Name      string           `json:"name"`
	Units     decimal.Decimal  `json:"units"`
	Revenue   *decimal.Decimal `json:"revenue"`

	revenue decimal.Decimal
}

// MarginTotals has the totals of all rows. Services without a cost are counted separately.
type MarginTotals struct {
	MarginSums
	Reliable                   bool             `json:"reliable"`
	ServicesWithoutCost        int              `json:"services_without_cost"`
	ServicesWithoutCostRevenue *decimal.Decimal `json:"services_without_cost_revenue"`
	AllRevenue                 *decimal.Decimal `json:"all_revenue"`
}

// sale has the net sales of one item through one channel.
type sale struct {
	item           *sandbox.Item
	channel        *sandbox.SalesChannel
	units, revenue decimal.Decimal
	sold, returned decimal.Decimal // the cost of what was sold, and of what was returned
	deducted       decimal.Decimal // the revenue of what was returned
	anySold        bool            // whether there were sales, not only returns
}

var sales = []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand}

var returns = []sandbox.Kind{sandbox.SalesReturn, sandbox.RetailSalesReturn}

// saleKey is the key by which sales are grouped.
type saleKey struct {
	item    *sandbox.Item
	channel *sandbox.SalesChannel
}

// salesIn adds up the lines of sales and returns by key.
func (t *Truth) salesIn(
	within func(time.Time) bool, store *sandbox.Store, key func(*sandbox.Document, *sandbox.Item) saleKey,
) map[saleKey]*sale {
	found := map[saleKey]*sale{}
	for _, kind := range slices.Concat(sales, returns) {
		sign := decimal.NewFromInt(1)
		if slices.Contains(returns, kind) {
			sign = sign.Neg()
		}
		for _, d := range t.books.Documents[kind] {
			if !posted(d) || !within(d.Moment) || store != nil && d.Store != store {
				continue
			}
			for n := range d.Positions {
				p := &d.Positions[n]
				k := key(d, p.Item)
				s := entry(found, k)
				s.item, s.channel = k.item, k.channel
				s.add(p, sign, inOwnCurrency(d, lineSum(p)), t.costOf(d, n))
			}
		}
	}
	return found
}

func (s *sale) add(p *sandbox.Position, sign, sum, cost decimal.Decimal) {
	s.units = s.units.Add(units(p.Quantity).Mul(sign))
	s.revenue = s.revenue.Add(sum.Mul(sign))
	if sign.IsPositive() {
		s.sold, s.anySold = s.sold.Add(cost), true
	} else {
		s.returned, s.deducted = s.returned.Add(cost), s.deducted.Add(sum)
	}
}

// costOf returns the cost of the goods of a line. It is never negative.
func (t *Truth) costOf(d *sandbox.Document, n int) decimal.Decimal {
	var sum decimal.Decimal
	for _, m := range t.lines[line{d, n}] {
		sum = sum.Add(m.cost)
	}
	return sum.Abs()
}

// cost returns the cost of a sale. It returns nil if the cost is unknown, which the upstream shows as 0.
func (t *Truth) cost(s *sale) *decimal.Decimal {
	if t.view.Costs != FIFO {
		price := t.purchasePrice(s.item)
		if price == nil || s.item.Kind == "bundle" {
			return nil
		}
		return new(price.Mul(s.units))
	}
	if s.sold.IsPositive() || !s.anySold && s.returned.IsPositive() {
		return new(s.sold.Sub(s.returned))
	}
	return nil
}

// returnsWithoutCost returns the revenue of returns if the cost of the sales is known, but not theirs.
func (t *Truth) returnsWithoutCost(s *sale) decimal.Decimal {
	if t.view.Costs != FIFO || t.cost(s) == nil || !s.returned.IsZero() {
		return decimal.Zero
	}
	return s.deducted
}

// coveredTogether returns the revenue of sales without a known cost of items that have one in all channels together. It
// returns nil if there is none.
func (t *Truth) coveredTogether(p Period, byChannel map[saleKey]*sale) *decimal.Decimal {
	together := t.salesIn(p.Has, nil, func(_ *sandbox.Document, i *sandbox.Item) saleKey { return saleKey{item: i} })
	var sum *decimal.Decimal
	for k, s := range byChannel {
		if t.cost(s) == nil && t.cost(together[saleKey{item: k.item}]) != nil {
			if sum == nil {
				sum = new(decimal.Decimal)
			}
			*sum = sum.Add(s.revenue)
		}
	}
	return sum
}

// Margin returns the margin in a period by "product", "variant" or "channel". Whether the cost is known is decided for
// each variant; by channel, for each variant in each channel.
func (t *Truth) Margin(p Period, by string) Margin {
	found := t.salesIn(p.Has, nil, func(d *sandbox.Document, i *sandbox.Item) saleKey {
		if by == "channel" {
			return saleKey{i, d.Channel}
		}
		return saleKey{item: i}
	})
	var answer Margin
	answer.CoveredTogether = t.coveredTogether(p, found)
	var all, services earnings
	channels := map[*sandbox.SalesChannel]*earnings{}
	products := map[*sandbox.Item]*earnings{}
	kinds := map[string]*earnings{}
	uncovered := map[*sandbox.Item]*Uncovered{}
	for _, s := range found {
		cost := t.cost(s)
		answer.ReturnsWithoutCost = answer.ReturnsWithoutCost.Add(t.returnsWithoutCost(s))
		if cost == nil && s.item.Kind == "service" {
			services.add(s, cost)
		} else {
			all.add(s, cost)
		}
		entry(kinds, string(s.item.Kind)).add(s, cost)
		if cost == nil && s.item.Kind != "service" {
			entry(uncovered, s.item).add(s)
		}
		switch {
		case by == "channel":
			entry(channels, s.channel).add(s, cost)
		case by == "product" && stocked(s.item):
			entry(products, card(s.item)).add(s, cost)
		default:
			answer.Rows = append(answer.Rows, t.marginRow(s, cost))
		}
	}
	for channel, earned := range channels {
		answer.Rows = append(answer.Rows, t.channelRow(channel, earned))
	}
	for product, earned := range products {
		answer.Rows = append(answer.Rows, t.productRow(product, earned))
	}
	for _, kind := range []string{"product", "variant", "bundle", "service"} {
		if e := kinds[kind]; e != nil {
			answer.Kinds = append(answer.Kinds, MarginKind{kind, e.rows, e.sums()})
		}
	}
	all.unknown = decimal.Zero
	for _, one := range uncovered {
		all.unknown = all.unknown.Add(one.revenue.Abs())
		one.Revenue = money(one.revenue)
		answer.Uncovered = append(answer.Uncovered, *one)
	}
	slices.SortFunc(answer.Uncovered, func(a, b Uncovered) int {
		return cmp.Or(b.revenue.Cmp(a.revenue), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ProductID, b.ProductID))
	})
	answer.Uncovered = answer.Uncovered[:min(10, len(answer.Uncovered))]
	answer.Totals = all.totals(services)
	return answer
}

func (u *Uncovered) add(s *sale) {
	u.ProductID, u.Name, u.Units, u.revenue = s.item.ID, s.item.Name, u.Units.Add(s.units), u.revenue.Add(s.revenue)
}

// productRow sets the covered revenue only if the cost is known for some variants of the product and unknown for
// others.
func (t *Truth) productRow(product *sandbox.Item, e *earnings) MarginRow {
	row := t.earningsRow(e)
	row.ProductID, row.Name, row.Kind = &product.ID, product.Name, "product"
	if e.withoutCost == 0 || !e.costKnown() {
		row.CoveredRevenue = nil
	}
	return row
}

func (t *Truth) marginRow(s *sale, cost *decimal.Decimal) MarginRow {
	row := MarginRow{
		ProductID: &s.item.ID, Name: s.item.Name, Kind: string(s.item.Kind), Units: s.units, Revenue: money(s.revenue),
		Cost: moneyOrNull(cost), CostBasis: t.basis(cost),
	}
	alone := earnings{revenue: s.revenue, unknown: s.revenue.Abs()}
	if cost != nil {
		alone.covered, alone.unknown = s.revenue, decimal.Zero
		profit := s.revenue.Sub(*cost)
		row.Profit = money(profit)
		if s.revenue.IsPositive() {
			row.MarginPercent = share(profit, s.revenue)
		}
	}
	row.CostCoveragePercent = alone.coverage()
	return row
}

func (t *Truth) channelRow(channel *sandbox.SalesChannel, e *earnings) MarginRow {
	row := t.earningsRow(e)
	row.Name, row.Kind = "no sales channel", "channel"
	if channel != nil {
		row.ChannelID, row.Name = &channel.ID, channel.Name
	}
	return row
}

func (t *Truth) earningsRow(e *earnings) MarginRow {
	row := MarginRow{Units: e.units, Revenue: money(e.revenue), CoveredRevenue: money(e.covered), CostCoveragePercent: e.coverage()}
	if e.costKnown() {
		row.Cost, row.Profit, row.CostBasis = money(e.cost), money(e.covered.Sub(e.cost)), t.basis(&e.cost)
		if e.covered.IsPositive() {
			row.MarginPercent = share(e.covered.Sub(e.cost), e.covered)
		}
	}
	return row
}

// earnings sums sales.
type earnings struct {
	rows, withoutCost             int
	units, revenue, covered, cost decimal.Decimal
	unknown                       decimal.Decimal // the sizes of the revenue without a known cost
}

func (e *earnings) add(s *sale, cost *decimal.Decimal) {
	e.rows++
	e.units, e.revenue = e.units.Add(s.units), e.revenue.Add(s.revenue)
	if cost == nil {
		e.withoutCost++
		e.unknown = e.unknown.Add(s.revenue.Abs())
		return
	}
	e.covered, e.cost = e.covered.Add(s.revenue), e.cost.Add(*cost)
}

// costKnown reports whether the cost of anything is known that was sold and not returned.
func (e *earnings) costKnown() bool {
	returned := e.covered.IsZero() && e.cost.IsZero()
	return e.rows > e.withoutCost && !(e.withoutCost > 0 && returned)
}

func (e *earnings) coverage() *decimal.Decimal {
	if !e.revenue.IsPositive() {
		return nil
	}
	return share(e.covered.Abs(), e.covered.Abs().Add(e.unknown))
}

func (e *earnings) sums() MarginSums {
	sums := MarginSums{
		Revenue: money(e.revenue), CoveredRevenue: money(e.covered), CostCoveragePercent: e.coverage(), RowsWithoutCost: e.withoutCost,
	}
	if e.costKnown() {
		profit := e.covered.Sub(e.cost)
		sums.CoveredProfit = money(profit)
		if e.covered.IsPositive() {
			sums.CoveredMarginPercent = share(profit, e.covered)
		}
	}
	return sums
}

func (e *earnings) totals(services earnings) MarginTotals {
	sums := e.sums()
	return MarginTotals{
		MarginSums: sums, ServicesWithoutCost: services.rows, ServicesWithoutCostRevenue: money(services.revenue),
		AllRevenue: money(e.revenue.Add(services.revenue)),
		Reliable:   sums.CostCoveragePercent != nil && !sums.CostCoveragePercent.LessThan(decimal.NewFromInt(95)),
	}
}
