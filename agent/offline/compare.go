package offline

import (
	"fmt"
	"slices"
	"strings"
)

// measured is how a report computes a figure that can be compared, and what it is called.
type measured struct {
	text   `yaml:",inline"`
	Whole  string // its expression for the whole report; empty: the total of its field
	Of     string // that for some rows; empty: the sum of its field
	Plural bool   // its name has the plural form
	Part   bool   // it is only known for the part of revenue whose cost is known
}

func (t *telling) figured() measured { return t.report.Figures[t.compares()] }

func (t *telling) compares() string { return cmpOr(t.measure, t.report.Order) }

// Costs reports whether the question may be about figures that depend on the cost of what was sold. It is false if the question names
// only others.
func (t *telling) Costs() bool {
	return t.measure == "" || slices.ContainsFunc(t.measures, func(field string) bool { return t.report.Figures[field].Part })
}

// Title returns the name of the compared figure.
func (t *telling) Title() string { return t.figured().in(t.lang) }

// A returns the figure of the later period, or of the first thing to choose from.
func (t *telling) A() string { return t.side(t.own(), 0) }

// B returns the figure of the earlier period, or of the second thing.
func (t *telling) B() string { return t.side(t.reads[0], 1) }

func (t *telling) side(report string, i int) string {
	if t.Mode == "against" {
		return t.figure(t.own(), t.rowsOf(i), true)
	}
	return t.figure(report, t.rows, t.Narrow)
}

// FigureA refers to the figure of the first thing, or says that there is none.
func (t *telling) FigureA() string { return t.figureOf(t.A(), t.RowsA()) }

// FigureB refers to that of the second.
func (t *telling) FigureB() string { return t.figureOf(t.B(), t.RowsB()) }

func (t *telling) figureOf(figure, rows string) string {
	switch {
	case t.known(figure):
		return "{{" + figure + "}}"
	case t.count(rows) == 0:
		return text{"продаж не было", "had no sales"}.in(t.lang)
	}
	return text{"нет данных", "is unknown"}.in(t.lang)
}

// RowsA returns the rows of the first thing to choose from.
func (t *telling) RowsA() string { return t.rowsOf(0) }

// RowsB returns the rows of the second thing.
func (t *telling) RowsB() string { return t.rowsOf(1) }

func (t *telling) rowsOf(i int) string {
	if t.report.Slots.Places == "warehouse" && !t.Goods() { // the report rounds the sum of a whole warehouse once
		return "filter(R.warehouses, .name == " + quoted(t.places[i]) + ")"
	}
	return "filter(" + t.rows + ", " + t.pair()[i] + ")"
}

// figure returns the expression of the figure that was asked for: of some rows if narrow is true, else of the whole report.
func (t *telling) figure(report, rows string, narrow bool) string {
	expression := cmpOr(t.figured().Whole, "R.totals."+t.compares())
	if narrow {
		expression = cmpOr(t.figured().Of, "sum(ROWS, ."+t.compares()+")")
	}
	rows = strings.ReplaceAll(rows, "R.", report+".")
	if strings.Contains(expression, "COVERED") {
		expression = strings.ReplaceAll(expression, "COVERED", t.coveredOf(rows))
	}
	return strings.ReplaceAll(aRow.ReplaceAllLiteralString(expression, rows), "R.", report+".")
}

// Moved says in which direction the compared figure went.
func (t *telling) Moved() string {
	moved, plural := text{"не изменилась", "did not change"}, text{"не изменились", "did not change"}
	switch {
	case t.greater(t.A(), t.B()):
		moved, plural = text{"выросла", "rose"}, text{"выросли", "rose"}
	case t.greater(t.B(), t.A()):
		moved, plural = text{"снизилась", "fell"}, text{"снизились", "fell"}
	}
	if t.figured().Plural {
		moved = plural
	}
	return moved.in(t.lang)
}

// Difference returns the expression for the larger of two compared figures minus the smaller one.
func (t *telling) Difference() string {
	larger, smaller := t.A(), t.B()
	if t.greater(smaller, larger) {
		larger, smaller = smaller, larger
	}
	if t.measure == "margin_percent" { // a difference of percentages has a sign
		return fmt.Sprintf("abs(%s - %s)", larger, smaller)
	}
	return larger + " - " + smaller
}

// Covered says for how much of the revenue of each period the cost is known, if profit or margin were compared.
func (t *telling) Covered() string {
	later, earlier := t.own()+".totals.cost_coverage_percent", t.reads[0]+".totals.cost_coverage_percent"
	if t.Narrow || !t.figured().Part || !t.known(later) || !t.known(earlier) {
		return ""
	}
	return fmt.Sprintf(text{
		" Себестоимость известна для {{%s}} и {{%s}} выручки.",
		" Cost is known for {{%s}} and {{%s}} of revenue.",
	}.in(t.lang), later, earlier)
}

// Uneven warns that two compared periods have days in common, or that one is clearly longer.
func (t *telling) Uneven() string {
	const monthsDiffer = 3 // two months can differ by this many days
	earlier, later := t.compared()
	a, b := earlier.Days(), later.Days()
	switch {
	case !earlier.To.Before(later.From) && !later.To.Before(earlier.From):
		return text{" Периоды частично совпадают.", " The periods overlap."}.in(t.lang)
	case max(a, b)-min(a, b) > monthsDiffer:
		return text{" Периоды разной длины.", " The periods differ in length."}.in(t.lang)
	}
	return ""
}

// Beside returns a table of the compared figure by channel or another choice of the report, if the question wants it.
func (t *telling) Beside() string {
	if t.choices["group_by"] == "" || t.Narrow || t.count(t.own()+".rows") == 0 {
		return ""
	}
	field := t.compares()
	var b strings.Builder
	fmt.Fprintf(&b, text{"\n\n| Название | %[1]s | %[2]s | Разница |\n|---|---:|---:|---:|\n", "\n\n| Name | %[1]s | %[2]s | Difference |\n|---|---:|---:|---:|\n"}.in(t.lang),
		strings.TrimPrefix(t.When(), "за "), strings.TrimPrefix(t.When2(), "за "))
	for i := range min(t.count(t.own()+".rows"), usualRows) {
		row := fmt.Sprintf("%s.rows[%d]", t.own(), i+1)
		name, err := t.value(row + ".name")
		if err != nil {
			continue
		}
		later, earlier := row+"."+field, fmt.Sprintf("%s.rows[%s].%s", t.reads[0], quoted(name.Text()), field)
		fmt.Fprintf(&b, "| {{%s.name}} | %s | %s | %s |\n", row, t.written(later), t.written(earlier), t.written(later+" - "+earlier))
	}
	return b.String()
}

// written refers to a value in a table made by hand.
func (t *telling) written(expression string) string {
	if !t.known(expression) {
		return "—"
	}
	return "{{" + expression + "}}"
}
