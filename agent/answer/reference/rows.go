package reference

import (
	"math/big"
	"reflect"
	"strings"

	"github.com/kopeck/kopeck/tools"
)

// selection is the rows of a list: all of them, or those that a function selected.
type selection struct {
	report *Report
	field  *tools.Field
	rows   []*object
	total  int  // number of all rows; larger than len(rows) if some were not kept
	more   bool // the list has only the largest rows and does not say how many there are
	chosen bool // a function left some rows out

	unknown []*object // rows that only a comparison with null left out
	asked   bool      // the expression asked for a number of rows
}

func (o *object) selection(f *tools.Field, raw reflect.Value) *selection {
	s := &selection{report: o.report, field: f}
	n := 0
	if raw.IsValid() {
		n = raw.Len()
	}
	objects := make([]object, n)
	s.rows, s.total = make([]*object, n), n
	for i := range n {
		objects[i] = object{report: o.report, field: f, value: raw.Index(i), row: i + 1}
		s.rows[i] = &objects[i]
	}
	s.more = f.MaxItems > 0 && n >= f.MaxItems
	switch {
	case !o.report.cut():
	case o.field == o.report.top && f.Name == "rows":
		s.total = o.report.total()
	case o.report.top.Field("rows") == nil:
		s.more = true // the report does not say which of its lists is cut
	}
	return s
}

// some returns a selection that has only the given rows of s.
func (s *selection) some(rows []*object) *selection {
	some := *s
	some.rows, some.unknown, some.total, some.more = rows, nil, len(rows), false
	some.chosen = s.chosen || len(rows) < len(s.rows)
	return &some
}

func (s *selection) at(n *big.Rat) (Value, error) {
	if !n.Num().IsInt64() || n.Num().Int64() < 1 || n.Num().Int64() > int64(len(s.rows)) {
		return Value{}, wrong(UnknownName, "%s has %d rows, counted from 1: there is no row %s", s.report.path(s.field), len(s.rows),
			n.RatString())
	}
	return Value{Kind: tools.KindObject, object: s.rows[n.Num().Int64()-1]}, nil
}

// byName returns the row with a name or code. It is an error if there is none, or more than one.
func (s *selection) byName(e *evaluation, name string) (Value, error) {
	if err := e.step(len(s.rows)); err != nil {
		return Value{}, err
	}
	var found []*object
	for _, row := range s.rows {
		own, code := row.called()
		if strings.EqualFold(own, name) || code != "" && strings.EqualFold(code, name) || row.isPrinted(name) {
			found = append(found, row)
		}
	}
	switch {
	case len(found) == 1:
		return Value{Kind: tools.KindObject, object: found[0]}, nil
	case len(found) > 1:
		return Value{}, wrong(UnknownName, "%d rows of %s are named %q: choose them with filter, or one by its number", len(found),
			s.report.path(s.field), name)
	case s.field.Field(name) != nil:
		return Value{}, wrong(UnknownField, "%s is a list: name a row, as in %[1]s[1].%[2]s, or use sum(%[1]s, .%[2]s)",
			s.report.path(s.field), name)
	}
	return Value{}, wrong(UnknownName, "no row of %s is named %q; there are %s", s.report.path(s.field), name, listed(s.names()))
}

func (s *selection) names() []string {
	var names []string
	for _, row := range s.rows[:min(len(s.rows), 4*mostNamed)] {
		name, _ := row.called()
		names = append(names, name)
	}
	return names
}

// whole returns an error if rows are missing, because function needs all of them.
func (s *selection) whole(function string) error {
	switch {
	case s.total > len(s.rows):
		return wrong(
			NotWhole, "%s needs all rows, and only the first %d of %d of %s are kept: use its totals, first(rows, n), or call %s again for less",
			function, len(s.rows), s.total, s.report.Name, s.report.Tool,
		)
	case s.more:
		return wrong(NotWhole, "%s needs all rows, and %s lists only the first of them: use its rows or table, and the report's own sums",
			function, s.report.path(s.field))
	}
	return nil
}
