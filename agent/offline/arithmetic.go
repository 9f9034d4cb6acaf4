package offline

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// figures are the numbers and operators of a question that asks only for a calculation.
type figures struct {
	percent  string
	numbers  []string
	cost     int    // the index of the number after a word for what was paid
	whole    int    // that of the number after "of" or "from", or -1
	counted  int    // that of the number before a word for pieces, or -1
	written  string // numbers and signs in the order of the question
	computes bool   // an operator is written
	operator string // the last one said; a sign counts only right before the first number
	words    bool   // the question has other words too
	loose    bool   // two numbers have no operator between them
}

// figures reads the numbers of a question. It returns nil if the question names something or a number is a code.
func (c *catalog) figures(h *heard) *figures {
	if len(h.periods) > 0 || h.names() {
		return nil
	}
	all := &figures{whole: -1, counted: -1}
	var written []string
	bought, of, operand := false, false, false
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		bought, of = bought || h.is(i, c.Bought), of || h.is(i, c.Sums.From)
		switch operator := c.operator(h, i); {
		case h.isRange(i):
			return nil
		case operator != "":
			if !t.Mark || i+1 == h.number() {
				all.operator = operator
			}
			if len(written) > 0 {
				written, all.computes, operand = append(written, operator), true, false
			}
		case t.Text == "(", t.Text == ")" && len(written) > 0:
			written = append(written, t.Text)
		case t.Number == nil:
			all.words = all.words || h.content(i)
		case isCode(t):
			return nil
		case t.Percent:
			all.percent = t.Number.String()
			share := "(" + all.percent + " / 100)"
			if n := len(written) - 1; n > 0 && (written[n] == "+" || written[n] == "-") { // "400 - 15%" takes 15% of the 400
				share = "(" + strings.Join(written[:n], " ") + ") * " + share
			}
			written, operand = append(written, share), true
		default:
			n, length := h.scaled(i)
			if bought {
				all.cost = len(all.numbers)
			}
			if of {
				all.whole = len(all.numbers)
			}
			if h.is(i+length, c.Units) {
				all.counted = len(all.numbers)
			}
			if operand && h.is(i-1, c.drafts.PriceAt) { // "40 pieces at 1250"
				written, operand = append(written, "*"), false
			}
			all.loose = all.loose || operand
			all.numbers, written = append(all.numbers, n.String()), append(written, n.String())
			bought, of, operand = false, false, true
			i += length - 1
		}
	}
	all.written = strings.Join(written, " ")
	return all
}

// isRange reports whether a token is the mark of a range, as in the size "38-39", and takes nothing off.
func (h *heard) isRange(i int) bool {
	if i == 0 || i+1 >= len(h.tokens) || !strings.Contains("-–—", h.tokens[i].Text) {
		return false
	}
	from, mark, to := h.tokens[i-1], h.tokens[i], h.tokens[i+1]
	together := from.End == mark.Start && mark.End == to.Start
	return together && from.Number != nil && to.Number != nil && from.Number.LessThan(*to.Number)
}

// isCode reports whether a number is a code: a whole number that begins with 0.
func isCode(t words.Token) bool {
	return t.Number.IsInteger() && strings.HasPrefix(t.Text, "0") && len(t.Text) > 1
}

var places = regexp.MustCompile(`\b(P|N|A|B|COST|PRICE|UNITS)\b`)

// expression puts the figures of a question into a formula. It returns "" if the formula needs other figures.
func (c *catalog) expression(h *heard, formula string) string {
	all := c.figures(h)
	switch {
	case all == nil:
		return ""
	case formula == "written" && all.computes && !all.loose && len(all.numbers)+min(1, len(all.percent)) > 1:
		return all.written
	case formula == "written", all.computes && !all.words: // "5 + 7" already says what to do
		return ""
	}
	n, percent := len(all.numbers), all.percent != ""
	if strings.Contains(formula, "P ") != percent || strings.Contains(formula, "UNITS") != (n == 3) || n > 3 || n == 2 && percent {
		return ""
	}
	values := all.values(formula)
	switch {
	case formula == "A - B" && all.whole == 1, formula == "share(A, B)" && all.whole == 0, // "subtract 12 from 500"
		formula == "A / B" && all.counted == 0: // "240 pieces for 86400"
		values["A"], values["B"] = values["B"], values["A"]
	}
	return filled(formula, values)
}

// values returns the figures by their places in a formula. Only a formula of costs and prices says that they are such.
func (all *figures) values(formula string) map[string]string {
	values, n := map[string]string{"P": all.percent}, len(all.numbers)
	if all.counted >= 0 {
		values["UNITS"] = all.numbers[all.counted]
	}
	switch {
	case n == 1:
		values["N"] = all.numbers[0]
	case n == 2 || n == 3: // of three, the first is a number of pieces
		two, cost := all.numbers[n-2:], max(all.cost-(n-2), 0)
		values["A"], values["B"] = two[0], two[1]
		if strings.Contains(formula, "COST") {
			values["COST"], values["PRICE"] = two[cost], two[1-cost]
		}
		if n == 3 {
			values["UNITS"] = all.numbers[0]
		}
	}
	return values
}

// filled puts values into the places of a formula. It returns "" if one is missing.
func filled(formula string, values map[string]string) string {
	for _, name := range places.FindAllString(formula, -1) {
		if values[name] == "" {
			return ""
		}
	}
	return places.ReplaceAllStringFunc(formula, func(name string) string { return values[name] })
}

