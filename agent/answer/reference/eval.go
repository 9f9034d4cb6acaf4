package reference

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/expr-lang/expr/ast"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// Limits of one expression. They are far above what an answer needs, and no text within them takes noticeable time.
const (
	maxBytes = 4096
	maxNodes = 1000
	maxSteps = 400_000 // evaluated nodes and visited rows
	maxTime  = time.Second
)

// evaluation evaluates one expression. It walks the tree of expr-lang's parser and computes with [Value]. It does not
// use expr-lang's virtual machine, which computes with float64.
type evaluation struct {
	ctx   context.Context
	book  *Book
	steps int
	nodes int
	rows  []*place                // rows at which functions evaluate their arguments; the innermost is last
	read  int                     // index of the outermost of these rows that the innermost call has read
	joins int                     // how many rows there were when a side began in which bare fields are of an outer row
	kept  map[*ast.CallNode]Value // results of calls that do not depend on the row

	metNull   bool // a value without anything was compared with null
	keepsNull bool // such a comparison treats the value as known

	Basis // of the value, so far
}

func evaluate(ctx context.Context, b *Book, text string) (Value, error) {
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	e := &evaluation{ctx: ctx, book: b, kept: map[*ast.CallNode]Value{}}
	if !utf8.ValidString(text) || strings.TrimSpace(text) == "" {
		return Value{}, wrong(Syntax, "there is nothing between the braces: write an expression such as %s", b.example())
	}
	root, err := parse(text)
	if err != nil {
		return Value{}, err
	}
	v, err := e.node(root)
	if causedBy(err, Empty) && e.unmet != nil {
		err = e.unmet
	}
	if err != nil {
		return Value{}, err
	}
	v.Basis = e.Basis
	v.Words = slices.Concat(e.Words, e.Missed)
	return v, nil
}

// step counts n steps of work, and fails at the limits.
func (e *evaluation) step(n int) error {
	e.steps += n
	if e.steps > maxSteps {
		return wrong(Budget, "the expression needs too much work: make it simpler, or filter the rows first")
	}
	e.nodes++
	if e.nodes%512 == 0 && e.ctx.Err() != nil {
		if errors.Is(context.Cause(e.ctx), context.DeadlineExceeded) {
			return wrong(Budget, "the expression takes too long: make it simpler")
		}
		return e.ctx.Err()
	}
	return nil
}

func (e *evaluation) node(n ast.Node) (Value, error) {
	if err := e.step(1); err != nil {
		return Value{}, err
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return e.identifier(n.Value)
	case *ast.PointerNode:
		if len(e.rows) == 0 {
			return Value{}, wrong(Syntax, "a field that begins with a point belongs in filter, sum, count and the like: name the row, as in %s", e.book.example())
		}
		return Value{Kind: tools.KindObject, object: e.readRow(len(e.rows) - 1).object}, nil
	case *ast.MemberNode:
		return e.member(n)
	case *ast.ConstantNode:
		return e.numeral(n.Value.(numeral).Decimal), nil
	case *ast.StringNode:
		return Value{Kind: tools.KindText, text: n.Value}, nil
	case *ast.BoolNode:
		return truth(n.Value), nil
	case *ast.NilNode:
		return unknown(Bare), nil
	case *ast.UnaryNode:
		return e.unary(n)
	case *ast.BinaryNode:
		return e.binary(n)
	case *ast.ArrayNode:
		return e.array(n)
	case *ast.CallNode:
		return e.call(n)
	case *ast.BuiltinNode:
		return Value{}, noFunction(n.Name)
	case *ast.ConditionalNode:
		return Value{}, wrong(Syntax, "there is no choice by ? and :; look at the value and write the words yourself")
	case *ast.SliceNode:
		return Value{}, wrong(Syntax, "there are no ranges in brackets: use first(rows, n)")
	}
	return Value{}, wrong(Syntax, "this is not part of the language: use references, + - * /, comparisons and the functions %s",
		functionNames())
}

func (e *evaluation) identifier(name string) (Value, error) {
	if isReportName(name) {
		r, err := e.book.report(name)
		if err != nil {
			return Value{}, err
		}
		return Value{Kind: tools.KindObject, object: &object{report: r, field: r.top, value: r.value}}, nil
	}
	if len(e.rows) > 0 {
		return e.bare(name)
	}
	if reports := e.book.Reports(); len(reports) == 1 && reports[0].top.Field(name) != nil {
		return (&object{report: reports[0], field: reports[0].top, value: reports[0].value}).get(e, name)
	}
	return Value{}, wrong(UnknownName, "%s is not a report: write its name before it, as in R1.%s; %s", name, name, e.book.available())
}

