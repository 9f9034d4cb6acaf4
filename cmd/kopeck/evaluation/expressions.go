package evaluation

import (
	"errors"
	"fmt"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
	"github.com/shopspring/decimal"
)

// errUnknown means that the books do not have this value.
var errUnknown = errors.New("the books do not have it")

// value is a number or a text.
type value struct {
	number *decimal.Decimal
	text   string
}

// evaluate computes an expression. It returns an error if the value is unknown.
func (b *Books) evaluate(expression string) (value, error) {
	tree, err := parser.Parse(expression)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", expression, err)
	}
	found, err := b.evaluateNode(tree.Node)
	if err != nil {
		return value{}, fmt.Errorf("%s: %w", expression, err)
	}
	switch found := found.(type) {
	case nil:
		return value{}, fmt.Errorf("%s: %w", expression, errUnknown)
	case decimal.Decimal:
		return value{number: &found}, nil
	case int:
		number := decimal.NewFromInt(int64(found))
		return value{number: &number}, nil
	case string:
		return value{text: found}, nil
	}
	return value{}, fmt.Errorf("%s: neither a number nor a text, but %T", expression, found)
}

// evaluateNode computes a part of an expression: a call, a field, a text or a whole number. Using expr-lang's own virtual
// machine would make the program 260 KB larger.
func (b *Books) evaluateNode(node ast.Node) (any, error) {
	switch node := node.(type) {
	case *ast.StringNode:
		return node.Value, nil
	case *ast.IntegerNode:
		return node.Value, nil
	case *ast.UnaryNode:
		if number, is := node.Node.(*ast.IntegerNode); is && node.Operator == "-" {
			return -number.Value, nil
		}
	case *ast.MemberNode:
		return b.field(node)
	case *ast.CallNode:
		return b.call(node.Callee.String(), node.Arguments)
	case *ast.BuiltinNode:
		return b.call(node.Name, node.Arguments)
	}
	return nil, fmt.Errorf("%s is not a call, field, text or whole number", node)
}

func (b *Books) field(node *ast.MemberNode) (any, error) {
	of, err := b.evaluateNode(node.Node)
	if err != nil {
		return nil, err
	}
	name, isText := node.Property.(*ast.StringNode)
	row, isRow := of.(record)
	if !isText || !isRow {
		return nil, fmt.Errorf("%s is not a field: %w", node, errUnknown)
	}
	found, has := row[name.Value]
	if !has {
		return nil, fmt.Errorf("no field %s: %w", name.Value, errUnknown)
	}
	return found, nil
}

func (b *Books) call(name string, arguments []ast.Node) (any, error) {
	function, is := b.functions[name]
	if !is {
		return nil, fmt.Errorf("no function %s", name)
	}
	values := make([]any, len(arguments))
	for n, argument := range arguments {
		found, err := b.evaluateNode(argument)
		if err != nil {
			return nil, err
		}
		values[n] = found
	}
	found, err := function(values)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return found, nil
}
