// Package literal reads numbers as people write them: in digits or words, with their units, and as dates.
package literal

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Literal is a number as somebody wrote it, in digits or words, with its unit.
type Literal struct {
	Readings []Reading       // "1,234" has two
	Unit     tools.FieldKind // the kind of value with this unit; empty if there is none, so that any kind matches
	Currency string          // ISO code, if the unit is a known currency
	Scaled   bool            // it has a scale, as in "924 тыс.", and so is rounded on purpose
	Amount   bool            // of weight, volume or length, so that it is no count
}

// Reading is one way to read a number. It has no sign, because people write a loss of 5 with or without a minus.
type Reading struct {
	Value decimal.Decimal // scaled: 2400000 for "2,4 млн"
	Step  decimal.Decimal // the place value of the last digit shown: 100000 for "2,4 млн"
}

// Equals reports whether a value, rounded to the digits shown, is the written number. A written zero equals only
// zero.
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

// Equals reports whether a value is the number in one of its readings. A number without unit and scale must be exact,
// unless it has enough digits.
func (l Literal) Equals(r Reading, value decimal.Decimal) bool {
	return r.Equals(value) && (l.Unit != "" || l.Scaled || r.telling() || r.Value.Equal(value.Abs()))
}

// IsZero reports whether the number is 0. So many rows have it that it tells nothing about any.
func (l Literal) IsZero() bool {
	return slices.ContainsFunc(l.Readings, func(r Reading) bool { return r.Value.IsZero() })
}

// IsPrecise reports whether the number has at least two digits besides zeros at its end, so that it is unlikely to be a
// limit that somebody chose.
func (l Literal) IsPrecise() bool {
	return slices.ContainsFunc(l.Readings, func(r Reading) bool {
		digits := strings.Trim(r.Value.Coefficient().String(), "0")
		return len(digits) > 1 && r.Value.GreaterThan(decimal.NewFromInt(hundred))
	})
}

const hundred = 100

// telling reports whether a number has enough digits that a rounded match is no coincidence: four, or three with a
// decimal. Almost every large report has a value that rounds to a number with fewer digits.
func (r Reading) telling() bool {
	shown := int64(1000)
	if r.Step.LessThan(decimalOne) {
		shown = 100
	}
	return r.Value.GreaterThanOrEqual(r.Step.Mul(decimal.NewFromInt(shown)))
}
