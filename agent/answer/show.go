package answer

import (
	"fmt"
	"strings"

	"github.com/kopeck/kopeck/tools"
)

// Bounds of what the model reads of a report: the rest is reached by expressions.
const (
	shownRows  = 20
	shownOther = 10  // of lists that are not the report's rows
	shownText  = 120 // characters of a name
)

// Show is what the model reads of a fresh result: a first line with name, arguments, period, moment and currency; the
// report's own fields; then at most 20 numbered rows of each list and how many there are; a line for each note. Columns that
// are empty or equal in all rows are said once.
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
		b.WriteString("note: " + oneLine(note.Text) + "\n")
	}
	return b.String()
}

// Recall is what the model reads of a report of an earlier turn: the first line and the report's own fields.
func (r *Report) Recall() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s", r.Name, r.Tool)
	if arguments := r.called(); arguments != "" {
		b.WriteString(" " + arguments)
	}
	fmt.Fprintf(&b, ", as of %s Moscow time", r.Result.AsOf.In(moscow).Format("2006-01-02 15:04"))
	if r.Result.Currency != "" {
		b.WriteString(", " + r.Result.Currency)
	}
	b.WriteString("\n")
	if own := r.whole().line(""); own != "" {
		b.WriteString(own + "\n")
	}
	return b.String()
}

func (r *Report) whole() *object { return &object{report: r, field: r.top, value: r.value} }

// line has the fields of an object that are no lists of rows, those of objects inside it with their path.
func (o *object) line(before string) string {
	var parts []string
	for i := range o.field.Fields {
		f := &o.field.Fields[i]
		if f.Kind == tools.KindID || f.List && f.Kind == tools.KindObject || f.Name == "total_rows" || f.Name == "truncated" {
			continue
		}
		v := o.read(f)
		if v.Kind == tools.KindObject {
			parts = append(parts, v.object.line(before+f.Name+"."))
			continue
		}
		if f.Missing != (tools.Label{}) && v.Null {
			continue
		}
		parts = append(parts, before+f.Name+" "+v.plain())
	}
	return strings.Join(parts, "; ")
}

// plain is a value as the model reads it: digits without grouping, days as in arguments.
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
	return oneLine(v.text)
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ReplaceAll(text, "|", "/")), " ")
	if runes := []rune(text); len(runes) > shownText {
		return string(runes[:shownText-1]) + "…"
	}
	return text
}

// showList prints a list: its columns, what is the same in all rows, and the first rows with their numbers.
func (r *Report) showList(b *strings.Builder, of *object, f *tools.Field, path string) {
	s := of.read(f).rows
	path += "." + f.Name
	if len(s.rows) == 0 {
		fmt.Fprintf(b, "%s: no rows\n", path)
		return
	}
	most := shownOther
	if f.Name == "rows" {
		most = shownRows
	}
	shown := s.rows[:min(most, len(s.rows))]
	names, cells := s.columns()
	heads, same := []string{"n"}, []string{}
	keep := make([]bool, len(names))
	for i, name := range names {
		if keep[i] = varies(cells, i); keep[i] {
			heads = append(heads, name)
		} else if len(s.rows) > 1 {
			same = append(same, name+" "+cells[0][i])
		} else {
			keep[i], heads = true, append(heads, name)
		}
	}
	fmt.Fprintf(b, "%s: %d rows", path, s.total)
	if len(shown) < s.total {
		fmt.Fprintf(b, ", the first %d printed", len(shown))
	}
	if s.total > len(s.rows) {
		fmt.Fprintf(b, ", %d kept", len(s.rows))
	}
	if len(same) > 0 {
		fmt.Fprintf(b, "; the same in all: %s", strings.Join(same, "; "))
	}
	b.WriteString("\n" + strings.Join(heads, "|") + "\n")
	for i := range shown {
		fmt.Fprint(b, i+1)
		for j, cell := range cells[i] {
			if keep[j] {
				b.WriteString("|" + cell)
			}
		}
		b.WriteString("\n")
	}
	for i := range f.Fields {
		if lines := &f.Fields[i]; lines.List && lines.Kind == tools.KindObject {
			r.showLines(b, shown, lines, path)
		}
	}
}

// showLines prints the lists inside the rows, where there are any.
func (r *Report) showLines(b *strings.Builder, rows []*object, f *tools.Field, path string) {
	for i, row := range rows {
		if len(row.read(f).rows.rows) > 0 {
			r.showList(b, row, f, fmt.Sprintf("%s[%d]", path, i+1))
		}
	}
}

// columns are the printed columns of a list, objects inside a row with their path, and the cells of all rows.
func (s *selection) columns() (names []string, cells [][]string) {
	for _, row := range s.rows {
		line := []string{}
		row.columns("", len(cells) == 0, &names, &line)
		cells = append(cells, line)
	}
	return names, cells
}

func (o *object) columns(before string, naming bool, names, line *[]string) {
	for i := range o.field.Fields {
		f := &o.field.Fields[i]
		if f.Kind == tools.KindID {
			continue
		}
		v := o.read(f)
		switch {
		case v.Kind == tools.KindObject:
			v.object.columns(before+f.Name+".", naming, names, line)
			continue
		case v.Kind == Rows:
			*line = append(*line, fmt.Sprint(len(v.rows.rows)))
		default:
			*line = append(*line, v.plain())
		}
		if naming {
			*names = append(*names, before+f.Name)
		}
	}
}

func varies(cells [][]string, column int) bool {
	for _, row := range cells[1:] {
		if row[column] != cells[0][column] {
			return true
		}
	}
	return false
}
