package offline

import (
	"slices"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// sums are the words of questions that have all their figures in themselves.
type sums struct {
	Plus, Minus, Times, Divide oneWord
	Markup, Margin, Discount   oneWord
	Bought, Percent, Of, At    oneWord
}

// sum is a question's figures, what stands between them, and how many other words it has.
type sum struct {
	numbers   []string
	percent   int // which of the numbers is a percentage; -1: none
	cost      int // which stands behind a word for what was paid
	each      int // which stands behind "по" or "at"
	operators int
	said      int
	others    int // words that no sum has
	written   strings.Builder
}

// mostSaid is how many words a sum that is written out has beside its figures: "how much will be". A product's name may have "38-39" in it.
const mostSaid = 5

// arithmetic makes an expression of a question that has all its figures in itself; empty where it is none.
func (c *catalog) arithmetic(h *heard) string {
	s := c.readSum(h)
	if s == nil || s.others > 1 || s.others == 1 && s.each != 1 {
		return ""
	}
	if len(s.numbers) == 2 && s.percent >= 0 {
		part, whole := s.numbers[s.percent], s.numbers[1-s.percent]
		switch {
		case h.has(c.Sums.Margin):
			return whole + " / (1 - " + part + ")"
		case h.has(c.Sums.Discount), h.has(c.Sums.Minus), strings.Contains(s.written.String(), " - "):
			return whole + " - " + whole + " * " + part
		case h.has(c.Sums.Markup), h.has(c.Sums.Plus), strings.Contains(s.written.String(), " + "):
			return whole + " + " + whole + " * " + part
		case s.operators == 0 && h.has(c.Sums.Of):
			return whole + " * " + part
		}
	}
	if len(s.numbers) == 2 && s.percent < 0 && s.operators == 0 {
		cost, price := s.numbers[max(0, s.cost)], s.numbers[1-max(0, s.cost)]
		switch {
		case s.cost >= 0 && h.has(c.Sums.Markup):
			return "(" + price + " - " + cost + ") / " + cost + " * 100"
		case s.cost >= 0 && h.has(c.Sums.Margin):
			return "(" + price + " - " + cost + ") / " + price + " * 100"
		case h.has(c.Sums.Percent) && h.has(c.Sums.Of):
			return s.numbers[0] + " / " + s.numbers[1] + " * 100"
		case s.each == 1 && s.said <= mostSaid:
			return s.numbers[0] + " * " + s.numbers[1]
		}
	}
	if s.operators == 0 || len(s.numbers) != s.operators+1 || s.said > s.operators+mostSaid {
		return ""
	}
	return strings.TrimSpace(s.written.String())
}

// readSum reads a question's figures; nil where one of them is a code.
func (c *catalog) readSum(h *heard) *sum {
	s := &sum{percent: -1, cost: -1, each: -1}
	bought, each := false, false
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		sign := c.sign(h, i)
		switch {
		case t.Number != nil:
			n, length := *t.Number, 1
			if !t.Percent {
				n, length = h.scaled(c, i)
			}
			number := n.String()
			if !t.Percent && strings.HasPrefix(t.Text, "0") && len(t.Text) > 1 && n.IsInteger() {
				return nil
			}
			switch {
			case t.Percent:
				s.percent, number = len(s.numbers), "("+number+" / 100)"
			case bought && s.cost < 0:
				s.cost = len(s.numbers)
			case each:
				s.each = len(s.numbers)
			}
			bought, each = false, false
			s.numbers = append(s.numbers, number)
			s.written.WriteString(number)
			i += length - 1
		case sign != "" && (len(s.numbers) > 0 || sign == "("):
			if sign != "(" && sign != ")" {
				s.operators++
			}
			s.written.WriteString(" " + sign + " ")
		case t.IsWord():
			s.said++
			if h.content(i) && !h.common[i] && !c.byTool["calculate"].knows(t) && !c.Sums.knows(t) {
				s.others++
			}
			bought, each = bought || h.is(i, c.Sums.Bought), h.is(i, c.Sums.At)
		}
	}
	return s
}

// knows reports whether a word is one of those of sums.
func (s *sums) knows(t words.Token) bool {
	for _, w := range []oneWord{s.Plus, s.Minus, s.Times, s.Divide, s.Markup, s.Margin, s.Discount, s.Bought, s.Percent, s.Of, s.At} {
		if w.Is(t) {
			return true
		}
	}
	return false
}

// knows reports whether a word is one that the report's questions have.
func (r *report) knows(t words.Token) bool {
	return slices.ContainsFunc(r.Words, func(p pattern) bool { return p.words[0].Is(t) })
}

// sign is what a token does with the figures beside it; empty: nothing.
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
