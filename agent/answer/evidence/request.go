package evidence

import (
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer/literal"
	"github.com/kopeck/kopeck/agent/answer/plain"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/tools"
)

// Request has the numbers of a user's request for a draft, by what they can be for.
type Request struct {
	numbers map[purposed][]string // with the currencies in which it was written; empty if it had none
}

// Purpose is what a number of a request is for.
type Purpose int

const (
	Quantity      Purpose = iota // of pieces, or of what the product is sold by
	Price                        // a new one, not a change of the old one
	Change                       // of a price, in money
	PercentChange                // of a price
)

type purposed struct {
	number  string
	purpose Purpose
}

// NewRequest reads the user's texts. names are those that the draft has: their digits are no numbers.
func NewRequest(texts, names []string) *Request {
	index, sizes := newNameIndex(), map[string]bool{}
	for _, name := range names {
		index.add(name)
		name = plain.Text(name)
		for f := range literal.Figures(name) {
			if f.Around(name).Amount {
				for _, r := range f.Literal(name).Readings {
					sizes[r.Value.String()] = true
				}
			}
		}
	}
	r := &Request{map[purposed][]string{}}
	for _, text := range texts {
		r.read(plain.Text(render.Visible(text[max(0, len(text)-mostSaid):])), index, sizes)
	}
	return r
}

// Has reports whether the user wrote a number that is clearly for a purpose. currency is an ISO code; empty if it is unknown.
func (r *Request) Has(number decimal.Decimal, purpose Purpose, currency string) bool {
	return slices.ContainsFunc(r.numbers[purposed{number.String(), purpose}], func(written string) bool {
		return written == "" || currency == "" || written == currency
	})
}

// read adds the numbers of a plain text, except dates, ranks and parts of names, codes and ranges. sizes are amounts in names.
func (r *Request) read(text string, names *nameIndex, sizes map[string]bool) {
	words := plain.Words(text)
	changes := slices.ContainsFunc(words, func(w plain.Word) bool { return literal.IsChange(w.Text) })
	figures := slices.Collect(literal.Figures(text))
	for i, f := range figures {
		first, last := wordsOf(f, words)
		if f.Opaque || f.Date.Sure || f.Place || first < 0 || names.has(f, words) {
			continue
		}
		start, end := text[min(words[first].Start, f.Start):f.Start], text[f.End:max(words[last].End, f.End)]
		if start != "" && !isTimes(start) && !strings.HasSuffix(start, "=") || end != "" && !isTimes(end) {
			continue
		}
		l, beside := f.Literal(text), f.Around(text)
		if beside.Amount && slices.ContainsFunc(l.Readings, func(r literal.Reading) bool { return sizes[r.Value.String()] }) {
			continue
		}
		kinds := []tools.FieldKind{l.Unit}
		switch unit := strings.TrimSpace(text[f.To:f.End]); {
		case isTimes(start), isTimes(end), isTimes(unit):
			kinds[0] = tools.KindUnits
		case l.Unit == "" && i+1 < len(figures) && isAnd(text[f.End:max(f.End, figures[i+1].Start)]): // "by 5 and 7 percent"
			kinds = append(kinds, figures[i+1].Unit.Is)
		}
		for _, kind := range kinds {
			for _, purpose := range purposes(beside, kind, changes) {
				for _, reading := range l.Readings {
					key := purposed{reading.Value.String(), purpose}
					if !slices.Contains(r.numbers[key], l.Currency) {
						r.numbers[key] = append(r.numbers[key], l.Currency)
					}
				}
			}
		}
	}
}

// isTimes reports whether a text is a sign that goes with a number of pieces: "x15", "15x".
func isTimes(text string) bool { return text == "x" || text == "х" || text == "×" }

// isAnd reports whether a text between two numbers joins them, so that they have one unit.
func isAnd(text string) bool {
	return slices.Contains([]string{"and", "и", "or", "или"}, strings.TrimSpace(text))
}

// purposes returns what a number can be for, given the words beside it. changes says that the text asks to raise or lower something.
func purposes(beside literal.Beside, kind tools.FieldKind, changes bool) []Purpose {
	switch {
	case beside.Denied, beside.Measured:
		return nil
	case beside.Amount:
		kind = tools.KindUnits
	}
	can := map[tools.FieldKind][]Purpose{
		"": {Quantity, Price, Change}, tools.KindMoney: {Price, Change}, tools.KindUnits: {Quantity}, tools.KindPercent: {PercentChange},
	}[kind]
	change := beside.Taken && changes
	return slices.DeleteFunc(can, func(p Purpose) bool {
		switch p {
		case Quantity:
			return beside.Limit || beside.Sum && kind == ""
		case PercentChange:
			return beside.Limit
		}
		return change != (p == Change)
	})
}
