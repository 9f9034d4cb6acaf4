package reference

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Explanation explains the value of an expression in the words of reports.
type Explanation struct {
	Report  *Report  // the report that the value rests on; nil if there are several
	Field   bool     // it is a field of the report, written as it is
	Subject string   // whose figure a field is: a row's name, or "total"; empty for a row of amounts in one currency
	Text    string   // what the field is called, or how the value is computed
	Signed  string   // the value of Text if it is a change, which the answer may show without its sign; empty for other values
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
	if v.signed {
		x.is.Signed = v.Write(x.lang)
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

// isCalledBy reports whether a value is the name or code of the row that the object belongs to.
func (o *object) isCalledBy(v Value) bool {
	name, code := o.ownRow().called()
	return IsText(v.Kind) && (v.text == "" || v.word(o.report.lang) == name || v.text == code) || v.Kind == tools.KindMonth
}

// reportsOf returns the reports whose fields the expression has read.
func (e *evaluation) reportsOf() (reports []*Report) {
	for _, o := range e.Origins {
		if r, there := e.book.Report(o.Report); there && !slices.Contains(reports, r) {
			reports = append(reports, r)
		}
	}
	return reports
}

// isField reports whether an expression is only a field, perhaps rounded or in thousands.
func isField(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode:
		return true
	case *ast.CallNode:
		return asItIs[callee(n)] && isField(n.Arguments[0])
	}
	return false
}

// asItIs are the functions that change only how a value is written.
var asItIs = map[string]bool{"round": true, "thousands": true, "millions": true}

// roundings has the words for functions that round a value or write it in another scale.
var roundings = map[string]bilingual.Text{
	"round": {RU: ", округлено", EN: ", rounded"}, "ceil": {RU: ", вверх до целого", EN: ", rounded up"},
	"floor": {RU: ", вниз до целого", EN: ", rounded down"}, "thousands": {RU: ", в тысячах", EN: ", in thousands"},
	"millions": {RU: ", в миллионах", EN: ", in millions"},
}

func callee(n *ast.CallNode) string {
	if name, ok := n.Callee.(*ast.IdentifierNode); ok {
		return name.Value
	}
	return ""
}

// subject says whose figures an object has: the row's name, or "total". If another list of the report has the same
// fields, it adds the label of the row's list.
func (o *object) subject(lang string) string {
	name := o.distinct(lang)
	if list := o.ownRow().field; o.row > 0 && o.report.hasTwin(list) {
		name += " (" + bilingual.Small(list.Label.In(lang)) + ")"
	}
	return name
}

// distinct returns a row's name with what distinguishes it from rows of the same name, or "total".
func (o *object) distinct(lang string) string {
	row := o.ownRow()
	name, _ := row.called()
	switch {
	case row.cells == nil && o.row == 0:
		return ofAll.In(lang)
	case row.cells == nil && name == "":
		return cmp.Or(row.unnamed(lang), ofAll.In(lang))
	}
	if IsCurrency(name) {
		return "" // the amounts show the currency
	}
	owner, apart := "", row.report.apart(row.field)[row.row]
	apart = strings.Trim(apart, "—") // which stands for a value that is missing
	if row.cells == nil {
		owner, apart = row.owner(name), cmp.Or(apart, row.warehouse(name))
	}
	name = Quoted(lang, render.Inline(Origin{RowName: name}.Named(lang)))
	if owner != "" && owner != apart {
		name += " (" + render.Inline(owner) + ")"
	}
	if apart != "" {
		name += " (" + render.Inline(apart) + ")"
	}
	return name
}

var ofAll = bilingual.Text{RU: "всего", EN: "total"}

// unnamed returns what stands for the name of a row that has none, such as "no supplier"; "" for other rows.
func (o *object) unnamed(lang string) string {
	name, _ := o.called()
	for i := range o.field.Fields {
		if f := &o.field.Fields[i]; name == "" && IsText(f.Kind) && f.Kind != tools.KindID && !f.List {
			return Value{field: f, Null: true}.missing(lang)
		}
	}
	return ""
}

// without returns what stands for the name of the row that is about none of the list's items, such as sales without a channel; ""
// if there is no such row.
func (s *selection) without(lang string) string {
	var without []string
	for _, row := range s.rows {
		if rest := row.unnamed(lang); rest != "" {
			without = append(without, rest)
		} else if row.isFixed() {
			without = append(without, row.distinct(lang))
		}
	}
	if len(without) != 1 || len(s.rows) == 1 { // others are items of a fixed set
		return ""
	}
	return Unquoted(without[0])
}

// warehouse returns the warehouse of a row that is about a product, unless the report is limited to one.
func (o *object) warehouse(name string) string {
	f := o.field.Field("warehouse")
	if f == nil || o.report.argument("warehouse") != "" || !o.value.IsValid() {
		return ""
	}
	if warehouse := o.read(f).word(o.report.lang); warehouse != name {
		return warehouse
	}
	return ""
}

// hasTwin reports whether a report has another list with the same fields, such as creditors beside debtors.
func (r *Report) hasTwin(list *tools.Field) bool {
	same := func(a, b tools.Field) bool { return a.Name == b.Name && a.Label == b.Label }
	return slices.ContainsFunc(r.top.Fields, func(other tools.Field) bool {
		return other.List && other.Name != list.Name && len(other.Fields) > 0 && slices.EqualFunc(other.Fields, list.Fields, same)
	})
}

func ordinal(n int) string {
	ending := map[int]string{1: "st", 2: "nd", 3: "rd"}[n%10]
	if ending == "" || n%100/10 == 1 {
		ending = "th"
	}
	return fmt.Sprint(n, ending)
}

// explainer describes the parts of an expression in words. It evaluates parts that refer to a report.
type explainer struct {
	*evaluation
	root    ast.Node
	lang    string
	row     *tools.Field // the list at whose rows the part is evaluated; nil if there is none
	reports []*Report
	is      *Explanation
	told    *Told
	common  *object // the row to which all fields belong, which is named once at the end; nil if they belong to several
}

func (x *explainer) text(ru, en string) string { return bilingual.Text{RU: ru, EN: en}.In(x.lang) }

// label returns the label of a field, and records what an owner must know about the field.
func (x *explainer) label(f *tools.Field) string {
	if about := f.About.In(x.lang); about != "" && !slices.Contains(x.is.About, about) {
		x.is.About = append(x.is.About, about)
	}
	return bilingual.Small(f.Label.In(x.lang))
}

func (x *explainer) node(n ast.Node) string {
	switch n := n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode:
		return x.field(n)
	case *ast.UnaryNode:
		if n.Operator == "-" {
			return "−" + x.operand(n.Node, bindsFactor)
		}
		return x.denial(n.Node)
	case *ast.BinaryNode:
		return x.binary(n)
	case *ast.CallNode:
		return x.call(n)
	}
	return x.constant(n, nil)
}

