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

// Explanation says in the words of reports what the value of an expression is.
type Explanation struct {
	Report  *Report // that it rests on; nil if there are several
	Field   bool    // it is a field of the report, written as it is
	Subject string  // whose figure a field is: a row's name, or "total"; empty of a row of amounts in one currency
	Text    string  // what the field is called, or how the value is computed
	Setting bool    // it says how the report was made, such as its window of days
	Place   string  // of a row's figure among those of its list: "3rd of 108"; empty if it has none
}

// Explain says what the value of an expression is. Of a table it says by what its rows were chosen and how its own columns are
// computed; the text is empty if there is nothing to say. The error is that of [Book.Eval].
func (b *Book) Explain(ctx context.Context, expression string) (Explanation, error) {
	e := &evaluation{ctx: ctx, book: b, kept: map[*ast.CallNode]Value{}}
	s, err := e.parse(expression)
	if err != nil {
		return Explanation{}, err
	}
	v, err := e.node(s, s.root)
	if err != nil {
		return Explanation{}, err
	}
	x := &explainer{evaluation: e, source: s, lang: b.lang, reports: e.reportsOf()}
	var is Explanation
	if len(x.reports) == 1 {
		is.Report = x.reports[0]
	}
	if isField(s.root) && v.in != nil && v.in.cells == nil {
		is.Field, is.Setting = true, v.in.field == v.in.report.top && (isSetting[v.Kind] || IsTime(v.Kind)) || v.in.isCalledBy(v)
		is.Subject, is.Text, is.Place = v.in.subject(b.lang), bilingual.Small(v.field.Label.In(b.lang)), v.in.place(v.field, b.lang)
		return is, nil
	}
	is.Text = x.node(s.root)
	return is, nil
}

// isCalledBy reports whether a value is a name or code of its object itself.
func (o *object) isCalledBy(v Value) bool {
	row := o
	if o.named != nil {
		row = o.named
	}
	name, code := row.called()
	return IsText(v.Kind) && (v.text == "" || v.word(o.report.lang) == name || v.text == code) || v.Kind == tools.KindMonth
}

// reportsOf are those whose fields the expression has read.
func (e *evaluation) reportsOf() (reports []*Report) {
	for _, o := range e.origins {
		if r, there := e.book.Report(o.Report); there && !slices.Contains(reports, r) {
			reports = append(reports, r)
		}
	}
	return reports
}

// isField reports whether an expression is a field as it stands in a report, written rounded or in thousands at most.
func isField(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.IdentifierNode, *ast.MemberNode, *ast.ChainNode:
		return true
	case *ast.CallNode:
		return asItIs[callee(n)] && isField(n.Arguments[0])
	}
	return false
}

// asItIs are the functions that change only how a value is written.
var asItIs = map[string]bool{"round": true, "thousands": true, "millions": true}

func callee(n *ast.CallNode) string {
	if name, ok := n.Callee.(*ast.IdentifierNode); ok {
		return name.Value
	}
	return ""
}

// subject is whose figures an object has: a row's name, with what tells it from others of that name, or that they are of all rows.
func (o *object) subject(lang string) string {
	row := o
	if o.named != nil {
		row = o.named
	}
	name, _ := row.called()
	if row.cells == nil && (o.row == 0 || name == "") {
		return bilingual.Text{RU: "всего", EN: "total"}.In(lang)
	}
	if IsCurrency(name) {
		return "" // its amounts have it beside them
	}
	owner, apart := "", row.report.apart(row.field)[row.row]
	if row.cells == nil {
		owner = row.owner(name)
	}
	name = Quoted(lang, render.Inline(Origin{RowName: name}.Named(lang)))
	if owner != "" && owner != apart {
		name += " (" + render.Inline(owner) + ")"
	}
	if apart != "" {
		name += " (" + render.Inline(apart) + ")"
	}
	if row.report.hasTwin(row.field) {
		name += " (" + bilingual.Small(row.field.Label.In(lang)) + ")"
	}
	return name
}

