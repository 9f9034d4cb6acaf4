package tools

import (
	"time"

	"github.com/invopop/jsonschema"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
)

// exact is a decimal figure of a result. It is written as a JSON number.
type exact struct{ d decimal.Decimal }

// Decimal returns the exact value.
func (e exact) Decimal() decimal.Decimal { return e.d }

// String returns the shortest exact decimal representation: "42.5".
func (e exact) String() string { return e.d.String() }

// MarshalJSON writes a JSON number.
func (e exact) MarshalJSON() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalJSON reads a JSON number.
func (e *exact) UnmarshalJSON(b []byte) error { return e.d.UnmarshalJSON(b) }

// Money is an amount in currency units with two decimals; only a price of [UnitPriceOf] can have more. It is computed from a
// sum of hundredths: divided by 100 and rounded once, half away from zero. Unknown money is a nil *Money, never 0.
type Money struct{ exact }

// MoneyOf converts hundredths of any currency to money.
func MoneyOf(hundredths decimal.Decimal) *Money { return &Money{exact{hundredths.Shift(-2).Round(2)}} }

// UnitPriceOf converts hundredths to a price of a unit with up to five decimals, because prices can have fractions of a kopeck.
// If they were rounded, an order's total would differ from the sum of the report behind it, and a price changed by a percentage
// from what MoySklad computes.
func UnitPriceOf(hundredths decimal.Decimal) *Money {
	return &Money{exact{hundredths.Shift(-2).Round(5)}}
}

// String returns the amount with two decimals, or more if it has more, and a decimal point: "1234.50".
func (m Money) String() string {
	if m.d.Equal(m.d.Round(2)) {
		return m.d.StringFixed(2)
	}
	return m.d.String()
}

// MarshalJSON writes the number as String does.
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// JSONSchema describes the number to models and programs.
func (Money) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Description: "money in currency units, two decimals"}
}

// Units is a quantity of a product, which may be fractional. An unknown quantity is a nil *Units.
type Units struct{ exact }

// UnitsOf returns d as units.
func UnitsOf(d decimal.Decimal) Units { return Units{exact{d}} }

// JSONSchema describes the number to models and programs.
func (Units) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Description: "units of the product"}
}

// Percent is a share in percent. It has two decimals, or more if two decimals would show a share as 0 or 100 that is
// not exactly 0 or 100. If the whole is 0 or an amount is unknown, the share is a nil *Percent.
type Percent struct{ exact }

var hundred = decimal.NewFromInt(100)

// percentOf returns part as a percentage of whole, or nil if whole is 0.
func percentOf(part, whole decimal.Decimal) *Percent {
	if whole.IsZero() {
		return nil
	}
	share := part.Mul(hundred).DivRound(whole, 12)
	rounded := share.Round(2)
	if !rounded.IsZero() && !rounded.Abs().Equal(hundred) {
		return percent(rounded)
	}
	gap := decimal.Min(share.Abs(), share.Abs().Sub(hundred).Abs())
	places := int32(2)
	for !gap.IsZero() && places < 11 && gap.LessThan(decimal.New(1, -places)) {
		places++
	}
	return percent(share.Round(places + 1))
}

func percent(d decimal.Decimal) *Percent { return &Percent{exact{d}} }

// JSONSchema describes the number to models and programs.
func (Percent) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "number", Description: "percent"}
}

// Number is a decimal number that is neither money nor units.
type Number struct{ exact }

// NumberOf returns d as a number.
func NumberOf(d decimal.Decimal) Number { return Number{exact{d}} }

// JSONSchema describes the number to models and programs.
func (Number) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "number"} }

// UnitsPerDay is a rate of sales in units per day.
type UnitsPerDay struct{ Units }

// Days is a duration in days, which may be fractional.
type Days struct{ Number }

// WholeDays is a duration in whole days.
type WholeDays int

// Months is a duration in months, which may be fractional.
type Months struct{ Number }

// Moscow is the time zone of every date and time in a result.
var Moscow = moysklad.Moscow

// Noon returns noon of the time's day in Moscow, so that all times of a day are equal.
func Noon(t time.Time) time.Time { return startOfDay(t).Add(12 * time.Hour) }

// Day is a calendar day in Moscow time (YYYY-MM-DD), or a time on that day in RFC 3339.
type Day string

// Month is a calendar month (YYYY-MM).
type Month string

// Moment is a time in RFC 3339.
type Moment string

// moneyOrNil is [MoneyOf] for an amount that can be nil.
func moneyOrNil(k *moysklad.Kopecks) *Money {
	if k == nil {
		return nil
	}
	return MoneyOf(k.Decimal)
}

// zeroIfNil returns 0 for nil. The caller must treat 0 as unknown.
func zeroIfNil(k *moysklad.Kopecks) decimal.Decimal {
	if k == nil {
		return decimal.Zero
	}
	return k.Decimal
}

// nilIfEmpty returns nil for an empty text, because a value that the upstream omits is unknown.
func nilIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
