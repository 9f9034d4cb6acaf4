package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// The tests in this file compare the JSON of the tools with package truth, which shares no code with them.

// The rows and totals of each tool must equal those of the books exactly.
func TestEveryToolMatchesTruth(t *testing.T) {
	products := 1000
	if testing.Short() {
		products = 200 // with the race detector, the books take ten times as long
	}
	eachSeed(t, sandbox.Config{Products: products}, func(t *testing.T, s *shop) {
		s.addRareExamples(t)
		h := s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{}))
		h.examplesNeeded = !testing.Short() // smaller books lack rare ones
		h.everyTool()
	})
}

// The books are changed at random: documents are deleted or no longer posted, get discounts and other currencies, and
// goods are archived and get other minimums, suppliers and prices.
func TestChangedBooksMatchTruth(t *testing.T) {
	for role, view := range map[sandbox.Role]truth.View{sandbox.Full: {}, sandbox.NoCost: {Costs: truth.PurchasePrices}} {
		if testing.Short() && role != sandbox.Full { // the race detector needs no more
			continue
		}
		t.Run(string(role), func(t *testing.T) {
			switches := sandbox.Switches{Commission: true, Prepayments: true, BuyPriceShown: true}
			eachSeed(t, sandbox.Config{Products: 150, Role: role, Switches: switches}, func(t *testing.T, s *shop) {
				s.changeBooks(t, rand.New(rand.NewPCG(1, 1)))
				s.advance(9*24*time.Hour + 13*time.Hour)
				everyTool(t, s, truth.Of(s.Books(), s.clock(), view))
			})
		})
	}
}

// changeBooks keeps receipts, transfers and returns posted. Without them, other documents would lose their costs in
// ways that the vendor does not document.
func (s *shop) changeBooks(t *testing.T, r *rand.Rand) {
	b := s.Books()
	returns := []sandbox.Kind{sandbox.SalesReturn, sandbox.RetailSalesReturn}
	kept := append([]sandbox.Kind{sandbox.Supply, sandbox.Enter, sandbox.Move}, returns...)
	for _, kind := range slices.Sorted(maps.Keys(b.Documents)) {
		for _, d := range b.Documents[kind] {
			switch chance := r.IntN(100); {
			case chance < 5:
				d.Applicable = d.Applicable && slices.Contains(kept, kind)
			case chance < 8 && !slices.Contains(kept, kind):
				d.Deleted = noon
			case chance < 10 && (kind == sandbox.Demand || kind == sandbox.Supply || kind == sandbox.CustomerOrder):
				d.Currency, d.Positions[0].Discount = b.Currencies[r.IntN(3)], 10*r.IntN(11)
			}
			if d.Order != nil && !d.Order.Posted() && slices.Contains(returns, kind) {
				d.Order = nil // the cost of what is returned is unknown
			}
		}
	}
	for _, item := range b.Assortment {
		item.Archived = item.Origin().Archived || r.IntN(25) == 0
		switch r.IntN(25) {
		case 0:
			item.Supplier, item.BuyPrice = nil, 0
		case 1:
			item.BuyPrice, item.BuyCurrency = sandbox.Amount(1+r.IntN(1_000_000)), b.Currencies[r.IntN(3)]
		case 2:
			item.OwnMinimum, item.Minimum = true, sandbox.Minimum{Type: sandbox.MinimumSum, Quantity: sandbox.Units(r.IntN(20_000))}
		case 3:
			item.OwnMinimum, item.Minimum = true, sandbox.Minimum{Type: sandbox.MinimumSame, Quantity: sandbox.Units(r.IntN(3_000))}
		}
	}
	post(t, s, "/entity/loss", fmt.Sprintf(`{"organization":%s,"store":%s,"positions":[{"quantity":1,"assortment":%s}]}`, // recomputes stock
		linkTo("organization", b.Organizations[0].ID), linkTo("store", b.Stores[0].ID), linkTo("product", stockedProduct(b).ID)))
}

