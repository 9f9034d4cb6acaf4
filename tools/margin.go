package tools

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

type marginArguments struct {
	Period
	GroupBy string `json:"group_by,omitempty" jsonschema:"enum=product,enum=variant,enum=channel,default=product" jsonschema_description:"what a row is: a product, a variant, or a sales channel"`
	RowLimit
}

type marginResult struct {
	From Day         `json:"from" jsonschema:"format=date-time"`
	To   Day         `json:"to" jsonschema:"format=date-time"`
	Rows []marginRow `json:"rows"`
	List
	Totals    marginTotals      `json:"totals"`
	Kinds     []marginKind      `json:"kinds" jsonschema_description:"the same by kind: products, variants, bundles and services"`
	Uncovered []marginUncovered `json:"uncovered" most:"10" jsonschema_description:"the largest revenue without a known cost, ten at most"`
}

// measure says what the rows are if they are not only goods. The labels of the rows depend on it.
func (r marginResult) measure() string {
	if len(r.Rows) > 0 && r.Rows[0].Kind == "channel" {
		return "channel"
	}
	if slices.ContainsFunc(r.Kinds, func(k marginKind) bool { return k.Kind == "service" }) {
		return "service"
	}
	return ""
}

type marginRow struct {
	ProductID     *string    `json:"product_id" jsonschema_description:"null when a row is a sales channel"`
	ChannelID     *string    `json:"channel_id" jsonschema_description:"null for products, and for sales that carry no channel"`
	Name          string     `json:"name"`
	Code          string     `json:"code"`
	Kind          string     `json:"kind" jsonschema:"enum=product,enum=variant,enum=bundle,enum=service,enum=channel"`
	Units         Units      `json:"units" jsonschema_description:"sold, returns deducted"`
	Revenue       *Money     `json:"revenue" jsonschema_description:"returns deducted"`
	Cost          *Money     `json:"cost" jsonschema_description:"null: unknown, not 0"`
	Profit        *Money     `json:"profit" jsonschema_description:"of the revenue with known cost; null: cost unknown"`
	MarginPercent *Percent   `json:"margin_percent" jsonschema_description:"profit as a share of the same revenue"`
	CostBasis     *costBasis `json:"cost_basis" jsonschema:"enum=fifo,enum=purchase_price"`

	CostCoveragePercent *Percent `json:"cost_coverage_percent" jsonschema_description:"share of revenue whose cost is known; null: no revenue"`

	// Set for a channel, and for a product if only some of its variants have a known cost.
	CoveredRevenue *Money `json:"covered_revenue,omitempty" jsonschema_description:"where only a part has a known cost: that part of revenue, which cost, profit and margin_percent are of"`
}

// marginSums has the figures that the totals and the kinds of goods have in common.
type marginSums struct {
	Revenue              *Money   `json:"revenue" jsonschema_description:"net revenue; that of services without a cost is in rows, kinds and all_revenue, but in no other total"`
	CoveredRevenue       *Money   `json:"covered_revenue" jsonschema_description:"revenue with known cost"`
	CostCoveragePercent  *Percent `json:"cost_coverage_percent" jsonschema_description:"share of revenue whose cost is known, negative revenue by its size; a product counts as covered if the upstream has a cost for any of its sales"`
	CoveredProfit        *Money   `json:"covered_profit" jsonschema_description:"profit of covered_revenue only; null: no cost is known"`
	CoveredMarginPercent *Percent `json:"covered_margin_percent" jsonschema_description:"covered_profit as a share of covered_revenue"`
	RowsWithoutCost      int      `json:"rows_without_cost" jsonschema_description:"products and variants sold whose cost is unknown, counted in each channel"`
}

type marginTotals struct {
	marginSums
	Reliable                   bool   `json:"reliable" jsonschema_description:"cost is known for at least 95 % of revenue: one margin may stand for the whole"`
	ServicesWithoutCost        int    `json:"services_without_cost" jsonschema_description:"services nobody booked a cost for: in none of the totals above"`
	ServicesWithoutCostRevenue *Money `json:"services_without_cost_revenue"`
	AllRevenue                 *Money `json:"all_revenue" jsonschema_description:"net revenue with these services"`
}

type marginKind struct {
	Kind string `json:"kind"`
	Rows int    `json:"rows"`
	marginSums
}

type marginUncovered struct {
	ProductID string `json:"product_id"`
	Name      string `json:"name"`
	Units     Units  `json:"units"`
	Revenue   *Money `json:"revenue"`
}

