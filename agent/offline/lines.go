package offline

import (
	"encoding/json"
	"strings"

	"github.com/kopeck/kopeck/agent/expression"
)

// amount is a number as people write it: "5", "1 990", "2,5", "-3".
const amount = `([-−]?(?:\d{1,3}(?:[ \x{a0}\x{202f}]\d{3}\b)+|\d+)(?:[.,]\d+)?)`

var (
	unitsForm  = expression.Of(`(?i)` + amount + `\s*(?:шт|штук\pL*|ед|pcs|pieces|units)(?:[^\pL]|$)`)
	priceForm  = expression.Of(`(?i)(?:цен\pL*|price)\D{0,60}?` + amount + `|(?:\sпо|\sза|\sat|\sдо|\sto|\sна)\s+` + amount + `\s*(?:₽|р\.|руб|rub)`)
	amountForm = expression.Of(amount)
	finalForm  = expression.Of(`(?i)(?:^|\s)(?:до|to)\s+` + amount)
	shareForm  = expression.Of(`(?i)\d\s*(?:%|процент|percent)`)
	// byForm changes a price by something and not to it.
	byForm = expression.Of(`(?i)(?:подн|повы|сниз|пониз|увелич|уменьш|raise|lower|increase|decrease|reduce)\pL*.*(?:\sна\s+\d|\sby\s+\d)`)

	shortageForm = expression.Of(`недоста|нехват|не хватает|дефицит|ниже (?:минимум|порог|неснижа)|(?:what|that|everything)(?:'s| is) (?:short|missing)|shortage|shortfall|below`)
)

// content reads what a draft is to have: the products that are quoted, and how many of each at what price.
func (s *slots) content(text string) {
	for _, quote := range quotedForm.FindAllStringSubmatch(text, -1) {
		s.products = append(s.products, quote[1])
	}
	bare := withoutQuotes(text)
	s.units = amounts(unitsForm, bare)
	rest := unitsForm.ReplaceAllString(bare, " ")
	switch final := amounts(finalForm, rest); {
	case shareForm.MatchString(rest): // of a price that we do not know
	case len(final) > 0 && (byForm.MatchString(rest) || strings.Contains(folded(rest), "цен") || strings.Contains(folded(rest), "price")):
		s.prices = final
	case byForm.MatchString(rest):
	default:
		s.prices = amounts(priceForm, rest)
		if all := amounts(amountForm, rest); len(s.prices) == 1 && len(all) == len(s.products) {
			s.prices = all
		}
	}
}

// amounts are those that a form finds, as JSON has them. What begins with a zero, such as 00104, is a code.
func amounts(form *expression.Expression, text string) (found []json.Number) {
	for _, m := range form.FindAllStringSubmatch(text, -1) {
		if number := plainNumber(strings.Join(m[1:], "")); json.Valid([]byte(number)) {
			found = append(found, number)
		}
	}
	return found
}

// plainNumber is an amount without what people write in it.
func plainNumber(said string) json.Number {
	return json.Number(strings.NewReplacer(" ", "", "\u00a0", "", "\u202f", "", ",", ".", "−", "-").Replace(said))
}

// lines are those of a draft, nil unless the question says for each product how many or at what price.
func (s slots) lines() any {
	products := s.goods()
	fits := func(n int) bool { return n == 0 || n == len(products) }
	if len(s.units)+len(s.prices) == 0 || !fits(len(s.units)) || !fits(len(s.prices)) {
		return nil
	}
	lines := make([]any, len(products))
	for i, product := range products {
		line := map[string]any{"product": product}
		if len(s.units) > 0 {
			line["units"] = s.units[i]
		}
		if len(s.prices) > 0 {
			line["price"] = s.prices[i]
		}
		lines[i] = line
	}
	return lines
}

// goods are the products of a draft's lines.
func (s slots) goods() []string {
	if len(s.products) == 0 && s.product != "" {
		return []string{s.product}
	}
	return s.products
}

// choose puts the product that the user has chosen in the place of the name that was not clear.
func (s *slots) choose(unclear, product string) {
	for i, name := range s.products {
		if folded(name) == folded(unclear) {
			s.products[i] = product
		}
	}
	s.product = product
}
