package render

import (
	"sync"

	"github.com/kopeck/kopeck/tools"
)

// layouts has the layouts of all tools. They are declared in the YAML files of the tools, except those of drafts and
// calculations.
var layouts = sync.OnceValue(func() map[string]Layout {
	all := map[string]Layout{
		"draft_purchase_order": draftLayout(),
		"draft_transfer":       draftLayout(),
		"draft_price_change":   draftLayout(),
		"calculate":            calculationLayout,
	}
	for _, tool := range tools.All() {
		declared := tool.Layout()
		layout := Layout{Text: tools.ToolLabel(tool.Name), Figures: columnsOf(declared.Figures), Hidden: declared.Hidden}
		for _, table := range declared.Tables {
			layout.Sections = append(layout.Sections, sectionOf(table))
		}
		all[tool.Name] = layout
	}
	return all
})

func sectionOf(table tools.Table) Section {
	section := Section{Field: table.Place, Text: table.Title, Columns: columnsOf(table.Columns), Quiet: table.Quiet}
	if table.Lines != nil {
		lines := sectionOf(*table.Lines)
		section.Lines = &lines
	}
	return section
}

func columnsOf(declared []tools.Column) []Column {
	columns := make([]Column, len(declared))
	for i, c := range declared {
		columns[i] = columnOf(&c.Field)
		columns[i].Field, columns[i].Quiet = c.Place, c.Quiet
	}
	return columns
}

// columnOf returns the column that shows a field. For an object, it shows all fields except ids.
func columnOf(f *tools.Field) Column {
	column := Column{Field: f.Name, Text: f.Label, Kind: kindOfField[f.Kind], Currency: f.Currency, Words: f.Words, Missing: f.Missing}
	for i := range f.Fields {
		if part := &f.Fields[i]; part.Kind != tools.KindID {
			column.Parts = append(column.Parts, columnOf(part))
		}
	}
	return column
}

// kindOfField maps the kinds of fields in tools to kinds of this package. All others are shown as text.
var kindOfField = map[tools.FieldKind]Kind{
	tools.KindMoney:   Money,
	tools.KindUnits:   Units,
	tools.KindPerDay:  Units,
	tools.KindPercent: Percent,
	tools.KindRatio:   Number,
	tools.KindCount:   Count,
	tools.KindDays:    Days,
	tools.KindMonths:  Days,
	tools.KindDay:     Date,
	tools.KindMoment:  Date,
	tools.KindFlag:    Flag,
}
