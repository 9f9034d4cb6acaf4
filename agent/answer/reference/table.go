package reference

import (
	"cmp"
	"errors"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Limits of a table's rows: usualRows if neither the expression nor the user names a number of rows or wants all, otherwise mostRows.
const (
	usualRows = 20
	mostRows  = 200
)

// table is a value that is written as a Markdown table.
type table struct {
	heads []bilingual.Text
	rows  [][]Value
	left  int // number of rows left out
}

// column is a column of a table, or a value of a group: a field, or "Heading = expression".
type column struct {
	expression ast.Node
	head       bilingual.Text
	field      *tools.Field // nil for a computed value
}

// column reads an argument that defines a column.
func (c *call) column(i int, of *tools.Field) (column, error) {
	text, quoted := c.args[i].(*ast.StringNode)
	if !quoted { // written as .field
		if m, ok := c.args[i].(*ast.MemberNode); ok {
			text, quoted = m.Property.(*ast.StringNode)
			quoted = quoted && of.Field(text.Value) != nil
		}
	}
	if !quoted {
		return column{}, wrong(Syntax, `%s: a computed column has a head: "Head = expression" in quotes`, c.name)
	}
	own, expression := headed(text.Value)
	if own == "" {
		path := strings.TrimPrefix(strings.TrimSpace(expression), ".")
		if f := at(of, path); f != nil {
			return c.fieldColumn(f, path)
		}
		return column{}, wrong(UnknownField, `there is no column %q; there are %s. A computed column is written "Head = expression"`,
			text.Value, listed((&object{field: of}).names()))
	}
	parsed, err := parse(expression)
	c.Words = append(c.Words, own)
	return column{expression: parsed, head: bilingual.Text{RU: own, EN: own}}, err
}

// fieldColumn returns the column for a field. The expression has a dot, because a field can be named like an operator, such as
// "in".
func (c *call) fieldColumn(f *tools.Field, path string) (column, error) {
	parsed, err := parse("." + path)
	return column{parsed, f.Label, f}, err
}

// at returns the field at a path of names, such as opening.units.
func at(f *tools.Field, path string) *tools.Field {
	for name := range strings.SplitSeq(path, ".") {
		if f = f.Field(name); f == nil || f.List && f.Kind == tools.KindObject && !isSmall(f) {
			return nil
		}
	}
	return f
}

// headed splits "Heading = expression" at the first = that is not part of a comparison.
func headed(text string) (own, expression string) {
	for i := range len(text) {
		if text[i] != '=' || i+1 < len(text) && text[i+1] == '=' || i > 0 && strings.IndexByte("=!<>", text[i-1]) >= 0 {
			continue
		}
		return strings.TrimSpace(text[:i]), text[i+1:]
	}
	return "", text
}

func (c *call) table(s *selection) (Value, error) {
	columns, err := c.columns(s)
	if err != nil {
		return Value{}, err
	}
	if len(s.rows) == 0 {
		return Value{}, wrong(Empty, "there is no row for the table: say so in words")
	}
	c.restsOnRows(s)
	c.choose(s)
	shown := c.book.shownOf(s)
	t := &table{left: s.total - shown}
	for _, col := range columns {
		t.heads = append(t.heads, col.head)
	}
	written := *s
	written.rows = s.rows[:shown]
	err = c.each(&written, func(*object) error {
		cells := make([]Value, len(columns))
		for i, col := range columns {
			v, err := c.cell(col)
			if err != nil {
				return err
			}
			cells[i] = v
		}
		t.rows = append(t.rows, cells)
		return nil
	})
	return Value{Kind: Tabular, table: t}, err
}

// shownOf returns how many rows of a selection a table has.
func (b *Book) shownOf(s *selection) int {
	most := usualRows
	switch {
	case s.asked:
		most = mostRows
	case b.numbers != nil:
		most = min(max(usualRows, b.numbers.RowsAsked()), mostRows)
	}
	return min(most, len(s.rows))
}

// columns reads the arguments that define columns. Without any, the rows that group made have all their fields.
func (c *call) columns(s *selection) (columns []column, err error) {
	if len(c.args) == 1 && (len(s.rows) == 0 || s.rows[0].cells == nil) {
		return nil, wrong(Syntax, "table needs its columns: %s; there are %s", functions["table"].usage,
			listed((&object{field: s.field}).names()))
	}
	add := func(col column, failure error) { columns, err = append(columns, col), cmp.Or(err, failure) }
	for i := range s.field.Fields {
		if f := &s.field.Fields[i]; len(c.args) == 1 {
			add(c.fieldColumn(f, f.Name))
		}
	}
	for i := range c.args[1:] {
		add(c.column(i+1, s.field))
	}
	return columns, err
}

// cell returns the value of a column at the current row. A computed value is unknown if the books lack a part of it,
// or if it divides by 0.
func (c *call) cell(col column) (Value, error) {
	v, err := c.node(col.expression)
	if e, is := errors.AsType[*Error](err); is && col.field == nil && (e.Cause == Null || e.Cause == ByZero) {
		return unknown(Bare), nil
	}
	switch {
	case err != nil:
		return v, err
	case v.Kind == Rows && v.field != nil && isSmall(v.field):
		text := v.rows.inline(", ", nothing.In(c.book.lang), func(v Value) string { return v.unescaped(c.book.lang) })
		return Value{Kind: tools.KindText, text: text, field: v.field}, nil
	case v.Kind == Rows:
		return counted(len(v.rows.rows)), nil
	case v.Kind == tools.KindObject || v.Kind == Tabular:
		return v, wrong(WrongKind, "a cell holds one value, and this is %s", kindName(v.Kind))
	case !v.Null && (!v.isReported() || v.Kind == Bare && !v.measured):
		return v, wrong(NoReference, "a column holds values of the rows, not what stands in the expression itself")
	}
	return v, nil
}

// group makes one row for all rows that have the same value in a field. The row has that value, the number of rows,
// and sums.
func (c *call) group(s *selection) (Value, error) {
	if err := s.whole(c.name); err != nil {
		return Value{}, err
	}
	columns, err := c.columns(s)
	if err != nil {
		return Value{}, err
	}
	c.choose(s)
	field := groupField(s.field, columns)
	made := &selection{report: s.report, field: field}
	known := map[string]*object{}
	err = c.each(s, func(*object) error {
		cells := make([]Value, len(columns))
		for i, col := range columns {
			if cells[i], err = c.cell(col); err != nil {
				return err
			}
		}
		return made.add(known, cells)
	})
	made.total = len(made.rows)
	return Value{Kind: Rows, rows: made}, err
}

// groupField describes the rows made by group.
func groupField(of *tools.Field, columns []column) *tools.Field {
	f := &tools.Field{Name: of.Name, Path: of.Path, Kind: tools.KindObject, List: true}
	for i, col := range columns {
		made := tools.Field{Name: col.head.EN, Path: of.Path, Label: col.head}
		if col.field != nil {
			made = *col.field
			made.Fields, made.List = nil, false
		}
		f.Fields = append(f.Fields, made)
		if i == 0 {
			f.Fields = append(f.Fields, tools.Field{Name: "count", Path: of.Path, Kind: tools.KindCount, Label: tools.RowCountLabel})
		}
	}
	return f
}

// add adds the values of a row to its group. A sum is unknown if a part of it is.
func (s *selection) add(known map[string]*object, cells []Value) error {
	id := cells[0].Write("en")
	if cells[0].Null {
		id = "\x00"
	}
	row := known[id]
	if row == nil {
		row = &object{report: s.report, field: s.field, cells: append([]Value{cells[0], counted(1)}, cells[1:]...), groups: s}
		known[id] = row
		s.rows = append(s.rows, row)
		return nil
	}
	row.cells[1] = counted(int(row.cells[1].number.Num().Int64()) + 1)
	for i, v := range cells[1:] {
		old := &row.cells[i+2]
		if old.Null || v.Null {
			v.Null, v.number = true, nil
			*old = v
			continue
		}
		sum, err := plus("+", old, &v)
		if err != nil {
			return err
		}
		sum.field, sum.year = old.field, old.year
		*old = sum
	}
	return nil
}
