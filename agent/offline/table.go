package offline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

const (
	usualRows   = 10
	mostRows    = 200
	mostColumns = 5
)

// list returns a table of the rows, without columns that are the same in all rows, and says how many rows there are in all.
func (t *telling) list() string {
	n := t.count("ROWS")
	if n == 0 || n == 1 && t.Narrow && (t.goods == nil || t.goods.One() != "") || t.Brief {
		return ""
	}
	columns := t.shown()
	if field := t.orderedBy(); field != "" {
		t.first = strings.TrimSpace(t.lead("ROWS", t.columns()[0], field))
		if !slices.ContainsFunc(columns, func(column string) bool { return strings.Contains(column, field) }) {
			columns = append(columns, field)
		}
	}
	return "\n{{table(" + t.ordered(t.most()) + ", " + listed(columns) + ")}}\n" + t.rest("ROWS")
}

// rest says that a table has only some of the rows, if so.
func (t *telling) rest(rows string) string {
	if t.limit > 0 || t.count(rows) <= t.most() {
		return ""
	}
	return reply(t.lang, "rest", "SHOWN", fmt.Sprint(t.most()), "ALL", "{{len("+rows+")}}")
}

// numbers lists the numbers of a list's orders in parentheses if they are at most four.
func (t *telling) numbers(rows string) string {
	const most = 4
	var all []string
	for i := range t.count(rows) {
		number := fmt.Sprintf("%s[%d].order_number", rows, i+1)
		if i == most || !t.known(number) {
			return ""
		}
		all = append(all, "{{"+number+"}}")
	}
	return " (" + reply(t.lang, "numbers", "WHAT", strings.Join(all, ", ")) + ")"
}

// each lists a field of all rows: "a, b and c".
func (t *telling) each(rows, field string) string {
	var all []string
	for i := range t.count(rows) {
		all = append(all, fmt.Sprintf("{{%s[%d].%s}}", rows, i+1, field))
	}
	last := len(all) - 1
	if last < 1 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:last], ", ") + reply(t.lang, "and") + all[last]
}

// ordered returns the expression of the first n rows in the order of the table.
func (t *telling) ordered(n int) string {
	field := t.order()
	switch {
	case field == "":
		return fmt.Sprintf("first(ROWS, %d)", n)
	case t.ascending:
		return fmt.Sprintf("bottom(ROWS, .%s, %d)", field, n)
	}
	return fmt.Sprintf("top(ROWS, .%s, %d)", field, n)
}

// order returns the field by which the table is sorted, or "" if the report has sorted it.
func (t *telling) order() string {
	if t.orderedBy() == "" && t.summed() {
		return t.thresholds[0].field
	}
	return cmp.Or(t.orderedBy(), t.Order, t.asked())
}

// orderedBy returns the field by which the question wants rows sorted.
func (f *frame) orderedBy() string {
	if f.sort == "default" {
		return cmp.Or(f.Means, f.report.Order)
	}
	return f.sort
}

// asked returns the figure that the question asks for, if some row has it and the report's own order is another.
func (t *telling) asked() string {
	_, figure := t.report.Figures[t.Measure]
	if !figure || t.Measure == t.report.Order || t.count("filter(ROWS, ."+t.Measure+" != null)") == 0 {
		return ""
	}
	return t.Measure
}

// most returns how many rows are shown.
func (f *frame) most() int {
	switch {
	case f.limit > 0:
		return f.limit
	case f.all:
		return mostRows
	}
	return usualRows
}

// leader returns the expression of the first row in an order, of those that have one field. It returns "" if its name or figure is unknown.
func (t *telling) leader(order, rows, having, name, figure string) string {
	first := fmt.Sprintf("%s(filter(%s, .%s != null), .%s, 1)[1]", order, rows, having, figure)
	if !t.known(first+"."+name) || !t.known(first+"."+figure) {
		return ""
	}
	return first
}

