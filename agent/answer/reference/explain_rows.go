package reference

import (
	"slices"
	"strings"
	"unicode"

	"github.com/expr-lang/expr/ast"

	"github.com/kopeck/kopeck/agent/render"
	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// chosen describes how rows were chosen from a list, in steps.
type chosen struct {
	*explainer
	list  *tools.Field
	items tools.Items // the noun for the rows
	steps []step
	id    string     // distinguishes the rows from others
	among *chosen    // the rows that were grouped; nil if the rows are those of a report
	rows  *selection // the chosen rows; nil if they depend on an outer row
	total int        // the number of rows before the last step
	shown bool       // the rows are not named: a table has their names, or only their number matters
}

// step is one selection in words: first, if it is the first step, or later, which begins with "of these".
type step struct {
	first, later string
	conditions   bool // the step is a filter, which keeps the order of rows
}

// The grammatical case of the noun for the rows. English has only one form.
const (
	nominative = iota
	genitive
	dative
)

// in describes the rows, with the noun in a grammatical case: "products where margin is below 20% (12 of 108)". Rows that were
// described last are "the same products".
func (c *chosen) in(grammatical int) string {
	if len(c.steps) > 0 && c.row == nil && c.told.rows[c.is.Report] == c.id {
		same := c.text([...]string{"те же ", "тех же ", "тем же "}[grammatical], "the same ") + c.item(grammatical)
		if c.rows == nil {
			return same
		}
		if names, are := strings.CutPrefix(c.names(), ": "); are {
			same += " (" + names + ")"
		}
		return same
	}
	return c.noun(grammatical) + c.extent()
}

func (c *chosen) item(grammatical int) string {
	if c.lang != "ru" {
		return c.items.EN
	}
	return [...]string{c.items.RU, c.items.Genitive, c.items.Dative}[grammatical]
}

func (c *chosen) noun(grammatical int) string {
	noun := c.item(grammatical)
	c.told.rows[c.is.Report] = c.id
	if len(c.steps) == 0 && c.rows != nil && !c.rows.more {
		noun = c.text([...]string{"все ", "всех ", "всем "}[grammatical], "all ") + noun
	}
	return noun + c.which()
}

// which says how the rows were chosen: " where margin is below 20%".
func (c *chosen) which() (text string) {
	for i, s := range c.steps {
		if i == 0 {
			text = s.first
		} else {
			text += s.later
		}
	}
	return text
}

// extent says how many of the rows were chosen, "(12 of 108)", from which report if there are several, and which rows if
// they are few.
func (c *chosen) extent() (text string) {
	if c.rows != nil {
		text = c.howMany(len(c.rows.rows))
		if c.among == nil && len(c.reports) > 1 {
			text += ", " + c.reportName(c.rows.report)
		}
		names := c.names()
		if names == "" && !c.shown {
			names = c.including(c.rows)
		}
		text = " (" + text + names + ")"
	}
	if c.among != nil {
		text += c.text(" среди ", " among ") + c.among.in(genitive)
	}
	return text
}

// including says that one of the rows is about none of the items, such as sales without a channel.
func (x *explainer) including(s *selection) string {
	switch rest := s.without(x.lang); {
	case rest == "":
		return ""
	case strings.ContainsFunc(rest, unicode.IsLetter):
		return x.text(", включая ", ", including ") + Quoted(x.lang, render.Inline(rest))
	}
	return x.text(", включая строку без названия", ", including one without a name")
}

func (c *chosen) howMany(n int) string {
	if len(c.steps) == 0 {
		return c.number(c.total)
	}
	return c.number(n) + c.text(" из ", " of ") + c.number(c.total)
}

func (x *explainer) number(n int) string { return counted(n).Write(x.lang) }

// mostExplained limits the rows that are named.
const mostExplained = 3

// names lists the names of the rows if they are few, belong to a report and were not told before, by a table for example.
func (c *chosen) names() string {
	rows := c.rows.rows
	if len(c.steps) == 0 || len(rows) == 0 || len(rows) > mostExplained || rows[0] == nil || rows[0].cells != nil {
		return ""
	}
	var names []string
	for _, row := range rows {
		names = append(names, row.distinct(c.lang))
	}
	if told := c.told.once(": " + strings.Join(names, ", ")); !c.shown {
		return told
	}
	return ""
}

func (x *explainer) selectionOf(n ast.Node) (*selection, error) {
	return (&call{evaluation: x.evaluation, name: "len", args: []ast.Node{n}}).rowsArg()
}

func (x *explainer) rows(n ast.Node) *chosen {
	c := &chosen{explainer: x, id: n.String()}
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
			if c.choose(call); len(c.steps) > len(of.steps) && len(of.steps) > 0 && of.rows != nil {
				c.total = len(of.rows.rows)
			}
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
		first := c.text(", которые идут первыми", " that come first") + c.order(c.text(" ", ", "))
		c.then(first, c.text(", из них те, что идут первыми", ", of these the first"))
	case "top", "bottom":
		key, f := c.key(n.Arguments[1], c.list), c.fieldAt(n.Arguments[1])
		if c.lang != "ru" && tools.IsPhrase(f.Label.EN) {
			key = Quoted(c.lang, key)
		}
		c.whose(key + c.superlative(f.Kind, callee(n) == "top"))
	}
}

