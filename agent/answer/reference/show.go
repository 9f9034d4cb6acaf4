package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Limits of what the model reads of a report. Expressions can use the rest.
const (
	shownRows  = 20
	shownOther = 10  // rows of each other list
	shownText  = 120 // characters of a name
	shownNote  = 500 // of a note
)

// Show returns the text of a new report for the model. It has a first line with name, arguments, time and currency,
// then the fields that are in no list, then each list with the number of its rows: at most 20 numbered rows of the main
// list and 10 of each other one. Each note is a line. A column that is equal in all rows is printed once. A small
// list inside a row is printed in its row.
func (r *Report) Show() string {
	var b strings.Builder
	b.WriteString(r.Recall())
	for i := range r.top.Fields {
		f := &r.top.Fields[i]
		if f.List && f.Kind == tools.KindObject {
			r.showList(&b, r.whole(), f, r.Name)
		}
	}
	for _, note := range r.Result.Notes {
		b.WriteString("note: " + oneLine(note.Text, shownNote) + "\n")
	}
	return b.String()
}

// Recall returns the text of an earlier turn's report for the model: the first line and the fields that are in no list.
func (r *Report) Recall() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Name, r.Tool)
	if arguments := r.argumentsLine(); arguments != "" {
		b.WriteString(" " + arguments)
	}
	fmt.Fprintf(&b, ", as of %s Moscow time", r.Result.AsOf.In(tools.Moscow).Format("2006-01-02 15:04"))
	if r.Result.Currency != "" {
		b.WriteString(", " + r.Result.Currency)
	}
	b.WriteString("\n")
	b.WriteString(r.whole().lines(""))
	return b.String()
}

// lines prints an object's fields except lists of rows: those of the object in one line, and those of each inner
// object in a line of its own.
func (o *object) lines(before string) string {
	own, inside := "", ""
	for i := range o.field.Fields {
		f := &o.field.Fields[i]
		if f.Kind == tools.KindID || f.List && f.Kind == tools.KindObject || f.Name == "total_rows" || f.Name == "truncated" {
			continue
		}
		switch v := o.read(f); {
		case v.Kind == tools.KindObject:
			inside += v.object.lines(strings.TrimPrefix(before+"."+f.Name, "."))
		case !v.Null || f.Missing == (bilingual.Text{}):
			own += "; " + f.Name + " " + v.plain()
		}
	}
	if own == "" {
		return inside
	}
	if own = own[2:]; before != "" {
		own = before + ": " + own
	}
	return own + "\n" + inside
}

// plain returns the value as the model reads it: numbers without grouping, and days in the form that arguments have.
func (v Value) plain() string {
	switch {
	case v.Null:
		return "null"
	case v.number != nil:
		text := decimalOf(v.number, max(0, v.places)).String()
		if v.Kind == tools.KindPercent {
			text += "%"
		}
		return text
	case v.Kind == tools.KindFlag && v.flag:
		return "yes"
	case v.Kind == tools.KindFlag:
		return "no"
	case v.Kind == tools.KindDay:
		return v.at.Format("2006-01-02")
	case v.Kind == tools.KindMonth:
		return v.at.Format("2006-01")
	case v.Kind == tools.KindMoment:
		return v.at.Format("2006-01-02 15:04")
	case v.Kind == List:
		var items []string
		for _, item := range v.items[:min(len(v.items), shownItems)] {
			items = append(items, item.plain())
		}
		return "[" + strings.Join(items, ", ") + "]"
	}
	return oneLine(v.text, shownText)
}

func oneLine(text string, most int) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "/")), " ")
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return text
}

