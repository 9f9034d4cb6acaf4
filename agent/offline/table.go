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
	usualRows = 10
	mostRows  = 200
)

// divided returns the answer if the list is divided by a field: who or what has the most, and all of them.
func (t *telling) divided() string {
	d := t.report.Groups[t.by]
	first := fmt.Sprintf("top(filter(%s, .%s != null), %q, 1)[1]", d.List, d.Columns[0], d.Order)
	said := bilingual.Text{RU: "%s: больше всего — {{%s}}: {{%s}}%s.", EN: "%s: {{%s}} has the most, {{%s}}%s."}.In(t.lang)
	if d.Order == "count" {
		said = bilingual.Text{RU: "%s: больше всего позиций — {{%s}}: {{%s}}%s.", EN: "%s: {{%s}} has the most items, {{%s}}%s."}.In(t.lang)
	}
	if !t.known(first + "." + d.Order) {
		said = "%s:"
	}
	subject := capital(t.report.Names.In(t.lang)) + t.Where()
	switch {
	case t.Narrow && strings.Contains(d.List, "ROWS"):
		subject += ", " + t.Label()
	case t.Narrow: // the groups are of the whole report
		return reply(t.lang, "undivided", "WHAT", t.Label())
	}
	sentence := fmt.Sprintf(said, subject, first+"."+d.Columns[0], first+"."+d.Order, t.tied(d.List, first, d.Order))
	return sentence + fmt.Sprintf("\n{{table(top(%s, %q, LIMIT), %s)}}", d.List, d.Order, listed(d.Columns))
}

// list returns a table of the rows, without columns that are the same in all rows, and says how many rows there are in all.
func (t *telling) list() string {
	n := t.count("ROWS")
	if n == 0 || n == 1 && t.Narrow && (t.goods == nil || t.goods.One() != "") || t.Brief {
		return ""
	}
	var b strings.Builder
	if field := t.orderedBy(); field != "" {
		t.first = strings.TrimSpace(t.lead("ROWS", t.columns()[0], field))
	}
	columns := t.shown()
	has := func(column string) bool { return strings.Contains(column, t.orderedBy()) }
	if field := t.orderedBy(); !slices.ContainsFunc(columns, has) {
		columns = append(columns, field)
	}
	b.WriteString("\n{{table(" + t.ordered(t.most()))
	for _, column := range columns {
		b.WriteString(", " + quoted(column))
	}
	b.WriteString(")}}\n")
	b.WriteString(t.rest("ROWS"))
	return b.String()
}

// rest says that a table has only some of the rows, if so.
func (t *telling) rest(rows string) string {
	if t.limit > 0 || t.count(rows) <= t.most() {
		return ""
	}
	return fmt.Sprintf(bilingual.Text{
		RU: "Показано %d из {{len(%s)}}. Напишите «покажи все», чтобы увидеть остальные.",
		EN: "%d of {{len(%s)}} are shown. Type “show all” to see the rest.",
	}.In(t.lang), t.most(), rows)
}

// ordered returns the expression of the first n rows in the order of the table.
func (t *telling) ordered(n int) string {
	field := cmp.Or(t.orderedBy(), t.Order)
	switch {
	case field == "":
		return fmt.Sprintf("first(ROWS, %d)", n)
	case t.ascending:
		return fmt.Sprintf("bottom(ROWS, %q, %d)", field, n)
	}
	return fmt.Sprintf("top(ROWS, %q, %d)", field, n)
}

// orderedBy returns the field by which the question wants rows sorted.
func (t *telling) orderedBy() string {
	if t.sort == "default" {
		return t.report.Order
	}
	return t.sort
}

// most returns how many rows are shown.
func (t *telling) most() int {
	switch {
	case t.limit > 0:
		return t.limit
	case t.all:
		return mostRows
	}
	return usualRows
}

// lead names the first row in the order of a field.
func (t *telling) lead(rows, name, field string) string {
	order, said := "top", bilingual.Text{RU: "На первом месте", EN: "In first place is"}
	if t.ascending {
		order, said = "bottom", bilingual.Text{RU: "На последнем месте", EN: "In last place is"}
	}
	if t.ByChannel() && !t.Narrow { // rows without a channel are not a channel
		rows = "filter(" + rows + ", .name != " + quoted(tools.NoSalesChannel) + ")"
	}
	first := fmt.Sprintf("%s(filter(%s, .%[3]s != null), %[3]q, 1)[1]", order, rows, field)
	if !t.known(first+"."+field) || !t.known(first+"."+name) {
		return ""
	}
	return fmt.Sprintf("%s {{%s.%s}}: {{%s.%s}}%s.\n", said.In(t.lang), first, name, first, field, t.tied(rows, first, field))
}

// tied says how many other rows have the same as the first.
func (t *telling) tied(rows, first, field string) string {
	n := t.count(fmt.Sprintf("filter(%s, .%s == %s.%[2]s)", rows, field, first)) - 1
	if n < 1 {
		return ""
	}
	return fmt.Sprintf(bilingual.Text{RU: " (столько же ещё у %d)", EN: " (the same as %d more)"}.In(t.lang), n)
}

// largest names the first row of the list. It returns "" if the question asks for an order, since the list then says it.
func (t *telling) largest(words string) string {
	field := cmp.Or(t.Order, t.report.Order)
	first := fmt.Sprintf("top(filter(ROWS, .%[1]s != null), %[1]q, 1)[1]", field) // a note says what is unknown
	name := first + "." + t.columns()[0]
	if t.Brief || t.orderedBy() != "" || t.count("ROWS") < 2 || !t.known(name) || !t.known(first+"."+field) {
		return ""
	}
	return fmt.Sprintf("%s {{%s}}: {{%s.%s}}.", words, name, first, field)
}

func (t *telling) columns() []string {
	switch {
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
		if t.report.Figures[column].Part && !t.Costs() {
			continue
		}
		one := t.count("ROWS") > 1 && !strings.Contains(column, "=") && t.count("group(ROWS, "+quoted(column)+")") == 1
		if i > 0 && (one || column == "warehouse" && t.warehouse != "") {
			continue
		}
		columns = append(columns, column)
	}
	return columns
}
