package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// In the vendor's example the cost is known for only 0.00073 % of revenue, and the margin of that part is 40 %. A naive
// calculation, with unknown cost as 0, gives 99.9996 %.
//
// Source: md/reports/_report_pnl.md, the example of report/profit/byproduct.
func TestMarginOfVendorSample(t *testing.T) {
	const sample = `[
		{"assortment": {"meta": {"href": "h/product/1", "type": "product"}, "name": "Курево"}, "sellQuantity": 8643.0, "sellSum": 1868400300.0, "sellCostSum": 0.0, "returnQuantity": 0.0, "returnSum": 0.0, "returnCostSum": 0.0},
		{"assortment": {"meta": {"href": "h/product/2", "type": "product"}, "name": "Ногтеточка"}, "sellQuantity": 4765.0, "sellSum": 476500000000.0, "sellCostSum": 0.0, "returnQuantity": 0.0, "returnSum": 0.0, "returnCostSum": 0.0},
		{"assortment": {"meta": {"href": "h/service/3", "type": "service"}, "name": "Заточка коньков"}, "sellQuantity": 10.0, "sellSum": 5000000.0, "sellCostSum": 3000000.0, "returnQuantity": 3.0, "returnSum": 1500000.0, "returnCostSum": 900000.0}]`
	var rows []moysklad.ProfitRow
	must(t, json.Unmarshal([]byte(sample), &rows))
	count := newMarginBuilder(50)
	for _, row := range rows {
		count.addSale(newSale(row))
	}
	sums := newMarginSums(&count.total)
	if got := fmt.Sprint(sums.CostCoveragePercent, " ", sums.CoveredMarginPercent, " ", text(sums.CoveredProfit), " ", sums.RowsWithoutCost,
		" ", count.total.reliable()); got != "0.00073 40 14000.00 2 false" {
		t.Errorf("coverage, margin, profit, rows without cost, reliable: %s", got)
	}
}

// Goods that were returned more than sold make the covered revenue larger than all revenue. What is unknown still lowers the
// coverage.
func TestReturnsOfUnknownCostLowerTheCoverage(t *testing.T) {
	var total salesTally
	cost := decimal.NewFromInt(60)
	total.add(sale{revenue: decimal.NewFromInt(100), coveredRevenue: decimal.NewFromInt(100), cost: &cost})
	for _, c := range []struct {
		unknown int64
		want    string
	}{{-20, "83.33"}, {50, "58.82"}, {-50, "45.45"}} { // these are 20, 70 and 120 in all
		revenue := decimal.NewFromInt(c.unknown)
		total.add(sale{revenue: revenue, unknownRevenue: revenue.Abs()})
		if got := newMarginSums(&total).CostCoveragePercent.String(); got != c.want || total.reliable() {
			t.Errorf("100 of known cost, then %d of unknown: coverage %s %%, reliable %t; want %s %%, not reliable",
				c.unknown, got, total.reliable(), c.want)
		}
	}
}

// A sale of one good and a return of another, both of unknown cost, do not cancel. Sales and returns of one good do, also in two channels.
func TestUnknownCostsOfGoodsDoNotCancel(t *testing.T) {
	t.Parallel()
	const rows = `[
		{"assortment": {"meta": {"href": "h/variant/1", "type": "variant"}}, "sellQuantity": 1, "sellSum": 10000, "sellCostSum": 6000},
		{"assortment": {"meta": {"href": "h/variant/2", "type": "variant"}}, "returnQuantity": 1, "returnSum": 5000},
		{"assortment": {"meta": {"href": "h/variant/3", "type": "variant"}}, "sellQuantity": 1, "sellSum": 5000},
		{"assortment": {"meta": {"href": "h/variant/3", "type": "variant"}}, "returnQuantity": 1, "returnSum": 2000}]`
	var sold []moysklad.ProfitRow
	must(t, json.Unmarshal([]byte(rows), &sold))
	count, product := newMarginBuilder(50), sale{}
	for i, row := range sold {
		s := count.addSale(newSale(row))
		if i < 3 {
			product.addVariant(s)
		}
	}
	result, err := count.result(t.Context(), &Run{Account: openShop(t, sandbox.Config{Seed: 1, Products: 1}).account}, noon, noon)
	must(t, err)
	if got := result.Totals.CostCoveragePercent.String(); got != "55.56" { // 100 of 100 + 50 + 30
		t.Errorf("all: coverage %s %%, want 55.56 %%", got)
	}
	if got := newMarginRow(product).CostCoveragePercent.String(); got != "50" { // 100 of 100 + 50 + 50
		t.Errorf("variants of one product: coverage %s %%, want 50 %%", got)
	}
}

