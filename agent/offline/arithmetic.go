package offline

import (
	"cmp"
	"regexp"
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
	all := &figures{whole: -1}
	var written []string
	bought, of, operand := false, false, false
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		bought, of = bought || h.is(i, c.Bought), of || h.is(i, c.Sums.From)
		switch operator := c.operator(h, i); {
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
			all.loose = all.loose || operand
			all.numbers, written = append(all.numbers, n.String()), append(written, n.String())
			bought, of, operand = false, false, true
			i += length - 1
		}
	}
	all.written = strings.Join(written, " ")
	return all
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
	return all.in(formula)
}

// in puts the figures into a formula. It returns "" if the formula needs other figures.
func (all *figures) in(formula string) string {
	values, n := map[string]string{"P": all.percent}, len(all.numbers)
	switch {
	case strings.Contains(formula, "P ") != (all.percent != ""), strings.Contains(formula, "UNITS") != (n == 3):
		return ""
	case all.percent != "" && n == 1:
		values["N"] = all.numbers[0]
	case all.percent == "" && (n == 2 || n == 3): // of three, the first is a number of pieces
		two := all.numbers[n-2:]
		a, cost := 0, max(all.cost-(n-2), 0)
		if formula == "A - B" && all.whole == 1 || formula == "share(A, B)" && all.whole == 0 { // "subtract 12 from 500"
			a = 1
		}
		values["A"], values["B"] = two[a], two[1-a]
		values["UNITS"], values["COST"], values["PRICE"] = all.numbers[0], two[cost], two[1-cost]
	default:
		return ""
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

// further returns the expression for a message that computes further with the last result, or computes it again with another percentage,
// "and 30%?" It returns "" for any other message.
func (c *catalog) further(last *frame, h *heard) string {
	s, before := c.step(h), c.figures(last.heard)
	switch {
	case s == nil:
	case s.sign != "":
		return s.of(last.expression)
	case before != nil && before.percent != "":
		before.percent = s.number
		return before.in(last.Formula)
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
