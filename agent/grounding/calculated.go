package grounding

import (
	"strconv"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/render"
)

// calculated admits the value of a calculation whose numbers are grounded themselves. It measures what they measure, and
// a quotient may be a share, or how many times as much something is.
func (a *admission) calculated(value decimal.Decimal, siblings map[string]any) {
	expression, ok := siblings["expression"].(string)
	if !ok {
		return
	}
	operands, grounded := a.check.operands(expression)
	if !grounded {
		return
	}
	a.check.names.trust(render.Inline(expression)) // its numbers have no unit, whatever they were found as
	if strings.ContainsAny(expression, "/÷%") || strings.Contains(expression, "percent") {
		operands[percent], operands[multiple] = true, true
	}
	if operands[bare] {
		operands = map[dimension]bool{bare: true}
	}
	for is := range operands {
		e := entry{value: value}
		if is == money {
			e.currency = a.currency
		}
		a.check.ledger.enter(is, e)
	}
}

// factors are numbers that need no source: of percent, rounding, and the calendar. A calculation may use two of them, as in round(a / b * 100, 2).
var factors = map[string]bool{"100": true, "2": true, "7": true, "12": true, "30": true, "365": true}

// addLength keeps how many days a result is of: what goes by in each of them is computed with it.
func (c *Check) addLength(s span) {
	if c.lengths == nil {
		c.lengths = map[string]bool{}
	}
	c.lengths[strconv.Itoa(int(s.to.Sub(s.from)/day)+1)] = true
}

// operands tells what the numbers of an expression measure, and whether each of them is in the ledger.
func (c *Check) operands(expression string) (measured map[dimension]bool, grounded bool) {
	measured = map[dimension]bool{}
	free := 2
	for _, literal := range literals(expression) {
		value, err := decimal.NewFromString(literal)
		if err != nil {
			return nil, false
		}
		sources := c.ledger.sources(value)
		switch {
		case len(sources) > 0:
			for _, is := range sources {
				measured[is] = true
			}
		case (factors[literal] || c.lengths[literal]) && free > 0:
			free--
		default:
			return nil, false
		}
	}
	return measured, len(measured) > 0
}

// sources are the dimensions in which a value is in the ledger, of either sign: an expression writes −5 as 0 - 5.
func (l *ledger) sources(value decimal.Decimal) []dimension {
	l.sort()
	var found []dimension
	for is := range l.entries {
		exact := reading{value: value}
		if l.find(dimension(is), exact, "", anyEntry) || l.find(dimension(is), reading{value: value.Neg()}, "", anyEntry) {
			found = append(found, dimension(is))
		}
	}
	return found
}

// literals are the numbers of an expression, as they are written.
func literals(expression string) []string {
	fields := strings.FieldsFunc(expression, func(r rune) bool { return r != '.' && r != '_' && (r < '0' || r > '9') })
	for i := range fields {
		fields[i] = strings.ReplaceAll(fields[i], "_", "")
		if n, err := strconv.ParseUint(fields[i], 10, 64); err == nil {
			fields[i] = strconv.FormatUint(n, 10)
		}
	}
	return fields
}
