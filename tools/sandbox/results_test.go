package sandbox_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// profitRow adds the upstream's margins, which package moysklad does not read.
type profitRow struct {
	moysklad.ProfitRow
	Profit      decimal.Decimal `json:"profit"`
	Margin      decimal.Decimal `json:"margin"`
	SalesMargin decimal.Decimal `json:"salesMargin"`
	SalesCount  int             `json:"salesCount"`
}

const october = "momentFrom=2026-10-01%2000:00:00&momentTo=2026-10-31%2023:59:59"

// booked adds up the documents of October. It returns the sums sold and returned, and their costs.
func booked(b *sandbox.Books) (sold, cost, returned, returnCost sandbox.Amount) {
	from, to := time.Date(2026, 10, 1, 0, 0, 0, 0, moysklad.Moscow), time.Date(2026, 11, 1, 0, 0, 0, 0, moysklad.Moscow)
	for _, kind := range []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand, sandbox.SalesReturn, sandbox.RetailSalesReturn} {
		for _, d := range b.Documents[kind] {
			if !d.Posted() || d.Moment.Before(from) || !d.Moment.Before(to) {
				continue
			}
			for i := range d.Positions {
				if kind == sandbox.Demand || kind == sandbox.RetailDemand {
					sold += d.Positions[i].Sum()
					cost += d.Positions[i].Cost
				} else {
					returned += d.Positions[i].Sum()
					returnCost += d.Positions[i].Cost
				}
			}
		}
	}
	return sold, cost, returned, returnCost
}

func TestProfitFollowsFromTheDocuments(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	sold, cost, returned, back := booked(a.Books())
	if sold == 0 || cost == 0 || returned == 0 {
		t.Fatal("there are no sales or no returns in October")
	}
	for _, by := range []string{"byproduct", "byvariant", "bysaleschannel", "bycounterparty", "byemployee"} {
		var sum [4]decimal.Decimal
		for _, row := range get[list[profitRow]](a, "/report/profit/"+by+"?"+october).Rows {
			sum[0] = sum[0].Add(row.SellSum.Decimal)
			sum[1] = sum[1].Add(row.SellCostSum.Decimal)
			sum[2] = sum[2].Add(row.ReturnSum.Decimal)
			sum[3] = sum[3].Add(row.ReturnCostSum.Decimal)
			checkMargins(t, row)
		}
		for i, want := range []sandbox.Amount{sold, cost, returned, back} {
			if !sum[i].Equal(want.Kopecks().Decimal) {
				t.Errorf("%s: figure %d is %v, want %v", by, i, sum[i], want.Kopecks())
			}
		}
	}
}

// checkMargins compares a row with the documented formulas. If the cost is unknown, margin must be 0 and salesMargin 1.
func checkMargins(t *testing.T, row profitRow) {
	t.Helper()
	profit := row.SellSum.Sub(row.SellCostSum.Decimal).Sub(row.ReturnSum.Decimal).Add(row.ReturnCostSum.Decimal)
	cost := row.SellCostSum.Sub(row.ReturnCostSum.Decimal)
	revenue := row.SellSum.Sub(row.ReturnSum.Decimal)
	near := func(a, b decimal.Decimal) bool { return a.Sub(b).Abs().LessThan(decimal.New(1, -9)) }
	switch {
	case !profit.Equal(row.Profit):
		t.Errorf("profit %v, want %v", row.Profit, profit)
	case cost.IsZero() && !row.Margin.IsZero(), !cost.IsZero() && !near(row.Margin, profit.DivRound(cost, 12)):
		t.Errorf("margin %v of profit %v on cost %v", row.Margin, profit, cost)
	case !revenue.IsZero() && !near(row.SalesMargin, profit.DivRound(revenue, 12)):
		t.Errorf("salesMargin %v of profit %v on revenue %v", row.SalesMargin, profit, revenue)
	}
}

func TestUnknownCostGivesSalesMarginOfOne(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	found := 0
	for _, row := range get[list[profitRow]](a, "/report/profit/byproduct?momentFrom=2025-01-01%2000:00:00").Rows {
		if row.Assortment.Meta.Type == "product" && row.SellCostSum.IsZero() && row.Margin.IsZero() &&
			row.SalesMargin.Equal(decimal.NewFromInt(1)) {
			found++
		}
	}
	if found == 0 {
		t.Error("no product with an unknown cost was sold")
	}
}

