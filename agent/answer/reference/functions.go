package reference

import (
	"cmp"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools"
)

// call is a call of a function with its unevaluated arguments.
type call struct {
	*evaluation
	name string
	args []ast.Node
}

// function describes a function. It takes from least to most arguments; a negative most means any number. usage is
// shown in error messages. One of the others computes it: from the arguments' figures, from the rows of its first argument, or from the
// call, if it evaluates the arguments itself.
type function struct {
	least, most int
	usage       string
	ofFigures   func(x []Value) (Value, error)
	ofRows      func(*call, *selection) (Value, error)
	ofCall      func(*call) (Value, error)
}

var functions map[string]function

func init() {
	functions = map[string]function{
		"abs":       {1, 1, "abs(x)", abs, nil, nil},
		"round":     {1, 2, "round(x, decimals)", round, nil, nil},
		"ceil":      {1, 1, "ceil(x)", func(x []Value) (Value, error) { return whole(x[0], decimal.Decimal.Ceil) }, nil, nil},
		"floor":     {1, 1, "floor(x)", func(x []Value) (Value, error) { return whole(x[0], decimal.Decimal.Floor) }, nil, nil},
		"share":     {2, 2, "share(part, whole)", func(x []Value) (Value, error) { return share(&x[0], &x[1]) }, nil, nil},
		"change":    {2, 2, "change(old, new)", func(x []Value) (Value, error) { return change(&x[0], &x[1]) }, nil, nil},
		"thousands": {1, 1, "thousands(x)", func(x []Value) (Value, error) { return scaled(x[0], 3) }, nil, nil},
		"millions":  {1, 1, "millions(x)", func(x []Value) (Value, error) { return scaled(x[0], 6) }, nil, nil},
		"first":     {2, 2, "first(rows, n)", nil, (*call).first, nil},
		"top":       {3, 3, `top(rows, "field", n)`, nil, (*call).top, nil},
		"bottom":    {3, 3, `bottom(rows, "field", n)`, nil, (*call).bottom, nil},
		"filter":    {2, 2, "filter(rows, condition)", nil, (*call).filter, nil},
		"group":     {2, 12, `group(rows, "field", "sum 1", …)`, nil, (*call).group, nil},
		"table":     {1, 13, `table(rows, "field", "field", "Head = expression")`, nil, (*call).table, nil},
		"money":     {1, 1, "money(380)", nil, nil, func(c *call) (Value, error) { return c.amount(tools.KindMoney) }},
		"percent":   {1, 1, "15%", nil, nil, func(c *call) (Value, error) { return c.amount(tools.KindPercent) }},
		"convert":   {3, 3, `convert(money, rate, "USD")`, nil, nil, (*call).convert},
		"sum":       {1, -1, "sum(rows, .field)", nil, nil, (*call).sum},
		"avg":       {1, -1, "avg(rows, .field)", nil, nil, (*call).avg},
		"min":       {1, -1, "min(rows, .field)", nil, nil, func(c *call) (Value, error) { return c.extreme(-1) }},
		"max":       {1, -1, "max(rows, .field)", nil, nil, func(c *call) (Value, error) { return c.extreme(1) }},
		"count":     {1, 2, "count(rows, condition)", nil, nil, (*call).count},
		"len":       {1, 1, "len(rows)", nil, nil, (*call).len},
	}
}

func functionNames() string { return strings.Join(slices.Sorted(maps.Keys(functions)), ", ") }

func noFunction(name string) error {
	return wrong(UnknownName, "there is no function %q; there are %s", name, functionNames())
}

func (e *evaluation) call(n *ast.CallNode) (Value, error) {
	callee, ok := n.Callee.(*ast.IdentifierNode)
	if !ok {
		return Value{}, wrong(UnknownName, "functions stand before their rows, as in sum(rows, .field)")
	}
	f, known := functions[callee.Value]
	if !known {
		return Value{}, noFunction(callee.Value)
	}
	if len(n.Arguments) < f.least || f.most >= 0 && len(n.Arguments) > f.most {
		return Value{}, wrong(Syntax, "%s is written %s", callee.Value, f.usage)
	}
	if v, known := e.kept[n]; known {
		return v, nil
	}
	before := e.read
	e.read = len(e.rows)
	v, err := f.apply(&call{evaluation: e, name: callee.Value, args: n.Arguments})
	if err == nil && len(e.rows) > 0 && e.read == len(e.rows) { // it depends on none of the rows
		e.kept[n] = v
	}
	e.read = min(e.read, before)
	return v, err
}