// Figures must not depend on behaviour that the vendor's documentation leaves open, or that depends on the tariff.
func TestUndocumentedBehaviourChangesNoFigure(t *testing.T) {
	t.Parallel()
	for name, switches := range map[string]sandbox.Switches{
		"narrow": {NotEqualKeepsEmpty: true, IdleTurnoverHidden: true, NoChannelRowHidden: true, UnderMinimumSumsOnly: true, NestedLimit: 100},
		"silent": {NoCRM: true, SearchIgnored: true, BadFilterIgnored: true, SalePriceOfLastColumn: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inShop(t, sandbox.Config{Seed: 4, Products: 100, Switches: switches}, func(t *testing.T, s *shop) {
				everyTool(t, s, truth.Of(s.Books(), s.clock(), truth.View{}))
			})
		})
	}
}

// If the role does not see cost, costs are purchase prices if the role sees those, and otherwise null. They are never
// 0.
func TestHiddenCostIsNullNotZero(t *testing.T) {
	t.Parallel()
	for name, role := range map[string]struct {
		switches sandbox.Switches
		view     truth.View
	}{
		"costs missing":         {sandbox.Switches{}, truth.View{Costs: truth.NoCosts}},
		"costs shown as 0":      {sandbox.Switches{HiddenCostZero: true}, truth.View{Costs: truth.NoCosts}},
		"purchase prices shown": {sandbox.Switches{BuyPriceShown: true}, truth.View{Costs: truth.PurchasePrices}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inShop(t, sandbox.Config{Seed: 5, Products: 100, Role: sandbox.NoCost, Switches: role.switches}, func(t *testing.T, s *shop) {
				h := s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), role.view))
				h.everyTool()
				for _, tool := range []string{"stock", "dead_stock", "slow_movers", "abc_xyz", "margin"} {
					arguments := "{}"
					if tool == "margin" {
						arguments = "{" + period90 + "}"
					}
					result, err := s.call(tool, arguments)
					must(t, err)
					if role.view.Costs == truth.PurchasePrices {
						result.mustNote(t, PurchasePriceBasis)
					} else {
						result.mustNote(t, CostUnknown)
						result.mustNotNote(t, PurchasePriceBasis)
					}
				}
			})
		})
	}
}

// Goods whose stock is being recalculated are left out, with a note. They must not count as 0.
func TestRecalculatedGoodsAreLeftOut(t *testing.T) {
	t.Parallel()
	const count = 12
	inShop(t, sandbox.Config{Seed: 6, Products: 100, Switches: sandbox.Switches{Recalculating: count}}, func(t *testing.T, s *shop) {
		unknown := map[*sandbox.Item]bool{}
		for _, item := range s.Books().Assortment {
			if len(unknown) < count && len(s.Books().Holdings(item)) > 0 {
				unknown[item] = true
			}
		}
		h := s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{Unknown: unknown}))
		for _, tool := range []string{"stock", "below_minimum", "shortage_by_supplier", "dead_stock", "negative_stock", "out_of_stock"} {
			h.check(tool)
			_, notes := h.ask(tool, `{}`)
			(&Result{Tool: tool, Notes: notes}).mustNote(t, StockRecalculating)
		}
	})
}

// truthCheck compares the answers about one account with those of package truth.
type truthCheck struct {
	t                 *testing.T
	books             *sandbox.Books
	truth             *truth.Truth
	now               time.Time
	costsVisible      bool // whether the connection sees cost
	allWarehousesOnly bool // whether to ask only about all warehouses together
	examplesNeeded    bool // whether the books must have the examples of truthCases
	ask               func(tool, arguments string) (json.RawMessage, []Note)
}

func (s *shop) newTruthCheck(t *testing.T, truth *truth.Truth) truthCheck {
	ask := func(tool, arguments string) (json.RawMessage, []Note) {
		t.Helper()
		result, err := s.call(tool, arguments)
		if err != nil {
			t.Fatalf("%s %s: %v", tool, arguments, err)
		}
		return json.RawMessage(marshal(t, result.Result)), result.Notes
	}
	return truthCheck{t: t, books: s.Books(), truth: truth, now: s.clock(), costsVisible: s.account.Rights.Cost, ask: ask}
}

