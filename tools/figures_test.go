package tools

import (
	"encoding/json"
	"testing"

	"github.com/shopspring/decimal"
)

// Money must be divided by 100, rounded once and written with two decimals.
func TestRublesRoundsHalfAwayFromZero(t *testing.T) {
	for kopecks, want := range map[string]string{
		"249000": "2490.00", "50260.869565": "502.61", "0.5": "0.01", "-0.5": "-0.01", "0.4999": "0.00", "100": "1.00", "-123456.5": "-1234.57",
	} {
		text, err := json.Marshal(MoneyOf(decimal.RequireFromString(kopecks)))
		if err != nil || string(text) != want {
			t.Errorf("%s kopecks are %s, want %s (%v)", kopecks, text, want, err)
		}
	}
	text, err := json.Marshal(struct {
		Unknown *Money `json:"unknown"`
	}{})
	if err != nil || string(text) != `{"unknown":null}` {
		t.Errorf("unknown money is %s (%v)", text, err)
	}
}

// A share has two decimals. It has more if two decimals would show it as 0 or 100.
func TestPercentOfKeepsSmallShares(t *testing.T) {
	for _, c := range []struct{ part, whole, want string }{
		{"1", "3", "33.33"}, {"2", "3", "66.67"}, {"1", "8", "12.5"}, {"0", "5", "0"}, {"5", "5", "100"}, {"-1", "4", "-25"},
		{"3500000", "478371900300", "0.00073"}, {"478368400300", "478371900300", "99.99927"}, {"7", "5", "140"},
	} {
		if got := percentOf(decimal.RequireFromString(c.part), decimal.RequireFromString(c.whole)).String(); got != c.want {
			t.Errorf("%s of %s is %s %%, want %s", c.part, c.whole, got, c.want)
		}
	}
	if got := percentOf(decimal.NewFromInt(1), decimal.Zero); got != nil {
		t.Errorf("a share of 0 is %s", got)
	}
}
