// Package literal reads numbers as people write them, in digits or in words, with their units. Dates are numbers of their own
// form.
package literal

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Literal is a number as somebody wrote it, in digits or in words, with the unit beside it.
type Literal struct {
	Readings []Reading       // "1,234" has two
	Unit     tools.FieldKind // the kind of value that has the unit beside it; empty: none, and the number may be of any kind
	Currency string          // ISO code, where the unit is money and the text says which
	Scaled   bool            // "924 тыс.": rounded on purpose, whatever its unit is
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

// Equals reports whether a value is what was written.
func (l Literal) Equals(r Reading, value decimal.Decimal) bool {
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
