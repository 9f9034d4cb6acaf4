package reference

import (
	"math/big"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Value is the result of an expression. Numbers are exact: a quotient is kept as a fraction and rounded once, when it
// is written.
type Value struct {
	Kind     Kind
	Null     bool     // unknown: it can only be compared with null and shown in a table
	Currency string   // ISO code of money
	Owners   []Origin // the rows that have the minimum or maximum
	Basis

	number   *big.Rat
	measured bool  // a bare number that is computed from units, days or a count: the words beside it say of what it is
	rounded  bool  // no longer exact, because its fraction was too long
	inParts  bool  // a quantity of goods that are not sold in whole pieces, or also of such goods
	share    bool  // a percentage has multiplied it, as a share
	cents    bool  // it was divided by 100
	ofUser   bool  // a percentage that the user named, or computed from such ones only
	exactly  bool  // rounded by the expression, so that money keeps its decimals
	places   int32 // decimals of the number in the report; computed for other numbers
	scale    int32 // 3 to write it in thousands, 6 in millions
	signed   bool  // it is a change, so it is written with a sign even above 0
	change   bool  // it is the difference or the change of a figure between two periods
	text     string
	flag     bool
	at       time.Time
	year     int // year of the report's time; days of other years are written with their year
	items    []Value
	field    *tools.Field
	in       *object // the object that has the field
	object   *object
	rows     *selection
	table    *table
}

// computed is the value of Value.places for a computed number.
const computed = -1

// Path returns a reference to the field from which the value is; "" if there is none.
func (v Value) Path() string {
	if v.in == nil {
		return ""
	}
	return v.in.path(v.field)
}

// Rat returns the exact number; nil if the value is not a known number.
func (v Value) Rat() *big.Rat {
	if v.number == nil {
		return nil
	}
	return new(big.Rat).Set(v.number)
}

// Decimal returns the number, rounded to 24 decimals; 0 if the value is not a known number.
func (v Value) Decimal() decimal.Decimal {
	if v.number == nil {
		return decimal.Decimal{}
	}
	return decimalOf(v.number, 24)
}

// IsNumber reports whether the value is a known number.
func (v Value) IsNumber() bool { return v.number != nil }

// isWritten reports whether the value is a number of the expression itself.
func (v *Value) isWritten() bool {
	return v.Kind == Bare && !v.measured && v.number != nil && v.places != computed
}

// Text returns a text as the report has it; "" if the value is not a text.
func (v Value) Text() string { return v.text }

// Label returns the label of the value's field; "" for a computed value.
func (v Value) Label(lang string) string {
	if v.field == nil {
		return ""
	}
	return v.field.Label.In(lang)
}

// isReported reports whether the value comes from reports and not from the expression's own text.
func (v Value) isReported() bool {
	switch {
	case IsText(v.Kind) && v.field == nil, IsTime(v.Kind) && v.year == 0:
		return false
	case v.Kind == List:
		return v.field != nil
	}
	return true
}

// IsTable reports whether the value is written as a table.
func (v Value) IsTable() bool { return v.Kind == Tabular }

// maxBits limits a number's fraction. A longer one is rounded to keptDigits decimals.
const (
	maxBits    = 2048
	keptDigits = 60
)

func numeric(k Kind, currency string, r *big.Rat) Value {
	v := Value{Kind: k, Currency: currency, number: r, places: computed}
	if r.Denom().BitLen() > maxBits || r.Num().BitLen() > maxBits {
		v.number, v.rounded = new(big.Rat).Set(decimalOf(r, keptDigits).Rat()), true
	}
	return v
}

func exact(k Kind, d decimal.Decimal) Value {
	return Value{Kind: k, number: d.Rat(), places: max(0, -d.Exponent())}
}

func counted(n int) Value { return exact(tools.KindCount, decimal.NewFromInt(int64(n))) }

func truth(b bool) Value { return Value{Kind: tools.KindFlag, flag: b} }

func unknown(k Kind) Value { return Value{Kind: k, Null: true} }

// decimalOf rounds a number. Halves are rounded away from zero.
func decimalOf(r *big.Rat, places int32) decimal.Decimal {
	return decimal.RequireFromString(r.FloatString(int(places)))
}

// ParseTime parses the times, days and months in results. Days and months are in Moscow time.
func ParseTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly, "2006-01"} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(text), tools.Moscow); err == nil {
			return t.In(tools.Moscow), true
		}
	}
	return time.Time{}, false
}

// Time returns the value's day or time, and whether it is known.
func (v Value) Time() (at time.Time, known bool) { return v.at, IsTime(v.Kind) && !v.Null }

// isChange reports whether two values are one figure in two periods.
func isChange(a, b *Value) bool {
	if a.field == nil || b.field == nil || a.in == nil || b.in == nil || a.field.Path != b.field.Path {
		return false
	}
	first, _ := a.in.called()
	second, _ := b.in.called()
	from, _, known := a.in.report.Period()
	other, _, too := b.in.report.Period()
	return first == second && known && too && a.in.report.Tool == b.in.report.Tool && !from.Equal(other)
}

// Size returns a change without its sign, for words that take it as the size of the change.
func (v Value) Size() Value {
	if v.signed {
		v.number, v.signed = new(big.Rat).Abs(v.number), false
	}
	return v
}