func everyTool(t *testing.T, s *shop, expected *truth.Truth) {
	s.newTruthCheck(t, expected).everyTool()
}

// truths has a comparison for each tool. It compares the answer to one question with package truth, and returns the
// things that truthCases can ask for. Each tool with figures must be listed.
var truths = map[string]func(truthCheck, question) examples{
	"stock":                truthCheck.stock,
	"negative_stock":       truthCheck.negativeStock,
	"out_of_stock":         truthCheck.outOfStock,
	"below_minimum":        truthCheck.belowMinimum,
	"shortage_by_supplier": truthCheck.shortages,
	"dead_stock":           truthCheck.deadStock,
	"margin":               truthCheck.margin,
	"turnover":             truthCheck.turnover,
	"money_position":       truthCheck.moneyPosition,
	"cash_runway":          truthCheck.cashRunway,
	"reconcile_shipments":  truthCheck.reconciliation,
	"overdue_orders":       truthCheck.overdueOrders,
	"zero_cost_receipts":   truthCheck.zeroCostReceipts,
	"slow_movers":          truthCheck.slowMovers,
	"reorder_points":       truthCheck.reorderPoints,
	"abc_xyz":              truthCheck.abcXYZ,
	"search_products":      nil, // it has no figures; its own tests check its rows
}

func (h truthCheck) everyTool() {
	for _, tool := range All() {
		compare, known := truths[tool.Name]
		asked := slices.ContainsFunc(truthCases, func(c truthCase) bool { return c.tool == tool.Name })
		if !known || asked != (compare != nil) {
			h.t.Errorf("truths or truthCases lacks %s", tool.Name)
			continue
		}
		h.check(tool.Name)
	}
}

// answer asks a question and decodes the result into a type of package truth.
func (h truthCheck) answer(q question, into any) *Result {
	h.t.Helper()
	result, notes := h.ask(q.tool, q.arguments)
	if err := json.Unmarshal(result, into); err != nil {
		h.t.Fatalf("%s: %v", q, err)
	}
	return &Result{Tool: q.String(), Notes: notes, Result: result}
}

func (h truthCheck) stock(q question) examples {
	var got truth.Stock
	result := h.answer(q, &got)
	want := h.truth.Stock(q.store)
	result.noteIf(h.t, want.Totals.NegativePositions > 0, NegativeStock)
	result.noteIf(h.t, want.Totals.PositionsWithoutCost > 0, CostUnknown)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareValue(h.t, q, "warehouses", got.Warehouses, want.Warehouses)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.StockRow) string { return r.ProductID + orEmpty(r.WarehouseID) },
		func(r truth.StockRow) decimal.Decimal { return orZero(r.Money) })
	return examples{
		"cut": len(want.Rows) > q.Limit, "negative": want.Totals.NegativePositions > 0, "without cost": want.Totals.PositionsWithoutCost > 0,
		"archived": want.Totals.ArchivedPositions > 0, "reserved": want.Totals.Reserved.IsPositive(),
		"in transit":   want.Totals.InTransit.IsPositive(),
		"no warehouse": slices.ContainsFunc(want.Rows, func(r truth.StockRow) bool { return r.WarehouseID == nil }),
	}
}

func (h truthCheck) negativeStock(q question) examples {
	var got truth.NegativeStock
	result := h.answer(q, &got)
	want := h.truth.NegativeStock(q.store)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.NegativeRow) string { return r.ProductID + r.WarehouseID },
		func(r truth.NegativeRow) decimal.Decimal { return r.Units.Neg() })
	return examples{
		"cut": len(want.Rows) > q.Limit, "negative": len(want.Rows) > 0,
		"elsewhere": slices.ContainsFunc(want.Rows, func(r truth.NegativeRow) bool { return r.Elsewhere.IsPositive() }),
	}
}

