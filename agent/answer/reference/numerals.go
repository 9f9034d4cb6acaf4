package reference

import (
	"github.com/expr-lang/expr/ast"
	"github.com/shopspring/decimal"
)

// mirrored maps a comparison to the one with the same meaning when its sides are exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// Numerals returns the numbers that an expression and its columns contain, such as thresholds and rates, except the numbers of rows.
// An expression that cannot be parsed has none.
func (b *Book) Numerals(expression string) (numbers []decimal.Decimal) {
	e := &evaluation{book: b}
	s, err := e.parse(expression)
	if err != nil {
		return nil
	}
	ofRows := map[ast.Node]bool{} // the walk visits a part before the whole
	var found []ast.Node
	ast.Walk(&s.root, visitor(func(n ast.Node) {
		if m, is := n.(*ast.MemberNode); is {
			ofRows[m.Property] = true
		}
		if isNumeral(n) {
			found = append(found, n)
		}
		if text, is := n.(*ast.StringNode); is {
			if head, column := headed(text.Value); head != "" {
				numbers = append(numbers, b.Numerals(column)...)
			}
		}
	}))
	for _, n := range found {
		if v, err := e.literal(s, n); err == nil && !ofRows[n] {
			numbers = append(numbers, v.Decimal())
		}
	}
	return numbers
}

type visitor func(ast.Node)

func (v visitor) Visit(n *ast.Node) { v(*n) }
