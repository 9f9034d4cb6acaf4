package reference

import (
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/shopspring/decimal"
)

// mirrored maps a comparison to the one with the same meaning when its sides are exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

// Thresholds returns the numbers with which an expression compares something, and the numbers of rows that it asks
// for.
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
			ast.Walk(&side, visitor(func(n ast.Node) { // also numbers inside a side, such as the 14 of .units < .sold_units / 90 * 14
				if v, err := e.literal(s, n); isNumeral(n) && err == nil {
					numbers = append(numbers, v.Decimal())
				}
			}))
		}
	}))
	return numbers
}

// Anatomy is what an expression consists of.
type Anatomy struct {
	Numerals []decimal.Decimal // its own numbers, except those of rows
	Uses     map[string]bool   // functions and arithmetic operators
}

// Anatomy takes an expression apart. One that cannot be read has no parts.
func (b *Book) Anatomy(expression string) Anatomy {
	a := Anatomy{Uses: map[string]bool{}}
	e := &evaluation{book: b}
	s, err := e.parse(expression)
	if err != nil {
		return a
	}
	ofRows := map[ast.Node]bool{}
	ast.Walk(&s.root, visitor(func(n ast.Node) {
		if m, is := n.(*ast.MemberNode); is {
			ofRows[m.Property] = true
		}
	}))
	ast.Walk(&s.root, visitor(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.CallNode:
			a.Uses[callee(n)] = true
		case *ast.BinaryNode:
			a.Uses[n.Operator] = true
		case *ast.IntegerNode, *ast.FloatNode:
			if v, err := e.literal(s, n); err == nil && !ofRows[n] {
				a.Numerals = append(a.Numerals, v.Decimal())
			}
		}
	}))
	return a
}

type visitor func(ast.Node)

func (v visitor) Visit(n *ast.Node) { v(*n) }
