package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// chosen is how rows were chosen from a list, step by step, as a reader is told.
type chosen struct {
	*explainer
	list  *tools.Field
	items tools.Items // what the rows are
	steps []step
	among *chosen    // the rows whose values were grouped; nil: the rows are a report's
	rows  *selection // what was chosen; nil if that depends on a row around
	total int        // the number of rows before the first step
}

// step is one selection. A later one begins with "of these".
type step struct {
	first, later string
	conditions   bool // it is a filter, which keeps the order
}

// grammatical cases of the rows' noun; in English they are the same.
const (
	nominative = iota
	genitive
	dative
)

// in returns the rows in a grammatical case: "products where margin is below 20% (12 of 108)".
func (c *chosen) in(grammatical int) string { return c.noun(grammatical) + c.part() }

func (c *chosen) noun(grammatical int) string {
	noun := [...]string{c.items.RU, c.items.Genitive, c.items.Dative}[grammatical]
	if c.lang != "ru" {
		noun = c.items.EN
	}
	if len(c.steps) == 0 && c.rows != nil && !c.rows.part {
		noun = c.text([...]string{"все ", "всех ", "всем "}[grammatical], "all ") + noun
	}
	for i, s := range c.steps {
		if i == 0 {
			noun += s.first
		} else {
			noun += s.later
		}
	}
	return noun
}

// part is how many rows there are of how many, from which report if there are several, and which rows, if they are few.
func (c *chosen) part() (text string) {
	if c.rows != nil {
		text = c.howMany(len(c.rows.rows))
		if c.among == nil && len(c.reports) > 1 {
			text += " " + c.rows.report.among(c.reports, c.lang)
		}
		text = " (" + text + c.names() + ")"
	}
	if c.among != nil {
		text += c.text(" среди ", " among ") + c.among.in(genitive)
	}
	return text
}

func (c *chosen) howMany(n int) string {
	if len(c.steps) == 0 {
		return c.number(c.total)
	}
	return c.number(n) + c.text(" из ", " of ") + c.number(c.total)
}

func (x *explainer) number(n int) string { return counted(n).Write(x.lang) }

// mostExplained is how many rows are named.
const mostExplained = 3

// names are the rows themselves, if they are few and of a report.
func (c *chosen) names() string {
	rows := c.rows.rows
	if len(c.steps) == 0 || len(rows) == 0 || len(rows) > mostExplained || rows[0] == nil || rows[0].cells != nil {
		return ""
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.distinct(c.lang))
	}
	return ": " + strings.Join(names, ", ")
}

func (x *explainer) selectionOf(n ast.Node) (*selection, error) {
	return (&call{evaluation: x.evaluation, source: x.source, name: "len", args: []ast.Node{n}}).rowsArg()
}

// rows says how rows were chosen.
func (x *explainer) rows(n ast.Node) *chosen {
	c := &chosen{explainer: x}
	if s, err := x.selectionOf(n); err == nil {
		c.rows, c.list, c.items, c.total = s, s.field, s.field.Items, s.total
	} else if f := x.ofRow(n); f != nil {
		c.list, c.items = f, f.Items
	}
	if call, ok := n.(*ast.CallNode); ok && len(call.Arguments) > 1 {
		of := x.rows(call.Arguments[0])
		if callee(call) == "group" {
			c.group(call, of)
		} else {
			c.list, c.items, c.among, c.total, c.steps = of.list, of.items, of.among, of.total, slices.Clone(of.steps)
			c.choose(call)
		}
	}
	if c.items == (tools.Items{}) {
		c.items = tools.Items{Text: bilingual.Text{RU: "строки", EN: "rows"}, Genitive: "строк", Dative: "строкам"}
	}
	return c
}

// choose adds the step of a function.
func (c *chosen) choose(n *ast.CallNode) {
	switch callee(n) {
	case "filter":
		c.where(n.Arguments[1])
	case "first":
		order := ""
		if c.isSorted() && c.list.Order != (bilingual.Text{}) {
			order = " " + c.list.Order.In(c.lang)
		}
		c.then(c.text(", которые идут первыми", ", the first")+order, c.text(", из них те, что идут первыми", ", of these the first"))
	case "top", "bottom":
		most := superlative(c.key(n.Arguments[1], c.list), c.kindAt(n.Arguments[1]), callee(n) == "top")
		c.then(c.text(", у которых ", " where ")+most.In(c.lang), c.text(", из них те, у которых ", ", of these those where ")+most.In(c.lang))
	}
}

