package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Layout describes how to show the result of a tool: first single figures, then lists.
type Layout struct {
	Figures []Column
	Tables  []Table
	Hidden  []string // paths of the fields that are not shown
}

// Column is a field in a layout. Its labels may differ from the field's own.
type Column struct {
	Field
	Place string // the path of the field, from the row for a table, from the result for a figure
	Quiet bool   // do not show null, nor a flag that is true
}

// Table is a list in a result. If its rows have lists of their own (Lines), each row is shown as a heading with the
// columns of the row, followed by a table of its lines.
type Table struct {
	Place   string // the path of the list, from the result or, for lines, from the row
	Title   bilingual.Text
	Quiet   bool // do not show the list if it is empty
	Columns []Column
	Lines   *Table
}

// Layout returns the layout from the tool's YAML file. It panics if the file has a path that the result does not have.
func (t Tool) Layout() Layout {
	file, top := declarationOf(t.Name), t.fields()
	layout := Layout{Figures: top.columns(file.Figures), Hidden: slices.Clone(file.Hidden)}
	for _, table := range file.Tables {
		layout.Tables = append(layout.Tables, top.table(table))
	}
	top.walk(func(f *Field) {
		if f.Kind == KindID || f.Path == "truncated" {
			layout.Hidden = append(layout.Hidden, f.Path)
		}
	})
	return layout
}

func (f *Field) table(from declaredTable) Table {
	list := f.at(from.Field)
	table := Table{Place: from.Field, Quiet: from.Quiet, Columns: list.columns(from.Columns)}
	switch {
	case from.Title != nil:
		table.Title = *from.Title
	case from.Field != "rows":
		table.Title = list.Label
	}
	if from.Lines != nil {
		table.Lines = new(list.table(*from.Lines))
	}
	return table
}

func (f *Field) columns(from []declaredColumn) []Column {
	columns := make([]Column, len(from))
	for i, c := range from {
		column := Column{Field: *f.at(c.path), Place: c.path, Quiet: c.labels.Quiet}
		column.Label = cmp.Or(c.labels.Text, column.Label)
		if c.labels.Words != nil {
			column.Words = c.labels.Words
		}
		if c.labels.Missing != nil {
			column.Missing = *c.labels.Missing
		}
		columns[i] = column
	}
	return columns
}

// at returns the field with the given path below f. It panics if there is none.
func (f *Field) at(path string) *Field {
	for name := range strings.SplitSeq(path, ".") {
		below := f.Field(name)
		if below == nil {
			panic(fmt.Sprintf("%q has no field %s (of %s)", f.Path, name, path))
		}
		f = below
	}
	return f
}

// walk calls visit for every field below f.
func (f *Field) walk(visit func(*Field)) {
	for i := range f.Fields {
		visit(&f.Fields[i])
		f.Fields[i].walk(visit)
	}
}