// readRow returns one of the rows, and records that the value depends on it.
func (e *evaluation) readRow(i int) *place {
	e.read = min(e.read, i)
	return e.rows[i]
}

// bare reads a field without a row or a dot before it: from the innermost row, or from the only outer row that has it.
// Beside a field with a dot, it belongs to an outer row.
func (e *evaluation) bare(name string) (Value, error) {
	innermost := len(e.rows) - 1
	inside, around := e.rows[innermost], innermost-1
	for around >= 0 && e.rows[around].field.Field(name) == nil {
		around--
	}
	joined := e.joins == len(e.rows)
	switch {
	case around < 0, e.rows[around].field == inside.field && !joined:
		return e.readRow(innermost).get(e, name)
	case joined, inside.field.Field(name) == nil:
		return e.readRow(around).get(e, name)
	}
	return Value{}, wrong(
		UnknownName, "%s may be of this row or of the one around it: write .%[1]s for this one's; the other's stands in a comparison: .%[1]s == %[1]s",
		name,
	)
}

// side evaluates one side of a comparison or computation. If the other side has a field with a dot, the fields without
// one belong to an outer row: .code == code joins the rows of two lists.
func (e *evaluation) side(operator string, n, other ast.Node) (Value, error) {
	if len(e.rows) > 1 && operator != "and" && operator != "or" && points(other) {
		defer func(before int) { e.joins = before }(e.joins)
		e.joins = len(e.rows)
	}
	return e.node(n)
}

// points reports whether a part has a field with a dot that is of the row at which the part is evaluated.
func points(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.PointerNode:
		return true
	case *ast.MemberNode:
		return points(n.Node) || points(n.Property)
	case *ast.UnaryNode:
		return points(n.Node)
	case *ast.BinaryNode:
		return points(n.Left) || points(n.Right)
	case *ast.ArrayNode:
		return slices.ContainsFunc(n.Nodes, points)
	case *ast.CallNode:
		if functions[callee(n)].ofFigures == nil && len(n.Arguments) > 0 { // the others are evaluated at the rows of the first
			return points(n.Arguments[0])
		}
		return slices.ContainsFunc(n.Arguments, points)
	}
	return false
}

// numeral returns the value of a number of the expression, and records it.
func (e *evaluation) numeral(d decimal.Decimal) Value {
	if !slices.ContainsFunc(e.Numerals, d.Equal) {
		e.Numerals = append(e.Numerals, d)
	}
	return exact(Bare, d)
}

// owns records the operands that are the expression's own numbers.
func (e *evaluation) owns(values ...Value) {
	for _, v := range values {
		if !v.isWritten() {
			continue
		}
		if d := v.Decimal(); !slices.ContainsFunc(e.Own, d.Equal) {
			e.Own = append(e.Own, d)
		}
	}
}

// arithmetic computes with two values. An amount that the user wrote without saying of what is an error beside money.
func (e *evaluation) arithmetic(sign string, a, b Value) (Value, error) {
	e.price(sign, &a, &b)
	if sign == "/" && a.Kind == tools.KindMoney && b.isWritten() && b.number.Cmp(big.NewRat(1000, 1)) > 0 && e.book.numbers != nil {
		d := b.Decimal()
		if kind, _ := e.book.numbers.KindOf(d); (kind == "" || kind == tools.KindMoney) && !IsFactor(d) {
			return Value{}, wrong(WrongKind, "money divided by %[1]s: write money(%[1]s) if that is an amount, or count(%[1]s) if it counts something", d)
		}
	}
	return arithmetic(sign, &a, &b)
}

// price makes a number money if the user wrote it so and it divides money or is divided by it, or multiplies units: "40 thousand
// roubles a week", "380 roubles apiece".
func (e *evaluation) price(sign string, a, b *Value) {
	for range 2 {
		if b.isWritten() && e.book.numbers != nil && (sign == "/" && a.Kind == tools.KindMoney || sign == "*" && a.Kind == tools.KindUnits) {
			currency := cmp.Or(a.Currency, e.ownCurrency())
			if kind, own := e.book.numbers.KindOf(b.Decimal()); kind == tools.KindMoney && (own == "" || own == currency) {
				b.Kind, b.Currency = kind, currency
			}
		}
		a, b = b, a
	}
}

func (e *evaluation) array(n *ast.ArrayNode) (Value, error) {
	list := Value{Kind: List}
	for _, member := range n.Nodes {
		v, err := e.node(member)
		if err != nil {
			return Value{}, err
		}
		list.items = append(list.items, v)
	}
	return list, nil
}

