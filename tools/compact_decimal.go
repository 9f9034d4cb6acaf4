package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// sum is an exact number in three words, where a decimal takes eight: there are hundreds of thousands of them. The zero
// value is 0.
type compactDecimal struct {
	compact moysklad.Count
	exact   *decimal.Decimal // instead of small, for what has too many digits
}

func compactOf(d decimal.Decimal) compactDecimal {
	if small, fits := moysklad.CountOf(d); fits {
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
