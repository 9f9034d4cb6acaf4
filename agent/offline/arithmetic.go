package offline

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/kopeck/kopeck/agent/offline/calendar"
	"github.com/kopeck/kopeck/agent/offline/words"
)

// calculation is a formula with places for its figures, "WHOLE * P / 100", and what is known of them.
type calculation struct {
	formula string
	values  map[string]string // figures or expressions, by place
}

var places = regexp.MustCompile(`\b[A-Z]+\b`)

// has reports whether the formula has a place.
func (sum *calculation) has(place string) bool {
	return slices.Contains(places.FindAllString(sum.formula, -1), place)
}

// lacks returns the places whose figures are not known.
func (sum *calculation) lacks() []string {
	known := func(place string) bool { return sum.values[place] != "" }
	return slices.Compact(slices.DeleteFunc(places.FindAllString(sum.formula, -1), known))
}

// expression returns the formula with its figures, or "" if one is not known.
func (sum *calculation) expression() string {
	if len(sum.lacks()) > 0 {
		return ""
	}
	return places.ReplaceAllStringFunc(sum.formula, func(place string) string { return sum.values[place] })
}

// figures are the numbers and signs of a message that asks only for a calculation.
type figures struct {
	numbers []operand
	sign    string // the operator said last; a mark counts only right before the first number
	written string // the formula that the signs write out, or ""
	words   bool   // the message has other words too
}

// operand is a number and the place in formulas that the words beside it give it, or "". A percentage has the place P, and one of several
// prices AT: "bought at 350, sold at 500".
type operand struct{ place, value string }

// figures reads the numbers of a message. It returns nil if the message names something or a number is a code.
func (c *catalog) figures(h *heard) *figures {
	if len(h.periods) > 0 || h.names() {
		return nil
	}
	goods := h.sentence.Find(h.content)
	all, place, listed := &figures{}, "", true // listed figures stand one after another and count or price nothing
	var written []string
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		switch operator := c.operator(h, i); {
		case h.isRange(i), h.afterFirst(i), isCode(t), t.Number != nil && h.inName(goods, i):
			return nil
		case operator != "":
			if !t.Mark || i+1 == h.number() {
				all.sign = operator
			}
			if len(written) > 0 {
				written = append(written, operator)
			}
		case t.Text == "(", t.Text == ")" && len(written) > 0:
			written = append(written, t.Text)
		case t.Number == nil:
			place, all.words = c.placed(h, i, place), all.words || h.content(i)
			listed = listed && (len(all.numbers) == 0 || !h.content(i) || h.is(i, c.Money) || h.is(i, c.Sums.Average))
		case t.Percent:
			all.numbers, place = append(all.numbers, operand{"P", t.Number.String()}), ""
			written, listed = append(written, percentOf(written)), false
		default:
			n, length := h.scaled(i)
			if h.is(i-1, c.drafts.PriceAt) { // "40 pieces at 1250"
				place, listed = cmp.Or(place, "AT"), false
				if n := len(all.numbers); n > 0 && all.numbers[n-1].place != "AT" {
					written = append(written, "*")
				}
			}
			switch {
			case h.is(i+length, c.Units):
				place = "UNITS"
			case h.is(i-1, c.Sums.Than), (h.is(i-1, h.More) || h.is(i-1, h.Less)) && !h.has(c.Sums.Change): // what a change counts from
				place = "COST"
			}
			all.numbers, place = append(all.numbers, operand{place, n.String()}), ""
			written = append(written, n.String())
			i += length - 1
		}
	}
	if text := strings.Join(written, " "); !incomplete.MatchString(text) && strings.Count(text, "P") < 2 {
		all.written = text
	}
	if len(all.numbers) > 1 && h.has(c.Sums.Average) && listed {
		var each []string
		for _, n := range all.numbers {
			each = append(each, n.value)
		}
		all.written, all.words = "("+strings.Join(each, " + ")+") / "+strconv.Itoa(len(each)), false
	}
	return all
}

// afterFirst reports whether a token is a number of things: "the first three".
func (h *heard) afterFirst(i int) bool {
	return i > 0 && h.tokens[i].Number != nil && calendar.Ordinal(h.tokens[i-1]) == 1
}

// incomplete matches a formula with two figures or two operators side by side, an operator at the end, or a percentage of nothing that
// something is added to or taken off: "30% off 4990".
var incomplete = regexp.MustCompile(`[\d)] [\d(]|[-+*/^] [-+*/^)]|[-+*/^]$|^\(P / 100\) [-+]`)

