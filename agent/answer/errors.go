package answer

import (
	"fmt"
	"slices"
	"strings"
)

// Error says why an expression has no value, in words that a model can act on.
type Error struct {
	Cause string // one of the causes below, for metrics
	Text  string
}

func (e *Error) Error() string { return e.Text }

// The causes of errors.
const (
	Syntax        = "syntax"
	UnknownReport = "unknown_report"
	UnknownField  = "unknown_field"
	UnknownName   = "unknown_name" // of a function, or of a row
	UnknownValue  = "unknown_value"
	Null          = "null" // the books do not say
	WrongKind     = "kind"
	WrongCurrency = "currency"
	NotWhole      = "not_whole" // a selection over a report of which only a part is kept
	Empty         = "empty"
	ByZero        = "zero"
	NoReference   = "no_reference" // a value that rests on no report
	Budget        = "budget"
)

func wrong(cause, format string, values ...any) *Error {
	return &Error{cause, fmt.Sprintf(format, values...)}
}

// mostNamed is how many names an error lists.
const mostNamed = 40

// listed names what there is, in order, without repetitions.
func listed(names []string) string {
	var once []string
	for _, name := range names {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	if len(once) > mostNamed {
		return strings.Join(once[:mostNamed], ", ") + ", …"
	}
	return strings.Join(once, ", ")
}
