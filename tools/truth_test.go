package tools

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// The tests in this file compare the JSON of the tools with package truth, which shares no code with them.

// The period for questions that need one. It starts and ends inside the simulated history, so that the opening and
// closing stock, and returns of earlier sales, affect the figures.
const (
	firstDay90 = "2026-08-10"
	lastDay    = "2026-11-10"
	period90   = `"from":"` + firstDay90 + `","to":"` + lastDay + `"`
)

// mostRows is the largest limit that a question may have.
const mostRows = 1000

// The rows and totals of each tool must equal those of the books exactly.
func TestEveryToolMatchesTruth(t *testing.T) {
	products := 1000
	if testing.Short() {
		products = 150 // with the race detector, the books take ten times as long
	}
	eachSeed(t, sandbox.Config{Products: products}, func(t *testing.T, s *shop) {
		everyTool(t, s, truth.Of(s.Books(), s.clock(), truth.View{}))
	})
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
				everyTool(t, s, truth.Of(s.Books(), s.clock(), role.view))
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
			truths[tool](h)
			_, result := h.answer(tool, `{}`, nil)
			result.mustNote(t, StockRecalculating)
		}
	})
}

// truthCheck compares the answers about one account with those of package truth.
type truthCheck struct {
	t                 *testing.T
	books             *sandbox.Books
	truth             *truth.Truth
	costsVisible      bool // whether the connection sees cost
	allWarehousesOnly bool // whether to ask only about all warehouses together
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
	return truthCheck{t: t, books: s.Books(), truth: truth, costsVisible: s.account.Rights.Cost, ask: ask}
}

func everyTool(t *testing.T, s *shop, expected *truth.Truth) {
	s.newTruthCheck(t, expected).everyTool()
}

// truths has a comparison for each tool. Each tool with figures must be listed.
var truths = map[string]func(truthCheck){
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
	"search_products":      func(truthCheck) {}, // it has no figures; its own tests check its rows
}

func (h truthCheck) everyTool() {
	for _, tool := range All() {
		check, known := truths[tool.Name]
		if !known {
			h.t.Errorf("truths has no comparison for %s", tool.Name)
			continue
		}
		check(h)
	}
}

// answer calls a tool and decodes the result into a type of package truth.
func (h truthCheck) answer(tool, arguments string, into any) (string, *Result) {
	h.t.Helper()
	result, notes := h.ask(tool, arguments)
	if into != nil {
		if err := json.Unmarshal(result, into); err != nil {
			h.t.Fatalf("%s %s: %v", tool, arguments, err)
		}
	}
	return tool + " " + arguments, &Result{Tool: tool, Notes: notes}
}

// warehouseArguments returns arguments for a question about all warehouses, and for one about each warehouse.
func (h truthCheck) warehouseArguments() map[string]*sandbox.Store {
	all := map[string]*sandbox.Store{`"limit":1000`: nil}
	if h.allWarehousesOnly {
		return all
	}
	for _, store := range h.books.Stores {
		all[fmt.Sprintf(`"limit":1000,"warehouse":%q`, store.ID)] = store
	}
	return all
}

// fewWarehouseArguments returns arguments for a question about all warehouses, and for one about a single warehouse. It
// is for tools that read everything again for each warehouse.
func (h truthCheck) fewWarehouseArguments() map[string]*sandbox.Store {
	all := h.warehouseArguments()
	for arguments, store := range all {
		if store != nil && store != h.books.Stores[1] {
			delete(all, arguments)
		}
	}
	return all
}

func (h truthCheck) stock() {
	for arguments, store := range h.warehouseArguments() {
		var got truth.Stock
		what, result := h.answer("stock", "{"+arguments+"}", &got)
		result.noteIf(h.t, got.Totals.NegativePositions > 0, NegativeStock)
		result.noteIf(h.t, got.Totals.PositionsWithoutCost > 0, CostUnknown)
		want := h.truth.Stock(store)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareValue(h.t, what+" warehouses", got.Warehouses, want.Warehouses)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.StockRow) string { return r.ProductID + orEmpty(r.WarehouseID) },
			func(r truth.StockRow) decimal.Decimal { return orZero(r.Money) })
	}
}

