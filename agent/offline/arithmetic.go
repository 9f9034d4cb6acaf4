package offline

import (
	"strings"

	"github.com/kopeck/kopeck/agent/offline/words"
)

// signs are how people say what is to be done with two numbers.
var signs = []struct {
	word words.Word
	sign string
}{
	{words.ParseWord("плюс|plus"), "+"}, {words.ParseWord("минус|minus"), "-"}, {words.ParseWord("умнож*|=times|multiplied"), "*"},
	{words.ParseWord("раздел*|делить|дели|поделить|divided|divide"), "/"},
}

var (
	markup   = words.ParseWord("наценк*|наценит*|markup")
	marginOf = words.ParseWord("марж*|margin*|рентабельн*")
	discount = words.ParseWord("скидк*|дешевле|discount*")
	bought   = words.ParseWord("купил*|закуп*|себестоим*|bought|cost|buy")
)

// arithmetic makes an expression of a question that has all its figures in itself; empty where it is none.
func (c *catalog) arithmetic(h *heard) string {
	var b strings.Builder
	var numbers []string
	operators, said := 0, 0
	percent := false
	has := func(w words.Word) bool { return h.has(oneWord{w}) }
	for i := 0; i < len(h.tokens); i++ {
		t := h.tokens[i]
		switch {
		case t.Number != nil:
			n, length := h.scaled(c, i)
			number := n.String()
			if t.Percent {
				number, percent = "("+number+" / 100)", true
			}
			numbers = append(numbers, number)
			b.WriteString(number)
			i += length - 1
			continue
		case t.Mark && strings.Contains("+-−*×/÷:()^", t.Text) && len(numbers) > 0 || t.Mark && t.Text == "(":
			if t.Text != "(" && t.Text != ")" {
				operators++
			}
			b.WriteString(" " + strings.NewReplacer("−", "-", "×", "*", "÷", "/", ":", "/").Replace(t.Text) + " ")
			continue
		}
		if t.IsWord() {
			said++
		}
		for _, s := range signs {
			if t.IsWord() && s.word.Is(t) {
				operators++
				b.WriteString(" " + s.sign + " ")
			}
		}
	}
	switch {
	case len(numbers) != 2:
	case has(markup) && !percent && has(bought):
		return "(" + numbers[1] + " - " + numbers[0] + ") / " + numbers[0] + " * 100"
	case has(marginOf) && !percent && has(bought):
		return "(" + numbers[1] + " - " + numbers[0] + ") / " + numbers[1] + " * 100"
	case percent && has(discount):
		return whole(numbers) + " - " + whole(numbers) + " * " + part(numbers)
	case percent && has(markup):
		return whole(numbers) + " + " + whole(numbers) + " * " + part(numbers)
	case percent && operators == 0 && isPart(numbers[0]):
		return numbers[1] + " * " + numbers[0]
	}
	const mostSaid = 5 // beside the numbers: "how much will be"; a product's name may have "38-39" in it
	if operators == 0 || len(numbers) != operators+1 || said > operators+mostSaid {
		return ""
	}
	return strings.TrimSpace(b.String())
}

func part(numbers []string) string {
	if isPart(numbers[0]) {
		return numbers[0]
	}
	return numbers[1]
}

func whole(numbers []string) string {
	if isPart(numbers[0]) {
		return numbers[1]
	}
	return numbers[0]
}

// isPart tells a percentage from a number.
func isPart(number string) bool { return strings.HasPrefix(number, "(") }
