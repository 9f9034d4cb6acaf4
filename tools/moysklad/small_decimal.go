package moysklad

import "github.com/shopspring/decimal"

// SmallDecimal is an exact number of at most 17 significant digits, stored in one machine word: the digits, and in the last
// five bits the number of decimal places. Short stock reports have millions of rows, and a decimal.Decimal takes ten times
// as much memory. The zero value is 0.
type SmallDecimal int64

const (
	smallDigits = 17 // the number of digits that always fit beside the places
	placesBits  = 5
	maxPlaces   = 1<<placesBits - 1
)

// SmallDecimalOf converts d. It returns false if d does not fit.
func SmallDecimalOf(d decimal.Decimal) (SmallDecimal, bool) {
	return parseSmallDecimal([]byte(d.String()))
}

// parseSmallDecimal parses a JSON number without an exponent, such as "31.0". It returns false if text is not such a
// number or does not fit. Zeros in front are not significant: 0.30000000000000004 has 17 digits.
func parseSmallDecimal(b []byte) (d SmallDecimal, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	digits, point, significant := int64(0), -1, 0
	for i, char := range b {
		switch {
		case char == '.' && point < 0 && i > 0:
			point = i
		case char < '0' || char > '9':
			return 0, false
		default:
			if digits = digits*10 + int64(char-'0'); digits != 0 {
				significant++
			}
		}
	}
	if len(b) == 0 || len(b) > longestNumber || significant > smallDigits || point == len(b)-1 {
		return 0, false
	}
	places := 0
	if point >= 0 {
		places = len(b) - point - 1
	}
	for places > 0 && digits%10 == 0 {
		digits, places = digits/10, places-1
	}
	if negative {
		digits = -digits
	}
	return SmallDecimal(digits<<placesBits | int64(places)), places <= maxPlaces
}

// Decimal returns the number as a decimal.
func (d SmallDecimal) Decimal() decimal.Decimal {
	if d == 0 {
		return decimal.Decimal{}
	}
	return decimal.New(int64(d>>placesBits), -int32(d&maxPlaces))
}