func (h truthCheck) outOfStock(q question) examples {
	var got truth.OutOfStock
	result := h.answer(q, &got)
	want := h.truth.OutOfStock(q.WindowDays, q.store)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.OutRow) string { return r.ProductID },
		func(r truth.OutRow) decimal.Decimal { return r.SoldUnits })
	return examples{
		"cut": len(want.Rows) > q.Limit, "negative": want.Totals.Negative > 0, "in transit": want.Totals.InTransit > 0,
		"sold": want.Totals.Sold > 0, "not sold": want.Totals.Sold < want.Totals.Positions, "never there": want.Totals.NeverThere > 0,
		"minimum": slices.ContainsFunc(want.Rows, func(r truth.OutRow) bool { return r.Minimum != nil }),
	}
}

func (h truthCheck) belowMinimum(q question) examples {
	var got truth.BelowMinimum
	result := h.answer(q, &got)
	want := h.truth.BelowMinimum(q.store)
	h.minimumsNote(q, result, want)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareValue(h.t, q, "not set", got.NotSet, want.NotSet)
	compareValue(h.t, q, "set for all", got.SetForAll, want.SetForAll)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.BelowRow) string { return r.ProductID + orEmpty(r.WarehouseID) },
		func(r truth.BelowRow) decimal.Decimal { return r.Shortage })
	some := func(is func(truth.BelowRow) bool) bool { return slices.ContainsFunc(want.Rows, is) }
	return examples{
		"cut": len(want.Rows) > q.Limit, "out of stock": want.Totals.OutOfStock > 0, "not set": want.NotSet > 0,
		"set for all":            want.SetForAll != nil && *want.SetForAll > 0,
		"minimum of a warehouse": some(func(r truth.BelowRow) bool { return r.Warehouse != nil }),
		"minimum of all":         some(func(r truth.BelowRow) bool { return r.Warehouse == nil }),
		"no supplier":            some(func(r truth.BelowRow) bool { return r.Supplier == nil }),
		"transferable":           q.store == nil && h.transfers(q, result),
	}
}

// minimumsNote checks that the note counts every product: those compared, those without a minimum, and those whose minimum
// is not of the warehouse.
func (h truthCheck) minimumsNote(q question, result *Result, want truth.BelowMinimum) {
	result.mustNote(h.t, MinimumsByWarehouse)
	values := map[string]string{"compared": fmt.Sprint(want.Totals.Compared), "not_set": fmt.Sprint(want.NotSet)}
	if want.SetForAll != nil && *want.SetForAll > 0 {
		values["set_for_all"] = fmt.Sprint(*want.SetForAll)
	}
	for _, note := range result.Notes {
		if note.Code == MinimumsByWarehouse {
			compareValue(h.t, q, "note on minimums", note.Values, values)
		}
	}
}

// transfers checks that the tool offers every unit that can be moved, and each unit only once. It reports whether there
// are any.
func (h truthCheck) transfers(q question, result *Result) (some bool) {
	var got struct {
		Truncated bool `json:"truncated"`
		Rows      []struct {
			ProductID    string `json:"product_id"`
			Transferable []struct {
				Units decimal.Decimal `json:"units"`
			} `json:"transferable"`
		} `json:"rows"`
	}
	result.decode(h.t, &got)
	offered := map[string]decimal.Decimal{}
	for _, row := range got.Rows {
		offered[row.ProductID] = offered[row.ProductID].Add(decimal.Zero)
		for _, one := range row.Transferable {
			offered[row.ProductID] = offered[row.ProductID].Add(one.Units)
		}
	}
	for id, units := range offered {
		want := h.truth.Transferable(id)
		some = some || want.IsPositive()
		if got.Truncated && units.LessThan(want) {
			continue // some rows of the product are cut
		}
		if !units.Equal(want) {
			h.t.Errorf("%s: %s units of %s are transferable, want %s", q, units, id, want)
		}
	}
	return some
}

