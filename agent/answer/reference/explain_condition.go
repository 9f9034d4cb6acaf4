package reference

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// condition is a condition on rows in words: "margin is below 20%".
func (x *explainer) condition(n ast.Node) string {
	if f := x.ofRow(n); f != nil && f.Kind == tools.KindFlag {
		return x.label(f) + x.text(" — да", " is yes")
	}
	return x.node(n)
}

// denial is what "not" makes of a condition.
func (x *explainer) denial(n ast.Node) string {
	if f := x.ofRow(n); f != nil && f.Kind == tools.KindFlag {
		return x.label(f) + x.text(" — нет", " is no")
	}
	return x.text("неверно, что ", "it is not so that ") + x.part(n, bindsComparison)
}

// joined is two conditions joined by "and" or "or".
func (x *explainer) joined(n *ast.BinaryNode) string {
	word, binds := x.text(" или ", " or "), binding[n.Operator]
	if binds == binding["and"] {
		word = x.text(" и ", " and ")
	}
	return x.part(n.Left, binds) + word + x.part(n.Right, binds)
}

// part is a condition inside another, in parentheses if it binds less.
func (x *explainer) part(n ast.Node, binds int) string {
	if of, ok := n.(*ast.BinaryNode); ok && cmp.Or(binding[of.Operator], bindsComparison) < binds {
		return "(" + x.condition(n) + ")"
	}
	return x.condition(n)
}

// comparisons are the words between the sides of a comparison: of figures, of times and of everything else.
var comparisons = map[string]struct{ figures, times, others bilingual.Text }{
	"<":  {figures: bilingual.Text{RU: "меньше", EN: "is below"}, times: bilingual.Text{RU: "раньше", EN: "is before"}},
	"<=": {figures: bilingual.Text{RU: "не больше", EN: "is at most"}, times: bilingual.Text{RU: "не позже", EN: "is no later than"}},
	">":  {figures: bilingual.Text{RU: "больше", EN: "is above"}, times: bilingual.Text{RU: "позже", EN: "is after"}},
	">=": {figures: bilingual.Text{RU: "не меньше", EN: "is at least"}, times: bilingual.Text{RU: "не раньше", EN: "is no earlier than"}},
	"==": {figures: bilingual.Text{RU: "— ровно", EN: "is exactly"}, others: bilingual.Text{RU: "—", EN: "is"}},
	"!=": {figures: bilingual.Text{RU: "— не", EN: "is not"}, others: bilingual.Text{RU: "— не", EN: "is not"}},
	"in": {others: bilingual.Text{RU: "—", EN: "is"}},

	"contains":   {others: bilingual.Text{RU: "содержит", EN: "contains"}},
	"startsWith": {others: bilingual.Text{RU: "начинается с", EN: "begins with"}},
	"endsWith":   {others: bilingual.Text{RU: "кончается на", EN: "ends with"}},
}

// comparison is a comparison in words. What is compared comes first, the expression's own constant second.
func (x *explainer) comparison(n *ast.BinaryNode) string {
	left, right, sign := n.Left, n.Right, n.Operator
	if turned, can := mirrored[sign]; (can || sign == "==" || sign == "!=") && x.isConstant(left) && !x.isConstant(right) {
		left, right, sign = right, left, cmp.Or(turned, sign)
	}
	f := x.ofRow(left)
	if (sign == "==" || sign == "!=") && x.isNull(right) {
		return x.known(left, f, sign == "!=")
	}
	if in := x.ofRow(right); sign == "in" && in != nil || f != nil && f.List {
		if f == nil || !f.List {
			f, left, right = in, right, left
		}
		return x.operand(left, bindsComparison) + x.text(": есть ", " include ") + x.side(right, f)
	}
	words := comparisons[sign]
	between, than := words.figures, "чем "
	switch _, isText := right.(*ast.StringNode); {
	case f != nil && IsTime(f.Kind) && words.times != (bilingual.Text{}):
		between = words.times
	case f != nil && !IsNumber(f.Kind) || isText || between == (bilingual.Text{}):
		between = words.others
	}
	if x.lang != "ru" || mirrored[sign] == "" || x.isConstant(right) {
		than = ""
	} else {
		than = ", " + than
	}
	return x.operand(left, bindsComparison) + " " + between.In(x.lang) + cmp.Or(than, " ") + x.side(right, f)
}

// side is the second side of a comparison with a field.
func (x *explainer) side(n ast.Node, with *tools.Field) string {
	if x.isConstant(n) {
		return x.constant(n, with)
	}
	return x.operand(n, bindsComparison)
}

func (x *explainer) isConstant(n ast.Node) bool {
	switch n.(type) {
	case *ast.IntegerNode, *ast.FloatNode, *ast.StringNode, *ast.BoolNode, *ast.ArrayNode:
		return true
	}
	return x.isNull(n)
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
		return x.text("нет данных", "unknown")
	}
	if list, ok := n.(*ast.ArrayNode); ok {
		var items []string
		for _, item := range list.Nodes {
			items = append(items, x.constant(item, f))
		}
		return strings.Join(items, x.text(" или ", " or "))
	}
	v, err := x.evaluation.node(x.source, n)
	if err != nil {
		return x.source.written(n)
	}
	switch {
	case f != nil && v.IsNumber():
		v.Kind = f.Kind
		if f.Kind == tools.KindMoney && f.Currency == "" && len(x.reports) > 0 {
			v.Currency = x.reports[0].Result.Currency
		}
	case f != nil && IsTime(f.Kind):
		if v = dated(v); IsTime(v.Kind) && f.Kind == tools.KindMonth {
			v.Kind = f.Kind
		}
	}
	v.field = f
	if v.isWord() {
		return bilingual.Small(v.word(x.lang))
	}
	return v.Write(x.lang)
}

// known says that a value is known, or that it is not.
func (x *explainer) known(n ast.Node, f *tools.Field, is bool) string {
	label := x.operand(n, bindsComparison)
	switch isText := f != nil && !IsNumber(f.Kind); {
	case !is && f != nil && strings.ContainsAny(f.Missing.RU, "абвгдежзийклмнопрстуфхцчшщъыьэюя"):
		return label + x.text(" — ", " is: ") + f.Missing.In(x.lang)
	case is && isText:
		return label + x.text(agreeing(label, " указан", " указана", " указано", " указаны"), " is given")
	case isText:
		return label + x.text(agreeing(label, " не указан", " не указана", " не указано", " не указаны"), " is not given")
	case is:
		return label + x.text(agreeing(label, " известен", " известна", " известно", " известны"), " is known")
	}
	return label + x.text(agreeing(label, " неизвестен", " неизвестна", " неизвестно", " неизвестны"), " is unknown")
}

// agreeing returns the form that agrees with a Russian label, by the ending of its first word. Labels such as "in transit"
// begin with a preposition and take the neuter.
func agreeing(label, masculine, feminine, neuter, plural string) string {
	first, _, _ := strings.Cut(label, " ")
	last, _ := utf8.DecodeLastRuneInString(first)
	switch {
	case utf8.RuneCountInString(first) < 3:
		return neuter
	case strings.ContainsRune("аяь", last):
		return feminine
	case strings.ContainsRune("ыи", last):
		return plural
	case strings.ContainsRune("оеё", last):
		return neuter
	}
	return masculine
}