func (c *chosen) then(first, later string) {
	c.steps = append(c.steps, step{first: first, later: later})
}

// whose adds a step that keeps the rows for which something is true.
func (c *chosen) whose(is string) {
	c.then(c.text(", у которых ", " where ")+is, c.text(", из них те, у которых ", ", of these those where ")+is)
}

// order returns the report's own order in words, after a text; "" if the report has none, or if the rows no longer have it.
func (c *chosen) order(after string) string {
	other := func(s step) bool { return !s.conditions }
	if c.list == nil || c.list.Order == (bilingual.Text{}) || c.among != nil || slices.ContainsFunc(c.steps, other) {
		return ""
	}
	return after + c.list.Order.In(c.lang)
}

func (c *chosen) where(n ast.Node) {
	inside := *c.explainer
	inside.row = c.list
	if last := len(c.steps) - 1; last >= 0 && c.steps[last].conditions {
		more := c.text(" и ", " and ") + inside.conjunct(n, binding["and"])
		c.steps[last].first, c.steps[last].later = c.steps[last].first+more, c.steps[last].later+more
		return
	}
	c.whose(inside.condition(n))
	c.steps[len(c.steps)-1].conditions = true
}

// superlative says that rows have the largest or the smallest values of something.
func (x *explainer) superlative(kind Kind, greatest bool) string {
	switch {
	case IsTime(kind) && greatest:
		return x.text(" позже всего", " is latest")
	case IsTime(kind):
		return x.text(" раньше всего", " is earliest")
	case greatest:
		return x.text(" больше всего", " is highest")
	}
	return x.text(" меньше всего", " is lowest")
}

// fieldAt returns the field that a function reads at each row; for an expression, a field without a label.
func (c *chosen) fieldAt(key ast.Node) tools.Field {
	if text, ok := key.(*ast.StringNode); ok && c.list != nil {
		if f := at(c.list, strings.TrimPrefix(strings.TrimSpace(text.Value), ".")); f != nil {
			return *f
		}
	}
	return tools.Field{Kind: Bare}
}

// group describes rows that are the distinct values of a field of other rows.
func (c *chosen) group(n *ast.CallNode, of *chosen) {
	by := Quoted(c.lang, of.key(n.Arguments[1], of.list))
	c.among = of
	c.items = tools.Items{
		Text: bilingual.Text{RU: "значения " + by, EN: "values of " + by}, Genitive: "значений " + by, Dative: "значениям " + by,
	}
}

// count describes a count of rows.
func (x *explainer) count(n *ast.CallNode) string {
	if isNumeral(n.Arguments[0]) {
		return x.constant(n.Arguments[0], nil)
	}
	c := x.rows(n.Arguments[0])
	counted := n.Arguments[0]
	if len(n.Arguments) > 1 {
		c.where(n.Arguments[1])
		counted = &ast.CallNode{Callee: &ast.IdentifierNode{Value: "filter"}, Arguments: n.Arguments}
	}
	c.id, c.rows = counted.String(), nil // the number of rows is the value itself, so it is not written
	text := x.text("число ", "number of ") + c.in(genitive)
	if s, err := x.selectionOf(n.Arguments[0]); err == nil && c.among == nil && len(x.reports) > 1 {
		text += " (" + x.reportName(s.report) + ")"
	} else if len(c.steps) == 0 && c.among == nil && x.row == nil {
		text += x.text(" в отчёте", " in the report")
	}
	if s, err := x.selectionOf(counted); err == nil {
		text += x.including(s)
	}
	return text
}

