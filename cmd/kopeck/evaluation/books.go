package evaluation

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// Books computes the right figures from the sandbox's data, with package truth, which shares no code with the tools.
// README.md lists the functions of expressions.
type Books struct {
	books     *sandbox.Books
	truth     *truth.Truth
	now       time.Time
	functions map[string]computation // the functions of expressions
}

// NewBooks returns the books of a simulated account as they are at a time.
func NewBooks(books *sandbox.Books, now time.Time) *Books {
	b := &Books{books: books, truth: truth.Of(books, now, truth.View{}), now: now.In(moysklad.Moscow)}
	b.functions = b.computations()
	return b
}

// fill replaces each {expression} in a question with its value.
func (b *Books) fill(question string) (string, error) {
	var filled strings.Builder
	for {
		before, rest, more := strings.Cut(question, "{")
		filled.WriteString(before)
		if !more {
			return filled.String(), nil
		}
		expression, after, closed := strings.Cut(rest, "}")
		if !closed {
			return "", fmt.Errorf("%q has a { without a }", question)
		}
		found, err := b.evaluate(expression)
		if err != nil {
			return "", err
		}
		if found.number != nil {
			found.text = found.number.String()
		}
		filled.WriteString(found.text)
		question = after
	}
}

// toExpressionValue converts a result of package truth to maps, lists, numbers and strings. Unknown values stay nil.
func toExpressionValue(v reflect.Value) any {
	switch found := v.Interface().(type) {
	case decimal.Decimal:
		return found
	case truth.Statistic:
		return found.Decimal
	case time.Time:
		return found.In(moysklad.Moscow).Format(time.DateOnly)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return toExpressionValue(v.Elem())
	case reflect.Int:
		return decimal.NewFromInt(v.Int())
	case reflect.Slice:
		all := make([]any, v.Len())
		for n := range all {
			all[n] = toExpressionValue(v.Index(n))
		}
		return all
	case reflect.Struct:
		fields := map[string]any{}
		for _, field := range reflect.VisibleFields(v.Type()) {
			if name := field.Tag.Get("json"); name != "" {
				fields[name] = toExpressionValue(v.FieldByIndex(field.Index))
			}
		}
		return fields
	}
	return v.Interface()
}

// warehouse returns the warehouse that a computation's arguments name, or nil for all warehouses.
func (b *Books) warehouse(arguments []any) (*sandbox.Store, error) {
	if len(arguments) == 0 {
		return nil, nil //nolint:nilnil // nil means all warehouses
	}
	at := slices.IndexFunc(b.books.Stores, func(s *sandbox.Store) bool { return s.Name == arguments[0] })
	if at < 0 {
		return nil, fmt.Errorf("no warehouse %v: %w", arguments[0], errUnknown)
	}
	return b.books.Stores[at], nil
}