func TestProfitIsFiltered(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	b := a.Books()
	sum := func(query string) decimal.Decimal {
		var sum decimal.Decimal
		for _, row := range get[list[profitRow]](a, "/report/profit/bycounterparty"+query).Rows {
			sum = sum.Add(row.SellSum.Decimal)
		}
		return sum
	}
	if !sum("").Equal(sum("?momentFrom=2026-10-21%2012:00:00&momentTo=2026-11-21%2012:00:00")) {
		t.Error("without dates, the period is not the last month")
	}
	if !sum("?momentTo=2026-03-31%2023:59:59").Equal(sum("?momentFrom=2026-01-01%2000:00:00&momentTo=2026-03-31%2023:59:59")) {
		t.Error("with only an end, the period does not start with the year")
	}
	whole := sum("?" + october)
	var byStore, byChannel, byType decimal.Decimal
	for _, store := range b.Stores {
		byStore = byStore.Add(sum("?" + october + "&filter=" + all("store="+moysklad.Href("store", store.ID))))
	}
	for _, channel := range b.Channels {
		byChannel = byChannel.Add(sum("?" + october + "&filter=" + all("salesChannel="+moysklad.Href("saleschannel", channel.ID))))
	}
	for _, kind := range []string{"demand", "retaildemand"} {
		byType = byType.Add(sum("?" + october + "&filter=entityType=" + kind))
	}
	if !byStore.Equal(whole) || !byType.Equal(whole) || !byChannel.LessThan(whole) {
		t.Errorf("%v by warehouse, %v by type, %v by channel; the whole is %v", byStore, byType, byChannel, whole)
	}
}

func TestRowWithoutChannelCanBeHidden(t *testing.T) {
	for _, hidden := range []bool{false, true} {
		a := open(t, sandbox.Config{Seed: 1, Switches: sandbox.Switches{NoChannelRowHidden: hidden}})
		bare := 0
		for _, row := range get[list[profitRow]](a, "/report/profit/bysaleschannel").Rows {
			if row.SalesChannel == nil {
				bare++
			}
		}
		if (bare == 0) != hidden {
			t.Errorf("hidden %v: %d rows without a channel", hidden, bare)
		}
	}
}

func TestTurnoverBalances(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	b := a.Books()
	ids := map[string]bool{}
	const autumn = "&momentFrom=2026-09-01%2000:00:00&momentTo=2026-11-21%2012:00:00&filter=archived=true;archived=false"
	for _, row := range get[list[moysklad.TurnoverRow]](a, "/report/turnover/all?groupBy=variant"+autumn).Rows {
		ids[row.Assortment.Meta.ID()] = true
		closing := row.Opening.Quantity.Add(row.Income.Quantity.Decimal).Sub(row.Outcome.Quantity.Decimal)
		sum := row.Opening.Sum.Add(row.Income.Sum.Decimal).Sub(row.Outcome.Sum.Decimal)
		h, cost := total(b, b.Item(row.Assortment.Meta.ID()))
		if !closing.Equal(row.Closing.Quantity.Decimal) || !sum.Equal(row.Closing.Sum.Decimal) {
			t.Errorf("%s: %v at a cost of %v by the movements, but the closing balance is %v at %v", row.Assortment.Name, closing, sum, row.Closing.Quantity, row.Closing.Sum)
		}
		if !closing.Equal(h.Stock.Quantity().Decimal) || !sum.Equal(cost.Kopecks().Decimal) {
			t.Errorf("%s: the closing balance is %v at a cost of %v, the stock %v at %v", row.Assortment.Name, closing, sum, h.Stock.Quantity(), cost.Kopecks())
		}
	}
	for _, item := range b.Assortment {
		if h, _ := total(b, item); h.Stock != 0 && !ids[item.ID] {
			t.Errorf("%s is in stock, but not in the report", item.Name)
		}
	}
	for _, row := range get[list[moysklad.TurnoverRow]](a, "/report/turnover/all?groupBy=variant").Rows {
		if b.Item(row.Assortment.Meta.ID()).Archived {
			t.Errorf("%s is archived and must not be listed by default", row.Assortment.Name)
		}
	}
}

// If the report is not filtered by type or warehouse, moves count neither as income nor as outcome. The outcomes of all
// types add up to the whole.
func TestTurnoverByTypeAddsUp(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	out := func(filter string) decimal.Decimal {
		var sum decimal.Decimal
		rows := get[list[moysklad.TurnoverRow]](a, "/report/turnover/all?momentFrom=2025-01-01%2000:00:00&filter="+all(filter)).Rows
		for _, row := range rows {
			sum = sum.Add(row.Outcome.Quantity.Decimal)
		}
		return sum
	}
	var types decimal.Decimal
	for _, kind := range []string{"demand", "retaildemand", "loss", "processing", "purchasereturn"} {
		types = types.Add(out("type=" + kind))
	}
	if whole := out(""); !whole.Equal(types) || whole.IsZero() {
		t.Errorf("the types add up to %v, the whole is %v", types, whole)
	}
	if moved := out("type=move"); moved.IsZero() {
		t.Error("nothing moved")
	}
	store := "store=" + moysklad.Href("store", a.Books().Stores[0].ID)
	if inStore := out(store); !inStore.GreaterThan(out("type=demand;" + store)) {
		t.Error("the outcome of a warehouse does not include moves")
	}
	if refused := a.send(http.MethodGet, "/report/turnover/all?filter=type=gift", "", nil); refused.StatusCode != http.StatusBadRequest {
		t.Errorf("unknown type: %d", refused.StatusCode)
	}
	item := a.stockedItem()
	var card decimal.Decimal
	path := "/report/turnover/byoperations?momentFrom=2025-01-01%2000:00:00&filter=" + all("product="+href(item))
	for _, row := range get[list[struct{ Quantity decimal.Decimal }]](a, path).Rows {
		card = card.Add(row.Quantity)
	}
	if h, _ := total(a.Books(), item); !card.Equal(h.Stock.Quantity().Decimal) {
		t.Errorf("the movements add up to %v, the stock is %v", card, h.Stock.Quantity())
	}
}

