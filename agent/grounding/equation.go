package grounding

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"
)

// operators are the signs and words between the operands of a calculation that is written out. A colon and a dash are
// none: they stand between a name and its figure.
var operators = map[string]byte{
	"+": '+', "плюс": '+', "plus": '+', "-": '-', "минус": '-', "minus": '-',
	"×": '*', "*": '*', "x": '*', "х": '*', "умножить на": '*', "times": '*',
	"/": '/', "÷": '/', "разделить на": '/', "divided by": '/',
}

// maxOperands is of a calculation that somebody may write out; a product of thousands of numbers is not to be computed.
const maxOperands = 50

var equals = set("= равно равняется equals")

// equations finds calculations that do not come to what they are said to: "37 + 4 = 43". Right figures make a wrong sum.
func equations(text string, found []figure) []Problem {
	if !strings.ContainsAny(text, "=") && !anyOf(text, "равн", "equals") {
		return nil
	}
	var problems []Problem
	for i := 2; i < len(found); i++ {
		if !equals[between(text, found[i-1], found[i])] || i+1 < len(found) && operatorAt(text, found[i], found[i+1]) != 0 {
			continue
		}
		from := i - 1
		for from > 0 && operatorAt(text, found[from-1], found[from]) != 0 {
			from--
		}
		if from < i-1 && (i-from > maxOperands || !comesTo(text, found[from:i], found[i])) {
			problems = append(problems, Problem{text[found[from].start:found[i].end], WrongSum})
		}
	}
	return problems
}

// between is what parts two figures, spaces and the stop of an abbreviation left out.
func between(text string, a, b figure) string {
	return strings.Trim(text[a.end:max(a.end, b.start)], " .")
}

// operatorAt is the operator between two figures; 0 for none. The sign of the second may be it: "37 -4".
func operatorAt(text string, a, b figure) byte {
	sign := between(text, a, b)
	if sign == "" && b.negative {
		return '+'
	}
	return operators[sign]
}

// comesTo reports whether operands come to a result as they are written, or those that remain when the first are of
// something else, such as the size in a name. "1,234" may be either of two numbers, in all of them alike.
func comesTo(text string, operands []figure, result figure) bool {
	for _, pick := range []func(figure) reading{firstReading, lastReading} {
		for from := range len(operands) - 1 {
			if least, most, ok := value(text, operands[from:], pick); !ok || within(result, pick, least, most) {
				return true
			}
		}
	}
	return false
}

func firstReading(f figure) reading { return f.readings[0] }
func lastReading(f figure) reading  { return f.readings[len(f.readings)-1] }

// value is what operands come to, products and quotients first: between which bounds, since some of them are rounded. It
// is not ok where nothing can be said.
func value(text string, operands []figure, pick func(figure) reading) (least, most decimal.Decimal, ok bool) {
	if slices.ContainsFunc(operands, func(f figure) bool { return len(f.readings) == 0 }) {
		return least, most, false
	}
	var termLeast, termMost decimal.Decimal
	for i, f := range operands {
		low, high := bounds(f, pick)
		operator := byte('+')
		if i > 0 {
			operator = operatorAt(text, operands[i-1], f)
		}
		switch operator {
		case '*', '/':
			if operator == '/' {
				if low.Sign()*high.Sign() <= 0 {
					return least, most, false
				}
				low, high = one.Div(high), one.Div(low)
			}
			corners := []decimal.Decimal{termLeast.Mul(low), termLeast.Mul(high), termMost.Mul(low), termMost.Mul(high)}
			termLeast, termMost = slices.MinFunc(corners, decimal.Decimal.Cmp), slices.MaxFunc(corners, decimal.Decimal.Cmp)
		default:
			least, most = least.Add(termLeast), most.Add(termMost)
			if termLeast, termMost = low, high; operator == '-' {
				termLeast, termMost = high.Neg(), low.Neg()
			}
		}
	}
	return least.Add(termLeast), most.Add(termMost), true
}

// bounds are between what a figure is, by the digits it shows; counts and kopecks are exact.
func bounds(f figure, pick func(figure) reading) (low, high decimal.Decimal) {
	r := pick(f)
	exact := !f.scaled && f.is != percent && (r.step.Equal(kopeck) || f.is != money && r.step.Equal(one))
	slack := decimal.Zero
	if !exact {
		slack = r.step.Mul(half)
	}
	low, high = r.value.Sub(slack), r.value.Add(slack)
	if f.negative {
		low, high = high.Neg(), low.Neg()
	}
	if f.is == percent {
		low, high = low.Div(hundred), high.Div(hundred)
	}
	return low, high
}

// within reports whether a result is between bounds, give or take the rounding of what it shows.
func within(result figure, pick func(figure) reading, least, most decimal.Decimal) bool {
	if len(result.readings) == 0 {
		return true
	}
	low, high := bounds(result, pick)
	if !least.Equal(most) || !least.Equal(least.Round(2)) { // rounded by who wrote it
		slack := pick(result).step.Mul(half)
		if result.is == percent {
			slack = slack.Div(hundred)
		}
		low, high = low.Sub(slack), high.Add(slack)
	}
	return low.LessThanOrEqual(most) && least.LessThanOrEqual(high)
}