// hasTwin reports whether a report has another list with the same fields, such as creditors beside debtors.
func (r *Report) hasTwin(list *tools.Field) bool {
	same := func(a, b tools.Field) bool { return a.Name == b.Name && a.Label == b.Label }
	return slices.ContainsFunc(r.top.Fields, func(other tools.Field) bool {
		return other.List && other.Name != list.Name && len(other.Fields) > 0 && slices.EqualFunc(other.Fields, list.Fields, same)
	})
}

// place says where a row's figure stands among those of its list, the greatest first; empty where all are equal, and where rows are
// months or currencies, which have no ranks. A list that has only its first rows says so.
func (o *object) place(f *tools.Field, lang string) string {
	origin := o.origin(f)
	if _, month := origin.Month(); month || IsCurrency(origin.RowName) || o.row == 0 || !IsNumber(f.Kind) {
		return ""
	}
	above, below, of := o.report.rank(origin)
	first, last := above+1, of-below
	var place bilingual.Text
	switch {
	case above == 0 && below == 0:
		return ""
	case above == 0 && last == 1:
		place = bilingual.Text{RU: "наибольшее из", EN: "largest of"}
	case below == 0 && last == first:
		place = bilingual.Text{RU: "наименьшее из", EN: "smallest of"}
	case first == last:
		place = bilingual.Text{RU: fmt.Sprintf("%d-е по величине из", first), EN: ordinal(first) + " largest of"}
	default: // several are equal
		place = bilingual.Text{
			RU: fmt.Sprintf("%d–%d-е по величине из", first, last), EN: fmt.Sprintf("%d–%s largest of", first, ordinal(last)),
		}
	}
	among := bilingual.Text{RU: " ", EN: " "}
	if list := o.report.top.Field(origin.List()); list.MaxItems > 0 && of >= list.MaxItems {
		among = bilingual.Text{RU: " первых ", EN: " the first "}
	}
	return place.In(lang) + among.In(lang) + fmt.Sprint(of)
}

func ordinal(n int) string {
	ending := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		ending = "st"
	case n%10 == 2:
		ending = "nd"
	case n%10 == 3:
		ending = "rd"
	}
	return fmt.Sprint(n, ending)
}

// explainer writes an expression's parts in words. It evaluates the ones that refer to a report.
type explainer struct {
	*evaluation
	source  *source
	lang    string
	row     *tools.Field // the list at whose rows the part stands; nil: at none
	reports []*Report
}

func (x *explainer) text(t bilingual.Text) string { return t.In(x.lang) }

func (x *explainer) node(n ast.Node) string {
	switch n := n.(type) {
	case *ast.ChainNode:
		return x.node(n.Node)
	case *ast.IdentifierNode, *ast.MemberNode:
		return x.field(n)
	case *ast.UnaryNode:
		if n.Operator == "-" {
			return "−" + x.operand(n.Node, bindsFactor)
		}
		return x.text(bilingual.Text{RU: "не ", EN: "not "}) + x.operand(n.Node, bindsComparison)
	case *ast.BinaryNode:
		return x.binary(n)
	case *ast.CallNode:
		return x.call(n)
	}
	return x.constant(n, nil)
}

// field names a field of a report or of the rows at which the part stands.
func (x *explainer) field(n ast.Node) string {
	if f := x.ofRow(n); f != nil {
		return bilingual.Small(f.Label.In(x.lang))
	}
	v, err := x.evaluation.node(x.source, n)
	if err != nil || v.field == nil {
		return x.source.written(n)
	}
	label := bilingual.Small(v.field.Label.In(x.lang))
	if m, ok := n.(*ast.MemberNode); ok {
		if of, err := x.evaluation.node(x.source, m.Node); err == nil && of.object != nil {
			label = strings.TrimSpace(label + " " + of.object.subject(x.lang))
			if len(x.reports) > 1 {
				label += " (" + of.object.report.among(x.reports, x.lang) + ")"
			}
		}
	}
	return label
}

