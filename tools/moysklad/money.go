package moysklad

import (
	"bytes"

	"github.com/shopspring/decimal"
)

// Kopecks is an amount in hundredths of its currency, as the upstream sends every amount: 249000 is 2 490.00 ₽. Average
// costs have a fraction (the official sample is 50260.869565), so it is a decimal, never a float or an integer. An
// amount that may be unknown is a *Kopecks.
//
// Source: md/reports/_report_stock.md, api-remap-1.2-doc#580.
type Kopecks struct{ decimal.Decimal }

// MarshalJSON writes the amount as the upstream expects it: a bare number of hundredths.
func (k Kopecks) MarshalJSON() ([]byte, error) { return []byte(k.String()), nil }

// Quantity is a number of units of a product; fractions occur.
type Quantity struct{ decimal.Decimal }

// MarshalJSON writes a bare number.
func (q Quantity) MarshalJSON() ([]byte, error) { return []byte(q.String()), nil }

// Kop returns n hundredths.
func Kop(n int64) Kopecks { return Kopecks{decimal.NewFromInt(n)} }

// Qty returns n units.
func Qty(n int64) Quantity { return Quantity{decimal.NewFromInt(n)} }

func isNull(b []byte) bool { return bytes.Equal(b, []byte("null")) }
