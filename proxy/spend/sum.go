// Package spend records the cost of model requests by organization, key, model and hour.
package spend

import (
	"math/big"
	"math/bits"

	"github.com/shopspring/decimal"
)

// Sum is an exact amount of money, or a number of requests or tokens. It consists of two integers, which every database can
// add exactly.
type Sum struct {
	Units int64
	Parts int64 // units of 1/partsOfUnit; never negative
}

const (
	partsOfUnit = 1_000_000_000_000
	partsDigits = 12
)

// powersOfTen has the powers from 10^0 to 10^partsDigits.
var powersOfTen = func() (powers [partsDigits + 1]int64) {
	for i, power := 0, int64(1); i < len(powers); i, power = i+1, power*10 {
		powers[i] = power
	}
	return powers
}()

// FromUnits returns n whole units.
func FromUnits(n int64) Sum { return Sum{Units: n} }

// FromDecimal converts a decimal. It rounds to 12 decimals.
func FromDecimal(d decimal.Decimal) Sum {
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

// Decimal converts the sum without rounding.
func (s Sum) Decimal() decimal.Decimal {
	return decimal.NewFromInt(s.Units).Add(decimal.NewFromBigInt(big.NewInt(s.Parts), -partsDigits))
}

// Plus returns s + o.
func (s Sum) Plus(o Sum) Sum {
	parts := s.Parts + o.Parts
	if parts >= partsOfUnit {
		return Sum{s.Units + o.Units + 1, parts - partsOfUnit}
	}
	return Sum{s.Units + o.Units, parts}
}

// Minus returns s - o. If the result is negative, Units is rounded down and Parts is still not negative: -0.25 is -1 +
// 0.75.
func (s Sum) Minus(o Sum) Sum {
	parts := s.Parts - o.Parts
	if parts < 0 {
		return Sum{s.Units - o.Units - 1, parts + partsOfUnit}
	}
	return Sum{s.Units - o.Units, parts}
}

// Less reports whether s < o.
func (s Sum) Less(o Sum) bool { return s.Units < o.Units || s.Units == o.Units && s.Parts < o.Parts }

// DividedBy returns s / n, rounded down. s must not be negative.
func (s Sum) DividedBy(n int64) Sum {
	return Sum{s.Units / n, (s.Units%n*partsOfUnit + s.Parts) / n}
}

// Times returns s * n. Neither may be negative.
func (s Sum) Times(n int64) Sum {
	high, low := bits.Mul64(uint64(s.Parts), uint64(n))
	units, parts := bits.Div64(high, low, partsOfUnit)
	return Sum{s.Units*n + int64(units), int64(parts)}
}
