package tools

import (
	"strings"
	"testing"

	"github.com/shopspring/decimal"
	"pgregory.net/rapid"
)

func TestExpressionsComputeExactly(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"1 + 2 * 3", "7"},
		{"(1 + 2) * 3", "9"},
		{"0.1 + 0.2", "0.3"},
		{"10 - 4 - 3", "3"},
		{"-2 * -3", "6"},
		{"2 - -2", "4"},
		{"1_234_567.89 * 100", "123456789"},
		{"17 % 5", "2"},
		{"200 * 15%", "30"},
		{"15% * 200", "30"},
		{"100 + 100 * 10%", "110"},
		{"50% + 25%", "0.75"},
		{"sum(1.10, 2.20; 3.30)", "6.6"},
		{"round(2.345, 2)", "2.35"},
		{"round(-2.345, 2)", "-2.35"},
		{"round(1234, -2)", "1200"},
		{"round(2.5)", "3"},
		{"abs(3 - 10)", "7"},
		{"min(3, 1, 2) + max(3, 1, 2)", "4"},
		{"percent(1, 8)", "12.5"},
		{"1234.56 − 234.56", "1000"},
		{"3 × 4 ÷ 2", "6"},
	} {
		got, exact, err := evaluate(c.expression)
		if err != nil || got.String() != c.want || !exact {
			t.Errorf("%s = %s (exact %t, error %v), want %s exactly", c.expression, got, exact, err, c.want)
		}
	}
}

func TestAQuotientThatDoesNotEndHasEnoughDigitsAndSaysSo(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"1 / 3", "0.333333333333333333333333"},
		{"1 / 3000000000", "0.000000000333333333333333333333333"},
		{"round(2 / 3 * 100, 2)", "66.67"},
	} {
		got, exact, err := evaluate(c.expression)
		if err != nil || exact || got.String() != c.want {
			t.Errorf("%s = %s (exact %t, error %v), want about %s", c.expression, got, exact, err, c.want)
		}
	}
	if _, exact, _ := evaluate("1 / 8"); !exact {
		t.Error("1 / 8 ends and is exact")
	}
}

func TestAWrongExpressionIsToldWhereAndWhy(t *testing.T) {
	for _, c := range []struct{ expression, want string }{
		{"", "at character 1: it ends where a number was expected"},
		{"1 +", "at character 4: it ends where"},
		{"1 / 0", "division by zero"},
		{"5 % (2 - 2)", "division by zero"},
		{"1 234", "two numbers without an operator"},
		{"1,5 + 2", `cannot stand here, got ","`},
		{"1..2", `no number, got "1..2"`},
		{"5.", `no number, got "5."`},
		{"1e9", `cannot stand here, got "e"`},
		{"100 + 10%", "write 100 + 100 * 10%"},
		{"10 % - 3", "two ways"},
		{"sqrt(4)", "none of the functions abs, max, min, percent, round, sum"},
		{"round(1, 2, 3)", "wrong number of values for round, got 3"},
		{"round(1, 0.5)", "needs a whole n"},
		{"sum()", "wrong number of values for sum, got 0"},
		{"(1", `")" is missing`},
		{"revenue * 2", `none of the functions abs, max, min, percent, round, sum, got "revenue"`},
		{"2 ₽", `cannot stand here, got "₽"`},
		{strings.Repeat("(", 100) + "1", "nested deeper than 64 levels"},
		{strings.Repeat("9", 200), "more than 120 digits"},
		{strings.Repeat("1+", 3000) + "1", "at most 4096"},
	} {
		if got, _, err := evaluate(c.expression); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.40q = %s, error %v; want an error with %q", c.expression, got, err, c.want)
		}
	}
}

func TestExpressionsAgreeWithDecimalArithmetic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Custom(func(t *rapid.T) decimal.Decimal {
			return decimal.New(rapid.Int64Range(0, 1e12).Draw(t, "digits"), -rapid.Int32Range(0, 4).Draw(t, "places"))
		})
		a, b, c := number.Draw(t, "a"), number.Draw(t, "b"), number.Draw(t, "c")
		got, _, err := evaluate(a.String() + " - " + b.String() + "*(" + c.String() + " + " + a.String() + ")")
		if want := a.Sub(b.Mul(c.Add(a))); err != nil || !got.Equal(want) {
			t.Fatalf("got %s (error %v), want %s", got, err, want)
		}
	})
}

// FuzzEvaluate: no input makes the evaluator crash, or answer with more digits than it promises.
func FuzzEvaluate(f *testing.F) {
	for _, seed := range []string{"1+2", "((1)", "sum(1,2;3)%4", "-+-1/3", "10%%", "round(1/7,-30)", "1_0._", "\xff%", "×÷−"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		value, _, err := evaluate(expression)
		if err == nil && value.NumDigits() > maxValueDigits {
			t.Fatalf("%q has %d digits", expression, value.NumDigits())
		}
	})
}
