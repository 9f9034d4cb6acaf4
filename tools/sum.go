package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// sum is an exact number in three words, where a decimal takes eight: there are hundreds of thousands of them. The zero
// value is 0.
type sum struct {
	small moysklad.Count
	large *decimal.Decimal // instead of small, for what has too many digits
}

func sumOf(d decimal.Decimal) sum {
	if small, fits := moysklad.CountOf(d); fits {
		return sum{small: small}
	}
	return sum{large: &d}
}

func (s sum) decimal() decimal.Decimal {
	if s.large != nil {
		return *s.large
	}
	return s.small.Decimal()
}

func (s sum) plus(d decimal.Decimal) sum { return sumOf(s.decimal().Add(d)) }
