package answer

import "github.com/shopspring/decimal"

// Literal is a number as somebody wrote it, in digits or in words, with the unit beside it.
type Literal struct {
	Readings []Reading // "1,234" has two
	Unit     Unit
	Currency string // ISO code, where Unit is Money and the text says which
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

// Unit is what stands beside a literal number.
type Unit int

// The units of literals. UnitNone is a bare number, which may be of any kind.
const (
	UnitNone Unit = iota
	UnitMoney
	UnitPercent
	UnitPieces
	UnitDays
	UnitMonths
	UnitOther // of no kind that a report has
)