func (h truthCheck) shortages(q question) examples {
	var got truth.ShortageBySupplier
	result := h.answer(q, &got)
	want, below := h.truth.ShortageBySupplier(q.store), h.truth.BelowMinimum(q.store)
	h.minimumsNote(q, result, below)
	result.noteIf(h.t, want.Totals.LinesWithoutPrice > 0, CostUnknown)
	result.noteIf(h.t, want.Totals.OnOrder.IsPositive(), OnOrder)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	checkList(h.t, q, result, want.Totals.Positions)
	last := got.Suppliers[max(0, len(got.Suppliers)-1):]
	listed, right := sortSuppliers(slices.Clone(got.Suppliers)), sortSuppliers(want.Suppliers)
	for i := range min(len(listed), len(right)) {
		if len(listed[i].Lines) < listed[i].Positions { // cut by the limit
			right[i].Lines = keepListed(listed[i].Lines, right[i].Lines, lineKey)
		}
	}
	compareValue(h.t, q, "suppliers", listed, right)
	nobody := slices.ContainsFunc(want.Suppliers, func(s truth.SupplierShortage) bool { return s.SupplierID == nil })
	if nobody && (len(last) == 0 || last[0].SupplierID != nil) {
		h.t.Errorf("%s: the group without a supplier is not the last", q)
	}
	some := func(is func(truth.BelowRow) bool) bool {
		return slices.ContainsFunc(below.Rows, is)
	}
	return examples{
		"cut": want.Totals.Positions > q.Limit, "suppliers": want.Totals.Suppliers > 1, "no supplier": nobody,
		"no price": want.Totals.LinesWithoutPrice > 0, "on order": want.Totals.OnOrder.IsPositive(),
		"minimum of a warehouse": some(func(r truth.BelowRow) bool { return r.Warehouse != nil }),
		"minimum of all":         some(func(r truth.BelowRow) bool { return r.Warehouse == nil }),
	}
}

// keepListed removes the expected rows that the result does not list because it is cut.
func keepListed[R any](got, right []R, key func(R) string) []R {
	shown := map[string]bool{}
	for _, row := range got {
		shown[key(row)] = true
	}
	return slices.DeleteFunc(right, func(row R) bool { return !shown[key(row)] })
}

func lineKey(l truth.ShortageLine) string { return l.ProductID + orEmpty(l.Warehouse) }

func tradeKey(r truth.TradeRow) string { return orEmpty(r.OrderID) + fmt.Sprint(r.ShipmentIDs) }

// sortSuppliers sorts suppliers and their lines, so that the expected and the actual ones have the same order.
func sortSuppliers(suppliers []truth.SupplierShortage) []truth.SupplierShortage {
	slices.SortFunc(suppliers, func(a, b truth.SupplierShortage) int {
		return cmp.Compare(orEmpty(a.SupplierID), orEmpty(b.SupplierID))
	})
	for _, supplier := range suppliers {
		slices.SortFunc(supplier.Lines, func(a, b truth.ShortageLine) int {
			return cmp.Or(cmp.Compare(a.ProductID, b.ProductID), cmp.Compare(orEmpty(a.Warehouse), orEmpty(b.Warehouse)))
		})
	}
	return suppliers
}

func (h truthCheck) deadStock(q question) examples {
	var got truth.DeadStock
	result := h.answer(q, &got)
	want := h.truth.DeadStock(q.MinDays, q.SalesWindowDays, q.store)
	result.noteIf(h.t, want.Totals.PositionsWithoutCost > 0, CostUnknown)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareValue(h.t, q, "warehouses", got.Warehouses, want.Warehouses)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.DeadRow) string { return r.ProductID },
		func(r truth.DeadRow) decimal.Decimal { return orZero(r.FrozenMoney) })
	return examples{
		"cut": len(want.Rows) > q.Limit, "dead": want.Totals.DeadPositions > 0,
		"turns outside sales": want.Totals.DeadPositions < want.Totals.Positions,
		"without cost":        want.Totals.PositionsWithoutCost > 0, "archived": want.Totals.ArchivedPositions > 0,
	}
}