func (c *chosen) then(first, later string) {
	c.steps = append(c.steps, step{first: first, later: later})
}

// isSorted reports whether the rows still stand in the report's own order.
func (c *chosen) isSorted() bool {
	other := func(s step) bool { return !s.conditions }
	return c.list != nil && c.among == nil && !slices.ContainsFunc(c.steps, other)
}

// where adds a condition.
func (c *chosen) where(n ast.Node) {
	inside := *c.explainer
	inside.row = c.list
	if last := len(c.steps) - 1; last >= 0 && c.steps[last].conditions {
		more := c.text(" и ", " and ") + inside.part(n, binding["and"])
		c.steps[last].first, c.steps[last].later = c.steps[last].first+more, c.steps[last].later+more
		return
	}
	condition := inside.condition(n)
	c.then(c.text(", у которых ", " where ")+condition, c.text(", из них те, у которых ", ", of these those where ")+condition)
	c.steps[len(c.steps)-1].conditions = true
}

// superlative says that rows have the greatest or the least of something.
func superlative(what string, kind Kind, greatest bool) bilingual.Text {
	more, less := bilingual.Text{RU: " больше всего", EN: " is highest"}, bilingual.Text{RU: " меньше всего", EN: " is lowest"}
	if IsTime(kind) {
		more, less = bilingual.Text{RU: " позже всего", EN: " is latest"}, bilingual.Text{RU: " раньше всего", EN: " is earliest"}
	}
	if !greatest {
		more = less
	}
	return bilingual.Text{RU: what + more.RU, EN: what + more.EN}
}

// kindAt is the kind of what a function takes of each row, if that is a field.
func (c *chosen) kindAt(key ast.Node) Kind {
	if text, ok := key.(*ast.StringNode); ok && c.list != nil {
		if f := at(c.list, strings.TrimPrefix(strings.TrimSpace(text.Value), ".")); f != nil {
			return f.Kind
		}
	}
	return Bare
}

// group makes the rows the values of a field among other rows.
func (c *chosen) group(n *ast.CallNode, of *chosen) {
	by := Quoted(c.lang, of.key(n.Arguments[1], of.list))
	c.among = of
	c.items = tools.Items{
		Text: bilingual.Text{RU: "значения " + by, EN: "values of " + by}, Genitive: "значений " + by, Dative: "значениям " + by,
	}
}

// count says which rows are counted.
func (x *explainer) count(n *ast.CallNode) string {
	c := x.rows(n.Arguments[0])
	c.rows = nil // their number is the value
	if len(n.Arguments) > 1 {
		c.where(n.Arguments[1])
	}
	text := x.text("число ", "number of ") + c.in(genitive)
	if s, err := x.selectionOf(n.Arguments[0]); err == nil && c.among == nil && len(x.reports) > 1 {
		text += " (" + s.report.among(x.reports, x.lang) + ")"
	} else if len(c.steps) == 0 && c.among == nil && x.row == nil {
		text += x.text(" в отчёте", " in the report")
	}
	return text
}

// aggregates are the functions of rows in words.
var aggregates = map[string]struct {
	text        bilingual.Text
	grammatical int
}{
	"sum": {bilingual.Text{RU: "сумма по ", EN: "sum over "}, dative}, "avg": {bilingual.Text{RU: "среднее по ", EN: "average over "}, dative},
	"min": {bilingual.Text{RU: "наименьшее из ", EN: "lowest of "}, genitive},
	"max": {bilingual.Text{RU: "наибольшее из ", EN: "highest of "}, genitive},
}

// aggregate says what is added up, or of what the least, the greatest or the average is taken, over which rows.
func (x *explainer) aggregate(n *ast.CallNode) string {
	name := callee(n)
	s, err := x.selectionOf(n.Arguments[0])
	if of := x.ofRow(n.Arguments[0]); err != nil && (of == nil || !of.List) || len(n.Arguments) < 2 {
		return x.single(n)
	}
	c := x.rows(n.Arguments[0])
	if known := x.knownIn(n, s); err == nil && known < len(s.rows) {
		some := *s
		some.rows = make([]*object, known) // only their number is told
		c.rows = &some
		first := x.text(", у которых это известно", " where it is known")
		c.then(first, x.text(", из них те, где это известно", ", of these where it is known"))
	}
	text := x.key(n.Arguments[1], c.list) + ", " + aggregates[name].text.In(x.lang) + c.in(aggregates[name].grammatical)
	if v, err := x.evaluation.node(x.source, n); err == nil && len(v.Owners) > 0 && len(v.Owners) <= mostExplained {
		var owners []string
		for _, o := range v.Owners {
			owners = append(owners, Quoted(x.lang, render.Inline(o.Named(x.lang))))
		}
		text += " — " + strings.Join(owners, ", ")
	}
	return text
}