// Margin is profit divided by revenue, not by cost. It is null if the cost is unknown, in whatever way the upstream
// shows that.
func TestMarginIsProfitDividedByRevenue(t *testing.T) {
	for name, c := range map[string]struct{ row, want string }{
		"returns are deducted":   {`{"sellQuantity": 40, "sellSum": 9800000, "sellCostSum": 5520000, "returnQuantity": 2, "returnSum": 490000, "returnCostSum": 276000}`, "38 93100.00 52440.00 40660.00 43.67"},
		"cost 0 is unknown":      {`{"sellQuantity": 1, "sellSum": 35000, "sellCostSum": 0, "returnQuantity": 0, "returnSum": 0, "returnCostSum": 0}`, "1 350.00 null null null"},
		"cost absent is unknown": {`{"sellQuantity": 1, "sellSum": 35000, "returnQuantity": 0, "returnSum": 0}`, "1 350.00 null null null"},
		"only returns":           {`{"sellQuantity": 0, "sellSum": 0, "sellCostSum": 0, "returnQuantity": 1, "returnSum": 10000, "returnCostSum": 6000}`, "-1 -100.00 -60.00 -40.00 null"},
		"only returns, no cost":  {`{"sellQuantity": 0, "sellSum": 0, "sellCostSum": 0, "returnQuantity": 1, "returnSum": 10000, "returnCostSum": 0}`, "-1 -100.00 null null null"},
		"fractions of a kopeck":  {`{"sellQuantity": 3, "sellSum": 100, "sellCostSum": 33.333333333333336, "returnQuantity": 0, "returnSum": 0, "returnCostSum": 0}`, "3 1.00 0.33 0.67 66.67"},
	} {
		var row moysklad.ProfitRow
		must(t, json.Unmarshal([]byte(c.row), &row))
		got := newMarginRow(newSale(row))
		share := "null"
		if got.MarginPercent != nil {
			share = got.MarginPercent.String()
		}
		if shown := fmt.Sprintf("%s %s %s %s %s", got.Units, text(got.Revenue), text(got.Cost), text(got.Profit), share); shown != c.want {
			t.Errorf("%s: %s, want %s", name, shown, c.want)
		}
	}
}

// A sale at 02:00 Moscow time on the first of a month belongs to that month, although in UTC it is still the day
// before.
func TestMarginPeriodIsMoscowTime(t *testing.T) {
	from, to, err := Period{From: "2026-10-01", To: "2026-10-31"}.Within(noon)
	if err != nil || moysklad.FormatMoment(from) != "2026-10-01 00:00:00" || moysklad.FormatMoment(to) != "2026-10-31 23:59:59" {
		t.Errorf("from %v to %v: %v", from, to, err)
	}
}

// The variants with a known cost were all returned. Nothing is known about the profit of the others; it is not 0.
func TestProfitIsUnknownIfAllVariantsWithCostWereReturned(t *testing.T) {
	t.Parallel()
	var product sale
	var whole salesTally
	for _, s := range []sale{sale{}.withCost(decimal.Zero), {units: decimal.NewFromInt(2), revenue: decimal.NewFromInt(180000)}} {
		product.addVariant(s)
		whole.add(s)
	}
	if sums := newMarginSums(&whole); sums.CoveredProfit != nil || sums.RowsWithoutCost != 1 {
		t.Errorf("profit of the whole %s", text(sums.CoveredProfit))
	}
	if row := newMarginRow(product); row.Profit != nil || row.Cost != nil || row.CoveredRevenue != nil {
		t.Errorf("profit %s, cost %s of %s: want all unknown", text(row.Profit), text(row.Cost), text(row.CoveredRevenue))
	}
}

// However the sales are grouped, the rows have all of them, services without a cost included.
func TestRowsHaveTheSameRevenueInEveryGrouping(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1})
	for _, by := range []string{"product", "variant", "channel"} {
		got, _ := ask[marginResult](s, "margin", fmt.Sprintf(`{%s, "group_by": %q, "limit": 1000}`, period90, by))
		var sum decimal.Decimal
		for _, row := range got.Rows {
			sum = sum.Add(row.Revenue.Decimal())
		}
		if got.Totals.ServicesWithoutCost == 0 || !sum.Equal(got.Totals.AllRevenue.Decimal()) {
			t.Errorf("by %s: the rows have %s of %s, %d services", by, sum, text(got.Totals.AllRevenue), got.Totals.ServicesWithoutCost)
		}
	}
}