func (h truthCheck) margin(q question) examples {
	var got truth.Margin
	result := h.answer(q, &got)
	want := h.truth.Margin(q.period(), q.GroupBy)
	result.mustNote(h.t, CostCoverage)
	result.noteIf(h.t, want.Totals.CostCoveragePercent != nil && !want.Totals.Reliable, MarginUnreliable)
	result.noteIf(h.t, want.CoveredTogether != nil, CostPartlyKnown)
	result.noteIf(h.t, !want.ReturnsWithoutCost.IsZero(), ReturnsWithoutCost)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareValue(h.t, q, "kinds", got.Kinds, want.Kinds)
	compareValue(h.t, q, "uncovered", got.Uncovered, want.Uncovered)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.MarginRow) string { return orEmpty(r.ProductID) + orEmpty(r.ChannelID) },
		func(r truth.MarginRow) decimal.Decimal { return orZero(r.Revenue) })
	some := func(is func(truth.MarginRow) bool) bool { return slices.ContainsFunc(want.Rows, is) }
	return examples{
		"cut": len(want.Rows) > q.Limit, "edges": h.edges(q.period()), "returns": h.returned(q.period(), nil),
		"without cost": want.Totals.RowsWithoutCost > 0, "services": want.Totals.ServicesWithoutCost > 0,
		"bundles":          some(func(r truth.MarginRow) bool { return r.Kind == "bundle" }),
		"channels":         some(func(r truth.MarginRow) bool { return r.ChannelID != nil }),
		"no channel":       some(func(r truth.MarginRow) bool { return r.Kind == "channel" && r.ChannelID == nil }),
		"partly covered":   some(func(r truth.MarginRow) bool { return r.CoveredRevenue != nil }),
		"covered together": want.CoveredTogether != nil,
	}
}

func (h truthCheck) turnover(q question) examples {
	var got truth.Turnover
	result := h.answer(q, &got)
	want := h.truth.Turnover(q.period(), q.store)
	result.noteIf(h.t, want.Totals.PositionsWithoutCost > 0, CostUnknown)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.TurnoverRow) string { return r.ProductID },
		func(r truth.TurnoverRow) decimal.Decimal { return orZero(r.Out.Money) })
	return examples{
		"cut": len(want.Rows) > q.Limit, "edges": h.edges(q.period()), "returns": h.returned(q.period(), q.store),
		"without cost": want.Totals.PositionsWithoutCost > 0,
		"idle":         slices.ContainsFunc(want.Rows, func(r truth.TurnoverRow) bool { return r.In.Units.IsZero() && r.Out.Units.IsZero() }),
	}
}

func (h truthCheck) moneyPosition(q question) examples {
	var got truth.MoneyPosition
	result := h.answer(q, &got)
	want := h.truth.MoneyPosition()
	for _, other := range want.OtherCurrencies {
		if n := result.note(OtherCurrencies); n == nil || !strings.Contains(n.Text, *other.Currency) {
			h.t.Errorf("%s: the note %+v does not mention %s", q, n, *other.Currency)
		}
	}
	slices.SortFunc(got.OtherCurrencies, func(a, b truth.CurrencyCash) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) })
	slices.SortFunc(want.OtherCurrencies, func(a, b truth.CurrencyCash) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) })
	compareValue(h.t, q, "answer", got, want)
	return examples{"other currency": len(want.OtherCurrencies) > 0, "debtors": want.Debtors > 0, "creditors": want.Creditors > 0}
}

func (h truthCheck) cashRunway(q question) examples {
	var got truth.CashRunway
	h.answer(q, &got)
	want := h.truth.CashRunway(q.Months)
	byCode := func(a, b truth.CurrencyRunway) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) }
	slices.SortFunc(got.Currencies, byCode)
	slices.SortFunc(want.Currencies, byCode)
	compareValue(h.t, q, "answer", got, want)
	some := func(is func(truth.CurrencyRunway) bool) bool { return slices.ContainsFunc(want.Currencies, is) }
	return examples{
		"other currency": len(want.Currencies) > 1,
		"own transfers":  some(func(c truth.CurrencyRunway) bool { return c.OwnTransfers.IsPositive() }),
		"burning":        some(func(c truth.CurrencyRunway) bool { return c.Verdict == "burning" }),
		"cash positive":  some(func(c truth.CurrencyRunway) bool { return c.Verdict == "cash_positive" }),
	}
}

