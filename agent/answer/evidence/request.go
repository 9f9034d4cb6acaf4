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
	lines   []Line
	written []*written
	byValue map[string][]*written
	packs   bool // the user counts packages
	place   *places
	owners  map[Purpose]map[*written][]int // see [Request.belongs]
}

// Line is a line of a draft.
type Line struct {
	Name, Code   string
	Units, Price *decimal.Decimal // nil if it has none
	Corrected    bool             // it changes an earlier draft, and the user's first text asks for that
}

// Purpose is what a number of a request is for.
type Purpose int

const (
	Quantity      Purpose = iota // of pieces, or of what the product is sold by
	Price                        // a new one, not a change of the old one
	Change                       // of a price, in money
	PercentChange                // of a price
)

// Claim is whether a number of a draft is the user's.
type Claim int

const (
	NotNamed  Claim = iota
	Mentioned       // the user wrote the number, but perhaps for another product or as a factor
	Named
)

// written is a number that the user wrote.
type written struct {
	values      []string // its readings
	currency    string   // empty if none was written
	purposes    []Purpose
	correcting  []Purpose // what it can be for in a line that it corrects
	first, last int       // its words
	portion     bool      // of each package
	each        bool      // for all products
	taken       bool      // as the quantity of a line
}

// NewRequest reads the user's texts. Digits in the names of the draft's lines and in other names are no numbers.
func NewRequest(texts, names []string, lines []Line) *Request {
	index, sizes := newNameIndex(), map[string]bool{}
	for _, name := range names {
		index.add(name)
	}
	corrects := false
	for _, line := range lines {
		index.add(line.Name)
		index.add(line.Code)
		addSizes(sizes, plain.Text(line.Name))
		corrects = corrects || line.Corrected
	}
	r := &Request{lines: lines, byValue: map[string][]*written{}, place: newPlaces(lines), owners: map[Purpose]map[*written][]int{}}
	all := plain.Words(plain.Text(strings.Join(texts, " ")))
	changes := slices.ContainsFunc(all, func(w plain.Word) bool { return literal.IsChange(w.Text) })
	for i, text := range texts {
		r.read(plain.Text(render.Visible(text[max(0, len(text)-mostSaid):])), index, sizes, corrects && i == 0, changes)
	}
	return r
}

// Claim reports whether the user wrote a number of a line clearly for a purpose. currency is an ISO code; empty if it is unknown.
// What is the quantity of a line is no price or change, unless the user wrote it twice: quantities are to be claimed first.
func (r *Request) Claim(line int, number decimal.Decimal, purpose Purpose, currency string) Claim {
	var found []*written
	for _, w := range r.byValue[number.String()] {
		if w.canBe(purpose, r.lines[line]) && (w.currency == "" || currency == "" || w.currency == currency) {
			found = append(found, w)
		}
	}
	if len(found) == 0 {
		return NotNamed
	}
	sure := slices.DeleteFunc(slices.Clone(found), func(w *written) bool {
		return purpose == Quantity && w.portion && r.packs || !r.belongs(w, line, purpose)
	})
	if purpose == Quantity {
		taken := slices.Concat(sure, found)
		if only := slices.IndexFunc(taken, func(w *written) bool { return !slices.Contains(w.purposes, Price) }); only > 0 {
			taken = taken[only:]
		}
		taken[0].taken = true
	}
	if len(sure) == 0 {
		return Mentioned
	}
	return Named
}

func (w *written) canBe(purpose Purpose, of Line) bool {
	can := slices.Contains(w.purposes, purpose) || of.Corrected && slices.Contains(w.correcting, purpose)
	return can && (purpose == Quantity || !w.taken)
}

// belongs reports whether a number is that of a line, because there is no other line or no other number for the purpose, or because
// it stands by the name of the line.
func (r *Request) belongs(w *written, line int, purpose Purpose) bool {
	if len(r.lines) == 1 || w.each {
		return true
	}
	owners, known := r.owners[purpose]
	if !known {
		others := slices.DeleteFunc(slices.Clone(r.written), func(w *written) bool { return !r.isFor(w, purpose) })
		if slices.ContainsFunc(others, func(o *written) bool { return !slices.Equal(o.values, others[0].values) }) {
			owners = r.place.owners(others)
		}
		r.owners[purpose] = owners
	}
	return owners == nil || slices.Contains(owners[w], line)
}