// Without a margin, the note says why. "Nothing was sold" is true only if nothing was.
func TestTheNoteSaysWhyThereIsNoMargin(t *testing.T) {
	t.Parallel()
	s := openShop(t, sandbox.Config{Seed: 1, Products: 40})
	books := s.Books()
	good, service := stockedProduct(books), books.Assortment[slices.IndexFunc(books.Assortment, func(i *sandbox.Item) bool { return i.Kind == "service" })]
	for _, kind := range []sandbox.Kind{sandbox.Demand, sandbox.RetailDemand, sandbox.SalesReturn, sandbox.RetailSalesReturn} {
		books.Documents[kind] = nil
	}
	sell := func(item *sandbox.Item, price int) {
		post(t, s, "/entity/demand", fmt.Sprintf(`{"moment":"2026-10-05 12:00:00","organization":%s,"agent":%s,"store":%s,"positions":[{"quantity":1,"price":%d,"assortment":%s}]}`,
			linkTo("organization", books.Organizations[0].ID), linkTo("counterparty", books.Counterparties[0].ID),
			linkTo("store", books.Stores[0].ID), price, linkTo(string(item.Kind), item.ID)))
	}
	for _, c := range []struct {
		sell func()
		want string
	}{
		{func() {}, "Nothing was sold in these days, so there is no margin."},
		{func() { sell(service, 35000) }, "Only services without a cost were sold in these days: 1. So there is no margin."},
		{func() { sell(good, 0) }, "Revenue in these days is RUB\u00a00.00, so there is no margin."},
		{func() { sell(good, 100) }, "Profit and margin are counted where the cost is known, which is 100% of revenue."},
	} {
		c.sell()
		s.advance(time.Hour)
		_, result := ask[marginResult](s, "margin", "{"+period90+"}")
		if note := result.note(CostCoverage); note == nil || note.Text != c.want {
			t.Errorf("the note is %+v, want %s", note, c.want)
		}
	}
}

// The notes say what a cost of the report does not: that part of the sales has none, if another grouping hides it, and
// that returns have none, which are then deducted from revenue only, as the upstream does.
func TestNotesSayWhichCostIsMissing(t *testing.T) {
	t.Parallel()
	const sold, unknown, returned = `"sellQuantity": 10, "sellSum": 100000, "sellCostSum": 60000`, `"sellQuantity": 10, "sellSum": 90000, "sellCostSum": 0`, `"returnQuantity": 4, "returnSum": 40000`
	s := openShop(t, sandbox.Config{Seed: 1, Products: 1})
	for _, c := range []struct {
		name string
		rows []string
		want map[NoteCode]string
	}{
		{"all known", []string{sold + "," + returned + `, "returnCostSum": 24000`}, nil},
		{"return without cost", []string{sold + "," + returned + `, "returnCostSum": 0`}, map[NoteCode]string{ReturnsWithoutCost: "400.00 RUB"}},
		{"return of what has no cost", []string{unknown + "," + returned + `, "returnCostSum": 0`}, nil},
		{"known in one channel of two", []string{sold, unknown}, map[NoteCode]string{CostPartlyKnown: "900.00 RUB"}},
	} {
		run, count := &Run{Account: s.account}, newMarginBuilder(50)
		count.together = map[string]bool{"1": len(c.rows) > 1}
		for _, text := range c.rows {
			var row moysklad.ProfitRow
			must(t, json.Unmarshal([]byte(`{"assortment": {"meta": {"href": "h/product/1", "type": "product"}, "name": "Лейка"},`+text+`}`), &row))
			count.addSale(newSale(row))
		}
		_, err := count.result(t.Context(), run, noon, noon)
		must(t, err)
		got := &Result{Notes: run.notes}
		for _, code := range []NoteCode{ReturnsWithoutCost, CostPartlyKnown} {
			if n := got.note(code); (n == nil) != (c.want[code] == "") || n != nil && n.Values["amounts"] != c.want[code] {
				t.Errorf("%s: %s: %+v, want %q", c.name, code, n, c.want[code])
			}
		}
	}
}
