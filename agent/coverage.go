package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/agent/answer"
	"github.com/kopeck/kopeck/agent/answer/reference"
	"github.com/kopeck/kopeck/tools"
)

// rowFigure is the figure of a note, such as the cost coverage, for a row.
type rowFigure struct {
	percent, of decimal.Decimal // a percentage of the row's revenue
	isShown     bool            // the answer shows it
}

type rowFigures []rowFigure

// rowsOf returns a note's figure for each row, if all figures of the answer that the note is about are figures of rows.
// It returns none if one of them is of the whole report. Rows whose figure is unknown are left out.
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
				rows, _ := r.rowsIn(f, o)
				shown = append(shown, rows...)
			case code.IsAbout(o.Field):
				rows, ok := r.rowsIn(f, o)
				if !ok {
					return nil
				}
				about = append(about, rows...)
			}
		}
	}
	known := map[reference.Origin]bool{}
	for _, row := range about {
		if known[row] {
			continue
		}
		known[row] = true
		percent, ok := r.valueIn(row, field)
		of, sold := r.valueIn(row, "revenue")
		if ok && sold && of.IsPositive() {
			figures = append(figures, rowFigure{percent, of, slices.Contains(shown, row)})
		}
	}
	return figures
}

// rowsIn returns the rows of which a figure is, each with its report, list and number. ok is false if it is of a whole report.
func (r *run) rowsIn(f answer.Figure, o reference.Origin) (rows []reference.Origin, ok bool) {
	if o.Row > 0 {
		return []reference.Origin{{Report: o.Report, Field: o.List(), Row: o.Row}}, true
	}
	v, err := r.book.EvalWithMissed(context.Background(), f.Expression) // it was evaluated before, so it takes little time
	if err != nil {
		return nil, false
	}
	if len(v.Owners) > 0 {
		v.Chosen = v.Owners
	}
	for _, row := range v.Chosen {
		if row.Report == o.Report && row.List() == o.List() {
			rows = append(rows, reference.Origin{Report: o.Report, Field: o.List(), Row: row.Row})
		}
	}
	return rows, len(rows) > 0
}

func (r *run) valueIn(row reference.Origin, field string) (decimal.Decimal, bool) {
	v, err := r.book.Eval(context.Background(), fmt.Sprintf("%s.%s[%d].%s", row.Report, row.Field, row.Row, field))
	return v.Decimal(), err == nil && v.IsNumber()
}

// note returns the note with the figure of the rows together, and whether the answer requires it. It does not if it
// shows the figure of each row.
func (f rowFigures) note(n tools.Note) (note tools.Note, isRequired bool) {
	part, whole := decimal.Zero, decimal.Zero
	for _, row := range f {
		part, whole = part.Add(row.percent.Mul(row.of)), whole.Add(row.of)
		isRequired = isRequired || !row.isShown
	}
	const places = 2
	n.Values = map[string]string{"coverage": part.DivRound(whole, places).String()}
	return n, isRequired
}
