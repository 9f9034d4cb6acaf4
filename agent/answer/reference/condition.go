package reference

import (
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/schemas/bilingual"
	"github.com/kopeck/kopeck/tools"
)

// Condition is what an expression chooses its rows by: a constant that a field is compared with, or how many rows it takes.
type Condition struct {
	field    *tools.Field // nil: how many rows
	operator string
	constant Value
	missed   []string // of a text: these no row has
}

// mirrored are the comparisons as they are with their sides changed.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// chooses notes a comparison of a row's field with a constant.
func (e *evaluation) chooses(n *ast.BinaryNode, a, b Value) {
	if e.chosenBy[n] {
		return // at another row
	}
	operator := n.Operator
	if a.field == nil {
		a, b = b, a
		if other, turned := mirrored[operator]; turned {
			operator = other
		}
	}
	constant := b.field == nil && (b.Kind == List || IsText(b.Kind) || b.Kind == Bare && b.number != nil && b.places != computed)
	if a.field == nil || !constant || b.Null {
		return
	}
	e.chosenBy[n] = true
	b.Currency = a.Currency
	e.condition(Condition{field: a.field, operator: operator, constant: b})
}

// Thresholds are the numbers that an expression compares something with, and how many rows it takes.
func (b *Book) Thresholds(expression string) (numbers []decimal.Decimal) {
	e := &evaluation{book: b}
	s, err := e.parse(expression)
	if err != nil {
		return nil
	}
	ast.Walk(&s.root, visitor(func(n ast.Node) {
		var sides []ast.Node
		switch n := n.(type) {
		case *ast.BinaryNode:
			if mirrored[n.Operator] != "" || n.Operator == "==" || n.Operator == "!=" {
				sides = []ast.Node{n.Left, n.Right}
			}
		case *ast.CallNode:
			if f, named := n.Callee.(*ast.IdentifierNode); named && strings.HasSuffix(functions[f.Value].usage, ", n)") {
				sides = n.Arguments
			}
		}
		for _, side := range sides {
			ast.Walk(&side, visitor(func(n ast.Node) { // also the 14 of .units < .sold_units / 90 * 14
				if v, err := e.literal(s, n); isNumeral(n) && err == nil {
					numbers = append(numbers, v.Decimal())
				}
			}))
		}
	}))
	return numbers
}

type visitor func(ast.Node)

func (v visitor) Visit(n *ast.Node) { v(*n) }

// takes notes how many rows are taken.
func (e *evaluation) takes(n int) {
	if n > 1 {
		e.condition(Condition{constant: counted(n)})
	}
}

func (e *evaluation) condition(c Condition) {
	same := func(o Condition) bool {
		return o.field == c.field && o.operator == c.operator && o.constant.plain() == c.constant.plain()
	}
	if !slices.ContainsFunc(e.conditions, same) {
		e.conditions = append(e.conditions, c)
	}
}

// met are the conditions without the texts that no row has, and such a condition of each that had some.
func (e *evaluation) met() (conditions []Condition) {
	isMissed := func(text string) bool { return slices.Contains(e.missed, text) }
	for _, c := range e.conditions {
		if c.field == nil || c.constant.IsNumber() {
			conditions = append(conditions, c)
			continue
		}
		texts := c.Texts("")
		rest := slices.DeleteFunc(slices.Clone(texts), isMissed)
		if len(rest) > 0 {
			conditions = append(conditions, c)
		}
		if missed := slices.DeleteFunc(texts, func(text string) bool { return !isMissed(text) }); len(missed) > 0 {
			conditions = append(conditions, Condition{field: c.field, operator: c.operator, missed: missed})
		}
	}
	return conditions
}

// Misses reports whether the condition is that no row has some texts.
func (c Condition) Misses() bool { return len(c.missed) > 0 }

// Number is the constant, if it is a number.
func (c Condition) Number() (d decimal.Decimal, is bool) {
	return c.constant.Decimal(), c.constant.IsNumber()
}

// Field is what is compared; nil: the condition is how many rows are taken.
func (c Condition) Field() *tools.Field { return c.field }

// Equals reports whether the condition is that the field is the constant.
func (c Condition) Equals() bool { return c.field == nil || c.operator == "==" || c.operator == "in" }

// Texts are the constants that are texts, as people read them.
func (c Condition) Texts(lang string) (texts []string) {
	items := c.constant.items
	if c.constant.Kind != List {
		items = []Value{c.constant}
	}
	for _, item := range items {
		text := item.text
		if words, closed := c.field.Words[text]; closed {
			text = bilingual.Small(words.In(lang))
		}
		texts = append(texts, text)
	}
	return texts
}

// Write says the condition: "маржа < 40 %", "Склад Ozon FBO", "первые 5".
func (c Condition) Write(lang string) string {
	switch {
	case c.Misses():
		var texts []string
		for _, text := range c.missed {
			texts = append(texts, Quoted(lang, oneLine(text, shownText)))
		}
		return bilingual.Text{RU: "ни в одной строке нет ", EN: "no row has "}.In(lang) + strings.Join(texts, ", ")
	case c.field == nil:
		return fmt.Sprintf(bilingual.Text{RU: "строк: %s", EN: "rows: %s"}.In(lang), c.constant.Write(lang))
	case !c.constant.IsNumber() && c.operator == "!=":
		return "≠ " + strings.Join(c.Texts(lang), ", ")
	case !c.constant.IsNumber():
		return strings.Join(c.Texts(lang), ", ")
	}
	v := c.constant
	v.Kind, v.field = c.field.Kind, c.field
	sign := strings.NewReplacer("<=", "≤", ">=", "≥", "==", "=", "!=", "≠").Replace(c.operator)
	return bilingual.Small(c.field.Label.In(lang)) + " " + sign + " " + v.Write(lang)
}