// field describes a field of a report, or of the rows at which the part is evaluated.
func (x *explainer) field(n ast.Node) string {
	v := x.valueOf(n)
	if v.field == nil {
		return n.String()
	}
	label := x.label(v.field)
	if v.in == nil || x.ofRow(n) != nil {
		return label
	}
	if subject := v.in.subject(x.lang); x.common == nil && !v.isSetting() && !strings.HasSuffix(label, subject) {
		label += " " + subject
	}
	if len(x.reports) > 1 {
		label += " (" + x.reportName(v.in.report) + ")"
	}
	return label
}

// ofRow returns the field of the rows at which a part is evaluated; nil if the part is not such a field.
func (x *explainer) ofRow(n ast.Node) *tools.Field {
	var names []string
	for x.row != nil {
		switch node := n.(type) {
		case *ast.MemberNode:
			if name, ok := node.Property.(*ast.StringNode); ok {
				n, names = node.Node, append([]string{name.Value}, names...)
				continue
			}
		case *ast.IdentifierNode:
			return at(x.row, strings.Join(append([]string{node.Value}, names...), "."))
		case *ast.PointerNode:
			return at(x.row, strings.Join(names, "."))
		}
		return nil
	}
	return nil
}

// reportName distinguishes a report from the others: by its name if all of them come from other tools, by its period and limits if they
// come from the same, or by both. Settings that all have are told once.
func (x *explainer) reportName(r *Report) string {
	label, settings, same, common := bilingual.Small(tools.ToolLabel(r.Tool).In(x.lang)), r.settings(x.lang), 0, true
	for _, other := range x.reports {
		if other.Tool == r.Tool {
			same++
			common = common && other.settings(x.lang) == settings
		}
	}
	if same == 1 {
		return label
	}
	if common {
		settings = x.told.once(settings)
	}
	scope := r.when(x.lang) + settings + r.part(x.lang)
	if same < len(x.reports) {
		return label + scope
	}
	return strings.TrimLeft(scope, " ")
}

