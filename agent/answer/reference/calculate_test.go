package reference

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"

	"github.com/kopeck/kopeck/schemas/check"
	"github.com/kopeck/kopeck/tools"
	"github.com/kopeck/kopeck/tools/moysklad"
)

// account returns an account whose upstream cannot be reached, because a calculation makes no call.
func account(t testing.TB) *tools.Account {
	t.Helper()
	pool, err := moysklad.NewPool(moysklad.Config{URL: "http://127.0.0.1:1"})
	if err != nil {
		t.Fatal(err)
	}
	return &tools.Account{ID: "a", Client: pool.Client("a", moysklad.Token("t")), Cache: tools.NewCache(time.Now).For("a", "sight"), Now: time.Now}
}

func calculated(t testing.TB, a *tools.Account, expression string) (calculateResult, *tools.Result, error) {
	t.Helper()
	arguments, err := json.Marshal(map[string]string{"expression": expression})
	if err != nil {
		t.Fatal(err)
	}
	result, err := Calculate().Execute(t.Context(), a, arguments)
	if err != nil {
		return calculateResult{}, nil, err
	}
	return result.Result.(calculateResult), result, nil
}

func TestCalculateIsExactAndNeedsNoUpstream(t *testing.T) {
	a := account(t)
	for _, c := range []struct {
		expression, want string
		exact            bool
	}{
		{"1 + 2 * 3", "7", true},
		{"(1 + 2) * 3", "9", true},
		{"0.1 + 0.2", "0.3", true},
		{"10 - 4 - 3", "3", true},
		{"-2 * -3", "6", true},
		{"1_234_567.89 * 100", "123456789", true},
		{"200 * 15 / 100", "30", true},
		{"sum(1.10, 2.20, 3.30)", "6.6", true},
		{"avg(1, 2, 4.5)", "2.5", true},
		{"round(2.345, 2)", "2.35", true},
		{"round(-2.345, 2)", "-2.35", true},
		{"round(1234, -2)", "1200", true},
		{"round(2.5)", "3", true},
		{"abs(3 - 10)", "7", true},
		{"min(3, 1, 2) + max(3, 1, 2)", "4", true},
		{"share(1, 8)", "12.5", true},
		{"change(200, 150)", "-25", true},
		{"1 / 8", "0.125", true},
		{"1 / 3 * 3", "1", true},
		{"42", "42", true},
		{"1 / 3", "0.333333333333333333333333", false},
		{"1 / 3000000000", "0.000000000333333333333333333333333", false},
		{"round(2 / 3 * 100, 2)", "66.67", true},
	} {
		got, result, err := calculated(t, a, c.expression)
		if err != nil || got.Value.String() != c.want || got.Exact != c.exact || result.UpstreamCalls != 0 || len(result.Notes) != 0 {
			t.Errorf("%s = %+v (%v), want %s, exact %t", c.expression, got, err, c.want, c.exact)
		}
	}
}

func TestCalculateSaysWhatIsWrongInBothLanguages(t *testing.T) {
	a := account(t)
	for _, c := range []struct{ expression, english, russian string }{
		{"1 / 0", "divides by zero", "делит на ноль"},
		{"sqrt(4)", `there is no function "sqrt"; there are abs`, "не вычисляется: такой функции"},
		{"1 +", "ends too early", "не вычисляется: выражение не читается"},
		{"1 234,50 * 2", `cannot be read from "234`, "не вычисляется: "},
		{"100 + 10%", "are not added", "не вычисляется: "},
		{"(1 + 2", "not closed", "не вычисляется: "},
		{"revenue * 2", "revenue is not a report", "не вычисляется: "},
		{"1 > 2", "gives no number", "не даёт числа"},
		{`"слово"`, "gives no number", "не даёт числа"},
		{"R1.totals.money", "there is no R1", "не вычисляется: "},
		{"99999999999999999999 + 1", "at most 18 digits", "не вычисляется: "},
		{strings.Repeat("1+", 2000) + "1", "too many parts", "не вычисляется: "},
	} {
		_, _, err := calculated(t, a, c.expression)
		var wrong *check.InvalidError
		if !errors.As(err, &wrong) || wrong.Problems[0].Field != "expression" || !strings.Contains(wrong.Error(), c.english) || !strings.Contains(wrong.Problems[0].In("ru"), c.russian) ||
			strings.ContainsFunc(wrong.Problems[0].In("ru"), func(r rune) bool { return unicode.Is(unicode.Latin, r) }) {
			t.Errorf("%.40s: %v", c.expression, err)
		}
	}
}

func TestCalculateAgreesWithDecimalArithmetic(t *testing.T) {
	b := account(t)
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.Custom(func(r *rapid.T) decimal.Decimal {
			return decimal.New(rapid.Int64Range(0, 1e12).Draw(r, "digits"), -rapid.Int32Range(0, 4).Draw(r, "places"))
		})
		x, y, z := number.Draw(r, "x"), number.Draw(r, "y"), number.Draw(r, "z")
		got, _, err := calculated(t, b, x.String()+" - "+y.String()+"*("+z.String()+" + "+x.String()+")")
		if want := x.Sub(y.Mul(z.Add(x))); err != nil || !got.Exact || !got.Value.Decimal().Equal(want) {
			r.Fatalf("got %s (error %v), want %s", got.Value, err, want)
		}
	})
}

// calculate.yaml declares the kinds that other layouts take from Go types.
func TestLayoutHasTheKindsOfACalculation(t *testing.T) {
	layout, _ := tools.LayoutOf("calculate")
	top := Calculate().Fields()
	if len(layout.Figures) != len(top.Fields) {
		t.Errorf("%d of %d fields are shown", len(layout.Figures), len(top.Fields))
	}
	for _, column := range layout.Figures {
		if f := top.Field(column.Place); f == nil || f.Kind != column.Kind {
			t.Errorf("%s is shown as %s, but is %+v", column.Place, column.Kind, f)
		}
	}
}
