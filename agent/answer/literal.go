package answer

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Literal is a number as somebody wrote it, in digits or in words, with the unit beside it.
type Literal struct {
	Readings []Reading // "1,234" has two
	Unit     Kind      // the kind of value that has the unit beside it; empty: none, and the number may be of any kind
	Currency string    // ISO code, where the unit is money and the text says which
	Scaled   bool      // "924 тыс.": rounded on purpose, whatever its unit is
}

// Reading is one way to read a number. The sign is left out: a loss of 5 is written with and without a minus.
type Reading struct {
	Value decimal.Decimal // scaled: 2400000 for "2,4 млн"
	Step  decimal.Decimal // the worth of one in the last digit shown: 100000 for "2,4 млн"
}

// Equals reports whether a value, rounded to the digits that are shown, is what was written. A written zero is only zero.
func (r Reading) Equals(value decimal.Decimal) bool {
	value = value.Abs()
	if value.Equal(r.Value) {
		return true
	}
	if r.Value.IsZero() || r.Step.IsZero() {
		return false
	}
	return value.Sub(r.Value).Abs().Mul(decimalTwo).LessThanOrEqual(r.Step) && value.DivRound(r.Step, 0).Mul(r.Step).Equal(r.Value)
}

// equals reports whether a value is what was written.
func (l Literal) equals(r Reading, value decimal.Decimal) bool {
	return r.Equals(value) && (l.Unit != "" || l.Scaled || r.telling() || r.Value.Equal(value.Abs()))
}

// telling reports whether a number shows enough digits that it is no coincidence if a value rounds to it: four, or three of
// which one is behind the point. Fewer agree with some value of any larger report.
func (r Reading) telling() bool {
	shown := int64(1000)
	if r.Step.LessThan(decimalOne) {
		shown = 100
	}
	return r.Value.GreaterThanOrEqual(r.Step.Mul(decimal.NewFromInt(shown)))
}

// unitOf is the kind by whose unit values of a kind are written; empty for what has no unit.
func unitOf(k Kind) Kind {
	switch k {
	case Points:
		return tools.KindPercent
	case tools.KindPerDay:
		return tools.KindUnits
	case tools.KindMoney, tools.KindPercent, tools.KindUnits, tools.KindDays, tools.KindMonths:
		return k
	}
	return ""
}

// fits tells whether a value may stand beside the number's unit.
func (l Literal) fits(v Value) bool {
	switch l.Unit {
	case "":
		return true
	case tools.KindMoney:
		return v.Kind == l.Unit && (l.Currency == "" || v.Currency == "" || l.Currency == v.Currency)
	}
	return unitOf(v.Kind) == l.Unit || l.Unit == tools.KindUnits && v.Kind == tools.KindCount
}
