package reference

import (
	"github.com/kopeck/kopeck/tools"
)

// operated returns the values for a sum, average, minimum or maximum: one for each row, or the arguments themselves.
// It returns an error if fits rejects one of them.
func (c *call) operated(fits func(Value) bool) ([]Value, *selection, error) {
	v, err := c.arg(0)
	if err != nil {
		return nil, nil, err
	}
	var s *selection
	var values []Value
	if v.Kind != Rows && !(v.Kind == tools.KindObject && v.object.field.Field("rows") != nil) {
		for i := range c.args {
			if v, err = c.arg(i); err == nil && v.Null {
				err = nullIn(&v)
			}
			if err != nil {
				return nil, nil, err
			}
			values = append(values, v)
		}
	} else if s, values, err = c.ofField(); err != nil {
		return nil, nil, err
	}
	c.owns(values...)
	for _, v := range values {
		if !v.Null && !fits(v) {
			return nil, nil, wrong(WrongKind, "%s cannot be taken of %s", c.name, kindName(v.Kind))
		}
	}
	return values, s, nil
}

// ofField returns the value of the second argument at each row of the first.
func (c *call) ofField() (*selection, []Value, error) {
	if len(c.args) != 2 {
		return nil, nil, wrong(Syntax, "%s is written %s", c.name, functions[c.name].usage)
	}
	s, err := c.rowsArg()
	if err != nil {
		return nil, nil, err
	}
	if err := s.whole(c.name); err != nil {
		return nil, nil, err
	}
	c.choose(s)
	values, err := c.values(s)
	if err == nil && len(values) == 0 {
		err = wrong(Empty, "%s: there is no row to take it from: say so in words", c.name)
	}
	return s, values, err
}

// known returns an error if one of the values is unknown.
func (c *call) known(values []Value) error {
	missing := 0
	for _, v := range values {
		if v.Null {
			missing++
		}
	}
	if missing > 0 {
		return wrong(
			Null, "%s: unknown in %d of %d rows: leave them out by filter(rows, … != null), and say how many are unknown: count(rows, … == null)",
			c.name, missing, len(values),
		)
	}
	return nil
}

func (c *call) sum() (Value, error) {
	sum, _, err := c.added()
	return sum, err
}

// added returns the sum of the values and how many there are.
func (c *call) added() (sum Value, of int, err error) {
	values, _, err := c.operated(Value.IsNumber)
	if err == nil {
		err = c.known(values)
	}
	if err == nil {
		sum, err = total(values)
	}
	return sum, len(values), err
}

// total adds values of one kind and one currency.
func total(values []Value) (Value, error) {
	sum := values[0]
	var err error
	for i := range values[1:] {
		if sum, err = plus("+", &sum, &values[i+1]); err != nil {
			return Value{}, err
		}
	}
	sum.field = nil
	return sum, nil
}

func (c *call) avg() (Value, error) {
	sum, of, err := c.added()
	if err != nil {
		return Value{}, err
	}
	number := counted(of)
	return over(&sum, &number)
}

// extreme returns the smallest (sign -1) or largest (sign 1) of the known values. The answer names the rows whose
// values are unknown.
func (c *call) extreme(sign int) (Value, error) {
	values, s, err := c.operated(func(v Value) bool { return v.number != nil || IsTime(v.Kind) })
	if err != nil {
		return Value{}, err
	}
	best := Value{Null: true}
	var owners []int
	for i, v := range values {
		if v.Null {
			continue
		}
		order := sign
		if !best.Null {
			if order, err = ordered(v, best); err != nil {
				return Value{}, err
			}
		}
		if order*sign > 0 {
			best, owners = v, nil
		}
		if order*sign >= 0 {
			owners = append(owners, i)
		}
	}
	if best.Null {
		return Value{}, wrong(Null, "%s: unknown in all rows: say so in words", c.name)
	}
	c.passedOver(s, values)
	best.Owners = nil
	for _, i := range owners {
		if s != nil && s.rows[i].cells == nil {
			best.Owners = append(best.Owners, s.rows[i].origin(s.field))
		}
	}
	return best, nil
}

func (c *call) count() (Value, error) {
	if len(c.args) == 1 && isNumeral(c.args[0]) { // a number that the user named
		v, err := c.figure(0)
		v.measured = true
		return v, err
	}
	if len(c.args) == 1 {
		return c.len()
	}
	of, err := c.rowsArg()
	if err != nil {
		return Value{}, err
	}
	some, err := c.chosen(of)
	if err != nil {
		return Value{}, err
	}
	c.choose(of)
	return counted(len(some.rows)), nil
}

func (c *call) len() (Value, error) {
	if v, err := c.arg(0); err == nil && v.Kind == List {
		return counted(len(v.items)), nil
	}
	s, err := c.rowsArg()
	if err != nil {
		return Value{}, err
	}
	if s.more {
		return Value{}, s.whole(c.name)
	}
	c.restsOnRows(s)
	return counted(s.total), nil
}
