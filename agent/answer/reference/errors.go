package reference

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/kopeck/kopeck/schemas/bilingual"
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

// forPeople says what is wrong. The texts of errors are for models, and advise them how to write references. The text of
// NotShaped is for both.
var forPeople = map[string]bilingual.Text{
	Syntax:        {RU: "выражение не читается", EN: "the expression cannot be read"},
	UnknownReport: {RU: "такого отчёта нет", EN: "there is no such report"},
	UnknownField:  {RU: "такого поля в отчёте нет", EN: "the report has no such field"},
	UnknownName:   {RU: "такой функции или строки нет", EN: "there is no such function or row"},
	UnknownValue:  {RU: "такого значения нет ни в одной строке", EN: "no row has this value"},
	Null:          {RU: "в учёте этого нет", EN: "the books do not have it"},
	WrongKind:     {RU: "так эти величины не сочетаются", EN: "these values do not go together like this"},
	WrongCurrency: {RU: "суммы в разных валютах не складываются", EN: "sums in different currencies cannot be added"},
	NotWhole:      {RU: "для этого нужны все строки, а отчёт сохранён не целиком", EN: "this takes all rows, and only some are stored"},
	Empty:         {RU: "подходящих строк нет", EN: "no rows fit"},
	ByZero:        {RU: "делить не на что", EN: "there is nothing to divide by"},
	NoReference:   {RU: "нет ссылки на отчёт", EN: "it refers to no report"},
	Budget:        {RU: "выражение слишком сложное", EN: "the expression is too complex"},
	NoBacking:     {RU: "этого числа нет ни в отчётах, ни в вопросе", EN: "this number is neither in the reports nor in the question"},
	NotJSON:       {RU: "это не JSON", EN: "this is not JSON"},
	NotShaped:     {RU: "не подходит под заданную схему"},
	Link:          {RU: "такой ссылки нет ни в вопросе, ни в отчётах", EN: "this link is neither in the question nor in the reports"},
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

// Reason says for people what is wrong. text is the error's own, for models.
func Reason(cause, text, lang string) string { return cmp.Or(forPeople[cause].In(lang), text) }