// operand describes a part of a larger expression: by its value if the answer shows that. The part is in parentheses if
// its operator binds less than binds, or if it is a function of rows.
func (x *explainer) operand(n ast.Node, binds int) string {
	if value := x.told.values[n.String()]; value != "" && x.row == nil {
		if v := x.valueOf(n); v.signed {
			return v.Write(x.lang)
		}
		return value
	}
	text := x.node(n)
	switch n := n.(type) {
	case *ast.BinaryNode:
		if cmp.Or(binding[n.Operator], bindsComparison) < binds {
			return "(" + text + x.places(n) + ")"
		}
	case *ast.CallNode:
		switch callee(n) {
		case "money", "percent":
			return text
		case "count":
			if isNumeral(n.Arguments[0]) {
				return text
			}
		}
		return "(" + text + x.places(n) + ")"
	}
	return text
}

// places says where the figures of a sum stand: " (largest, 2nd, 4th largest of 6)". It says so of some rows' figures in one field, and
// unless it was told of each.
func (x *explainer) places(n ast.Node) string {
	var places []string
	path, all, told := "", 1, true
	for _, part := range addends(n) {
		v := x.valueOf(part)
		if !isField(part) || v.in == nil || path != "" && path != v.in.report.Name+"."+v.field.Path {
			return ""
		}
		ranked, which := x.ranking(v, part)
		place := ranked.place(v.in, which, x.lang)
		if place == "" {
			return ""
		}
		if last := len(places) - 1; last >= 0 {
			places[last] = withoutEnd(places[last], place)
		}
		path, all, told = v.in.report.Name+"."+v.field.Path, len(ranked.sorted), told && x.told.values[part.String()] != ""
		places = append(places, place)
	}
	if len(places) < 2 || len(places) == all || told {
		return ""
	}
	return " (" + strings.Join(places, ", ") + ")"
}

// addends returns what a sum adds up; one part for other expressions.
func addends(n ast.Node) []ast.Node {
	switch of := n.(type) {
	case *ast.BinaryNode:
		if of.Operator == "+" {
			return append(addends(of.Left), addends(of.Right)...)
		}
	case *ast.CallNode:
		if callee(of) == "sum" || callee(of) == "avg" {
			return of.Arguments
		}
	}
	return []ast.Node{n}
}

// withoutEnd removes the words at the end of a text that the next one repeats, but not the first word.
func withoutEnd(text, next string) string {
	words, others := strings.Fields(text), strings.Fields(next)
	for len(words) > 1 && len(others) > 0 && words[len(words)-1] == others[len(others)-1] {
		words, others = words[:len(words)-1], others[:len(others)-1]
	}
	return strings.Join(words, " ")
}

// binding has the precedence of operators. Operators with a higher number are evaluated first.
var binding = map[string]int{"or": 1, "and": 2, "+": 4, "-": 4, "*": 5, "/": 5}

const (
	bindsComparison = 3 // the operators that are not in binding
	bindsDifference = 5 // the right side of a minus
	bindsFactor     = 5
	bindsDivisor    = 6
)

// signs are the operators of arithmetic as people write them.
var signs = map[string]string{"+": "+", "-": "−", "*": "×", "/": "÷"}

func (x *explainer) binary(n *ast.BinaryNode) string {
	switch n.Operator {
	case "and", "or":
		return x.joined(n)
	case "+", "-", "*", "/":
		binds := binding[n.Operator]
		behind := binds
		if n.Operator == "-" || n.Operator == "/" {
			behind++
		}
		var a, b Value
		if isNumeral(n.Left) || isNumeral(n.Right) {
			a, b = x.valueOf(n.Left), x.valueOf(n.Right)
			if binds == binding["+"] {
				a.likeOther(&b)
				b.likeOther(&a)
			}
			x.price(n.Operator, &a, &b)
		}
		return x.term(n.Left, binds, a) + " " + signs[n.Operator] + " " + x.term(n.Right, behind, b)
	}
	return x.comparison(n)
}

