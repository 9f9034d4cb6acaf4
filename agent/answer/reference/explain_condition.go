package reference

import (
	"cmp"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// condition describes a condition on rows: "margin is below 20%".
func (x *explainer) condition(n ast.Node) string {
	if f := x.ofRow(n); f != nil && f.Kind == tools.KindFlag {
		return x.label(f) + x.text(" — да", " is yes")
	}
	return x.node(n)
}

// opposites maps each comparison to its opposite. If a value is unknown, neither of the two holds.
var opposites = map[string]string{
	"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "==", "in": "not in", "contains": "not contains",
	"startsWith": "not startsWith", "endsWith": "not endsWith",
}

// denial describes "not n".
func (x *explainer) denial(n ast.Node) string {
	if of, is := n.(*ast.BinaryNode); is && opposites[of.Operator] != "" {
		return x.comparison(&ast.BinaryNode{Operator: opposites[of.Operator], Left: of.Left, Right: of.Right})
	}
	if f := x.ofRow(n); f != nil && f.Kind == tools.KindFlag {
		return x.label(f) + x.text(" — нет", " is no")
	}
	return x.text("неверно, что (", "it is not so that (") + x.condition(n) + ")"
}

// joined describes two conditions joined by "and" or "or".
func (x *explainer) joined(n *ast.BinaryNode) string {
	word, binds := x.text(" или ", " or "), binding[n.Operator]
	if binds == binding["and"] {
		word = x.text(" и ", " and ")
	}
	return x.conjunct(n.Left, binds) + word + x.conjunct(n.Right, binds)
}

// conjunct describes a condition inside another one. It is in parentheses if its operator binds less than binds.
func (x *explainer) conjunct(n ast.Node, binds int) string {
	if of, ok := n.(*ast.BinaryNode); ok && cmp.Or(binding[of.Operator], bindsComparison) < binds {
		return "(" + x.condition(n) + ")"
	}
	return x.condition(n)
}

// comparisons has the words between the sides of a comparison: for figures, for times and for everything else.
var comparisons = map[string]struct{ figures, times, others bilingual.Text }{
	"<":  {figures: bilingual.Text{RU: "меньше", EN: "is below"}, times: bilingual.Text{RU: "раньше", EN: "is before"}},
	"<=": {figures: bilingual.Text{RU: "не больше", EN: "is at most"}, times: bilingual.Text{RU: "не позже", EN: "is no later than"}},
	">":  {figures: bilingual.Text{RU: "больше", EN: "is above"}, times: bilingual.Text{RU: "позже", EN: "is after"}},
	">=": {figures: bilingual.Text{RU: "не меньше", EN: "is at least"}, times: bilingual.Text{RU: "не раньше", EN: "is no earlier than"}},
	"==": {figures: bilingual.Text{RU: "— ровно", EN: "is exactly"}, others: bilingual.Text{RU: "—", EN: "is"}},
	"!=": {figures: bilingual.Text{RU: "— не", EN: "is not"}, others: bilingual.Text{RU: "— не", EN: "is not"}},

	"in":     {others: bilingual.Text{RU: "—", EN: "is"}},
	"not in": {others: bilingual.Text{RU: "— не", EN: "is not"}},

	"contains":   {others: bilingual.Text{RU: "содержит", EN: "contains"}},
	"startsWith": {others: bilingual.Text{RU: "начинается с", EN: "begins with"}},
	"endsWith":   {others: bilingual.Text{RU: "кончается на", EN: "ends with"}},

	"not contains":   {others: bilingual.Text{RU: "не содержит", EN: "does not contain"}},
	"not startsWith": {others: bilingual.Text{RU: "не начинается с", EN: "does not begin with"}},
	"not endsWith":   {others: bilingual.Text{RU: "не кончается на", EN: "does not end with"}},
}

// comparison describes a comparison.
func (x *explainer) comparison(n *ast.BinaryNode) string {
	left, right, sign := n.Left, n.Right, n.Operator
	f := x.ofRow(left)
	if (sign == "==" || sign == "!=") && isNil(right) {
		return x.known(left, f, sign == "!=")
	}
	words := comparisons[sign]
	between, than := words.figures, "чем "
	switch _, isText := right.(*ast.StringNode); {
	case f != nil && IsTime(f.Kind) && words.times != (bilingual.Text{}):
		between = words.times
	case f != nil && !IsNumber(f.Kind) || isText || between == (bilingual.Text{}):
		between = words.others
	}
	if x.lang != "ru" || mirrored[sign] == "" || isConstant(right) {
		than = ""
	} else {
		than = ", " + than
	}
	return x.compared(left, f) + " " + between.In(x.lang) + cmp.Or(than, " ") + x.side(right, f, sign)
}

// compared describes what is compared. An English label that is not a noun is quoted, so that it fits into a sentence:
// “in stock” is above 30 pcs.
func (x *explainer) compared(n ast.Node, f *tools.Field) string {
	text := x.operand(n, bindsComparison)
	if f != nil && x.lang != "ru" && tools.IsPhrase(f.Label.EN) {
		return Quoted(x.lang, text)
	}
	return text
}

// side describes the right side of a comparison with a field.
func (x *explainer) side(n ast.Node, with *tools.Field, sign string) string {
	if list, ok := n.(*ast.ArrayNode); ok {
		var items []string
		for _, item := range list.Nodes {
			items = append(items, x.constant(item, with))
		}
		if sign == "not in" {
			return strings.Join(items, x.text(" и не ", " and not "))
		}
		return strings.Join(items, x.text(" или ", " or "))
	}
	if isConstant(n) {
		return x.constant(n, with)
	}
	return x.operand(n, bindsComparison)
}

// isNil reports whether a part is null, which stands for an unknown value.
func isNil(n ast.Node) bool {
	_, is := n.(*ast.NilNode)
	return is
}

// constant writes a number or text of the expression like a value of the field that it is compared with.
func (x *explainer) constant(n ast.Node, f *tools.Field) string {
	if isNil(n) {
		return render.Unknown.In(x.lang)
	}
	v, err := x.evaluation.node(n)
	if err != nil {
		return n.String()
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
		return Quoted(x.lang, bilingual.Small(v.word(x.lang)))
	}
	if inner := strings.TrimSpace(v.text); inner != v.text { // other names begin with "Чай" than with "Чай "
		return Quoted(x.lang, strings.Replace(v.text, inner, render.Inline(inner), 1))
	}
	return v.Write(x.lang)
}

// known says that a value is known, or that it is unknown.
func (x *explainer) known(n ast.Node, f *tools.Field, is bool) string {
	if f == nil {
		f = &tools.Field{Kind: Bare}
	}
	return known(x.operand(n, bindsComparison), f, is, x.lang)
}

// known says that a field with a label is known or given, or that it is not. Labels that are no nouns are quoted.
func known(label string, f *tools.Field, is bool, lang string) string {
	if !is && f.Unset != (bilingual.Text{}) {
		return f.Unset.In(lang)
	}
	gender, isPhrase, be := tools.GenderOf(f.Label.RU), tools.IsPhrase(f.Label.EN), "is "
	if f.List && !isPhrase { // a phrase is quoted, so it is one thing
		be = "are "
	}
	if lang == "ru" && gender == "" && f.Label.RU != "" || lang != "ru" && isPhrase {
		label = Quoted(lang, label)
	}
	forms := knownForms[gender]
	yes, no := bilingual.Text{RU: forms.given, EN: be + "given"}, bilingual.Text{RU: "не " + forms.given, EN: be + "not given"}
	if IsNumber(f.Kind) {
		yes, no = bilingual.Text{RU: forms.known, EN: be + "known"}, bilingual.Text{RU: "не" + forms.known, EN: be + "unknown"}
	}
	if is {
		return label + " " + yes.In(lang)
	}
	return label + " " + no.In(lang)
}

// knownForms has the words that agree with a Russian label, by its gender. Labels that are not nouns take the neuter.
var knownForms = map[tools.Gender]struct{ known, given string }{
	tools.Masculine: {"известен", "указан"}, tools.Feminine: {"известна", "указана"}, tools.Neuter: {"известно", "указано"},
	tools.Plural: {"известны", "указаны"}, "": {"известно", "указано"},
}
