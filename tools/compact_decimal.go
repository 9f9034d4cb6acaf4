package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// compactDecimal is an exact number in two machine words. A decimal.Decimal takes eight, and hundreds of thousands of these
// numbers are kept in memory. The zero value is 0.
type compactDecimal struct {
	compact moysklad.SmallDecimal
	exact   *decimal.Decimal // set instead of compact for a number with too many digits
}

func compactOf(d decimal.Decimal) compactDecimal {
	if small, fits := moysklad.SmallDecimalOf(d); fits {
		return compactDecimal{compact: small}
	}
	return compactDecimal{exact: &d}
}

func (s compactDecimal) decimal() decimal.Decimal {
	if s.exact != nil {
		return *s.exact
	}
	return s.compact.Decimal()
}

func (s compactDecimal) plus(d decimal.Decimal) compactDecimal { return compactOf(s.decimal().Add(d)) }
