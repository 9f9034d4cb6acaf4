package reference

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/tools"
)

func meant(value, step string, unit Kind, currency string) literal.Literal {
	return literal.Literal{Readings: []literal.Reading{{Value: decimal.RequireFromString(value), Step: decimal.RequireFromString(step)}}, Unit: unit, Currency: currency}
}

func TestFindListsTheFiguresThatANumberCanMean(t *testing.T) {
	for _, c := range []struct {
		what string
		of   literal.Literal
		want []string
	}{
		{"as written", meant("96432.10", "0.01", tools.KindMoney, "RUB"), []string{"R2 cash 0", "R2 accounts.balance 1", "R4 currencies.cash 1"}},
		{"rounded", meant("96", "1", tools.KindMoney, "RUB"), nil},
		{"in thousands", meant("96000", "1000", tools.KindMoney, ""), []string{"R2 cash 0", "R2 accounts.balance 1", "R4 currencies.cash 1"}},
		{"a loss without its sign", meant("100.50", "0.01", tools.KindMoney, ""), []string{"R1 rows.profit 3"}},
		{"percent", meant("58.8", "0.1", tools.KindPercent, ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"another currency", meant("1500", "1", tools.KindMoney, "RUB"), []string{"R4 months.expense 2"}},
		{"of a currency", meant("1500", "1", tools.KindMoney, "USD"), []string{"R2 accounts.balance 2", "R2 other_currencies.cash 1"}},
		{"days", meant("272", "1", tools.KindDays, ""), []string{"R3 rows.days_of_cover 1"}},
		{"pieces", meant("272", "1", tools.KindUnits, ""), []string{"R3 rows.units 1"}},
		{"no unit, exact", meant("1500", "1", "", ""), []string{"R2 accounts.balance 2", "R2 other_currencies.cash 1", "R4 months.expense 2"}},
		{"no unit, rounded, enough digits", meant("2424396", "1", "", ""), nil},
		{"no unit, rounded rightly", meant("2424397", "1", "", ""), []string{"R1 rows.revenue 1"}},
		{"no unit, few digits", meant("59", "1", "", ""), nil},
		{"no unit, a decimal", meant("58.8", "0.1", "", ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"the same with a unit", meant("59", "1", tools.KindPercent, ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"nothing", meant("777777", "1", "", ""), nil},
	} {
		found := shelved(t, "ru").Find(c.of)
		have := map[string]bool{}
		for _, v := range found {
			o := v.Origins[0]
			have[o.Report+" "+o.Field+" "+counted(o.Row).Write("en")] = true
		}
		for _, want := range c.want {
			if !have[want] {
				t.Errorf("%s: %s is not found among %v", c.what, want, have)
			}
		}
		if len(found) != len(c.want) {
			t.Errorf("%s: found %v, want %v", c.what, have, c.want)
		}
	}
}