func (f *function) apply(c *call) (Value, error) {
	switch {
	case f.ofFigures != nil:
		x, err := c.figures()
		if err != nil {
			return Value{}, err
		}
		return f.ofFigures(x)
	case f.ofRows != nil:
		s, err := c.rowsArg()
		if err != nil {
			return Value{}, err
		}
		return f.ofRows(c, s)
	}
	return f.ofCall(c)
}

func (c *call) arg(i int) (Value, error) { return c.node(c.args[i]) }

// number evaluates an argument that must be a known number.
func (c *call) number(i int) (Value, error) {
	v, err := c.arg(i)
	if err == nil {
		err = operands(c.name, &v)
	}
	return v, err
}

// figure evaluates an argument from which the value is computed, and records it if it is a number of the expression's
// own.
func (c *call) figure(i int) (Value, error) {
	v, err := c.number(i)
	c.owns(v)
	return v, err
}

// rowsArg evaluates the first argument, which must be rows.
func (c *call) rowsArg() (*selection, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, err
	}
	if v.Kind == tools.KindObject && v.object.row == 0 && v.object.field == v.object.report.top {
		if f := v.object.field.Field("rows"); f != nil {
			v, err = v.object.get(c.evaluation, "rows")
		}
	}
	if err == nil && v.Kind != Rows {
		err = wrong(WrongKind, "%s needs rows: %s, and this is %s", c.name, functions[c.name].usage, kindName(v.Kind))
	}
	if err != nil {
		return nil, err
	}
	return v.rows, nil
}

// figures evaluates all arguments.
func (c *call) figures() (all []Value, err error) {
	for i := 0; i < len(c.args) && err == nil; i++ {
		var v Value
		v, err = c.figure(i)
		all = append(all, v)
	}
	return all, err
}

func abs(x []Value) (Value, error) {
	v := x[0]
	v.number = new(big.Rat).Abs(v.number)
	v.signed, v.change = false, false
	return v, nil
}

func round(x []Value) (Value, error) {
	v, n := x[0], int32(0)
	if len(x) == 2 {
		places := x[1].number
		if !places.IsInt() || places.Cmp(big.NewRat(9, 1)) > 0 || places.Cmp(big.NewRat(-9, 1)) < 0 {
			return Value{}, wrong(WrongKind, "round takes whole decimals from -9 to 9")
		}
		n = int32(places.Num().Int64())
	}
	d := decimalOf(new(big.Rat).Mul(v.number, decimal.New(1, n).Rat()), 0).Shift(-n)
	v.number, v.places, v.exactly = d.Rat(), max(0, n), true
	v.inParts = v.inParts && !d.IsInteger()
	return v, nil
}

// whole rounds up or down to a whole number.
func whole(v Value, rounded func(decimal.Decimal) decimal.Decimal) (Value, error) {
	v.number, v.places, v.exactly = rounded(decimal.NewFromBigRat(v.number, quotientDigits)).Rat(), 0, true
	v.inParts = false
	return v, nil
}

// amount gives a number of the expression's own a kind.
func (c *call) amount(kind Kind) (Value, error) {
	v, err := c.number(0)
	switch {
	case err != nil:
		return Value{}, err
	case v.Kind != Bare:
		return Value{}, wrong(WrongKind, "%s takes a number that the user named, not %s", c.name, kindName(v.Kind))
	}
	currency, own := "", v
	if kind == tools.KindMoney {
		currency = c.ownCurrency()
	} else {
		own = exact(Bare, v.Decimal().Shift(-2)) // 15 % is 0.15, and not the 15 of 15 days
	}
	c.owns(own)
	v = carry(numeric(kind, currency, v.number), &v)
	v.ofUser = kind == tools.KindPercent
	return v, nil
}