func (h truthCheck) negativeStock() {
	var got truth.NegativeStock
	what, _ := h.answer("negative_stock", `{"limit":1000}`, &got)
	want := h.truth.NegativeStock(nil)
	compareValue(h.t, what, got.Totals, want.Totals)
	compareRows(h.t, what, got.Rows, want.Rows, func(r truth.NegativeRow) string { return r.ProductID + r.WarehouseID },
		func(r truth.NegativeRow) decimal.Decimal { return r.Units.Neg() })
}

func (h truthCheck) outOfStock() {
	for arguments, store := range h.fewWarehouseArguments() {
		var got truth.OutOfStock
		what, _ := h.answer("out_of_stock", "{"+arguments+"}", &got)
		want := h.truth.OutOfStock(90, store)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.OutRow) string { return r.ProductID },
			func(r truth.OutRow) decimal.Decimal { return r.SoldUnits })
	}
}

func (h truthCheck) belowMinimum() {
	for arguments, store := range h.warehouseArguments() {
		var got truth.BelowMinimum
		what, _ := h.answer("below_minimum", "{"+arguments+"}", &got)
		want := h.truth.BelowMinimum(store)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareValue(h.t, what+" not set", got.NotSet, want.NotSet)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.BelowRow) string { return r.ProductID + orEmpty(r.WarehouseID) },
			func(r truth.BelowRow) decimal.Decimal { return r.Shortage })
	}
	h.transfers()
}

// transfers checks that the tool offers every unit that can be moved, and each unit only once.
func (h truthCheck) transfers() {
	var got struct {
		Truncated bool `json:"truncated"`
		Rows      []struct {
			ProductID    string `json:"product_id"`
			Transferable []struct {
				Units decimal.Decimal `json:"units"`
			} `json:"transferable"`
		} `json:"rows"`
	}
	what, _ := h.answer("below_minimum", `{"limit":1000}`, &got)
	offered := map[string]decimal.Decimal{}
	for _, row := range got.Rows {
		offered[row.ProductID] = offered[row.ProductID].Add(decimal.Zero)
		for _, one := range row.Transferable {
			offered[row.ProductID] = offered[row.ProductID].Add(one.Units)
		}
	}
	for id, units := range offered {
		want := h.truth.Transferable(id)
		if got.Truncated && units.LessThan(want) {
			continue // some rows of the product are cut
		}
		if !units.Equal(want) {
			h.t.Errorf("%s: %s units of %s are transferable, want %s", what, units, id, want)
		}
	}
}

func (h truthCheck) shortages() {
	for arguments, store := range h.warehouseArguments() {
		var got truth.ShortageBySupplier
		what, _ := h.answer("shortage_by_supplier", "{"+arguments+"}", &got)
		want := h.truth.ShortageBySupplier(store)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		listed, right := sortSuppliers(got.Suppliers), sortSuppliers(want.Suppliers)
		for i := range min(len(listed), len(right)) {
			if len(listed[i].Lines) < listed[i].Positions { // cut by the limit
				right[i].Lines = keepListed(listed[i].Lines, right[i].Lines, lineKey)
			}
		}
		compareValue(h.t, what, listed, right)
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

func (h truthCheck) deadStock() {
	for arguments, store := range h.fewWarehouseArguments() {
		minDays, window := 90, 90
		if store != nil {
			minDays, window = 30, 200
		}
		var got truth.DeadStock
		what, result := h.answer("dead_stock", fmt.Sprintf(`{"min_days":%d,"sales_window_days":%d,%s}`, minDays, window, arguments), &got)
		want := h.truth.DeadStock(minDays, window, store)
		result.noteIf(h.t, got.Totals.PositionsWithoutCost > 0, CostUnknown)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareValue(h.t, what+" warehouses", got.Warehouses, want.Warehouses)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.DeadRow) string { return r.ProductID },
			func(r truth.DeadRow) decimal.Decimal { return orZero(r.FrozenMoney) })
	}
}

