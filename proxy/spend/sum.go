// Package spend knows what requests for models cost, and keeps who has spent what.
package spend

import (
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Sum is an exact amount of money or of something counted: whole units and the rest, as two numbers that any database adds.
type Sum struct {
	Units int64
	Parts int64 // of which partsOfUnit are one; never negative
}

const (
	partsOfUnit = 1_000_000_000_000
	partsDigits = 12
)

// powersOfTen are those of the decimals that Parts hold.
var powersOfTen = func() (powers [partsDigits + 1]int64) {
	for i, power := 0, int64(1); i < len(powers); i, power = i+1, power*10 {
		powers[i] = power
	}
	return powers
}()

// Whole is a number of units.
func Whole(n int64) Sum { return Sum{Units: n} }

// SumOf is an amount, rounded to 12 decimals.
func SumOf(d decimal.Decimal) Sum {
	if parts := d.Coefficient(); parts.IsInt64() && d.Exponent() <= 0 && d.Exponent() >= -partsDigits {
		scale := powersOfTen[-d.Exponent()]
		units, rest := parts.Int64()/scale, parts.Int64()%scale
		if rest < 0 {
			units, rest = units-1, rest+scale
		}
		return Sum{units, rest * (partsOfUnit / scale)}
	}
	d = d.Round(partsDigits)
	units := d.Floor()
	return Sum{units.IntPart(), d.Sub(units).Shift(partsDigits).IntPart()}
}

// Decimal is the amount.
func (s Sum) Decimal() decimal.Decimal {
	return decimal.NewFromInt(s.Units).Add(decimal.NewFromBigInt(big.NewInt(s.Parts), -partsDigits))
}

// Plus is the sum of both.
func (s Sum) Plus(o Sum) Sum {
	parts := s.Parts + o.Parts
	if parts >= partsOfUnit {
		return Sum{s.Units + o.Units + 1, parts - partsOfUnit}
	}
	return Sum{s.Units + o.Units, parts}
}

// Minus is the difference, which may be negative: then Units are, and Parts go up from there.
func (s Sum) Minus(o Sum) Sum {
	parts := s.Parts - o.Parts
	if parts < 0 {
		return Sum{s.Units - o.Units - 1, parts + partsOfUnit}
	}
	return Sum{s.Units - o.Units, parts}
}

// Less compares.
func (s Sum) Less(o Sum) bool { return s.Units < o.Units || s.Units == o.Units && s.Parts < o.Parts }

// Share is one of n equal parts of an amount that is not negative, rounded down.
func (s Sum) Share(n int64) Sum {
	return Sum{s.Units / n, (s.Units%n*partsOfUnit + s.Parts) / n}
}

// Times is n times an amount; neither is negative.
func (s Sum) Times(n int64) Sum {
	high, low := bits.Mul64(uint64(s.Parts), uint64(n))
	units, parts := bits.Div64(high, low, partsOfUnit)
	return Sum{s.Units*n + int64(units), int64(parts)}
}