// aggregates has the words for functions over rows.
var aggregates = map[string]struct {
	text        bilingual.Text
	grammatical int
}{
	"sum": {bilingual.Text{RU: "сумма по ", EN: "sum over "}, dative}, "avg": {bilingual.Text{RU: "среднее по ", EN: "average over "}, dative},
	"min": {bilingual.Text{RU: "наименьшее из ", EN: "lowest of "}, genitive},
	"max": {bilingual.Text{RU: "наибольшее из ", EN: "highest of "}, genitive},
}

// aggregate describes a sum, average, minimum or maximum over rows.
func (x *explainer) aggregate(n *ast.CallNode) string {
	name := callee(n)
	s, err := x.selectionOf(n.Arguments[0])
	if of := x.ofRow(n.Arguments[0]); err != nil && (of == nil || !of.List) || len(n.Arguments) < 2 {
		return x.single(n)
	}
	c := x.rows(n.Arguments[0])
	if known := x.knownIn(n, s); err == nil && len(known) < len(s.rows) {
		some := *s
		some.rows = known
		c.id, c.rows, c.shown = n.String(), &some, true
		c.whose(x.text("это известно", "it is known"))
	}
	text := x.key(n.Arguments[1], c.list) + ", " + aggregates[name].text.In(x.lang) + c.in(aggregates[name].grammatical)
	if v := x.valueOf(n); len(v.Owners) > 0 && len(v.Owners) <= mostExplained {
		var owners []string
		for _, o := range v.Owners {
			owners = append(owners, Quoted(x.lang, render.Inline(o.Named(x.lang))))
		}
		text += " — " + strings.Join(owners, ", ")
	}
	return text
}

func (x *explainer) single(n *ast.CallNode) string {
	var parts []string
	for _, argument := range n.Arguments {
		parts = append(parts, x.operand(argument, binding["+"]))
	}
	if callee(n) == "sum" {
		return strings.Join(parts, " + ")
	}
	return map[string]string{
		"avg": x.text("среднее: ", "average: "),
		"min": x.text("наименьшее из: ", "lowest of: "), "max": x.text("наибольшее из: ", "highest of: "),
	}[callee(n)] + strings.Join(parts, ", ")
}

// knownIn returns the rows for which the value of a function's argument is known.
func (x *explainer) knownIn(n *ast.CallNode, s *selection) (known []*object) {
	if s == nil {
		return nil
	}
	values, err := (&call{evaluation: x.evaluation, name: callee(n), args: n.Arguments}).values(s)
	if err != nil {
		return s.rows
	}
	for i, v := range values {
		if !v.Null {
			known = append(known, s.rows[i])
		}
	}
	return known
}

// table describes a table: its rows, their order, and how the columns with headings in the expression are computed.
func (x *explainer) table(n *ast.CallNode) string {
	c := x.rows(n.Arguments[0])
	c.shown = true
	parts := []string{x.text("в таблице — ", "in the table: ") + c.tabulated()}
	for _, column := range n.Arguments[1:] {
		text, ok := column.(*ast.StringNode)
		if !ok {
			continue
		}
		own, expression := headed(text.Value)
		key := x.key(&ast.StringNode{Value: expression}, c.list) // for a plain column, this only records what an owner must know
		if own != "" {
			parts = append(parts, Quoted(x.lang, render.Inline(own))+" = "+key)
		}
	}
	return strings.Join(parts, "; ")
}

// tabulated describes the rows that a table shows, and their order if it is the report's own.
func (c *chosen) tabulated() string {
	s := c.rows
	if s == nil {
		return c.in(nominative)
	}
	shown, order := c.book.shownOf(s), c.order("")
	if len(c.steps) == 0 && shown < c.total { // only the first rows are shown, in the report's order
		first := c.text("первые ", "the first ") + c.number(shown) + c.text(" из ", " of ") + c.number(c.total) + " "
		c.rows = nil // so that the noun has no "all"
		return strings.TrimSpace(first + c.noun(genitive) + " " + order)
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
