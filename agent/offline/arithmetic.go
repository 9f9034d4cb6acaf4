package offline

import (
	"cmp"
	"regexp"
	"strings"
)

// figures are the numbers and signs of a question that asks only for a calculation.
type figures struct {
	percent string
	numbers []string
	cost    int    // the index of the number after a word for what was paid
	written string // numbers and signs in the order of the question
	signs   int
	from    bool // the first is to be taken from the second: "subtract 12 from 500"
}

// figures reads the numbers of a question. It returns nil if the question names something or a number is a code.
func (c *catalog) figures(h *heard) *figures {
	if len(h.periods) > 0 || h.names() {
		return nil
	}
	all, bought := &figures{}, false
	var written []string
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		if sign := c.sign(h, i); t.Number == nil && sign != "" && (len(written) > 0 || sign == "(") {
			written = append(written, sign)
			if sign != "(" && sign != ")" {
				all.signs++
			}
			continue
		}
		bought = bought || h.is(i, c.Bought)
		if h.is(i, c.Sums.From) && len(all.numbers) == 1 {
			all.from = true
		}
		if t.Number == nil {
			continue
		}
		if strings.HasPrefix(t.Text, "0") && len(t.Text) > 1 && t.Number.IsInteger() { // a code
			return nil
		}
		if t.Percent {
			all.percent = t.Number.String()
			share := "(" + all.percent + " / 100)"
			if n := len(written) - 1; n > 0 && (written[n] == "+" || written[n] == "-") { // "400 - 15%" takes 15% of the 400
				share = "(" + strings.Join(written[:n], " ") + ") * " + share
			}
			written = append(written, share)
			continue
		}
		n, length := h.scaled(i)
		if bought {
			all.cost, bought = len(all.numbers), false
		}
		all.numbers = append(all.numbers, n.String())
		written = append(written, n.String())
		i += length - 1
	}
	all.written = strings.Join(written, " ")
	return all
}

var places = regexp.MustCompile(`\b(P|N|A|B|COST|PRICE)\b`)

// expression puts the figures of a question into a formula. It returns "" if the formula needs other figures.
func (c *catalog) expression(h *heard, formula string) string {
	all := c.figures(h)
	switch {
	case all == nil:
		return ""
	case formula != "written" && all.signs > 0 && c.onlyFigures(h): // "5 + 7" already says what to do
		return ""
	case formula != "written":
		return all.in(formula)
	case all.signs == 0 || len(all.numbers)+min(1, len(all.percent)) < 2:
		return ""
	}
	return all.written
}

// in puts the figures into a formula. It returns "" if the formula needs other figures.
func (all *figures) in(formula string) string {
	values := map[string]string{"P": all.percent}
	switch n := len(all.numbers); {
	case strings.Contains(formula, "P ") != (all.percent != ""):
		return ""
	case all.percent != "" && n == 1:
		values["N"] = all.numbers[0]
	case all.percent == "" && n == 2:
		values["A"], values["B"] = all.numbers[0], all.numbers[1]
		if all.from && formula == "A - B" {
			values["A"], values["B"] = all.numbers[1], all.numbers[0]
		}
		values["COST"], values["PRICE"] = all.numbers[all.cost], all.numbers[1-all.cost]
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
	s := &step{number: all.percent, percent: all.percent != ""}
	if !s.percent {
		s.number = all.numbers[0]
	}
	for i := range h.tokens {
		if sign := c.sign(h, i); sign != "" && sign != "(" && sign != ")" && (!h.tokens[i].Mark || i+1 == h.number()) {
			s.sign = sign
		}
	}
	return s
}

// of returns the expression of what a step makes of a figure.
func (s *step) of(figure string) string {
	switch x := "(" + figure + ")"; {
	case s.percent && s.sign == "":
		return x + " * " + s.number + " / 100"
	case s.percent:
		return x + " " + s.sign + " " + x + " * " + s.number + " / 100"
	default:
		return x + " " + cmp.Or(s.sign, "*") + " " + s.number
	}
}

// further returns the expression for a message that computes further with the last result, or computes it again with another number, "and
// with 45". It returns "" for any other message.
func (c *catalog) further(last *frame, h *heard) string {
	s, before := c.step(h), c.figures(last.heard)
	switch {
	case s == nil:
		return ""
	case s.sign != "":
		return s.of(last.expression)
	case before == nil || last.Formula == "written":
		return ""
	case before.percent != "":
		before.percent = s.number
	case !s.percent && len(before.numbers) > 0:
		before.numbers[len(before.numbers)-1] = s.number
	}
	return before.in(last.Formula)
}

// onlyFigures reports whether a question is nothing but numbers and signs.
func (c *catalog) onlyFigures(h *heard) bool {
	for i, t := range h.tokens {
		if t.Number == nil && h.content(i) && c.sign(h, i) == "" {
			return false
		}
	}
	return true
}

// sign returns the operator or parenthesis that a token stands for, or "".
func (c *catalog) sign(h *heard, i int) string {
	if h.tokens[i].Mark && strings.Contains("+-−*×/÷:()^", h.tokens[i].Text) {
		return strings.NewReplacer("−", "-", "×", "*", "÷", "/", ":", "/").Replace(h.tokens[i].Text)
	}
	for sign, w := range map[string]oneWord{"+": c.Sums.Plus, "-": c.Sums.Minus, "*": c.Sums.Times, "/": c.Sums.Divide} {
		if h.is(i, w) {
			return sign
		}
	}
	return ""
}
