package evaluation

import (
	"errors"
	"fmt"
	"slices"

	"github.com/shopspring/decimal"
)

// rowFunctions are the functions of expressions that work on rows and numbers.
var rowFunctions = map[string]computation{
	"top":   func(a []any) (any, error) { return rankedRow(a, 0) },
	"low":   func(a []any) (any, error) { return rankedRow(a, -1) },
	"most":  topRows,
	"row":   singleRow,
	"those": rowsWhere,
	"total": total,
	"len":   count,
	"minus": func(a []any) (any, error) { return ofTwoNumbers(a, decimal.Decimal.Sub) },
	"times": func(a []any) (any, error) { return ofTwoNumbers(a, decimal.Decimal.Mul) },
	"part": func(a []any) (any, error) { // in percent
		return ofTwoNumbers(a, func(part, of decimal.Decimal) decimal.Decimal { return part.Shift(2).DivRound(of, 30) })
	},
}

type record = map[string]any

// rowsAndField reads the first two arguments of a function, which are rows and the name of a field.
func rowsAndField(arguments []any) (rows []record, field string, err error) {
	if len(arguments) < 2 {
		return nil, "", errors.New("the arguments must be rows and the name of a field")
	}
	list, isList := arguments[0].([]any)
	field, isText := arguments[1].(string)
	if !isList || !isText || len(list) == 0 {
		return nil, "", fmt.Errorf("no rows, or no name of a field: %w", errUnknown)
	}
	for _, one := range list {
		r, is := one.(record)
		if !is {
			return nil, "", errors.New("the list has no rows")
		}
		if _, has := r[field]; !has {
			return nil, "", fmt.Errorf("rows have no field %s: %w", field, errUnknown)
		}
		rows = append(rows, r)
	}
	return rows, field, nil
}

// ranked returns the rows that have a value in the field, sorted with the largest first.
func ranked(arguments []any) ([]record, string, error) {
	rows, field, err := rowsAndField(arguments)
	if err != nil {
		return nil, "", err
	}
	rows = slices.DeleteFunc(rows, func(r record) bool { _, known := r[field].(decimal.Decimal); return !known })
	if len(rows) == 0 {
		return nil, "", fmt.Errorf("no row has a value in %s: %w", field, errUnknown)
	}
	slices.SortStableFunc(rows, func(a, b record) int { return b[field].(decimal.Decimal).Cmp(a[field].(decimal.Decimal)) })
	return rows, field, nil
}

// rankedRow returns the row at a position of the ranking. -1 means the last one.
func rankedRow(arguments []any, at int) (any, error) {
	rows, _, err := ranked(arguments)
	if err != nil {
		return nil, err
	}
	return rows[(at+len(rows))%len(rows)], nil
}

// topRows returns the first rows of a ranking.
func topRows(arguments []any) (any, error) {
	rows, _, err := ranked(arguments)
	if err != nil {
		return nil, err
	}
	count, is := arguments[len(arguments)-1].(int)
	if !is {
		return nil, errors.New("the last argument must be the number of rows")
	}
	return toList(rows[:min(count, len(rows))]), nil
}

func toList(rows []record) []any {
	list := make([]any, len(rows))
	for n, r := range rows {
		list[n] = r
	}
	return list
}

// rowsWhere returns the rows in which a field has a value.
func rowsWhere(arguments []any) (any, error) {
	rows, field, err := rowsAndField(arguments)
	if err != nil {
		return nil, err
	}
	wanted := arguments[len(arguments)-1]
	return toList(slices.DeleteFunc(rows, func(r record) bool { return r[field] != wanted })), nil
}

// singleRow returns the only row in which a field has a value.
func singleRow(arguments []any) (any, error) {
	found, err := rowsWhere(arguments)
	if err != nil {
		return nil, err
	}
	if rows := found.([]any); len(rows) == 1 {
		return rows[0], nil
	}
	return nil, fmt.Errorf("%d rows have %v, not one: %w", len(found.([]any)), arguments[1:], errUnknown)
}

// total returns the sum of a field's known values.
func total(arguments []any) (any, error) {
	rows, field, err := ranked(arguments)
	if err != nil {
		return nil, err
	}
	var sum decimal.Decimal
	for _, r := range rows {
		sum = sum.Add(r[field].(decimal.Decimal))
	}
	return sum, nil
}

func count(arguments []any) (any, error) {
	if len(arguments) == 1 {
		if rows, is := arguments[0].([]any); is {
			return len(rows), nil
		}
	}
	return nil, errors.New("the argument must be rows")
}

func ofTwoNumbers(arguments []any, do func(a, b decimal.Decimal) decimal.Decimal) (any, error) {
	if len(arguments) != 2 {
		return nil, errors.New("the arguments must be two numbers")
	}
	var numbers [2]decimal.Decimal
	for n, argument := range arguments {
		switch argument := argument.(type) {
		case decimal.Decimal:
			numbers[n] = argument
		case int:
			numbers[n] = decimal.NewFromInt(int64(argument))
		default:
			return nil, fmt.Errorf("an argument is not a number: %w", errUnknown)
		}
	}
	return do(numbers[0], numbers[1]), nil
}