func (h truthCheck) margin() {
	for _, by := range []string{"product", "variant", "channel"} {
		var got truth.Margin
		what, result := h.answer("margin", fmt.Sprintf(`{%s,"group_by":%q,"limit":1000}`, period90, by), &got)
		want := h.truth.Margin(truth.Days(firstDay90, lastDay), by)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		result.mustNote(h.t, CostCoverage)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.MarginRow) string { return orEmpty(r.ProductID) + orEmpty(r.ChannelID) },
			func(r truth.MarginRow) decimal.Decimal { return orZero(r.Revenue) })
	}
}

func (h truthCheck) turnover() {
	for arguments, store := range h.fewWarehouseArguments() {
		var got truth.Turnover
		what, result := h.answer("turnover", "{"+period90+","+arguments+"}", &got)
		want := h.truth.Turnover(truth.Days(firstDay90, lastDay), store)
		result.noteIf(h.t, got.Totals.PositionsWithoutCost > 0, CostUnknown)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.TurnoverRow) string { return r.ProductID },
			func(r truth.TurnoverRow) decimal.Decimal { return orZero(r.Out.Money) })
	}
}

func (h truthCheck) moneyPosition() {
	var got truth.MoneyPosition
	what, result := h.answer("money_position", `{}`, &got)
	want := h.truth.MoneyPosition()
	for _, other := range want.OtherCurrencies {
		if n := result.note(OtherCurrencies); n == nil || !strings.Contains(n.Text, *other.Currency) {
			h.t.Errorf("%s: the note %+v does not mention %s", what, n, *other.Currency)
		}
	}
	slices.SortFunc(got.OtherCurrencies, func(a, b truth.CurrencyCash) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) })
	slices.SortFunc(want.OtherCurrencies, func(a, b truth.CurrencyCash) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) })
	compareValue(h.t, what, got, want)
}

func (h truthCheck) cashRunway() {
	var got truth.CashRunway
	what, _ := h.answer("cash_runway", `{}`, &got)
	want := h.truth.CashRunway(3)
	byCode := func(a, b truth.CurrencyRunway) int { return cmp.Compare(orEmpty(a.Currency), orEmpty(b.Currency)) }
	slices.SortFunc(got.Currencies, byCode)
	slices.SortFunc(want.Currencies, byCode)
	compareValue(h.t, what, got, want)
}

func (h truthCheck) reconciliation() {
	for arguments, places := range map[string][]sandbox.Numbering{
		``: {sandbox.NumberInCode, sandbox.NumberInName},
		`,"number_in":"attribute:Номер заказа маркетплейса"`: {sandbox.NumberInAttribute},
	} {
		h.reconcile(arguments, nil, places)
	}
	for _, channel := range h.books.Channels {
		argument := map[sandbox.Numbering]string{
			sandbox.NumberInName: "name", sandbox.NumberInCode: "external_code", sandbox.NumberInAttribute: "attribute:Номер заказа маркетплейса",
		}[channel.Numbering]
		h.reconcile(fmt.Sprintf(`,"channel":%q,"number_in":%q`, channel.Name, argument), channel, []sandbox.Numbering{channel.Numbering})
	}
}

func (h truthCheck) reconcile(arguments string, channel *sandbox.SalesChannel, places []sandbox.Numbering) {
	var got truth.Reconciliation
	what, _ := h.answer("reconcile_shipments", `{"from":"2026-10-12","to":"2026-11-19","limit":1000`+arguments+`}`, &got)
	want := h.truth.Reconciliation(truth.Days("2026-10-12", "2026-11-19"), 3, channel, places...)
	for _, lists := range [][]truth.TradeRow{
		got.NotShipped, got.ShippedPartly, got.ShippedWithoutOrder, got.AmountDiffers, got.CancelledButShipped, got.DuplicateNumbers,
		want.NotShipped, want.ShippedPartly, want.ShippedWithoutOrder, want.AmountDiffers, want.CancelledButShipped, want.DuplicateNumbers,
	} {
		for _, row := range lists {
			slices.Sort(row.ShipmentIDs)
		}
		slices.SortFunc(lists, func(a, b truth.TradeRow) int {
			return cmp.Or(cmp.Compare(orEmpty(a.OrderID), orEmpty(b.OrderID)), slices.Compare(a.ShipmentIDs, b.ShipmentIDs))
		})
	}
	for _, lists := range [][2]*[]truth.TradeRow{
		{&got.NotShipped, &want.NotShipped}, {&got.ShippedPartly, &want.ShippedPartly}, {&got.ShippedWithoutOrder, &want.ShippedWithoutOrder},
		{&got.AmountDiffers, &want.AmountDiffers}, {&got.CancelledButShipped, &want.CancelledButShipped},
		{&got.DuplicateNumbers, &want.DuplicateNumbers},
	} {
		if len(*lists[0]) == mostRows {
			*lists[1] = keepListed(*lists[0], *lists[1], tradeKey)
		}
	}
	compareValue(h.t, what, got, want)
}

