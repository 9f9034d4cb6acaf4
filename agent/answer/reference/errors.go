package reference

import (
	"errors"
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

// The causes of problems of a text and of JSON, beside those of expressions.
const (
	NoBacking = "no_backing" // digits of the model's own that nothing backs
	NotJSON   = "not_json"
	NotShaped = "schema" // JSON that is not of the asked schema
	Link      = "link"
)

// russian has the causes in words for people: the texts of errors are English, and for models.
var russian = map[string]string{
	Syntax: "выражение не читается", UnknownReport: "такого отчёта нет", UnknownField: "такого поля в отчёте нет",
	UnknownName: "такой функции или строки нет", UnknownValue: "такого значения нет ни в одной строке", Null: "в учёте этого нет",
	WrongKind: "так эти величины не сочетаются", WrongCurrency: "суммы в разных валютах не складываются",
	NotWhole: "для этого нужны все строки, а отчёт сохранён не целиком", Empty: "подходящих строк нет", ByZero: "делить не на что",
	NoReference: "нет ссылки на отчёт", Budget: "выражение слишком сложное", NoBacking: "этого числа нет ни в отчётах, ни в вопросе",
	NotJSON: "это не JSON", NotShaped: "не подходит под заданную схему", Link: "такой ссылки нет ни в вопросе, ни в отчётах",
}

func wrong(cause, format string, values ...any) *Error {
	return &Error{cause, fmt.Sprintf(format, values...)}
}

func isEmpty(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Cause == Empty
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

// Reason says in a language what is wrong: a model's words in English, plainer ones in Russian.
func Reason(cause, text, lang string) string {
	if plain, known := russian[cause]; known && lang == "ru" {
		return plain
	}
	return text
}