func (e *evaluation) member(n *ast.MemberNode) (Value, error) {
	of, err := e.node(n.Node)
	if err != nil {
		return Value{}, err
	}
	if name, ok := n.Property.(*ast.StringNode); ok {
		switch of.Kind {
		case tools.KindObject:
			return of.object.get(e, name.Value)
		case Rows:
			return of.rows.byName(e, name.Value)
		}
		if of.Null {
			return Value{}, nullIn(&of)
		}
		return Value{}, wrong(UnknownField, "%s has no field %q: it is one value", n.Node, name.Value)
	}
	written := e.Numerals
	at, err := e.node(n.Property)
	if err != nil {
		return Value{}, err
	}
	e.Numerals = written
	switch {
	case of.Kind == Rows && IsText(at.Kind) && !at.Null:
		return of.rows.byName(e, at.text)
	case at.number == nil || !at.number.IsInt():
		return Value{}, wrong(WrongKind, "brackets take the number of a row, or a name in quotes")
	case of.Kind == Rows:
		return of.rows.at(at.number)
	case of.Kind == List:
		if !at.number.Num().IsInt64() || at.number.Num().Int64() < 1 || at.number.Num().Int64() > int64(len(of.items)) {
			return Value{}, wrong(UnknownName, "the list has %d members, counted from 1", len(of.items))
		}
		return of.items[at.number.Num().Int64()-1], nil
	}
	return Value{}, wrong(WrongKind, "only lists have numbered rows; this is %s", kindName(of.Kind))
}

func (e *evaluation) unary(n *ast.UnaryNode) (Value, error) {
	v, err := e.node(n.Node)
	if err != nil {
		return Value{}, err
	}
	switch n.Operator {
	case "not":
		if v.Kind != tools.KindFlag {
			return Value{}, wrong(WrongKind, "not needs a condition, and this is %s", kindName(v.Kind))
		}
		v.flag = !v.flag
		return v, nil
	case "-":
		if err := operands("-", &v); err != nil {
			return Value{}, err
		}
		v.number = v.Rat().Neg(v.number)
	}
	return v, nil
}

// proportion evaluates a * b / c as a * (b / c), because money has no product with money, but a part of it has a value.
func (e *evaluation) proportion(n *ast.BinaryNode) (v Value, is bool) {
	product, ok := n.Left.(*ast.BinaryNode)
	if !ok || n.Operator != "/" || product.Operator != "*" {
		return Value{}, false
	}
	share := &ast.BinaryNode{Operator: "/", Left: product.Right, Right: n.Right}
	v, err := e.node(&ast.BinaryNode{Operator: "*", Left: product.Left, Right: share})
	return v, err == nil
}

// decides reports whether the left side of "and" or "or" decides the whole, so that .cost != null guards what follows it.
func decides(operator string, left Value) bool {
	if left.Kind != tools.KindFlag || left.Null {
		return false
	}
	return operator == "or" && left.flag || operator == "and" && !left.flag
}

func (e *evaluation) binary(n *ast.BinaryNode) (Value, error) {
	a, err := e.side(n.Operator, n.Left, n.Right)
	if causedBy(err, WrongKind) {
		if v, is := e.proportion(n); is {
			return v, nil
		}
	}
	if err != nil || decides(n.Operator, a) {
		return a, err
	}
	owned := len(e.Own)
	b, err := e.side(n.Operator, n.Right, n.Left)
	if err != nil {
		return Value{}, err
	}
	switch n.Operator {
	case "+", "-", "*", "/":
		e.owns(a, b)
		return e.arithmetic(n.Operator, a, b)
	case "and", "or":
		return both(n.Operator, a, b)
	case "==", "!=", "<", "<=", ">", ">=", "in", "contains", "startsWith", "endsWith":
		if amount, is := n.Right.(*ast.CallNode); is && callee(amount) == "money" { // a threshold, like a number without it
			e.Own = e.Own[:owned]
		}
		v, err := compare(n.Operator, a, b)
		if (n.Operator == "==" || n.Operator == "!=") && isNull(b) && hasNothing(a) && hasNothing(b) {
			e.metNull = true
			v.flag = v.flag != e.keepsNull
		}
		if err == nil && len(e.rows) > 0 {
			e.rows[len(e.rows)-1].compared(n, a, b)
		}
		return v, err
	}
	return Value{}, wrong(Syntax, "%q is not part of the language: use + - * / == != < <= > >= and or not in contains", n.Operator)
}