// margin makes the calls that README.md lists and explains.
func margin(ctx context.Context, run *Run, args marginArguments) (marginResult, error) {
	from, to, err := args.Within(run.Now())
	if err != nil {
		return marginResult{}, err
	}
	builder := newMarginBuilder(args.Limit)
	if !run.Rights.Cost {
		if builder.goods, err = run.goodsWithArchived(ctx); err != nil {
			return marginResult{}, err
		}
	}
	run.readAt(run.Now())
	switch args.GroupBy {
	case "channel":
		err = builder.readChannels(ctx, run, from, to)
	case "product":
		err = builder.readProducts(ctx, run, from, to)
	default:
		err = builder.readVariants(ctx, run, from, to, nil)
	}
	if err != nil {
		return marginResult{}, err
	}
	return builder.result(ctx, run, from, to)
}

// marginBuilder sums the rows of the profit report as they arrive.
type marginBuilder struct {
	goods     *Goods // cards with purchase prices; only if the role does not see cost
	rows      topRows[sale]
	channels  []channelSales
	total     salesTally
	services  salesTally // services without a cost, which are not in total
	kinds     map[string]*salesTally
	uncovered map[string]sale // sales without a known cost in all channels together, by product

	together           map[string]bool // by channel: products with a known cost in all channels together
	coveredTogether    salesTally      // by channel: sales without a cost of these products
	returnsWithoutCost decimal.Decimal // deducted from the covered revenue, but not from the cost
}

func newMarginBuilder(limit int) *marginBuilder {
	return &marginBuilder{
		rows:      topRows[sale]{limit: limit, compare: byRevenue},
		uncovered: map[string]sale{},
		kinds:     map[string]*salesTally{},
	}
}

func byRevenue(a, b sale) int {
	return cmp.Or(b.revenue.Cmp(a.revenue), cmp.Compare(a.name, b.name), cmp.Compare(a.id, b.id))
}

// readProducts sums the sales of variants for each product. It does not use the upstream's report by product: that
// report has only one cost for all variants of a product, and counts variants without a cost as free.
func (m *marginBuilder) readProducts(ctx context.Context, run *Run, from, to time.Time) error {
	families, err := run.families(ctx)
	if err != nil {
		return err
	}
	products := map[string]*sale{}
	err = m.readVariants(ctx, run, from, to, func(s sale) bool {
		id := families.productOf[s.id]
		if families.hasVariants[s.id] {
			id = s.id
		}
		if id == "" {
			return false
		}
		product := entryOf(products, id)
		product.id, product.kind = id, "product"
		product.addVariant(s)
		return true
	})
	for _, product := range products {
		m.rows.add(*product)
	}
	return err
}

// readVariants adds the sales of each variant, and of each product without variants. It calls fold for each sale; if
// fold returns true, the sale gets no row of its own.
func (m *marginBuilder) readVariants(ctx context.Context, run *Run, from, to time.Time, fold func(sale) bool) error {
	for row, err := range run.Client.Profit(ctx, "byvariant", from, to, moysklad.Query{}) {
		if err != nil {
			return err
		}
		if s := m.addSale(newSale(row)); fold == nil || !fold(s) {
			m.rows.add(s)
		}
	}
	return nil
}

// withBasis returns the sale with the cost that the margin uses.
func (m *marginBuilder) withBasis(s sale) sale {
	if m.goods != nil {
		return s.withPurchasePrice(m.goods)
	}
	return s
}

// addSale adds a sale to the sums. It returns the sale with the cost that was used.
func (m *marginBuilder) addSale(s sale) sale {
	s = m.withBasis(s)
	entryOf(m.kinds, s.kind).add(s)
	m.returnsWithoutCost = m.returnsWithoutCost.Add(s.returnsWithoutCost)
	if s.cost == nil && m.together[s.id] {
		m.coveredTogether.add(s)
	}
	if s.isServiceWithoutCost() {
		m.services.add(s)
		return s
	}
	m.total.add(s)
	if s.cost == nil {
		missing := m.uncovered[s.id]
		missing.id, missing.name = s.id, s.name
		missing.units, missing.revenue = missing.units.Add(s.units), missing.revenue.Add(s.revenue)
		m.uncovered[s.id] = missing
	}
	return s
}