// showList prints a list: its columns, the values that are equal in all rows, and the first rows with their numbers.
func (r *Report) showList(b *strings.Builder, of *object, f *tools.Field, before string) {
	s := of.read(f).rows
	before += "." + f.Name
	if len(s.rows) == 0 {
		fmt.Fprintf(b, "%s: no rows\n", before)
		return
	}
	most := shownOther
	if f.Name == "rows" {
		most = shownRows
	}
	shown := s.rows[:min(most, len(s.rows))]
	heads, same, columns := []string{"n"}, []string{}, []string{}
	for _, column := range columnsOf(f) {
		head, value := column, s.rows[0].printedAt(column)
		if at(f, column) == nil { // a list
			head = "len(" + column + ")" // as it is written in an expression
		}
		if other := func(row *object) bool { return row.printedAt(column) != value }; len(s.rows) > 1 && !slices.ContainsFunc(s.rows, other) {
			same = append(same, head+" "+value)
			continue
		}
		heads, columns = append(heads, head), append(columns, column)
	}
	fmt.Fprintf(b, "%s: %d rows", before, s.total)
	if len(shown) < s.total {
		fmt.Fprintf(b, ", the first %d printed", len(shown))
	}
	if s.total > len(s.rows) {
		fmt.Fprintf(b, ", %d kept", len(s.rows))
	}
	if s.more {
		b.WriteString(", cut: there may be more")
	}
	if len(same) > 0 {
		fmt.Fprintf(b, "; the same in all: %s", strings.Join(same, "; "))
	}
	b.WriteString("\n" + strings.Join(heads, "|") + "\n")
	for i, row := range shown {
		fmt.Fprint(b, i+1)
		for _, column := range columns {
			b.WriteString("|" + row.printedAt(column))
		}
		b.WriteString("\n")
	}
	for i := range f.Fields {
		if lines := &f.Fields[i]; lines.List && lines.Kind == tools.KindObject && !isSmall(lines) {
			r.showLines(b, shown, lines, before)
		}
	}
}

// showLines prints the lists inside the rows, at most shownRows rows in total.
func (r *Report) showLines(b *strings.Builder, rows []*object, f *tools.Field, before string) {
	left := shownRows
	for i, row := range rows {
		n := min(len(row.read(f).rows.rows), shownOther)
		if left -= n; left < 0 {
			return
		}
		if n > 0 {
			r.showList(b, row, f, fmt.Sprintf("%s[%d]", before, i+1))
		}
	}
}

// printedAt returns the text of the field at a path.
func (o *object) printedAt(path string) string {
	v := o.inside(path)
	switch {
	case v.Kind == Rows && isSmall(v.field):
		return v.rows.inline("; ", "[]", Value.plain)
	case v.Kind == Rows:
		return fmt.Sprint(len(v.rows.rows))
	}
	return v.plain()
}

// isSmall reports whether rows of a list fit into a cell: they have at most two fields, such as a name and a figure.
func isSmall(f *tools.Field) bool {
	n := 0
	for i := range f.Fields {
		if f.Fields[i].Kind == tools.KindObject {
			return false
		}
		if f.Fields[i].Kind != tools.KindID {
			n++
		}
	}
	return n <= 2
}

// inline returns the rows of a small list in one line, or none if there are no rows.
func (s *selection) inline(between, none string, write func(Value) string) string {
	var rows []string
	for _, row := range s.rows[:min(len(s.rows), shownItems)] {
		var parts []string
		for _, column := range columnsOf(s.field) {
			parts = append(parts, write(row.inside(column)))
		}
		rows = append(rows, strings.Join(parts, " "))
	}
	if len(s.rows) > shownItems {
		rows = append(rows, "…")
	}
	if len(rows) == 0 {
		return none
	}
	return strings.Join(rows, between)
}

// columnsOf returns the paths of a list's printed columns.
func columnsOf(f *tools.Field) (columns []string) {
	for i := range f.Fields {
		column := &f.Fields[i]
		switch {
		case column.Kind == tools.KindID:
		case column.Kind == tools.KindObject && !column.List:
			for _, inside := range columnsOf(column) {
				columns = append(columns, column.Name+"."+inside)
			}
		default:
			columns = append(columns, column.Name)
		}
	}
	return columns
}