// lead names the first row in the order of a field. It returns "" if none is first.
func (t *telling) lead(rows, name, field string) string {
	order, said := "top", "first_place"
	if t.ascending {
		order, said = "bottom", "last_place"
	}
	if t.Group() == "channel" && !t.Narrow { // rows without a channel are not a channel
		said += "_channel"
		rows = "filter(" + rows + ", .name != " + quoted(tools.NoSalesChannel) + ")"
	}
	first := t.leader(order, rows, field, name, field)
	if first == "" {
		return ""
	}
	tied := t.tied(rows, first, field)
	if tied != "" && !t.ascending && t.zero(first+"."+field) { // nothing is at the top
		return ""
	}
	who := ""
	if party, _ := t.report.parties(); t.report.Slots.Number != "" && t.known(first+"."+party) { // an order is known by its customer
		who = ", {{" + first + "." + party + "}}"
	}
	return fmt.Sprintf("%s {{%s.%s}}%s: %s{{%s.%s}}%s.\n", reply(t.lang, said), first, name, who, t.called(field), first, field, tied)
}

// called names a field of the rows before its value.
func (t *telling) called(field string) string {
	report, _ := t.book.Report(t.own())
	f := report.Fields()
	for name := range strings.SplitSeq(cmp.Or(t.List, t.report.Rows)+"."+field, ".") {
		if f = f.Field(name); f == nil {
			return ""
		}
	}
	return bilingual.Small(f.Label.In(t.lang)) + " "
}

// tied says how many other rows have the same as the first.
func (t *telling) tied(rows, first, field string) string {
	others := fmt.Sprintf("len(filter(%s, .%s == %s.%[2]s)) - 1", rows, field, first)
	if !t.pos(others) {
		return ""
	}
	return reply(t.lang, "tied", "N", "{{"+others+"}}")
}

// largest names the first row of the list. It returns "" if the question asks for an order, since the list then says it.
func (t *telling) largest(words string) string {
	name, field := t.columns()[0], cmp.Or(t.Order, t.report.Order)
	first := t.leader("top", "ROWS", field, name, field) // a note says what is unknown
	if t.Brief || t.orderedBy() != "" || t.count("ROWS") < 2 || first == "" {
		return ""
	}
	return fmt.Sprintf("%s {{%s.%s}}: {{%s.%s}}.", words, first, name, first, field)
}

func (t *telling) columns() []string {
	switch {
	case t.summed():
		return t.Summed
	case t.lang != "ru" && len(t.ColumnsEN) > 0:
		return t.ColumnsEN
	case len(t.Columns) == 0:
		return []string{"name"}
	}
	return t.Columns
}

// shown returns the columns, without those that have one value in all rows.
func (t *telling) shown() (columns []string) {
	for i, column := range t.columns() {
		if t.report.Figures[column].Part && (!t.Costs() || column == "cost_coverage_percent" && !t.partlyCovered()) {
			continue
		}
		one := t.count("ROWS") > 1 && column != t.order() && !strings.Contains(column, "=") && t.count("group(ROWS, "+quoted(column)+")") == 1
		if i > 0 && (one && !t.heard.has(t.heard.Groups[column]) || column == "warehouse" && t.warehouse != "") {
			continue
		}
		columns = append(columns, column)
	}
	if len(columns) == 1 && len(t.columns()) > 1 { // a list of names alone does not show why they are in it
		figures := slices.DeleteFunc(slices.Clone(t.columns()[1:]), func(column string) bool { return column == "warehouse" })
		columns = append(columns, cmp.Or(t.order(), cmp.Or(figures...)))
	}
	if len(columns) > mostColumns { // the first figure gives way to the cost coverage
		return slices.DeleteFunc(columns, func(column string) bool { return column == t.columns()[1] && column != t.Measure })
	}
	return columns
}

// partlyCovered reports whether the cost of a row in the table is known only in part, so that its profit is not all of it.
func (t *telling) partlyCovered() bool {
	return t.count("filter("+t.ordered(t.most())+", .cost_coverage_percent > 0 and .cost_coverage_percent < 100)") > 0
}