// isFor reports whether a number can be for a purpose in a line, and is not the price of one.
func (r *Request) isFor(w *written, purpose Purpose) bool {
	has := func(n *decimal.Decimal) bool { return n != nil && slices.Contains(w.values, n.String()) }
	can := slices.ContainsFunc(r.lines, func(l Line) bool { return w.canBe(purpose, l) })
	units := slices.ContainsFunc(r.lines, func(l Line) bool { return has(l.Units) })
	price := slices.ContainsFunc(r.lines, func(l Line) bool { return has(l.Price) })
	return can && (purpose != Quantity || units || !price)
}

// read adds the numbers of a plain text, except dates, ranks and parts of names, codes and ranges. sizes are amounts in the names of
// lines. changes says that some text asks to raise or lower something.
func (r *Request) read(text string, names *nameIndex, sizes map[string]bool, corrects, changes bool) {
	words := plain.Words(text)
	from := r.place.read(text, words)
	figures := slices.Collect(literal.Figures(text))
	for i, f := range figures {
		beside := f.Around(text)
		r.packs = r.packs || beside.Packages
		first, last := wordsOf(f, words)
		if f.Opaque || f.Date.Sure || f.Place || first < 0 || names.has(f, words) {
			continue
		}
		start, end := text[min(words[first].Start, f.Start):f.Start], text[f.End:max(words[last].End, f.End)]
		if start != "" && !isTimes(start) && !strings.HasSuffix(start, "=") || end != "" && !isTimes(end) {
			continue
		}
		l := f.Literal(text)
		w := &written{currency: l.Currency, first: from + first, last: from + last, portion: beside.Portion, each: beside.Each}
		kinds := []tools.FieldKind{l.Unit}
		switch unit := strings.TrimSpace(text[f.To:f.End]); {
		case isTimes(start), isTimes(end), isTimes(unit):
			kinds[0] = tools.KindUnits
		case l.Unit == "" && i+1 < len(figures) && isAnd(text[f.End:max(f.End, figures[i+1].Start)]): // "by 5 and 7 percent"
			kinds = append(kinds, figures[i+1].Unit.Is)
		}
		for _, kind := range kinds {
			can, correcting := purposes(beside, kind, changes)
			w.purposes = append(w.purposes, can...)
			if corrects {
				w.correcting = append(w.correcting, correcting...)
			}
		}
		if len(w.purposes)+len(w.correcting) == 0 || hasSize(sizes, f, text, words) {
			continue
		}
		for _, reading := range l.Readings {
			value := reading.Value.String()
			w.values = append(w.values, value)
			r.byValue[value] = append(r.byValue[value], w)
		}
		r.written = append(r.written, w)
	}
}

// isTimes reports whether a text is a sign that goes with a number of pieces: "x15", "15x".
func isTimes(text string) bool { return text == "x" || text == "х" || text == "×" }

// isAnd reports whether a text between two numbers joins them, so that they have one unit.
func isAnd(text string) bool {
	return slices.Contains([]string{"and", "и", "or", "или"}, strings.TrimSpace(text))
}

// purposes returns what a number can be for, given the words beside it, and what it can be for if it corrects another number. changes
// says that the text asks to raise or lower something.
func purposes(beside literal.Beside, kind tools.FieldKind, changes bool) (can, correcting []Purpose) {
	switch {
	case beside.Denied, beside.Measured, beside.Packages:
		return nil, nil
	case beside.Amount:
		kind = tools.KindUnits
	}
	correcting = map[tools.FieldKind][]Purpose{
		"":              {Quantity, Price, Change, PercentChange},
		tools.KindMoney: {Price, Change}, tools.KindUnits: {Quantity}, tools.KindPercent: {PercentChange},
	}[kind]
	change := beside.Taken && changes || beside.Signed
	return slices.DeleteFunc(slices.Clone(correcting), func(p Purpose) bool {
		switch p {
		case Quantity:
			return beside.Limit || change || beside.Sum && kind == ""
		case PercentChange:
			return beside.Limit || kind == ""
		}
		return change != (p == Change)
	}), correcting
}
