package reference

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Error says why an expression has no value, in words that help a model to correct it.
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
	UnknownName   = "unknown_name" // of a function or a row
	UnknownValue  = "unknown_value"
	Null          = "null" // the books do not have the value
	WrongKind     = "kind"
	WrongCurrency = "currency"
	NotWhole      = "not_whole" // the report lists only a part of its rows
	Empty         = "empty"
	ByZero        = "zero"
	NoReference   = "no_reference" // the value is computed from no report
	Budget        = "budget"
)

// The causes of problems with a model's text or JSON that are not problems of an expression.
const (
	NoBacking = "no_backing" // digits of the model's own that no source backs
	NotJSON   = "not_json"
	NotShaped = "schema" // JSON that does not match the requested schema
	Link      = "link"
)

// russian has a text for people for each cause. The texts of errors are in English, for models.
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

// causedBy reports whether an error has one of the given causes.
func causedBy(err error, causes ...string) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains(causes, e.Cause)
}

// mostNamed limits the names that an error lists.
const mostNamed = 40

// listed lists names in order, without duplicates.
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

// Reason says what is wrong. The English text is for models; the Russian one is for people and plainer.
func Reason(cause, text, lang string) string {
	if plain, known := russian[cause]; known && lang == "ru" {
		return plain
	}
	return text
}
