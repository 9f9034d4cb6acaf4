package reference

import (
	"cmp"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

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

// valueOf returns the value of a part. At the rows of a list, it has only a field and its kind.
func (x *explainer) valueOf(n ast.Node) Value {
	if f := x.ofRow(n); f != nil {
		return Value{Kind: f.Kind, field: f}
	}
	v, _ := x.evaluation.node(n)
	return v
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
	scope := r.when(x.lang) + settings + r.limits(x.lang)
	if same < len(x.reports) {
		return label + scope
	}
	return strings.TrimLeft(scope, " ")
}

// operand describes a part of a larger expression: by its value if the answer shows that. The part is in parentheses if
// its operator binds less than binds, or if it is a function of rows.
func (x *explainer) operand(n ast.Node, binds int) string {
	if value := x.told.values[n.String()]; value != "" && x.row == nil {
		switch v := x.valueOf(n); {
		case v.signed:
			return v.Write(x.lang)
		case x.is.Signed != "" && v.in != nil && len(x.reports) > 1: // which period a side of a change is of tells its direction
			return value + " (" + x.reportName(v.in.report) + ")"
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

// roundings has the words for functions that round a value or write it in another scale.
var roundings = map[string]bilingual.Text{
	"round": {RU: ", округлено", EN: ", rounded"}, "ceil": {RU: ", вверх до целого", EN: ", rounded up"},
	"floor": {RU: ", вниз до целого", EN: ", rounded down"}, "thousands": {RU: ", в тысячах", EN: ", in thousands"},
	"millions": {RU: ", в миллионах", EN: ", in millions"},
}

// asItIs are the functions that change only how a value is written.
var asItIs = map[string]bool{"round": true, "thousands": true, "millions": true}

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

func callee(n *ast.CallNode) string {
	if name, ok := n.Callee.(*ast.IdentifierNode); ok {
		return name.Value
	}
	return ""
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
	}
	return "−" + x.operand(n, bindsFactor)
}

// signed returns an expression without the abs that removes the sign of its value.
func signed(n ast.Node) ast.Node {
	of, is := n.(*ast.CallNode)
	switch {
	case is && callee(of) == "abs":
		return signed(of.Arguments[0])
	case is && asItIs[callee(of)]:
		inside := *of
		inside.Arguments = append([]ast.Node{signed(of.Arguments[0])}, of.Arguments[1:]...)
		return &inside
	}
	return n
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
