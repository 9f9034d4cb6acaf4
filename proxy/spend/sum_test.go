package spend

import (
	"math/rand/v2"
	"testing"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/proxy/models"
)

func TestCostIsExactAndRoundedDown(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	price := func() decimal.Decimal {
		return decimal.New(random.Int64N(1_000_000_000), -int32(random.IntN(16)))
	}
	for range 20_000 {
		cached := price()
		p := &models.Prices{Input: price(), CachedInput: &cached, Output: price()}
		prompt, completion := random.Int64N(5_000_000_000), random.Int64N(5_000_000_000)
		ofCache := random.Int64N(prompt + 1)
		got := Cost(p, prompt, ofCache, completion).Decimal()
		round := func(d decimal.Decimal) decimal.Decimal { return d.Round(partsDigits) }
		want := round(p.Input).Mul(decimal.NewFromInt(prompt - ofCache)).Add(round(cached).Mul(decimal.NewFromInt(ofCache))).
			Add(round(p.Output).Mul(decimal.NewFromInt(completion))).Shift(-6).Truncate(partsDigits)
		if !got.Equal(want) {
			t.Fatalf("%d tokens of which %d are cached and %d for %+v cost %s, want %s", prompt, ofCache, completion, p, got, want)
		}
	}
}

func TestSumConvertsExactly(t *testing.T) {
	for _, text := range []string{"0", "1", "-1", "0.5", "-0.5", "-0.000000000001", "12.345678901234", "1e3",
		"-7.0000000000005", "9223372036854775807", "0.0000000000004"} {
		amount := decimal.RequireFromString(text)
		if got := FromDecimal(amount).Decimal(); !got.Equal(amount.Round(partsDigits)) {
			t.Errorf("%s is %s", text, got)
		}
	}
}
