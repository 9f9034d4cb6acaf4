package moysklad

import (
	"fmt"

	"github.com/shopspring/decimal"
)

// Count is an exact number of at most 18 digits, stored in two machine words. Short stock reports have millions of
// rows, and a decimal.Decimal takes five times as much memory. The zero value is 0.
type Count struct {
	digits int64
	places uint8 // number of decimal places
}

// countDigits is the number of digits that an int64 can always hold.
const countDigits = 18

// newCount parses a JSON number without rounding. The error wraps [ErrIncomplete].
func newCount(b []byte) (Count, error) {
	if c, ok := parseCount(b); ok {
		return c, nil
	}
	if d, err := parseDecimal(b); err == nil { // the number has an exponent or redundant zeros
		if c, ok := CountOf(d); ok {
			return c, nil
		}
	}
	return Count{}, fmt.Errorf("%w: %.40s where a number of at most %d digits was expected", ErrIncomplete, b, countDigits)
}

// CountOf converts d to a Count. It returns false if d does not fit.
func CountOf(d decimal.Decimal) (Count, bool) { return parseCount([]byte(d.String())) }

// parseCount parses a JSON number without an exponent, such as "31.0". It returns false if text is not such a number or
// does not fit.
func parseCount(b []byte) (c Count, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	point := -1
	for i, char := range b {
		switch {
		case char == '.' && point < 0 && i > 0:
			point = i
		case char < '0' || char > '9':
			return Count{}, false
		default:
			c.digits = c.digits*10 + int64(char-'0')
		}
	}
	if len(b) == 0 || len(b) > countDigits || point == len(b)-1 {
		return Count{}, false
	}
	if point >= 0 {
		c.places = uint8(len(b) - point - 1)
	}
	for c.places > 0 && c.digits%10 == 0 {
		c.digits, c.places = c.digits/10, c.places-1
	}
	if negative {
		c.digits = -c.digits
	}
	return c, true
}

// Decimal returns the number as a decimal.
func (c Count) Decimal() decimal.Decimal {
	if c.digits == 0 {
		return decimal.Decimal{}
	}
	return decimal.New(c.digits, -int32(c.places))
}

// Sign returns -1, 0 or 1.
func (c Count) Sign() int {
	switch {
	case c.digits < 0:
		return -1
	case c.digits > 0:
		return 1
	}
	return 0
}