// placed returns the place of the number after a word, if the words before give it one. "The purchase price" is a cost.
func (c *catalog) placed(h *heard, i int, before string) string {
	switch {
	case h.is(i, c.Bought):
		return "COST"
	case h.is(i, c.Sums.Price):
		return cmp.Or(before, "PRICE")
	case h.is(i, c.Sums.From):
		return cmp.Or(before, "WHOLE")
	}
	return before
}

// percentOf returns the term of the percentage after what is written before it: "400 - 15%" takes 15% of the 400.
func percentOf(written []string) string {
	if n := len(written) - 1; n > 0 && (written[n] == "+" || written[n] == "-") {
		return "(" + strings.Join(written[:n], " ") + ") * (P / 100)"
	}
	return "(P / 100)"
}

// mark reports whether a token is one of some marks.
func (h *heard) mark(i int, marks string) bool {
	return i >= 0 && i < len(h.tokens) && h.tokens[i].Mark && strings.Contains(marks, h.tokens[i].Text)
}

// isRange reports whether a token is the mark of a range, as in the size "38-39", and takes nothing off.
func (h *heard) isRange(i int) bool {
	number := func(at int) bool { return at >= 0 && at < len(h.tokens) && h.tokens[at].Number != nil }
	if !h.mark(i, "-–—") || !number(i-1) || !number(i+1) || strings.ContainsAny(h.text, "*×÷=") { // "5*7-2"
		return false
	}
	from, to := h.tokens[i-1], h.tokens[i+1]
	return from.End+len(h.tokens[i].Text) == to.Start && from.Number.LessThan(*to.Number)
}

// isCode reports whether a token is a code: a whole number that begins with 0, or digits behind letters.
func isCode(t words.Token) bool {
	return codes.MatchString(t.Text) || t.Number != nil && t.Number.IsInteger() && strings.HasPrefix(t.Text, "0") && len(t.Text) > 1
}

var codes = regexp.MustCompile(`\pL-?\d`)

// calculation puts the figures of a message into the formula of a view: first those whose words name a place in it, then the others in
// the order in which the view takes them. It returns nil if they are not those that the formula takes.
func (c *catalog) calculation(h *heard, v *view) *calculation {
	all := c.figures(h)
	if all == nil {
		return nil
	}
	has := func(place string) bool {
		return slices.ContainsFunc(all.numbers, func(n operand) bool { return n.place == place })
	}
	if v.Changed != "" && (h.has(c.Sums.Change) || !has("WHOLE") && (h.has(h.More) || h.has(h.Less))) {
		v = v.report.find(func(other *view) bool { return other.Name == v.Changed })
		for i, n := range all.numbers { // "it was 350 and is 420" tells the earlier first
			if n.place != "P" && n.place != "COST" {
				all.numbers[i].place = ""
			}
		}
	}
	sum, free, others := &calculation{v.Formula, map[string]string{}}, slices.Clone(v.Takes), []string(nil)
	one := len(all.numbers) == 2 && (has("COST") && has("PRICE") || all.numbers[0].place == "AT" && all.numbers[1].place == "AT")
	if len(free) == 3 && one && h.speaksFor(v) { // of one piece
		sum.values["UNITS"], free = "1", free[1:]
	}
	for i, n := range all.numbers {
		if i == 0 && len(free) == 3 && !has("UNITS") { // "bought 15 boxes at 900 and sold at 1500"
			n.place = "UNITS"
		}
		switch at := slices.Index(free, n.place); {
		case at >= 0:
			sum.values[n.place], free = n.value, slices.Delete(free, at, at+1)
		case n.place == "P":
			return nil
		default:
			others = append(others, n.value)
		}
	}
	if extra := len(others) - len(free); extra > 0 && len(free) > 0 { // "add 5, 7 and 9", "2 boxes of 12 at 340"
		operator, price := strings.TrimSpace(places.ReplaceAllString(v.Formula, "")), -1
		if operator == "*" { // a price ends the product, and is in no sum: "10 at 100 and 5 at 120"
			price = len(all.numbers) - 1
		}
		at := slices.IndexFunc(all.numbers, func(n operand) bool { return n.place == "AT" })
		if len(operator) == 1 && at == price {
			others = append(others[:len(free)-1], strings.Join(others[len(free)-1:], " "+operator+" "))
		}
	}
	switch written := v.Formula == "written"; {
	case written && len(all.numbers) > 1 && all.written != "":
		sum.formula, free = all.written, nil
	case written, all.written != "" && !all.words, len(free) != len(others), slices.Contains(free, "P"): // "5 + 7" already says what to do
		return nil
	}
	for i, place := range free {
		sum.values[place] = others[i]
	}
	return sum
}

