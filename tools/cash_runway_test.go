package tools

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// Prepayments are income, and receipts that use them are not income again. The account's own currency comes first.
func TestPrepaymentsAreIncomeOnce(t *testing.T) {
	inShop(t, sandbox.Config{Seed: 2, Switches: sandbox.Switches{Prepayments: true}}, func(t *testing.T, s *shop) {
		s.newTruthCheck(t, truth.Of(s.Books(), s.clock(), truth.View{})).check("cash_runway")
		if got, _ := ask[cashRunwayResult](s, "cash_runway", `{}`); *got.Currencies[0].Currency != "RUB" {
			t.Errorf("currencies %+v", got.Currencies)
		}
	})
}

// If the account lists a currency twice, payments in both must be added to one flow.
func TestDuplicateCurrenciesAreMerged(t *testing.T) {
	yuan := func(id string) moysklad.Currency { return moysklad.Currency{ID: id, ISOCode: "CNY"} }
	flows := &cashFlows{
		currencies: ExchangeRates{yuan("one"), yuan("two")},
		sums:       map[string]*cashFlow{},
		months:     map[monthCurrency]*cashFlow{},
	}
	for id, sum := range map[string]int64{"one": 300_00, "two": 600_00} {
		d := moysklad.Document{Sum: &moysklad.Kopecks{Decimal: decimal.NewFromInt(sum)}, Moment: moysklad.Moment{Time: noon}}
		d.Rate.Currency.Meta.Href = moysklad.Href("currency", id)
		flows.add(d, false)
	}
	rows, months := flows.runways(map[string]decimal.Decimal{"CNY": decimal.NewFromInt(1800_00)}, 1), flows.byMonth()
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
			if row.Cash != nil || row.RunwayMonths != nil || row.Verdict == burning {
				t.Errorf("%+v", row)
			}
		}
		result.mustNote(t, MoneyHidden)
	})
}
