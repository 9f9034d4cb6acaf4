package tools

import (
	"testing"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
)

// bookFlow has income, expense and transfers between own accounts, computed from the books.
type bookFlow struct{ in, out, own sandbox.Amount }

func bookFlows(b *sandbox.Books, from, to time.Time) map[string]*bookFlow {
	flows := map[string]*bookFlow{}
	for kind, in := range map[sandbox.Kind]bool{
		sandbox.PaymentIn: true, sandbox.CashIn: true, sandbox.RetailDemand: true, sandbox.Prepayment: true,
		sandbox.PaymentOut: false, sandbox.CashOut: false, sandbox.RetailSalesReturn: false, sandbox.PrepaymentReturn: false,
	} {
		for _, d := range b.Documents[kind] {
			if !d.Posted() || d.Moment.Before(from) || d.Moment.After(to) {
				continue
			}
			currency := b.Currencies[0]
			if d.Currency != nil {
				currency = d.Currency
			}
			f := flows[currency.ISO]
			if f == nil {
				f = &bookFlow{}
				flows[currency.ISO] = f
			}
			switch {
			case d.Agent == nil:
				f.own += d.Sum
			case in:
				f.in += d.Sum - d.Prepaid
			default:
				f.out += d.Sum
			}
		}
	}
	return flows
}

func TestCashRunwayMatchesBooks(t *testing.T) {
	for _, seed := range []int64{1, 2, 3} {
		inShop(t, sandbox.Config{Seed: seed, Switches: sandbox.Switches{Prepayments: seed == 2}}, func(t *testing.T, s *shop) {
			got, result := ask[cashRunwayResult](s, "cash_runway", `{}`)
			if got.From != "2026-08-01" || got.To != "2026-10-31" {
				t.Errorf("months from %s to %s", got.From, got.To)
			}
			position, _ := ask[moneyPositionResult](s, "money_position", `{}`)
			flows := bookFlows(s.Books(), time.Date(2026, 8, 1, 0, 0, 0, 0, moysklad.Moscow), october[1])
			if len(got.Currencies) < 2 || *got.Currencies[0].Currency != "RUB" || text(got.Currencies[0].Cash) != text(position.Cash) {
				t.Fatalf("currencies %+v, the books have %d", got.Currencies, len(flows))
			}
			for _, row := range got.Currencies {
				compareRunway(t, row, flows[*row.Currency])
			}
			if result.UpstreamCalls > 12 {
				t.Errorf("%d calls", result.UpstreamCalls)
			}
		})
	}
}

func compareRunway(t *testing.T, row currencyRunway, flow *bookFlow) {
	t.Helper()
	if flow == nil {
		flow = &bookFlow{}
	}
	third := func(a sandbox.Amount) string {
		return moneyOf(a.Kopecks().DivRound(decimal.NewFromInt(3), 12)).String()
	}
	if text(row.IncomePerMonth) != third(flow.in) || text(row.ExpensePerMonth) != third(flow.out) ||
		text(row.NetBurnPerMonth) != third(flow.out-flow.in) || text(row.OwnTransfers) != amountOf(flow.own) {
		t.Errorf("%s: %+v, the books have %+v", *row.Currency, row, flow)
	}
	if flow.out <= flow.in {
		if row.Verdict != CashPositive || row.RunwayMonths != nil {
			t.Errorf("%s: %s although income exceeds expense", *row.Currency, row.Verdict)
		}
		return
	}
	months := row.Cash.Decimal().Mul(decimal.NewFromInt(3)).Div((flow.out - flow.in).Kopecks().Shift(-2))
	if row.Verdict != Burning || row.RunwayMonths == nil ||
		row.RunwayMonths.Decimal().Sub(decimal.Max(months, decimal.Zero)).Abs().GreaterThan(decimal.NewFromFloat(.05)) {
		t.Errorf("%s: %s, %v months, want %s", *row.Currency, row.Verdict, row.RunwayMonths, months)
	}
}

// If the account lists a currency twice, payments in both must be added to one flow.
func TestDuplicateCurrenciesAreMerged(t *testing.T) {
	yuan := func(id string) moysklad.Currency { return moysklad.Currency{ID: id, ISOCode: "CNY"} }
	flows := &cashFlows{
		currencies: exchangeRates{yuan("one"), yuan("two")},
		sums:       map[string]*cashFlow{},
		months:     map[monthCurrency]*cashFlow{},
	}
	for id, sum := range map[string]int64{"one": 300_00, "two": 600_00} {
		d := moysklad.Document{Sum: &moysklad.Kopecks{Decimal: decimal.NewFromInt(sum)}, Moment: moysklad.Moment{Time: noon}}
		d.Rate.Currency.Meta.Href = moysklad.Href("currency", id)
		flows.add(d, false)
	}
	rows, months := flows.runways(map[string]decimal.Decimal{"CNY": decimal.NewFromInt(1800)}, 1), flows.byMonth()
	if len(rows) != 1 || text(rows[0].NetBurnPerMonth) != "900.00" || rows[0].RunwayMonths.Decimal().String() != "2" {
		t.Errorf("%+v", rows)
	}
	if len(months) != 1 || text(months[0].Expense) != "900.00" {
		t.Errorf("%+v", months)
	}
}

// Cash that the role may not see is unknown, not 0.
func TestHiddenCashHasNoRunway(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 1, Switches: sandbox.Switches{NoMoneyRight: true}}, func(t *testing.T, s *shop) {
		got, result := ask[cashRunwayResult](s, "cash_runway", `{"months": 1}`)
		for _, row := range got.Currencies {
			if row.Cash != nil || row.RunwayMonths != nil || row.Verdict == Burning {
				t.Errorf("%+v", row)
			}
		}
		result.mustNote(t, MoneyHidden)
	})
}

func TestRunwayIsCashOverAverageBurn(t *testing.T) {
	flow := &cashFlow{income: decimal.NewFromInt(300_00), expense: decimal.NewFromInt(900_00)}
	row := newCurrencyRunway("RUB", flow, map[string]decimal.Decimal{"RUB": decimal.NewFromInt(500)}, 3)
	if row.Verdict != Burning || row.RunwayMonths.Decimal().String() != "2.5" || text(row.NetBurnPerMonth) != "200.00" {
		t.Errorf("%+v", row)
	}
	flow.expense = flow.income
	if row := newCurrencyRunway("RUB", flow, map[string]decimal.Decimal{}, 3); row.Verdict != CashPositive || row.RunwayMonths != nil {
		t.Errorf("%+v", row)
	}
}
