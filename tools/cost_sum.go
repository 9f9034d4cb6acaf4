package tools

import (
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// costSum is a sum of known costs. If every cost is unknown, the sum is unknown, not 0.
type costSum struct {
	sum            decimal.Decimal // hundredths
	known, unknown int
}

// add adds units at a cost, which may be unknown.
func (s *costSum) add(cost *moysklad.Kopecks, units decimal.Decimal) {
	if cost == nil {
		s.unknown++
		return
	}
	s.known++
	s.sum = s.sum.Add(cost.Mul(units))
}

// merge adds another sum.
func (s *costSum) merge(other costSum) {
	s.sum = s.sum.Add(other.sum)
	s.known, s.unknown = s.known+other.known, s.unknown+other.unknown
}

func (s *costSum) money() *Money {
	if s.known == 0 && s.unknown > 0 {
		return nil
	}
	return MoneyOf(s.sum)
}