func (h truthCheck) reconciliation(q question) examples {
	places := []sandbox.Numbering{sandbox.NumberInCode, sandbox.NumberInName}
	for place, field := range numberArguments {
		if q.NumberIn == field {
			places = []sandbox.Numbering{place}
		}
	}
	var got truth.Reconciliation
	result := h.answer(q, &got)
	noStatus := func(d *sandbox.Document) bool {
		return d.State == nil && q.period().Has(d.Moment) && (q.channel == nil || d.Channel == q.channel)
	}
	result.noteIf(h.t, h.some(sandbox.CustomerOrder, noStatus), NoStatusIncluded)
	want := h.truth.Reconciliation(q.period(), q.GraceDays, q.channel, places...)
	cut := false
	for _, lists := range [][2]*[]truth.TradeRow{
		{&got.NotShipped, &want.NotShipped}, {&got.ShippedPartly, &want.ShippedPartly}, {&got.ShippedWithoutOrder, &want.ShippedWithoutOrder},
		{&got.AmountDiffers, &want.AmountDiffers}, {&got.CancelledButShipped, &want.CancelledButShipped},
		{&got.DuplicateNumbers, &want.DuplicateNumbers},
	} {
		for _, rows := range lists {
			sortTrades(*rows)
		}
		cut = cut || len(*lists[1]) > q.Limit
		if len(*lists[0]) == q.Limit {
			*lists[1] = keepListed(*lists[0], *lists[1], tradeKey)
		}
	}
	compareValue(h.t, q, "answer", got, want)
	empty := slices.ContainsFunc(want.Classes, func(c truth.TradeClass) bool { return c.Rows == 0 })
	return examples{
		"cut": cut, "edges": h.edges(q.period()), "every class": !empty, "duplicates": len(want.DuplicateNumbers) > 0, "matched": want.Matched > 0,
		"outside": want.Totals.OutsideOrders > 0 && want.Totals.OutsideShipments > 0,
	}
}

// sortTrades sorts rows and their shipments, so that the expected and the actual ones have the same order.
func sortTrades(rows []truth.TradeRow) {
	for _, row := range rows {
		slices.Sort(row.ShipmentIDs)
	}
	slices.SortFunc(rows, func(a, b truth.TradeRow) int {
		return cmp.Or(cmp.Compare(orEmpty(a.OrderID), orEmpty(b.OrderID)), slices.Compare(a.ShipmentIDs, b.ShipmentIDs))
	})
}

func (h truthCheck) overdueOrders(q question) examples {
	var got truth.OverdueOrders
	result := h.answer(q, &got)
	asOf := h.now
	if q.AsOf != "" {
		asOf = truth.Days(q.AsOf, q.AsOf).From
	}
	want := h.truth.OverdueOrders(asOf)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	if n := result.note(NoStatusIncluded); n == nil || n.Values["count"] != fmt.Sprint(want.Totals.WithoutStatus) {
		h.t.Errorf("%s: note %+v, want %d without a status", q, n, want.Totals.WithoutStatus)
	}
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.OverdueRow) string { return r.OrderID },
		func(r truth.OverdueRow) decimal.Decimal { return decimal.NewFromInt(int64(r.DaysOverdue)) })
	return examples{
		"cut": len(want.Rows) > q.Limit, "no status": want.Totals.WithoutStatus > 0, "status": want.Totals.WithoutStatus < want.Totals.Orders,
		"partly shipped": want.Totals.ShippedSum.IsPositive(),
	}
}

func (h truthCheck) zeroCostReceipts(q question) examples {
	var got truth.ZeroCostReceipts
	result := h.answer(q, &got)
	want := h.truth.ZeroCostReceipts(q.Days)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.ZeroCostRow) string { return r.DocumentID + r.ProductID + r.Units.String() },
		func(r truth.ZeroCostRow) decimal.Decimal { return decimal.NewFromInt(r.Moment.Unix()) })
	some := func(kind string) bool {
		return slices.ContainsFunc(want.Rows, func(r truth.ZeroCostRow) bool { return r.Document == kind })
	}
	return examples{
		"cut": len(want.Rows) > q.Limit, "receipts": some("supply"), "entries": some("enter"),
		"older": len(h.truth.ZeroCostReceipts(10*q.Days).Rows) > len(want.Rows),
	}
}

