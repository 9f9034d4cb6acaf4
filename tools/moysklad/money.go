package moysklad

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/shopspring/decimal"
)

// Kopecks is an amount in hundredths of its currency, as in all of the upstream's answers: 249000 is 2 490.00 ₽. It is
// a decimal because average costs have a fraction (the vendor's example is 50260.869565). An amount that may be unknown
// is a *Kopecks.
//
// Source: md/reports/_report_stock.md, api-remap-1.2-doc#580.
type Kopecks struct{ decimal.Decimal }

// MarshalJSON writes the number of hundredths without quotes, as the upstream expects.
func (k Kopecks) MarshalJSON() ([]byte, error) { return []byte(k.String()), nil }

// UnmarshalJSON reads the amount exactly. null is an error and never becomes 0; fields that may be null have the type
// *Kopecks.
func (k *Kopecks) UnmarshalJSON(b []byte) (err error) {
	k.Decimal, err = parseDecimal(b)
	return err
}

// Quantity is a number of units of a product. It may have a fraction.
type Quantity struct{ decimal.Decimal }

// MarshalJSON writes the number without quotes.
func (q Quantity) MarshalJSON() ([]byte, error) { return []byte(q.String()), nil }

// UnmarshalJSON reads the number exactly. null is an error, as for [Kopecks].
func (q *Quantity) UnmarshalJSON(b []byte) (err error) {
	q.Decimal, err = parseDecimal(b)
	return err
}

// longestNumber and largestExponent bound the cost of arithmetic: 1e999999999 is a valid JSON number.
const (
	longestNumber   = 64
	largestExponent = 40
)

var errNull = errors.New("null where a number was expected")

func parseDecimal(b []byte) (decimal.Decimal, error) {
	if c, ok := parseSmallDecimal(b); ok {
		return c.Decimal(), nil
	}
	if isNull(b) {
		return decimal.Decimal{}, errNull
	}
	if len(b) > longestNumber {
		return decimal.Decimal{}, fmt.Errorf("a number of %d digits", len(b))
	}
	d, err := decimal.NewFromString(string(b))
	if err != nil {
		return decimal.Decimal{}, fmt.Errorf("%q is not a number", b)
	}
	if e := d.Exponent(); e > largestExponent || e < -largestExponent {
		return decimal.Decimal{}, fmt.Errorf("%s is out of range", b)
	}
	return d, nil
}

// Qty returns a whole number of units.
func Qty(n int64) Quantity { return Quantity{decimal.NewFromInt(n)} }

func isNull(b []byte) bool { return bytes.Equal(b, []byte("null")) }