// term describes a side of an operation. If one of the sides is a number, v is the value of this one: numbers are written in the kind
// in which they count, such as 100 % in 100 - margin, and fields whose unit they take away with their value: "остаток (28 шт.) ÷ 7".
func (x *explainer) term(n ast.Node, binds int, v Value) string {
	if isNumeral(n) {
		return v.Write(x.lang)
	}
	text := x.operand(n, binds)
	if isField(n) && v.number != nil && UnitOf(v.Kind) != "" && !KeepsUnit(v.Kind) && x.told.values[n.String()] == "" {
		text += " (" + v.Write(x.lang) + ")"
	}
	return text
}

// valueOf returns the value of a part. At the rows of a list, it has only a field and its kind.
func (x *explainer) valueOf(n ast.Node) Value {
	if f := x.ofRow(n); f != nil {
		return Value{Kind: f.Kind, field: f}
	}
	v, _ := x.evaluation.node(n)
	return v
}

// likeOther gives a number the kind of the value that it is added to or subtracted from.
func (v *Value) likeOther(other *Value) {
	if !v.isWritten() || UnitOf(other.Kind) == "" {
		return
	}
	if other.Kind == tools.KindPercent && v.number.Cmp(one) == 0 {
		v.number = hundred
	}
	v.Kind, v.Currency = other.Kind, other.Currency
}

func (x *explainer) call(n *ast.CallNode) string {
	switch callee(n) {
	case "share":
		text := x.operand(n.Arguments[0], bindsFactor) + " ÷ " + x.operand(n.Arguments[1], bindsDivisor)
		if x.valueOf(n.Arguments[1]).Kind == tools.KindUnits {
			text += x.text(" (в штуках)", " (in pieces)")
		}
		return text
	case "change":
		return x.change(n, x.text("изменение", "change"))
	case "convert":
		sign := " × "
		if x.valueOf(n.Arguments[0]).Currency == x.ownCurrency() {
			sign = " ÷ "
		}
		return x.operand(n.Arguments[0], bindsFactor) + sign + x.operand(n.Arguments[1], bindsDivisor) + x.text(" (курс)", " (rate)")
	case "abs":
		return x.magnitude(n.Arguments[0])
	case "round", "ceil", "floor", "thousands", "millions":
		return x.operand(n.Arguments[0], 0) + roundings[callee(n)].In(x.lang)
	case "money", "percent":
		return x.constant(n, nil)
	case "len", "count":
		return x.count(n)
	case "sum", "avg", "min", "max":
		return x.aggregate(n)
	case "table":
		return x.table(n)
	}
	return x.rows(n).in(nominative)
}

// change describes a change: "name: old → new". That of a percentage is not in points.
func (x *explainer) change(n *ast.CallNode, name string) string {
	if x.valueOf(n.Arguments[0]).Kind == tools.KindPercent {
		name = x.text("относительное ", "relative ") + name
	}
	return name + ": " + x.operand(n.Arguments[0], 0) + " → " + x.operand(n.Arguments[1], 0)
}

// magnitude describes the absolute value of n. If n is a difference below 0, the sides are exchanged.
func (x *explainer) magnitude(n ast.Node) string {
	v := x.valueOf(n)
	switch {
	case v.number == nil: // it differs from row to row
		return x.node(n) + x.text(", без знака", ", without its sign")
	case v.number.Sign() >= 0:
		return x.node(n)
	}
	switch of := n.(type) {
	case *ast.BinaryNode:
		if of.Operator == "-" {
			return x.operand(of.Right, binding["-"]) + " − " + x.operand(of.Left, bindsDifference)
		}
	case *ast.UnaryNode:
		return x.node(of.Node)
	case *ast.CallNode:
		if callee(of) == "change" && v.later > 0 {
			return x.change(of, x.text("снижение", "decrease"))
		}
		if root, ok := x.root.(*ast.CallNode); ok && callee(of) == "change" && root.Arguments[0] == n {
			x.is.Signed = v.Write(x.lang) // the old value is the later figure, so "decrease" would be wrong
			return x.node(of)
		}
	}
	return "−" + x.operand(n, bindsFactor)
}

// key describes the argument that a function evaluates at each row: a field's name in quotes, or an expression.
func (x *explainer) key(n ast.Node, list *tools.Field) string {
	inside := *x
	inside.row = list
	if text, ok := n.(*ast.StringNode); ok {
		of, err := parse(strings.TrimPrefix(strings.TrimSpace(text.Value), "."))
		if err != nil {
			return text.Value
		}
		n = of
	}
	return inside.node(n)
}