// of returns the expression of what the only number of a message makes of a figure: "and times 48", "15 % off that".
func (all *figures) of(x string) string {
	n := all.numbers[0]
	switch {
	case n.place != "P":
		return x + " " + cmp.Or(all.sign, "*") + " " + n.value
	case all.sign == "+", all.sign == "-":
		return x + " " + all.sign + " " + x + " * " + n.value + " / 100"
	}
	return x + " " + cmp.Or(all.sign, "*") + " (" + n.value + " / 100)"
}

// again reads a message that computes further with the last result, or the same with another figure: "and 30%?", "and the markup?",
// "and if the price is 2190?" It returns nil for any other message.
func (t *talk) again(h *heard) *frame {
	last, own := t.last.calculation, t.figures(h)
	if own == nil || len(own.numbers) > 1 {
		return nil
	}
	own.numbers = append(own.numbers, operand{}) // the first is empty if the message has none
	n := &own.numbers[0]
	v := t.sum(h, n.place == "P" && own.sign == "")
	switch {
	case own.sign == "-" && h.has(t.Sums.From) && (n.value == "" || n.place == "WHOLE"): // "take that from the sum"
		v, own.sign = t.byClass["calculate.difference"], ""
	case n.value == "" && v == nil && h.has(t.Units): // "and for a piece?"
		v = t.byClass["calculate.divided"]
	case n.value == "" && v == nil:
		return nil
	case n.value == "", n.place != "":
	case own.sign == "" && h.has(t.drafts.More):
		own.sign = "+"
	case last.has("P") && (own.sign == "" || own.sign == t.figures(t.last.heard).sign): // "and minus 12?" after "minus 7%"
		n.place, own.sign = "P", ""
	}
	next := last.next(v, own, h.has(t.Units))
	if next.expression() == "" {
		return nil
	}
	if v = cmp.Or(v, t.last.view); next.has("RESULT") {
		v = t.byClass["calculate.written"]
	}
	f := t.readAs(h, v, t.byClass["follow.changes"])
	f.lacking, f.unexplained, f.calculation = "", nil, next
	return f
}

// next returns what a message makes of a calculation. It takes the formula of v, or the same if v is nil. What the message says goes over
// what was known before, and the result is the figure that the formula then lacks. If one is set, the message is about one piece.
func (sum *calculation) next(v *view, own *figures, one bool) *calculation {
	values, n, result := maps.Clone(sum.values), own.numbers[0], "("+sum.expression()+")"
	delete(values, "RESULT")                      // of the calculation before
	if strings.HasPrefix(sum.formula, "share(") { // a percentage, of which nothing more is computed
		result = ""
	}
	if values["COST"] != "" && (one || values["UNITS"] == "") {
		values["UNITS"] = "1"
	}
	if values["UNITS"] != "" && values["PRICE"] != "" { // the sales
		values["WHOLE"] = values["UNITS"] + " * " + values["PRICE"]
	}
	next := &calculation{sum.formula, values}
	if v != nil {
		next.formula = v.Formula
	}
	if v != nil && next.has("P") { // a percentage of the result
		delete(values, "WHOLE")
	}
	switch {
	case n.value == "":
	case own.sign == "" && next.has(n.place):
		values[n.place] = n.value
	case own.sign == "": // the formula has no place for the number
		next.formula = ""
	case v != nil && n.place == "P" && values["COST"] != "" && next.has("PRICE"): // "with 10% off, what is the profit?"
		values["PRICE"] = "(" + own.of(cmp.Or(values["PRICE"], result)) + ")"
	default:
		next.formula = own.of("RESULT")
	}
	if lacks := next.lacks(); len(lacks) == 1 {
		values[lacks[0]] = result
	}
	return next
}

// sum returns the view of the calculation that a message clearly asks for, or nil. percent is set if the message has a percentage that
// is not added or taken off.
func (t *talk) sum(h *heard, percent bool) *view {
	for _, v := range h.likely {
		clear := func(i int) bool { return h.weight(v, i) > clearly }
		fits := v.Formula != "" && v.Formula != "written" && percent == slices.Contains(v.Takes, "P")
		if fits && slices.ContainsFunc(h.contents(), clear) {
			return v
		}
	}
	return nil
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
