package sandbox

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// value is the value of a column in a row: a text, a number or several texts.
type value struct {
	text    string
	number  float64
	several []string
	empty   bool
}

func textValue(text string) value { return value{text: text, empty: text == ""} }

func numberValue(n int64) value { return value{number: float64(n) / 1000} }

func boolValue(b bool) value { return value{text: strconv.FormatBool(b)} }

func severalValue(texts []string) value { return value{several: texts, empty: len(texts) == 0} }

// columnType is the type of a column's values.
type columnType int

const (
	textColumn columnType = iota
	numberColumn
	momentColumn // Moscow time in filters, Unix milliseconds in values
	flagColumn
	linkColumn // links in filters, their ids in values
	idColumn
)

// ops returns the operators that a column of this type accepts.
func (t columnType) ops() string {
	switch t {
	case textColumn:
		return " = != ~ ~= =~ "
	case numberColumn, momentColumn:
		return " = != > < >= <= "
	default:
		return " = != "
	}
}

// column is a field by which rows can be filtered and sorted.
type column[T any] struct {
	typ columnType
	get func(*T) value
}

// test returns the test of one condition.
func (t columnType) test(c condition, emptyDiffers bool) (func(value) bool, error) {
	if c.value == "" && (c.op == "=" || c.op == "!=") {
		return func(v value) bool { return v.empty == (c.op == "=") }, nil
	}
	switch t {
	case numberColumn, momentColumn:
		wanted, err := t.number(c)
		if err != nil {
			return nil, err
		}
		return func(v value) bool {
			return !v.empty && satisfiesOrder(cmp.Compare(v.number, wanted), c.op) || v.empty && c.op == "!=" && emptyDiffers
		}, nil
	case linkColumn:
		id, err := idOfHref(c.value)
		if err != nil {
			return nil, err
		}
		c.value = id
	case flagColumn:
		if c.value != "true" && c.value != "false" {
			return nil, badValue(c)
		}
	}
	return func(v value) bool { return v.satisfies(c, emptyDiffers) }, nil
}

func (t columnType) number(c condition) (float64, error) {
	if t == momentColumn {
		moment, ok := parseMoment(c.value)
		if !ok {
			return 0, badValue(c)
		}
		return float64(moment.UnixMilli()), nil
	}
	number, err := strconv.ParseFloat(c.value, 64)
	if err != nil {
		return 0, badValue(c)
	}
	return number, nil
}

func (v value) satisfies(c condition, emptyDiffers bool) bool {
	if v.empty {
		return c.op == "!=" && emptyDiffers
	}
	texts := v.several
	if texts == nil {
		texts = []string{v.text}
	}
	has := slices.ContainsFunc(texts, func(text string) bool { return matches(text, c) })
	return has != (c.op == "!=")
}

// matches compares a text with a condition. For "=" and "!=" the case matters; for other operators it does not.
func matches(text string, c condition) bool {
	switch c.op {
	case "~":
		return strings.Contains(strings.ToLower(text), strings.ToLower(c.value))
	case "~=":
		return strings.HasPrefix(strings.ToLower(text), strings.ToLower(c.value))
	case "=~":
		return strings.HasSuffix(strings.ToLower(text), strings.ToLower(c.value))
	default:
		return text == c.value
	}
}

func satisfiesOrder(order int, op string) bool {
	switch op {
	case "=":
		return order == 0
	case "!=":
		return order != 0
	case ">":
		return order > 0
	case "<":
		return order < 0
	case ">=":
		return order >= 0
	default:
		return order <= 0
	}
}
