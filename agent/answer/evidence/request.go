package evidence

import (
	"slices"

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
	Quantity      Purpose = iota // of pieces
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
	index := newNameIndex()
	for _, name := range names {
		index.add(name)
	}
	r := &Request{map[purposed][]string{}}
	for _, text := range texts {
		r.read(plain.Text(render.Visible(text[max(0, len(text)-mostSaid):])), index)
	}
	return r
}

// Has reports whether the user wrote a number that is clearly for a purpose. currency is an ISO code; empty if it is unknown.
func (r *Request) Has(number decimal.Decimal, purpose Purpose, currency string) bool {
	return slices.ContainsFunc(r.numbers[purposed{number.String(), purpose}], func(written string) bool {
		return written == "" || currency == "" || written == currency
	})
}

// read adds the numbers of a plain text, except dates, ranks and parts of names, codes and ranges.
func (r *Request) read(text string, names *nameIndex) {
	words := plain.Words(text)
	changes := slices.ContainsFunc(words, func(w plain.Word) bool { return literal.IsChange(w.Text) })
	for f := range literal.Figures(text) {
		first, last := wordsOf(f, words)
		if f.Opaque || f.Date.Sure || f.Place || first < 0 || words[first].Start < f.Start || words[last].End > f.End || names.has(f, words) {
			continue
		}
		l := f.Literal(text)
		for _, purpose := range purposes(f.Around(text), l.Unit, changes) {
			for _, reading := range l.Readings {
				key := purposed{reading.Value.String(), purpose}
				if !slices.Contains(r.numbers[key], l.Currency) {
					r.numbers[key] = append(r.numbers[key], l.Currency)
				}
			}
		}
	}
}

// purposes returns what a number can be for, given the words beside it. changes says that the text asks to raise or lower something.
func purposes(beside literal.Beside, kind tools.FieldKind, changes bool) []Purpose {
	price := Price
	if beside.Taken && changes {
		price = Change
	}
	switch {
	case beside.Denied, beside.Measured:
		return nil
	case kind == tools.KindMoney, kind == "" && (beside.Limit || beside.Sum):
		return []Purpose{price}
	case kind == "":
		return []Purpose{price, Quantity}
	case kind == tools.KindUnits && !beside.Limit:
		return []Purpose{Quantity}
	case kind == tools.KindPercent && !beside.Limit:
		return []Purpose{PercentChange}
	}
	return nil
}
