package reference

import (
	"math/big"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

var (
	hundred = big.NewRat(100, 1)
	one     = big.NewRat(1, 1)
)

// operands checks that both operands are known numbers.
func operands(sign string, values ...*Value) error {
	for _, v := range values {
		if v.Null {
			return nullIn(v)
		}
		if v.number == nil {
			return wrong(WrongKind, "%s is not a number: %q needs numbers", kindName(v.Kind), sign)
		}
	}
	return nil
}

func nullIn(v *Value) error {
	what := "a value"
	if v.field != nil {
		what = v.field.Path
	}
	if v.in != nil {
		what = v.in.path(v.field)
	}
	return wrong(Null, "%s is unknown: the books do not say it. Say in words that it is unknown; it is not 0", what)
}

// maxWholeBits limits numbers to 77 digits before the point.
const maxWholeBits = 256

func arithmetic(sign string, a, b *Value) (v Value, err error) {
	switch sign {
	case "*":
		v, err = times(a, b)
	case "/":
		v, err = over(a, b)
	default:
		v, err = plus(sign, a, b)
	}
	if err == nil && v.number != nil && v.number.Num().BitLen()-v.number.Denom().BitLen() > maxWholeBits {
		return Value{}, wrong(Budget, "the number is too large")
	}
	return v, err
}

// plus adds b to a, or subtracts it.
func plus(sign string, a, b *Value) (Value, error) {
	if IsTime(a.Kind) && !a.Null && !b.Null {
		return shiftedTime(sign, a, b)
	}
	if err := operands(sign, a, b); err != nil {
		return Value{}, err
	}
	if a.Kind == Bare && a.number.Cmp(one) == 0 && b.Kind == tools.KindPercent { // 1 - 15%
		whole := numeric(tools.KindPercent, "", hundred)
		whole.ofUser = true
		a = &whole
	}
	kind, currency, err := combined(sign, a, b)
	if err != nil {
		return Value{}, err
	}
	r := new(big.Rat)
	if sign == "-" {
		r.Sub(a.number, b.number)
	} else {
		r.Add(a.number, b.number)
	}
	v := carry(numeric(kind, currency, r), a, b)
	v.ofUser = a.ofUser && b.ofUser
	if sign == "-" {
		v.change = isChange(a, b)
		v.signed = kind == Points && v.change
	}
	return v, nil
}

// combined returns the kind and the currency of a sum or a difference.
func combined(sign string, a, b *Value) (Kind, string, error) {
	isRest := a.ofUser && a.number.Cmp(hundred) == 0 // what is left of 100% is a percentage
	switch {
	case a.ofUser && b.ofUser:
		return a.Kind, a.Currency, nil
	case a.Kind == Bare && b.Kind == tools.KindPercent && b.field == nil && sign == "+":
		return "", "", wrong(WrongKind, "a number and a percentage are not added: 10%% more than 100 is 100 * 110%%")
	case sign == "-" && (isTarget(a, b) || isTarget(b, a) || a.Kind == tools.KindPercent && b.Kind == tools.KindPercent && !isRest):
		return Points, "", nil
	case b.Kind == Bare && b.takes(a):
		return a.Kind, a.Currency, nil
	case a.Kind != Bare && a.Kind != b.Kind && isPlain(a.Kind) && isPlain(b.Kind):
		return tools.KindRatio, "", nil
	case a.takes(b):
		return b.Kind, b.Currency, nil
	case b.takes(a), a.Kind == tools.KindPercent && b.Kind == Points, a.Kind == b.Kind && a.Currency == b.Currency:
		return a.Kind, a.Currency, nil
	case a.Kind == b.Kind:
		return "", "", currencies(a.Currency, b.Currency)
	}
	return "", "", wrong(WrongKind, "%s and %s cannot be combined by %q: both must be of one kind", kindName(a.Kind), kindName(b.Kind), sign)
}

// isTarget reports whether n is a number from which a percentage is some points away. 100 minus a percentage is the rest,
// and a percentage minus 100 is a change.
func isTarget(n, percentage *Value) bool {
	return n.Kind == Bare && n.number.Cmp(hundred) != 0 && percentage.Kind == tools.KindPercent
}

// takes reports whether a number without a unit can have that of another value: a bare number, or a quotient such as money by a price
// per piece. What is computed from units or from time is neither money nor a percentage.
func (v *Value) takes(other *Value) bool {
	return v.Kind == Bare && !v.measured || (v.Kind == Bare || v.Kind == tools.KindRatio) && !KeepsUnit(other.Kind)
}

func currencies(a, b string) error {
	return wrong(WrongCurrency, "amounts in %s and %s are never combined: give them side by side, or convert one at a rate that the user named: "+
		`convert(amount, rate, "USD")`, currencyName(a), currencyName(b))
}

func currencyName(currency string) string {
	if currency == "" {
		return "an unknown currency"
	}
	return currency
}

// shiftedTime returns the days between two days, or a day that is some days before or after another.
func shiftedTime(sign string, a, b *Value) (Value, error) {
	switch {
	case sign == "-" && IsTime(b.Kind) && a.Kind != tools.KindMonth && b.Kind != tools.KindMonth:
		days := tools.Noon(a.at).Sub(tools.Noon(b.at)).Hours() / 24
		return numeric(tools.KindDays, "", big.NewRat(int64(days), 1)), nil
	case (b.Kind == tools.KindDays || b.Kind == Bare) && b.number != nil && b.number.IsInt() && a.Kind == tools.KindDay &&
		b.number.Num().IsInt64() && abs64(b.number.Num().Int64()) <= 36600:
		days := int(b.number.Num().Int64())
		if sign == "-" {
			days = -days
		}
		day := *a
		day.at = a.at.AddDate(0, 0, days)
		return day, nil
	}
	return Value{}, wrong(WrongKind, "%s and %s cannot be combined by %q: a day takes whole days, and a day minus a day is days",
		kindName(a.Kind), kindName(b.Kind), sign)
}

func abs64(n int64) int64 { return max(n, -n) }

// times multiplies two numbers. One factor must be a bare number, a count, a ratio or a percentage; or the product undoes a
// quotient: units times a price, money or units per day times days.
func times(a, b *Value) (Value, error) {
	if err := operands("*", a, b); err != nil {
		return Value{}, err
	}
	r := new(big.Rat).Mul(a.number, b.number)
	if kind, currency, ok := product(a, b); ok {
		return carry(numeric(kind, currency, r), a, b), nil
	}
	for _, pair := range [][2]*Value{{a, b}, {b, a}} {
		if pair[0].Kind == tools.KindPercent && pair[1].Kind != Points {
			if a.cents || b.cents {
				return Value{}, errTwice
			}
			v := carry(numeric(pair[1].Kind, pair[1].Currency, r.Quo(r, hundred)), a, b)
			v.share = true
			return v, nil
		}
	}
	return Value{}, wrong(WrongKind, "%s times %s has no meaning", kindName(a.Kind), kindName(b.Kind))
}

// factors has lengths of time and factors between units.
var factors = map[string]bool{
	"7": true, "12": true, "14": true, "21": true, "24": true, "28": true, "30": true, "30.4": true, "30.5": true, "31": true, "52": true,
	"60": true, "90": true, "100": true, "168": true, "180": true, "365": true, "366": true, "1000": true, "1440": true, "3600": true,
	"8760": true, "86400": true, "1000000": true,
}

// IsFactor reports whether a number is a usual length of time or a factor between units.
func IsFactor(number decimal.Decimal) bool { return factors[number.String()] }

// errTwice stands for a percentage that would count as a hundredth of itself.
var errTwice = wrong(WrongKind, "a percentage multiplies as a share already: leave out / 100, as in R1.totals.revenue * R1.totals.covered_margin_percent")

func product(a, b *Value) (Kind, string, bool) {
	for _, pair := range [][2]*Value{{a, b}, {b, a}} {
		x, y := pair[0], pair[1]
		switch {
		case y.Kind == tools.KindPercent && (isPlain(x.Kind) && y.ofUser || x.Kind == tools.KindCount):
			return "", "", false
		case x.Kind == Bare:
			return besideNumber(y.Kind), y.Currency, true
		case x.Kind == tools.KindCount && y.Kind == tools.KindCount:
			return tools.KindCount, "", true
		case isPlain(x.Kind) && isPlain(y.Kind):
			return tools.KindRatio, "", true
		case isPlain(x.Kind):
			return y.Kind, y.Currency, true
		case y.Kind == tools.KindMoney && (x.Kind == tools.KindUnits || isDuration(x.Kind)): // a price
			return tools.KindMoney, y.Currency, true
		case x.Kind == tools.KindPerDay && y.Kind == tools.KindDays:
			return tools.KindUnits, "", true
		}
	}
	return "", "", false
}

// besideNumber returns the kind of a value of kind k after it was multiplied or divided by a bare number. The number may be a length
// of time or a factor between units, so only money and percentages keep their unit.
func besideNumber(k Kind) Kind {
	if KeepsUnit(k) {
		return k
	}
	return Bare
}

// KeepsUnit reports whether values of a kind are money or percentages, which lengths of time do not change.
func KeepsUnit(k Kind) bool { return k == tools.KindMoney || k == tools.KindPercent || k == Points }

func isDuration(k Kind) bool { return k == tools.KindDays || k == tools.KindMonths }

func over(a, b *Value) (Value, error) {
	if err := operands("/", a, b); err != nil {
		return Value{}, err
	}
	kind, currency, err := quotient(a, b)
	if err != nil {
		return Value{}, err
	}
	if b.number.Sign() == 0 {
		return Value{}, wrong(ByZero, "this divides by 0: say in words that there is nothing to divide by")
	}
	isHundred := b.Kind == Bare && b.number.Cmp(hundred) == 0
	if isHundred && a.share {
		return Value{}, errTwice
	}
	r := new(big.Rat).Quo(a.number, b.number)
	if b.Kind == tools.KindPercent && a.Kind != tools.KindPercent {
		r.Mul(r, hundred)
	}
	v := carry(numeric(kind, currency, r), a, b)
	v.cents = v.cents || isHundred
	return v, nil
}

func quotient(a, b *Value) (Kind, string, error) {
	switch {
	case a.Kind == b.Kind && a.Currency != b.Currency:
		return "", "", currencies(a.Currency, b.Currency)
	case b.Kind == Bare:
		return besideNumber(a.Kind), a.Currency, nil
	case a.Kind == Bare && !KeepsUnit(b.Kind):
		return Bare, "", nil
	case a.Kind == b.Kind, isPlain(a.Kind) && isPlain(b.Kind), a.Kind == tools.KindRatio && b.Kind == tools.KindUnits:
		return tools.KindRatio, "", nil
	case isPlain(b.Kind), b.Kind == tools.KindPercent && a.Kind != Points:
		if a.Kind == tools.KindCount {
			return tools.KindRatio, "", nil
		}
		return a.Kind, a.Currency, nil
	case a.Kind == tools.KindUnits && b.Kind == tools.KindDays:
		return tools.KindPerDay, "", nil
	case (a.Kind == tools.KindUnits || isPlain(a.Kind)) && b.Kind == tools.KindPerDay:
		return tools.KindDays, "", nil
	case a.Kind == tools.KindMoney && (b.Kind == tools.KindUnits || isDuration(b.Kind)),
		a.Kind == tools.KindUnits && b.Kind == tools.KindMonths:
		return a.Kind, a.Currency, nil
	}
	if a.Kind == Bare {
		return "", "", wrong(
			WrongKind, "a bare number divided by %s has no meaning. If the number is an amount of money, write money(20000)", kindName(b.Kind),
		)
	}
	return "", "", wrong(WrongKind, "%s divided by %s has no meaning", kindName(a.Kind), kindName(b.Kind))
}

// share returns part as a percentage of whole.
func share(part, whole *Value) (Value, error) {
	if err := sameKind("share", part, whole); err != nil {
		return Value{}, err
	}
	if whole.number.Sign() == 0 {
		return Value{}, wrong(ByZero, "share: the whole is 0, so there is no share: say so in words")
	}
	r := new(big.Rat).Quo(part.number, whole.number)
	return carry(numeric(tools.KindPercent, "", r.Mul(r, hundred)), part, whole), nil
}

// change returns by how many percent now is above old.
func change(old, now *Value) (Value, error) {
	if err := sameKind("change", old, now); err != nil {
		return Value{}, err
	}
	if old.number.Sign() <= 0 {
		return Value{}, wrong(ByZero, "change: the old value is not above 0, so there is no percentage: give the difference with - instead")
	}
	r := new(big.Rat).Quo(now.number, old.number)
	r.Sub(r, one)
	v := carry(numeric(tools.KindPercent, "", r.Mul(r, hundred)), old, now)
	v.change = old.in == nil || now.in == nil || isChange(now, old) // two rows of one report do not change
	v.signed = true
	return v, nil
}

func sameKind(name string, a, b *Value) error {
	if err := operands(name, a, b); err != nil {
		return err
	}
	if !areAlike(a, b) {
		return wrong(WrongKind, "%s: %s and %s are not of one kind", name, kindName(a.Kind), kindName(b.Kind))
	}
	if a.Kind == b.Kind && a.Currency != b.Currency {
		return currencies(a.Currency, b.Currency)
	}
	return nil
}

// areAlike reports whether two values can be compared.
func areAlike(a, b *Value) bool {
	return a.Kind == b.Kind || isPlain(a.Kind) && isPlain(b.Kind) || a.takes(b) || b.takes(a)
}

// carry copies to a computed value what it inherits from its operands.
func carry(v Value, from ...*Value) Value {
	for _, f := range from {
		v.rounded, v.share, v.cents = v.rounded || f.rounded, v.share || f.share, v.cents || f.cents
		v.inParts = v.inParts || f.inParts
		v.measured = v.measured || v.Kind == Bare && (f.measured || f.Kind != Bare)
	}
	return v
}
