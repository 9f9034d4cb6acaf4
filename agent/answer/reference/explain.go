package reference

import (
	"context"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/tools"
)

// Explanation explains the value of an expression in the words of reports.
type Explanation struct {
	Report  *Report  // the report that the value rests on; nil if there are several
	Field   bool     // it is a field of the report, written as it is
	Subject string   // whose figure a field is: a row's name, or "total"; empty for a row of amounts in one currency
	Text    string   // what the field is called, or how the value is computed
	Signed  string   // the value of Text with its sign if it is a change, which the answer may show without; empty for other values
	Setting bool     // it is a name, or says how the report was made, such as its window of days; it is not a figure of the books
	Place   string   // rank of a row's figure in its list: "3rd largest of 108"; empty if it has none
	About   []string // what an owner must know about the fields
}

// Told is what a reader knows from the answer and from the explanations before.
type Told struct {
	values map[string]string  // figures of the answer by their expression
	texts  map[string]bool    // lists of rows' names, and settings
	rows   map[*Report]string // the rows described last, by the report of the explanation; nil for several reports
}

// NewTold returns what an answer tells without figures.
func NewTold() *Told { return &Told{map[string]string{}, map[string]bool{}, map[*Report]string{}} }

// Figure adds a figure of the answer as it is written, unless that is a rounded quotient, with which nobody could compute.
func (t *Told) Figure(expression string, kind Kind, written string) {
	precise := slices.Contains([]Kind{tools.KindMoney, tools.KindCount, tools.KindPercent, tools.KindUnits}, kind)
	if root, err := parse(expression); err == nil && (precise || isField(root)) {
		t.values[root.String()] = written
	}
}

// once returns a text, or "" if it was told before.
func (t *Told) once(text string) string {
	if t.texts[text] {
		return ""
	}
	t.texts[text] = true
	return text
}

// Explain explains the value of an expression. For a table it explains how the rows were chosen and how the computed
// columns are computed. A part of the expression that the answer shows by itself is written as its value. Text is empty for the
// name of a row. The errors are those of [Book.Eval].
func (b *Book) Explain(ctx context.Context, expression string, told *Told) (Explanation, error) {
	e := &evaluation{ctx: ctx, book: b, kept: map[*ast.CallNode]Value{}}
	root, err := parse(expression)
	if err != nil {
		return Explanation{}, err
	}
	v, err := e.node(root)
	if err != nil {
		return Explanation{}, err
	}
	is := Explanation{}
	x := &explainer{evaluation: e, root: root, lang: b.lang, reports: e.reportsOf(), told: told, is: &is}
	if len(x.reports) == 1 {
		is.Report = x.reports[0]
	}
	switch {
	case isField(root) && v.in != nil && v.in.isCalledBy(v): // a name
	case isField(root) && v.in != nil:
		x.explainField(v)
	default:
		x.explainComputed(v)
	}
	return is, nil
}

func (x *explainer) explainField(v Value) {
	x.is.Field, x.is.Setting = true, v.isSetting()
	if x.is.Text = x.label(v.field); !strings.HasSuffix(x.is.Text, v.in.subject(x.lang)) {
		x.is.Subject = v.in.subject(x.lang)
	}
	ranked, which := x.ranking(v, x.root)
	x.is.Place = ranked.place(v.in, which, x.lang)
}

// isSetting reports whether a value is a time or a setting of its whole report, and so of no row and no total.
func (v Value) isSetting() bool {
	return v.in.field == v.in.report.top && (isSetting[v.Kind] || IsTime(v.Kind))
}

// ranking ranks the value of a field over its list. If the expression found the row among some rows of the list, such as those of one
// warehouse, it ranks these, and which says so.
func (x *explainer) ranking(v Value, n ast.Node) (ranked *ranking, which string) {
	ranked = v.in.ranking(v.field)
	if c := x.foundAmong(n); c != nil && c.rows != nil {
		if some := c.rows.ranking(v.field); len(some.sorted) > 1 && len(some.sorted) < len(ranked.sorted) {
			return some, c.which()
		}
	}
	return ranked, ""
}

// foundAmong returns the rows that a condition has left, from which an expression then takes one; nil if there are none.
func (x *explainer) foundAmong(n ast.Node) *chosen {
	switch n := n.(type) {
	case *ast.MemberNode:
		return x.foundAmong(n.Node)
	case *ast.CallNode:
		switch name := callee(n); {
		case name == "filter":
			return x.rows(n)
		case asItIs[name], name == "top", name == "bottom", name == "first":
			return x.foundAmong(n.Arguments[0])
		}
	}
	return nil
}

// explainComputed explains how a value is computed. If all its figures belong to one row, the row is named once, at
// the end.
func (x *explainer) explainComputed(v Value) {
	isOther := func(o Origin) bool { return o.Row == 0 || o.RowName != x.Origins[0].RowName }
	if len(x.Origins) > 1 && !slices.ContainsFunc(x.Origins, isOther) {
		x.common = x.book.row(x.Origins[0])
	}
	root := signed(x.root)
	if v = x.valueOf(root); v.change {
		v.signed = true
		x.root, x.is.Signed = root, v.Write(x.lang)
	}
	x.is.Text = x.node(x.root) + x.places(x.root)
	if x.common != nil {
		if subject := x.common.subject(x.lang); subject != "" {
			x.is.Text += ", " + subject
		}
	}
	x.is.Text += x.invented()
}

// invented says which numbers of the expression come neither from the user nor from a report.
func (x *explainer) invented() string {
	var own []string
	for _, number := range x.Own {
		if x.book.numbers != nil && x.book.numbers.Invented(number) {
			own = append(own, numeric(Bare, "", number.Rat()).Write(x.lang))
		}
	}
	if len(own) == 0 {
		return ""
	}
	return " (" + x.text("число ассистента: ", "the assistant's own number: ") + strings.Join(own, "; ") + ")"
}
