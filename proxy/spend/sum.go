// Package spend knows what requests for models cost, and keeps who has spent what.
package spend

import (
	"math/big"

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

// Whole is a number of units.
func Whole(n int64) Sum { return Sum{Units: n} }

// SumOf is an amount, rounded to 12 decimals.
func SumOf(d decimal.Decimal) Sum {
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
