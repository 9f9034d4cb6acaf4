package reference

import (
	"cmp"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/builtin"
	"github.com/expr-lang/expr/conf"
	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/parser"
	"github.com/shopspring/decimal"
)

// enclosure and closing make the parser read the whole expression as a condition on rows, in which a field needs no
// row before it.
const (
	enclosure = "all(0,"
	closing   = "\n)"
)

// grammar removes expr-lang's own functions, so that every call is evaluated here.
var grammar = func() *conf.Config {
	c := &conf.Config{MaxNodes: maxNodes, DisableIfOperator: true, Functions: conf.FunctionsTable{}}
	for _, own := range builtin.Builtins {
		c.Functions[own.Name] = nil
	}
	delete(c.Functions, "all")
	return c
}()

// parse returns the tree of an expression in its usual form, see [usual].
func parse(text string) (ast.Node, error) {
	if len(text) > maxBytes {
		return nil, wrong(Budget, "the expression is longer than %d bytes: split it", maxBytes)
	}
	if strings.TrimSpace(text) == "" {
		return nil, wrong(Syntax, "there is nothing where an expression belongs")
	}
	whole := enclosure + equated(text) + closing
	tree, err := parser.ParseWithConfig(whole, grammar)
	if err != nil {
		return nil, syntax(text, err)
	}
	call, ok := tree.Node.(*ast.BuiltinNode)
	if !ok || call.Name != "all" || len(call.Arguments) != 2 || call.Location().From != 0 {
		return nil, wrong(Syntax, "%s: the parentheses do not match", strings.TrimSpace(text))
	}
	root := call.Arguments[1].(*ast.PredicateNode).Node
	u := &usual{text: []rune(whole)}
	ast.Walk(&root, u)
	return root, u.err
}

// equated turns each = outside quotes into ==, since the language has no assignment, and 15% into percent(15).
func equated(text string) string {
	var b strings.Builder
	var quote byte
	for i := 0; i < len(text); i++ {
		c := text[i]
		b.WriteByte(c)
		switch {
		case quote != 0 && c == '\\' && quote != '`' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case c == quote:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'' || c == '`'):
			quote = c
		case quote == 0 && c == '%' && endsOperand(text[i+1:]):
			before := strings.TrimSuffix(b.String(), "%")
			if number := before[len(strings.TrimRight(before, "0123456789._")):]; number != "" {
				b.Reset()
				b.WriteString(strings.TrimSuffix(before, number) + "percent(" + number + ")")
			}
		case quote == 0 && c == '=' && (i == 0 || strings.IndexByte("=!<>", text[i-1]) < 0) && (i+1 == len(text) || text[i+1] != '='):
			b.WriteByte(c)
		}
	}
	return b.String()
}

// endsOperand reports whether no operand follows, so that a sign before the text belongs to what stands before it.
func endsOperand(text string) bool {
	text = strings.TrimLeft(text, " \n")
	return text == "" || strings.IndexByte(")]*/+-,|<>=!", text[0]) >= 0
}

// syntax describes an error of the parser. It quotes the expression from the position of the error on.
func syntax(text string, err error) error {
	var at *file.Error
	if !errors.As(err, &at) {
		return wrong(Syntax, "%s: %v", strings.TrimSpace(text), err)
	}
	if strings.Contains(at.Message, "maximum allowed nodes") {
		return wrong(Budget, "the expression has too many parts: split it")
	}
	if strings.Contains(at.Message, "invalid integer literal") {
		return wrong(Syntax, "a whole number has at most 18 digits")
	}
	position := at.From - utf8.RuneCountInString(enclosure)
	rest := ""
	if runes := []rune(text); position >= 0 && position < len(runes) {
		rest = string(runes[position:min(len(runes), position+12)])
	}
	if rest == "" {
		return wrong(Syntax, "%s: it ends too early, or a parenthesis is not closed", strings.TrimSpace(text))
	}
	return wrong(Syntax, "%s: it cannot be read from %q on", strings.TrimSpace(text), rest)
}

// usual gives the parts of a tree the form that evaluating and explaining expect, since one thing can be written in several ways: words
// instead of && || and !, the constant on the right side of a comparison, one node for null, and no ?. and no + without effect. A number
// becomes a constant with the decimal that is written in the text, because the parser does not keep it exactly.
type usual struct {
	text []rune
	err  error
}

// Visit implements [ast.Visitor]. The parts of a node are visited before it.
func (u *usual) Visit(node *ast.Node) {
	switch n := (*node).(type) {
	case *ast.IntegerNode, *ast.FloatNode:
		d, err := u.number(n)
		if err != nil && u.err == nil {
			u.err = err
		}
		ast.Patch(node, &ast.ConstantNode{Value: numeral{d}})
	case *ast.IdentifierNode:
		switch n.Value {
		case "null":
			ast.Patch(node, &ast.NilNode{})
		case "yes", "no": // as rows print them
			ast.Patch(node, &ast.BoolNode{Value: n.Value == "yes"})
		}
	case *ast.ChainNode:
		*node = n.Node
	case *ast.MemberNode:
		n.Optional = false
	case *ast.UnaryNode:
		if n.Operator == "+" {
			*node = n.Node
		}
		n.Operator = inWords(n.Operator)
	case *ast.BinaryNode:
		n.Operator = inWords(n.Operator)
		turned, can := mirrored[n.Operator]
		if (can || n.Operator == "==" || n.Operator == "!=") && isConstant(n.Left) && !isConstant(n.Right) {
			n.Left, n.Right, n.Operator = n.Right, n.Left, cmp.Or(turned, n.Operator)
		}
	}
}

func inWords(operator string) string {
	switch operator {
	case "&&":
		return "and"
	case "||":
		return "or"
	case "!":
		return "not"
	}
	return operator
}

// mirrored maps a comparison to the one with the same meaning when its sides are exchanged.
var mirrored = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}

func isConstant(n ast.Node) bool {
	switch n.(type) {
	case *ast.ConstantNode, *ast.StringNode, *ast.BoolNode, *ast.ArrayNode, *ast.NilNode:
		return true
	}
	return false
}

// numeral is a number of an expression.
type numeral struct{ decimal.Decimal }

// MarshalJSON implements [json.Marshaler], with which expr-lang prints constants.
func (n numeral) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

func (u *usual) number(n ast.Node) (decimal.Decimal, error) {
	text := strings.ReplaceAll(string(u.text[n.Location().From:n.Location().To]), "_", "")
	d, err := decimal.NewFromString(text)
	if err != nil || d.Exponent() > 30 || d.Exponent() < -30 {
		return d, wrong(Syntax, "%q is not a number that can be used: write its digits, with a point before the decimals", text)
	}
	return d, nil
}

func isNumeral(n ast.Node) bool {
	_, is := n.(*ast.ConstantNode)
	return is
}