// ofRow is the field of the rows at which a part stands; nil if the part is none of their fields.
func (x *explainer) ofRow(n ast.Node) *tools.Field {
	var names []string
	for x.row != nil {
		switch node := n.(type) {
		case *ast.ChainNode:
			n = node.Node
			continue
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

// among is what tells a report from others: its period and what it was narrowed to, and its name where another tool's is among them.
func (r *Report) among(reports []*Report, lang string) string {
	scope := strings.TrimLeft(r.Scope(lang), " ")
	if slices.ContainsFunc(reports, func(other *Report) bool { return other.Tool != r.Tool }) {
		return bilingual.Small(tools.ToolLabel(r.Tool).In(lang)) + " " + scope
	}
	return scope
}

// operand is a part of something larger, in parentheses if it binds less than the operator beside it or is a function of rows.
func (x *explainer) operand(n ast.Node, binds int) string {
	text := x.node(n)
	switch n := n.(type) {
	case *ast.BinaryNode:
		if cmp.Or(binding[n.Operator], bindsComparison) < binds {
			return "(" + text + ")"
		}
	case *ast.CallNode:
		if name := callee(n); name == "abs" || asItIs[name] {
			return x.operand(n.Arguments[0], binds)
		}
		return "(" + text + ")"
	}
	return text
}

// binding says which operators take their operands first: the higher ones do.
var binding = map[string]int{"or": 1, "||": 1, "and": 2, "&&": 2, "+": 4, "-": 4, "*": 5, "/": 5}

const (
	bindsComparison = 3 // as the operators that binding does not have
	bindsDifference = 5 // behind a minus
	bindsFactor     = 5
	bindsDivisor    = 6
)

// signs are the operators as people write them.
var signs = map[string]bilingual.Text{
	"+": {RU: "+", EN: "+"}, "-": {RU: "−", EN: "−"}, "*": {RU: "×", EN: "×"}, "/": {RU: "÷", EN: "÷"},
	"and": {RU: "и", EN: "and"}, "&&": {RU: "и", EN: "and"}, "or": {RU: "или", EN: "or"}, "||": {RU: "или", EN: "or"},
	"==": {RU: "=", EN: "="}, "!=": {RU: "≠", EN: "≠"}, "<": {RU: "<", EN: "<"}, "<=": {RU: "≤", EN: "≤"}, ">": {RU: ">", EN: ">"},
	">=": {RU: "≥", EN: "≥"}, "in": {RU: "=", EN: "="}, "contains": {RU: "содержит", EN: "contains"},
	"startsWith": {RU: "начинается с", EN: "begins with"}, "endsWith": {RU: "кончается на", EN: "ends with"},
}

func (x *explainer) binary(n *ast.BinaryNode) string {
	sign := signs[n.Operator].In(x.lang)
	if binds, known := binding[n.Operator]; known {
		behind := binds
		if n.Operator == "-" || n.Operator == "/" {
			behind++
		}
		return x.operand(n.Left, binds) + " " + sign + " " + x.operand(n.Right, behind)
	}
	left, right := x.ofRow(n.Left), x.ofRow(n.Right)
	return x.side(n.Left, right) + " " + sign + " " + x.side(n.Right, left)
}

// side is one side of a comparison with a field.
func (x *explainer) side(n ast.Node, with *tools.Field) string {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BoolNode, *ast.ArrayNode:
		return x.constant(n, with)
	}
	if x.isNull(n) {
		return x.constant(n, with)
	}
	return x.node(n)
}

// isNull reports whether a part is what stands for an unknown value.
func (x *explainer) isNull(n ast.Node) bool {
	name, ok := n.(*ast.IdentifierNode)
	_, null := n.(*ast.NilNode)
	return null || ok && name.Value == "null"
}

// constant writes a number, a text or a list of the expression's own as a value of the field that it is compared with.
func (x *explainer) constant(n ast.Node, f *tools.Field) string {
	if x.isNull(n) {
		return x.text(bilingual.Text{RU: "нет данных", EN: "unknown"})
	}
	if list, ok := n.(*ast.ArrayNode); ok {
		var items []string
		for _, item := range list.Nodes {
			items = append(items, x.constant(item, f))
		}
		return strings.Join(items, ", ")
	}
	v, err := x.evaluation.node(x.source, n)
	if err != nil {
		return x.source.written(n)
	}
	if f != nil && v.IsNumber() {
		v.Kind = f.Kind
		if f.Kind == tools.KindMoney && f.Currency == "" && len(x.reports) > 0 {
			v.Currency = x.reports[0].Result.Currency
		}
	}
	v.field = f
	if v.isWord() {
		return bilingual.Small(v.word(x.lang))
	}
	return v.Write(x.lang)
}

// aggregates are the functions of rows in words.
var aggregates = map[string]bilingual.Text{
	"sum": {RU: "итого: ", EN: "total of "}, "avg": {RU: "среднее: ", EN: "average of "}, "min": {RU: "минимум: ", EN: "minimum of "},
	"max": {RU: "максимум: ", EN: "maximum of "}, "count": {RU: "число строк", EN: "number of rows"},
	"len": {RU: "число строк", EN: "number of rows"},
}

func (x *explainer) call(n *ast.CallNode) string {
	name := callee(n)
	switch name {
	case "share":
		return x.operand(n.Arguments[0], bindsFactor) + " ÷ " + x.operand(n.Arguments[1], bindsDivisor)
	case "change":
		return x.change(bilingual.Text{RU: "изменение: ", EN: "change: "}, n)
	case "abs":
		return x.magnitude(n.Arguments[0])
	case "round", "thousands", "millions":
		return x.node(n.Arguments[0])
	case "len":
		return x.text(aggregates[name]) + x.rows(n.Arguments[0])
	case "count":
		return x.text(aggregates[name]) + x.where(x.rows(n.Arguments[0]), n)
	case "sum", "avg", "min", "max":
		return x.aggregate(n)
	case "table":
		return x.table(n)
	}
	return x.rows(n)
}

// change says from what to what a percentage is the change.
func (x *explainer) change(name bilingual.Text, n *ast.CallNode) string {
	return x.text(name) + x.operand(n.Arguments[0], 0) + " → " + x.operand(n.Arguments[1], 0)
}

// magnitude is a value without its sign: of a difference below 0, what is taken away comes first.
func (x *explainer) magnitude(n ast.Node) string {
	v, err := x.evaluation.node(x.source, n)
	if err != nil || v.number == nil || v.number.Sign() >= 0 {
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
			return x.change(bilingual.Text{RU: "снижение: ", EN: "decrease: "}, of)
		}
		if callee(of) == "change" { // back in time
			return x.node(of)
		}
	}
	return "−" + x.operand(n, bindsFactor)
}

// aggregate says what is added up, or of what the least, the greatest or the average is taken, over which rows.
func (x *explainer) aggregate(n *ast.CallNode) string {
	name := callee(n)
	list, err := x.selectionOf(n.Arguments[0])
	if err != nil { // single values
		var parts []string
		for _, argument := range n.Arguments {
			parts = append(parts, x.operand(argument, binding["+"]))
		}
		if name == "sum" {
			return strings.Join(parts, " + ")
		}
		return x.text(aggregates[name]) + strings.Join(parts, ", ")
	}
	text := x.text(aggregates[name]) + x.key(n.Arguments[1], list.field) + x.over(n)
	if v, err := x.evaluation.node(x.source, n); err == nil && len(v.Owners) > 0 && len(v.Owners) <= mostExplained {
		text += " — " + names(v.Owners, x.lang)
	}
	return text
}

// key is what a function takes of each row: a field's name in quotes, or an expression.
func (x *explainer) key(n ast.Node, list *tools.Field) string {
	inside := *x
	inside.row = list
	if text, ok := n.(*ast.StringNode); ok {
		s, err := x.parse(strings.TrimPrefix(strings.TrimSpace(text.Value), "."))
		if err != nil {
			return text.Value
		}
		inside.source, n = s, s.root
	}
	return inside.node(n)
}

// mostExplained is how many rows are named.
const mostExplained = 3

func names(rows []Origin, lang string) string {
	var all []string
	for _, o := range rows {
		all = append(all, Quoted(lang, render.Inline(o.Named(lang))))
	}
	return strings.Join(all, ", ")
}

func (x *explainer) selectionOf(n ast.Node) (*selection, error) {
	return (&call{evaluation: x.evaluation, source: x.source, name: "len", args: []ast.Node{n}}).rowsArg()
}

// over says which rows of a list a function is of: all, or how they were chosen.
func (x *explainer) over(n *ast.CallNode) string {
	rows := x.rows(n.Arguments[0])
	s, err := x.selectionOf(n.Arguments[0])
	switch {
	case err != nil:
		return rows
	case !s.chosen && rows == "":
		if known := x.known(n, s); known < s.total {
			some := bilingual.Text{RU: ", %d из %d строк, остальные неизвестны", EN: ", %d of %d rows, the others unknown"}
			return fmt.Sprintf(x.text(some), known, s.total)
		}
		return fmt.Sprintf(x.text(bilingual.Text{RU: ", все строки (%d)", EN: ", all %d rows"}), s.total)
	case s.chosen && len(s.rows) <= mostExplained && s.rows[0].cells == nil:
		var names []string
		for _, row := range s.rows {
			names = append(names, row.subject(x.lang))
		}
		return rows + ": " + strings.Join(names, ", ")
	}
	return rows
}

// known is of how many rows a function knows its value.
func (x *explainer) known(n *ast.CallNode, s *selection) (known int) {
	values, err := (&call{evaluation: x.evaluation, source: x.source, name: callee(n), args: n.Arguments}).values(s, 1)
	if err != nil {
		return s.total
	}
	for _, v := range values {
		if !v.Null {
			known++
		}
	}
	return known
}

// where adds the condition of a filter or a count to how its rows were chosen before.
func (x *explainer) where(rows string, n *ast.CallNode) string {
	s, err := x.selectionOf(n.Arguments[0])
	if err != nil || len(n.Arguments) < 2 {
		return rows
	}
	between := bilingual.Text{RU: ", где ", EN: " where "}
	if strings.Contains(rows, between.In(x.lang)) {
		between = bilingual.Text{RU: " и ", EN: " and "}
	}
	return rows + x.text(between) + x.key(n.Arguments[1], s.field)
}

// rows says how rows were chosen from a report's list; empty where they are all of its main one.
func (x *explainer) rows(n ast.Node) string {
	call, ok := n.(*ast.CallNode)
	if !ok {
		s, err := x.selectionOf(n)
		if err != nil || s.field.Name == "rows" {
			return ""
		}
		return ", " + bilingual.Small(s.field.Label.In(x.lang))
	}
	of := x.rows(call.Arguments[0])
	s, err := x.selectionOf(call.Arguments[0])
	if err != nil {
		return of
	}
	switch callee(call) {
	case "filter":
		return x.where(of, call)
	case "first":
		return of + fmt.Sprintf(x.text(bilingual.Text{RU: ", первые строки (%s)", EN: ", the first %s rows"}), x.node(call.Arguments[1]))
	case "top", "bottom":
		words := bilingual.Text{RU: ", топ-%s по полю «%s»", EN: ", top %s by %s"}
		if callee(call) == "bottom" {
			words = bilingual.Text{RU: ", %s наименьших по полю «%s»", EN: ", lowest %s by %s"}
		}
		return of + fmt.Sprintf(x.text(words), x.node(call.Arguments[2]), x.key(call.Arguments[1], s.field))
	case "group":
		return of + x.text(bilingual.Text{RU: ", по полю «", EN: ", by “"}) + x.key(call.Arguments[1], s.field) +
			x.text(bilingual.Text{RU: "»", EN: "”"})
	}
	return of
}

// table says how the rows of a table were chosen, and how the columns with heads of the expression's own are computed.
func (x *explainer) table(n *ast.CallNode) string {
	var parts []string
	_, chosen := n.Arguments[0].(*ast.CallNode)
	if rows := strings.TrimLeft(x.rows(n.Arguments[0]), ", "); chosen && rows != "" {
		parts = append(parts, x.text(bilingual.Text{RU: "строки таблицы: ", EN: "rows of the table: "})+rows)
	}
	s, err := x.selectionOf(n.Arguments[0])
	if err != nil {
		return strings.Join(parts, "; ")
	}
	for _, column := range n.Arguments[1:] {
		text, ok := column.(*ast.StringNode)
		if !ok {
			continue
		}
		if own, expression := headed(text.Value); own != "" {
			key := x.key(&ast.StringNode{Value: expression}, s.field)
			parts = append(parts, Quoted(x.lang, render.Inline(own))+" = "+key)
		}
	}
	return strings.Join(parts, "; ")
}
