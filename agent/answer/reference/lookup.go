package reference

import (
	"cmp"
	"slices"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/tools"
)

// place is the row at which a function evaluates an argument.
type place struct {
	*object
	lookups *[]*lookup // the lookups of all rows; shared with inner places
	chosen  bool       // a row has met the condition of a filter or count
}

// lookup records the comparisons of a field with one text of the expression. A text that no row has may be misspelt,
// so the result must not silently be 0.
type lookup struct {
	by    *ast.BinaryNode
	list  string
	field *tools.Field
	text  string
	met   bool
	there []string
}

// compared records the lookups of a comparison that has been evaluated at the row.
func (p *place) compared(n *ast.BinaryNode, a, b Value) {
	sign := n.Operator
	switch sign {
	case "==", "!=", "in":
		if b.field != nil {
			a, b = b, a
		}
		sign = "=="
	case "contains", "startsWith", "endsWith":
	default:
		return
	}
	if a.field == nil || b.field != nil || !IsText(a.Kind) && a.Kind != List {
		return
	}
	texts := b.items
	if b.Kind != List {
		texts = []Value{b}
	}
	for _, text := range texts {
		if !IsText(text.Kind) || text.Null {
			continue
		}
		l := p.lookup(n, a.field, text.text)
		if held, err := compare(sign, a, text); l.met || err == nil && !held.Null && held.flag {
			l.met = true
		} else if IsText(a.Kind) && !a.Null && len(l.there) < 4*mostNamed {
			l.there = append(l.there, a.text)
		}
	}
}

func (p *place) lookup(n *ast.BinaryNode, f *tools.Field, text string) *lookup {
	for _, l := range *p.lookups {
		if l.by == n && l.text == text {
			return l
		}
	}
	l := &lookup{by: n, list: p.report.path(p.field), field: f, text: text}
	*p.lookups = append(*p.lookups, l)
	return l
}

// absent handles texts that no row has. A value of a fixed set may be in no row. If the condition looks for a part of
// a text, or if a row met the condition by another text, the text is added to e.Missed, and the answer mentions it
// beside the value. Any other text is an error, because it may be misspelt.
func (e *evaluation) absent(p *place) error {
	for _, l := range *p.lookups {
		if _, word := l.field.Words[l.text]; l.met || word {
			continue
		}
		err := wrong(
			UnknownValue, "no row of %s has %s %q; there are %s. If there is none, say so in words, or count with contains, which gives 0",
			l.list, l.field.Name, l.text, listed(l.there),
		)
		if l.by.Operator == "!=" || (l.by.Operator == "==" || l.by.Operator == "in") && !p.chosen {
			return err
		}
		if !slices.Contains(e.Missed, l.text) {
			e.Missed = append(e.Missed, l.text)
		}
		e.unmet = cmp.Or(e.unmet, err)
	}
	return nil
}

// each calls what at each row of a selection.
func (e *evaluation) each(s *selection, what func(*object) error) error {
	if err := e.step(len(s.rows)); err != nil {
		return err
	}
	p := &place{lookups: &[]*lookup{}}
	inside := len(e.rows) > 0
	if inside {
		p.lookups = e.rows[len(e.rows)-1].lookups
	}
	e.rows = append(e.rows, p)
	defer func() { e.rows = e.rows[:len(e.rows)-1] }()
	for _, row := range s.rows {
		one := *row
		one.row, one.selected = 0, s.chosen // the value comes from many rows, so its origin has no row
		p.object = &one
		if err := what(row); err != nil {
			if absent := e.absent(p); absent != nil && causedBy(err, Empty) {
				return absent
			}
			return err
		}
	}
	if inside {
		return nil
	}
	return e.absent(p)
}