// step is what a message does with a figure: "and times 48", "15 % off that".
type step struct {
	sign    string // an operator; empty if the message says none
	number  string
	percent bool
}

// step reads the only number of a message, and what is to be done with it. It returns nil if there is not exactly one.
func (c *catalog) step(h *heard) *step {
	all := c.figures(h)
	if all == nil || len(all.numbers)+min(1, len(all.percent)) != 1 {
		return nil
	}
	if all.percent != "" {
		return &step{all.operator, all.percent, true}
	}
	if all.operator == "" && h.has(c.Sums.Spend) {
		all.operator = "-"
	}
	return &step{all.operator, all.numbers[0], false}
}

// pieces returns the number of pieces that an operation has counted on with, or nil.
func (o *operation) pieces() *decimal.Decimal {
	if o == nil || o.way != "count" || o.step.percent {
		return nil
	}
	return new(decimal.RequireFromString(o.step.number))
}

// of returns the expression of what a step makes of a figure.
func (s *step) of(figure string) string {
	x, by := "("+figure+")", s.number
	if s.percent {
		by = x + " * " + s.number + " / 100"
	}
	if s.percent && s.sign == "" {
		return by
	}
	return x + " " + cmp.Or(s.sign, "*") + " " + by
}

// again reads a message that computes further with the last result, or the same with another figure: "and 30%?", "and the markup?",
// "and at 2190?" It returns nil for any other message.
func (t *talk) again(h *heard) *frame {
	last, own := t.last, t.figures(h)
	if own == nil {
		return nil
	}
	s, values := t.step(h), maps.Clone(last.values)
	if s != nil && s.sign == "" && !s.percent && h.has(t.drafts.More) {
		s.sign = "+"
	}
	v, whole, before := t.sum(h, s), last.values["N"], t.figures(last.heard)
	result := "(" + last.expression + ")"
	if last.Name == "price" {
		values["COST"], values["PRICE"] = whole, result
	}
	values["N"], values["A"], values["B"] = cmp.Or(values["COST"], result), result, ""
	switch units := values["UNITS"]; {
	case v == nil && s == nil && h.has(t.Units): // "and for a piece?"
		v, values["B"] = t.byClass["calculate.divided"], units
	case v != nil && v.Name == "share" && strings.Contains(last.Formula, "UNITS"): // of the sales
		values["B"] = units + " * " + values["PRICE"]
	case units == "", h.has(t.Units):
		values["UNITS"] = "1"
	}
	switch place := t.place(h); {
	case s == nil && own.operator == "-" && h.has(t.Sums.From) && whole != "": // "take that from the sum"
		return t.computing(t.byClass["calculate.written"], h, whole+" - "+result, values)
	case s == nil && len(own.numbers) > 0, s == nil && v == nil:
		return nil
	case s == nil:
	case s.percent && s.sign == "-" && v != nil && values["PRICE"] != "": // "with 10% off, what is the profit?"
		values["PRICE"] = "(" + s.of(values["PRICE"]) + ")"
	case s.percent && v != nil:
		values["P"] = s.number
	case !s.percent && place != "":
		values[place], v = s.number, cmp.Or(v, last.view)
	case s.sign != "" && strings.HasPrefix(last.Formula, "share("): // a percentage
		return nil
	case s.sign != "" && s.sign == before.operator && before.percent != "" && !s.percent: // "and minus 12?"
		again := strings.ReplaceAll(last.expression, "("+before.percent+" / 100)", "("+s.number+" / 100)")
		return t.computing(last.view, h, again, values)
	case s.sign != "":
		return t.computing(last.view, h, s.of(last.expression), values)
	case last.values["P"] != "" && !s.percent && decimal.RequireFromString(s.number).GreaterThan(largestPercent): // "and of 5000?"
		values["N"], v = s.number, last.view
	case last.values["P"] != "": // "and 30%?"
		values["P"], values["N"], v = s.number, whole, last.view
	default:
		return nil
	}
	return t.computing(v, h, filled(v.Formula, values), values)
}

// sum returns the formula that a message clearly asks for, or nil. A percentage that nothing is taken off by must have a place in it.
func (t *talk) sum(h *heard, s *step) *view {
	percent := s != nil && s.percent && s.sign == ""
	for _, v := range h.likely {
		clear := func(i int) bool { return h.weight(v, i) > clearly }
		fits := v.Formula != "" && v.Formula != "written" && percent == strings.Contains(v.Formula, "P ")
		if fits && slices.ContainsFunc(h.contents(), clear) {
			return v
		}
	}
	return nil
}

// place returns the place in formulas of the only number of a message by the word before it, or "".
func (t *talk) place(h *heard) string {
	for i := range h.tokens[:max(h.number(), 0)] {
		switch {
		case h.is(i, t.Bought):
			return "COST"
		case h.is(i, t.Sums.Price):
			return "PRICE"
		}
	}
	return ""
}

// operator returns the operator that a token stands for, or "".
func (c *catalog) operator(h *heard, i int) string {
	if h.tokens[i].Mark && strings.Contains("+-−*×/÷:^", h.tokens[i].Text) {
		return strings.NewReplacer("−", "-", "×", "*", "÷", "/", ":", "/").Replace(h.tokens[i].Text)
	}
	for operator, w := range map[string]oneWord{"+": c.Sums.Plus, "-": c.Sums.Minus, "*": c.Sums.Times, "/": c.Sums.Divide} {
		if h.is(i, w) {
			return operator
		}
	}
	return ""
}