// single is a function of single values.
func (x *explainer) single(n *ast.CallNode) string {
	var parts []string
	for _, argument := range n.Arguments {
		parts = append(parts, x.operand(argument, binding["+"]))
	}
	switch callee(n) {
	case "sum":
		return strings.Join(parts, " + ")
	case "avg":
		return x.text("среднее: ", "average: ") + strings.Join(parts, ", ")
	case "min":
		return x.text("наименьшее из: ", "lowest of: ") + strings.Join(parts, ", ")
	}
	return x.text("наибольшее из: ", "highest of: ") + strings.Join(parts, ", ")
}

// knownIn is of how many rows a function knows its value.
func (x *explainer) knownIn(n *ast.CallNode, s *selection) (known int) {
	if s == nil {
		return 0
	}
	values, err := (&call{evaluation: x.evaluation, source: x.source, name: callee(n), args: n.Arguments}).values(s, 1)
	if err != nil {
		return len(s.rows)
	}
	for _, v := range values {
		if !v.Null {
			known++
		}
	}
	return known
}

// choice says how the row of a field was chosen by its place: as the first of a report's list, or from selected rows. It is empty of
// a row that was chosen by its name, or by another number of the report.
func (x *explainer) choice(field ast.Node) string {
	var at *ast.MemberNode
	for n := field; at == nil; {
		switch member := n.(type) {
		case *ast.ChainNode:
			n = member.Node
		case *ast.MemberNode:
			if _, named := member.Property.(*ast.StringNode); named {
				n = member.Node
			} else {
				at = member
			}
		default:
			return ""
		}
	}
	place, ok := at.Property.(*ast.IntegerNode)
	c := x.rows(at.Node)
	if !ok || c.rows == nil || len(c.rows.rows) < 2 || len(c.steps) == 0 && (place.Value != 1 || c.list.Order == (bilingual.Text{})) {
		return ""
	}
	order := ""
	if len(c.steps) == 0 {
		order = ", " + c.list.Order.In(c.lang)
	}
	return x.text(fmt.Sprint(place.Value, "-е из "), ordinal(place.Value)+" of ") + c.in(genitive) + order
}

// table says what the rows of a table are, how they are sorted, and how the columns with heads of the expression's own are
// computed.
func (x *explainer) table(n *ast.CallNode) string {
	c := x.rows(n.Arguments[0])
	parts := []string{x.text("в таблице — ", "in the table: ") + c.tabulated()}
	for _, column := range n.Arguments[1:] {
		text, ok := column.(*ast.StringNode)
		if !ok {
			continue
		}
		own, expression := headed(text.Value)
		key := x.key(&ast.StringNode{Value: expression}, c.list) // of a plain column, keeps what an owner must know of it
		if own != "" {
			parts = append(parts, Quoted(x.lang, render.Inline(own))+" = "+key)
		}
	}
	return strings.Join(parts, "; ")
}

// tabulated is the rows that a table shows, with the report's order if they stand in it.
func (c *chosen) tabulated() string {
	s := c.rows
	if s == nil {
		return c.in(nominative)
	}
	order := ""
	if c.isSorted() && c.list.Order != (bilingual.Text{}) {
		order = c.list.Order.In(c.lang)
	}
	shown := shownOf(s)
	if len(c.steps) == 0 && shown < c.total { // the first ones, in the report's order
		c.then(strings.TrimRight(c.text(", первые ", ", the first ")+order, " "), "")
		return c.noun(nominative) + " (" + c.howMany(shown) + ")"
	}
	text := c.in(nominative)
	if shown < len(s.rows) {
		text += c.text(", показано ", ", shown: ") + c.number(shown)
	}
	if order != "" && len(s.rows) > 1 {
		text += ", " + order
	}
	return text
}
