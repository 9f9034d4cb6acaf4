package tools

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/check"
)

// Bounds of an expression: generous for figures of a business, small enough that no input costs noticeable time.
const (
	maxExpressionBytes = 4096
	maxExpressionDepth = 64
	maxValueDigits     = 120
	quotientPlaces     = 24 // of a quotient that does not end, for the leading digit of dividend and divisor alike
)

// evaluate computes an arithmetic expression in decimals. All is exact but quotients that do not end: they are rounded
// after at least [quotientPlaces] significant digits, and exact is false. The error is for whoever wrote the expression:
// an [*ArgumentError] says where and what.
//
// "%" before an operand is the remainder of a division, elsewhere it means hundredths: 17 % 5 is 2, 200 * 15% is 30.
// 100 + 10% is refused, since people read it in two ways.
func evaluate(expression string) (value decimal.Decimal, exact bool, err error) {
	if len(expression) > maxExpressionBytes {
		return value, false, Wrong(tooLong.At("expression", maxExpressionBytes))
	}
	e := evaluation{rest: expression, length: len(expression), exact: true}
	defer func() {
		// The parser leaves its recursion by panicking with a problem, as encoding/json and text/template do.
		if r := recover(); r != nil {
			wrong, ours := r.(*check.Problem)
			if !ours {
				panic(r)
			}
			value, exact, err = decimal.Decimal{}, false, Wrong(wrong)
		}
	}()
	v := e.sum()
	if c := e.peek(); c != 0 {
		panic(e.wrong(misplaced).Held(string(c)))
	}
	return v.Decimal, e.exact, nil
}

// operand is a value that remembers that it was written with a percent sign.
type operand struct {
	decimal.Decimal
	percent bool
}

type evaluation struct {
	rest   string
	length int
	depth  int
	exact  bool
}

func (e *evaluation) fail(what check.Words, values ...any) { panic(e.wrong(what, values...)) }

// wrong is what is wrong with what comes next.
func (e *evaluation) wrong(what check.Words, values ...any) *check.Problem {
	return atCharacter.At("expression", e.length-len(e.rest)+1, what.Of(values...))
}

// peek is the next character that is not a space; 0 at the end.
func (e *evaluation) peek() rune {
	e.rest = strings.TrimLeftFunc(e.rest, unicode.IsSpace)
	if e.rest == "" {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(e.rest)
	return r
}

func (e *evaluation) take(c rune) bool {
	if e.peek() != c {
		return false
	}
	e.rest = e.rest[utf8.RuneLen(c):]
	return true
}

func (e *evaluation) bounded(d decimal.Decimal) operand {
	if d.NumDigits() > maxValueDigits || -d.Exponent() > maxValueDigits {
		e.fail(tooManyDigits, maxValueDigits)
	}
	return operand{Decimal: d}
}

func (e *evaluation) sum() operand {
	if e.depth++; e.depth > maxExpressionDepth {
		e.fail(tooDeep, maxExpressionDepth)
	}
	defer func() { e.depth-- }()
	left := e.product()
	for {
		sign := int64(1)
		switch {
		case e.take('+'):
		case e.take('-') || e.take('−'):
			sign = -1
		default:
			return left
		}
		right := e.product()
		if left.percent != right.percent {
			e.fail(twoReadings)
		}
		percent := left.percent
		left = e.bounded(left.Add(right.Mul(decimal.NewFromInt(sign))))
		left.percent = percent
	}
}

func (e *evaluation) product() operand {
	left := e.factor()
	for {
		switch {
		case e.take('*') || e.take('×'):
			left = e.bounded(left.Mul(e.factor().Decimal))
		case e.take('/') || e.take('÷'):
			left = e.quotient(left.Decimal, e.factor().Decimal)
		case e.take('%'):
			divisor := e.factor()
			if divisor.IsZero() {
				e.fail(byZero)
			}
			left = e.bounded(left.Mod(divisor.Decimal))
		default:
			return left
		}
	}
}

func (e *evaluation) quotient(dividend, divisor decimal.Decimal) operand {
	if divisor.IsZero() {
		e.fail(byZero)
	}
	lead := func(d decimal.Decimal) int { return d.NumDigits() + int(d.Exponent()) }
	places := int32(quotientPlaces + max(0, lead(divisor)-lead(dividend)))
	q := dividend.DivRound(divisor, places)
	if !q.Mul(divisor).Equal(dividend) {
		e.exact = false
	}
	return e.bounded(q)
}

func (e *evaluation) factor() operand {
	negative := false
	for {
		if e.take('-') || e.take('−') {
			negative = !negative
		} else if !e.take('+') {
			break
		}
	}
	v := e.primary()
	if e.peek() == '%' && !e.operandFollows(e.rest[1:]) {
		e.take('%')
		v = operand{v.Shift(-2), true}
	}
	if negative {
		v.Decimal = v.Neg()
	}
	return v
}

func (e *evaluation) operandFollows(text string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeftFunc(text, unicode.IsSpace))
	return r == '(' || r == '.' || '0' <= r && r <= '9' || unicode.IsLetter(r) && r != utf8.RuneError
}

