package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Wordings that also fit values without a schema.
var (
	Within = NewWording("must be %s to %s", "допустимо от %s до %s")
	OneOf  = NewWording("must be one of %s", "допустимо: %s")
	Empty  = NewWording("must not be empty", "не должно быть пусто")
)

// The wordings for values that do not fit their schema.
var (
	notJSON        = NewWording("must be JSON: %s", "это не JSON: %s")
	required       = NewWording("is required", "не указано")
	unknown        = NewWording("is not known; there are %s", "такого нет, есть: %s")
	noneKnown      = NewWording("is not known; there are no arguments here", "такого нет, аргументов здесь нет")
	misspelling    = NewWording("must be spelt %s", "пишется %s")
	ofType         = NewWording("must be %s", "подходит только %s")
	ofTypeAs       = NewWording("must be %s, such as %s", "подходит только %s, например %s")
	ofOtherType    = NewWording("must not be %s", "не подходит %s")
	exactly        = NewWording("must be %s", "допустимо только %s")
	between        = NewWording("must be more than %s and less than %s", "нужно больше %s и меньше %s")
	atLeast        = NewWording("must be at least %s", "нужно не меньше %s")
	atMost         = NewWording("must be at most %s", "нужно не больше %s")
	above          = NewWording("must be more than %s", "нужно больше %s")
	below          = NewWording("must be less than %s", "нужно меньше %s")
	pattern        = NewWording("must match %s", "не по образцу %s")
	fewItems       = NewWording("must have at least %s items", "в списке нужно не меньше %s")
	manyItems      = NewWording("must have at most %s items", "в списке допустимо не больше %s")
	fewCharacters  = NewWording("must have at least %s characters", "знаков нужно не меньше %s")
	manyFields     = NewWording("must have at most %s fields", "полей допустимо не больше %s")
	notEmpty       = NewWording("must be empty", "должно быть пусто")
	manyCharacters = NewWording("must have at most %s characters", "знаков допустимо не больше %s")
	hugeNumber     = NewWording("must be a number of the usual size", "нужно число обычного размера")
	unreadable     = NewWording("cannot be read: %s", "не читается: %s")
	otherwise      = NewWording("%s", "не подходит: %s") // the validator's own text, for keywords that our schemas do not use
)

var trueOrFalse = NewWording("true or false", "true или false")

// types are the names of types in JSON Schema and Go.
var types = map[string]Wording{
	"object": NewWording("an object", "объект"), "array": NewWording("a list", "список"), "string": NewWording("a string", "текст"),
	"number": NewWording("a number", "число"), "integer": NewWording("a whole number", "целое число"),
	"boolean": trueOrFalse, "bool": trueOrFalse,
	"null": NewWording("null", "null (пусто)"),
}

func typeWordings(names ...string) alternatives {
	all := make(alternatives, len(names))
	for i, name := range names {
		all[i] = types[name]
	}
	return all
}

// limitWording returns the wording for the numeric limits of a schema, and its values.
func limitWording(s *jsonschema.Schema) (Wording, []any) {
	switch {
	case s.Minimum != nil && s.Maximum != nil && s.Minimum.Cmp(s.Maximum) == 0:
		return exactly, []any{s.Minimum}
	case s.Minimum != nil && s.Maximum != nil:
		return Within, []any{s.Minimum, s.Maximum}
	case s.Minimum != nil:
		return atLeast, []any{s.Minimum}
	case s.Maximum != nil:
		return atMost, []any{s.Maximum}
	case s.ExclusiveMinimum != nil && s.ExclusiveMaximum != nil:
		return between, []any{s.ExclusiveMinimum, s.ExclusiveMaximum}
	case s.ExclusiveMinimum != nil:
		return above, []any{s.ExclusiveMinimum}
	}
	return below, []any{s.ExclusiveMaximum}
}

func listed(values []any) string {
	names := make([]string, len(values))
	for i, v := range values {
		names[i] = fmt.Sprint(v)
	}
	return strings.Join(names, ", ")
}

// jsonText encodes a value of a schema as JSON.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return "?"
	}
	return string(text)
}