func (m *marginBuilder) result(ctx context.Context, run *Run, from, to time.Time) (marginResult, error) {
	result := marginResult{
		From: dayOf(from), To: dayOf(to),
		Kinds: []marginKind{}, Uncovered: []marginUncovered{},
	}
	if m.channels != nil {
		result.Rows, result.List = limitRows(run, m.channelRows(), m.rows.limit)
	} else {
		var listed []sale
		listed, result.List = m.rows.list(run)
		if err := run.fillProductNames(ctx, listed); err != nil {
			return marginResult{}, err
		}
		result.Rows = convert(listed, newMarginRow)
	}
	m.total.unknownRevenue = decimal.Zero
	for _, s := range m.uncovered { // of all channels together, so that every grouping has the same coverage
		m.total.unknownRevenue = m.total.unknownRevenue.Add(s.revenue.Abs())
	}
	result.Totals = marginTotals{
		marginSums:                 newMarginSums(&m.total),
		Reliable:                   m.total.reliable(),
		ServicesWithoutCost:        m.services.rows,
		ServicesWithoutCostRevenue: MoneyOf(m.services.revenue),
		AllRevenue:                 MoneyOf(m.total.revenue.Add(m.services.revenue)),
	}
	for _, kind := range []string{"product", "variant", "bundle", "service"} {
		if tally := m.kinds[kind]; tally != nil {
			result.Kinds = append(result.Kinds, marginKind{kind, tally.rows, newMarginSums(tally)})
		}
	}
	const most = 10
	largest := slices.SortedFunc(maps.Values(m.uncovered), byRevenue)
	for _, s := range largest[:min(most, len(largest))] {
		result.Uncovered = append(result.Uncovered, marginUncovered{s.id, s.name, UnitsOf(s.units), MoneyOf(s.revenue)})
	}
	return result, m.addNotes(ctx, run, result.Totals)
}

func (m *marginBuilder) addNotes(ctx context.Context, run *Run, totals marginTotals) error {
	currency, err := run.Currency(ctx)
	if err != nil {
		return err
	}
	inCurrency := func(hundredths decimal.Decimal) map[string]string {
		return map[string]string{"amounts": MoneyOf(hundredths).String() + " " + currency.ISOCode}
	}
	var values map[string]string // without coverage: why there is no margin
	switch {
	case totals.CostCoveragePercent != nil:
		values = map[string]string{
			"coverage":        totals.CostCoveragePercent.String(),
			"covered_revenue": totals.CoveredRevenue.String(),
			"revenue":         totals.Revenue.String(),
			"currency":        currency.ISOCode,
		}
	case m.total.rows > 0:
		values = inCurrency(m.total.revenue)
	case m.services.rows > 0:
		values = map[string]string{"services": fmt.Sprint(m.services.rows)}
	}
	run.Note(CostCoverage, values)
	if totals.CostCoveragePercent != nil && !totals.Reliable {
		run.Note(MarginUnreliable, map[string]string{"threshold": fmt.Sprint(reliablePercent), "rows": fmt.Sprint(totals.RowsWithoutCost)})
	}
	if m.coveredTogether.rows > 0 {
		run.Note(CostPartlyKnown, inCurrency(m.coveredTogether.revenue))
	}
	if !m.returnsWithoutCost.IsZero() {
		run.Note(ReturnsWithoutCost, inCurrency(m.returnsWithoutCost))
	}
	switch {
	case m.goods == nil:
	case !m.goods.anyPrice():
		run.Note(CostUnknown, nil)
	default:
		run.Note(PurchasePriceBasis, nil)
	}
	return nil
}

func newMarginRow(s sale) marginRow {
	row := marginRow{
		ProductID: &s.id,
		Name:      s.name,
		Code:      s.code,
		Kind:      s.kind,
		Units:     UnitsOf(s.units),
		Revenue:   MoneyOf(s.revenue),

		CostCoveragePercent: coveragePercent(s.coveredRevenue, s.unknownRevenue, s.revenue),
	}
	if s.costKnown() {
		profit := s.coveredRevenue.Sub(*s.cost)
		row.Cost, row.Profit = MoneyOf(*s.cost), MoneyOf(profit)
		row.MarginPercent, row.CostBasis = marginPercent(profit, s.coveredRevenue), &s.basis
	}
	if s.costKnown() && s.partlyCovered {
		row.CoveredRevenue = MoneyOf(s.coveredRevenue)
	}
	return row
}

func newMarginSums(t *salesTally) marginSums {
	sums := marginSums{
		Revenue:             MoneyOf(t.revenue),
		CoveredRevenue:      MoneyOf(t.coveredRevenue),
		CostCoveragePercent: coveragePercent(t.coveredRevenue, t.unknownRevenue, t.revenue),
		RowsWithoutCost:     t.withoutCost,
	}
	if t.costKnown() {
		sums.CoveredProfit = MoneyOf(t.profit())
		sums.CoveredMarginPercent = marginPercent(t.profit(), t.coveredRevenue)
	}
	return sums
}