func TestMoneyIsPerAccountInItsOwnCurrency(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	answer := a.send(http.MethodGet, "/report/money/byaccount", "", nil)
	if strings.Contains(answer.text, `"size"`) || strings.Contains(answer.text, "currency") {
		t.Error("byaccount has a size or a currency")
	}
	desks := 0
	for _, row := range get[list[moysklad.CashBalance]](a, "/report/money/byaccount").Rows {
		if row.Account == nil {
			desks++
		}
	}
	if desks != len(a.Books().Organizations) {
		t.Errorf("%d cash desks", desks)
	}
	// Income minus expense over all time, in the account's own currency, is the money that is left.
	const always = "momentFrom=2025-01-01%2000:00:00&momentTo=2026-11-21%2012:00:00"
	type flows struct {
		Income  moysklad.Kopecks `json:"credit"`
		Expense moysklad.Kopecks `json:"debit"`
		Series  []struct {
			Income moysklad.Kopecks `json:"credit"`
		}
	}
	flow := get[flows](a, "/report/money/plotseries?interval=month&"+always)
	var there decimal.Decimal
	for _, organization := range a.Books().Organizations {
		there = there.Add(a.Books().CashBalance(organization, nil).Kopecks().Decimal)
		for _, account := range organization.Accounts {
			balance := a.Books().CashBalance(organization, account).Kopecks().Mul(decimal.New(account.Currency.Rate, -3))
			there = there.Add(balance)
		}
	}
	if got := flow.Income.Sub(flow.Expense.Decimal); !got.Equal(there) {
		t.Errorf("the flows add up to %v, the balances to %v", got, there)
	}
	var income decimal.Decimal
	for _, month := range flow.Series {
		income = income.Add(month.Income.Decimal)
	}
	if !income.Equal(flow.Income.Decimal) {
		t.Errorf("the months add up to %v, the whole is %v", income, flow.Income)
	}
}

func TestDebtorsHaveNegativeBalances(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	debtors := get[list[moysklad.CounterpartyRow]](a, "/report/counterparty?filter="+all("balance<0"))
	for _, row := range debtors.Rows {
		if !row.Balance.IsNegative() {
			t.Errorf("%s is not a debtor", row.Counterparty.Name)
		}
	}
	text := a.send(http.MethodGet, "/report/counterparty", "", nil).text
	if debtors.Meta.Size == 0 || !strings.Contains(text, `"lastEventText":null`) {
		t.Error("no debtors, or no explicit nulls")
	}
}

func TestDashboardAgreesWithTheSeries(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true})
	type figures struct {
		Count  int             `json:"count"`
		Amount decimal.Decimal `json:"amount"`
	}
	month := get[struct{ Sales, Orders figures }](a, "/report/dashboard/month")
	for path, want := range map[string]figures{"sales": month.Sales, "orders": month.Orders} {
		series := get[struct {
			Series []struct {
				Quantity int             `json:"quantity"`
				Sum      decimal.Decimal `json:"sum"`
			} `json:"series"`
		}](a, "/report/"+path+"/plotseries?interval=day&momentFrom=2026-10-21%2012:00:00&momentTo=2026-11-21%2012:00:00").Series
		count, sum := 0, decimal.Zero
		for _, day := range series {
			count += day.Quantity
			sum = sum.Add(day.Sum)
		}
		if count != want.Count || !sum.Equal(want.Amount) || count == 0 {
			t.Errorf("%s: %d for %v, the series have %d for %v", path, want.Count, want.Amount, count, sum)
		}
	}
}

// Sales by days include the sums that commission agents report as sold. No shipment has these sums as revenue.
//
// Source: md/reports/_report_sales_orders.md.
func TestSalesByDaysIncludeCommissionReports(t *testing.T) {
	a := open(t, sandbox.Config{Seed: 1, Unlimited: true, Switches: sandbox.Switches{Commission: true}})
	want := 0
	for _, kind := range []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand, sandbox.CommissionReportIn} {
		posted := 0
		for _, d := range a.Books().Documents[kind] {
			if d.Posted() {
				posted++
			}
		}
		if posted == 0 {
			t.Errorf("there is no %s", kind)
		}
		want += posted
	}
	got := 0
	for _, month := range get[struct {
		Series []struct {
			Quantity int `json:"quantity"`
		} `json:"series"`
	}](a, "/report/sales/plotseries?interval=month&momentFrom=2024-01-01%2000:00:00&momentTo=2026-11-21%2012:00:00").Series {
		got += month.Quantity
	}
	if got != want {
		t.Errorf("%d sales, want %d", got, want)
	}
}
