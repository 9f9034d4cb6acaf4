package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// rowFigure is the figure of a note, such as the cost coverage, for a row.
type rowFigure struct {
	row         reference.Origin // the row itself: report, list and number
	percent, of decimal.Decimal  // a percentage of the row's revenue
	isShown     bool             // the answer shows it
}

type rowFigures []rowFigure

// rowsOf returns a note's figure for each row, if all figures of the answer that the note is about are figures of rows.
// It returns none if one of them is of the whole report, or if they are of all rows. Rows whose figure is unknown are left out.
func (r *run) rowsOf(code tools.NoteCode, report *reference.Report) (figures rowFigures) {
	field := code.Row()
	if field == "" {
		return nil
	}
	var about, shown []reference.Origin
	for _, f := range r.shown.figures {
		for _, o := range f.Origins {
			switch {
			case o.Report != report.Name:
			case o.Field == o.List()+"."+field:
				shown = append(shown, r.rowsIn(f, o)...)
			case code.IsAbout(o.Field):
				rows := r.rowsIn(f, o)
				if len(rows) == 0 {
					return nil
				}
				about = append(about, rows...)
			}
		}
	}
	known, of := map[reference.Origin]bool{}, map[string]int{}
	for _, row := range about {
		if known[row] {
			continue
		}
		known[row] = true
		of[row.Field]++
		percent, ok := r.valueIn(row, field)
		revenue, sold := r.valueIn(row, "revenue")
		if ok && sold && revenue.IsPositive() {
			figures = append(figures, rowFigure{row, percent, revenue, slices.Contains(shown, row)})
		}
	}
	for list, n := range of {
		all, err := r.book.Eval(context.Background(), fmt.Sprintf("len(%s.%s)", report.Name, list))
		if err == nil && n > 1 && all.Decimal().Equal(decimal.NewFromInt(int64(n))) {
			return nil
		}
	}
	return figures
}

// rowsIn returns the rows of the list of an origin of which a figure is, each with its report, list and number. There are none if it is
// of a whole report. A row that a filter left out counts if the figure is unknown there.
func (r *run) rowsIn(f answer.Figure, o reference.Origin) (rows []reference.Origin) {
	add := func(of []reference.Origin) {
		for _, row := range of {
			if row.Row > 0 && row.Report == o.Report && row.List() == o.List() {
				rows = append(rows, reference.Origin{Report: o.Report, Field: o.List(), Row: row.Row})
			}
		}
	}
	if o.Row > 0 {
		add([]reference.Origin{o})
		return rows
	}
	v, err := r.book.EvalWithMissed(context.Background(), f.Expression) // it was evaluated before, so it takes little time
	switch {
	case err != nil:
		return nil
	case len(v.Owners) > 0:
		add(v.Owners)
		return rows
	}
	add(f.Origins)
	add(v.Chosen)
	add(slices.DeleteFunc(v.LeftOut, func(row reference.Origin) bool {
		_, known := r.valueIn(row, strings.TrimPrefix(o.Field, o.List()+"."))
		return known
	}))
	return rows
}

func (r *run) valueIn(row reference.Origin, field string) (decimal.Decimal, bool) {
	v, err := r.book.Eval(context.Background(), fmt.Sprintf("%s.%s[%d].%s", row.Report, row.Field, row.Row, field))
	return v.Decimal(), err == nil && v.IsNumber()
}

// note returns the note with the figure of the rows together, and whether the answer requires it. It does not if it
// shows the figure of each row.
func (f rowFigures) note(n tools.Note, book *reference.Book, lang string) (note tools.Note, isRequired bool) {
	part, whole := decimal.Zero, decimal.Zero
	for _, row := range f {
		part, whole = part.Add(row.percent.Mul(row.of)), whole.Add(row.of)
		isRequired = isRequired || !row.isShown
	}
	const places = 2
	n.Values = map[string]string{"coverage": part.DivRound(whole, places).String(), "rows": f.name(book, lang)}
	return n, isRequired
}

// name names the rows in the genitive: the only one by its name, several by what they are.
func (f rowFigures) name(book *reference.Book, lang string) string {
	first := f[0].row
	report, _ := book.Report(first.Report)
	isOther := func(figure rowFigure) bool { return figure.row.Field != first.Field }
	switch items := report.Field(first.Field).Items; {
	case len(f) == 1:
		return reference.Quoted(lang, render.Inline(book.NameOf(first).Named(lang)))
	case slices.ContainsFunc(f, isOther) || items.EN == "":
		return bilingual.Text{RU: "этих строк", EN: "these rows"}.In(lang)
	default:
		return bilingual.Text{RU: "этих " + items.Genitive, EN: "these " + items.EN}.In(lang)
	}
}

// noteOfRow returns a note that the answer requires with the values of a row, and whether the answer still requires it, if all figures
// that the note is about are of that row, such as a supplier's sum.
func (r *run) noteOfRow(n tools.Note, report *reference.Report) (note tools.Note, isRequired bool) {
	row := reference.Origin{}
	for _, f := range r.shown.figures {
		for _, o := range f.Origins {
			if o.Report != report.Name || !n.Code.IsAbout(o.Field) || isInsideRow(report, o.Field) {
				continue
			}
			one := reference.Origin{Report: o.Report, Field: o.List(), Row: o.Row}
			if o.Row == 0 || row.Row > 0 && one != row {
				return n, true
			}
			row = one
		}
	}
	if row.Row == 0 || len(n.Code.RowValues()) == 0 || len(n.Values) == 0 {
		return n, true
	}
	values := map[string]string{}
	for name, field := range n.Code.RowValues() {
		if report.Field(row.Field+"."+field) == nil {
			return n, true
		}
		v, err := r.book.Eval(context.Background(), fmt.Sprintf("%s.%s[%d].%s", row.Report, row.Field, row.Row, field))
		switch {
		case err != nil || !v.IsNumber() || v.Decimal().IsZero(): // unknown, or nothing to say
		case v.Kind == tools.KindMoney:
			values[name] = v.Decimal().StringFixed(2) + " " + v.Currency
		default:
			values[name] = v.Decimal().String()
		}
	}
	n.Values = values
	return n, len(values) > 0
}

// isInsideRow reports whether a field belongs to a list inside the rows of another list.
func isInsideRow(report *reference.Report, path string) bool {
	list, inside, _ := strings.Cut(path, ".")
	if top := report.Field(list); top == nil || !top.List {
		return false
	}
	inner, _, _ := strings.Cut(inside, ".")
	f := report.Field(list + "." + inner)
	return f != nil && f.List && f.Kind == tools.KindObject
}