func scaled(v Value, scale int32) (Value, error) {
	switch v.Kind {
	case tools.KindPercent, Points, tools.KindDays, tools.KindMonths, tools.KindPerDay:
		return Value{}, wrong(WrongKind, "thousands and millions are for money, units and counts, not for %s", kindName(v.Kind))
	}
	v.scale = scale
	return v, nil
}

// convert returns money in another currency. The rate is the price of one unit of the foreign currency in the account's own,
// as people name it: 80 roubles for a dollar.
func (c *call) convert() (Value, error) {
	money, err := c.figure(0)
	if err != nil {
		return Value{}, err
	}
	rate, err := c.figure(1)
	if err != nil {
		return Value{}, err
	}
	to, isText := c.args[2].(*ast.StringNode)
	if money.Kind != tools.KindMoney || rate.Kind != Bare || rate.number.Sign() <= 0 || !isText || !IsCurrency(to.Value) {
		return Value{}, wrong(WrongKind, `convert takes money, the rate as a number, and the code of the new currency: convert(R1.cash, 80, "USD")`)
	}
	own := c.ownCurrency()
	amount := new(big.Rat).Mul(money.number, rate.number)
	switch {
	case money.Currency == own && to.Value != own:
		amount.Quo(money.number, rate.number)
	case money.Currency == own || to.Value != own:
		return Value{}, wrong(WrongCurrency, "convert changes between %s, the account's own currency, and another one", own)
	}
	return carry(numeric(tools.KindMoney, to.Value, amount), &money), nil
}

// ownCurrency returns the currency of the account that the figures come from.
func (e *evaluation) ownCurrency() string {
	reports := e.reportsOf()
	if len(reports) == 0 {
		reports = e.book.Reports()
	}
	if len(reports) > 0 {
		return reports[0].Result.Currency
	}
	return ""
}

// key returns a function that evaluates the second argument at the current row. The argument is a field's name in quotes, or
// an expression with the row's fields.
func (c *call) key() (func(*object) (Value, error), error) {
	if text, ok := c.args[1].(*ast.StringNode); ok {
		of, err := parse(strings.TrimPrefix(strings.TrimSpace(text.Value), "."))
		if err != nil {
			return nil, err
		}
		return func(*object) (Value, error) { return c.node(of) }, nil
	}
	return func(*object) (Value, error) { return c.arg(1) }, nil
}

// values returns the values of the second argument at all rows of a selection, unknown ones included.
func (c *call) values(s *selection) ([]Value, error) {
	key, err := c.key()
	if err != nil {
		return nil, err
	}
	values := make([]Value, 0, len(s.rows))
	err = c.each(s, func(row *object) error {
		v, err := key(row)
		values = append(values, v)
		return err
	})
	return values, err
}

// chosen returns the rows of s that meet a condition. Rows for which the condition is unknown are left out.
func (c *call) chosen(s *selection) (some *selection, err error) {
	if err := s.whole(c.name); err != nil && !c.decides(s) {
		return nil, err
	}
	c.restsOnRows(s)
	var rows, unknown []*object
	all := *s
	all.rows = slices.Concat(s.rows, s.unknown)
	outer := c.keepsNull
	c.keepsNull = false
	i := 0
	err = c.each(&all, func(row *object) error {
		known := i < len(s.rows)
		i++
		c.metNull = false
		met, err := c.condition()
		switch {
		case err != nil:
			return err
		case met && known:
			rows = append(rows, row)
			c.rows[len(c.rows)-1].chosen = true
			return nil
		case !met && c.metNull:
			c.keepsNull = true
			met, err = c.condition()
			c.keepsNull = false
			if causedBy(err, Null) { // the rest of the condition needs the value
				err = nil
			}
		}
		if met {
			unknown = append(unknown, row)
		}
		return err
	})
	c.keepsNull = outer
	some = s.some(rows)
	some.unknown = unknown
	return some, err
}

