package evaluation

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/expr-lang/expr"
	"github.com/shopspring/decimal"

	"github.com/kopeck/kopeck/tools/moysklad"
	"github.com/kopeck/kopeck/tools/sandbox"
	"github.com/kopeck/kopeck/tools/sandbox/truth"
)

// Books compute the right figures from the sandbox's own data, by package truth, which shares no code with the tools.
// README.md lists the computations.
type Books struct {
	books *sandbox.Books
	truth *truth.Truth
	now   time.Time
	names map[string]any // what expressions may use
}

// NewBooks works the books of a simulated account out as they stand at a moment.
func NewBooks(books *sandbox.Books, now time.Time) *Books {
	b := &Books{books: books, truth: truth.Of(books, now, truth.View{}), now: now.In(moysklad.Moscow)}
	b.names = map[string]any{}
	for name, computation := range b.computations() {
		b.names[name] = func(arguments ...any) (any, error) {
			found, err := computation(arguments)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			return found, nil
		}
	}
	return b
}

// errUnknown is what is not in the books.
var errUnknown = errors.New("the books do not have it")

// value is a number or a text of the books.
type value struct {
	number *decimal.Decimal
	text   string
}

// find evaluates an expression over the computations. What is unknown or not there is an error.
func (b *Books) find(expression string) (value, error) {
	found, err := expr.Eval(expression, b.names)
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
	return value{}, fmt.Errorf("%s gives no number and no text but %T", expression, found)
}

// fill replaces each {expression} in a question by its value.
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
		found, err := b.find(expression)
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

// plain makes maps, lists, numbers and texts of an answer of truth; unknown stays nil.
func plain(v reflect.Value) any {
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
		return plain(v.Elem())
	case reflect.Int:
		return decimal.NewFromInt(v.Int())
	case reflect.Slice:
		all := make([]any, v.Len())
		for n := range all {
			all[n] = plain(v.Index(n))
		}
		return all
	case reflect.Struct:
		fields := map[string]any{}
		for _, field := range reflect.VisibleFields(v.Type()) {
			if name := field.Tag.Get("json"); name != "" {
				fields[name] = plain(v.FieldByIndex(field.Index))
			}
		}
		return fields
	}
	return v.Interface()
}

// store finds the warehouse that a computation is for; nil is all.
func (b *Books) store(arguments []any) (*sandbox.Store, error) {
	if len(arguments) == 0 {
		return nil, nil //nolint:nilnil // all of them
	}
	at := slices.IndexFunc(b.books.Stores, func(s *sandbox.Store) bool { return s.Name == arguments[0] })
	if at < 0 {
		return nil, fmt.Errorf("no warehouse %v: %w", arguments[0], errUnknown)
	}
	return b.books.Stores[at], nil
}
