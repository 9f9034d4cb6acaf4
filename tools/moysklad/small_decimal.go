package moysklad

import "github.com/shopspring/decimal"

// SmallDecimal is an exact number of at most 18 significant digits, stored in two machine words. Short stock reports have
// millions of rows, and a decimal.Decimal takes five times as much memory. The zero value is 0.
type SmallDecimal struct {
	digits int64
	places uint8 // number of decimal places
}

// smallDigits is the number of digits that an int64 can always hold.
const smallDigits = 18

// SmallDecimalOf converts d. It returns false if d does not fit.
func SmallDecimalOf(d decimal.Decimal) (SmallDecimal, bool) {
	return parseSmallDecimal([]byte(d.String()))
}

// parseSmallDecimal parses a JSON number without an exponent, such as "31.0". It returns false if text is not such a
// number or does not fit. Zeros in front are not significant: 0.30000000000000004 has 17 digits.
func parseSmallDecimal(b []byte) (c SmallDecimal, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	point, significant := -1, 0
	for i, char := range b {
		switch {
		case char == '.' && point < 0 && i > 0:
			point = i
		case char < '0' || char > '9':
			return SmallDecimal{}, false
		default:
			if c.digits = c.digits*10 + int64(char-'0'); c.digits != 0 {
				significant++
			}
		}
	}
	if len(b) == 0 || len(b) > longestNumber || significant > smallDigits || point == len(b)-1 {
		return SmallDecimal{}, false
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
func (c SmallDecimal) Decimal() decimal.Decimal {
	if c.digits == 0 {
		return decimal.Decimal{}
	}
	return decimal.New(c.digits, -int32(c.places))
}