// condition reports whether the second argument holds at the current row.
func (c *call) condition() (bool, error) {
	v, err := c.arg(1)
	if err == nil && v.Kind != tools.KindFlag {
		err = wrong(WrongKind, "%s needs a condition, such as .units > 0, and this is %s", c.name, kindName(v.Kind))
	}
	return err == nil && !v.Null && v.flag, err
}

// decides reports whether a condition can be answered although rows are missing at the end of a list. That is so if
// it compares a field with a number, the rows are sorted by that field, and the last row fails.
func (c *call) decides(s *selection) bool {
	n, ok := c.args[1].(*ast.BinaryNode)
	if !ok || len(s.rows) == 0 || !isNumeral(n.Right) || mirrored[n.Operator] == "" {
		return false
	}
	values, err := (&call{evaluation: c.evaluation, name: c.name, args: []ast.Node{c.args[0], n.Left}}).values(s)
	bound, unknown := c.node(n.Right)
	for i := 1; i < len(values) && err == nil; i++ {
		var order int
		order, err = ordered(values[i-1], values[i])
		if values[i].Null || order != 0 && order > 0 != strings.HasPrefix(n.Operator, ">") {
			return false
		}
	}
	if err != nil || unknown != nil || values[0].Null {
		return false
	}
	last := values[len(values)-1]
	holds, err := compare(n.Operator, last, bound)
	moved, _ := ordered(values[0], last)
	return err == nil && moved != 0 && !(holds.flag && !holds.Null)
}

func (c *call) filter(s *selection) (Value, error) {
	some, err := c.chosen(s)
	return Value{Kind: Rows, rows: some}, err
}

// howMany evaluates an argument that is a number of rows.
func (c *call) howMany(i int) (int, error) {
	v, err := c.number(i)
	if err != nil {
		return 0, err
	}
	if !isPlain(v.Kind) || !v.number.IsInt() || v.number.Sign() <= 0 || !v.number.Num().IsInt64() {
		return 0, wrong(WrongKind, "%s needs a whole number of rows above 0", c.name)
	}
	return int(min(v.number.Num().Int64(), 5000)), nil
}

func (c *call) first(s *selection) (Value, error) {
	n, err := c.howMany(1)
	if err != nil {
		return Value{}, err
	}
	if n > len(s.rows) && s.total > len(s.rows) {
		return Value{}, s.whole(c.name)
	}
	some := s.some(s.rows[:min(n, len(s.rows))])
	some.asked = true
	c.restsOnRows(some)
	return Value{Kind: Rows, rows: some}, nil
}

func (c *call) top(s *selection) (Value, error) { return c.ranked(s, -1) }

func (c *call) bottom(s *selection) (Value, error) { return c.ranked(s, 1) }

// ranked returns the rows with the largest values (sign -1) or the smallest ones (sign 1), in that order. Rows with
// unknown values are left out, and the answer names them.
func (c *call) ranked(s *selection, sign int) (Value, error) {
	n, err := c.howMany(2)
	if err != nil {
		return Value{}, err
	}
	some := *s
	some.chosen = s.chosen || n < len(s.rows)
	values, err := c.values(&some)
	if err != nil {
		return Value{}, err
	}
	type ranked struct {
		row   *object
		value Value
	}
	var known []ranked
	for i, v := range values {
		if !v.Null {
			known = append(known, ranked{s.rows[i], v})
		}
	}
	order := func(a, b ranked) int {
		order, wrong := ordered(a.value, b.value)
		err = cmp.Or(err, wrong)
		return order * sign
	}
	decided := slices.IsSortedFunc(known, order) && len(known) == len(s.rows) && n <= len(known) &&
		len(known) > 1 && order(known[0], known[len(known)-1]) < 0
	slices.SortStableFunc(known, order)
	if err == nil && !decided {
		err = s.whole(c.name) // the rows are not sorted by this value, so missing rows matter
	}
	if err != nil {
		return Value{}, err
	}
	c.passedOver(s, values)
	rows := make([]*object, 0, n)
	for _, k := range known[:min(n, len(known))] {
		rows = append(rows, k.row)
	}
	some = *s.some(rows)
	some.asked = true
	return Value{Kind: Rows, rows: &some}, nil
}
