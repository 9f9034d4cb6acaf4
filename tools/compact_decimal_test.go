package tools

import (
	"testing"

	"github.com/shopspring/decimal"
)

// A sum of compact decimals must be exact, even if a number does not fit into the compact form.
func TestCompactDecimalIsExact(t *testing.T) {
	var compact compactDecimal
	exact := decimal.Zero
	for _, text := range []string{"50260.86956521739", "-0.00000000001", "123456789012345678", "0.000000000000000001", "-123456789012345678",
		"1e20", "-1e20", "7", "99999999999999999", "-100000000000000000", "-99999999999999999", "1e-31", "-1e-31", "-1e-32"} {
		d := decimal.RequireFromString(text)
		compact, exact = compact.plus(d), exact.Add(d)
		if !compact.decimal().Equal(exact) {
			t.Fatalf("after %s it is %s, want %s", text, compact.decimal(), exact)
		}
	}
	for _, text := range []string{"99999999999999999", "-99999999999999999", "0.30000000000000004", "-1e-31", "1e-32"} {
		if d := decimal.RequireFromString(text); !compactOf(d).decimal().Equal(d) {
			t.Errorf("%s becomes %s", text, compactOf(d).decimal())
		}
	}
	if (compactDecimal{}).plus(decimal.RequireFromString("5")).plus(decimal.RequireFromString("-5")) != (compactDecimal{}) {
		t.Error("the zero value is not 0")
	}
}
