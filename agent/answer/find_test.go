package answer

import (
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

func literal(value, step string, unit Kind, currency string) Literal {
	return Literal{Readings: []Reading{{decimal.RequireFromString(value), decimal.RequireFromString(step)}}, Unit: unit, Currency: currency}
}

func TestFindListsTheFiguresThatANumberCanMean(t *testing.T) {
	for _, c := range []struct {
		what string
		of   Literal
		want []string
	}{
		{"as written", literal("96432.10", "0.01", tools.KindMoney, "RUB"), []string{"R2 cash 0", "R2 accounts.balance 1", "R4 currencies.cash 1"}},
		{"rounded", literal("96", "1", tools.KindMoney, "RUB"), nil},
		{"in thousands", literal("96000", "1000", tools.KindMoney, ""), []string{"R2 cash 0", "R2 accounts.balance 1", "R4 currencies.cash 1"}},
		{"a loss without its sign", literal("100.50", "0.01", tools.KindMoney, ""), []string{"R1 rows.profit 3"}},
		{"percent", literal("58.8", "0.1", tools.KindPercent, ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"another currency", literal("1500", "1", tools.KindMoney, "RUB"), []string{"R4 months.expense 2"}},
		{"of a currency", literal("1500", "1", tools.KindMoney, "USD"), []string{"R2 accounts.balance 2", "R2 other_currencies.cash 1"}},
		{"days", literal("272", "1", tools.KindDays, ""), []string{"R3 rows.days_of_cover 1"}},
		{"pieces", literal("272", "1", tools.KindUnits, ""), []string{"R3 rows.units 1"}},
		{"no unit, exact", literal("1500", "1", "", ""), []string{"R2 accounts.balance 2", "R2 other_currencies.cash 1", "R4 months.expense 2"}},
		{"no unit, rounded, enough digits", literal("2424396", "1", "", ""), nil},
		{"no unit, rounded rightly", literal("2424397", "1", "", ""), []string{"R1 rows.revenue 1"}},
		{"no unit, few digits", literal("59", "1", "", ""), nil},
		{"no unit, a decimal", literal("58.8", "0.1", "", ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"the same with a unit", literal("59", "1", tools.KindPercent, ""), []string{"R1 rows.margin_percent 1", "R1 totals.covered_margin_percent 0"}},
		{"nothing", literal("777777", "1", "", ""), nil},
	} {
		found := shelf(t, "ru").Find(c.of)
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
