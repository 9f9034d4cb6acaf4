package tools

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/kopeck/kopeck/schemas/bilingual"
)

// Layout describes how to show the result of a tool: first single figures, then lists. Programs that show results in
// another form read it as JSON.
type Layout struct {
	Label   bilingual.Text `json:"label"`
	Titled  int            `json:"-"` // the title shows this many figures
	Figures []Column       `json:"figures"`
	Tables  []Table        `json:"tables"`
	Hidden  []string       `json:"-"` // paths of the fields that are not shown
}

// Column is a field in a layout. Its labels may differ from the field's own. An object has its shown parts in Fields.
type Column struct {
	Field
	Place   string `json:"field"`           // the path of the field, from the row for a table, from the result for a figure
	Quiet   bool   `json:"quiet,omitempty"` // do not show null, nor a flag that is true
	Differs bool   `json:"-"`               // do not show the column if all rows have the same in it
	Except  string `json:"-"`               // do not show the figure in a result of this kind, which shows it in another way
}

// Table is a list in a result. If its rows have lists of their own (Lines), each row is shown as a heading with the
// columns of the row, followed by a table of its lines.
type Table struct {
	Place   string         `json:"field"` // the path of the list, from the result or, for lines, from the row
	Title   bilingual.Text `json:"label"`
	Quiet   bool           `json:"quiet,omitempty"` // do not show the list if it is empty
	Columns []Column       `json:"columns"`
	Lines   *Table         `json:"lines,omitempty"`
	Whole   bool           `json:"-"` // show all rows, because a person decides on them
}

// Layouts returns all layouts, by the name of the YAML file. It panics if a file has a path that the tool's result does
// not have.
var Layouts = sync.OnceValue(func() map[string]Layout {
	all := map[string]Layout{}
	for name, file := range declared() {
		if name != shared {
			all[name] = file.layout(name)
		}
	}
	return all
})

// LayoutOf returns the layout of a tool's result. known is false if the tool has none.
func LayoutOf(tool string) (layout Layout, known bool) {
	layout, known = Layouts()[fileOf(tool)]
	return layout, known
}

func (d *declaration) layout(tool string) Layout {
	top := &Field{}
	if report, known := Find(tool); known {
		top = report.fields()
	}
	layout := Layout{Label: d.Name, Titled: d.Titled, Figures: top.columns(tool, d.Figures), Tables: []Table{}, Hidden: slices.Clone(d.Hidden)}
	for _, table := range d.Tables {
		layout.Tables = append(layout.Tables, top.table(tool, table))
	}
	top.walk(func(f *Field) {
		if f.Kind == KindID || f.Path == "truncated" {
			layout.Hidden = append(layout.Hidden, f.Path)
		}
	})
	return layout
}

func (f *Field) table(tool string, from declaredTable) Table {
	list := f.at(tool, from.Field)
	table := Table{Place: from.Field, Quiet: from.Quiet, Whole: from.Whole, Columns: list.columns(tool, from.Columns)}
	switch {
	case from.Title != nil:
		table.Title = *from.Title
	case from.Field != "rows":
		table.Title = list.Label
	}
	if from.Lines != nil {
		table.Lines = new(list.table(tool, *from.Lines))
	}
	return table
}

func (f *Field) columns(tool string, from []declaredColumn) []Column {
	columns := make([]Column, len(from))
	for i, c := range from {
		field, own := f.at(tool, c.path), c.labels
		column := Column{Field: *field, Place: c.path, Quiet: own.Quiet, Differs: own.Differs, Except: own.Except}
		column.Kind, column.Currency = cmp.Or(own.Kind, field.Kind), cmp.Or(own.Currency, field.Currency)
		column.Label = cmp.Or(own.Text, field.Label)
		if own.Words != nil {
			column.Words = own.Words
		}
		if own.Missing != nil {
			column.Missing = *own.Missing
		}
		column.Fields = slices.DeleteFunc(slices.Clone(field.Fields), func(part Field) bool { return part.Kind == KindID })
		for _, part := range own.Parts {
			column.Fields = append(column.Fields, *field.at(tool, part))
		}
		columns[i] = column
	}
	return columns
}

// at returns the field with the given path below f. It panics if there is none. If f has no fields because its Go type is
// in a package that imports this one, every path is a text field.
func (f *Field) at(tool, path string) *Field {
	if f.Fields == nil {
		below := &Field{Name: path, Path: join(f.Path, path), Kind: KindText}
		below.addLabels(tool)
		return below
	}
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