func (h truthCheck) slowMovers(q question) examples {
	var got truth.SlowMovers
	result := h.answer(q, &got)
	want := h.truth.SlowMovers(q.WindowDays, q.MinCoverDays, q.store)
	result.noteIf(h.t, want.Totals.PositionsWithoutCost > 0, CostUnknown)
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.SlowRow) string { return r.ProductID },
		func(r truth.SlowRow) decimal.Decimal { return orZero(r.Money) })
	return examples{
		"cut": len(want.Rows) > q.Limit, "slow": len(want.Rows) > 0, "without cost": want.Totals.PositionsWithoutCost > 0,
		"new": want.Totals.NewProducts > 0, "not sold": want.Totals.WithoutSales > 0,
	}
}

func (h truthCheck) reorderPoints(q question) examples {
	var got truth.ReorderPoints
	result := h.answer(q, &got)
	want := h.truth.ReorderPoints(q.WindowDays, q.ServiceLevel, q.LeadTimeDays, q.CoverDays, q.store)
	if (result.note(LeadTimeUnknown) != nil) != (want.Totals.WithoutLeadTime > 0) {
		h.t.Errorf("%s: %d without a lead time, notes %v", q, want.Totals.WithoutLeadTime, result.Notes)
	}
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.ReorderRow) string { return r.ProductID }, toOrder)
	some := func(is func(truth.ReorderRow) bool) bool { return slices.ContainsFunc(want.Rows, is) }
	return examples{
		"cut": len(want.Rows) > q.Limit, "to order": want.Totals.ToOrder > 0, "nothing to order": want.Totals.ToOrder < want.Totals.Positions,
		"censored":   some(func(r truth.ReorderRow) bool { return r.Censored }),
		"lead times": some(func(r truth.ReorderRow) bool { return r.LeadTimeReceipts > 0 }),
	}
}

// toOrder ranks products that need an order above the others.
func toOrder(r truth.ReorderRow) decimal.Decimal {
	if orZero(r.OrderUnits).IsPositive() {
		return decimal.NewFromInt(1)
	}
	return decimal.Zero
}

func (h truthCheck) abcXYZ(q question) examples {
	var got truth.ABCXYZ
	result := h.answer(q, &got)
	want := h.truth.ABCXYZ(q.WindowDays, q.Metric, q.XPercent, q.YPercent, q.store)
	slices.SortFunc(got.Cells, func(a, b truth.ABCCell) int { return cmp.Compare(a.Cell, b.Cell) })
	compareValue(h.t, q, "totals", got.Totals, want.Totals)
	compareValue(h.t, q, "cells", got.Cells, want.Cells)
	compareRows(h.t, q, result, got.Rows, want.Rows, func(r truth.ABCRow) string { return r.ProductID },
		func(r truth.ABCRow) decimal.Decimal { return orZero(r.Value) })
	result.noteIf(h.t, want.Totals.CostPartlyKnown > 0, CostPartlyKnown)
	found := examples{
		"cut": len(want.Rows) > q.Limit, "without cost": want.Totals.WithoutCost > 0, "cost partly known": want.Totals.CostPartlyKnown > 0,
		"archived": want.Totals.ArchivedProducts > 0,
		"new":      slices.ContainsFunc(want.Rows, func(r truth.ABCRow) bool { return r.XYZ == "n/a" }),
		"sold out": slices.ContainsFunc(want.Rows, func(r truth.ABCRow) bool { return r.StockUnits != nil && r.StockUnits.IsZero() }),
		"no stock": slices.ContainsFunc(want.Rows, func(r truth.ABCRow) bool { return r.StockUnits == nil }),
		"returned": slices.ContainsFunc(want.Rows, func(r truth.ABCRow) bool { return !r.SoldUnits.IsPositive() }),
	}
	for _, class := range []string{"A", "B", "C", "X", "Y", "Z"} {
		found[class] = slices.ContainsFunc(want.Rows, func(r truth.ABCRow) bool { return r.ABC == class || r.XYZ == class })
	}
	return found
}
