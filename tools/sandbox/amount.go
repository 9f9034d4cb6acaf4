package sandbox

import (
	"bytes"
	"math/bits"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// Amount is money in thousandths of a kopeck: 138 050.5 kopecks is Amount(138_050_500). With integers, every sum is
// exact, and an account of 100,000 products takes little memory. [Amount.Kopecks] converts to a decimal.
//
// Costs that the generator makes are multiples of 0.2 kopeck. So no exact sum ends in half a kopeck, and a rounded
// average multiplied by its quantity always equals the rounded sum.
type Amount int64

// Kop returns n whole kopecks.
func Kop(n int64) Amount { return Amount(n * 1000) }

// Rub returns n whole rubles, or hundreds of cents.
func Rub(n int64) Amount { return Kop(n * 100) }

// Kopecks returns the exact amount in kopecks.
func (a Amount) Kopecks() moysklad.Kopecks {
	return moysklad.Kopecks{Decimal: decimal.New(int64(a), -3)}
}

// MarshalJSON writes kopecks as the upstream does: a number with at least one decimal.
func (a Amount) MarshalJSON() ([]byte, error) { return appendThousandths(nil, int64(a)), nil }

// Units is a quantity in thousandths of a unit: 2 pieces is Units(2000).
type Units int64

// Pieces returns n whole units.
func Pieces(n int64) Units { return Units(n * 1000) }

// Quantity returns the exact quantity.
func (u Units) Quantity() moysklad.Quantity {
	return moysklad.Quantity{Decimal: decimal.New(int64(u), -3)}
}

// MarshalJSON writes units as the upstream does: a number with at least one decimal.
func (u Units) MarshalJSON() ([]byte, error) { return appendThousandths(nil, int64(u)), nil }

// times returns the cost of u units at a unit price. If u or the price is whole, the result is exact; otherwise it is
// rounded to a thousandth of a kopeck.
func (u Units) times(unit Amount) Amount {
	if u%1000 == 0 {
		return Amount(int64(u) / 1000 * int64(unit))
	}
	return Amount(mulDiv(int64(u), int64(unit), 1000))
}

// mulDiv returns a·b/c, rounded half away from zero. a·b may exceed 64 bits.
func mulDiv(a, b, c int64) int64 {
	negative := (a < 0) != (b < 0)
	hi, lo := bits.Mul64(magnitude(a), magnitude(b))
	lo, carry := bits.Add64(lo, uint64(c)/2, 0)
	quotient, _ := bits.Div64(hi+carry, lo, uint64(c))
	if negative {
		return -int64(quotient)
	}
	return int64(quotient)
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return uint64(-n)
	}
	return uint64(n)
}

// perUnit returns the average of a sum, or 0 if quantity is 0. Like the upstream's averages, it is a float64.
func perUnit(sum Amount, quantity Units) double {
	if quantity == 0 {
		return 0
	}
	return double(float64(sum) / float64(quantity))
}

// ratio returns part/whole, or 0 if whole is 0. The upstream writes margins in this form.
func ratio(part, whole Amount) double {
	if whole == 0 {
		return 0
	}
	return double(float64(part) / float64(whole))
}

// double is a computed number. It is written without an exponent.
type double float64

// append writes the number with at least one decimal, as Java does.
func (d double) append(text []byte) []byte {
	before := len(text)
	text = strconv.AppendFloat(text, float64(d), 'f', -1, 64)
	if bytes.IndexByte(text[before:], '.') < 0 {
		text = append(text, ".0"...)
	}
	return text
}

func appendThousandths(text []byte, n int64) []byte {
	if n < 0 {
		text = append(text, '-')
	}
	m := magnitude(n)
	text = strconv.AppendUint(text, m/1000, 10)
	fraction := strconv.FormatUint(1000+m%1000, 10)[1:]
	text = append(text, '.', fraction[0])
	switch {
	case fraction[2] != '0':
		text = append(text, fraction[1:]...)
	case fraction[1] != '0':
		text = append(text, fraction[1])
	}
	return text
}