func (h truthCheck) overdueOrders() {
	var got truth.OverdueOrders
	what, result := h.answer("overdue_orders", `{"limit":1000}`, &got)
	want := h.truth.OverdueOrders(noon)
	compareValue(h.t, what+" totals", got.Totals, want.Totals)
	if n := result.note(NoStatusIncluded); n == nil || n.Values["count"] != fmt.Sprint(want.Totals.WithoutStatus) {
		h.t.Errorf("%s: note %+v, want %d without a status", what, n, want.Totals.WithoutStatus)
	}
	compareRows(h.t, what, got.Rows, want.Rows, func(r truth.OverdueRow) string { return r.OrderID },
		func(r truth.OverdueRow) decimal.Decimal { return decimal.NewFromInt(int64(r.DaysOverdue)) })
}

func (h truthCheck) zeroCostReceipts() {
	if !h.costsVisible {
		return
	}
	for _, days := range []int{365, 120} {
		var got truth.ZeroCostReceipts
		what, _ := h.answer("zero_cost_receipts", fmt.Sprintf(`{"limit":1000,"days":%d}`, days), &got)
		want := h.truth.ZeroCostReceipts(days)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.ZeroCostRow) string { return r.DocumentID + r.ProductID + r.Units.String() },
			func(r truth.ZeroCostRow) decimal.Decimal { return decimal.NewFromInt(r.Moment.Unix()) })
	}
}

func (h truthCheck) slowMovers() {
	for arguments, store := range h.fewWarehouseArguments() {
		var got truth.SlowMovers
		what, result := h.answer("slow_movers", "{"+arguments+"}", &got)
		result.noteIf(h.t, got.Totals.PositionsWithoutCost > 0, CostUnknown)
		want := h.truth.SlowMovers(90, 180, store)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.SlowRow) string { return r.ProductID },
			func(r truth.SlowRow) decimal.Decimal { return orZero(r.Money) })
	}
}

func (h truthCheck) reorderPoints() {
	fortnight := 14.0
	for arguments, given := range map[string]*float64{
		`"limit":1000`: nil,
		`"limit":1000,"lead_time_days":14,"service_level":0.9`: &fortnight,
	} {
		level := 0.95
		if given != nil {
			level = 0.9
		}
		var got truth.ReorderPoints
		what, _ := h.answer("reorder_points", "{"+arguments+"}", &got)
		want := h.truth.ReorderPoints(90, level, given, nil)
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.ReorderRow) string { return r.ProductID }, toOrder)
	}
}

// toOrder ranks products that need an order above the others.
func toOrder(r truth.ReorderRow) decimal.Decimal {
	if orZero(r.OrderUnits).IsPositive() {
		return decimal.NewFromInt(1)
	}
	return decimal.Zero
}

func (h truthCheck) abcXYZ() {
	metrics := []string{"revenue"}
	if h.costsVisible {
		metrics = append(metrics, "profit")
	}
	for _, metric := range metrics {
		var got truth.ABCXYZ
		what, _ := h.answer("abc_xyz", `{"x_percent":50,"y_percent":100,"limit":1000,"metric":"`+metric+`"}`, &got)
		want := h.truth.ABCXYZ(90, metric, 50, 100)
		slices.SortFunc(got.Cells, func(a, b truth.ABCCell) int { return cmp.Compare(a.Cell, b.Cell) })
		compareValue(h.t, what+" totals", got.Totals, want.Totals)
		compareValue(h.t, what+" cells", got.Cells, want.Cells)
		compareRows(h.t, what, got.Rows, want.Rows, func(r truth.ABCRow) string { return r.ProductID },
			func(r truth.ABCRow) decimal.Decimal { return orZero(r.Value) })
	}
}