func (e *evaluation) primary() operand {
	switch c := e.peek(); {
	case c == 0:
		e.fail(endsEarly)
	case e.take('('):
		v := e.sum()
		if !e.take(')') {
			e.fail(unclosed)
		}
		return v
	case c == '.' || '0' <= c && c <= '9':
		return e.number()
	case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z':
		return e.call()
	default:
		panic(e.wrong(misplaced).Held(string(c)))
	}
	return operand{}
}

func (e *evaluation) number() operand {
	end := strings.IndexFunc(e.rest, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
	if end < 0 {
		end = len(e.rest)
	}
	text := e.rest[:end]
	d, err := decimal.NewFromString(strings.ReplaceAll(text, "_", ""))
	if err != nil || strings.HasPrefix(text, "_") || strings.HasSuffix(text, ".") {
		panic(e.wrong(notANumber).Held(text))
	}
	e.rest = e.rest[end:]
	if c := e.peek(); '0' <= c && c <= '9' {
		e.fail(twoNumbers)
	}
	return e.bounded(d)
}

// functions take a list of values of the given least and greatest number; a greatest of 0 means any.
var functions = map[string]struct {
	least, most int
	apply       func(e *evaluation, v []decimal.Decimal) operand
}{
	"sum": {1, 0, func(e *evaluation, v []decimal.Decimal) operand { return e.bounded(decimal.Sum(v[0], v[1:]...)) }},
	"min": {1, 0, func(e *evaluation, v []decimal.Decimal) operand { return e.bounded(decimal.Min(v[0], v[1:]...)) }},
	"max": {1, 0, func(e *evaluation, v []decimal.Decimal) operand { return e.bounded(decimal.Max(v[0], v[1:]...)) }},
	"abs": {1, 1, func(e *evaluation, v []decimal.Decimal) operand { return e.bounded(v[0].Abs()) }},
	"percent": {2, 2, func(e *evaluation, v []decimal.Decimal) operand {
		return e.quotient(v[0].Shift(2), v[1])
	}},
	"round": {1, 2, func(e *evaluation, v []decimal.Decimal) operand {
		places := decimal.Zero
		if len(v) == 2 {
			places = v[1]
		}
		if !places.IsInteger() || places.Abs().GreaterThan(decimal.NewFromInt(quotientPlaces)) {
			panic(e.wrong(badPlaces, quotientPlaces, quotientPlaces).Held(places))
		}
		return e.bounded(v[0].Round(int32(places.IntPart())))
	}},
}

func (e *evaluation) call() operand {
	end := strings.IndexFunc(e.rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(e.rest)
	}
	name := e.rest[:end]
	f, known := functions[strings.ToLower(name)]
	if !known {
		panic(e.wrong(noFunction, strings.Join(slices.Sorted(maps.Keys(functions)), ", ")).Held(name))
	}
	e.rest = e.rest[end:]
	if !e.take('(') {
		e.fail(noParentheses, strings.ToLower(name))
	}
	var values []decimal.Decimal
	for !e.take(')') {
		if len(values) > 0 && !e.take(',') && !e.take(';') {
			e.fail(unseparated)
		}
		values = append(values, e.sum().Decimal)
	}
	if len(values) < f.least || f.most > 0 && len(values) > f.most {
		panic(e.wrong(valuesOf, strings.ToLower(name)).Held(len(values)))
	}
	return f.apply(e, values)
}
